package zendesk

import (
	"iter"

	"worlds/journal/canon"
	"worlds/seed"
	"worlds/twin"
)

// GroupMembership puts an agent into a group.
type GroupMembership struct {
	CreatedAt Stamp  `json:"created_at"`
	Default   bool   `json:"default"`
	GroupID   int64  `json:"group_id"`
	ID        int64  `json:"id"`
	UpdatedAt Stamp  `json:"updated_at"`
	URL       string `json:"url"`
	UserID    int64  `json:"user_id"`
}

var groupMemberships = twin.Resource[GroupMembership]{
	Kind: twin.Kind{Table: "zendesk.group_membership", Object: "group_membership"},
	Key:  func(m *GroupMembership) string { return key(m.ID) },
	Terms: func(m *GroupMembership) []string {
		return []string{"user=" + key(m.UserID), "group=" + key(m.GroupID)}
	},
}

func groupMembershipAPI() twin.API {
	return twin.API{
		Kind: groupMemberships.Kind,
		Routes: []twin.Route{
			twin.On("GET /api/v2/group_memberships", listGroupMemberships),
			twin.On("POST /api/v2/group_memberships", createGroupMembership),
			twin.On("GET /api/v2/group_memberships/{id}", showGroupMembership),
			twin.On("DELETE /api/v2/group_memberships/{id}", deleteGroupMembership),
			twin.On("GET /api/v2/groups/{id}/memberships", listMembershipsOfGroup),
			twin.On("GET /api/v2/users/{id}/group_memberships", listGroupMembershipsOfUser),
			twin.On("POST /api/v2/users/{id}/group_memberships", createGroupMembershipOfUser),
			twin.On("GET /api/v2/users/{id}/group_memberships/{membership}", showGroupMembershipOfUser),
			twin.On("DELETE /api/v2/users/{id}/group_memberships/{membership}", deleteGroupMembershipOfUser),
			twin.On("PUT /api/v2/users/{id}/group_memberships/{membership}/make_default", makeDefaultGroup),
		},
		Seed: seedGroupMemberships,
	}
}

// collect takes everything out of a sequence, so that its table may be changed.
func collect[T any](seq iter.Seq[T]) []T {
	var out []T
	for v := range seq {
		out = append(out, v)
	}
	return out
}

type groupMembershipParams struct {
	Default twin.Opt[bool]  `param:"default"`
	GroupID twin.Opt[int64] `param:"group_id" rule:"required"`
	UserID  twin.Opt[int64] `param:"user_id" rule:"required"`
}

type createGroupMembershipParams struct {
	Membership twin.Opt[groupMembershipParams] `param:"group_membership" rule:"required"`
}

func createGroupMembership(tx *twin.Tx, p *createGroupMembershipParams) (twin.Doc, *twin.Error) {
	id, err := makeGroupMembership(tx, &p.Membership.V)
	if err != nil {
		return twin.Doc{}, err
	}
	doc, _ := groupMemberships.Doc(tx, key(id))
	return made("group_membership", doc), nil
}

func makeGroupMembership(tx *twin.Tx, v *groupMembershipParams) (int64, *twin.Error) {
	if err := adminOnly(tx); err != nil {
		return 0, err
	}
	u, ok := activeUser(tx, v.UserID.V)
	switch {
	case !ok || !u.staff():
		return 0, errNoSuch("user_id", v.UserID.V)
	case !groupExists(tx, v.GroupID.V):
		return 0, errNoSuch("group_id", v.GroupID.V)
	case inGroup(tx, u.ID, v.GroupID.V):
		return 0, errField("user_id", duplicateValue, "%d is already in the group", u.ID)
	}
	return joinGroup(tx, u.ID, v.GroupID.V, v.Default.V || !inAnyGroup(tx, u.ID)), nil
}

type createGroupMembershipOfUserParams struct {
	recordPath
	Membership twin.Opt[ownGroupMembershipParams] `param:"group_membership" rule:"required"`
}

type ownGroupMembershipParams struct {
	Default twin.Opt[bool]  `param:"default"`
	GroupID twin.Opt[int64] `param:"group_id" rule:"required"`
}

// createGroupMembershipOfUser takes the user from the path.
func createGroupMembershipOfUser(tx *twin.Tx, p *createGroupMembershipOfUserParams) (twin.Doc, *twin.Error) {
	id, _ := pathID(p.ID)
	v := groupMembershipParams{Default: p.Membership.V.Default, GroupID: p.Membership.V.GroupID, UserID: twin.Set(id)}
	return createGroupMembership(tx, &createGroupMembershipParams{Membership: twin.Set(v)})
}

// inGroup reports whether an agent is in a group.
func inGroup(tx *twin.Tx, user, group int64) bool {
	for m := range groupMemberships.With(tx, "user="+key(user)) {
		if m.GroupID == group {
			return true
		}
	}
	return false
}

func inAnyGroup(tx *twin.Tx, user int64) bool {
	for range groupMemberships.With(tx, "user="+key(user)) {
		return true
	}
	return false
}

// joinGroup makes an agent a member of a group, or finds that it is one; the
// default group of the agent is set in both records.
func joinGroup(tx *twin.Tx, user, group int64, isDefault bool) int64 {
	at := stampOf(tx.Now())
	found := int64(0)
	for _, m := range collect(groupMemberships.With(tx, "user="+key(user))) {
		switch {
		case m.GroupID == group:
			found = m.ID
			if isDefault && !m.Default {
				now := *m
				now.Default, now.UpdatedAt = true, at
				groupMemberships.Put(tx, &now)
			}
		case isDefault && m.Default:
			now := *m
			now.Default, now.UpdatedAt = false, at
			groupMemberships.Put(tx, &now)
		}
	}
	if found == 0 {
		found = tx.Next(groupMembershipCounter)
		groupMemberships.Put(tx, &GroupMembership{CreatedAt: at, Default: isDefault, GroupID: group, ID: found,
			UpdatedAt: at, URL: linkTo("group_memberships", found), UserID: user})
	}
	if isDefault {
		setDefaultGroup(tx, user, &group)
	}
	return found
}

