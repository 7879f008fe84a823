package zendesk

import (
	"worlds/journal/canon"
	"worlds/seed"
	"worlds/twin"
)

// OrganizationMembership puts a user into an organization.
type OrganizationMembership struct {
	CreatedAt        Stamp  `json:"created_at"`
	Default          bool   `json:"default"`
	ID               int64  `json:"id"`
	OrganizationID   int64  `json:"organization_id"`
	OrganizationName string `json:"organization_name"`
	UpdatedAt        Stamp  `json:"updated_at"`
	URL              string `json:"url"`
	UserID           int64  `json:"user_id"`
	ViewTickets      bool   `json:"view_tickets"`
}

var organizationMemberships = twin.Resource[OrganizationMembership]{
	Kind: twin.Kind{Table: "zendesk.organization_membership", Object: "organization_membership"},
	Key:  func(m *OrganizationMembership) string { return key(m.ID) },
	Terms: func(m *OrganizationMembership) []string {
		return []string{"user=" + key(m.UserID), "organization=" + key(m.OrganizationID)}
	},
}

func organizationMembershipAPI() twin.API {
	return twin.API{
		Kind: organizationMemberships.Kind,
		Routes: []twin.Route{
			twin.On("GET /api/v2/organization_memberships", listOrganizationMemberships),
			twin.On("POST /api/v2/organization_memberships", createOrganizationMembership),
			twin.On("GET /api/v2/organization_memberships/{id}", showOrganizationMembership),
			twin.On("DELETE /api/v2/organization_memberships/{id}", deleteOrganizationMembership),
			twin.On("GET /api/v2/organizations/{id}/organization_memberships", listMembershipsOfOrganization),
			twin.On("GET /api/v2/users/{id}/organization_memberships", listOrganizationMembershipsOfUser),
			twin.On("PUT /api/v2/users/{id}/organization_memberships/{membership}/make_default", makeDefaultOrganization),
		},
		Seed: seedOrganizationMemberships,
	}
}

type organizationMembershipParams struct {
	Default        twin.Opt[bool]  `param:"default"`
	OrganizationID twin.Opt[int64] `param:"organization_id" rule:"required"`
	UserID         twin.Opt[int64] `param:"user_id" rule:"required"`
	ViewTickets    twin.Opt[bool]  `param:"view_tickets"`
}

type createOrganizationMembershipParams struct {
	Membership twin.Opt[organizationMembershipParams] `param:"organization_membership" rule:"required"`
}

func createOrganizationMembership(tx *twin.Tx, p *createOrganizationMembershipParams) (twin.Doc, *twin.Error) {
	id, err := makeOrganizationMembership(tx, &p.Membership.V)
	if err != nil {
		return twin.Doc{}, err
	}
	doc, _ := organizationMemberships.Doc(tx, key(id))
	return made("organization_membership", doc), nil
}

func makeOrganizationMembership(tx *twin.Tx, v *organizationMembershipParams) (int64, *twin.Error) {
	u, ok := activeUser(tx, v.UserID.V)
	if !ok {
		return 0, errNoSuch("user_id", v.UserID.V)
	}
	if !organizationExists(tx, v.OrganizationID.V) {
		return 0, errNoSuch("organization_id", v.OrganizationID.V)
	}
	isDefault := v.Default.V || u.OrganizationID == nil
	for m := range organizationMemberships.With(tx, "user="+key(u.ID)) {
		if m.OrganizationID == v.OrganizationID.V {
			return 0, errField("user_id", duplicateValue, "%d is already in the organization", u.ID)
		}
	}
	id := putMembership(tx, u.ID, v.OrganizationID.V, v.ViewTickets.V)
	if isDefault {
		makeHome(tx, u.ID, v.OrganizationID.V)
	}
	return id, nil
}

// putMembership stores a membership that is no default.
func putMembership(tx *twin.Tx, user, organization int64, view bool) int64 {
	at := stampOf(tx.Now())
	o, _ := organizations.Get(tx, key(organization))
	id := tx.Next(organizationMembershipCounter)
	organizationMemberships.Put(tx, &OrganizationMembership{CreatedAt: at, ID: id, OrganizationID: organization, OrganizationName: o.Name,
		UpdatedAt: at, URL: linkTo("organization_memberships", id), UserID: user, ViewTickets: view})
	return id
}

// renameMemberships writes an organization's new name into its memberships.
func renameMemberships(tx *twin.Tx, o *Organization) {
	for _, m := range collect(organizationMemberships.With(tx, "organization="+key(o.ID))) {
		now := *m
		now.OrganizationName = o.Name
		organizationMemberships.Put(tx, &now)
	}
}

// joinOrganization makes a user a member of an organization, and that the user's
// home.
func joinOrganization(tx *twin.Tx, user, organization int64) {
	in := false
	for m := range organizationMemberships.With(tx, "user="+key(user)) {
		in = in || m.OrganizationID == organization
	}
	if !in {
		putMembership(tx, user, organization, false)
	}
	makeHome(tx, user, organization)
}

