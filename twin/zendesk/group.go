package zendesk

import (
	"worlds/projection"
	"worlds/seed"
	"worlds/twin"
)

// Group is a group of agents.
type Group struct {
	CreatedAt   Stamp  `json:"created_at"`
	Default     bool   `json:"default"`
	Deleted     bool   `json:"deleted"`
	Description string `json:"description"`
	ID          int64  `json:"id"`
	IsPublic    bool   `json:"is_public"`
	Name        string `json:"name"`
	UpdatedAt   Stamp  `json:"updated_at"`
	URL         string `json:"url"`
}

var groups = twin.Resource[Group]{
	Kind: twin.Kind{Table: "zendesk.group", Object: "group"},
	Key:  func(g *Group) string { return key(g.ID) },
	Terms: func(g *Group) []string {
		if g.Deleted {
			return nil
		}
		return []string{"live=true"}
	},
}

func groupAPI() twin.API {
	return twin.API{
		Kind: groups.Kind,
		Routes: []twin.Route{
			twin.On("GET /api/v2/groups", listGroups),
			twin.On("POST /api/v2/groups", createGroup),
			twin.On("GET /api/v2/groups/assignable", listGroups),
			twin.On("GET /api/v2/groups/count", countGroups),
			twin.On("GET /api/v2/groups/{id}", showGroup),
			twin.On("PUT /api/v2/groups/{id}", updateGroup),
			twin.On("DELETE /api/v2/groups/{id}", deleteGroup),
			twin.On("GET /api/v2/users/{id}/groups", listUserGroups),
		},
		Seed: seedGroups,
	}
}

type groupParams struct {
	Description twin.Opt[string] `param:"description" rule:"empty,len=65536"`
	IsPublic    twin.Opt[bool]   `param:"is_public"`
	Name        twin.Opt[string] `param:"name" rule:"len=255"`
}

type createGroupParams struct {
	Group twin.Opt[groupParams] `param:"group" rule:"required"`
}

func createGroup(tx *twin.Tx, p *createGroupParams) (twin.Doc, *twin.Error) {
	if err := adminOnly(tx); err != nil {
		return twin.Doc{}, err
	}
	if p.Group.V.Name.V == "" {
		return twin.Doc{}, errField("name", blankValue, "cannot be blank")
	}
	at := stampOf(tx.Now())
	id := tx.Next(groupCounter)
	g := Group{CreatedAt: at, ID: id, IsPublic: p.Group.V.IsPublic.Or(true), Name: p.Group.V.Name.V,
		Description: p.Group.V.Description.V, UpdatedAt: at, URL: linkTo("groups", id)}
	doc := groups.Put(tx, &g)
	tx.Emit("group.created", doc, nil)
	return made("group", doc), nil
}

func showGroup(tx *twin.Tx, p *recordPath) (twin.Doc, *twin.Error) {
	doc, ok := groups.Doc(tx, p.ID)
	if !ok {
		return twin.Doc{}, errNotFound()
	}
	return wrapped("group", doc), nil
}

type updateGroupParams struct {
	recordPath
	Group twin.Opt[groupParams] `param:"group" rule:"required"`
}

func updateGroup(tx *twin.Tx, p *updateGroupParams) (twin.Doc, *twin.Error) {
	if err := adminOnly(tx); err != nil {
		return twin.Doc{}, err
	}
	g, ok := liveGroup(tx, p.ID)
	if !ok {
		return twin.Doc{}, errNotFound()
	}
	now := *g
	if now.Name = p.Group.V.Name.Or(now.Name); now.Name == "" {
		return twin.Doc{}, errField("name", blankValue, "cannot be blank")
	}
	now.IsPublic = p.Group.V.IsPublic.Or(now.IsPublic)
	if p.Group.V.Description.Sent() {
		now.Description = p.Group.V.Description.V
	}
	if now == *g {
		doc, _ := groups.Doc(tx, p.ID)
		return wrapped("group", doc), nil
	}
	now.UpdatedAt = stampOf(tx.Now())
	doc, previous, _ := groups.Replace(tx, &now)
	tx.Emit("group.updated", doc, previous)
	return wrapped("group", doc), nil
}

// deleteGroup takes the agents out of the group. Tickets keep what they say.
func deleteGroup(tx *twin.Tx, p *recordPath) (twin.Doc, *twin.Error) {
	if err := adminOnly(tx); err != nil {
		return twin.Doc{}, err
	}
	g, ok := liveGroup(tx, p.ID)
	if !ok {
		return twin.Doc{}, errNotFound()
	}
	if g.Default {
		return twin.Doc{}, errField("base", invalidValue, "the default group cannot be deleted")
	}
	for _, m := range collect(groupMemberships.With(tx, "group="+p.ID)) {
		leaveGroup(tx, m)
	}
	now := *g
	now.Deleted, now.UpdatedAt = true, stampOf(tx.Now())
	doc := groups.Put(tx, &now)
	tx.Emit("group.deleted", doc, nil)
	return noContent(), nil
}

func liveGroup(tx *twin.Tx, id string) (*Group, bool) {
	g, ok := groups.Get(tx, id)
	return g, ok && !g.Deleted
}

func groupExists(tx *twin.Tx, id int64) bool {
	_, ok := liveGroup(tx, key(id))
	return ok
}

// defaultGroup is the group that new agents join, 0 if there is none.
func defaultGroup(tx *twin.Tx) int64 {
	for g := range groups.With(tx, "live=true") {
		if g.Default {
			return g.ID
		}
	}
	return 0
}

func listGroups(tx *twin.Tx, p *paging) (twin.Doc, *twin.Error) {
	return groupListing(rowsWith(tx.State(), groups.Table, "live=true", nil)).answer(tx, p)
}

func groupListing(items []item) *listing {
	return &listing{name: "groups", items: items, sorts: []string{"name", "updated_at", "created_at"}}
}

func countGroups(tx *twin.Tx, _ *noParams) (twin.Doc, *twin.Error) {
	return countDoc(tx, len(rowsWith(tx.State(), groups.Table, "live=true", nil))), nil
}

func listUserGroups(tx *twin.Tx, p *usersOfParams) (twin.Doc, *twin.Error) {
	if _, ok := users.Get(tx, p.ID); !ok {
		return twin.Doc{}, errNotFound()
	}
	in := map[string]bool{}
	for m := range groupMemberships.With(tx, "user="+p.ID) {
		in[key(m.GroupID)] = true
	}
	items := rowsWith(tx.State(), groups.Table, "live=true", func(row *projection.Row) bool { return in[row.ID] })
	return groupListing(items).answer(tx, &p.paging)
}

func seedGroups(tx *twin.Tx, doc *seed.Document) error {
	if doc.Zendesk == nil {
		return nil
	}
	for _, s := range doc.Zendesk.Groups {
		groups.Put(tx, &Group{CreatedAt: stampOf(twin.Time(s.CreatedAt)), Default: s.Default, Deleted: s.Deleted,
			Description: s.Description, ID: s.ID, IsPublic: s.IsPublic, Name: s.Name,
			UpdatedAt: stampOf(twin.Time(s.UpdatedAt)), URL: linkTo("groups", s.ID)})
		tx.Floor(groupCounter, s.ID)
	}
	return nil
}
