package zendesk_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"worlds/testscripts/dst/model"
)

// fields is a body in the making.
type fields map[string]any

// pick is one of some.
func pick[T any](h *history, some ...T) T { return some[h.r.IntN(len(some))] }

// chance is true once in n.
func (h *history) chance(n int) bool { return h.r.IntN(n) == 0 }

// id is the number of a thing that is there, or now and then of none.
func (h *history) id(table string) json.RawMessage {
	list := h.ids[table]
	if len(list) == 0 || h.chance(25) {
		return json.RawMessage("999")
	}
	if len(list) > 5 && h.chance(2) {
		list = list[len(list)-5:]
	}
	return json.RawMessage(pick(h, list...))
}

// ticketFields are what both a new and a changed ticket may say.
func (h *history) ticketFields() fields {
	f := fields{}
	for _, c := range []struct {
		one   int
		name  string
		value func() any
	}{
		{3, "status", func() any { return pick(h, "new", "open", "pending", "hold", "solved", "solved", "closed", "odd") }},
		{4, "priority", func() any { return pick[any](h, "low", "normal", "high", "urgent", "odd", 7, nil) }},
		{4, "type", func() any { return pick[any](h, "problem", "incident", "question", "task", nil) }},
		{4, "assignee_id", func() any { return h.id("user") }},
		{6, "group_id", func() any { return h.id("group") }},
		{8, "requester_id", func() any { return h.id("user") }},
		{9, "organization_id", func() any { return h.id("organization") }},
		{5, "tags", func() any { return pick(h, []string{}, []string{"b", "a"}, []string{"A b", "c,b"}, []string{"c"}) }},
		{6, "subject", func() any { return pick[any](h, "one", "two words", "") }},
		{8, "problem_id", func() any { return h.id("ticket") }},
		{9, "external_id", func() any { return pick[any](h, "e1", "e2", nil) }},
		{9, "due_at", func() any { return pick[any](h, "2026-02-01T00:00:00Z", "tomorrow", nil) }},
		{9, "custom_fields", func() any {
			return []fields{{"id": 7 + h.r.IntN(3), "value": pick[any](h, "x", true, 4, []string{"p", "q"})}}
		}},
		{12, "follower_ids", func() any { return []json.RawMessage{h.id("user")} }},
		{12, "assignee_email", func() any { return pick(h, "bo@desk.example", "di@home.example", "no@desk.example") }},
		{12, "bogus", func() any { return 1 }},
		{25, "requester", func() any {
			return pick(h, fields{"name": "Fay", "email": "fay@home.example"}, fields{"name": "Di", "email": "DI@home.example"}, fields{"email": "nobody@home.example"})
		}},
	} {
		if h.chance(c.one) {
			f[c.name] = c.value()
		}
	}
	if f["assignee_id"] != nil {
		delete(f, "assignee_email")
	}
	if f["requester"] != nil {
		delete(f, "requester_id")
	}
	return f
}

func (h *history) comment() fields {
	c := fields{"body": pick(h, "hello", "hello\nagain", "<b>hi</b> & 1<2", "say \"hi\"", "hello there")}
	if h.chance(10) {
		c = fields{"html_body": "<p>rich</p>"}
	}
	if h.chance(3) {
		c["public"] = pick(h, true, false)
	}
	if h.chance(3) {
		c["author_id"] = h.id("user")
	}
	return c
}

func (h *history) newTicket() fields {
	if h.chance(8) {
		return fields{"comment": fields{"body": "it came back"}, "via_followup_source_id": h.id("ticket")}
	}
	f := h.ticketFields()
	switch h.r.IntN(12) {
	case 0:
		f["description"] = "described"
	case 1:
		if h.chance(2) {
			f["comment"] = fields{"body": " "}
		}
	default:
		f["comment"] = h.comment()
	}
	if h.chance(12) {
		f["submitter_id"] = h.id("user")
	}
	return f
}

func (h *history) changedTicket() fields {
	f := h.ticketFields()
	if h.chance(3) {
		f["comment"] = h.comment()
	}
	for _, name := range []string{"assignee_id", "group_id"} {
		if h.chance(20) {
			f[name] = nil
			delete(f, "assignee_email")
		}
	}
	if h.chance(15) {
		f["safe_update"], f["updated_stamp"] = pick[any](h, true, "true"), "2025-01-01T00:00:00Z"
	}
	return f
}

func (h *history) user() fields {
	f := fields{}
	if !h.chance(6) {
		f["name"] = pick(h, "Gus", "Hal", " Ina ")
	}
	for _, c := range []struct {
		one   int
		name  string
		value func() any
	}{
		{2, "email", func() any {
			return pick(h, "gus@home.example", "hal@home.example", "di@home.example", "odd", "ina@desk.example")
		}},
		{3, "role", func() any { return pick(h, "agent", "end-user", "agent", "king") }},
		{3, "organization_id", func() any {
			if h.chance(3) {
				return nil
			}
			return h.id("organization")
		}},
		{5, "tags", func() any { return []string{"z", "A"} }}, {5, "phone", func() any { return pick[any](h, "1", nil) }},
		{8, "notes", func() any { return "n" }}, {9, "external_id", func() any { return "u" }},
	} {
		if h.chance(c.one) {
			f[c.name] = c.value()
		}
	}
	return f
}

