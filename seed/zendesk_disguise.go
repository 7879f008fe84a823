package seed

import (
	"bytes"
	"slices"

	"worlds/journal/canon"
)

// disguise replaces who and what can be recognised in a help desk. Equal texts
// become equal ones, so that what audits tell goes on matching the tickets.
type disguise struct {
	z                                                                *Zendesk
	users, groups, organizations, memberships, homes, tickets, lines ids
	audits                                                           ids
	replaced, dropped                                                map[string]int64
}

func newDisguise(z *Zendesk) *disguise {
	d := &disguise{z: z, replaced: map[string]int64{}, dropped: map[string]int64{}}
	d.users = number64(importUsers, idsOf(z.Users, func(v *ZendeskUser) int64 { return v.ID }))
	d.groups = number64(importGroups, idsOf(z.Groups, func(v *ZendeskGroup) int64 { return v.ID }))
	d.organizations = number64(importOrganizations, idsOf(z.Organizations, func(v *ZendeskOrganization) int64 { return v.ID }))
	d.memberships = number64(importMemberships, idsOf(z.GroupMemberships, func(v *ZendeskGroupMembership) int64 { return v.ID }))
	d.homes = number64(importHomes, idsOf(z.OrganizationMemberships, func(v *ZendeskOrganizationMembership) int64 { return v.ID }))
	d.tickets = number64(0, idsOf(z.Tickets, func(v *ZendeskTicket) int64 { return v.ID }))
	d.audits = number64(importAudits, idsOf(z.Audits, func(v *ZendeskAudit) int64 { return v.ID }))
	lines := idsOf(z.Comments, func(v *ZendeskComment) int64 { return v.ID })
	for i := range z.Audits {
		lines = append(lines, idsOf(z.Audits[i].Events, func(v *ZendeskAuditEvent) int64 { return v.ID })...)
	}
	d.lines = number64(importLines, lines)
	return d
}

func idsOf[V any](list []V, id func(*V) int64) []int64 {
	out := make([]int64, len(list))
	for i := range list {
		out[i] = id(&list[i])
	}
	return out
}

// swap replaces a text by a prefix and its token; nothing stays nothing.
func (d *disguise) swap(field, prefix string, s *string) {
	if *s == "" {
		return
	}
	d.replaced[field]++
	*s = prefix + token(prefix, *s)
}

// email replaces an address.
func (d *disguise) email(field string, s *string) {
	if *s == "" {
		return
	}
	d.replaced[field]++
	*s = "user-" + token("email", *s) + "@example.com"
}

func (d *disguise) drop(field string, s *string) {
	if *s != "" {
		d.dropped[field]++
		*s = ""
	}
}

func (d *disguise) tags(field string, list []string) {
	for i := range list {
		d.swap(field, "tag_", &list[i])
	}
}

func (d *disguise) fields(field string, v *canon.Raw) {
	if len(*v) > 0 && string(*v) != "{}" {
		d.dropped[field]++
	}
	*v = noMetadata()
}

func (d *disguise) apply() {
	z := d.z
	z.PrincipalID = d.users.of(z.PrincipalID)
	z.Lifecycle.Closure.AuthorID = d.users.of(z.Lifecycle.Closure.AuthorID)
	for i := range z.Users {
		d.user(&z.Users[i])
	}
	for i := range z.Groups {
		g := &z.Groups[i]
		g.ID = d.groups.of(g.ID)
		d.swap("groups[].name", "Group ", &g.Name)
		d.drop("groups[].description", &g.Description)
	}
	for i := range z.Organizations {
		d.organization(&z.Organizations[i])
	}
	for i := range z.GroupMemberships {
		m := &z.GroupMemberships[i]
		m.ID, m.UserID, m.GroupID = d.memberships.of(m.ID), d.users.of(m.UserID), d.groups.of(m.GroupID)
	}
	for i := range z.OrganizationMemberships {
		m := &z.OrganizationMemberships[i]
		m.ID, m.UserID, m.OrganizationID = d.homes.of(m.ID), d.users.of(m.UserID), d.organizations.of(m.OrganizationID)
	}
	for i := range z.Tickets {
		d.ticket(&z.Tickets[i])
	}
	for i := range z.Comments {
		c := &z.Comments[i]
		c.ID, c.TicketID, c.AuthorID, c.AuditID = d.lines.of(c.ID), d.tickets.of(c.TicketID), d.users.of(c.AuthorID), d.audits.of(c.AuditID)
		d.swap("comments[].body", "Comment ", &c.Body)
		d.drop("comments[].html_body", &c.HTMLBody)
	}
	for i := range z.Audits {
		a := &z.Audits[i]
		a.ID, a.TicketID, a.AuthorID = d.audits.of(a.ID), d.tickets.of(a.TicketID), d.users.of(a.AuthorID)
		for j := range a.Events {
			d.event(&a.Events[j])
		}
	}
}

