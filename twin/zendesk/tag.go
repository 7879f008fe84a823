package zendesk

import (
	"cmp"
	"slices"
	"strings"

	"worlds/journal/canon"
	"worlds/twin"
)

// Tags have no rows of their own: tickets, users and organizations hold them.

func tagAPI() twin.API {
	return twin.API{
		Routes: []twin.Route{
			twin.On("GET /api/v2/tags", listTags),
			twin.On("GET /api/v2/tags/count", countTags),
			twin.On("GET /api/v2/autocomplete/tags", autocompleteTags),
			twin.On("GET /api/v2/tickets/{id}/tags", showTicketTags),
			twin.On("POST /api/v2/tickets/{id}/tags", appendTicketTags),
			twin.On("PUT /api/v2/tickets/{id}/tags", replaceTicketTags),
			twin.On("DELETE /api/v2/tickets/{id}/tags", removeTicketTags),
			twin.On("GET /api/v2/users/{id}/tags", showUserTags),
			twin.On("POST /api/v2/users/{id}/tags", appendUserTags),
			twin.On("PUT /api/v2/users/{id}/tags", replaceUserTags),
			twin.On("DELETE /api/v2/users/{id}/tags", removeUserTags),
			twin.On("GET /api/v2/organizations/{id}/tags", showOrganizationTags),
			twin.On("POST /api/v2/organizations/{id}/tags", appendOrganizationTags),
			twin.On("PUT /api/v2/organizations/{id}/tags", replaceOrganizationTags),
			twin.On("DELETE /api/v2/organizations/{id}/tags", removeOrganizationTags),
		},
	}
}

// POST adds to the tags there are, PUT replaces them, DELETE takes some away:
// the way of tickets' own paths, whatever the verbs elsewhere.

type tagParams struct {
	recordPath
	guardParams
	Tags twin.Opt[[]string] `param:"tags" rule:"required"`
}

func tagsDoc(tags []string, status int64) twin.Doc {
	return twin.Doc{Body: object(part{"tags", listValue(tags)}), Status: status}
}

// change is how a request changes a set of tags.
type change func(had, sent []string) []string

func plusTags(had, sent []string) []string { return tagsOf(slices.Concat(had, sent)) }
func onlyTags(_, sent []string) []string   { return tagsOf(sent) }
func lessTags(had, sent []string) []string {
	gone := tagsOf(sent)
	return slices.DeleteFunc(slices.Clone(had), func(t string) bool { return slices.Contains(gone, t) })
}

func showTicketTags(tx *twin.Tx, p *recordPath) (twin.Doc, *twin.Error) {
	t, ok := liveTicket(tx, p.ID)
	if !ok {
		return twin.Doc{}, errNotFound()
	}
	return tagsDoc(t.Tags, 200), nil
}

// retag changes a ticket as an update of its tags would.
func (p *tagParams) retag(tx *twin.Tx, how change, status int64) (twin.Doc, *twin.Error) {
	t, ok := liveTicket(tx, p.ID)
	if !ok {
		return twin.Doc{}, errNotFound()
	}
	tags := how(t.Tags, p.Tags.V)
	update := changeTicketParams{ticketParams: ticketParams{Tags: twin.Set(tags)}, guardParams: p.guardParams}
	if _, err := changeTicket(tx, t, &update); err != nil {
		return twin.Doc{}, err
	}
	return tagsDoc(tags, status), nil
}

func appendTicketTags(tx *twin.Tx, p *tagParams) (twin.Doc, *twin.Error) {
	return p.retag(tx, plusTags, 201)
}
func replaceTicketTags(tx *twin.Tx, p *tagParams) (twin.Doc, *twin.Error) {
	return p.retag(tx, onlyTags, 200)
}
func removeTicketTags(tx *twin.Tx, p *tagParams) (twin.Doc, *twin.Error) {
	return p.retag(tx, lessTags, 200)
}

