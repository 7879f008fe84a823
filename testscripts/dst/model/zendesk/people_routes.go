package zendesk

import (
	"slices"
	"strings"

	"worlds/testscripts/dst/model"
)

var peopleRoutes = []route{
	{"GET /users", (*call).listUsers},
	{"POST /users", (*call).createUser},
	{"GET /users/me", func(c *call) (int, model.Value, *refusal) { return 200, shown("user", c.caller), nil }},
	{"GET /users/count", func(c *call) (int, model.Value, *refusal) { return c.count(len(c.usersAsked())) }},
	{"POST /users/create_or_update", (*call).upsertUser},
	{"GET /users/*", (*call).showUser},
	{"PUT /users/*", (*call).putUser},
	{"DELETE /users/*", (*call).removeUser},
	{"GET /groups", func(c *call) (int, model.Value, *refusal) { return c.list("groups", c.activeGroups()) }},
	{"POST /groups", (*call).createGroup},
	{"GET /groups/count", func(c *call) (int, model.Value, *refusal) { return c.count(len(c.activeGroups())) }},
	{"GET /groups/*", (*call).showGroup},
	{"PUT /groups/*", (*call).putGroup},
	{"DELETE /groups/*", (*call).removeGroup},
	{"GET /group_memberships", func(c *call) (int, model.Value, *refusal) { return c.list("group_memberships", c.inGroup) }},
	{"POST /group_memberships", (*call).createInGroup},
	{"GET /group_memberships/*", (*call).showInGroup},
	{"DELETE /group_memberships/*", (*call).removeInGroup},
	{"GET /users/*/group_memberships", func(c *call) (int, model.Value, *refusal) { return c.ofUser("group_memberships", c.inGroup) }},
	{"GET /users/*/organization_memberships", func(c *call) (int, model.Value, *refusal) { return c.ofUser("organization_memberships", c.inOrg) }},
	{"PUT /users/*/group_memberships/*/make_default", (*call).defaultInGroup},
	{"PUT /users/*/organization_memberships/*/make_default", (*call).defaultInOrg},
	{"GET /organizations", func(c *call) (int, model.Value, *refusal) { return c.list("organizations", c.orgs) }},
	{"POST /organizations", (*call).createOrg},
	{"GET /organizations/count", func(c *call) (int, model.Value, *refusal) { return c.count(len(c.orgs)) }},
	{"GET /organizations/*", (*call).showOrg},
	{"PUT /organizations/*", (*call).putOrg},
	{"DELETE /organizations/*", (*call).removeOrg},
	{"GET /organization_memberships", func(c *call) (int, model.Value, *refusal) { return c.list("organization_memberships", c.inOrg) }},
	{"POST /organization_memberships", (*call).createInOrg},
	{"GET /organization_memberships/*", (*call).showInOrg},
	{"DELETE /organization_memberships/*", (*call).removeInOrg},
}

func (m *Model) activeUsers() []*record {
	return some(m.users, func(u *record) bool { return u.is("active") })
}

func (m *Model) activeGroups() []*record {
	return some(m.groups, func(g *record) bool { return !g.is("deleted") })
}

// usersAsked are the users of the role that is asked for, if one is.
func (c *call) usersAsked() []*record {
	rows, role := c.activeUsers(), c.param("role")
	if role == "" {
		return rows
	}
	return some(rows, func(u *record) bool { return u.text("role") == role })
}

func (c *call) listUsers() (int, model.Value, *refusal) {
	rows := c.usersAsked()
	if e := c.param("external_id"); e != "" {
		rows = some(c.activeUsers(), func(u *record) bool { return u.text("external_id") == e })
	}
	return c.list("users", rows)
}

// mayWrite says whether the caller may write this of a user; an agent may make and
// change customers, and change itself, but no roles.
func (c *call) mayWrite(u *record, p model.Value) *refusal {
	if c.caller.text("role") == "admin" {
		return nil
	}
	role := p.Get("role").Text
	if u == nil && role != "" && role != "end-user" || u != nil && (staff(u) && u != c.caller || role != "" && role != u.text("role")) {
		return forbidden
	}
	return nil
}

