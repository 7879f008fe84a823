package zendesk

import (
	"worlds/journal/canon"
	"worlds/projection"
	"worlds/seed"
	"worlds/twin"
)

// Life is what the twin knows of a ticket beyond its wire shape.
type Life struct {
	CloseAt          int64   `json:"close_at"` // the sweep that closes it, 0 for none
	DeletedAt        *Stamp  `json:"deleted_at"`
	DeletedBy        *int64  `json:"deleted_by"`
	FollowupSourceID *int64  `json:"followup_source_id"`
	ID               int64   `json:"id"`
	PreviousStatus   *string `json:"previous_status"` // of a deleted ticket
	SolvedAt         *Stamp  `json:"solved_at"`
}

var lives = twin.Resource[Life]{
	Kind: twin.Kind{Table: "zendesk.life", Object: "life"},
	Key:  func(l *Life) string { return key(l.ID) },
	Terms: func(l *Life) []string {
		if l.DeletedAt == nil {
			return nil
		}
		return []string{"deleted=true"}
	},
	Due: func(l *Life) int64 { return l.CloseAt },
}

func lifeAPI() twin.API {
	return twin.API{
		Kind: lives.Kind,
		Routes: []twin.Route{
			twin.On("DELETE /api/v2/tickets/{id}", deleteTicket),
			twin.On("GET /api/v2/deleted_tickets", listDeletedTickets),
			twin.On("PUT /api/v2/deleted_tickets/{id}/restore", restoreTicket),
		},
		Fire: closeTicket,
	}
}

// lifeOf is what is known of a ticket: a copy, empty if there is nothing.
func lifeOf(tx *twin.Tx, ticket int64) Life {
	if l, ok := lives.Get(tx, key(ticket)); ok {
		return *l
	}
	return Life{ID: ticket}
}

// solvedNow keeps when a ticket was solved, and with it when it will be closed.
// was is nil for a new ticket.
func solvedNow(tx *twin.Tx, was, now *Ticket) {
	before := ""
	if was != nil {
		before = was.Status
	}
	if before == now.Status {
		return
	}
	old := lifeOf(tx, now.ID)
	l := old
	switch now.Status {
	case statusSolved:
		at := stampOf(tx.Now())
		l.SolvedAt, l.CloseAt = &at, account(tx).closure().CloseAt(int64(tx.Now()))
	case statusClosed:
		l.CloseAt = 0
	default:
		l.SolvedAt, l.CloseAt = nil, 0
	}
	if l != old {
		lives.Put(tx, &l)
	}
}

// closeTicket is what a sweep does to a ticket that has been solved long enough.
func closeTicket(tx *twin.Tx, id string) error {
	l, _ := lives.Get(tx, id)
	t, ok := liveTicket(tx, id)
	if !ok || t.Status != statusSolved {
		spent := *l
		spent.CloseAt = 0
		lives.Put(tx, &spent)
		return nil
	}
	now := *t
	now.Status = statusClosed
	author := account(tx).CloseAuthorID
	_, err := store(tx, t, &now, twin.Opt[canon.Raw]{}, func(a *Audit) { a.Via = viaOf(channelRule) }, author)
	if err != nil {
		return err
	}
	return nil
}

// deleteTicket takes a ticket out of every list; it can be restored.
func deleteTicket(tx *twin.Tx, p *ticketPath) (twin.Doc, *twin.Error) {
	t, ok := liveTicket(tx, p.ID)
	if !ok {
		return twin.Doc{}, errNotFound()
	}
	removeTicket(tx, t)
	return noContent(), nil
}

func removeTicket(tx *twin.Tx, t *Ticket) {
	at, by, status := stampOf(tx.Now()), caller(tx).ID, t.Status
	l := lifeOf(tx, t.ID)
	l.CloseAt, l.DeletedAt, l.DeletedBy, l.PreviousStatus = 0, &at, &by, &status
	lives.Put(tx, &l)
	now := *t
	now.Status, now.UpdatedAt, now.GeneratedTimestamp = statusDeleted, at, int64(tx.Now())
	doc := tickets.Put(tx, &now)
	tx.Emit("ticket.deleted", doc, nil)
	markProblem(tx, t.ProblemID, nil)
}

// deletedTicket is a deleted ticket as its list shows it.
type deletedTicket struct {
	Actor         deletedBy `json:"actor"`
	DeletedAt     Stamp     `json:"deleted_at"`
	Description   string    `json:"description"`
	ID            int64     `json:"id"`
	PreviousState string    `json:"previous_state"`
	Subject       string    `json:"subject"`
}

type deletedBy struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
}

func listDeletedTickets(tx *twin.Tx, p *paging) (twin.Doc, *twin.Error) {
	l := &listing{name: "deleted_tickets", items: rowsWith(tx.State(), lives.Table, "deleted=true", nil)}
	l.dress = func(body canon.Raw) canon.Raw {
		life := lives.Decode(&projection.Row{Body: body})
		t, _ := tickets.Get(tx, key(life.ID))
		by, _ := users.Get(tx, key(*life.DeletedBy))
		return canon.Marshal(&deletedTicket{Actor: deletedBy{by.ID, by.Name}, DeletedAt: *life.DeletedAt, Description: t.Description,
			ID: t.ID, PreviousState: *life.PreviousStatus, Subject: t.Subject})
	}
	return l.answer(tx, p)
}

// restoreTicket gives a deleted ticket its status back.
func restoreTicket(tx *twin.Tx, p *ticketPath) (twin.Doc, *twin.Error) {
	l, ok := lives.Get(tx, p.ID)
	if !ok || l.DeletedAt == nil {
		return twin.Doc{}, errNotFound()
	}
	t, _ := tickets.Get(tx, p.ID)
	now, life := *t, *l
	now.Status, now.UpdatedAt, now.GeneratedTimestamp = *l.PreviousStatus, stampOf(tx.Now()), int64(tx.Now())
	life.DeletedAt, life.DeletedBy, life.PreviousStatus = nil, nil, nil
	if now.Status == statusSolved && life.SolvedAt != nil {
		life.CloseAt = nextSweep(account(tx).closure(), life.SolvedAt.unix(), int64(tx.Now()))
	}
	lives.Put(tx, &life)
	doc := tickets.Put(tx, &now)
	markProblem(tx, nil, now.ProblemID)
	tx.Emit("ticket.restored", doc, nil)
	return twin.Doc{Body: canon.Raw("{}")}, nil
}

// nextSweep is the sweep that closes a ticket solved at solved, no earlier than
// after now.
func nextSweep(c seed.ZendeskClosure, solved, now int64) int64 {
	at := c.CloseAt(solved)
	if at == 0 || at > now {
		return at
	}
	return c.CloseAt(now + 1 - c.AfterHours*3600)
}
