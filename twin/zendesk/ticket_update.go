package zendesk

import (
	"bytes"
	"slices"
	"strings"

	"worlds/journal/canon"
	"worlds/journal/mutant"
	"worlds/twin"
)

// ticketParams are what can be changed of a ticket.
type ticketParams struct {
	copiesParams
	AssigneeEmail   twin.Opt[string]             `param:"assignee_email" rule:"empty"`
	AssigneeID      twin.Opt[int64]              `param:"assignee_id" rule:"empty"`
	CollaboratorIDs twin.Opt[[]int64]            `param:"collaborator_ids"`
	Comment         twin.Opt[commentParams]      `param:"comment"`
	CustomFields    twin.Opt[[]fieldValueParams] `param:"custom_fields"`
	DueAt           twin.Opt[string]             `param:"due_at" rule:"empty"`
	EmailCCIDs      twin.Opt[[]int64]            `param:"email_cc_ids"`
	ExternalID      twin.Opt[string]             `param:"external_id" rule:"empty,len=255"`
	FollowerIDs     twin.Opt[[]int64]            `param:"follower_ids"`
	GroupID         twin.Opt[int64]              `param:"group_id" rule:"empty"`
	Metadata        twin.Opt[canon.Raw]          `param:"metadata"`
	OrganizationID  twin.Opt[int64]              `param:"organization_id" rule:"empty"`
	Priority        twin.Opt[string]             `param:"priority" rule:"empty,enum=urgent|high|normal|low"`
	ProblemID       twin.Opt[int64]              `param:"problem_id" rule:"empty"`
	Requester       twin.Opt[requesterParams]    `param:"requester"`
	RequesterID     twin.Opt[int64]              `param:"requester_id"`
	Status          twin.Opt[string]             `param:"status" rule:"enum=new|open|pending|hold|solved|closed"`
	Subject         twin.Opt[string]             `param:"subject" rule:"empty,len=255"`
	Tags            twin.Opt[[]string]           `param:"tags"`
	Type            twin.Opt[string]             `param:"type" rule:"empty,enum=problem|incident|question|task"`
}

type fieldValueParams struct {
	ID    twin.Opt[int64]     `param:"id" rule:"required"`
	Value twin.Opt[canon.Raw] `param:"value" rule:"empty"`
}

// changeTicketParams change a ticket: tags may be added to and taken from those there
// are.
type changeTicketParams struct {
	ticketParams
	guardParams
	AdditionalTags twin.Opt[canon.Raw] `param:"additional_tags"`
	RemoveTags     twin.Opt[canon.Raw] `param:"remove_tags"`
}

// on is the change with its tags made whole for a ticket.
func (p *changeTicketParams) on(t *Ticket) (*changeTicketParams, *twin.Error) {
	change := *p
	more, err := tagWords("additional_tags", p.AdditionalTags)
	if err != nil {
		return nil, err
	}
	gone, err := tagWords("remove_tags", p.RemoveTags)
	if err != nil {
		return nil, err
	}
	if p.AdditionalTags.Given() || p.RemoveTags.Given() {
		tags := t.Tags
		if p.Tags.Given() {
			tags = p.Tags.V
		}
		change.Tags = twin.Set(lessTags(plusTags(tags, more), gone))
	}
	return &change, nil
}

// tagWords are tags to add or to take away: a list, or a text of them.
func tagWords(name string, p twin.Opt[canon.Raw]) ([]string, *twin.Error) {
	if !p.Given() {
		return nil, nil
	}
	if s, ok := canon.Unquote(p.V); ok {
		return []string{s}, nil
	}
	if p.V[0] != '[' {
		return nil, errField(name, invalidValue, "must be of type array")
	}
	var tags []string
	for e := range canon.Elements(p.V) {
		s, ok := canon.Unquote(e)
		if !ok {
			return nil, errField(name, invalidValue, "must be of type string")
		}
		tags = append(tags, s)
	}
	return tags, nil
}

// guardParams let a change happen only to a ticket that is as the client saw it.
type guardParams struct {
	SafeUpdate   twin.Opt[canon.Raw] `param:"safe_update"` // Zendesk's own examples send a text
	UpdatedStamp twin.Opt[string]    `param:"updated_stamp"`
}

// guard refuses a change of a ticket that has changed since.
func (p *guardParams) guard(t *Ticket) *twin.Error {
	switch string(p.SafeUpdate.V) {
	case "", "false", `"false"`:
		return nil
	case "true", `"true"`:
		if seen, ok := parseMoment(p.UpdatedStamp.V); !ok || seen != t.UpdatedAt.unix() {
			return errConflict()
		}
		return nil
	}
	return errField("safe_update", invalidValue, "must be of type boolean")
}

type updateTicketParams struct {
	recordPath
	Ticket twin.Opt[changeTicketParams] `param:"ticket" rule:"required"`
}

