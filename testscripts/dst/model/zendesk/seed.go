package zendesk

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"worlds/testscripts/dst/model"
)

// number is an id in a document, kept as its digits.
type number string

// UnmarshalJSON keeps the digits; null is "".
func (n *number) UnmarshalJSON(text []byte) error {
	if *n = number(text); string(text) == "null" {
		*n = ""
	}
	return nil
}

// document is what the model reads of a seed.
type document struct {
	Epoch json.RawMessage
	Mode  string `json:"clock_mode"`
	Data  struct{ Tickets []json.RawMessage }
	Desk  *struct {
		Principal                 number `json:"principal_id"`
		Tickets, Comments, Audits []json.RawMessage
		Lifecycle                 *struct{ Closure *closure }
	} `json:"zendesk"`
}

func (m *Model) load(seed []byte) error {
	var d document
	if err := json.Unmarshal(seed, &d); err != nil {
		return fmt.Errorf("the seed: %w", err)
	}
	if err := m.startClock(d.Epoch); err != nil {
		return err
	}
	switch {
	case d.Mode == "auto":
		return fmt.Errorf("the model of the help desk knows no automatic clock")
	case len(d.Data.Tickets) > 0 || d.Desk != nil && len(d.Desk.Tickets)+len(d.Desk.Comments)+len(d.Desk.Audits) > 0:
		return fmt.Errorf("the model of the help desk knows no seeded tickets")
	case d.Desk == nil:
		n, id := m.mint(kindUser)
		m.principal = id
		m.users = []*record{{n, id, m.user(id, "Support Agent", "admin").With("email", "agent@support.example", "verified", true)}}
		return nil
	}
	m.principal = string(d.Desk.Principal)
	if l := d.Desk.Lifecycle; l != nil {
		m.closure = l.Closure
	}
	whole, err := model.Parse(seed)
	if err != nil {
		return fmt.Errorf("the seed: %w", err)
	}
	m.people(whole.Get("zendesk"))
	return nil
}

// people takes over the records of a seed, whose members are those that are shown.
func (m *Model) people(desk model.Value) {
	each := func(name, kind string, rows *[]*record, fresh func(id string, v model.Value) model.Value) {
		for _, v := range desk.Get(name).List {
			idText := v.Get("id").Text
			shown := fresh(idText, v)
			for _, given := range v.Members {
				if shown.Get(given.Name).Kind == model.Absent || given.Name == "role" {
					continue
				}
				if given.Name == "created_at" && v.Get("updated_at").Kind == model.Absent {
					shown = shown.With("updated_at", given.Value)
				}
				shown = shown.With(given.Name, given.Value)
			}
			*rows = m.seeded(*rows, kind, number(idText), shown)
		}
	}
	each("users", kindUser, &m.users, func(id string, v model.Value) model.Value {
		role := v.Get("role").Text
		if role == "" {
			role = "end-user"
		}
		return m.user(id, "", role).With("verified", true)
	})
	each("groups", kindGroup, &m.groups, func(id string, _ model.Value) model.Value { return m.group(id, "") })
	each("organizations", kindOrg, &m.orgs, func(id string, _ model.Value) model.Value { return m.org(id, "") })
	each("group_memberships", kindInGroup, &m.inGroup, func(id string, _ model.Value) model.Value { return m.membership(id, "", "", false) })
	each("organization_memberships", kindInOrg, &m.inOrg, func(id string, v model.Value) model.Value {
		return m.orgMembership(id, "", v.Get("organization_id").Text, false)
	})
}

// startClock reads the epoch: Unix seconds or an instant.
func (m *Model) startClock(epoch json.RawMessage) error {
	text := strings.Trim(string(epoch), `"`)
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		m.now = at.Unix()
		return nil
	}
	return json.Unmarshal(epoch, &m.now)
}

// seeded adds a record whose id the seed names, in the order of ids.
func (m *Model) seeded(rows []*record, kind string, id number, v model.Value) []*record {
	var n int64
	_ = json.Unmarshal([]byte(id), &n) // the seed was read by the server before
	m.floor[kind] = max(m.floor[kind], n)
	rows = append(rows, &record{int(n), string(id), v})
	slices.SortFunc(rows, func(a, b *record) int { return a.n - b.n })
	return rows
}
