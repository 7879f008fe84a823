package zendesk

import (
	"bytes"
	"strings"

	"worlds/journal/canon"
	"worlds/projection"
	"worlds/seed"
	"worlds/twin"
)

// Organization is a company that users belong to.
type Organization struct {
	CreatedAt          Stamp     `json:"created_at"`
	Details            *string   `json:"details"`
	DomainNames        []string  `json:"domain_names"`
	ExternalID         *string   `json:"external_id"`
	GroupID            *int64    `json:"group_id"`
	ID                 int64     `json:"id"`
	Name               string    `json:"name"`
	Notes              *string   `json:"notes"`
	OrganizationFields canon.Raw `json:"organization_fields"`
	SharedComments     bool      `json:"shared_comments"`
	SharedTickets      bool      `json:"shared_tickets"`
	Tags               []string  `json:"tags"`
	UpdatedAt          Stamp     `json:"updated_at"`
	URL                string    `json:"url"`
}

var organizations = twin.Resource[Organization]{
	Kind: twin.Kind{Table: "zendesk.organization", Object: "organization"},
	Key:  func(o *Organization) string { return key(o.ID) },
	Terms: func(o *Organization) []string {
		terms := []string{"live=true", "name=" + lower(o.Name)}
		if o.ExternalID != nil {
			terms = append(terms, "external="+*o.ExternalID)
		}
		return terms
	},
}

func organizationAPI() twin.API {
	return twin.API{
		Kind: organizations.Kind,
		Routes: []twin.Route{
			twin.On("GET /api/v2/organizations", listOrganizations),
			twin.On("POST /api/v2/organizations", createOrganization),
			twin.On("GET /api/v2/organizations/autocomplete", autocompleteOrganizations),
			twin.On("GET /api/v2/organizations/count", countOrganizations),
			twin.On("POST /api/v2/organizations/create_or_update", createOrUpdateOrganization),
			twin.On("GET /api/v2/organizations/search", searchOrganizations),
			twin.On("GET /api/v2/organizations/show_many", showManyOrganizations),
			twin.On("GET /api/v2/organizations/{id}", showOrganization),
			twin.On("PUT /api/v2/organizations/{id}", updateOrganization),
			twin.On("DELETE /api/v2/organizations/{id}", deleteOrganization),
			twin.On("GET /api/v2/users/{id}/organizations", listUserOrganizations),
		},
		Seed: seedOrganizations,
	}
}

type organizationParams struct {
	Details            twin.Opt[string]    `param:"details" rule:"empty,len=65536"`
	DomainNames        twin.Opt[[]string]  `param:"domain_names"`
	ExternalID         twin.Opt[string]    `param:"external_id" rule:"empty,len=255"`
	GroupID            twin.Opt[int64]     `param:"group_id" rule:"empty"`
	ID                 twin.Opt[int64]     `param:"id"`
	Name               twin.Opt[string]    `param:"name" rule:"len=255"`
	Notes              twin.Opt[string]    `param:"notes" rule:"empty,len=65536"`
	OrganizationFields twin.Opt[canon.Raw] `param:"organization_fields"`
	SharedComments     twin.Opt[bool]      `param:"shared_comments"`
	SharedTickets      twin.Opt[bool]      `param:"shared_tickets"`
	Tags               twin.Opt[[]string]  `param:"tags"`
}

type createOrganizationParams struct {
	Organization twin.Opt[organizationParams] `param:"organization" rule:"required"`
}

func createOrganization(tx *twin.Tx, p *createOrganizationParams) (twin.Doc, *twin.Error) {
	o, err := makeOrganization(tx, &p.Organization.V)
	if err != nil {
		return twin.Doc{}, err
	}
	doc, _ := organizations.Doc(tx, key(o.ID))
	return made("organization", doc), nil
}

