package zendesk

import (
	"html"
	"slices"
	"strings"
	"time"

	"worlds/testscripts/dst/model"
)

// via is how something came about.
func via(channel string) model.Value {
	return model.Obj("channel", channel, "source", model.Obj("from", model.Obj(), "rel", nil, "to", model.Obj()))
}

var ticketKinds = map[string]model.Kind{
	"subject": model.String, "status": model.String, "priority": model.String, "type": model.String, "external_id": model.String,
	"due_at": model.String, "recipient": model.String, "description": model.String, "assignee_email": model.String,
	"requester_id": model.Number, "assignee_id": model.Number, "group_id": model.Number, "organization_id": model.Number,
	"problem_id": model.Number, "submitter_id": model.Number, "via_followup_source_id": model.Number, "tags": model.Array,
	"custom_fields": model.Array, "collaborator_ids": model.Array, "follower_ids": model.Array, "email_cc_ids": model.Array,
	"comment": model.Object, "requester": model.Object, "updated_stamp": model.String,
}

// enums are the words that a field may have.
var enums = map[string][]string{
	"status":   {"new", "open", "pending", "hold", "solved", "closed"},
	"priority": {"low", "normal", "high", "urgent"},
	"type":     {"problem", "incident", "question", "task"},
}

// checkTicketWords finds what is wrong with a ticket whatever the world holds.
func checkTicketWords(p model.Value, f *faults) {
	checkKinds(p, ticketKinds, f)
	for name, list := range enums {
		if has(p, name) && !slices.Contains(list, p.Get(name).Text) {
			f.add(name, invalid)
		}
	}
	if c := p.Get("comment").Get("public"); c.Kind == model.String {
		f.add("public", invalid)
	}
}

// checkTicket finds what is wrong with the fields of a ticket, made or changed.
func (m *Model) checkTicket(p model.Value) (f faults) {
	if _, err := time.Parse(time.RFC3339, p.Get("due_at").Text); has(p, "due_at") && err != nil {
		f.add("due_at", invalid)
	}
	refs := []struct {
		name  string
		known bool
	}{
		{"requester_id", m.activeUser(m.ref(kindUser, p.Get("requester_id"))) != nil},
		{"submitter_id", m.activeUser(m.ref(kindUser, p.Get("submitter_id"))) != nil},
		{"group_id", m.activeGroup(m.ref(kindGroup, p.Get("group_id"))) != nil},
		{"organization_id", find(m.orgs, m.ref(kindOrg, p.Get("organization_id"))) != nil},
	}
	for _, r := range refs {
		if has(p, r.name) && !r.known {
			f.add(r.name, invalid)
		}
	}
	for _, name := range []string{"collaborator_ids", "follower_ids", "email_cc_ids"} {
		for _, v := range p.Get(name).List {
			if m.activeUser(m.ref(kindUser, v)) == nil {
				f.add(name, invalid)
			}
		}
	}
	if a := m.assignee(p); has(p, "assignee_id") && (a == nil || !staff(a)) {
		f.add("assignee_id", invalid)
	} else if has(p, "assignee_email") && (a == nil || !staff(a)) {
		f.add("assignee_email", invalid)
		f.add("assignee_id", invalid)
	}
	if c := p.Get("comment"); has(c, "author_id") && m.activeUser(m.ref(kindUser, c.Get("author_id"))) == nil {
		f.add("author_id", invalid)
	}
	return f
}

// checkProblem finds what is wrong with the problem that an incident belongs to;
// kind is the type that the ticket had.
func (m *Model) checkProblem(p model.Value, ticketID, kind string) (f faults) {
	if v := p.Get("type"); v.Kind != model.Absent {
		kind = v.Text
	}
	named := m.ref(kindTicket, p.Get("problem_id"))
	if has(p, "problem_id") && (kind != "incident" || named == ticketID || m.problem(named) == nil) {
		f.add("problem_id", invalid)
	}
	return f
}

// assignee is the user whom a body assigns, by id or by address.
func (m *Model) assignee(p model.Value) *record {
	if has(p, "assignee_id") {
		return m.activeUser(m.ref(kindUser, p.Get("assignee_id")))
	}
	return m.byEmail(p.Get("assignee_email").Text)
}

// problem is the ticket with an id, if it is there and a problem.
func (m *Model) problem(id string) *ticket {
	if t := m.ticket(id); t != nil && t.text("type") == "problem" {
		return t
	}
	return nil
}