// op is the next thing to ask.
func (h *history) op() model.Op {
	as := ""
	if h.chance(6) {
		as = pick(h, "bo@desk.example", "cy@desk.example", "di@home.example")
	}
	if len(h.next) > 0 && h.chance(4) {
		return h.follow(as)
	}
	if len(h.idem) > 0 && h.chance(20) {
		op := pick(h, h.idem...)
		if h.chance(3) {
			op.Body = []byte(`{"ticket":{"description":"another"}}`)
		}
		return op
	}
	var op model.Op
	switch h.r.IntN(20) {
	case 0, 1, 2, 3:
		op = h.write("POST", "/tickets", fields{"ticket": h.newTicket()})
		if h.chance(4) {
			op.Idem = fmt.Sprintf("key-%d", h.r.IntN(1000))
		}
	case 4, 5, 6, 7, 8:
		op = h.write("PUT", "/tickets/"+string(h.id("ticket")), fields{"ticket": h.changedTicket()})
	case 9, 10:
		op = h.otherTicketWrite()
	case 11:
		op = h.bulk()
	case 12, 13:
		op = h.people()
	case 14:
		op = h.organizations()
	default:
		op = h.read()
	}
	op.API, op.As = "zendesk", as
	return op
}

func (h *history) write(method, path string, body any) model.Op {
	text, err := json.Marshal(body)
	if err != nil {
		h.t.Fatal(err)
	}
	if h.chance(40) {
		text = []byte("{}")
	}
	return model.Op{Method: method, Path: "/api/v2" + path + pick(h, "", ".json"), Body: text}
}

func (h *history) otherTicketWrite() model.Op {
	t := "/tickets/" + string(h.id("ticket"))
	switch h.r.IntN(8) {
	case 0:
		return model.Op{Method: "DELETE", Path: "/api/v2" + t}
	case 1, 2:
		return model.Op{Method: "PUT", Path: "/api/v2/deleted_tickets/" + string(h.id("ticket")) + "/restore"}
	case 3:
		return h.write(pick(h, "PUT", "POST", "DELETE"), t+"/tags", fields{"tags": pick(h, []string{"a"}, []string{"d", "b"}, []string{"B c"})})
	case 4:
		return model.Op{Method: "PUT", Path: "/api/v2" + t + "/comments/" + string(h.id("comment")) + "/make_private"}
	case 5:
		return h.write("PUT", t+"/comments/"+string(h.id("comment"))+"/redact", fields{"text": pick(h, "hello", "h", "zz")})
	case 6:
		return h.write("POST", t+"/merge", fields{"ids": []json.RawMessage{h.id("ticket"), h.id("ticket")}[:1+h.r.IntN(2)],
			"target_comment": "in", "source_comment": "out", "target_comment_is_public": pick(h, true, false)})
	}
	return h.write("PUT", t, fields{"ticket": fields{"comment": h.comment()}})
}

func (h *history) bulk() model.Op {
	some := func() string { return fmt.Sprintf("%s,%s", h.id("ticket"), h.id("ticket")) }
	switch h.r.IntN(4) {
	case 0:
		return h.write("POST", "/tickets/create_many", fields{"tickets": []fields{h.newTicket(), h.newTicket()}})
	case 1:
		return model.Op{Method: "DELETE", Path: "/api/v2/tickets/destroy_many", Params: []model.Pair{{Name: "ids", Value: some()}}}
	case 2:
		f := h.changedTicket()
		f["additional_tags"], f["remove_tags"] = []string{"x"}, []string{"a"}
		op := h.write("PUT", "/tickets/update_many", fields{"ticket": f})
		op.Params = []model.Pair{{Name: "ids", Value: some()}}
		return op
	}
	one, two := h.changedTicket(), h.changedTicket()
	one["id"], two["id"] = h.id("ticket"), h.id("ticket")
	return h.write("PUT", "/tickets/update_many", fields{"tickets": []fields{one, two}})
}

func (h *history) people() model.Op {
	u, g, in := string(h.id("user")), string(h.id("group")), string(h.id("group_membership"))
	switch h.r.IntN(10) {
	case 0, 1:
		return h.write("POST", "/users", fields{"user": h.user()})
	case 2, 3:
		return h.write("PUT", "/users/"+u, fields{"user": h.user()})
	case 4:
		return model.Op{Method: "DELETE", Path: "/api/v2/users/" + u}
	case 5:
		return h.write("POST", "/users/create_or_update", fields{"user": h.user()})
	case 6:
		f := fields{"name": pick(h, "Third", " Fourth ", ""), "description": pick(h, "d", "e"), "is_public": h.chance(2)}
		if h.chance(2) {
			return h.write("PUT", "/groups/"+g, fields{"group": f})
		}
		return h.write("POST", "/groups", fields{"group": f})
	case 7:
		return model.Op{Method: "DELETE", Path: "/api/v2/" + pick(h, "groups/"+g, "group_memberships/"+in)}
	case 8:
		return h.write("POST", "/group_memberships", fields{"group_membership": fields{"user_id": h.id("user"), "group_id": h.id("group"), "default": h.chance(3)}})
	}
	return model.Op{Method: "PUT", Path: "/api/v2/users/" + u + "/group_memberships/" + in + "/make_default"}
}

