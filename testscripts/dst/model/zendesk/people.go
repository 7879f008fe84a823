package zendesk

import (
	"slices"
	"strconv"
	"strings"

	"worlds/testscripts/dst/model"
)

// user is a new user as it is shown.
func (m *Model) user(userID, name, role string) model.Value {
	v := model.Obj("active", true, "alias", nil, "created_at", stamp(m.now), "custom_role_id", nil, "default_group_id", nil,
		"details", nil, "email", nil, "external_id", nil, "iana_time_zone", "Etc/UTC", "id", id(userID), "last_login_at", nil,
		"locale", "en-US", "locale_id", 1, "moderator", false, "name", name, "notes", nil, "only_private_comments", false,
		"organization_id", nil, "phone", nil, "photo", nil, "report_csv", false, "restricted_agent", false, "shared", false,
		"shared_agent", false, "shared_phone_number", nil, "signature", nil, "suspended", false, "tags", model.Seq(),
		"time_zone", "UTC", "two_factor_auth_enabled", false, "updated_at", stamp(m.now), "url", link("users", userID),
		"user_fields", model.Obj(), "verified", false)
	return withRole(v, role)
}

// withRole sets the role and what follows from it.
func withRole(v model.Value, role string) model.Value {
	v = v.With("role", role, "role_type", nil, "ticket_restriction", nil)
	switch role {
	case "admin":
		return v.With("role_type", 4)
	case "end-user":
		return v.With("ticket_restriction", "requested")
	}
	return v
}

func staff(u *record) bool { return u.text("role") != "end-user" }

// find is the record with an id, or nil.
func find(rows []*record, id string) *record {
	for _, r := range rows {
		if r.id == id {
			return r
		}
	}
	return nil
}

// activeUser is a user who was not deleted.
func (m *Model) activeUser(id string) *record {
	if u := find(m.users, id); u != nil && u.is("active") {
		return u
	}
	return nil
}

func (m *Model) byEmail(email string) *record {
	for _, u := range m.users {
		if u.is("active") && email != "" && strings.EqualFold(u.text("email"), email) {
			return u
		}
	}
	return nil
}

func (m *Model) activeGroup(id string) *record {
	if g := find(m.groups, id); g != nil && !g.is("deleted") {
		return g
	}
	return nil
}

// ref is the id that a body names, as the model calls it; "" for null and absence.
func (m *Model) ref(kind string, v model.Value) string {
	if v.Kind != model.Number {
		return ""
	}
	return m.symbol(kind, v.Text)
}

// symbol is what the model calls an id. Ids of a kind are counted up, so one that no
// answer has shown yet follows from one that was shown; tickets are counted from the
// seed's highest. Where nothing was shown the model is unsure.
func (m *Model) symbol(kind, text string) string {
	found := m.names.Symbol(kind, text)
	n, err := strconv.ParseInt(text, 10, 64)
	if found != text || err != nil || n <= m.floor[kind] {
		return found
	}
	base, known, hidden := m.floor[kind], kind == kindTicket, false
	for i := 1; i <= m.count[kind]; i++ {
		shown, ok := m.names.ID(model.Symbol(kind, i))
		if hidden = hidden || !ok; ok && kind != kindLine {
			at, _ := strconv.ParseInt(shown, 10, 64)
			base, known = at-int64(i), true
		}
	}
	if at := n - base; known && at >= 1 && at <= int64(m.count[kind]) {
		return model.Symbol(kind, int(at))
	}
	m.unsure = m.unsure || hidden && !known
	return text
}

// has reports whether a body has a member that is not null.
func has(p model.Value, name string) bool {
	k := p.Get(name).Kind
	return k != model.Absent && k != model.Null
}

// checkKinds finds members of a wrong kind; null passes.
func checkKinds(p model.Value, kinds map[string]model.Kind, f *faults) {
	for name, kind := range kinds {
		got := p.Get(name).Kind
		if got == model.True {
			got = model.False
		}
		if has(p, name) && got != kind {
			f.add(name, invalid)
		}
	}
}

var userKinds = map[string]model.Kind{
	"name": model.String, "email": model.String, "role": model.String, "phone": model.String, "notes": model.String,
	"details": model.String, "external_id": model.String, "organization_id": model.Number, "suspended": model.False,
	"tags": model.Array, "verified": model.False, "alias": model.String,
}

// checkUserWords finds what is wrong with a user whatever the world holds.
func checkUserWords(p model.Value, f *faults) {
	checkKinds(p, userKinds, f)
	if role := p.Get("role"); has(p, "role") && !slices.Contains([]string{"end-user", "agent", "admin"}, role.Text) {
		f.add("role", invalid)
	}
}

