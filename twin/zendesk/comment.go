package zendesk

import (
	"strings"

	"worlds/journal/canon"
	"worlds/projection"
	"worlds/twin"
)

// Comment is one thing said on a ticket. It is only ever made by creating or
// changing the ticket.
type Comment struct {
	Attachments []string `json:"attachments"`
	AuditID     *int64   `json:"audit_id"`
	AuthorID    int64    `json:"author_id"`
	Body        string   `json:"body"`
	CreatedAt   Stamp    `json:"created_at"`
	HTMLBody    string   `json:"html_body"`
	ID          int64    `json:"id"`
	Metadata    metadata `json:"metadata"`
	PlainBody   string   `json:"plain_body"`
	Public      bool     `json:"public"`
	Type        string   `json:"type"`
	Via         via      `json:"via"`

	ticket int64 // whose comment it is; an index term, no member
}

// metadata is what is known about how something was said.
type metadata struct {
	Custom canon.Raw `json:"custom"`
	System canon.Raw `json:"system"`
}

func metadataOf(p twin.Opt[canon.Raw]) metadata {
	m := metadata{Custom: canon.Raw("{}"), System: canon.Raw("{}")}
	if p.Given() && p.V[0] == '{' {
		m.Custom = p.V
	}
	return m
}

var comments = twin.Resource[Comment]{
	Kind:  twin.Kind{Table: "zendesk.comment", Object: "comment"},
	Key:   func(c *Comment) string { return key(c.ID) },
	Terms: func(c *Comment) []string { return []string{"ticket=" + key(c.ticket)} },
}

func commentAPI() twin.API {
	return twin.API{
		Kind: comments.Kind,
		Routes: []twin.Route{
			twin.On("GET /api/v2/tickets/{id}/comments", listComments),
			twin.On("GET /api/v2/tickets/{id}/comments/count", countComments),
			twin.On("PUT /api/v2/tickets/{id}/comments/{comment}/make_private", makePrivate),
			twin.On("PUT /api/v2/tickets/{id}/comments/{comment}/redact", redactComment),
		},
	}
}

type commentParams struct {
	AuthorID twin.Opt[int64]     `param:"author_id"`
	Body     twin.Opt[string]    `param:"body" rule:"len=65536"`
	HTMLBody twin.Opt[string]    `param:"html_body" rule:"len=65536"`
	Public   twin.Opt[bool]      `param:"public"`
	Uploads  twin.Opt[canon.Raw] `param:"uploads"`
	Value    twin.Opt[string]    `param:"value" rule:"len=65536"` // an older name of body
}

// text is the body, by either of its names.
func (p *commentParams) text() string { return p.Body.Or(p.Value.V) }

// said reports whether there is anything to read.
func (p *commentParams) said() bool {
	if p.HTMLBody.Given() {
		return plainText(cleanHTML(p.HTMLBody.V)) != ""
	}
	return strings.TrimSpace(p.text()) != ""
}

// author is who speaks: the caller, unless the request names somebody.
func (p *commentParams) author(tx *twin.Tx, me *User) (*User, *twin.Error) {
	if p.Uploads.Given() && string(p.Uploads.V) != "[]" {
		return nil, errUnserved("attachments (comment[uploads])")
	}
	if !p.AuthorID.Given() {
		return me, nil
	}
	u, ok := activeUser(tx, p.AuthorID.V)
	if !ok {
		return nil, errNoSuch("author_id", p.AuthorID.V)
	}
	return u, nil
}

// comment stores what the request says under an audit.
func (p *commentParams) comment(tx *twin.Tx, a *Audit, author *User, public bool) Comment {
	c := newComment(tx, a, author.ID, public)
	if p.HTMLBody.Given() {
		c.HTMLBody = cleanHTML(p.HTMLBody.V)
		c.Body = plainText(c.HTMLBody)
		c.PlainBody = c.Body
	} else {
		c.speak(p.text())
	}
	comments.Put(tx, &c)
	return c
}

// newComment is a comment without words.
func newComment(tx *twin.Tx, a *Audit, author int64, public bool) Comment {
	return Comment{AuditID: &a.ID, AuthorID: author, CreatedAt: a.CreatedAt, ID: tx.Next(lineCounter), Metadata: a.Metadata,
		Public: public, Type: "Comment", Via: a.Via, ticket: a.TicketID}
}

// speak sets the words of a comment from plain text.
func (c *Comment) speak(body string) {
	c.Body, c.PlainBody, c.HTMLBody = body, body, htmlText(body)
}

