package zendesk

import (
	"slices"
	"strings"

	"worlds/journal/canon"
	"worlds/projection"
	"worlds/twin"
)

// Ticket is a ticket as the wire shows it.
type Ticket struct {
	AllowAttachments     bool         `json:"allow_attachments"`
	AllowChannelback     bool         `json:"allow_channelback"`
	AssigneeID           *int64       `json:"assignee_id"`
	BrandID              canon.Raw    `json:"brand_id"`
	CollaboratorIDs      []int64      `json:"collaborator_ids"`
	CreatedAt            Stamp        `json:"created_at"`
	CustomFields         []fieldValue `json:"custom_fields"`
	CustomStatusID       canon.Raw    `json:"custom_status_id"`
	Description          string       `json:"description"` // the first comment
	DueAt                *Stamp       `json:"due_at"`
	EmailCCIDs           []int64      `json:"email_cc_ids"`
	ExternalID           *string      `json:"external_id"`
	Fields               []fieldValue `json:"fields"` // the same as CustomFields
	FollowerIDs          []int64      `json:"follower_ids"`
	FollowupIDs          []int64      `json:"followup_ids"`
	ForumTopicID         canon.Raw    `json:"forum_topic_id"`
	FromMessagingChannel bool         `json:"from_messaging_channel"`
	GeneratedTimestamp   int64        `json:"generated_timestamp"`
	GroupID              *int64       `json:"group_id"`
	HasIncidents         bool         `json:"has_incidents"`
	ID                   int64        `json:"id"`
	IsPublic             bool         `json:"is_public"` // any comment is
	OrganizationID       *int64       `json:"organization_id"`
	Priority             *string      `json:"priority"`
	ProblemID            *int64       `json:"problem_id"`
	RawSubject           string       `json:"raw_subject"`
	Recipient            *string      `json:"recipient"`
	RequesterID          int64        `json:"requester_id"`
	SatisfactionRating   canon.Raw    `json:"satisfaction_rating"`
	SharingAgreementIDs  []int64      `json:"sharing_agreement_ids"`
	Status               string       `json:"status"`
	Subject              string       `json:"subject"`
	SubmitterID          int64        `json:"submitter_id"`
	Tags                 []string     `json:"tags"`
	TicketFormID         canon.Raw    `json:"ticket_form_id"`
	Type                 *string      `json:"type"`
	UpdatedAt            Stamp        `json:"updated_at"`
	URL                  string       `json:"url"`
	Via                  via          `json:"via"`
}

// fieldValue is the value of one custom field.
type fieldValue struct {
	ID    int64     `json:"id"`
	Value canon.Raw `json:"value"`
}

// via is how something came to be.
type via struct {
	Channel string `json:"channel"`
	Source  source `json:"source"`
}

type source struct {
	From canon.Raw `json:"from"`
	Rel  *string   `json:"rel"`
	To   canon.Raw `json:"to"`
}

// Channels of a via.
const (
	channelAPI  = "api"
	channelRule = "rule"
)

func viaOf(channel string) via {
	return via{Channel: channel, Source: source{From: canon.Raw("{}"), To: canon.Raw("{}")}}
}

// Statuses of a ticket. The last stands in no seed and in no request.
const (
	statusNew     = "new"
	statusOpen    = "open"
	statusPending = "pending"
	statusHold    = "hold"
	statusSolved  = "solved"
	statusClosed  = "closed"
	statusDeleted = "deleted"
)

var tickets = twin.Resource[Ticket]{
	Kind: twin.Kind{Table: "zendesk.ticket", Object: "ticket"},
	Key:  func(t *Ticket) string { return key(t.ID) },
	Terms: func(t *Ticket) []string {
		if t.Status == statusDeleted {
			return nil
		}
		terms := []string{"live=true", "status=" + t.Status, "requester=" + key(t.RequesterID)}
		for name, id := range t.refs() {
			terms = append(terms, name+"="+key(id))
		}
		if t.ExternalID != nil {
			terms = append(terms, "external="+*t.ExternalID)
		}
		return terms
	},
}

// refs yields what else a ticket refers to, by the name of its index term.
func (t *Ticket) refs() func(func(string, int64) bool) {
	return func(yield func(string, int64) bool) {
		for _, r := range [...]struct {
			name string
			id   *int64
		}{{"assignee", t.AssigneeID}, {"group", t.GroupID}, {"organization", t.OrganizationID}, {"problem", t.ProblemID}} {
			if r.id != nil && !yield(r.name, *r.id) {
				return
			}
		}
		for _, id := range t.copied() {
			if !yield("cc", id) {
				return
			}
		}
	}
}