// makeHome makes one membership of a user the default one, in both records.
func makeHome(tx *twin.Tx, user, organization int64) {
	for _, m := range collect(organizationMemberships.With(tx, "user="+key(user))) {
		if is := m.OrganizationID == organization; is != m.Default {
			now := *m
			now.Default, now.UpdatedAt = is, stampOf(tx.Now())
			organizationMemberships.Put(tx, &now)
		}
	}
	setHome(tx, user, &organization)
}

func setHome(tx *twin.Tx, user int64, organization *int64) {
	u, ok := users.Get(tx, key(user))
	if !ok || orZero(u.OrganizationID) == orZero(organization) {
		return
	}
	now := *u
	now.OrganizationID = organization
	replaceUser(tx, &now)
}

func leaveOrganization(tx *twin.Tx, m *OrganizationMembership) {
	organizationMemberships.Delete(tx, key(m.ID))
	if !m.Default {
		return
	}
	for next := range organizationMemberships.With(tx, "user="+key(m.UserID)) {
		makeHome(tx, m.UserID, next.OrganizationID)
		return
	}
	setHome(tx, m.UserID, nil)
}

func leaveOrganizations(tx *twin.Tx, user int64) {
	for _, m := range collect(organizationMemberships.With(tx, "user="+key(user))) {
		organizationMemberships.Delete(tx, key(m.ID))
	}
	setHome(tx, user, nil)
}

func showOrganizationMembership(tx *twin.Tx, p *recordPath) (twin.Doc, *twin.Error) {
	doc, ok := organizationMemberships.Doc(tx, p.ID)
	if !ok {
		return twin.Doc{}, errNotFound()
	}
	return wrapped("organization_membership", doc), nil
}

func deleteOrganizationMembership(tx *twin.Tx, p *recordPath) (twin.Doc, *twin.Error) {
	m, ok := organizationMemberships.Get(tx, p.ID)
	if !ok {
		return twin.Doc{}, errNotFound()
	}
	leaveOrganization(tx, m)
	return noContent(), nil
}

// makeDefaultOrganization answers all memberships of the user.
func makeDefaultOrganization(tx *twin.Tx, p *membershipOfUserPath) (twin.Doc, *twin.Error) {
	m, ok := organizationMemberships.Get(tx, p.Membership)
	if !ok || key(m.UserID) != p.ID {
		return twin.Doc{}, errNotFound()
	}
	makeHome(tx, m.UserID, m.OrganizationID)
	var rows []canon.Raw
	for _, it := range rowsWith(tx.State(), organizationMemberships.Table, "user="+p.ID, nil) {
		rows = append(rows, it.body)
	}
	return twin.Doc{Body: object(part{"organization_memberships", array(rows)})}, nil
}

func organizationMembershipListing(tx *twin.Tx, term string) *listing {
	return &listing{name: "organization_memberships", items: rowsWith(tx.State(), organizationMemberships.Table, term, nil)}
}

func listOrganizationMemberships(tx *twin.Tx, p *paging) (twin.Doc, *twin.Error) {
	return organizationMembershipListing(tx, "").answer(tx, p)
}

func listMembershipsOfOrganization(tx *twin.Tx, p *usersOfParams) (twin.Doc, *twin.Error) {
	if _, ok := organizations.Get(tx, p.ID); !ok {
		return twin.Doc{}, errNotFound()
	}
	return organizationMembershipListing(tx, "organization="+p.ID).answer(tx, &p.paging)
}

func listOrganizationMembershipsOfUser(tx *twin.Tx, p *usersOfParams) (twin.Doc, *twin.Error) {
	if _, ok := users.Get(tx, p.ID); !ok {
		return twin.Doc{}, errNotFound()
	}
	return organizationMembershipListing(tx, "user="+p.ID).answer(tx, &p.paging)
}

// seedOrganizationMemberships fills the memberships; where a seed names none,
// those that its users' organizations imply.
func seedOrganizationMemberships(tx *twin.Tx, doc *seed.Document) error {
	if doc.Zendesk == nil {
		return nil
	}
	if len(doc.Zendesk.OrganizationMemberships) == 0 {
		for _, s := range doc.Zendesk.Users {
			if s.OrganizationID != 0 {
				joinOrganization(tx, s.ID, s.OrganizationID)
			}
		}
	}
	for _, s := range doc.Zendesk.OrganizationMemberships {
		o, _ := organizations.Get(tx, key(s.OrganizationID))
		organizationMemberships.Put(tx, &OrganizationMembership{CreatedAt: stampOf(twin.Time(s.CreatedAt)), Default: s.Default, ID: s.ID,
			OrganizationID: s.OrganizationID, OrganizationName: o.Name, UpdatedAt: stampOf(twin.Time(s.UpdatedAt)),
			URL: linkTo("organization_memberships", s.ID), UserID: s.UserID, ViewTickets: s.ViewTickets})
		tx.Floor(organizationMembershipCounter, s.ID)
	}
	return nil
}