func makeOrganization(tx *twin.Tx, p *organizationParams) (*Organization, *twin.Error) {
	if err := adminOnly(tx); err != nil {
		return nil, err
	}
	at := stampOf(tx.Now())
	id := tx.Next(organizationCounter)
	o := Organization{CreatedAt: at, ID: id, OrganizationFields: canon.Raw("{}"), UpdatedAt: at, URL: linkTo("organizations", id)}
	if err := p.apply(tx, &o); err != nil {
		return nil, err
	}
	tx.Emit("organization.created", organizations.Put(tx, &o), nil)
	return &o, nil
}

// apply changes the named fields, and only those.
func (p *organizationParams) apply(tx *twin.Tx, o *Organization) (err *twin.Error) {
	o.Name = strings.TrimSpace(p.Name.Or(o.Name))
	if o.Name == "" {
		return errField("name", blankValue, "cannot be blank")
	}
	for other := range organizations.With(tx, "name="+lower(o.Name)) {
		if other.ID != o.ID {
			return errField("name", duplicateValue, "%s has already been taken", o.Name)
		}
	}
	if g := p.GroupID; g.Given() && !groupExists(tx, g.V) {
		return errNoSuch("group_id", g.V)
	}
	if p.ExternalID.Given() && p.ExternalID.V != "" {
		for other := range organizations.With(tx, "external="+p.ExternalID.V) {
			if other.ID != o.ID {
				return errTaken()
			}
		}
	}
	p.Details.Apply(&o.Details)
	p.ExternalID.Apply(&o.ExternalID)
	p.GroupID.Apply(&o.GroupID)
	p.Notes.Apply(&o.Notes)
	o.SharedComments = p.SharedComments.Or(o.SharedComments)
	o.SharedTickets = p.SharedTickets.Or(o.SharedTickets)
	if p.DomainNames.Given() {
		o.DomainNames = p.DomainNames.V
	}
	if p.Tags.Given() {
		o.Tags = tagsOf(p.Tags.V)
	}
	o.OrganizationFields, err = applyFields("organization_fields", o.OrganizationFields, p.OrganizationFields)
	return err
}

// createOrUpdateOrganization finds the organization by id or external id.
func createOrUpdateOrganization(tx *twin.Tx, p *createOrganizationParams) (twin.Doc, *twin.Error) {
	v := &p.Organization.V
	if v.ID.Given() {
		return changeOrganization(tx, key(v.ID.V), v)
	}
	if v.ExternalID.Given() {
		for o := range organizations.With(tx, "external="+v.ExternalID.V) {
			return changeOrganization(tx, key(o.ID), v)
		}
	}
	return createOrganization(tx, p)
}

func showOrganization(tx *twin.Tx, p *recordPath) (twin.Doc, *twin.Error) {
	doc, ok := organizations.Doc(tx, p.ID)
	if !ok {
		return twin.Doc{}, errNotFound()
	}
	return wrapped("organization", doc), nil
}

type updateOrganizationParams struct {
	recordPath
	Organization twin.Opt[organizationParams] `param:"organization" rule:"required"`
}

func updateOrganization(tx *twin.Tx, p *updateOrganizationParams) (twin.Doc, *twin.Error) {
	return changeOrganization(tx, p.ID, &p.Organization.V)
}

func changeOrganization(tx *twin.Tx, id string, p *organizationParams) (twin.Doc, *twin.Error) {
	if err := adminOnly(tx); err != nil {
		return twin.Doc{}, err
	}
	o, ok := organizations.Get(tx, id)
	if !ok {
		return twin.Doc{}, errNotFound()
	}
	now := *o
	if err := p.apply(tx, &now); err != nil {
		return twin.Doc{}, err
	}
	if was, _ := organizations.Doc(tx, id); bytes.Equal(was.Body, canon.Marshal(&now)) {
		return wrapped("organization", was), nil
	}
	now.UpdatedAt = stampOf(tx.Now())
	doc, previous, _ := organizations.Replace(tx, &now)
	if now.Name != o.Name {
		renameMemberships(tx, &now)
	}
	tx.Emit("organization.updated", doc, previous)
	return wrapped("organization", doc), nil
}