func showUserTags(tx *twin.Tx, p *recordPath) (twin.Doc, *twin.Error) {
	u, ok := users.Get(tx, p.ID)
	if !ok || !u.Active {
		return twin.Doc{}, errNotFound()
	}
	return tagsDoc(u.Tags, 200), nil
}

func (p *tagParams) retagUser(tx *twin.Tx, how change, status int64) (twin.Doc, *twin.Error) {
	u, ok := users.Get(tx, p.ID)
	if !ok || !u.Active {
		return twin.Doc{}, errNotFound()
	}
	now := *u
	now.Tags = how(u.Tags, p.Tags.V)
	replaceUser(tx, &now)
	return tagsDoc(now.Tags, status), nil
}

func appendUserTags(tx *twin.Tx, p *tagParams) (twin.Doc, *twin.Error) {
	return p.retagUser(tx, plusTags, 201)
}
func replaceUserTags(tx *twin.Tx, p *tagParams) (twin.Doc, *twin.Error) {
	return p.retagUser(tx, onlyTags, 200)
}
func removeUserTags(tx *twin.Tx, p *tagParams) (twin.Doc, *twin.Error) {
	return p.retagUser(tx, lessTags, 200)
}

func showOrganizationTags(tx *twin.Tx, p *recordPath) (twin.Doc, *twin.Error) {
	o, ok := organizations.Get(tx, p.ID)
	if !ok {
		return twin.Doc{}, errNotFound()
	}
	return tagsDoc(o.Tags, 200), nil
}

func (p *tagParams) retagOrganization(tx *twin.Tx, how change, status int64) (twin.Doc, *twin.Error) {
	o, ok := organizations.Get(tx, p.ID)
	if !ok {
		return twin.Doc{}, errNotFound()
	}
	tags := how(o.Tags, p.Tags.V)
	_, err := changeOrganization(tx, p.ID, &organizationParams{Tags: twin.Set(tags)})
	return tagsDoc(tags, status), err
}

func appendOrganizationTags(tx *twin.Tx, p *tagParams) (twin.Doc, *twin.Error) {
	return p.retagOrganization(tx, plusTags, 201)
}
func replaceOrganizationTags(tx *twin.Tx, p *tagParams) (twin.Doc, *twin.Error) {
	return p.retagOrganization(tx, onlyTags, 200)
}
func removeOrganizationTags(tx *twin.Tx, p *tagParams) (twin.Doc, *twin.Error) {
	return p.retagOrganization(tx, lessTags, 200)
}

// tagCount is a tag with how many tickets carry it.
type tagCount struct {
	Count int64  `json:"count"`
	Name  string `json:"name"`
}

// tally counts the tags of live tickets, the most used first.
func tally(tx *twin.Tx) []tagCount {
	counts := map[string]int64{}
	var names []string
	for t := range tickets.With(tx, "live=true") {
		for _, tag := range t.Tags {
			if counts[tag]++; counts[tag] == 1 {
				names = append(names, tag)
			}
		}
	}
	out := make([]tagCount, len(names))
	for i, name := range names {
		out[i] = tagCount{counts[name], name}
	}
	slices.SortFunc(out, func(a, b tagCount) int { return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Name, b.Name)) })
	return out
}

func listTags(tx *twin.Tx, p *paging) (twin.Doc, *twin.Error) {
	l := &listing{name: "tags"}
	for i, c := range tally(tx) {
		l.items = append(l.items, item{id: int64(i + 1), body: canon.Marshal(&c)})
	}
	return l.answer(tx, p)
}

func countTags(tx *twin.Tx, _ *noParams) (twin.Doc, *twin.Error) {
	return countDoc(tx, len(tally(tx))), nil
}

func autocompleteTags(tx *twin.Tx, p *autocompleteParams) (twin.Doc, *twin.Error) {
	var names []string
	for _, c := range tally(tx) {
		if strings.HasPrefix(c.Name, lower(p.Name.V)) && p.Name.V != "" {
			names = append(names, c.Name)
		}
	}
	return tagsDoc(names, 200), nil
}
