package seed

import "worlds/journal/canon"

// The rules of tickets, comments and audits: they must tell one history.

// history indexes comments and audits and checks the links between them.
func (c *deskChecker) history() {
	for i := range c.z.Comments {
		m := &c.z.Comments[i]
		m.CreatedAt = c.orEpoch(m.CreatedAt)
		c.comments[m.ID] = m
		if f := c.first[m.TicketID]; f == nil || m.CreatedAt < f.CreatedAt || m.CreatedAt == f.CreatedAt && m.ID < f.ID {
			c.first[m.TicketID] = m
		}
	}
	seen, lines := map[int64]bool{}, map[int64]bool{}
	for i := range c.z.Audits {
		a, at := &c.z.Audits[i], desk("audits", i)
		a.CreatedAt = c.orEpoch(a.CreatedAt)
		c.once(at, seen, a.ID)
		c.audits[a.ID] = a
		c.within(at, a.TicketID, a.CreatedAt)
		c.user(at.key("author_id"), a.AuthorID)
		for j := range a.Events {
			c.once(at.key("events").item(j), lines, a.Events[j].ID)
			c.line(at.key("events").item(j), a, &a.Events[j])
		}
	}
	seen = map[int64]bool{}
	for i := range c.z.Comments {
		m, at := &c.z.Comments[i], desk("comments", i)
		c.once(at, seen, m.ID)
		c.within(at, m.TicketID, m.CreatedAt)
		c.user(at.key("author_id"), m.AuthorID)
		switch a := c.audits[m.AuditID]; {
		case m.AuditID == 0 && lines[m.ID]:
			c.report(at.key("audit_id"), "is missing, but an audit has an event %d", m.ID)
		case m.AuditID == 0:
		case a == nil:
			c.report(at.key("audit_id"), "no audit has the id %d", m.AuditID)
		case c.told[m.ID] != m.AuditID:
			c.report(at.key("audit_id"), "audit %d has no event Comment %d", m.AuditID, m.ID)
		}
	}
}

func (c *deskChecker) orEpoch(at int64) int64 {
	if at == 0 {
		return c.epoch
	}
	return at
}

// within checks that something of a ticket's history lies in the ticket's life.
func (c *deskChecker) within(at *place, ticket, moment int64) {
	t := c.tickets[ticket]
	switch {
	case ticket == 0:
	case t == nil:
		c.report(at.key("ticket_id"), "no ticket has the id %d", ticket)
	case moment < t.CreatedAt:
		c.report(at.key("created_at"), "is earlier than the ticket's")
	case moment > t.UpdatedAt:
		c.report(at.key("created_at"), "is later than the ticket's updated_at")
	}
}

// line checks one event of an audit.
func (c *deskChecker) line(at *place, a *ZendeskAudit, e *ZendeskAuditEvent) {
	switch e.Type {
	case AuditComment:
		m := c.comments[e.ID]
		switch {
		case m == nil:
			c.report(at.key("id"), "no comment has the id %d", e.ID)
		case m.TicketID != a.TicketID:
			c.report(at.key("id"), "comment %d belongs to ticket %d", e.ID, m.TicketID)
		case m.AuditID != a.ID:
			c.report(at.key("id"), "comment %d names audit %d", e.ID, m.AuditID)
		}
		c.told[e.ID] = a.ID
	case AuditCreate, AuditChange:
		if e.FieldName == "" {
			c.report(at.key("field_name"), "is missing")
		}
		c.fieldValue(at.key("value"), e.Value)
		if e.Type == AuditChange {
			c.fieldValue(at.key("previous_value"), e.Previous)
		}
	case AuditPrivacy, AuditRedaction:
		if m := c.comments[e.CommentID]; m == nil || m.TicketID != a.TicketID {
			c.report(at.key("comment_id"), "%d is no comment of the ticket", e.CommentID)
		}
	}
}

