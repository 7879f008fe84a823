package seed

import (
	"slices"
	"time"

	"worlds/journal/canon"
)

// JSON writes the block as a seed holds it, canonical. What has its usual value is
// left out, so that reading the block again gives an equal one.
func (z *Zendesk) JSON() canon.Raw {
	w := object{}
	w.number("version", 1)
	w.number("principal_id", z.PrincipalID)
	writeAll(&w, "users", z.Users, (*ZendeskUser).write)
	writeAll(&w, "groups", z.Groups, (*ZendeskGroup).write)
	writeAll(&w, "organizations", z.Organizations, (*ZendeskOrganization).write)
	writeAll(&w, "group_memberships", z.GroupMemberships, (*ZendeskGroupMembership).write)
	writeAll(&w, "organization_memberships", z.OrganizationMemberships, (*ZendeskOrganizationMembership).write)
	writeAll(&w, "tickets", z.Tickets, (*ZendeskTicket).write)
	writeAll(&w, "comments", z.Comments, (*ZendeskComment).write)
	writeAll(&w, "audits", z.Audits, (*ZendeskAudit).write)
	if c := z.Lifecycle.Closure; !c.IsZero() {
		inner := object{}
		inner.always("after_hours", c.AfterHours)
		inner.always("sweep_phase_seconds", c.SweepPhaseSeconds)
		inner.always("author_id", c.AuthorID)
		life := object{}
		life.raw("closure", inner.json())
		w.raw("lifecycle", life.json())
	}
	return w.json()
}

// object gathers the members of one object that have something to say.
type object struct{ members []member }

func (o *object) raw(name string, v canon.Raw) { o.members = append(o.members, member{name, v}) }

func (o *object) always(name string, n int64) { o.raw(name, canon.AppendInt(nil, n)) }

func (o *object) number(name string, n int64) {
	if n != 0 {
		o.always(name, n)
	}
}

func (o *object) text(name, s string) {
	if s != "" {
		o.raw(name, canon.AppendString(nil, s))
	}
}

func (o *object) flag(name string, v, usual bool) {
	if v != usual {
		o.raw(name, canon.Marshal(&v))
	}
}

func (o *object) moment(name string, unix int64) {
	if unix != 0 {
		o.text(name, time.Unix(unix, 0).UTC().Format("2006-01-02T15:04:05Z"))
	}
}

func (o *object) texts(name string, list []string) {
	if len(list) > 0 {
		o.raw(name, canon.Marshal(&list))
	}
}

func (o *object) numbers(name string, list []int64) {
	if len(list) > 0 {
		o.raw(name, canon.Marshal(&list))
	}
}

func (o *object) fields(name string, fields canon.Raw) {
	if len(fields) > 0 && string(fields) != "{}" {
		o.raw(name, fields)
	}
}

func (o *object) json() canon.Raw {
	slices.SortFunc(o.members, func(a, b member) int { return canon.CompareKeys(a.name, b.name) })
	out := []byte{'{'}
	for i, m := range o.members {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(canon.AppendString(out, m.name), ':')
		out = append(out, m.value...)
	}
	return append(out, '}')
}

// writeAll adds an array of records, unless it is empty.
func writeAll[V any](o *object, name string, list []V, write func(*V, *object)) {
	if len(list) == 0 {
		return
	}
	out := []byte{'['}
	for i := range list {
		if i > 0 {
			out = append(out, ',')
		}
		var inner object
		write(&list[i], &inner)
		out = append(out, inner.json()...)
	}
	o.raw(name, append(out, ']'))
}

func (u *ZendeskUser) write(o *object) {
	o.number("id", u.ID)
	o.text("name", u.Name)
	o.text("email", u.Email)
	o.text("role", u.Role)
	o.flag("active", u.Active, true)
	o.flag("suspended", u.Suspended, false)
	o.flag("verified", u.Verified, true)
	o.number("organization_id", u.OrganizationID)
	o.number("default_group_id", u.DefaultGroupID)
	o.text("external_id", u.ExternalID)
	o.text("phone", u.Phone)
	o.text("alias", u.Alias)
	o.text("details", u.Details)
	o.text("notes", u.Notes)
	o.text("signature", u.Signature)
	o.text("time_zone", u.TimeZone)
	o.text("locale", u.Locale)
	o.texts("tags", u.Tags)
	o.fields("user_fields", u.Fields)
	o.moment("created_at", u.CreatedAt)
	o.moment("updated_at", u.UpdatedAt)
}

