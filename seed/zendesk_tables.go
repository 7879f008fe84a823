package seed

import (
	"time"

	"worlds/journal/canon"
)

// zendeskBlock is the native help desk block; nil where there is none.
func zendeskBlock() shape[*Zendesk] {
	return shape[*Zendesk]{schema: zendeskTable.schema(), read: func(d *decoder, at *place, raw canon.Raw) *Zendesk {
		z := zendeskTable.read(d, at, raw)
		return &z
	}}
}

// number is the id of a help desk record, or a reference to one.
func number() shape[int64] { return integer(1, canon.MaxInt) }

// moment is an instant as the API writes it: 2026-01-31T08:00:00Z.
func moment() shape[int64] {
	return shape[int64]{
		schema: &schemaNode{Type: "string", Pattern: `^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$`},
		read: func(d *decoder, at *place, raw canon.Raw) int64 {
			s, ok := readString(d, at, raw)
			if !ok {
				return 0
			}
			t, err := time.ParseInLocation("2006-01-02T15:04:05Z", s, time.UTC)
			if err != nil || t.Unix() < 1 || t.Unix() > MaxInstant {
				d.report(at, `is %s; must be an instant such as "2026-01-31T08:00:00Z"`, show(s))
				return 0
			}
			return t.Unix()
		},
	}
}

// anyValue is JSON of any kind, kept as written.
func anyValue() shape[canon.Raw] {
	return shape[canon.Raw]{schema: &schemaNode{}, read: func(_ *decoder, _ *place, raw canon.Raw) canon.Raw { return raw }}
}

// anyObject is an object whose keys are not looked at.
func anyObject() shape[canon.Raw] {
	return shape[canon.Raw]{schema: &schemaNode{Type: "object"}, read: func(d *decoder, at *place, raw canon.Raw) canon.Raw {
		if kind := kindOf(raw); kind != "an object" {
			d.report(at, "is %s; must be an object", kind)
			return nil
		}
		return raw
	}}
}

func zendeskTags() shape[[]string]         { return list(text(1, MaxIDLength), 0, MaxTags) }
func zendeskRefs() shape[[]int64]          { return list(number(), 0, MaxTags) }
func longText() shape[string]              { return text(0, MaxBodyLength) }
func shortText() shape[string]             { return text(0, MaxTextLength) }
func records[V any](t table[V]) shape[[]V] { return list(t.shape(), 0, MaxObjects) }

var zendeskTable = table[Zendesk]{[]field[Zendesk]{
	needed("version", "", integer(1, 1), func(z *Zendesk) *int64 { return &z.Version }),
	needed("principal_id", "The agent or admin that API calls act as.", number(), func(z *Zendesk) *int64 { return &z.PrincipalID }),
	optional("users", "", records(zendeskUserTable), func(z *Zendesk) *[]ZendeskUser { return &z.Users }, nil),
	optional("groups", "", records(zendeskGroupTable), func(z *Zendesk) *[]ZendeskGroup { return &z.Groups }, nil),
	optional("organizations", "", records(zendeskOrganizationTable), func(z *Zendesk) *[]ZendeskOrganization { return &z.Organizations }, nil),
	optional("group_memberships", "", records(zendeskGroupMembershipTable), func(z *Zendesk) *[]ZendeskGroupMembership { return &z.GroupMemberships }, nil),
	optional("organization_memberships", "", records(zendeskOrganizationMembershipTable), func(z *Zendesk) *[]ZendeskOrganizationMembership { return &z.OrganizationMemberships }, nil),
	optional("tickets", "", records(zendeskTicketTable), func(z *Zendesk) *[]ZendeskTicket { return &z.Tickets }, nil),
	optional("comments", "", records(zendeskCommentTable), func(z *Zendesk) *[]ZendeskComment { return &z.Comments }, nil),
	optional("audits", "", records(zendeskAuditTable), func(z *Zendesk) *[]ZendeskAudit { return &z.Audits }, nil),
	optional("lifecycle", "What happens to tickets by time alone.", zendeskLifecycleTable.shape(), func(z *Zendesk) *ZendeskLifecycle { return &z.Lifecycle }, ZendeskLifecycle{}),
}}

var zendeskLifecycleTable = table[ZendeskLifecycle]{[]field[ZendeskLifecycle]{
	optional("closure", "Solved tickets are closed by an hourly sweep.", zendeskClosureTable.shape(), func(l *ZendeskLifecycle) *ZendeskClosure { return &l.Closure }, ZendeskClosure{}),
}}

// maxClosureHours is the longest a solved ticket stays open to a reply: 28 days.
const maxClosureHours = 672