// commentsOf gathers the comments of a ticket, oldest first.
func commentsOf(tx *twin.Tx, ticket int64) []item {
	return rowsWith(tx.State(), comments.Table, "ticket="+key(ticket), nil)
}

// anyPublic reports whether an end user can read any of a ticket's comments.
func anyPublic(tx *twin.Tx, ticket int64) bool {
	for c := range comments.With(tx, "ticket="+key(ticket)) {
		if c.Public {
			return true
		}
	}
	return false
}

// firstPublic reports whether a ticket began in public, as its audits tell: later
// comments are as the first one was, unless they say otherwise.
func firstPublic(tx *twin.Tx, t *Ticket) bool {
	for c := range comments.With(tx, "ticket="+key(t.ID)) {
		return c.Public || wasHidden(tx, t.ID, c.ID)
	}
	return t.IsPublic // a seed's, without a word
}

type commentListParams struct {
	recordPath
	paging
	Include twin.Opt[string] `param:"include"`
}

func listComments(tx *twin.Tx, p *commentListParams) (twin.Doc, *twin.Error) {
	row := tx.State().Get(tickets.Table, p.ID)
	if !live(row) {
		return twin.Doc{}, errNotFound()
	}
	id, _ := pathID(p.ID)
	l := &listing{name: "comments", items: commentsOf(tx, id), sorts: []string{"created_at"}}
	if included(p.Include, "users") {
		l.aside = func(shown []canon.Raw) []part {
			return []part{{"users", beside(tx, users.Table, shown, "author_id")}}
		}
	}
	return l.answer(tx, &p.paging)
}

func countComments(tx *twin.Tx, p *ticketPath) (twin.Doc, *twin.Error) {
	if !live(tx.State().Get(tickets.Table, p.ID)) {
		return twin.Doc{}, errNotFound()
	}
	id, _ := pathID(p.ID)
	return countDoc(tx, len(commentsOf(tx, id))), nil
}

type commentPath struct {
	recordPath
	Comment string `path:"comment"`
}

// find is a comment of a ticket that can still change: copies.
func (p *commentPath) find(tx *twin.Tx) (*Ticket, *Comment, *twin.Error) {
	t, ok := liveTicket(tx, p.ID)
	row := tx.State().Get(comments.Table, p.Comment)
	if !ok || row == nil || !hasTerm(row, "ticket="+p.ID) {
		return nil, nil, errNotFound()
	}
	if t.Status == statusClosed {
		return nil, nil, errClosed()
	}
	c := comments.Decode(row)
	c.ticket = t.ID
	return t, c, nil
}

func hasTerm(row *projection.Row, term string) bool {
	for _, t := range row.Terms {
		if t == term {
			return true
		}
	}
	return false
}

// makePrivate hides a comment from end users; it cannot be shown again.
func makePrivate(tx *twin.Tx, p *commentPath) (twin.Doc, *twin.Error) {
	t, c, err := p.find(tx)
	if err != nil || !c.Public {
		return twin.Doc{Body: canon.Raw("{}")}, err
	}
	c.Public = false
	comments.Put(tx, c)
	now := *t
	now.IsPublic = anyPublic(tx, t.ID)
	_, err = store(tx, t, &now, twin.Opt[canon.Raw]{}, func(a *Audit) { a.private(tx, c.ID) }, caller(tx).ID)
	return twin.Doc{Body: canon.Raw("{}")}, err
}

type redactParams struct {
	commentPath
	Text twin.Opt[string] `param:"text" rule:"required"`
}

// redactMark stands for one redacted character.
const redactMark = "▇"

// redactComment blots out a text wherever the comment holds it.
func redactComment(tx *twin.Tx, p *redactParams) (twin.Doc, *twin.Error) {
	t, c, err := p.find(tx)
	if err != nil {
		return twin.Doc{}, err
	}
	if p.Text.V == "" || !strings.Contains(c.Body, p.Text.V) {
		return twin.Doc{}, errField("text", invalidValue, "is not in the comment")
	}
	blot := strings.Repeat(redactMark, len([]rune(p.Text.V)))
	c.speak(strings.ReplaceAll(c.Body, p.Text.V, blot))
	doc := comments.Put(tx, c)
	redactAudit(tx, c)
	now := *t
	if all := commentsOf(tx, t.ID); len(all) > 0 && all[0].id == c.ID {
		now.Description = c.Body
	}
	_, err = store(tx, t, &now, twin.Opt[canon.Raw]{}, func(a *Audit) { a.redacted(tx, c.ID) }, caller(tx).ID)
	return wrapped("comment", doc), err
}
