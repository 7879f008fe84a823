package zendesk

import (
	"cmp"
	"encoding/base64"
	"slices"
	"strconv"
	"strings"

	"worlds/journal/canon"
	"worlds/projection"
	"worlds/twin"
)

// Incremental exports show every record that changed since a moment, deleted ones
// too, in the order of their last change.

func incrementalAPI() twin.API {
	return twin.API{
		Routes: []twin.Route{
			twin.On("GET /api/v2/incremental/tickets", exportTickets),
			twin.On("GET /api/v2/incremental/tickets/cursor", exportTicketsCursor),
			twin.On("GET /api/v2/incremental/users", exportUsers),
			twin.On("GET /api/v2/incremental/users/cursor", exportUsersCursor),
			twin.On("GET /api/v2/incremental/organizations", exportOrganizations),
			twin.On("GET /api/v2/incremental/ticket_events", exportTicketEvents),
		},
	}
}

// exportMax is how many records one page of an export has.
const exportMax = 1000

type exportParams struct {
	StartTime twin.Opt[int64]  `param:"start_time" rule:"min=0"`
	Cursor    twin.Opt[string] `param:"cursor"`
	PerPage   twin.Opt[int64]  `param:"per_page"`
	Include   twin.Opt[string] `param:"include"`
}

// ticketExportParams may leave deleted tickets out.
type ticketExportParams struct {
	exportParams
	ExcludeDeleted twin.Opt[bool] `param:"exclude_deleted"`
}

// kept is which tickets are shown.
func (p *ticketExportParams) kept(row *projection.Row) bool { return !p.ExcludeDeleted.V || live(row) }

// start checks when an export begins: any moment until now.
func (p *exportParams) start(tx *twin.Tx) (int64, *twin.Error) {
	if !p.StartTime.Given() {
		return 0, errAttribute("start_time", "is missing")
	}
	if p.StartTime.V > int64(tx.Now()) { // clients know this by how it begins
		return 0, fail(422, plainError{Error: "InvalidValue", Description: "Too recent start_time. Use a start_time older than 60 seconds"})
	}
	return p.StartTime.V, nil
}

func (p *exportParams) size() int {
	if n := p.PerPage.Or(exportMax); n >= 1 && n <= exportMax {
		return int(n)
	}
	return exportMax
}

// changedAt is when a record changed last.
func changedAt(body canon.Raw) int64 {
	if raw, ok := canon.Get(body, "generated_timestamp"); ok {
		n, _ := canon.Int(raw)
		return n
	}
	raw, ok := canon.Get(body, "updated_at")
	if !ok {
		raw, _ = canon.Get(body, "created_at")
	}
	s, _ := canon.Unquote(raw)
	return Stamp(s).unix()
}

// exported is one record of an export: at is when it changed last, and seq tells what
// changed in one second apart.
type exported struct {
	item
	at  int64
	seq uint64
}

// compare is the order of exports.
func (e exported) compare(o exported) int {
	return cmp.Or(cmp.Compare(e.at, o.at), cmp.Compare(e.seq, o.seq), cmp.Compare(e.id, o.id))
}

// since gathers the records of a table that changed at start or later and that keep,
// if not nil, keeps, in the order of their change.
func since(st *projection.State, table string, keep func(*projection.Row) bool, start int64) []exported {
	var out []exported
	for _, it := range rowsWith(st, table, "", keep) {
		if at := changedAt(it.body); at >= start {
			out = append(out, exported{it, at, st.Get(table, key(it.id)).Seq})
		}
	}
	slices.SortFunc(out, exported.compare)
	return out
}

// byTime pages by the moment of the last change: a page ends between two moments,
// unless one moment has more records than a page.
func (p *exportParams) byTime(tx *twin.Tx, name, table string, keep func(*projection.Row) bool, show func(canon.Raw) canon.Raw) (twin.Doc, *twin.Error) {
	start, err := p.start(tx)
	if err != nil {
		return twin.Doc{}, err
	}
	all := since(tx.State(), table, keep, start)
	n := min(p.size(), len(all))
	for n > 0 && n < len(all) && all[n].at == all[n-1].at {
		n++
	}
	end := int64(0)
	rows := make([]canon.Raw, 0, n)
	for _, e := range all[:n] {
		end = e.at
		rows = append(rows, show(e.body))
	}
	// A page holds whole moments, so that who goes on a second later misses nothing; but
	// the present one is not over, and is shown again.
	next := start
	if n > 0 {
		next = min(end+1, int64(tx.Now()))
	}
	last := n == len(all)
	parts := []part{
		{name, array(rows)},
		{"count", number(int64(n))},
		{"end_of_stream", canon.Raw(strconv.FormatBool(last))},
		{"end_time", number(next)},
		{"next_page", text(pageLink(tx, []string{"start_time"}, "start_time="+strconv.FormatInt(next, 10)))},
	}
	if n == 0 {
		parts[3].value = nil
	}
	return twin.Doc{Body: object(append(parts, p.aside(tx, rows)...)...)}, nil
}

