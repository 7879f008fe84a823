package zendesk

import (
	"cmp"
	"slices"

	"worlds/journal/canon"
	"worlds/seed"
	"worlds/twin"
)

// seedTickets fills the tickets with their comments and audits, of whichever
// section a seed has.
func seedTickets(tx *twin.Tx, doc *seed.Document) error {
	if doc.Zendesk == nil {
		return seedOlderTickets(tx, doc)
	}
	z := doc.Zendesk
	family := familyOf(z)
	for i := range z.Tickets {
		seedTicket(tx, z.Lifecycle.Closure, family, &z.Tickets[i])
	}
	said := map[int64]*Comment{}
	for _, s := range z.Comments {
		c := Comment{AuditID: idOrNull(s.AuditID), AuthorID: s.AuthorID, CreatedAt: stampOf(twin.Time(s.CreatedAt)), ID: s.ID,
			Metadata: metadataOf(twin.Opt[canon.Raw]{}), Public: s.Public, Type: "Comment", Via: viaOf(channelAPI), ticket: s.TicketID}
		if c.speak(s.Body); s.HTMLBody != "" {
			c.HTMLBody = s.HTMLBody
		}
		comments.Put(tx, &c)
		tx.Floor(lineCounter, s.ID)
		said[s.ID] = &c
	}
	for _, s := range z.Audits {
		a := Audit{AuthorID: s.AuthorID, CreatedAt: stampOf(twin.Time(s.CreatedAt)), ID: s.ID,
			Metadata: metadataOf(twin.Opt[canon.Raw]{}), TicketID: s.TicketID, Via: viaOf(s.ViaChannel)}
		for _, e := range s.Events {
			a.Events = append(a.Events, seedEvent(e, said[e.ID]))
			tx.Floor(lineCounter, e.ID)
		}
		audits.Put(tx, &a)
		tx.Floor(auditCounter, s.ID)
	}
	return nil
}

// family is how seeded tickets hang together.
type family struct {
	tickets   map[int64]*seed.ZendeskTicket
	followups map[int64][]int64
	incidents map[int64]bool
}

func familyOf(z *seed.Zendesk) *family {
	f := &family{map[int64]*seed.ZendeskTicket{}, map[int64][]int64{}, map[int64]bool{}}
	for i := range z.Tickets {
		t := &z.Tickets[i]
		f.tickets[t.ID] = t
		f.incidents[t.ProblemID] = true
		f.followups[t.ViaFollowupSourceID] = append(f.followups[t.ViaFollowupSourceID], t.ID)
	}
	return f
}

func seedTicket(tx *twin.Tx, closure seed.ZendeskClosure, kin *family, s *seed.ZendeskTicket) {
	t := Ticket{AllowAttachments: true, AssigneeID: idOrNull(s.AssigneeID), CollaboratorIDs: inOrder(s.CollaboratorIDs),
		CreatedAt: stampOf(twin.Time(s.CreatedAt)), Description: s.Description, DueAt: stampOrNull(s.DueAt), EmailCCIDs: inOrder(s.EmailCCIDs),
		ExternalID: textOrNull(s.ExternalID), FollowerIDs: inOrder(s.FollowerIDs), GeneratedTimestamp: s.UpdatedAt, GroupID: idOrNull(s.GroupID),
		ID: s.ID, IsPublic: s.IsPublic, OrganizationID: idOrNull(s.OrganizationID), Priority: textOrNull(s.Priority),
		ProblemID: idOrNull(s.ProblemID), RawSubject: s.Subject, Recipient: textOrNull(s.Recipient), RequesterID: s.RequesterID,
		Status: s.Status, Subject: s.Subject, SubmitterID: s.SubmitterID, Tags: tagsOf(s.Tags), Type: textOrNull(s.Type),
		UpdatedAt: stampOf(twin.Time(s.UpdatedAt)), URL: linkTo("tickets", s.ID), Via: viaOf(s.ViaChannel)}
	for _, f := range s.CustomFields {
		t.CustomFields = append(t.CustomFields, fieldValue{f.ID, f.Value})
	}
	slices.SortFunc(t.CustomFields, func(a, b fieldValue) int { return cmp.Compare(a.ID, b.ID) })
	t.Fields = t.CustomFields
	t.FollowupIDs, t.HasIncidents = kin.followups[s.ID], kin.incidents[s.ID]
	if from := kin.tickets[s.ViaFollowupSourceID]; from != nil {
		t.Via = followUpVia(&Ticket{ID: from.ID, Subject: from.Subject, Via: viaOf(from.ViaChannel)})
	}
	tickets.Put(tx, &t)
	tx.Floor(ticketCounter, s.ID)
	l := Life{ID: s.ID, SolvedAt: stampOrNull(s.SolvedAt), FollowupSourceID: idOrNull(s.ViaFollowupSourceID)}
	if s.Status == statusSolved {
		l.CloseAt = closure.CloseAt(s.SolvedAt)
	}
	if l.SolvedAt != nil || l.FollowupSourceID != nil {
		lives.Put(tx, &l)
	}
}

// seedEvent is one event of a seeded audit.
func seedEvent(e seed.ZendeskAuditEvent, said *Comment) canon.Raw {
	switch e.Type {
	case seed.AuditComment:
		return eventOf(said)
	case seed.AuditCreate:
		return canon.Marshal(&setEvent{FieldName: e.FieldName, ID: e.ID, Type: e.Type, Value: e.Value})
	case seed.AuditChange:
		return canon.Marshal(&changeEvent{FieldName: e.FieldName, ID: e.ID, PreviousValue: e.Previous, Type: e.Type, Value: e.Value})
	case seed.AuditPrivacy:
		return canon.Marshal(&privacyEvent{CommentID: e.CommentID, ID: e.ID, Type: e.Type})
	}
	return canon.Marshal(&redactionEvent{CommentID: e.CommentID, ID: e.ID, Type: e.Type})
}

// seedOlderTickets makes the tickets of the older section: one comment each, by
// its requester, under one audit. What is solved or closed was the principal's.
func seedOlderTickets(tx *twin.Tx, doc *seed.Document) error {
	principal := account(tx).PrincipalID
	for _, s := range doc.Data.Tickets {
		requester, _ := userByEmail(tx, s.Requester.Email)
		at := twin.Time(doc.Epoch - s.CreatedOffset)
		id := tx.Next(ticketCounter)
		t := Ticket{AllowAttachments: true, CreatedAt: stampOf(at), Description: s.Body, GeneratedTimestamp: int64(at), ID: id, IsPublic: true,
			Priority: textOrNull(s.Priority), RawSubject: s.Subject, RequesterID: requester.ID, Status: s.Status, Subject: s.Subject,
			SubmitterID: requester.ID, Tags: tagsOf(s.Tags), UpdatedAt: stampOf(at), URL: linkTo("tickets", id), Via: viaOf(channelAPI)}
		if s.Status == statusSolved || s.Status == statusClosed {
			t.AssigneeID = &principal
		}
		a := newAudit(tx, id, requester.ID, twin.Opt[canon.Raw]{})
		a.CreatedAt = t.CreatedAt
		c := newComment(tx, &a, requester.ID, true)
		c.speak(s.Body)
		comments.Put(tx, &c)
		a.comment(tx, &c)
		a.created(tx, &t)
		audits.Put(tx, &a)
		tickets.Put(tx, &t)
	}
	return nil
}