var zendeskClosureTable = table[ZendeskClosure]{[]field[ZendeskClosure]{
	needed("after_hours", "Hours after it was solved at which a ticket is ripe.", integer(1, maxClosureHours), func(c *ZendeskClosure) *int64 { return &c.AfterHours }),
	needed("sweep_phase_seconds", "Seconds past each hour at which ripe tickets are closed.", integer(0, closeSweep-1), func(c *ZendeskClosure) *int64 { return &c.SweepPhaseSeconds }),
	needed("author_id", "The agent or admin whose audits tell of it.", number(), func(c *ZendeskClosure) *int64 { return &c.AuthorID }),
}}

var zendeskUserTable = table[ZendeskUser]{[]field[ZendeskUser]{
	needed("id", "", number(), func(u *ZendeskUser) *int64 { return &u.ID }),
	needed("name", "", text(1, MaxTextLength), func(u *ZendeskUser) *string { return &u.Name }),
	nullable("email", "", email(), func(u *ZendeskUser) *string { return &u.Email }, ""),
	optional("role", "", oneOf(RoleEndUser, RoleAgent, RoleAdmin), func(u *ZendeskUser) *string { return &u.Role }, RoleEndUser),
	optional("active", "", boolean(), func(u *ZendeskUser) *bool { return &u.Active }, true),
	optional("suspended", "", boolean(), func(u *ZendeskUser) *bool { return &u.Suspended }, false),
	optional("verified", "", boolean(), func(u *ZendeskUser) *bool { return &u.Verified }, true),
	nullable("organization_id", "", number(), func(u *ZendeskUser) *int64 { return &u.OrganizationID }, 0),
	nullable("default_group_id", "", number(), func(u *ZendeskUser) *int64 { return &u.DefaultGroupID }, 0),
	nullable("external_id", "", shortText(), func(u *ZendeskUser) *string { return &u.ExternalID }, ""),
	nullable("phone", "", shortText(), func(u *ZendeskUser) *string { return &u.Phone }, ""),
	nullable("alias", "", shortText(), func(u *ZendeskUser) *string { return &u.Alias }, ""),
	nullable("details", "", longText(), func(u *ZendeskUser) *string { return &u.Details }, ""),
	nullable("notes", "", longText(), func(u *ZendeskUser) *string { return &u.Notes }, ""),
	nullable("signature", "", longText(), func(u *ZendeskUser) *string { return &u.Signature }, ""),
	nullable("time_zone", "", shortText(), func(u *ZendeskUser) *string { return &u.TimeZone }, ""),
	nullable("locale", "", shortText(), func(u *ZendeskUser) *string { return &u.Locale }, ""),
	optional("tags", "", zendeskTags(), func(u *ZendeskUser) *[]string { return &u.Tags }, nil),
	optional("user_fields", "", anyObject(), func(u *ZendeskUser) *canon.Raw { return &u.Fields }, noMetadata()),
	optional("created_at", "The epoch if left out.", moment(), func(u *ZendeskUser) *int64 { return &u.CreatedAt }, 0),
	optional("updated_at", "created_at if left out.", moment(), func(u *ZendeskUser) *int64 { return &u.UpdatedAt }, 0),
}}

var zendeskGroupTable = table[ZendeskGroup]{[]field[ZendeskGroup]{
	needed("id", "", number(), func(g *ZendeskGroup) *int64 { return &g.ID }),
	needed("name", "", text(1, MaxTextLength), func(g *ZendeskGroup) *string { return &g.Name }),
	nullable("description", "", longText(), func(g *ZendeskGroup) *string { return &g.Description }, ""),
	optional("default", "", boolean(), func(g *ZendeskGroup) *bool { return &g.Default }, false),
	optional("deleted", "", boolean(), func(g *ZendeskGroup) *bool { return &g.Deleted }, false),
	optional("is_public", "", boolean(), func(g *ZendeskGroup) *bool { return &g.IsPublic }, true),
	optional("created_at", "", moment(), func(g *ZendeskGroup) *int64 { return &g.CreatedAt }, 0),
	optional("updated_at", "", moment(), func(g *ZendeskGroup) *int64 { return &g.UpdatedAt }, 0),
}}