func (g *ZendeskGroup) write(o *object) {
	o.number("id", g.ID)
	o.text("name", g.Name)
	o.text("description", g.Description)
	o.flag("default", g.Default, false)
	o.flag("deleted", g.Deleted, false)
	o.flag("is_public", g.IsPublic, true)
	o.moment("created_at", g.CreatedAt)
	o.moment("updated_at", g.UpdatedAt)
}

func (g *ZendeskOrganization) write(o *object) {
	o.number("id", g.ID)
	o.text("name", g.Name)
	o.texts("domain_names", g.DomainNames)
	o.text("details", g.Details)
	o.text("notes", g.Notes)
	o.text("external_id", g.ExternalID)
	o.number("group_id", g.GroupID)
	o.flag("shared_tickets", g.SharedTickets, false)
	o.flag("shared_comments", g.SharedComments, false)
	o.texts("tags", g.Tags)
	o.fields("organization_fields", g.Fields)
	o.moment("created_at", g.CreatedAt)
	o.moment("updated_at", g.UpdatedAt)
}

func (m *ZendeskGroupMembership) write(o *object) {
	o.number("id", m.ID)
	o.number("user_id", m.UserID)
	o.number("group_id", m.GroupID)
	o.flag("default", m.Default, false)
	o.moment("created_at", m.CreatedAt)
	o.moment("updated_at", m.UpdatedAt)
}

func (m *ZendeskOrganizationMembership) write(o *object) {
	o.number("id", m.ID)
	o.number("user_id", m.UserID)
	o.number("organization_id", m.OrganizationID)
	o.flag("default", m.Default, false)
	o.flag("view_tickets", m.ViewTickets, false)
	o.moment("created_at", m.CreatedAt)
	o.moment("updated_at", m.UpdatedAt)
}

func (t *ZendeskTicket) write(o *object) {
	o.number("id", t.ID)
	o.text("subject", t.Subject)
	o.text("description", t.Description)
	o.text("status", t.Status)
	o.text("priority", t.Priority)
	o.text("type", t.Type)
	o.number("requester_id", t.RequesterID)
	o.number("submitter_id", t.SubmitterID)
	o.number("assignee_id", t.AssigneeID)
	o.number("group_id", t.GroupID)
	o.number("organization_id", t.OrganizationID)
	o.number("problem_id", t.ProblemID)
	o.text("external_id", t.ExternalID)
	o.text("recipient", t.Recipient)
	o.moment("due_at", t.DueAt)
	o.texts("tags", t.Tags)
	o.numbers("collaborator_ids", t.CollaboratorIDs)
	o.numbers("follower_ids", t.FollowerIDs)
	o.numbers("email_cc_ids", t.EmailCCIDs)
	writeAll(o, "custom_fields", t.CustomFields, (*ZendeskCustomField).write)
	o.flag("is_public", t.IsPublic, true)
	o.text("via_channel", t.ViaChannel)
	o.number("via_followup_source_id", t.ViaFollowupSourceID)
	o.moment("solved_at", t.SolvedAt)
	o.moment("created_at", t.CreatedAt)
	o.moment("updated_at", t.UpdatedAt)
}

func (f *ZendeskCustomField) write(o *object) {
	o.number("id", f.ID)
	if len(f.Value) > 0 {
		o.raw("value", f.Value)
	}
}

func (c *ZendeskComment) write(o *object) {
	o.number("id", c.ID)
	o.number("ticket_id", c.TicketID)
	o.number("author_id", c.AuthorID)
	o.number("audit_id", c.AuditID)
	o.text("body", c.Body)
	o.text("html_body", c.HTMLBody)
	o.flag("public", c.Public, true)
	o.moment("created_at", c.CreatedAt)
}

func (a *ZendeskAudit) write(o *object) {
	o.number("id", a.ID)
	o.number("ticket_id", a.TicketID)
	o.number("author_id", a.AuthorID)
	o.text("via_channel", a.ViaChannel)
	writeAll(o, "events", a.Events, (*ZendeskAuditEvent).write)
	o.moment("created_at", a.CreatedAt)
}

func (e *ZendeskAuditEvent) write(o *object) {
	o.number("id", e.ID)
	o.text("type", e.Type)
	o.text("field_name", e.FieldName)
	if len(e.Value) > 0 {
		o.raw("value", e.Value)
	}
	if len(e.Previous) > 0 {
		o.raw("previous_value", e.Previous)
	}
	o.number("comment_id", e.CommentID)
}
