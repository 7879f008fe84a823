package zendesk

import (
	"bytes"
	"slices"
	"strconv"

	"worlds/journal/canon"
	"worlds/seed"
	"worlds/twin"
)

// Audit is one change of a ticket. The audits of a ticket, in order, tell all that
// ever became of it.
type Audit struct {
	AuthorID  int64       `json:"author_id"`
	CreatedAt Stamp       `json:"created_at"`
	Events    []canon.Raw `json:"events"`
	ID        int64       `json:"id"`
	Metadata  metadata    `json:"metadata"`
	TicketID  int64       `json:"ticket_id"`
	Via       via         `json:"via"`
}

var audits = twin.Resource[Audit]{
	Kind:  twin.Kind{Table: "zendesk.audit", Object: "audit"},
	Key:   func(a *Audit) string { return key(a.ID) },
	Terms: func(a *Audit) []string { return []string{"ticket=" + key(a.TicketID)} },
}

func auditAPI() twin.API {
	return twin.API{
		Kind: audits.Kind,
		Routes: []twin.Route{
			twin.On("GET /api/v2/tickets/{id}/audits", listAudits),
			twin.On("GET /api/v2/tickets/{id}/audits/count", countAudits),
			twin.On("GET /api/v2/tickets/{id}/audits/{audit}", showAudit),
		},
	}
}

// setEvent tells that a field has a value from the beginning.
type setEvent struct {
	FieldName string    `json:"field_name"`
	ID        int64     `json:"id"`
	Type      string    `json:"type"`
	Value     canon.Raw `json:"value"`
}

// changeEvent tells that a field's value changed.
type changeEvent struct {
	FieldName     string    `json:"field_name"`
	ID            int64     `json:"id"`
	PreviousValue canon.Raw `json:"previous_value"`
	Type          string    `json:"type"`
	Value         canon.Raw `json:"value"`
}

// commentEvent tells that something was said; its id is the comment's.
type commentEvent struct {
	Attachments []string `json:"attachments"`
	AuditID     *int64   `json:"audit_id"`
	AuthorID    int64    `json:"author_id"`
	Body        string   `json:"body"`
	HTMLBody    string   `json:"html_body"`
	ID          int64    `json:"id"`
	PlainBody   string   `json:"plain_body"`
	Public      bool     `json:"public"`
	Type        string   `json:"type"`
}

// privacyEvent tells that a comment was hidden.
type privacyEvent struct {
	CommentID int64  `json:"comment_id"`
	ID        int64  `json:"id"`
	Public    bool   `json:"public"`
	Type      string `json:"type"`
}

// redactionEvent tells that some of a comment was blotted out.
type redactionEvent struct {
	CommentID int64  `json:"comment_id"`
	ID        int64  `json:"id"`
	Type      string `json:"type"`
}

// newAudit begins an audit of a ticket.
func newAudit(tx *twin.Tx, ticket, author int64, m twin.Opt[canon.Raw]) Audit {
	return Audit{AuthorID: author, CreatedAt: stampOf(tx.Now()), ID: tx.Next(auditCounter), Metadata: metadataOf(m),
		TicketID: ticket, Via: viaOf(channelAPI)}
}

func (a *Audit) comment(_ *twin.Tx, c *Comment) { a.Events = append(a.Events, eventOf(c)) }

func eventOf(c *Comment) canon.Raw {
	return canon.Marshal(&commentEvent{AuditID: c.AuditID, AuthorID: c.AuthorID, Body: c.Body, HTMLBody: c.HTMLBody, ID: c.ID,
		PlainBody: c.PlainBody, Public: c.Public, Type: seed.AuditComment})
}

func (a *Audit) private(tx *twin.Tx, comment int64) {
	a.Events = append(a.Events, canon.Marshal(&privacyEvent{CommentID: comment, ID: tx.Next(lineCounter), Type: seed.AuditPrivacy}))
}

func (a *Audit) redacted(tx *twin.Tx, comment int64) {
	a.Events = append(a.Events, canon.Marshal(&redactionEvent{CommentID: comment, ID: tx.Next(lineCounter), Type: seed.AuditRedaction}))
}

// redactAudit blots the words out of the audit that first told of a comment too.
func redactAudit(tx *twin.Tx, c *Comment) {
	if c.AuditID == nil {
		return
	}
	a, ok := audits.Get(tx, key(*c.AuditID))
	if !ok {
		return
	}
	now := *a
	now.Events = slices.Clone(a.Events)
	for i, e := range now.Events {
		if raw, _ := canon.Get(e, "id"); string(raw) == key(c.ID) {
			told := *c
			public, _ := canon.Get(e, "public")
			told.Public = string(public) == "true" // as it was when it was said
			now.Events[i] = eventOf(&told)
		}
	}
	audits.Put(tx, &now)
}

// wasHidden reports whether an audit tells that a comment was made private.
func wasHidden(tx *twin.Tx, ticket, comment int64) bool {
	for a := range audits.With(tx, "ticket="+key(ticket)) {
		for _, e := range a.Events {
			kind, _ := canon.Get(e, "type")
			id, _ := canon.Get(e, "comment_id")
			if string(kind) == `"`+seed.AuditPrivacy+`"` && string(id) == key(comment) {
				return true
			}
		}
	}
	return false
}

