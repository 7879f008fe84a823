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
		Principal number `json:"principal_id"`
		Users     []seedUser
		Groups    []struct {
			ID          number
			Name        string
			Description *string
			Default     bool
			Public      *bool `json:"is_public"`
		}
		Organizations []struct {
			ID   number
			Name string
			Tags []string
		}
		InGroup []struct {
			ID, User number
			Group    number `json:"group_id"`
			UserID   number `json:"user_id"`
			Default  bool
		} `json:"group_memberships"`
		InOrg []struct {
			ID      number
			UserID  number `json:"user_id"`
			Org     number `json:"organization_id"`
			Default bool
			View    bool `json:"view_tickets"`
		} `json:"organization_memberships"`
		Tickets, Comments, Audits []json.RawMessage
		Lifecycle                 *struct{ Closure *closure }
	} `json:"zendesk"`
}

type seedUser struct {
	ID          number
	Name, Email string
	Role        string
	Group       number `json:"default_group_id"`
	Org         number `json:"organization_id"`
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
	for _, u := range d.Desk.Users {
		role := u.Role
		if role == "" {
			role = "end-user"
		}
		v := m.user(string(u.ID), u.Name, role).With("email", model.Opt(u.Email), "verified", true,
			"default_group_id", id(string(u.Group)), "organization_id", id(string(u.Org)))
		m.users = m.seeded(m.users, kindUser, u.ID, v)
	}
	for _, g := range d.Desk.Groups {
		v := m.group(string(g.ID), g.Name).With("default", g.Default)
		if g.Description != nil {
			v = v.With("description", *g.Description)
		}
		if g.Public != nil {
			v = v.With("is_public", *g.Public)
		}
		m.groups = m.seeded(m.groups, kindGroup, g.ID, v)
	}
	for _, o := range d.Desk.Organizations {
		m.orgs = m.seeded(m.orgs, kindOrg, o.ID, m.org(string(o.ID), o.Name).With("tags", tagsOf(o.Tags)))
	}
	for _, g := range d.Desk.InGroup {
		m.inGroup = m.seeded(m.inGroup, kindInGroup, g.ID, m.membership(string(g.ID), string(g.UserID), string(g.Group), g.Default))
	}
	for _, o := range d.Desk.InOrg {
		m.inOrg = m.seeded(m.inOrg, kindInOrg, o.ID, m.orgMembership(string(o.ID), string(o.UserID), string(o.Org), o.Default).With("view_tickets", o.View))
	}
	return nil
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
