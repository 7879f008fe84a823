package zendesk

import (
	"slices"

	"worlds/journal/canon"
	"worlds/projection"
	"worlds/seed"
	"worlds/twin"
)

// exportSeed is Export as a member of a seed.
func exportSeed(st *projection.State) ([]twin.SeedMember, []twin.Lost) {
	z, lost := Export(st)
	if z == nil {
		return nil, lost
	}
	return []twin.SeedMember{{Name: "zendesk", Value: z.JSON()}}, lost
}

// Export writes a help desk as the native block of a seed, nil when there is
// nothing but the principal. What the format cannot say is counted; what refers to
// it is left out, so that the block is a valid one. It changes nothing.
func Export(st *projection.State) (*seed.Zendesk, []twin.Lost) {
	x := &exporter{st: st, z: &seed.Zendesk{Version: 1}, lost: map[string]int64{}}
	a := accounts.Decode(st.Get(accounts.Table, accountID))
	x.z.PrincipalID = a.PrincipalID
	x.z.Lifecycle.Closure = a.closure()
	x.directory()
	x.tickets()
	for range st.Oldest(jobs.Table, 0) {
		x.lose("job statuses")
	}
	var lost []twin.Lost
	for _, what := range x.names {
		if n := x.lost[what]; n > 0 {
			lost = append(lost, twin.Lost{What: what, Count: n})
		}
	}
	if z := x.z; len(z.Users) == 1 && len(z.Tickets)+len(z.Groups)+len(z.Organizations) == 0 && a.PrincipalID == userFloor+1 {
		return nil, lost
	}
	return x.z, lost
}

// exporter gathers one block.
type exporter struct {
	st    *projection.State
	z     *seed.Zendesk
	lost  map[string]int64
	names []string
	kept  map[int64]bool // tickets
}

func (x *exporter) lose(what string) {
	if x.lost[what] == 0 {
		x.names = append(x.names, what)
	}
	x.lost[what]++
}

func (x *exporter) directory() {
	for _, it := range rowsWith(x.st, users.Table, "", nil) {
		u := users.Decode(&projection.Row{Body: it.body})
		x.z.Users = append(x.z.Users, seed.ZendeskUser{ID: u.ID, Name: u.Name, Email: orZero(u.Email), Role: u.Role, Active: u.Active,
			Suspended: u.Suspended, Verified: u.Verified, OrganizationID: orZero(u.OrganizationID), DefaultGroupID: orZero(u.DefaultGroupID),
			ExternalID: orZero(u.ExternalID), Phone: orZero(u.Phone), Alias: orZero(u.Alias), Details: orZero(u.Details), Notes: orZero(u.Notes),
			Signature: orZero(u.Signature), TimeZone: u.TimeZone, Locale: u.Locale, Tags: u.Tags, Fields: u.UserFields,
			CreatedAt: u.CreatedAt.unix(), UpdatedAt: u.UpdatedAt.unix()})
	}
	for _, it := range rowsWith(x.st, groups.Table, "", nil) {
		g := groups.Decode(&projection.Row{Body: it.body})
		x.z.Groups = append(x.z.Groups, seed.ZendeskGroup{ID: g.ID, Name: g.Name, Description: g.Description, Default: g.Default,
			Deleted: g.Deleted, IsPublic: g.IsPublic, CreatedAt: g.CreatedAt.unix(), UpdatedAt: g.UpdatedAt.unix()})
	}
	for _, it := range rowsWith(x.st, organizations.Table, "", nil) {
		o := organizations.Decode(&projection.Row{Body: it.body})
		x.z.Organizations = append(x.z.Organizations, seed.ZendeskOrganization{ID: o.ID, Name: o.Name, DomainNames: o.DomainNames,
			Details: orZero(o.Details), Notes: orZero(o.Notes), ExternalID: orZero(o.ExternalID), GroupID: orZero(o.GroupID),
			SharedTickets: o.SharedTickets, SharedComments: o.SharedComments, Tags: o.Tags, Fields: o.OrganizationFields,
			CreatedAt: o.CreatedAt.unix(), UpdatedAt: o.UpdatedAt.unix()})
	}
	for _, it := range rowsWith(x.st, groupMemberships.Table, "", nil) {
		m := groupMemberships.Decode(&projection.Row{Body: it.body})
		x.z.GroupMemberships = append(x.z.GroupMemberships, seed.ZendeskGroupMembership{ID: m.ID, UserID: m.UserID, GroupID: m.GroupID,
			Default: m.Default, CreatedAt: m.CreatedAt.unix(), UpdatedAt: m.UpdatedAt.unix()})
	}
	for _, it := range rowsWith(x.st, organizationMemberships.Table, "", nil) {
		m := organizationMemberships.Decode(&projection.Row{Body: it.body})
		x.z.OrganizationMemberships = append(x.z.OrganizationMemberships, seed.ZendeskOrganizationMembership{ID: m.ID, UserID: m.UserID,
			OrganizationID: m.OrganizationID, Default: m.Default, ViewTickets: m.ViewTickets, CreatedAt: m.CreatedAt.unix(),
			UpdatedAt: m.UpdatedAt.unix()})
	}
}

// tickets gathers the tickets that were not deleted, with their history.
func (x *exporter) tickets() {
	x.kept = map[int64]bool{}
	all := rowsWith(x.st, tickets.Table, "", func(row *projection.Row) bool {
		if !live(row) {
			x.lose("deleted tickets")
			return false
		}
		return true
	})
	for _, it := range all {
		x.kept[it.id] = true
	}
	for _, it := range all {
		x.ticket(tickets.Decode(&projection.Row{Body: it.body}))
		said := len(x.z.Comments)
		x.history(it.id)
		x.describe(&x.z.Tickets[len(x.z.Tickets)-1], x.z.Comments[said:])
	}
}