var zendeskOrganizationTable = table[ZendeskOrganization]{[]field[ZendeskOrganization]{
	needed("id", "", number(), func(o *ZendeskOrganization) *int64 { return &o.ID }),
	needed("name", "", text(1, MaxTextLength), func(o *ZendeskOrganization) *string { return &o.Name }),
	optional("domain_names", "", zendeskTags(), func(o *ZendeskOrganization) *[]string { return &o.DomainNames }, nil),
	nullable("details", "", longText(), func(o *ZendeskOrganization) *string { return &o.Details }, ""),
	nullable("notes", "", longText(), func(o *ZendeskOrganization) *string { return &o.Notes }, ""),
	nullable("external_id", "", shortText(), func(o *ZendeskOrganization) *string { return &o.ExternalID }, ""),
	nullable("group_id", "", number(), func(o *ZendeskOrganization) *int64 { return &o.GroupID }, 0),
	optional("shared_tickets", "", boolean(), func(o *ZendeskOrganization) *bool { return &o.SharedTickets }, false),
	optional("shared_comments", "", boolean(), func(o *ZendeskOrganization) *bool { return &o.SharedComments }, false),
	optional("tags", "", zendeskTags(), func(o *ZendeskOrganization) *[]string { return &o.Tags }, nil),
	optional("organization_fields", "", anyObject(), func(o *ZendeskOrganization) *canon.Raw { return &o.Fields }, noMetadata()),
	optional("created_at", "", moment(), func(o *ZendeskOrganization) *int64 { return &o.CreatedAt }, 0),
	optional("updated_at", "", moment(), func(o *ZendeskOrganization) *int64 { return &o.UpdatedAt }, 0),
}}

var zendeskGroupMembershipTable = table[ZendeskGroupMembership]{[]field[ZendeskGroupMembership]{
	needed("id", "", number(), func(m *ZendeskGroupMembership) *int64 { return &m.ID }),
	needed("user_id", "", number(), func(m *ZendeskGroupMembership) *int64 { return &m.UserID }),
	needed("group_id", "", number(), func(m *ZendeskGroupMembership) *int64 { return &m.GroupID }),
	optional("default", "", boolean(), func(m *ZendeskGroupMembership) *bool { return &m.Default }, false),
	optional("created_at", "", moment(), func(m *ZendeskGroupMembership) *int64 { return &m.CreatedAt }, 0),
	optional("updated_at", "", moment(), func(m *ZendeskGroupMembership) *int64 { return &m.UpdatedAt }, 0),
}}

var zendeskOrganizationMembershipTable = table[ZendeskOrganizationMembership]{[]field[ZendeskOrganizationMembership]{
	needed("id", "", number(), func(m *ZendeskOrganizationMembership) *int64 { return &m.ID }),
	needed("user_id", "", number(), func(m *ZendeskOrganizationMembership) *int64 { return &m.UserID }),
	needed("organization_id", "", number(), func(m *ZendeskOrganizationMembership) *int64 { return &m.OrganizationID }),
	optional("default", "", boolean(), func(m *ZendeskOrganizationMembership) *bool { return &m.Default }, false),
	optional("view_tickets", "", boolean(), func(m *ZendeskOrganizationMembership) *bool { return &m.ViewTickets }, false),
	optional("created_at", "", moment(), func(m *ZendeskOrganizationMembership) *int64 { return &m.CreatedAt }, 0),
	optional("updated_at", "", moment(), func(m *ZendeskOrganizationMembership) *int64 { return &m.UpdatedAt }, 0),
}}

var zendeskTicketTable = table[ZendeskTicket]{[]field[ZendeskTicket]{
	needed("id", "", number(), func(t *ZendeskTicket) *int64 { return &t.ID }),
	nullable("subject", "", shortText(), func(t *ZendeskTicket) *string { return &t.Subject }, ""),
	nullable("description", "The first comment's body if left out.", longText(), func(t *ZendeskTicket) *string { return &t.Description }, ""),
	optional("status", "", oneOf("new", "open", "pending", "hold", "solved", "closed"), func(t *ZendeskTicket) *string { return &t.Status }, "new"),
	nullable("priority", "", oneOf("low", "normal", "high", "urgent"), func(t *ZendeskTicket) *string { return &t.Priority }, ""),
	nullable("type", "", oneOf("problem", "incident", "question", "task"), func(t *ZendeskTicket) *string { return &t.Type }, ""),
	needed("requester_id", "", number(), func(t *ZendeskTicket) *int64 { return &t.RequesterID }),
	nullable("submitter_id", "requester_id if left out.", number(), func(t *ZendeskTicket) *int64 { return &t.SubmitterID }, 0),
	nullable("assignee_id", "", number(), func(t *ZendeskTicket) *int64 { return &t.AssigneeID }, 0),
	nullable("group_id", "", number(), func(t *ZendeskTicket) *int64 { return &t.GroupID }, 0),
	nullable("organization_id", "", number(), func(t *ZendeskTicket) *int64 { return &t.OrganizationID }, 0),
	nullable("problem_id", "", number(), func(t *ZendeskTicket) *int64 { return &t.ProblemID }, 0),
	nullable("external_id", "", shortText(), func(t *ZendeskTicket) *string { return &t.ExternalID }, ""),
	nullable("recipient", "", shortText(), func(t *ZendeskTicket) *string { return &t.Recipient }, ""),
	nullable("due_at", "", moment(), func(t *ZendeskTicket) *int64 { return &t.DueAt }, 0),
	optional("tags", "", zendeskTags(), func(t *ZendeskTicket) *[]string { return &t.Tags }, nil),
	optional("collaborator_ids", "", zendeskRefs(), func(t *ZendeskTicket) *[]int64 { return &t.CollaboratorIDs }, nil),
	optional("follower_ids", "", zendeskRefs(), func(t *ZendeskTicket) *[]int64 { return &t.FollowerIDs }, nil),
	optional("email_cc_ids", "", zendeskRefs(), func(t *ZendeskTicket) *[]int64 { return &t.EmailCCIDs }, nil),
	optional("custom_fields", "", list(zendeskCustomFieldTable.shape(), 0, MaxTags), func(t *ZendeskTicket) *[]ZendeskCustomField { return &t.CustomFields }, nil),
	optional("is_public", "", boolean(), func(t *ZendeskTicket) *bool { return &t.IsPublic }, true),
	optional("via_channel", "", oneOf("api", "web", "email", "rule"), func(t *ZendeskTicket) *string { return &t.ViaChannel }, "api"),
	nullable("via_followup_source_id", "The closed ticket that this one follows.", number(), func(t *ZendeskTicket) *int64 { return &t.ViaFollowupSourceID }, 0),
	nullable("solved_at", "", moment(), func(t *ZendeskTicket) *int64 { return &t.SolvedAt }, 0),
	optional("created_at", "", moment(), func(t *ZendeskTicket) *int64 { return &t.CreatedAt }, 0),
	optional("updated_at", "", moment(), func(t *ZendeskTicket) *int64 { return &t.UpdatedAt }, 0),
}}