// Fake names: what a token begins with picks one of each.
var (
	firstNames = [...]string{"Alex", "Blake", "Casey", "Drew", "Ellis", "Frankie", "Gray", "Harper", "Indigo", "Jules", "Kit", "Logan", "Morgan", "Nico", "Oakley", "Parker"}
	lastNames  = [...]string{"Ash", "Birch", "Cedar", "Dale", "Elm", "Field", "Grove", "Hill", "Ives", "Juniper", "Knoll", "Lake", "Meadow", "North", "Oak", "Pine"}
)

// fakeName is the name of nobody; the same id has the same one.
func fakeName(id int64) string {
	t := token("name", string(canon.AppendInt(nil, id)))
	hex := func(c byte) int {
		if c >= 'a' {
			return int(c-'a') + 10
		}
		return int(c - '0')
	}
	return firstNames[hex(t[0])] + " " + lastNames[hex(t[1])]
}

func (d *disguise) user(u *ZendeskUser) {
	u.Name = fakeName(u.ID)
	d.replaced["users[].name"]++
	d.email("users[].email", &u.Email)
	d.swap("users[].external_id", "ext-", &u.ExternalID)
	d.drop("users[].phone", &u.Phone)
	d.drop("users[].alias", &u.Alias)
	d.drop("users[].details", &u.Details)
	d.drop("users[].notes", &u.Notes)
	d.drop("users[].signature", &u.Signature)
	d.drop("users[].time_zone", &u.TimeZone)
	d.drop("users[].locale", &u.Locale)
	d.tags("users[].tags", u.Tags)
	d.fields("users[].user_fields", &u.Fields)
	u.ID, u.OrganizationID, u.DefaultGroupID = d.users.of(u.ID), d.organizations.of(u.OrganizationID), d.groups.of(u.DefaultGroupID)
}

func (d *disguise) organization(o *ZendeskOrganization) {
	d.swap("organizations[].name", "Organization ", &o.Name)
	d.drop("organizations[].details", &o.Details)
	d.drop("organizations[].notes", &o.Notes)
	d.swap("organizations[].external_id", "ext-", &o.ExternalID)
	for i := range o.DomainNames {
		d.replaced["organizations[].domain_names"]++
		o.DomainNames[i] = "d-" + token("domain", o.DomainNames[i]) + ".example"
	}
	d.tags("organizations[].tags", o.Tags)
	d.fields("organizations[].organization_fields", &o.Fields)
	o.ID, o.GroupID = d.organizations.of(o.ID), d.groups.of(o.GroupID)
}

func (d *disguise) ticket(t *ZendeskTicket) {
	d.swap("tickets[].subject", "Ticket ", &t.Subject)
	d.swap("tickets[].description", "Comment ", &t.Description)
	d.swap("tickets[].external_id", "ext-", &t.ExternalID)
	d.email("tickets[].recipient", &t.Recipient)
	d.tags("tickets[].tags", t.Tags)
	for i := range t.CustomFields {
		t.CustomFields[i].Value = d.value(t.CustomFields[i].Value)
	}
	t.ID, t.RequesterID, t.SubmitterID = d.tickets.of(t.ID), d.users.of(t.RequesterID), d.users.of(t.SubmitterID)
	t.AssigneeID, t.GroupID, t.OrganizationID = d.users.of(t.AssigneeID), d.groups.of(t.GroupID), d.organizations.of(t.OrganizationID)
	t.ProblemID, t.ViaFollowupSourceID = d.tickets.of(t.ProblemID), d.tickets.of(t.ViaFollowupSourceID)
	t.CollaboratorIDs, t.FollowerIDs, t.EmailCCIDs = d.users.all(t.CollaboratorIDs), d.users.all(t.FollowerIDs), d.users.all(t.EmailCCIDs)
}