// describe makes the description of a ticket its first comment, which it is in every
// seed; that of a ticket that began without one stays empty here.
func (x *exporter) describe(t *seed.ZendeskTicket, said []seed.ZendeskComment) {
	if len(said) > 0 && t.Description != said[0].Body {
		x.lose("descriptions that are not the first comment")
		t.Description = said[0].Body
	}
}

func (x *exporter) ticket(t *Ticket) {
	life := Life{}
	if row := x.st.Get(lives.Table, key(t.ID)); row != nil {
		life = *lives.Decode(row)
	}
	s := seed.ZendeskTicket{ID: t.ID, Subject: t.Subject, Description: t.Description, Status: t.Status, Priority: orZero(t.Priority),
		Type: orZero(t.Type), RequesterID: t.RequesterID, SubmitterID: t.SubmitterID, AssigneeID: orZero(t.AssigneeID),
		GroupID: orZero(t.GroupID), OrganizationID: orZero(t.OrganizationID), ProblemID: orZero(t.ProblemID),
		ExternalID: orZero(t.ExternalID), Recipient: orZero(t.Recipient), Tags: t.Tags, CollaboratorIDs: t.CollaboratorIDs,
		FollowerIDs: t.FollowerIDs, EmailCCIDs: t.EmailCCIDs, IsPublic: t.IsPublic, ViaChannel: t.Via.Channel,
		ViaFollowupSourceID: orZero(life.FollowupSourceID), CreatedAt: t.CreatedAt.unix(), UpdatedAt: t.UpdatedAt.unix()}
	if t.DueAt != nil {
		s.DueAt = t.DueAt.unix()
	}
	if life.SolvedAt != nil {
		s.SolvedAt = life.SolvedAt.unix()
	}
	for _, f := range t.CustomFields {
		s.CustomFields = append(s.CustomFields, seed.ZendeskCustomField{ID: f.ID, Value: f.Value})
	}
	x.mend(&s)
	x.z.Tickets = append(x.z.Tickets, s)
}

// mend takes out what a ticket says of records that are gone, or that no longer
// stand to each other as a seed asks.
func (x *exporter) mend(s *seed.ZendeskTicket) {
	if s.OrganizationID != 0 && x.st.Get(organizations.Table, key(s.OrganizationID)) == nil {
		x.lose("tickets of deleted organizations")
		s.OrganizationID = 0
	}
	if s.AssigneeID != 0 && !users.Decode(x.st.Get(users.Table, key(s.AssigneeID))).staff() {
		x.lose("assignees that are no agents")
		s.AssigneeID = 0
	}
	if s.AssigneeID != 0 && s.GroupID != 0 && !x.member(s.AssigneeID, s.GroupID) {
		x.lose("groups that an assignee has left")
		s.GroupID = 0
	}
	if s.ProblemID != 0 {
		p := x.st.Get(tickets.Table, key(s.ProblemID))
		if !live(p) || orZero(tickets.Decode(p).Type) != "problem" {
			x.lose("problems that are gone")
			s.ProblemID = 0
		}
	}
	if s.ViaFollowupSourceID != 0 && !x.kept[s.ViaFollowupSourceID] {
		x.lose("follow-ups of deleted tickets")
		s.ViaFollowupSourceID = 0
	}
	if at := x.z.Lifecycle.Closure.CloseAt(s.SolvedAt); at != 0 && s.Status == statusSolved && s.UpdatedAt > at {
		x.lose("closures put off")
		s.SolvedAt = s.UpdatedAt
	}
}

func (x *exporter) member(user, group int64) bool {
	return slices.ContainsFunc(x.z.GroupMemberships, func(m seed.ZendeskGroupMembership) bool { return m.UserID == user && m.GroupID == group })
}

// history gathers the comments and audits of a ticket.
func (x *exporter) history(ticket int64) {
	for _, it := range rowsWith(x.st, comments.Table, "ticket="+key(ticket), nil) {
		c := comments.Decode(&projection.Row{Body: it.body})
		s := seed.ZendeskComment{ID: c.ID, TicketID: ticket, AuthorID: c.AuthorID, AuditID: orZero(c.AuditID), Body: c.Body, Public: c.Public,
			CreatedAt: c.CreatedAt.unix()}
		if c.HTMLBody != htmlText(c.Body) {
			s.HTMLBody = c.HTMLBody
		}
		x.z.Comments = append(x.z.Comments, s)
	}
	for _, it := range rowsWith(x.st, audits.Table, "ticket="+key(ticket), nil) {
		a := audits.Decode(&projection.Row{Body: it.body})
		if string(a.Metadata.Custom) != "{}" {
			x.lose("metadata of audits")
		}
		s := seed.ZendeskAudit{ID: a.ID, TicketID: ticket, AuthorID: a.AuthorID, ViaChannel: a.Via.Channel, CreatedAt: a.CreatedAt.unix()}
		for _, e := range a.Events {
			s.Events = append(s.Events, exportEvent(e))
		}
		x.z.Audits = append(x.z.Audits, s)
	}
}

func exportEvent(e canon.Raw) seed.ZendeskAuditEvent {
	var s seed.ZendeskAuditEvent
	for name, v := range canon.Members(e) {
		switch name {
		case "id":
			s.ID, _ = canon.Int(v)
		case "type":
			s.Type, _ = canon.Unquote(v)
		case "field_name":
			s.FieldName, _ = canon.Unquote(v)
		case "value":
			s.Value = v
		case "previous_value":
			s.Previous = v
		case "comment_id":
			s.CommentID, _ = canon.Int(v)
		}
	}
	return s
}