func (c *call) createUser() (int, model.Value, *refusal) {
	p, refused := c.wrapped("user")
	if refused == nil && strings.TrimSpace(p.Get("name").Text) == "" {
		refused = faults{{"name", blank}}.refusal()
	}
	if refused == nil {
		refused = c.mayWrite(nil, p)
	}
	if refused != nil {
		return 0, p, refused
	}
	u, refused := c.makeUser(p)
	if refused != nil {
		return 0, p, refused
	}
	return 201, shown("user", u), nil
}

func (c *call) upsertUser() (int, model.Value, *refusal) {
	p, refused := c.wrapped("user")
	if refused != nil {
		return 0, p, refused
	}
	u := c.byEmail(p.Get("email").Text)
	if e := p.Get("external_id").Text; u == nil && e != "" {
		if at := slices.IndexFunc(c.users, func(u *record) bool { return u.is("active") && u.text("external_id") == e }); at >= 0 {
			u = c.users[at]
		}
	}
	if u == nil {
		return c.createUser()
	}
	return c.change(u, p)
}

func (c *call) change(u *record, p model.Value) (int, model.Value, *refusal) {
	refused := c.mayWrite(u, p)
	if refused == nil && u.id == c.principal && (p.Get("role").Text == "end-user" || p.Get("suspended").Kind == model.True) {
		refused = faults{{"role", invalid}}.refusal()
	}
	if refused == nil {
		refused = c.updateUser(u, p)
	}
	if refused != nil {
		return 0, p, refused
	}
	return 200, shown("user", u), nil
}

func (c *call) showUser() (int, model.Value, *refusal) {
	u := find(c.users, c.arg(0, kindUser))
	if u == nil {
		return 0, model.Value{}, notFound
	}
	return 200, shown("user", u), nil
}

func (c *call) putUser() (int, model.Value, *refusal) {
	u := c.activeUser(c.arg(0, kindUser))
	if u == nil {
		return 0, model.Value{}, notFound
	}
	p, refused := c.wrapped("user")
	if refused != nil {
		return 0, p, refused
	}
	return c.change(u, p)
}

func (c *call) removeUser() (int, model.Value, *refusal) {
	if r := c.admin(); r != nil {
		return 0, model.Value{}, r
	}
	u := c.activeUser(c.arg(0, kindUser))
	switch {
	case u == nil:
		return 0, model.Value{}, notFound
	case u.id == c.principal:
		return 0, model.Value{}, faults{{"base", invalid}}.refusal()
	}
	c.deleteUser(u)
	return 200, shown("user", u), nil
}

// setPlain writes members as they are, where a body has them.
func (c *call) setPlain(r *record, p model.Value, names ...string) {
	before := r.v
	for _, name := range names {
		if v := p.Get(name); v.Kind != model.Absent {
			r.set(name, v)
		}
	}
	c.touch(r, before)
}

func (c *call) createGroup() (int, model.Value, *refusal) {
	if r := c.admin(); r != nil {
		return 0, model.Value{}, r
	}
	p, refused := c.wrapped("group")
	if refused != nil {
		return 0, p, refused
	}
	if strings.TrimSpace(p.Get("name").Text) == "" {
		return 0, p, faults{{"name", blank}}.refusal()
	}
	n, groupID := c.mint(kindGroup)
	g := &record{n, groupID, c.group(groupID, p.Get("name").Text)}
	c.setPlain(g, p, "description", "is_public")
	c.groups = append(c.groups, g)
	return 201, shown("group", g), nil
}

func (c *call) showGroup() (int, model.Value, *refusal) {
	g := find(c.groups, c.arg(0, kindGroup))
	if g == nil {
		return 0, model.Value{}, notFound
	}
	return 200, shown("group", g), nil
}

