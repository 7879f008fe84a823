package seed

import (
	"strings"

	"worlds/journal/canon"
)

// deskChecker holds what the rules of the help desk block need of its sections.
type deskChecker struct {
	*decoder
	epoch         int64
	z             *Zendesk
	users         map[int64]*ZendeskUser
	groups        map[int64]*ZendeskGroup
	organizations map[int64]bool
	members       map[[2]int64]*ZendeskGroupMembership // by user and group
	belongs       map[[2]int64]bool                    // user and organization
	tickets       map[int64]*ZendeskTicket
	comments      map[int64]*ZendeskComment
	first         map[int64]*ZendeskComment // of a ticket
	audits        map[int64]*ZendeskAudit
	told          map[int64]int64 // comment id to the audit whose event it is
}

func checkZendesk(d *decoder, epoch int64, z *Zendesk) {
	c := &deskChecker{decoder: d, epoch: epoch, z: z,
		users: map[int64]*ZendeskUser{}, groups: map[int64]*ZendeskGroup{}, organizations: map[int64]bool{},
		members: map[[2]int64]*ZendeskGroupMembership{}, belongs: map[[2]int64]bool{}, tickets: map[int64]*ZendeskTicket{},
		comments: map[int64]*ZendeskComment{}, first: map[int64]*ZendeskComment{}, audits: map[int64]*ZendeskAudit{}, told: map[int64]int64{}}
	c.index()
	c.principal()
	c.directory()
	c.memberships()
	c.history()
	for i := range z.Tickets {
		c.ticket(desk("tickets", i), &z.Tickets[i])
	}
	c.followUps()
}

func deskRoot() *place                  { return (*place)(nil).key("zendesk") }
func desk(section string, i int) *place { return deskRoot().key(section).item(i) }
func (c *deskChecker) staff(id int64) bool {
	u := c.users[id]
	return u != nil && u.Role != RoleEndUser
}
func (c *deskChecker) acting(id int64) bool {
	return c.staff(id) && c.users[id].Active && !c.users[id].Suspended
}

// once reports an id that a section uses twice and one that is beyond the epoch.
func (c *deskChecker) once(at *place, seen map[int64]bool, id int64) {
	if seen[id] && id != 0 {
		c.report(at.key("id"), "%d is already the id of another record", id)
	}
	seen[id] = true
}

// times fills in the moments of a record and refuses ones out of order.
func (c *deskChecker) times(at *place, created, updated *int64) {
	if *created == 0 {
		*created = c.epoch
	}
	if *updated == 0 {
		*updated = *created
	}
	if *created > *updated {
		c.report(at.key("updated_at"), "is earlier than created_at")
	}
	if *updated > c.epoch && c.epoch > 0 {
		c.report(at.key("updated_at"), "is later than the epoch")
	}
}

func (c *deskChecker) index() {
	seen := map[int64]bool{}
	for i := range c.z.Users {
		u := &c.z.Users[i]
		c.once(desk("users", i), seen, u.ID)
		c.times(desk("users", i), &u.CreatedAt, &u.UpdatedAt)
		c.users[u.ID] = u
	}
	seen = map[int64]bool{}
	for i := range c.z.Groups {
		g := &c.z.Groups[i]
		c.once(desk("groups", i), seen, g.ID)
		c.times(desk("groups", i), &g.CreatedAt, &g.UpdatedAt)
		c.groups[g.ID] = g
	}
	seen = map[int64]bool{}
	for i := range c.z.Organizations {
		o := &c.z.Organizations[i]
		c.once(desk("organizations", i), seen, o.ID)
		c.times(desk("organizations", i), &o.CreatedAt, &o.UpdatedAt)
		c.organizations[o.ID] = true
	}
	seen = map[int64]bool{}
	for i := range c.z.Tickets {
		t := &c.z.Tickets[i]
		c.once(desk("tickets", i), seen, t.ID)
		c.times(desk("tickets", i), &t.CreatedAt, &t.UpdatedAt)
		if t.SubmitterID == 0 {
			t.SubmitterID = t.RequesterID
		}
		c.tickets[t.ID] = t
	}
}

func (c *deskChecker) principal() {
	at := deskRoot().key("principal_id")
	if c.z.PrincipalID != 0 && !c.acting(c.z.PrincipalID) {
		c.report(at, "%d is no active agent or admin of users", c.z.PrincipalID)
	}
	if closure := c.z.Lifecycle.Closure; !closure.IsZero() && closure.AuthorID != 0 && !c.staff(closure.AuthorID) {
		c.report(deskRoot().key("lifecycle").key("closure").key("author_id"), "%d is no agent or admin of users", closure.AuthorID)
	}
}