// fieldValue accepts what audits write of a field: null, a string, an array of
// strings.
func (c *deskChecker) fieldValue(at *place, v canon.Raw) {
	switch kindOf(v) {
	case "nothing", "null", "a string":
	case "an array":
		for e := range canon.Elements(v) {
			if kindOf(e) != "a string" {
				c.report(at, "holds %s; an array of an audit holds strings", kindOf(e))
				return
			}
		}
	default:
		c.report(at, "is %s; audits write null, strings and arrays of strings", kindOf(v))
	}
}

func (c *deskChecker) ticket(at *place, t *ZendeskTicket) {
	c.user(at.key("requester_id"), t.RequesterID)
	c.user(at.key("submitter_id"), t.SubmitterID)
	c.organization(at.key("organization_id"), t.OrganizationID)
	c.group(at.key("group_id"), t.GroupID)
	c.user(at.key("assignee_id"), t.AssigneeID)
	if a := t.AssigneeID; a != 0 && c.users[a] != nil {
		if !c.staff(a) {
			c.report(at.key("assignee_id"), "%d is an end user", a)
		} else if t.GroupID != 0 && c.groups[t.GroupID] != nil && c.members[[2]int64{a, t.GroupID}] == nil {
			c.report(at.key("assignee_id"), "user %d is not in group %d", a, t.GroupID)
		}
	}
	if p := t.ProblemID; p != 0 && (c.tickets[p] == nil || c.tickets[p].Type != "problem" || t.Type != "incident") {
		c.report(at.key("problem_id"), "an incident names a ticket of type problem")
	}
	for i, list := range [][]int64{t.CollaboratorIDs, t.FollowerIDs, t.EmailCCIDs} {
		for j, id := range list {
			c.user(at.key([]string{"collaborator_ids", "follower_ids", "email_cc_ids"}[i]).item(j), id)
		}
	}
	c.describe(at, t)
	c.solved(at, t)
}

// describe holds the description against the first comment, and fills it in.
func (c *deskChecker) describe(at *place, t *ZendeskTicket) {
	switch first := c.first[t.ID]; {
	case first == nil:
	case t.Description == "":
		t.Description = first.Body
	case t.Description != first.Body:
		c.report(at.key("description"), "is not the body of the first comment, %d", first.ID)
	}
}

// solved checks when a ticket was solved against its status and its closure.
func (c *deskChecker) solved(at *place, t *ZendeskTicket) {
	open := t.Status != "solved" && t.Status != "closed"
	closure := c.z.Lifecycle.Closure
	at = at.key("solved_at")
	switch {
	case open && t.SolvedAt != 0:
		c.report(at, "a ticket whose status is %s is not solved", t.Status)
	case t.SolvedAt != 0 && (t.SolvedAt < t.CreatedAt || t.SolvedAt > t.UpdatedAt):
		c.report(at, "is not between created_at and updated_at")
	case t.Status != "solved" || closure.IsZero():
	case t.SolvedAt == 0:
		c.report(at, "is missing; a solved ticket is closed some hours after it was solved")
	case t.UpdatedAt > closure.CloseAt(t.SolvedAt):
		c.report(at, "the ticket's history goes on beyond the sweep that closes it")
	}
}

// followUps checks where follow-ups come from: a closed ticket, no younger, and
// never themselves.
func (c *deskChecker) followUps() {
	for i := range c.z.Tickets {
		t, at := &c.z.Tickets[i], desk("tickets", i).key("via_followup_source_id")
		source := t.ViaFollowupSourceID
		if source == 0 {
			continue
		}
		from := c.tickets[source]
		switch {
		case source == t.ID:
			c.report(at, "a ticket does not follow itself")
		case from == nil:
			c.report(at, "no ticket has the id %d", source)
		case from.Status != "closed":
			c.report(at, "ticket %d is not closed", source)
		case from.CreatedAt > t.CreatedAt:
			c.report(at, "ticket %d was created later", source)
		case c.circular(t):
			c.report(at, "the ticket follows itself in a circle")
		}
	}
}

func (c *deskChecker) circular(t *ZendeskTicket) bool {
	for steps, at := 0, t; at != nil && steps <= len(c.tickets); steps++ {
		if at = c.tickets[at.ViaFollowupSourceID]; at == t {
			return true
		}
	}
	return false
}
