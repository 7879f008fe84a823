package zendesk

import (
	"cmp"
	"slices"
	"strings"

	"worlds/testscripts/dst/model"
)

var ticketRoutes = []route{
	{"GET /tickets", (*call).listTickets},
	{"POST /tickets", (*call).createTicket},
	{"GET /tickets/count", func(c *call) (int, model.Value, *refusal) { return c.count(len(c.live())) }},
	{"GET /tickets/show_many", (*call).showTickets},
	{"POST /tickets/create_many", (*call).createTickets},
	{"PUT /tickets/update_many", (*call).updateTickets},
	{"DELETE /tickets/destroy_many", (*call).deleteTickets},
	{"GET /tickets/*", on(func(c *call, t *ticket) (int, model.Value, *refusal) {
		return 200, model.Obj("ticket", c.showTicket(t)), nil
	})},
	{"PUT /tickets/*", on((*call).putTicket)},
	{"DELETE /tickets/*", on(func(c *call, t *ticket) (int, model.Value, *refusal) { c.remove(t); return 204, model.Free, nil })},
	{"POST /tickets/*/merge", on((*call).merge)},
	{"GET /tickets/*/comments", on(func(c *call, t *ticket) (int, model.Value, *refusal) { return c.list("comments", t.comments) })},
	{"GET /tickets/*/comments/count", on(func(c *call, t *ticket) (int, model.Value, *refusal) { return c.count(len(t.comments)) })},
	{"PUT /tickets/*/comments/*/make_private", on((*call).hideComment)},
	{"PUT /tickets/*/comments/*/redact", on((*call).redactComment)},
	{"GET /tickets/*/audits", on(func(c *call, t *ticket) (int, model.Value, *refusal) { return c.list("audits", t.audits) })},
	{"GET /tickets/*/audits/count", on(func(c *call, t *ticket) (int, model.Value, *refusal) { return c.count(len(t.audits)) })},
	{"GET /tickets/*/audits/*", on((*call).showAudit)},
	{"GET /tickets/*/incidents", on(func(c *call, t *ticket) (int, model.Value, *refusal) {
		return c.list("tickets", some(c.live(), func(r *record) bool { return r.text("problem_id") == t.id }))
	})},
	{"GET /tickets/*/tags", on(func(c *call, t *ticket) (int, model.Value, *refusal) {
		return 200, model.Obj("tags", t.get("tags")), nil
	})},
	{"PUT /tickets/*/tags", on((*call).writeTags)},
	{"POST /tickets/*/tags", on((*call).writeTags)},
	{"DELETE /tickets/*/tags", on((*call).writeTags)},
	{"GET /problems", (*call).listProblems},
	{"GET /deleted_tickets", (*call).listDeleted},
	{"PUT /deleted_tickets/*/restore", (*call).restore},
	{"GET /users/*/tickets/requested", (*call).ticketsOfUser},
	{"GET /users/*/tickets/assigned", (*call).ticketsOfUser},
	{"GET /organizations/*/tickets", (*call).ticketsOfOrg},
}

// on finds the ticket that a path names.
func on(do func(*call, *ticket) (int, model.Value, *refusal)) handler {
	return func(c *call) (int, model.Value, *refusal) {
		t := c.ticket(c.arg(0, kindTicket))
		if t == nil {
			return 0, model.Value{}, notFound
		}
		return do(c, t)
	}
}

// live are the tickets that are not deleted, as they are shown.
func (m *Model) live() (list []*record) {
	for _, t := range m.tickets {
		if t.deleted == 0 {
			list = append(list, &record{t.n, t.id, m.showTicket(t)})
		}
	}
	return list
}

func (c *call) listTickets() (int, model.Value, *refusal) {
	rows := c.live()
	if e := c.param("external_id"); e != "" {
		rows = some(rows, func(r *record) bool { return r.text("external_id") == e })
	}
	return c.list("tickets", rows)
}

func (c *call) createTicket() (int, model.Value, *refusal) {
	p, refused := c.wrapped("ticket")
	if refused != nil {
		return 0, p, refused
	}
	t, a, refused := c.makeTicket(p, c.caller)
	if refused != nil {
		return 0, p, refused
	}
	return 201, model.Obj("ticket", c.showTicket(t), "audit", a.v), nil
}

func (c *call) putTicket(t *ticket) (int, model.Value, *refusal) {
	p, refused := c.wrapped("ticket")
	if refused != nil {
		return 0, p, refused
	}
	a, refused := c.updateTicket(t, c.bulkTags(t, p), c.caller)
	if refused != nil {
		return 0, p, refused
	}
	told := model.Nil
	if a != nil {
		told = a.v
	}
	return 200, model.Obj("ticket", c.showTicket(t), "audit", told), nil
}

// remove deletes a ticket; it can be restored.
func (c *call) remove(t *ticket) {
	t.deleted, t.deletedBy = c.now, c.caller.id
	t.set("updated_at", stamp(c.now), "generated_timestamp", c.now)
}

func (c *call) showTickets() (int, model.Value, *refusal) {
	var rows []*record
	for _, text := range strings.Split(c.param("ids"), ",") {
		if t := c.ticket(c.symbol(kindTicket, text)); t != nil {
			rows = append(rows, &record{t.n, t.id, c.showTicket(t)})
		}
	}
	if len(rows) > 1 {
		for _, name := range []string{"page", "per_page", "page[size]", "sort"} {
			if c.param(name) != "" {
				return 200, model.Free, nil // in which order they are paged is not published
			}
		}
		c.loose = true
	}
	return c.list("tickets", rows)
}