// directory checks what users and organizations refer to.
func (c *deskChecker) directory() {
	emails := map[string]bool{}
	for i := range c.z.Users {
		u, at := &c.z.Users[i], desk("users", i)
		if email := strings.ToLower(u.Email); email != "" && u.Active {
			if emails[email] {
				c.report(at.key("email"), "%s belongs to another user already", show(u.Email))
			}
			emails[email] = true
		}
		c.organization(at.key("organization_id"), u.OrganizationID)
		c.fields(at.key("user_fields"), u.Fields)
	}
	names := map[string]bool{}
	for i := range c.z.Organizations {
		o, at := &c.z.Organizations[i], desk("organizations", i)
		if name := strings.ToLower(o.Name); name != "" {
			if names[name] {
				c.report(at.key("name"), "%s is the name of another organization already", show(o.Name))
			}
			names[name] = true
		}
		c.group(at.key("group_id"), o.GroupID)
		c.fields(at.key("organization_fields"), o.Fields)
	}
}

// fields refuses, in an object of custom fields, the names that links have.
func (c *deskChecker) fields(at *place, fields canon.Raw) {
	for name := range canon.Members(fields) {
		if DeskLink(name) {
			c.report(at.key(name), "is a name kept for links")
		}
	}
}

// DeskLink reports whether the help desk API shows links under the name, which no
// custom field may therefore have.
func DeskLink(name string) bool {
	switch name {
	case "url", "next", "prev", "next_page", "previous_page", "after_url", "before_url":
		return true
	}
	return false
}

func (c *deskChecker) user(at *place, id int64) {
	if id != 0 && c.users[id] == nil {
		c.report(at, "no user has the id %d", id)
	}
}

func (c *deskChecker) organization(at *place, id int64) {
	if id != 0 && !c.organizations[id] {
		c.report(at, "no organization has the id %d", id)
	}
}

func (c *deskChecker) group(at *place, id int64) {
	if id != 0 && c.groups[id] == nil {
		c.report(at, "no group has the id %d", id)
	}
}

func (c *deskChecker) memberships() {
	seen, defaults := map[int64]bool{}, map[int64]bool{}
	for i := range c.z.GroupMemberships {
		m, at := &c.z.GroupMemberships[i], desk("group_memberships", i)
		c.once(at, seen, m.ID)
		c.times(at, &m.CreatedAt, &m.UpdatedAt)
		c.user(at.key("user_id"), m.UserID)
		c.group(at.key("group_id"), m.GroupID)
		if c.users[m.UserID] != nil && !c.staff(m.UserID) {
			c.report(at.key("user_id"), "%d is an end user; only agents and admins are in groups", m.UserID)
		}
		pair := [2]int64{m.UserID, m.GroupID}
		if c.members[pair] != nil {
			c.report(at, "user %d is in group %d already", m.UserID, m.GroupID)
		}
		c.members[pair] = m
		if u := c.users[m.UserID]; m.Default && u != nil && u.DefaultGroupID != m.GroupID {
			c.report(at.key("default"), "is true, but the user's default_group_id is %d", u.DefaultGroupID)
		}
		if m.Default && defaults[m.UserID] {
			c.report(at.key("default"), "user %d has another default group already", m.UserID)
		}
		defaults[m.UserID] = defaults[m.UserID] || m.Default
	}
	seen, defaults = map[int64]bool{}, map[int64]bool{}
	for i := range c.z.OrganizationMemberships {
		m, at := &c.z.OrganizationMemberships[i], desk("organization_memberships", i)
		c.once(at, seen, m.ID)
		c.times(at, &m.CreatedAt, &m.UpdatedAt)
		c.user(at.key("user_id"), m.UserID)
		c.organization(at.key("organization_id"), m.OrganizationID)
		pair := [2]int64{m.UserID, m.OrganizationID}
		if c.belongs[pair] {
			c.report(at, "user %d is in organization %d already", m.UserID, m.OrganizationID)
		}
		c.belongs[pair] = true
		if u := c.users[m.UserID]; m.Default && u != nil && u.OrganizationID != m.OrganizationID {
			c.report(at.key("default"), "is true, but the user's organization_id is %d", u.OrganizationID)
		}
		if m.Default && defaults[m.UserID] {
			c.report(at.key("default"), "user %d has another default organization already", m.UserID)
		}
		defaults[m.UserID] = defaults[m.UserID] || m.Default
	}
	for i := range c.z.Users {
		u, at := &c.z.Users[i], desk("users", i)
		if g := u.DefaultGroupID; g != 0 && c.members[[2]int64{u.ID, g}] == nil {
			c.report(at.key("default_group_id"), "the user is not in group %d", g)
		}
		if o := u.OrganizationID; o != 0 && len(c.z.OrganizationMemberships) > 0 && !c.belongs[[2]int64{u.ID, o}] {
			c.report(at.key("organization_id"), "the user is not in organization %d", o)
		}
	}
}
