package seed

import "worlds/journal/canon"

// zendeskOutline is what is checked of the native help desk block: its keys, and
// that every record is an object with a positive id. Its records keep the form
// in which they were written.
type zendeskOutline struct {
	version, principal int64
	records            []canon.Raw // of the section read last
	lifecycle          canon.Raw
}

var zendeskTable = table[zendeskOutline]{[]field[zendeskOutline]{
	needed("version", "", integer(1, 1), func(z *zendeskOutline) *int64 { return &z.version }),
	needed("principal_id", "The agent or admin that API calls act as.", integer(1, canon.MaxInt), func(z *zendeskOutline) *int64 { return &z.principal }),
	zendeskRecords("users"),
	zendeskRecords("groups"),
	zendeskRecords("organizations"),
	zendeskRecords("group_memberships"),
	zendeskRecords("organization_memberships"),
	zendeskRecords("tickets"),
	zendeskRecords("comments"),
	zendeskRecords("audits"),
	optional("lifecycle", "", anyObject(), func(z *zendeskOutline) *canon.Raw { return &z.lifecycle }, nil),
}}

// zendeskBlock reads the block by its outline and keeps it as written.
func zendeskBlock() shape[canon.Raw] {
	return shape[canon.Raw]{schema: zendeskTable.schema(), read: func(d *decoder, at *place, raw canon.Raw) canon.Raw {
		zendeskTable.read(d, at, raw)
		return raw
	}}
}

func zendeskRecords(name string) field[zendeskOutline] {
	return optional(name, "", list(zendeskRecord(), 0, MaxObjects), func(z *zendeskOutline) *[]canon.Raw { return &z.records }, nil)
}

func zendeskRecord() shape[canon.Raw] {
	positive := integer(1, canon.MaxInt)
	schema := &schemaNode{Type: "object", Required: []string{"id"}, Properties: map[string]*schemaNode{"id": positive.schema}}
	return shape[canon.Raw]{schema: schema, read: func(d *decoder, at *place, raw canon.Raw) canon.Raw {
		if kind := kindOf(raw); kind != "an object" {
			d.report(at, "is %s; must be an object", kind)
			return nil
		}
		id, ok := canon.Get(raw, "id")
		if !ok {
			d.report(at.key("id"), "is missing")
			return raw
		}
		positive.read(d, at.key("id"), id)
		return raw
	}}
}

// anyObject is an object whose keys are not looked at.
func anyObject() shape[canon.Raw] {
	return shape[canon.Raw]{schema: &schemaNode{Type: "object"}, read: func(d *decoder, at *place, raw canon.Raw) canon.Raw {
		if kind := kindOf(raw); kind != "an object" {
			d.report(at, "is %s; must be an object", kind)
		}
		return raw
	}}
}