// value replaces every text in the value of a custom field.
func (d *disguise) value(v canon.Raw) canon.Raw {
	return d.texts(v, func(s string) string {
		d.swap("tickets[].custom_fields[].value", "value-", &s)
		return s
	})
}

// texts applies change to a text, or to every text of an array; numbers, booleans
// and null stay.
func (d *disguise) texts(v canon.Raw, change func(string) string) canon.Raw {
	switch kindOf(v) {
	case "a string":
		s, _ := canon.Unquote(v)
		return canon.AppendString(nil, change(s))
	case "an array":
		out := []byte{'['}
		for e := range canon.Elements(v) {
			if len(out) > 1 {
				out = append(out, ',')
			}
			out = append(out, d.texts(e, change)...)
		}
		return append(out, ']')
	case "an object":
		return canon.Raw("null")
	}
	return v
}

// event replaces what one event of an audit tells, as the ticket's own field was.
func (d *disguise) event(e *ZendeskAuditEvent) {
	e.ID, e.CommentID = d.lines.of(e.ID), d.lines.of(e.CommentID)
	change := d.changeOf(e.FieldName)
	e.Value, e.Previous = d.texts(e.Value, change), d.texts(e.Previous, change)
	if e.FieldName == "tags" {
		e.Value, e.Previous = inOrder(e.Value), inOrder(e.Previous)
	}
}

// inOrder sorts an array of texts, as tickets keep their tags.
func inOrder(v canon.Raw) canon.Raw {
	elements, ok := elementsOf(v)
	if !ok {
		return v
	}
	slices.SortFunc(elements, func(a, b canon.Raw) int { return bytes.Compare(a, b) })
	return append(append([]byte{'['}, bytes.Join(raws(elements), []byte{','})...), ']')
}

func raws(list []canon.Raw) [][]byte {
	out := make([][]byte, len(list))
	for i, v := range list {
		out[i] = v
	}
	return out
}

// changeOf is how the values of a field change in audits.
func (d *disguise) changeOf(field string) func(string) string {
	swap := func(prefix string) func(string) string {
		return func(s string) string {
			d.swap("audits[].events[].value", prefix, &s)
			return s
		}
	}
	switch field {
	case "status", "priority", "type", "due_at", "is_public":
		return func(s string) string { return s }
	case "requester_id", "assignee_id", "submitter_id", "collaborator_ids", "follower_ids", "email_cc_ids":
		return d.users.text
	case "group_id":
		return d.groups.text
	case "organization_id":
		return d.organizations.text
	case "problem_id", "via_followup_source_id":
		return d.tickets.text
	case "subject":
		return swap("Ticket ")
	case "tags":
		return swap("tag_")
	case "external_id":
		return swap("ext-")
	case "recipient":
		return func(s string) string {
			d.email("audits[].events[].value", &s)
			return s
		}
	case "description":
		return swap("Comment ")
	}
	return swap("value-")
}

// privateMap leads from the ids there were to those there are now.
func (d *disguise) privateMap() []byte {
	o := object{}
	for _, kind := range []struct {
		name string
		ids  ids
	}{{"users", d.users}, {"groups", d.groups}, {"organizations", d.organizations}, {"group_memberships", d.memberships},
		{"organization_memberships", d.homes}, {"tickets", d.tickets}, {"comments_and_events", d.lines}, {"audits", d.audits}} {
		counts := map[string]int64{}
		for old, now := range kind.ids { //worlds:sorted tally sorts
			counts[string(canon.AppendInt(nil, old))] = now
		}
		o.raw(kind.name, tally(counts))
	}
	return append(canon.AppendPretty(nil, o.json()), '\n')
}