func (c *call) putGroup() (int, model.Value, *refusal) {
	if r := c.admin(); r != nil {
		return 0, model.Value{}, r
	}
	g := c.activeGroup(c.arg(0, kindGroup))
	if g == nil {
		return 0, model.Value{}, notFound
	}
	p, refused := c.wrapped("group")
	if refused != nil {
		return 0, p, refused
	}
	if p.Get("name").Kind != model.Absent && strings.TrimSpace(p.Get("name").Text) == "" {
		return 0, p, faults{{"name", blank}}.refusal()
	}
	c.setPlain(g, p, "name", "description", "is_public")
	return 200, shown("group", g), nil
}

func (c *call) removeGroup() (int, model.Value, *refusal) {
	if r := c.admin(); r != nil {
		return 0, model.Value{}, r
	}
	g := c.activeGroup(c.arg(0, kindGroup))
	switch {
	case g == nil:
		return 0, model.Value{}, notFound
	case g.is("default"):
		return 0, model.Value{}, faults{{"base", invalid}}.refusal()
	}
	c.dropInGroup(func(r *record) bool { return r.text("group_id") == g.id })
	g.set("deleted", true, "updated_at", stamp(c.now))
	return 204, model.Free, nil
}

func (c *call) createInGroup() (int, model.Value, *refusal) {
	if r := c.admin(); r != nil {
		return 0, model.Value{}, r
	}
	p, refused := c.wrapped("group_membership")
	if refused != nil {
		return 0, p, refused
	}
	var f faults
	u, g := c.activeUser(c.ref(kindUser, p.Get("user_id"))), c.activeGroup(c.ref(kindGroup, p.Get("group_id")))
	if u == nil || !staff(u) {
		f.add("user_id", invalid)
	}
	if g == nil {
		f.add("group_id", invalid)
	}
	if len(f) == 0 && member(c.inGroup, "group_id", u.id, g.id) != nil {
		f.add("user_id", duplicate)
	}
	if f.refusal() != nil {
		return 0, p, f.refusal()
	}
	return 201, shown("group_membership", c.joinGroup(u, g.id, p.Get("default").Kind == model.True)), nil
}

func (c *call) showInGroup() (int, model.Value, *refusal) {
	r := find(c.inGroup, c.arg(0, kindInGroup))
	if r == nil {
		return 0, model.Value{}, notFound
	}
	return 200, shown("group_membership", r), nil
}

func (c *call) removeInGroup() (int, model.Value, *refusal) {
	if r := c.admin(); r != nil {
		return 0, model.Value{}, r
	}
	r := find(c.inGroup, c.arg(0, kindInGroup))
	if r == nil {
		return 0, model.Value{}, notFound
	}
	c.dropInGroup(func(o *record) bool { return o == r })
	return 204, model.Free, nil
}

func (c *call) ofUser(name string, rows []*record) (int, model.Value, *refusal) {
	u := find(c.users, c.arg(0, kindUser))
	if u == nil {
		return 0, model.Value{}, notFound
	}
	return c.list(name, some(rows, func(r *record) bool { return r.text("user_id") == u.id }))
}

func (c *call) defaultInGroup() (int, model.Value, *refusal) {
	if r := c.admin(); r != nil {
		return 0, model.Value{}, r
	}
	return c.chooseDefault(c.inGroup, kindInGroup, "group_id", "default_group_id", "group_memberships")
}

func (c *call) defaultInOrg() (int, model.Value, *refusal) {
	return c.chooseDefault(c.inOrg, kindInOrg, "organization_id", "organization_id", "organization_memberships")
}

func (c *call) chooseDefault(rows []*record, kind, column, shown, name string) (int, model.Value, *refusal) {
	u, r := c.activeUser(c.arg(0, kindUser)), find(rows, c.arg(1, kind))
	if u == nil || r == nil || r.text("user_id") != u.id {
		return 0, model.Value{}, notFound
	}
	c.makeDefault(rows, r, column, shown)
	return 200, model.Obj(name, values(some(rows, func(r *record) bool { return r.text("user_id") == u.id }))), nil
}

func (c *call) checkOrg(p model.Value, old *record) (f faults) {
	name := strings.TrimSpace(p.Get("name").Text)
	if (old == nil || p.Get("name").Kind != model.Absent) && strings.TrimSpace(name) == "" {
		f.add("name", blank)
	}
	if name != "" && slices.ContainsFunc(c.orgs, func(o *record) bool { return o != old && strings.EqualFold(o.text("name"), name) }) {
		f.add("name", duplicate)
	}
	if taken(c.orgs, p, old) {
		f.add("external_id", duplicate)
	}
	return f
}