func updateTicket(tx *twin.Tx, p *updateTicketParams) (twin.Doc, *twin.Error) {
	t, ok := liveTicket(tx, p.ID)
	if !ok {
		return twin.Doc{}, errNotFound()
	}
	change, err := p.Ticket.V.on(t)
	if err != nil {
		return twin.Doc{}, err
	}
	audit, err := changeTicket(tx, t, change)
	if err != nil {
		return twin.Doc{}, err
	}
	body, _ := tickets.Doc(tx, p.ID)
	return twin.Doc{Body: object(part{"audit", audit}, part{"ticket", body.Body})}, nil
}

// changeTicket applies a change to a ticket and returns its audit, nil when
// nothing changed.
func changeTicket(tx *twin.Tx, t *Ticket, p *changeTicketParams) (canon.Raw, *twin.Error) {
	if t.Status == statusClosed && !mutant.Is("closed-ticket-changes") {
		return nil, errClosed()
	}
	if err := p.guard(t); err != nil {
		return nil, err
	}
	now := *t
	if err := p.apply(tx, &now); err != nil {
		return nil, err
	}
	me := caller(tx)
	c, said := p.Comment.V, p.Comment.V.said()
	author, err := c.author(tx, me)
	if err != nil {
		return nil, err
	}
	public := c.Public.Or(firstPublic(tx, t)) || !author.staff()
	if err := p.move(&now, t.Status, said && public && author.ID == now.RequesterID); err != nil {
		return nil, err
	}
	return store(tx, t, &now, p.Metadata, func(a *Audit) {
		if said {
			comment := c.comment(tx, a, author, public)
			a.comment(tx, &comment)
			now.IsPublic = now.IsPublic || comment.Public
		}
	}, me.ID)
}

// store writes a changed ticket with an audit by author that tells of the change;
// say adds what comes before it. Nothing is written when nothing changed.
func store(tx *twin.Tx, was, now *Ticket, metadata twin.Opt[canon.Raw], say func(*Audit), author int64) (canon.Raw, *twin.Error) {
	before := tx.Savepoint()
	a := newAudit(tx, was.ID, author, metadata)
	say(&a)
	a.changed(tx, was, now)
	if len(a.Events) == 0 {
		tx.Rollback(before)
		return nil, nil
	}
	now.UpdatedAt, now.GeneratedTimestamp = stampOf(tx.Now()), int64(tx.Now())
	var body twin.Doc
	if mutant.Is("audit-left-out") {
		body.Body = canon.Marshal(&a)
	} else {
		body = audits.Put(tx, &a)
	}
	doc, previous, _ := tickets.Replace(tx, now)
	solvedNow(tx, was, now)
	markProblem(tx, was.ProblemID, now.ProblemID)
	tx.Emit("ticket.updated", doc, previous)
	return body.Body, nil
}

// apply changes the named fields, and only those; the status is move's.
func (p *ticketParams) apply(tx *twin.Tx, t *Ticket) *twin.Error {
	for _, step := range [...]func(*twin.Tx, *Ticket) *twin.Error{p.applyRequester, p.applyAssignee, p.applyRefs, p.applyFields} {
		if err := step(tx, t); err != nil {
			return err
		}
	}
	if p.Subject.Sent() {
		t.Subject = p.Subject.V
		t.RawSubject = t.Subject
	}
	if p.Tags.Given() {
		t.Tags = tagsOf(p.Tags.V)
	}
	p.Priority.Apply(&t.Priority)
	p.ExternalID.Apply(&t.ExternalID)
	if p.DueAt.Cleared() {
		t.DueAt = nil
	}
	if p.DueAt.Given() {
		unix, ok := parseMoment(p.DueAt.V)
		if !ok {
			return errField("due_at", invalidValue, "%s is not a valid date", p.DueAt.V)
		}
		t.DueAt = stampOrNull(unix)
	}
	if p.Metadata.Given() && bytes.Contains(p.Metadata.V, []byte(twin.Origin)) {
		return errField("metadata", invalidValue, "is not valid")
	}
	return nil
}

func (p *ticketParams) applyRequester(tx *twin.Tx, t *Ticket) *twin.Error {
	was := t.RequesterID
	var u *User
	switch {
	case p.RequesterID.Given():
		var ok bool
		if u, ok = activeUser(tx, p.RequesterID.V); !ok {
			return errNoSuch("requester_id", p.RequesterID.V)
		}
	case p.Requester.Given():
		var err *twin.Error
		if u, err = p.Requester.V.find(tx); err != nil {
			return err
		}
	default:
		return nil
	}
	if t.RequesterID = u.ID; u.ID != was && t.ID != 0 && !p.OrganizationID.Sent() {
		t.OrganizationID = u.OrganizationID
	}
	return nil
}