func (p *exportParams) aside(tx *twin.Tx, rows []canon.Raw) []part {
	if !p.Include.Given() {
		return nil
	}
	return ticketAside(tx, p.Include)(rows)
}

// byCursor pages by the last change, to the request: what changes again, changes later.
func (p *exportParams) byCursor(tx *twin.Tx, name, table string, keep func(*projection.Row) bool) (twin.Doc, *twin.Error) {
	var from exported
	if p.Cursor.Given() {
		at, ok := readExportCursor(p.Cursor.V)
		if !ok {
			return twin.Doc{}, errPage("cursor is not valid")
		}
		from = at
	} else {
		start, err := p.start(tx)
		if err != nil {
			return twin.Doc{}, err
		}
		from = exported{at: start}
	}
	all := slices.DeleteFunc(since(tx.State(), table, keep, from.at), func(e exported) bool { return e.compare(from) <= 0 })
	n := min(p.size(), len(all))
	rows := make([]canon.Raw, 0, n)
	for _, e := range all[:n] {
		from = e
		rows = append(rows, e.body)
	}
	cursor := base64.RawURLEncoding.EncodeToString([]byte(strconv.FormatInt(from.at, 10) + "|" + strconv.FormatUint(from.seq, 10) + "|" + key(from.id)))
	return twin.Doc{Body: object(append([]part{
		{name, array(rows)},
		{"after_cursor", text(cursor)},
		{"after_url", text(pageLink(tx, []string{"cursor", "start_time"}, "cursor="+cursor))},
		{"before_cursor", nil},
		{"before_url", nil},
		{"end_of_stream", canon.Raw(strconv.FormatBool(n == len(all)))},
	}, p.aside(tx, rows)...)...)}, nil
}

func readExportCursor(s string) (exported, bool) {
	plain, err := base64.RawURLEncoding.DecodeString(s)
	moment, rest, _ := strings.Cut(string(plain), "|")
	entry, id, ok := strings.Cut(rest, "|")
	at, errAt := strconv.ParseInt(moment, 10, 64)
	seq, errSeq := strconv.ParseUint(entry, 10, 64)
	n, errID := strconv.ParseInt(id, 10, 64)
	return exported{at: at, seq: seq, item: item{id: n}}, err == nil && ok && errAt == nil && errSeq == nil && errID == nil
}

func same(body canon.Raw) canon.Raw { return body }

func exportTickets(tx *twin.Tx, p *ticketExportParams) (twin.Doc, *twin.Error) {
	return p.byTime(tx, "tickets", tickets.Table, p.kept, same)
}

func exportTicketsCursor(tx *twin.Tx, p *ticketExportParams) (twin.Doc, *twin.Error) {
	return p.byCursor(tx, "tickets", tickets.Table, p.kept)
}

func exportUsers(tx *twin.Tx, p *exportParams) (twin.Doc, *twin.Error) {
	return p.byTime(tx, "users", users.Table, nil, same)
}

func exportUsersCursor(tx *twin.Tx, p *exportParams) (twin.Doc, *twin.Error) {
	return p.byCursor(tx, "users", users.Table, nil)
}

func exportOrganizations(tx *twin.Tx, p *exportParams) (twin.Doc, *twin.Error) {
	return p.byTime(tx, "organizations", organizations.Table, nil, same)
}

// ticketEvent is an audit as the export of ticket events shows it.
type ticketEvent struct {
	ChildEvents []canon.Raw `json:"child_events"`
	CreatedAt   Stamp       `json:"created_at"`
	EventType   string      `json:"event_type"`
	ID          int64       `json:"id"`
	TicketID    int64       `json:"ticket_id"`
	Timestamp   int64       `json:"timestamp"`
	UpdaterID   int64       `json:"updater_id"`
	Via         string      `json:"via"`
}

func exportTicketEvents(tx *twin.Tx, p *exportParams) (twin.Doc, *twin.Error) {
	return p.byTime(tx, "ticket_events", audits.Table, nil, func(body canon.Raw) canon.Raw {
		a := audits.Decode(&projection.Row{Body: body})
		return canon.Marshal(&ticketEvent{ChildEvents: a.Events, CreatedAt: a.CreatedAt, EventType: "Audit", ID: a.ID, TicketID: a.TicketID,
			Timestamp: a.CreatedAt.unix(), UpdaterID: a.AuthorID, Via: a.Via.Channel})
	})
}