func setDefaultGroup(tx *twin.Tx, user int64, group *int64) {
	u, ok := users.Get(tx, key(user))
	if !ok || orZero(u.DefaultGroupID) == orZero(group) {
		return
	}
	now := *u
	now.DefaultGroupID = group
	replaceUser(tx, &now)
}

// leaveGroup takes an agent out of a group; the next one becomes the default.
// Tickets keep what they say.
func leaveGroup(tx *twin.Tx, m *GroupMembership) {
	groupMemberships.Delete(tx, key(m.ID))
	if !m.Default {
		return
	}
	for next := range groupMemberships.With(tx, "user="+key(m.UserID)) {
		joinGroup(tx, m.UserID, next.GroupID, true)
		return
	}
	setDefaultGroup(tx, m.UserID, nil)
}

func leaveGroups(tx *twin.Tx, user int64) {
	for _, m := range collect(groupMemberships.With(tx, "user="+key(user))) {
		groupMemberships.Delete(tx, key(m.ID))
	}
	setDefaultGroup(tx, user, nil)
}

func showGroupMembership(tx *twin.Tx, p *recordPath) (twin.Doc, *twin.Error) {
	doc, ok := groupMemberships.Doc(tx, p.ID)
	if !ok {
		return twin.Doc{}, errNotFound()
	}
	return wrapped("group_membership", doc), nil
}

func deleteGroupMembership(tx *twin.Tx, p *recordPath) (twin.Doc, *twin.Error) {
	if err := adminOnly(tx); err != nil {
		return twin.Doc{}, err
	}
	m, ok := groupMemberships.Get(tx, p.ID)
	if !ok {
		return twin.Doc{}, errNotFound()
	}
	leaveGroup(tx, m)
	return noContent(), nil
}

type membershipOfUserPath struct {
	recordPath
	Membership string `path:"membership"`
}

// find is the membership, if it is the user's.
func (p *membershipOfUserPath) find(tx *twin.Tx) (*GroupMembership, *twin.Error) {
	m, ok := groupMemberships.Get(tx, p.Membership)
	if !ok || key(m.UserID) != p.ID {
		return nil, errNotFound()
	}
	return m, nil
}

func showGroupMembershipOfUser(tx *twin.Tx, p *membershipOfUserPath) (twin.Doc, *twin.Error) {
	if _, err := p.find(tx); err != nil {
		return twin.Doc{}, err
	}
	return showGroupMembership(tx, &recordPath{p.Membership})
}

func deleteGroupMembershipOfUser(tx *twin.Tx, p *membershipOfUserPath) (twin.Doc, *twin.Error) {
	if _, err := p.find(tx); err != nil {
		return twin.Doc{}, err
	}
	return deleteGroupMembership(tx, &recordPath{p.Membership})
}

// makeDefaultGroup answers all memberships of the user.
func makeDefaultGroup(tx *twin.Tx, p *membershipOfUserPath) (twin.Doc, *twin.Error) {
	if err := adminOnly(tx); err != nil {
		return twin.Doc{}, err
	}
	m, err := p.find(tx)
	if err != nil {
		return twin.Doc{}, err
	}
	joinGroup(tx, m.UserID, m.GroupID, true)
	var rows []canon.Raw
	for _, it := range rowsWith(tx.State(), groupMemberships.Table, "user="+p.ID, nil) {
		rows = append(rows, it.body)
	}
	return twin.Doc{Body: object(part{"group_memberships", array(rows)})}, nil
}

func listGroupMemberships(tx *twin.Tx, p *paging) (twin.Doc, *twin.Error) {
	return groupMembershipListing(tx, "").answer(tx, p)
}

func groupMembershipListing(tx *twin.Tx, term string) *listing {
	return &listing{name: "group_memberships", items: rowsWith(tx.State(), groupMemberships.Table, term, nil)}
}

func listMembershipsOfGroup(tx *twin.Tx, p *usersOfParams) (twin.Doc, *twin.Error) {
	if _, ok := groups.Get(tx, p.ID); !ok {
		return twin.Doc{}, errNotFound()
	}
	return groupMembershipListing(tx, "group="+p.ID).answer(tx, &p.paging)
}

func listGroupMembershipsOfUser(tx *twin.Tx, p *usersOfParams) (twin.Doc, *twin.Error) {
	if _, ok := users.Get(tx, p.ID); !ok {
		return twin.Doc{}, errNotFound()
	}
	return groupMembershipListing(tx, "user="+p.ID).answer(tx, &p.paging)
}

func seedGroupMemberships(tx *twin.Tx, doc *seed.Document) error {
	if doc.Zendesk == nil {
		return nil
	}
	for _, s := range doc.Zendesk.GroupMemberships {
		groupMemberships.Put(tx, &GroupMembership{CreatedAt: stampOf(twin.Time(s.CreatedAt)), Default: s.Default, GroupID: s.GroupID,
			ID: s.ID, UpdatedAt: stampOf(twin.Time(s.UpdatedAt)), URL: linkTo("group_memberships", s.ID), UserID: s.UserID})
		tx.Floor(groupMembershipCounter, s.ID)
	}
	return nil
}