// ticket is the ticket with an id, if it is there and not deleted.
func (m *Model) ticket(id string) *ticket {
	for _, t := range m.tickets {
		if t.id == id && t.deleted == 0 {
			return t
		}
	}
	return nil
}

// said is what a comment says: as text, as it is shown, and whether it says anything.
type said struct {
	body, html model.Value
	there      bool
}

// text reads the comment of a body, or the description of a new ticket.
func text(p model.Value) said {
	c := p.Get("comment")
	if rich := c.Get("html_body").Text; strings.TrimSpace(rich) != "" {
		return said{model.Str(plain(rich)), model.Any, plain(rich) != ""}
	}
	body := c.Get("body").Text
	if strings.TrimSpace(body) == "" {
		body = p.Get("description").Text
	}
	shown := model.Any
	if !strings.ContainsAny(body, "\n\r") {
		shown = model.Str(`<div class="zd-comment" dir="auto"><p dir="auto">` + escaper.Replace(body) + `</p></div>`)
	}
	return said{model.Str(body), shown, strings.TrimSpace(body) != ""}
}

// plain is the text of a little HTML.
func plain(rich string) string {
	var b strings.Builder
	for rich != "" {
		before, rest, ok := strings.Cut(rich, "<")
		b.WriteString(html.UnescapeString(before))
		if !ok {
			break
		}
		_, rich, _ = strings.Cut(rest, ">")
	}
	return strings.TrimSpace(b.String())
}

// makeTicket makes a ticket, or says why not.
func (m *Model) makeTicket(p model.Value, caller *record) (*ticket, *record, *refusal) {
	f := append(m.checkTicket(p), m.checkProblem(p, "", "")...)
	words := text(p)
	if !words.there {
		f.add(faultNoBody, blank)
	}
	source := m.ticketByRef(p.Get("via_followup_source_id"))
	if has(p, "via_followup_source_id") && source == nil {
		f.add("via_followup_source_id", invalid)
	} else if source != nil && source.text("status") != "closed" {
		f.add("base", invalid)
	}
	group := m.ref(kindGroup, p.Get("group_id"))
	a := m.assignee(p)
	if a != nil && group != "" && member(m.inGroup, "group_id", a.id, group) == nil {
		f.add("assignee_id", invalid)
	}
	if p.Get("status").Text == "solved" && a == nil {
		f.add(faultUnsolved, blank)
	}
	newcomer, more := m.checkRequester(p)
	if f = append(f, more...); f.refusal() != nil {
		return nil, nil, f.refusal()
	}
	requester := caller
	switch {
	case newcomer.Kind == model.Object:
		requester, _ = m.makeUser(newcomer)
	case has(p, "requester"):
		requester = m.byEmail(p.Get("requester").Get("email").Text)
	case has(p, "requester_id"):
		requester = m.activeUser(m.ref(kindUser, p.Get("requester_id")))
	}
	n, ticketID := m.mint(kindTicket)
	t := &ticket{record: record{n, ticketID, m.newTicket(ticketID, requester)}}
	m.setTicket(t, p)
	if a != nil {
		m.assign(t, a, group, group != "")
	}
	if s := p.Get("status").Text; s != "" {
		t.set("status", s)
	}
	m.settle(t, "")
	if source != nil && has(p, "via_followup_source_id") {
		t.set("via", via("api").With("source", model.Obj("from", model.Obj("channel", source.get("via").Get("channel"),
			"subject", source.get("subject"), "ticket_id", id(source.id)), "rel", "follow_up", "to", model.Obj())))
		source.set("followup_ids", model.Seq(append(slices.Clone(source.get("followup_ids").List), id(ticketID))...))
	}
	author := m.author(p, requester)
	public := p.Get("comment").Get("public").Kind != model.False
	t.firstPublic = public
	m.tickets = append(m.tickets, t)
	t.set("description", words.body)
	return t, m.audit(t, model.Value{}, author.id, "api", &newComment{author, words, public, ""}), nil
}

// checkRequester looks at a requester who is named by address: one to be made, or
// what is wrong.
func (m *Model) checkRequester(p model.Value) (newcomer model.Value, f faults) {
	r := p.Get("requester")
	if r.Kind != model.Object || m.byEmail(r.Get("email").Text) != nil {
		return model.Value{}, nil
	}
	if strings.TrimSpace(r.Get("name").Text) == "" {
		f.add("requester", "")
	}
	return r, append(f, m.checkUser(r, nil)...)
}