// checkUser finds what is wrong with a user that is made (old is nil) or changed.
func (m *Model) checkUser(p model.Value, old *record) (f faults) {
	if old == nil && !has(p, "name") || p.Get("name").Kind != model.Absent && strings.TrimSpace(p.Get("name").Text) == "" {
		f.add("name", blank)
	}
	if email := p.Get("email").Text; email != "" {
		if !strings.Contains(email, "@") {
			f.add("email", invalid)
		} else if u := m.byEmail(email); u != nil && u != old {
			f.add("email", duplicate)
		}
	}
	if has(p, "organization_id") && find(m.orgs, m.ref(kindOrg, p.Get("organization_id"))) == nil {
		f.add("organization_id", invalid)
	}
	if taken(m.users, p, old) {
		f.add("external_id", duplicate)
	}
	if old != nil && old.id == m.principal && p.Get("suspended").Kind == model.True {
		f.add("role", invalid) // the owner of the account is not shut out
	}
	return f
}

// taken reports whether a living record other than old has the external id.
func taken(rows []*record, p model.Value, old *record) bool {
	external := p.Get("external_id").Text
	return external != "" && slices.ContainsFunc(rows, func(r *record) bool {
		return r != old && r.text("external_id") == external && r.get("active").Kind != model.False
	})
}

// plainUser are the members of a user that a write sets as they are.
var plainUser = []string{"name", "phone", "notes", "details", "external_id", "suspended", "verified", "alias", "email"}

func (m *Model) makeUser(p model.Value) (*record, *refusal) {
	if r := m.checkUser(p, nil).refusal(); r != nil {
		return nil, r
	}
	n, userID := m.mint(kindUser)
	role := "end-user"
	if has(p, "role") {
		role = p.Get("role").Text
	}
	u := &record{n, userID, m.user(userID, p.Get("name").Text, role)}
	m.users = append(m.users, u)
	m.setUser(u, p)
	if staff(u) {
		m.joinDefaultGroup(u)
	}
	return u, nil
}

// setUser writes the plain members and the organization.
func (m *Model) setUser(u *record, p model.Value) {
	for _, name := range plainUser {
		if v := p.Get(name); v.Kind != model.Absent && (name != "email" || v.Kind == model.Null || u.text(name) == "") {
			u.set(name, v)
		}
	}
	if v := p.Get("tags"); v.Kind == model.Array {
		u.set("tags", tagsOf(words(v)))
	}
	switch v := p.Get("organization_id"); v.Kind {
	case model.Null:
		m.leaveAllOrgs(u)
	case model.Number:
		m.joinOrg(u, m.ref(kindOrg, v), true)
	}
}

func (m *Model) updateUser(u *record, p model.Value) *refusal {
	if r := m.checkUser(p, u).refusal(); r != nil {
		return r
	}
	if email := p.Get("email").Text; email != "" && u.text("email") != "" && !strings.EqualFold(email, u.text("email")) {
		return &refusal{status: 403, name: "NotImplemented"} // a second address
	}
	before := u.v
	m.setUser(u, p)
	if role := p.Get("role").Text; role != "" && role != u.text("role") {
		was := staff(u)
		u.v = withRole(u.v, role)
		switch {
		case staff(u) && !was:
			m.joinDefaultGroup(u)
		case !staff(u) && was:
			m.leaveAllGroups(u)
		}
	}
	m.touch(u, before)
	return nil
}

// touch stamps a record that has changed.
func (m *Model) touch(r *record, before model.Value) {
	if r.v.String() != before.String() {
		r.set("updated_at", stamp(m.now))
	}
}

func (m *Model) deleteUser(u *record) {
	m.leaveAllGroups(u)
	m.leaveAllOrgs(u)
	u.set("active", false, "updated_at", stamp(m.now))
}

func (m *Model) group(groupID, name string) model.Value {
	return model.Obj("created_at", stamp(m.now), "default", false, "deleted", false, "description", "", "id", id(groupID),
		"is_public", true, "name", name, "updated_at", stamp(m.now), "url", link("groups", groupID))
}

func (m *Model) membership(memberID, userID, groupID string, byDefault bool) model.Value {
	return model.Obj("created_at", stamp(m.now), "default", byDefault, "group_id", id(groupID), "id", id(memberID),
		"updated_at", stamp(m.now), "url", link("group_memberships", memberID), "user_id", id(userID))
}

func (m *Model) org(orgID, name string) model.Value {
	return model.Obj("created_at", stamp(m.now), "details", nil, "domain_names", model.Seq(), "external_id", nil, "group_id", nil,
		"id", id(orgID), "name", name, "notes", nil, "organization_fields", model.Obj(), "shared_comments", false,
		"shared_tickets", false, "tags", model.Seq(), "updated_at", stamp(m.now), "url", link("organizations", orgID))
}