// copied lists who gets copies.
func (t *Ticket) copied() []int64 {
	ids := slices.Concat(t.CollaboratorIDs, t.FollowerIDs, t.EmailCCIDs)
	slices.Sort(ids)
	return slices.Compact(ids)
}

func ticketAPI() twin.API {
	return twin.API{
		Kind: tickets.Kind,
		Routes: []twin.Route{
			twin.On("GET /api/v2/tickets", listTickets),
			twin.On("POST /api/v2/tickets", createTicket),
			twin.On("GET /api/v2/tickets/count", countTickets),
			twin.On("GET /api/v2/tickets/recent", recentTickets),
			twin.On("GET /api/v2/tickets/show_many", showManyTickets),
			twin.On("GET /api/v2/tickets/{id}", showTicket),
			twin.On("PUT /api/v2/tickets/{id}", updateTicket),
			twin.On("GET /api/v2/tickets/{id}/incidents", listIncidents),
			twin.On("GET /api/v2/problems", listProblems),
			twin.On("GET /api/v2/users/{id}/tickets/requested", listRequested),
			twin.On("GET /api/v2/users/{id}/tickets/assigned", listAssigned),
			twin.On("GET /api/v2/users/{id}/tickets/ccd", listCopied),
			twin.On("GET /api/v2/organizations/{id}/tickets", listOrganizationTickets),
		},
		Seed: seedTickets,
	}
}

// liveTicket finds a ticket that was not deleted: a copy to change.
func liveTicket(tx *twin.Tx, id string) (*Ticket, bool) {
	t, ok := tickets.Get(tx, id)
	return t, ok && t.Status != statusDeleted
}

type ticketPath struct {
	recordPath
	Include twin.Opt[string] `param:"include"`
}

func showTicket(tx *twin.Tx, p *ticketPath) (twin.Doc, *twin.Error) {
	row := tx.State().Get(tickets.Table, p.ID)
	if !live(row) {
		return twin.Doc{}, errNotFound()
	}
	body := row.Body
	if included(p.Include, "comment_count") {
		body = withCommentCount(tx, body)
	}
	parts := []part{{"ticket", body}}
	parts = append(parts, ticketAside(tx, p.Include)([]canon.Raw{row.Body})...)
	return twin.Doc{Body: object(parts...)}, nil
}

type ticketListParams struct {
	paging
	Include    twin.Opt[string] `param:"include"`
	ExternalID twin.Opt[string] `param:"external_id"`
}

func listTickets(tx *twin.Tx, p *ticketListParams) (twin.Doc, *twin.Error) {
	term := "live=true"
	if p.ExternalID.Given() {
		term = "external=" + p.ExternalID.V
	}
	doc, err := ticketListing(tx, term, p.Include).answer(tx, &p.paging)
	doc.Headers = []string{"Zendesk-Ratelimit-Tickets-Index", ticketsIndexHead(tx.Now())}
	return doc, err
}

// ticketsIndexHead is the header of the special limit of the list of tickets.
func ticketsIndexHead(now twin.Time) string {
	return "total=100; remaining=99; resets=" + key(60-int64(now)%60)
}

// ticketListing gathers the tickets that carry a term.
func ticketListing(tx *twin.Tx, term string, include twin.Opt[string]) *listing {
	return listingOf(tx, rowsWith(tx.State(), tickets.Table, term, nil), include)
}

func listingOf(tx *twin.Tx, items []item, include twin.Opt[string]) *listing {
	l := &listing{name: "tickets", items: items, sorts: []string{"updated_at", "status"}, aside: ticketAside(tx, include)}
	if included(include, "comment_count") {
		l.dress = func(body canon.Raw) canon.Raw { return withCommentCount(tx, body) }
	}
	return l
}

// included reports whether a list of sideloads names one.
func included(include twin.Opt[string], name string) bool {
	return slices.Contains(strings.Split(include.V, ","), name)
}

// ticketAside makes the sideloads of tickets.
func ticketAside(tx *twin.Tx, include twin.Opt[string]) func([]canon.Raw) []part {
	return func(shown []canon.Raw) []part {
		var parts []part
		for name := range strings.SplitSeq(include.V, ",") {
			switch name {
			case "users":
				parts = append(parts, part{name, beside(tx, users.Table, shown, "requester_id", "submitter_id", "assignee_id",
					"collaborator_ids", "follower_ids", "email_cc_ids")})
			case "groups":
				parts = append(parts, part{name, beside(tx, groups.Table, shown, "group_id")})
			case "organizations":
				parts = append(parts, part{name, beside(tx, organizations.Table, shown, "organization_id")})
			case "", "comment_count":
			default:
				tx.Ignore("include=" + name)
			}
		}
		return parts
	}
}