func (h *history) organizations() model.Op {
	u, o, in := string(h.id("user")), string(h.id("organization")), string(h.id("organization_membership"))
	body := fields{"name": pick(h, "Acme", "Core", "Dart", "core", " Core ", ""), "tags": []string{"Q", "p"}, "details": pick[any](h, "d", nil)}
	switch h.r.IntN(7) {
	case 0, 1:
		return h.write("POST", "/organizations", fields{"organization": body})
	case 2:
		return h.write("PUT", "/organizations/"+o, fields{"organization": body})
	case 3:
		return model.Op{Method: "DELETE", Path: "/api/v2/" + pick(h, "organizations/"+o, "organization_memberships/"+in)}
	case 4, 5:
		return h.write("POST", "/organization_memberships", fields{"organization_membership": fields{"user_id": h.id("user"), "organization_id": h.id("organization"),
			"default": h.chance(3), "view_tickets": h.chance(2)}})
	}
	return model.Op{Method: "PUT", Path: "/api/v2/users/" + u + "/organization_memberships/" + in + "/make_default"}
}

func (h *history) read() model.Op {
	t, u, o := string(h.id("ticket")), string(h.id("user")), string(h.id("organization"))
	path := pick(h, "tickets", "tickets", "tickets/"+t, "tickets/"+t+"/comments", "tickets/"+t+"/audits", "tickets/"+t+"/comments/count",
		"tickets/"+t+"/audits/count", "tickets/"+t+"/audits/"+string(h.id("audit")), "tickets/"+t+"/incidents", "tickets/"+t+"/tags", "tickets/count",
		"problems", "deleted_tickets", "users", "users/"+u, "users/me", "users/count", "users/"+u+"/tickets/requested", "users/"+u+"/tickets/assigned",
		"users/"+u+"/group_memberships", "users/"+u+"/organization_memberships", "groups", "groups/count", "groups/"+string(h.id("group")), "group_memberships",
		"organizations", "organizations/count", "organizations/"+o, "organizations/"+o+"/tickets", "organization_memberships", "job_statuses",
		"job_statuses/"+string(h.id("job")), "search", "search", "search/count", "tags", "tags/count")
	op := model.Op{Method: "GET", Path: "/api/v2/" + path}
	list := !strings.HasSuffix(path, "count") && !strings.ContainsAny(path, "0123456789") && path != "users/me" && !strings.HasPrefix(path, "search")
	switch {
	case strings.HasPrefix(path, "search"):
		query := "type:ticket " + pick(h, "status:open", "status:closed", "priority:high", "tags:b", "assignee:none", "assignee:2", "requester:4", "hello", "two", "again")
		op.Params = []model.Pair{{Name: "query", Value: query}}
	case path == "users/count" && h.chance(2):
		op.Params = []model.Pair{{Name: "role", Value: pick(h, "agent", "end-user", "1")}}
	case list && h.chance(2):
		op.Params = []model.Pair{{Name: "page[size]", Value: pick(h, "1", "2", "3")}}
		if path == "tickets" && h.chance(2) {
			op.Params = append(op.Params, model.Pair{Name: "sort", Value: pick(h, "id", "-id", "updated_at", "-updated_at", "status", "odd")})
		}
	case list && h.chance(2):
		op.Params = []model.Pair{{Name: "per_page", Value: pick(h, "1", "2", "3", "100")}, {Name: "page", Value: pick(h, "1", "2", "101")}}
		if path == "tickets" {
			op.Params = append(op.Params, model.Pair{Name: "sort_by", Value: pick(h, "id", "created_at", "updated_at", "status", "priority")},
				model.Pair{Name: "sort_order", Value: pick(h, "asc", "desc")})
		}
	}
	return op
}

// follow goes to a page that an answer linked to.
func (h *history) follow(as string) model.Op {
	at := h.r.IntN(len(h.next))
	target := h.next[at]
	h.next = append(h.next[:at], h.next[at+1:]...)
	h.paths["followed"]++
	path, query, _ := strings.Cut(target, "?")
	op := model.Op{API: "zendesk", As: as, Method: "GET", Path: path}
	values, err := url.ParseQuery(query)
	if err != nil {
		h.fail("the link " + target)
	}
	for name, list := range values {
		for _, v := range list {
			op.Params = append(op.Params, model.Pair{Name: name, Value: v})
		}
	}
	return op
}
