package zendesk

import (
	"strings"

	"worlds/journal/canon"
	"worlds/seed"
	"worlds/twin"
)

type createTicketParams struct {
	Ticket twin.Opt[newTicketParams] `param:"ticket" rule:"required"`
}

// newTicketParams are what a ticket may be created with: what can be changed
// later, and what is settled once.
type newTicketParams struct {
	ticketParams
	Description         twin.Opt[string] `param:"description" rule:"len=65536"`
	Recipient           twin.Opt[string] `param:"recipient" rule:"len=512"`
	SubmitterID         twin.Opt[int64]  `param:"submitter_id" rule:"empty"`
	ViaFollowupSourceID twin.Opt[int64]  `param:"via_followup_source_id" rule:"empty"`
}

func createTicket(tx *twin.Tx, p *createTicketParams) (twin.Doc, *twin.Error) {
	t, audit, err := makeTicket(tx, &p.Ticket.V)
	if err != nil {
		return twin.Doc{}, err
	}
	body, _ := tickets.Doc(tx, key(t.ID))
	return twin.Doc{Body: object(part{"audit", audit}, part{"ticket", body.Body}), Status: 201}, nil
}

// makeTicket stores a new ticket with its first comment and audit, which it
// returns.
func makeTicket(tx *twin.Tx, p *newTicketParams) (*Ticket, canon.Raw, *twin.Error) {
	me := caller(tx)
	c := p.Comment.V
	if !c.said() {
		c.Body = p.Description
	}
	if !c.said() {
		return nil, nil, errBlankDescription()
	}
	parent, err := p.followed(tx)
	if err != nil {
		return nil, nil, err
	}
	at := stampOf(tx.Now())
	t := Ticket{AllowAttachments: true, CreatedAt: at, RequesterID: me.ID, Status: statusNew, UpdatedAt: at,
		GeneratedTimestamp: int64(tx.Now()), Via: viaOf(channelAPI), IsPublic: true}
	if parent != nil {
		t.Via = followUpVia(parent)
	}
	if err := p.settle(tx, &t); err != nil {
		return nil, nil, err
	}
	submitter, _ := users.Get(tx, key(t.SubmitterID))
	author, err := c.author(tx, submitter)
	if err != nil {
		return nil, nil, err
	}
	t.ID = tx.Next(ticketCounter)
	t.URL = linkTo("tickets", t.ID)
	a := newAudit(tx, t.ID, author.ID, p.Metadata)
	comment := c.comment(tx, &a, author, c.Public.Or(true))
	t.Description, t.IsPublic = comment.Body, comment.Public
	a.comment(tx, &comment)
	a.created(tx, &t)
	body := audits.Put(tx, &a)
	doc := tickets.Put(tx, &t)
	solvedNow(tx, nil, &t)
	if parent != nil {
		follow(tx, parent, &t)
	}
	markProblem(tx, nil, t.ProblemID)
	tx.Emit("ticket.created", doc, nil)
	return &t, body.Body, nil
}

// settle fills a new ticket in. Its submitter, who writes the first comment, is the
// requester unless the request names one.
func (p *newTicketParams) settle(tx *twin.Tx, t *Ticket) *twin.Error {
	if s := p.SubmitterID; s.Given() {
		if _, ok := activeUser(tx, s.V); !ok {
			return errNoSuch("submitter_id", s.V)
		}
	}
	p.Recipient.Apply(&t.Recipient)
	if err := p.apply(tx, t); err != nil {
		return err
	}
	t.SubmitterID = p.SubmitterID.Or(t.RequesterID)
	if !p.OrganizationID.Sent() && t.OrganizationID == nil {
		requester, _ := users.Get(tx, key(t.RequesterID))
		t.OrganizationID = requester.OrganizationID
	}
	return p.move(t, statusNew, false)
}

// followed is the closed ticket that a new one follows, nil if it follows none.
func (p *newTicketParams) followed(tx *twin.Tx) (*Ticket, *twin.Error) {
	if !p.ViaFollowupSourceID.Given() {
		return nil, nil
	}
	id := p.ViaFollowupSourceID.V
	parent, ok := liveTicket(tx, key(id))
	if !ok {
		return nil, errNoSuch("via_followup_source_id", id)
	}
	if parent.Status != statusClosed {
		return nil, errField("base", invalidValue, "a follow-up can only be created from a closed ticket; %d is %s", id, parent.Status)
	}
	return parent, nil
}

func followUpVia(parent *Ticket) via {
	rel := "follow_up"
	return via{Channel: channelAPI, Source: source{
		From: object(part{"channel", text(parent.Via.Channel)}, part{"subject", text(parent.Subject)}, part{"ticket_id", number(parent.ID)}),
		Rel:  &rel, To: canon.Raw("{}"),
	}}
}

// follow notes a follow-up on the ticket it follows, and where it came from.
func follow(tx *twin.Tx, parent, t *Ticket) {
	now := *parent
	now.FollowupIDs = append(append([]int64(nil), now.FollowupIDs...), t.ID)
	tickets.Put(tx, &now)
	l := lifeOf(tx, t.ID)
	l.FollowupSourceID = &parent.ID
	lives.Put(tx, &l)
}

// markProblem keeps has_incidents of the problems that an incident left and joined, of
// deleted ones too: they can be restored.
func markProblem(tx *twin.Tx, was, is *int64) {
	for _, id := range []*int64{was, is} {
		if id == nil || orZero(was) == orZero(is) {
			continue
		}
		t, ok := tickets.Get(tx, key(*id))
		if !ok {
			continue
		}
		has := false
		for range tickets.With(tx, "problem="+key(*id)) {
			has = true
			break
		}
		if t.HasIncidents != has {
			now := *t
			now.HasIncidents = has
			tickets.Put(tx, &now)
		}
	}
}

// requesterParams name a requester who may have to be made: whoever is made needs a name.
type requesterParams struct {
	Email twin.Opt[string] `param:"email"`
	Name  twin.Opt[string] `param:"name" rule:"len=255"`
}

// find is the user of the address, made an end user if there is none.
func (p *requesterParams) find(tx *twin.Tx) (*User, *twin.Error) {
	if u, ok := userByEmail(tx, p.Email.V); ok && p.Email.Given() {
		return u, nil
	}
	if strings.TrimSpace(p.Name.V) == "" {
		return nil, errNameless()
	}
	u := userParams{Name: p.Name, Role: twin.Set(seed.RoleEndUser)}
	if p.Email.Given() {
		u.Email = p.Email
	}
	return makeUser(tx, &u)
}