// created tells of every field that a new ticket has.
func (a *Audit) created(tx *twin.Tx, t *Ticket) {
	for _, f := range told(t) {
		if !isNothing(f.value) {
			a.Events = append(a.Events, canon.Marshal(&setEvent{FieldName: f.name, ID: tx.Next(lineCounter), Type: seed.AuditCreate, Value: f.value}))
		}
	}
}

// changed tells of every field in which two states of a ticket differ.
func (a *Audit) changed(tx *twin.Tx, was, now *Ticket) {
	before := told(was)
	for _, f := range told(now) {
		old := canon.Raw("null")
		if i := slices.IndexFunc(before, func(p part) bool { return p.name == f.name }); i >= 0 {
			old = before[i].value
		}
		if bytes.Equal(old, f.value) {
			continue
		}
		a.Events = append(a.Events, canon.Marshal(&changeEvent{FieldName: f.name, ID: tx.Next(lineCounter), PreviousValue: old,
			Type: seed.AuditChange, Value: f.value}))
	}
}

func isNothing(v canon.Raw) bool {
	return string(v) == "null" || string(v) == "[]" || string(v) == `""`
}

// told lists the fields that audits tell of, with their values as audits write
// them: texts, null, or arrays of texts.
func told(t *Ticket) []part {
	fields := []part{
		{"subject", text(t.Subject)},
		{"status", text(t.Status)},
		{"priority", textValue(t.Priority)},
		{"type", textValue(t.Type)},
		{"requester_id", idValue(&t.RequesterID)},
		{"assignee_id", idValue(t.AssigneeID)},
		{"group_id", idValue(t.GroupID)},
		{"organization_id", idValue(t.OrganizationID)},
		{"problem_id", idValue(t.ProblemID)},
		{"external_id", textValue(t.ExternalID)},
		{"recipient", textValue(t.Recipient)},
		{"due_at", textValue((*string)(t.DueAt))},
		{"tags", listValue(t.Tags)},
		{"collaborator_ids", idsValue(t.CollaboratorIDs)},
		{"follower_ids", idsValue(t.FollowerIDs)},
		{"email_cc_ids", idsValue(t.EmailCCIDs)},
	}
	for _, f := range t.CustomFields {
		fields = append(fields, part{strconv.FormatInt(f.ID, 10), fieldText(f.Value)})
	}
	return fields
}

func textValue(s *string) canon.Raw {
	if s == nil {
		return canon.Raw("null")
	}
	return text(*s)
}

func idValue(id *int64) canon.Raw {
	if id == nil {
		return canon.Raw("null")
	}
	return text(key(*id))
}

func listValue(list []string) canon.Raw {
	values := make([]canon.Raw, len(list))
	for i, s := range list {
		values[i] = text(s)
	}
	return array(values)
}

func idsValue(ids []int64) canon.Raw {
	values := make([]canon.Raw, len(ids))
	for i, id := range ids {
		values[i] = text(key(id))
	}
	return array(values)
}

// fieldText is the value of a custom field as audits write it: numbers and
// booleans as texts.
func fieldText(v canon.Raw) canon.Raw {
	switch {
	case len(v) == 0:
		return canon.Raw("null")
	case v[0] == '"' || v[0] == 'n':
		return v
	case v[0] == '[':
		var values []canon.Raw
		for e := range canon.Elements(v) {
			values = append(values, fieldText(e))
		}
		return array(values)
	}
	return text(string(v))
}

type auditListParams struct {
	recordPath
	paging
	Include twin.Opt[string] `param:"include"`
}

func listAudits(tx *twin.Tx, p *auditListParams) (twin.Doc, *twin.Error) {
	if !live(tx.State().Get(tickets.Table, p.ID)) {
		return twin.Doc{}, errNotFound()
	}
	l := &listing{name: "audits", items: rowsWith(tx.State(), audits.Table, "ticket="+p.ID, nil), sorts: []string{"created_at"}}
	if included(p.Include, "users") {
		l.aside = func(shown []canon.Raw) []part {
			return []part{{"users", beside(tx, users.Table, shown, "author_id")}}
		}
	}
	return l.answer(tx, &p.paging)
}

func countAudits(tx *twin.Tx, p *ticketPath) (twin.Doc, *twin.Error) {
	if !live(tx.State().Get(tickets.Table, p.ID)) {
		return twin.Doc{}, errNotFound()
	}
	return countDoc(tx, len(rowsWith(tx.State(), audits.Table, "ticket="+p.ID, nil))), nil
}

type auditPath struct {
	recordPath
	Audit string `path:"audit"`
}

func showAudit(tx *twin.Tx, p *auditPath) (twin.Doc, *twin.Error) {
	row := tx.State().Get(audits.Table, p.Audit)
	if row == nil || !hasTerm(row, "ticket="+p.ID) || !live(tx.State().Get(tickets.Table, p.ID)) {
		return twin.Doc{}, errNotFound()
	}
	return twin.Doc{Body: object(part{"audit", row.Body})}, nil
}