// beside gathers the records that members of the shown ones name, by id.
func beside(tx *twin.Tx, table string, shown []canon.Raw, names ...string) canon.Raw {
	seen := map[string]bool{}
	var ids []int64
	note := func(raw canon.Raw) {
		if id, ok := canon.Int(raw); ok && !seen[key(id)] {
			seen[key(id)] = true
			ids = append(ids, id)
		}
	}
	for _, body := range shown {
		for _, name := range names {
			raw, _ := canon.Get(body, name)
			note(raw)
			for e := range canon.Elements(raw) {
				note(e)
			}
		}
	}
	slices.Sort(ids)
	var rows []canon.Raw
	for _, id := range ids {
		if row := tx.State().Get(table, key(id)); row != nil {
			rows = append(rows, row.Body)
		}
	}
	return array(rows)
}

// withCommentCount is a ticket as shown with the number of its comments.
func withCommentCount(tx *twin.Tx, body canon.Raw) canon.Raw {
	var parts []part
	id := int64(0)
	for name, value := range canon.Members(body) {
		parts = append(parts, part{name, value})
		if name == "id" {
			id, _ = canon.Int(value)
		}
	}
	return object(append(parts, part{"comment_count", number(int64(len(commentsOf(tx, id))))})...)
}

func countTickets(tx *twin.Tx, _ *noParams) (twin.Doc, *twin.Error) {
	return countDoc(tx, len(rowsWith(tx.State(), tickets.Table, "live=true", nil))), nil
}

// recentTickets shows what changed last: views, which the real list knows, leave
// no trace here.
func recentTickets(tx *twin.Tx, p *ticketListParams) (twin.Doc, *twin.Error) {
	l := ticketListing(tx, "live=true", p.Include)
	l.order("updated_at", true)
	l.items = l.items[:min(len(l.items), recentMax)]
	return l.answer(tx, &p.paging)
}

// recentMax is how many tickets are recent.
const recentMax = 5

type showManyTicketsParams struct {
	showManyParams
	Include twin.Opt[string] `param:"include"`
}

func showManyTickets(tx *twin.Tx, p *showManyTicketsParams) (twin.Doc, *twin.Error) {
	items, err := p.many(tx, tickets.Table)
	if err != nil {
		return twin.Doc{}, err
	}
	return listingOf(tx, items, p.Include).answer(tx, &p.paging)
}

type ticketsOfParams struct {
	recordPath
	paging
	Include twin.Opt[string] `param:"include"`
}

// of lists the tickets that carry a term, if the record of the path is there.
func (p *ticketsOfParams) of(tx *twin.Tx, table, term string) (twin.Doc, *twin.Error) {
	if tx.State().Get(table, p.ID) == nil {
		return twin.Doc{}, errNotFound()
	}
	return ticketListing(tx, term+p.ID, p.Include).answer(tx, &p.paging)
}

func listIncidents(tx *twin.Tx, p *ticketsOfParams) (twin.Doc, *twin.Error) {
	if !live(tx.State().Get(tickets.Table, p.ID)) {
		return twin.Doc{}, errNotFound()
	}
	return p.of(tx, tickets.Table, "problem=")
}

func listRequested(tx *twin.Tx, p *ticketsOfParams) (twin.Doc, *twin.Error) {
	return p.of(tx, users.Table, "requester=")
}

func listAssigned(tx *twin.Tx, p *ticketsOfParams) (twin.Doc, *twin.Error) {
	return p.of(tx, users.Table, "assignee=")
}

func listCopied(tx *twin.Tx, p *ticketsOfParams) (twin.Doc, *twin.Error) {
	return p.of(tx, users.Table, "cc=")
}

func listOrganizationTickets(tx *twin.Tx, p *ticketsOfParams) (twin.Doc, *twin.Error) {
	return p.of(tx, organizations.Table, "organization=")
}

func listProblems(tx *twin.Tx, p *ticketListParams) (twin.Doc, *twin.Error) {
	items := rowsWith(tx.State(), tickets.Table, "live=true", func(row *projection.Row) bool {
		kind, _ := canon.Get(row.Body, "type")
		return string(kind) == `"problem"`
	})
	return listingOf(tx, items, p.Include).answer(tx, &p.paging)
}