// author is who writes the comment of a body: the submitter of a new ticket writes
// its first one.
func (m *Model) author(p model.Value, caller *record) *record {
	if has(p, "submitter_id") {
		caller = m.activeUser(m.ref(kindUser, p.Get("submitter_id")))
	}
	if c := p.Get("comment"); has(c, "author_id") {
		return m.activeUser(m.ref(kindUser, c.Get("author_id")))
	}
	return caller
}

func (m *Model) ticketByRef(v model.Value) *ticket { return m.ticket(m.ref(kindTicket, v)) }

func (m *Model) newTicket(ticketID string, requester *record) model.Value {
	return model.Obj("allow_attachments", true, "allow_channelback", false, "assignee_id", nil, "brand_id", nil,
		"collaborator_ids", model.Seq(), "created_at", stamp(m.now), "custom_fields", model.Seq(), "custom_status_id", nil,
		"description", "", "due_at", nil, "email_cc_ids", model.Seq(), "external_id", nil, "follower_ids", model.Seq(),
		"followup_ids", model.Seq(), "forum_topic_id", nil, "from_messaging_channel", false, "generated_timestamp", m.now,
		"group_id", nil, "id", id(ticketID), "organization_id", requester.get("organization_id"), "priority", nil,
		"problem_id", nil, "recipient", nil, "requester_id", id(requester.id), "satisfaction_rating", nil,
		"sharing_agreement_ids", model.Seq(), "status", "new", "subject", "", "submitter_id", id(requester.id), "tags", model.Seq(),
		"ticket_form_id", nil, "type", nil, "updated_at", stamp(m.now), "url", link("tickets", ticketID), "via", via("api"))
}

// showTicket is a ticket as it is shown: with what follows from others.
func (m *Model) showTicket(t *ticket) model.Value {
	incidents := slices.ContainsFunc(m.tickets, func(o *ticket) bool { return o.deleted == 0 && o.text("problem_id") == t.id })
	public := slices.ContainsFunc(t.comments, func(c *record) bool { return c.is("public") })
	return t.v.With("fields", t.get("custom_fields"), "raw_subject", t.get("subject"), "has_incidents", incidents, "is_public", public)
}

// setTicket writes the fields that a write sets as they are.
func (m *Model) setTicket(t *ticket, p model.Value) {
	for _, name := range []string{"priority", "type", "external_id", "due_at", "recipient"} {
		if v := p.Get(name); v.Kind != model.Absent && (name != "recipient" || has(p, name)) {
			t.set(name, v)
		}
	}
	if v := p.Get("subject"); v.Kind != model.Absent {
		t.set("subject", v.Text)
	}
	for name, kind := range map[string]string{"organization_id": kindOrg, "problem_id": kindTicket, "group_id": kindGroup, "submitter_id": kindUser} {
		if v := p.Get(name); v.Kind != model.Absent {
			t.set(name, id(m.ref(kind, v)))
		}
	}
	for _, name := range []string{"collaborator_ids", "follower_ids", "email_cc_ids"} {
		if v := p.Get(name); v.Kind == model.Array {
			var list []model.Value
			for _, e := range v.List {
				list = append(list, id(m.ref(kindUser, e)))
			}
			t.set(name, model.Seq(list...))
		}
	}
	if v := p.Get("tags"); v.Kind == model.Array {
		t.set("tags", tagsOf(words(v)))
	}
	fields := slices.Clone(t.get("custom_fields").List)
	for _, v := range p.Get("custom_fields").List {
		at := slices.IndexFunc(fields, func(f model.Value) bool { return f.Get("id").Text == v.Get("id").Text })
		if at < 0 {
			fields = append(fields, v)
		} else {
			fields[at] = v
		}
	}
	slices.SortFunc(fields, func(a, b model.Value) int {
		x, _ := a.Get("id").Number()
		y, _ := b.Get("id").Number()
		return int(x - y)
	})
	t.set("custom_fields", model.Seq(fields...))
	if t.text("type") != "incident" {
		t.set("problem_id", nil)
	}
}

// assign gives a ticket to an agent. Without a group of its own it stays in the
// ticket's if the agent is in it, and goes to the agent's default one otherwise.
func (m *Model) assign(t *ticket, a *record, group string, fixed bool) {
	t.set("assignee_id", id(a.id))
	if fixed {
		t.set("group_id", id(group))
	} else if member(m.inGroup, "group_id", a.id, t.text("group_id")) == nil {
		t.set("group_id", a.get("default_group_id"))
	}
}