var zendeskCustomFieldTable = table[ZendeskCustomField]{[]field[ZendeskCustomField]{
	needed("id", "", number(), func(f *ZendeskCustomField) *int64 { return &f.ID }),
	optional("value", "", anyValue(), func(f *ZendeskCustomField) *canon.Raw { return &f.Value }, nil),
}}

var zendeskCommentTable = table[ZendeskComment]{[]field[ZendeskComment]{
	needed("id", "", number(), func(c *ZendeskComment) *int64 { return &c.ID }),
	needed("ticket_id", "", number(), func(c *ZendeskComment) *int64 { return &c.TicketID }),
	needed("author_id", "", number(), func(c *ZendeskComment) *int64 { return &c.AuthorID }),
	nullable("audit_id", "", number(), func(c *ZendeskComment) *int64 { return &c.AuditID }, 0),
	needed("body", "", text(1, MaxBodyLength), func(c *ZendeskComment) *string { return &c.Body }),
	nullable("html_body", "", longText(), func(c *ZendeskComment) *string { return &c.HTMLBody }, ""),
	optional("public", "", boolean(), func(c *ZendeskComment) *bool { return &c.Public }, true),
	optional("created_at", "", moment(), func(c *ZendeskComment) *int64 { return &c.CreatedAt }, 0),
}}

var zendeskAuditTable = table[ZendeskAudit]{[]field[ZendeskAudit]{
	needed("id", "", number(), func(a *ZendeskAudit) *int64 { return &a.ID }),
	needed("ticket_id", "", number(), func(a *ZendeskAudit) *int64 { return &a.TicketID }),
	needed("author_id", "", number(), func(a *ZendeskAudit) *int64 { return &a.AuthorID }),
	optional("via_channel", "", oneOf("api", "rule"), func(a *ZendeskAudit) *string { return &a.ViaChannel }, "api"),
	optional("events", "", list(zendeskAuditEventTable.shape(), 0, MaxObjects), func(a *ZendeskAudit) *[]ZendeskAuditEvent { return &a.Events }, nil),
	optional("created_at", "", moment(), func(a *ZendeskAudit) *int64 { return &a.CreatedAt }, 0),
}}

var zendeskAuditEventTable = table[ZendeskAuditEvent]{[]field[ZendeskAuditEvent]{
	needed("id", "A Comment's is that of the comment.", number(), func(e *ZendeskAuditEvent) *int64 { return &e.ID }),
	needed("type", "", oneOf(AuditComment, AuditCreate, AuditChange, AuditPrivacy, AuditRedaction), func(e *ZendeskAuditEvent) *string { return &e.Type }),
	optional("field_name", "", text(1, MaxIDLength), func(e *ZendeskAuditEvent) *string { return &e.FieldName }, ""),
	optional("value", "", anyValue(), func(e *ZendeskAuditEvent) *canon.Raw { return &e.Value }, nil),
	optional("previous_value", "", anyValue(), func(e *ZendeskAuditEvent) *canon.Raw { return &e.Previous }, nil),
	nullable("comment_id", "", number(), func(e *ZendeskAuditEvent) *int64 { return &e.CommentID }, 0),
}}
