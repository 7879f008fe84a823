package zendesk

import (
	"slices"
	"strings"

	"worlds/testscripts/dst/model"
)

// search finds tickets. The order of results is not published, so they are
// compared where one page holds them all, sorted by id.
func (c *call) search() (int, model.Value, *refusal) {
	found, ok := c.found()
	if !ok || len(found) > maxPage || c.param("per_page")+c.param("page") != "" {
		return 200, model.Free, nil
	}
	list := make([]model.Value, len(found))
	for i, r := range found {
		list[i] = r.v.With("result_type", "ticket")
	}
	return 200, model.Obj("results", list, "count", len(list), "facets", nil, "next_page", nil, "previous_page", nil), nil
}

func (c *call) searchCount() (int, model.Value, *refusal) {
	found, ok := c.found()
	if !ok {
		return 200, model.Free, nil
	}
	return 200, model.Obj("count", len(found)), nil
}

// found are the tickets that a query finds. It knows type:ticket with words and
// single conditions by status, priority, tags, requester and assignee.
func (c *call) found() ([]*record, bool) {
	terms := strings.Fields(c.param("query"))
	if !slices.Contains(terms, "type:ticket") {
		return nil, false
	}
	rows := c.live()
	seen := map[string]bool{}
	for _, term := range terms {
		name, value, keyed := strings.Cut(term, ":")
		if seen[name] && keyed {
			return nil, false
		}
		seen[name] = true
		rows = some(rows, func(r *record) bool { return c.holds(r, name, value, keyed) })
	}
	return rows, true
}

func (c *call) holds(r *record, name, value string, keyed bool) bool {
	if !keyed {
		return c.says(r, name)
	}
	switch name {
	case "status", "priority":
		return r.text(name) == value
	case "tags":
		return slices.Contains(words(r.get("tags")), value)
	case "requester", "assignee":
		if value == "none" {
			return r.text(name+"_id") == ""
		}
		return r.text(name+"_id") == c.symbol(kindUser, value)
	}
	return true // type:ticket
}

// says reports whether a word stands in the subject or in a comment.
func (c *call) says(r *record, word string) bool {
	at := slices.IndexFunc(c.tickets, func(t *ticket) bool { return t.id == r.id })
	texts := []string{r.text("subject")}
	for _, comment := range c.tickets[at].comments {
		texts = append(texts, comment.text("body"))
	}
	return slices.ContainsFunc(texts, func(t string) bool {
		return slices.Contains(strings.Fields(strings.ToLower(t)), strings.ToLower(word))
	})
}

// sortResults puts search results in the order of ids.
func sortResults(v model.Value) model.Value { return v.With("results", byID(v.Get("results").List)) }