// settle draws the conclusions of a change: assigned is open, and when it was solved.
func (m *Model) settle(t *ticket, was string) {
	if t.text("status") == "new" && t.text("assignee_id") != "" {
		t.set("status", "open")
	}
	switch {
	case t.text("status") != "solved":
		t.solved = 0
	case was != "solved":
		t.solved = m.now
	}
}

// updateTicket changes a ticket, or says why not. The audit is nil if nothing changed.
func (m *Model) updateTicket(t *ticket, p model.Value, caller *record) (*record, *refusal) {
	if t.text("status") == "closed" {
		return nil, faults{{faultClosed, ""}}.refusal()
	}
	f := append(m.checkTicket(p), m.checkProblem(p, t.id, t.text("type"))...)
	if safe := p.Get("safe_update"); (safe.Kind == model.True || safe.Text == "true") && p.Get("updated_stamp").Text != t.text("updated_at") {
		return nil, &refusal{status: 409, name: "UpdateConflict"}
	}
	if p.Get("status").Text == "new" && t.text("status") != "new" {
		f.add("status", "")
	}
	newcomer, more := m.checkRequester(p)
	f = append(f, more...)
	group, a := m.ref(kindGroup, p.Get("group_id")), m.assignee(p)
	if a != nil && group != "" && member(m.inGroup, "group_id", a.id, group) == nil {
		f.add("assignee_id", invalid)
	}
	if r := f.refusal(); r != nil {
		return nil, r
	}
	next := &ticket{record: record{t.n, t.id, t.v}, solved: t.solved}
	m.setTicket(next, p.Without("submitter_id", "recipient"))
	assigned := p.Get("assignee_id").Kind != model.Absent || has(p, "assignee_email")
	switch {
	case a != nil:
		m.assign(next, a, group, group != "")
	case assigned:
		next.set("assignee_id", nil)
	case group != "" && next.text("assignee_id") != "" && member(m.inGroup, "group_id", next.text("assignee_id"), group) == nil:
		next.set("assignee_id", nil)
	}
	words, author := text(p.Without("description")), m.author(p.Without("submitter_id"), caller)
	public := !staff(author) || t.firstPublic
	if v := p.Get("comment").Get("public"); v.Kind == model.False || v.Kind == model.True {
		public = v.Kind == model.True || !staff(author)
	}
	if s := p.Get("status").Text; s != "" {
		next.set("status", s)
	} else if words.there && public && author.id == m.requesterAfter(t, p) && waits(t) {
		next.set("status", "open")
	}
	m.settle(next, t.text("status"))
	if next.text("status") == "solved" && next.text("assignee_id") == "" {
		return nil, faults{{faultUnsolved, blank}}.refusal()
	}
	m.changeRequester(next, p, newcomer)
	old := t.v
	t.v, t.solved = next.v, next.solved
	var c *newComment
	if words.there {
		c = &newComment{author, words, public, caller.id}
	} else {
		author = caller
	}
	return m.audit(t, old, author.id, "api", c), nil
}

// waits reports whether a word of the customer opens a ticket again.
func waits(t *ticket) bool {
	return slices.Contains([]string{"pending", "hold", "solved"}, t.text("status"))
}

// requesterAfter is who is the requester once a change is made.
func (m *Model) requesterAfter(t *ticket, p model.Value) string {
	switch {
	case has(p, "requester_id"):
		return m.ref(kindUser, p.Get("requester_id"))
	case has(p, "requester"):
		if u := m.byEmail(p.Get("requester").Get("email").Text); u != nil {
			return u.id
		}
		return ""
	}
	return t.text("requester_id")
}

// changeRequester gives a ticket to another customer; its organization follows
// unless the change names one.
func (m *Model) changeRequester(t *ticket, p, newcomer model.Value) {
	after := m.requesterAfter(t, p)
	if newcomer.Kind == model.Object {
		u, _ := m.makeUser(newcomer)
		after = u.id
	}
	if after == t.text("requester_id") {
		return
	}
	t.set("requester_id", id(after))
	if p.Get("organization_id").Kind == model.Absent {
		t.set("organization_id", find(m.users, after).get("organization_id"))
	}
}

// escaper makes text HTML, as far as HTML needs it.
var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;")