// applyAssignee keeps assignee and group together: an assignee is in the group,
// and brings a group along.
func (p *ticketParams) applyAssignee(tx *twin.Tx, t *Ticket) *twin.Error {
	id, sent := p.AssigneeID.V, p.AssigneeID.Sent()
	if p.AssigneeEmail.Given() && !sent {
		u, ok := userByEmail(tx, p.AssigneeEmail.V)
		if !ok {
			return errField("assignee_email", invalidValue, "%s is not valid", p.AssigneeEmail.V)
		}
		id, sent = u.ID, true
	}
	if g := p.GroupID; g.Given() && !groupExists(tx, g.V) {
		return errNoSuch("group_id", g.V)
	}
	p.GroupID.Apply(&t.GroupID)
	if sent && id == 0 {
		t.AssigneeID = nil
		return nil
	}
	if !sent {
		if g := t.GroupID; p.GroupID.Given() && t.AssigneeID != nil && !inGroup(tx, *t.AssigneeID, *g) {
			t.AssigneeID = nil // left behind by a move to a group it is not in
		}
		return nil
	}
	u, ok := activeUser(tx, id)
	if !ok || !u.staff() {
		return errNoSuch("assignee_id", id)
	}
	t.AssigneeID = &u.ID
	switch {
	case t.GroupID != nil && inGroup(tx, u.ID, *t.GroupID):
	case p.GroupID.Given():
		return errField("assignee_id", invalidValue, "%d is not a member of group %d", u.ID, p.GroupID.V)
	default:
		t.GroupID = u.DefaultGroupID
	}
	return nil
}

func (p *ticketParams) applyRefs(tx *twin.Tx, t *Ticket) *twin.Error {
	if o := p.OrganizationID; o.Given() && !organizationExists(tx, o.V) {
		return errNoSuch("organization_id", o.V)
	}
	p.OrganizationID.Apply(&t.OrganizationID)
	p.Type.Apply(&t.Type)
	if orZero(t.Type) != "incident" {
		t.ProblemID = nil
	}
	if id := p.ProblemID; id.Given() {
		problem, ok := liveTicket(tx, key(id.V))
		if !ok || orZero(problem.Type) != "problem" || orZero(t.Type) != "incident" {
			return errNoSuch("problem_id", id.V)
		}
	}
	p.ProblemID.Apply(&t.ProblemID)
	for _, list := range [...]struct {
		name string
		p    twin.Opt[[]int64]
		into *[]int64
	}{
		{"collaborator_ids", p.CollaboratorIDs, &t.CollaboratorIDs},
		{"email_cc_ids", p.EmailCCIDs, &t.EmailCCIDs},
		{"follower_ids", p.FollowerIDs, &t.FollowerIDs},
	} {
		if !list.p.Given() {
			continue
		}
		ids := inOrder(list.p.V)
		for _, id := range ids {
			if _, ok := activeUser(tx, id); !ok {
				return errNoSuch(list.name, id)
			}
		}
		*list.into = ids
	}
	return p.copiesParams.apply(tx, t)
}

// applyFields sets custom fields by id; null unsets one.
func (p *ticketParams) applyFields(_ *twin.Tx, t *Ticket) *twin.Error {
	if !p.CustomFields.Given() {
		return nil
	}
	fields := slices.Clone(t.CustomFields)
	for _, f := range p.CustomFields.V {
		if f.ID.V < 1 || f.Value.Given() && !plainValue(f.Value.V) {
			return errField("custom_fields", invalidValue, "%d is not valid", f.ID.V)
		}
		i, found := slices.BinarySearchFunc(fields, f.ID.V, func(v fieldValue, id int64) int { return int(v.ID - id) })
		if !found {
			fields = slices.Insert(fields, i, fieldValue{ID: f.ID.V})
		}
		fields[i].Value = f.Value.V
	}
	t.CustomFields, t.Fields = fields, fields
	return nil
}

// move settles the status: what the request asks for, else what an assignee or a
// word of the requester make of it. was is the status before, new for a ticket
// that is being made.
func (p *ticketParams) move(t *Ticket, was string, asked bool) *twin.Error {
	want := p.Status.Or(was)
	switch {
	case want == statusNew && was != statusNew:
		return errRecord("status", problem{Description: "Status: a ticket cannot go back to new"})
	case !p.Status.Given() && asked && reopens(was):
		want = statusOpen
	}
	if want == statusNew && t.AssigneeID != nil {
		want = statusOpen
	}
	if want == statusSolved && t.AssigneeID == nil && !mutant.Is("solved-by-nobody") {
		return errSolvedUnassigned()
	}
	t.Status = want
	return nil
}

// reopens reports whether a word of the requester opens a ticket again.
func reopens(status string) bool {
	return status == statusPending || status == statusHold || status == statusSolved && !mutant.Is("requester-does-not-reopen")
}

// tagsOf is a set of tags as tickets keep it: in lower case, in order, each once.
func tagsOf(list []string) []string {
	var out []string
	for _, t := range list {
		out = append(out, strings.FieldsFunc(lower(t), func(c rune) bool { return c <= ' ' || c == ',' })...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}
