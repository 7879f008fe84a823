package zendesk

import (
	"slices"
	"strings"

	"worlds/twin"
)

// Bulk requests name up to a hundred tickets and are answered with a job.

func bulkAPI() twin.API {
	return twin.API{
		Routes: []twin.Route{
			twin.On("POST /api/v2/tickets/create_many", createManyTickets),
			twin.On("PUT /api/v2/tickets/update_many", updateManyTickets),
			twin.On("DELETE /api/v2/tickets/destroy_many", destroyManyTickets),
			twin.On("POST /api/v2/tickets/{id}/merge", mergeTickets),
		},
	}
}

func splitList(s string) []string {
	return strings.FieldsFunc(s, func(c rune) bool { return c == ',' || c == ' ' })
}

type createManyParams struct {
	Tickets twin.Opt[[]newTicketParams] `param:"tickets" rule:"required"`
}

func createManyTickets(tx *twin.Tx, p *createManyParams) (twin.Doc, *twin.Error) {
	list := p.Tickets.V
	if len(list) > bulkMax {
		return twin.Doc{}, errTooManyIDs()
	}
	return run(tx, "Bulk Create Ticket", len(list), func(i int) (jobResult, *twin.Error) {
		index := int64(i)
		r := jobResult{Action: "create", Index: &index, Status: "Created", Success: true}
		t, _, err := makeTicket(tx, &list[i])
		if err == nil {
			r.ID = &t.ID
		}
		return r, err
	}), nil
}

// bulkTicketParams change one of many tickets.
type bulkTicketParams struct {
	changeTicketParams
	ID twin.Opt[int64] `param:"id"`
}

type updateManyParams struct {
	IDs     twin.Opt[string]             `param:"ids"`
	Ticket  twin.Opt[bulkTicketParams]   `param:"ticket"`
	Tickets twin.Opt[[]bulkTicketParams] `param:"tickets"`
}

// updateManyTickets makes one change to the tickets that ids names, or each
// ticket's own.
func updateManyTickets(tx *twin.Tx, p *updateManyParams) (twin.Doc, *twin.Error) {
	changes := p.Tickets.V
	if p.IDs.Given() {
		if !p.Ticket.Given() {
			return twin.Doc{}, errAttribute("ticket", "must be a hash")
		}
		ids, err := idList(p.IDs.V)
		if err != nil {
			return twin.Doc{}, err
		}
		changes = nil
		for _, id := range ids {
			change := p.Ticket.V
			change.ID = twin.Set(id)
			changes = append(changes, change)
		}
	} else if p.Ticket.Given() {
		return twin.Doc{}, errAttribute("ids", "is missing")
	} else if !p.Tickets.Given() {
		return twin.Doc{}, errAttribute("tickets", "must be an array")
	}
	if len(changes) > bulkMax {
		return twin.Doc{}, errTooManyIDs()
	}
	return run(tx, "Bulk Update Ticket", len(changes), func(i int) (jobResult, *twin.Error) {
		index, id := int64(i), changes[i].ID.V
		r := jobResult{Action: "update", ID: &id, Index: &index, Status: "Updated", Success: true}
		t, ok := liveTicket(tx, key(id))
		if !ok {
			return r, errNotFound()
		}
		change, err := changes[i].on(t)
		if err == nil {
			_, err = changeTicket(tx, t, change)
		}
		return r, err
	}), nil
}

type destroyManyParams struct {
	IDs twin.Opt[string] `param:"ids" rule:"required"`
}

func destroyManyTickets(tx *twin.Tx, p *destroyManyParams) (twin.Doc, *twin.Error) {
	return destroyMany(tx, "Bulk Delete Ticket", p, func(id string) *twin.Error {
		t, ok := liveTicket(tx, id)
		if !ok {
			return errNotFound()
		}
		removeTicket(tx, t)
		return nil
	})
}

type mergeParams struct {
	recordPath
	IDs                   twin.Opt[[]int64] `param:"ids" rule:"required"`
	SourceComment         twin.Opt[string]  `param:"source_comment" rule:"empty,len=65536"`
	SourceCommentIsPublic twin.Opt[bool]    `param:"source_comment_is_public"`
	TargetComment         twin.Opt[string]  `param:"target_comment" rule:"empty,len=65536"`
	TargetCommentIsPublic twin.Opt[bool]    `param:"target_comment_is_public"`
}

// mergedTag marks tickets that were closed because they went into another.
const mergedTag = "closed_by_merge"

// mergeTickets closes the sources with a word on each, and tells of it on the
// target.
func mergeTickets(tx *twin.Tx, p *mergeParams) (twin.Doc, *twin.Error) {
	target, ok := liveTicket(tx, p.ID)
	if !ok {
		return twin.Doc{}, errNotFound()
	}
	if target.Status == statusClosed {
		return twin.Doc{}, errClosed()
	}
	if len(p.IDs.V) == 0 {
		return twin.Doc{}, errAttribute("ids", "cannot be empty")
	}
	if len(p.IDs.V) > bulkMax {
		return twin.Doc{}, errTooManyIDs()
	}
	return run(tx, "Ticket Merge", 1, func(int) (jobResult, *twin.Error) {
		r := jobResult{Action: "merge", ID: &target.ID, Status: "Merged", Success: true}
		var names []string
		for _, id := range p.IDs.V {
			t, ok := liveTicket(tx, key(id))
			if !ok || id == target.ID {
				return r, errNoSuch("ids", id)
			}
			names = append(names, "#"+key(id))
			if err := p.closeInto(tx, t, target); err != nil {
				return r, err
			}
		}
		words := p.TargetComment.Or("Merged from " + strings.Join(names, ", "))
		change := changeTicketParams{ticketParams: ticketParams{Comment: twin.Set(commentParams{Body: twin.Set(words),
			Public: twin.Set(p.TargetCommentIsPublic.V)})}}
		_, err := changeTicket(tx, target, &change)
		return r, err
	}), nil
}

func (p *mergeParams) closeInto(tx *twin.Tx, t, target *Ticket) *twin.Error {
	words := p.SourceComment.Or("This request was closed and merged into request #" + key(target.ID) + " \"" + target.Subject + "\".")
	change := changeTicketParams{ticketParams: ticketParams{
		Comment: twin.Set(commentParams{Body: twin.Set(words), Public: twin.Set(p.SourceCommentIsPublic.V)}),
		Status:  twin.Set(statusClosed), Tags: twin.Set(append(slices.Clone(t.Tags), mergedTag)),
	}}
	_, err := changeTicket(tx, t, &change)
	return err
}