// byID sorts rows as they came.
func byID(list []model.Value) []model.Value {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b model.Value) int {
		one, _ := a.Get("id").Number()
		two, _ := b.Get("id").Number()
		return cmp.Compare(one, two)
	})
	return list
}

func (c *call) comment(t *ticket) *record { return find(t.comments, c.arg(1, kindLine)) }

func (c *call) hideComment(t *ticket) (int, model.Value, *refusal) {
	comment := c.comment(t)
	if comment == nil {
		return 0, model.Value{}, notFound
	}
	if t.text("status") == "closed" {
		return 0, model.Value{}, faults{{faultClosed, ""}}.refusal()
	}
	c.makePrivate(t, comment, c.caller)
	return 200, model.Obj(), nil
}

func (c *call) redactComment(t *ticket) (int, model.Value, *refusal) {
	comment, text := c.comment(t), c.body.Get("text").Text
	switch {
	case comment == nil:
		return 0, model.Value{}, notFound
	case text == "":
		return 0, model.Value{}, &refusal{status: 400, name: "Invalid attribute"}
	case t.text("status") == "closed":
		return 0, model.Value{}, faults{{faultClosed, ""}}.refusal()
	case !strings.Contains(comment.text("body"), text):
		return 0, model.Value{}, faults{{"text", invalid}}.refusal()
	}
	c.Model.redact(t, comment, text, c.caller)
	return 200, shown("comment", comment), nil
}

func (c *call) showAudit(t *ticket) (int, model.Value, *refusal) {
	a := find(t.audits, c.arg(1, kindAudit))
	if a == nil {
		return 0, model.Value{}, notFound
	}
	return 200, shown("audit", a), nil
}

// writeTags sets, adds or removes tags.
func (c *call) writeTags(t *ticket) (int, model.Value, *refusal) {
	status, list := 200, words(c.body.Get("tags"))
	if c.body.Get("tags").Kind != model.Array {
		return 0, model.Value{}, &refusal{status: 400, name: "Invalid attribute"}
	}
	switch c.op.Method {
	case "POST":
		status, list = 201, append(words(t.get("tags")), list...)
	case "DELETE":
		list = without(t.get("tags"), list)
	}
	change := model.Obj("tags", tagsOf(list))
	if _, refused := c.updateTicket(t, change, c.caller); refused != nil {
		return 0, change, refused
	}
	return status, model.Obj("tags", t.get("tags")), nil
}

// without are the tags that are not among some.
func without(tags model.Value, some []string) []string {
	gone := words(tagsOf(some))
	return slices.DeleteFunc(words(tags), func(t string) bool { return slices.Contains(gone, t) })
}

func (c *call) listProblems() (int, model.Value, *refusal) {
	return c.list("tickets", some(c.live(), func(r *record) bool { return r.text("type") == "problem" }))
}

func (c *call) listDeleted() (int, model.Value, *refusal) {
	var rows []*record
	for _, t := range c.tickets {
		if t.deleted != 0 {
			actor := find(c.users, t.deletedBy)
			rows = append(rows, &record{t.n, t.id, model.Obj("actor", model.Obj("id", id(actor.id), "name", actor.get("name")),
				"deleted_at", stamp(t.deleted), "description", t.get("description"), "id", id(t.id), "previous_state", t.get("status"),
				"subject", t.get("subject"))})
		}
	}
	return c.list("deleted_tickets", rows)
}

func (c *call) restore() (int, model.Value, *refusal) {
	at := slices.IndexFunc(c.tickets, func(t *ticket) bool { return t.id == c.arg(0, kindTicket) && t.deleted != 0 })
	if at < 0 {
		return 0, model.Value{}, notFound
	}
	t := c.tickets[at]
	t.deleted, t.deletedBy, t.fence = 0, "", c.now
	t.set("updated_at", stamp(c.now), "generated_timestamp", c.now)
	return 200, model.Obj(), nil
}

func (c *call) ticketsOfUser() (int, model.Value, *refusal) {
	u := find(c.users, c.arg(0, kindUser))
	if u == nil {
		return 0, model.Value{}, notFound
	}
	column := "requester_id"
	if strings.HasSuffix(strings.TrimSuffix(c.op.Path, ".json"), "assigned") {
		column = "assignee_id"
	}
	return c.list("tickets", some(c.live(), func(r *record) bool { return r.text(column) == u.id }))
}

func (c *call) ticketsOfOrg() (int, model.Value, *refusal) {
	o := find(c.orgs, c.arg(0, kindOrg))
	if o == nil {
		return 0, model.Value{}, notFound
	}
	return c.list("tickets", some(c.live(), func(r *record) bool { return r.text("organization_id") == o.id }))
}

func (c *call) listTags() (int, model.Value, *refusal) {
	counts := map[string]int{}
	for _, t := range c.live() {
		for _, tag := range words(t.get("tags")) {
			counts[tag]++
		}
	}
	var rows []*record
	for tag, n := range counts {
		rows = append(rows, &record{0, tag, model.Obj("name", tag, "count", n)})
	}
	slices.SortFunc(rows, func(a, b *record) int { return cmp.Or(counts[b.id]-counts[a.id], cmp.Compare(a.id, b.id)) })
	for i, r := range rows {
		r.n = i
	}
	return c.list("tags", rows)
}

func (c *call) countTags() (int, model.Value, *refusal) {
	_, v, _ := (&call{Model: c.Model}).listTags()
	n, _ := v.Get("count").Number()
	return c.count(int(n))
}