func (m *Model) orgMembership(memberID, userID, orgID string, byDefault bool) model.Value {
	name := ""
	if o := find(m.orgs, orgID); o != nil {
		name = o.text("name")
	}
	return model.Obj("created_at", stamp(m.now), "default", byDefault, "id", id(memberID), "organization_id", id(orgID),
		"organization_name", name, "updated_at", stamp(m.now), "url", link("organization_memberships", memberID),
		"user_id", id(userID), "view_tickets", false)
}

// member is a user's membership of a group or an organization, or nil.
func member(rows []*record, column, userID, ofID string) *record {
	for _, r := range rows {
		if r.text("user_id") == userID && r.text(column) == ofID {
			return r
		}
	}
	return nil
}

// makeDefault makes one membership a user's default, and the others not.
func (m *Model) makeDefault(rows []*record, chosen *record, column, shown string) {
	for _, r := range rows {
		if r.text("user_id") == chosen.text("user_id") && r.is("default") != (r == chosen) {
			r.set("default", r == chosen, "updated_at", stamp(m.now))
		}
	}
	m.showDefault(chosen.text("user_id"), shown, chosen.get(column))
}

// showDefault shows a user's default group or organization.
func (m *Model) showDefault(userID, shown string, v model.Value) {
	u := find(m.users, userID)
	before := u.v
	u.set(shown, v)
	m.touch(u, before)
}

// dropped is rows without some; of a user whose default is gone the oldest
// membership becomes it.
func (m *Model) dropped(rows []*record, column, shown string, gone func(*record) bool) []*record {
	var left, lost []*record
	for _, r := range rows {
		if gone(r) {
			lost = append(lost, r)
		} else {
			left = append(left, r)
		}
	}
	for _, r := range lost {
		if !r.is("default") {
			continue
		}
		userID := r.text("user_id")
		if next := slices.IndexFunc(left, func(l *record) bool { return l.text("user_id") == userID }); next >= 0 {
			m.makeDefault(left, left[next], column, shown)
		} else {
			m.showDefault(userID, shown, model.Nil)
		}
	}
	return left
}

func (m *Model) dropInGroup(gone func(*record) bool) {
	m.inGroup = m.dropped(m.inGroup, "group_id", "default_group_id", gone)
}

func (m *Model) dropInOrg(gone func(*record) bool) {
	m.inOrg = m.dropped(m.inOrg, "organization_id", "organization_id", gone)
}

func (m *Model) leaveAllGroups(u *record) {
	m.dropInGroup(func(r *record) bool { return r.text("user_id") == u.id })
}

func (m *Model) leaveAllOrgs(u *record) {
	m.dropInOrg(func(r *record) bool { return r.text("user_id") == u.id })
}

// joinDefaultGroup puts new staff into the default group.
func (m *Model) joinDefaultGroup(u *record) {
	for _, g := range m.groups {
		if g.is("default") && !g.is("deleted") {
			m.joinGroup(u, g.id, false)
		}
	}
}

func (m *Model) joinGroup(u *record, groupID string, byDefault bool) *record {
	n, memberID := m.mint(kindInGroup)
	r := &record{n, memberID, m.membership(memberID, u.id, groupID, false)}
	first := !slices.ContainsFunc(m.inGroup, func(r *record) bool { return r.text("user_id") == u.id })
	if m.inGroup = append(m.inGroup, r); first || byDefault {
		m.makeDefault(m.inGroup, r, "group_id", "default_group_id")
	}
	return r
}

func (m *Model) joinOrg(u *record, orgID string, byDefault bool) *record {
	r := member(m.inOrg, "organization_id", u.id, orgID)
	first := !slices.ContainsFunc(m.inOrg, func(r *record) bool { return r.text("user_id") == u.id })
	if r == nil {
		n, memberID := m.mint(kindInOrg)
		r = &record{n, memberID, m.orgMembership(memberID, u.id, orgID, false)}
		m.inOrg = append(m.inOrg, r)
	}
	if first || byDefault {
		m.makeDefault(m.inOrg, r, "organization_id", "organization_id")
	}
	return r
}

// tagsOf cleans tags: small letters, no blanks and commas, sorted, each once.
func tagsOf(list []string) model.Value {
	var clean []string
	for _, t := range list {
		clean = append(clean, strings.FieldsFunc(strings.ToLower(t), func(r rune) bool { return r == ' ' || r == ',' })...)
	}
	slices.Sort(clean)
	v := model.Seq()
	for _, t := range slices.Compact(clean) {
		v.List = append(v.List, model.Str(t))
	}
	return v
}

// words are the texts of an array.
func words(v model.Value) []string {
	list := make([]string, len(v.List))
	for i, e := range v.List {
		list[i] = e.Text
	}
	return list
}