func (c *call) setOrg(o *record, p model.Value) {
	if v := p.Get("tags"); v.Kind == model.Array {
		p = p.With("tags", tagsOf(words(v)))
	}
	if v := p.Get("name"); v.Kind == model.String {
		p = p.With("name", strings.TrimSpace(v.Text))
	}
	c.setPlain(o, p, "name", "details", "notes", "external_id", "domain_names", "tags", "shared_tickets", "shared_comments")
}

func (c *call) createOrg() (int, model.Value, *refusal) {
	if r := c.admin(); r != nil {
		return 0, model.Value{}, r
	}
	p, refused := c.wrapped("organization")
	if refused == nil {
		refused = c.checkOrg(p, nil).refusal()
	}
	if refused != nil {
		return 0, p, refused
	}
	n, orgID := c.mint(kindOrg)
	o := &record{n, orgID, c.org(orgID, "")}
	c.setOrg(o, p)
	c.orgs = append(c.orgs, o)
	return 201, shown("organization", o), nil
}

func (c *call) showOrg() (int, model.Value, *refusal) {
	o := find(c.orgs, c.arg(0, kindOrg))
	if o == nil {
		return 0, model.Value{}, notFound
	}
	return 200, shown("organization", o), nil
}

func (c *call) putOrg() (int, model.Value, *refusal) {
	if r := c.admin(); r != nil {
		return 0, model.Value{}, r
	}
	o := find(c.orgs, c.arg(0, kindOrg))
	if o == nil {
		return 0, model.Value{}, notFound
	}
	p, refused := c.wrapped("organization")
	if refused == nil {
		refused = c.checkOrg(p, o).refusal()
	}
	if refused != nil {
		return 0, p, refused
	}
	c.setOrg(o, p)
	for _, r := range c.inOrg {
		if r.text("organization_id") == o.id {
			r.set("organization_name", o.text("name"))
		}
	}
	return 200, shown("organization", o), nil
}

func (c *call) removeOrg() (int, model.Value, *refusal) {
	if r := c.admin(); r != nil {
		return 0, model.Value{}, r
	}
	o := find(c.orgs, c.arg(0, kindOrg))
	if o == nil {
		return 0, model.Value{}, notFound
	}
	c.dropInOrg(func(r *record) bool { return r.text("organization_id") == o.id })
	c.orgs = some(c.orgs, func(r *record) bool { return r != o })
	return 204, model.Free, nil
}

func (c *call) createInOrg() (int, model.Value, *refusal) {
	p, refused := c.wrapped("organization_membership")
	if refused != nil {
		return 0, p, refused
	}
	var f faults
	u, o := c.activeUser(c.ref(kindUser, p.Get("user_id"))), find(c.orgs, c.ref(kindOrg, p.Get("organization_id")))
	if u == nil {
		f.add("user_id", invalid)
	}
	if o == nil {
		f.add("organization_id", invalid)
	}
	if len(f) == 0 && member(c.inOrg, "organization_id", u.id, o.id) != nil {
		f.add("user_id", duplicate)
	}
	if f.refusal() != nil {
		return 0, p, f.refusal()
	}
	r := c.joinOrg(u, o.id, p.Get("default").Kind == model.True)
	c.setPlain(r, p, "view_tickets")
	return 201, shown("organization_membership", r), nil
}

func (c *call) showInOrg() (int, model.Value, *refusal) {
	r := find(c.inOrg, c.arg(0, kindInOrg))
	if r == nil {
		return 0, model.Value{}, notFound
	}
	return 200, shown("organization_membership", r), nil
}

func (c *call) removeInOrg() (int, model.Value, *refusal) {
	r := find(c.inOrg, c.arg(0, kindInOrg))
	if r == nil {
		return 0, model.Value{}, notFound
	}
	c.dropInOrg(func(o *record) bool { return o == r })
	return 204, model.Free, nil
}