// deleteOrganization takes its users out of it; tickets keep what they say.
func deleteOrganization(tx *twin.Tx, p *recordPath) (twin.Doc, *twin.Error) {
	if err := adminOnly(tx); err != nil {
		return twin.Doc{}, err
	}
	doc, ok := organizations.Doc(tx, p.ID)
	if !ok {
		return twin.Doc{}, errNotFound()
	}
	for _, m := range collect(organizationMemberships.With(tx, "organization="+p.ID)) {
		leaveOrganization(tx, m)
	}
	tx.Emit("organization.deleted", doc, nil)
	organizations.Delete(tx, p.ID)
	return noContent(), nil
}

func organizationExists(tx *twin.Tx, id int64) bool {
	return tx.State().Get(organizations.Table, key(id)) != nil
}

func listOrganizations(tx *twin.Tx, p *paging) (twin.Doc, *twin.Error) {
	return organizationListing(rowsWith(tx.State(), organizations.Table, "live=true", nil)).answer(tx, p)
}

func organizationListing(items []item) *listing {
	return &listing{name: "organizations", items: items, sorts: []string{"name", "updated_at", "created_at"}}
}

func countOrganizations(tx *twin.Tx, _ *noParams) (twin.Doc, *twin.Error) {
	return countDoc(tx, len(rowsWith(tx.State(), organizations.Table, "live=true", nil))), nil
}

func showManyOrganizations(tx *twin.Tx, p *showManyParams) (twin.Doc, *twin.Error) {
	items, err := p.many(tx, organizations.Table)
	if err != nil {
		return twin.Doc{}, err
	}
	return organizationListing(items).answer(tx, &p.paging)
}

func autocompleteOrganizations(tx *twin.Tx, p *autocompleteParams) (twin.Doc, *twin.Error) {
	begin := lower(p.Name.V)
	items := rowsWith(tx.State(), organizations.Table, "live=true", func(row *projection.Row) bool {
		return begin != "" && wordBegins(organizations.Decode(row).Name, begin)
	})
	return organizationListing(items).answer(tx, &p.paging)
}

type searchOrganizationsParams struct {
	paging
	Name       twin.Opt[string] `param:"name"`
	ExternalID twin.Opt[string] `param:"external_id"`
}

func searchOrganizations(tx *twin.Tx, p *searchOrganizationsParams) (twin.Doc, *twin.Error) {
	term := "external=" + p.ExternalID.V
	if p.Name.Given() {
		term = "name=" + lower(p.Name.V)
	} else if !p.ExternalID.Given() {
		return twin.Doc{}, errAttribute("external_id", "is missing")
	}
	return organizationListing(rowsWith(tx.State(), organizations.Table, term, nil)).answer(tx, &p.paging)
}

func listUserOrganizations(tx *twin.Tx, p *usersOfParams) (twin.Doc, *twin.Error) {
	if _, ok := users.Get(tx, p.ID); !ok {
		return twin.Doc{}, errNotFound()
	}
	in := map[string]bool{}
	for m := range organizationMemberships.With(tx, "user="+p.ID) {
		in[key(m.OrganizationID)] = true
	}
	items := rowsWith(tx.State(), organizations.Table, "live=true", func(row *projection.Row) bool { return in[row.ID] })
	return organizationListing(items).answer(tx, &p.paging)
}

func seedOrganizations(tx *twin.Tx, doc *seed.Document) error {
	if doc.Zendesk == nil {
		return nil
	}
	for _, s := range doc.Zendesk.Organizations {
		organizations.Put(tx, &Organization{CreatedAt: stampOf(twin.Time(s.CreatedAt)), Details: textOrNull(s.Details),
			DomainNames: s.DomainNames, ExternalID: textOrNull(s.ExternalID), GroupID: idOrNull(s.GroupID), ID: s.ID, Name: s.Name,
			Notes: textOrNull(s.Notes), OrganizationFields: s.Fields, SharedComments: s.SharedComments, SharedTickets: s.SharedTickets,
			Tags: s.Tags, UpdatedAt: stampOf(twin.Time(s.UpdatedAt)), URL: linkTo("organizations", s.ID)})
		tx.Floor(organizationCounter, s.ID)
	}
	return nil
}
