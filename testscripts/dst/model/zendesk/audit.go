package zendesk

import (
	"slices"
	"strings"

	"worlds/testscripts/dst/model"
)

// newComment is a comment about to be made.
type newComment struct {
	author *record
	words  said
	public bool
	caller string // who asked, if not the author
}

// audited are the fields whose changes an audit tells of.
var audited = []string{"subject", "status", "priority", "type", "requester_id", "assignee_id", "group_id", "organization_id",
	"problem_id", "external_id", "due_at", "recipient", "collaborator_ids", "follower_ids", "email_cc_ids", "tags"}

// authorOf is who an audit says made it. Where one user changes a ticket in the name
// of another, the vendor does not publish which of them it names.
func authorOf(t *ticket, authorID string, c *newComment) model.Value {
	if len(t.audits) > 0 && c != nil && c.caller != "" && c.caller != authorID {
		return model.Any
	}
	return id(authorID)
}

// audit records what has become of a ticket, with a comment or without; old is its
// value before, absent for a new one. It is nil if nothing changed.
func (m *Model) audit(t *ticket, old model.Value, authorID, channel string, c *newComment) *record {
	created := old.Kind == model.Absent
	changes := m.changes(old, t.v)
	if len(changes) == 0 && c == nil {
		return nil
	}
	n, auditID := m.mint(kindAudit)
	var events []model.Value
	if c != nil {
		lineN, lineID := m.mint(kindLine)
		event := model.Obj("attachments", model.Seq(), "audit_id", id(auditID), "author_id", id(c.author.id), "body", c.words.body,
			"html_body", c.words.html, "id", id(lineID), "plain_body", c.words.body, "public", c.public, "type", "Comment")
		events = append(events, event)
		t.comments = append(t.comments, &record{lineN, lineID, event.With("created_at", stamp(m.now), "metadata", metadata(), "via", via(channel))})
	}
	for _, e := range changes {
		_, lineID := m.mint(kindLine)
		e = e.With("id", id(lineID), "type", "Change")
		if created {
			e = e.With("type", "Create").Without("previous_value")
		}
		events = append(events, e)
	}
	sortEvents(events)
	if !created {
		t.set("updated_at", stamp(m.now), "generated_timestamp", m.now)
	}
	return m.addAudit(t, n, auditID, authorOf(t, authorID, c), channel, events)
}

func (m *Model) addAudit(t *ticket, n int, auditID string, author model.Value, channel string, events []model.Value) *record {
	a := &record{n, auditID, model.Obj("author_id", author, "created_at", stamp(m.now), "events", events, "id", id(auditID),
		"metadata", metadata(), "ticket_id", id(t.id), "via", via(channel))}
	t.audits = append(t.audits, a)
	return a
}

func metadata() model.Value { return model.Obj("custom", model.Obj(), "system", model.Obj()) }

// changes are the fields that differ, as events without id and type.
func (m *Model) changes(old, now model.Value) (list []model.Value) {
	for _, name := range audited {
		was, is := audible(old.Get(name)), audible(now.Get(name))
		if old.Kind == model.Absent && (is.Kind == model.Null || is.Kind == model.Array && len(is.List) == 0 || is.Kind == model.String && is.Text == "") {
			continue
		}
		if was.String() != is.String() {
			list = append(list, model.Obj("field_name", name, "value", is, "previous_value", was))
		}
	}
	for _, f := range now.Get("custom_fields").List {
		var before model.Value
		for _, o := range old.Get("custom_fields").List {
			if o.Get("id").Text == f.Get("id").Text {
				before = o.Get("value")
			}
		}
		was, is := audible(before), audible(f.Get("value"))
		if was.String() != is.String() {
			list = append(list, model.Obj("field_name", f.Get("id").Text, "value", is, "previous_value", was))
		}
	}
	return list
}

// audible is a value as audits tell it: as a text, or as texts.
func audible(v model.Value) model.Value {
	switch v.Kind {
	case model.Absent, model.Null:
		return model.Nil
	case model.True:
		return model.Str("true")
	case model.False:
		return model.Str("false")
	case model.Array:
		list := make([]model.Value, len(v.List))
		for i, e := range v.List {
			list[i] = audible(e)
		}
		return model.Seq(list...)
	}
	return model.Str(v.Text)
}

// makePrivate hides a comment; a second time changes nothing.
func (m *Model) makePrivate(t *ticket, c *record, caller *record) {
	if !c.is("public") {
		return
	}
	c.set("public", false)
	m.commentAudit(t, c, caller, "CommentPrivacyChange", "public", false)
}

// redact blots a text out of a comment, its audit and the description.
func (m *Model) redact(t *ticket, c *record, text string, caller *record) {
	blot := strings.Repeat("▇", len([]rune(text)))
	old := c.text("body")
	body := strings.ReplaceAll(old, text, blot)
	change := func(v model.Value) model.Value {
		return v.With("body", body, "plain_body", body, "html_body", model.Any)
	}
	c.v = change(c.v)
	for _, a := range t.audits {
		events := slices.Clone(a.get("events").List)
		for i, e := range events {
			if e.Get("type").Text == "Comment" && e.Get("id").Text == c.id {
				events[i] = change(e)
			}
		}
		a.set("events", events)
	}
	if c == t.comments[0] {
		t.set("description", body)
	}
	m.commentAudit(t, c, caller, "CommentRedactionEvent")
}

// commentAudit records what was done to a comment.
func (m *Model) commentAudit(t *ticket, c, caller *record, kind string, more ...any) {
	n, auditID := m.mint(kindAudit)
	_, lineID := m.mint(kindLine)
	event := model.Obj("comment_id", id(c.id), "id", id(lineID), "type", kind).With(more...)
	t.set("updated_at", stamp(m.now), "generated_timestamp", m.now)
	m.addAudit(t, n, auditID, id(caller.id), "api", []model.Value{event})
}
