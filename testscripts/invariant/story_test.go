package invariant_test

import (
	"bytes"
	"strings"
	"testing"

	"worlds/journal"
	"worlds/journal/canon"
	"worlds/projection"
	"worlds/seed"
	"worlds/testscripts/invariant"
	"worlds/twin"
	"worlds/twin/stripe"
	"worlds/twin/world"
	"worlds/twin/zendesk"
)

func catalogs() []*twin.Catalog { return []*twin.Catalog{stripe.Catalog(), zendesk.Catalog()} }

// document is a small world with something of everything.
const document = `{"name":"story","version":1,"epoch":1767225600,
 "data":{
  "customers":[{"id":"cus_dana","name":"Dana","email":"dana@example.com"}],
  "products":[{"id":"prod_pro","name":"Pro"}],
  "prices":[{"id":"price_month","product":"prod_pro","unit_amount":4000,"recurring":{"interval":"month"}}],
  "invoices":[{"id":"in_old","customer":"cus_dana","status":"paid","created_offset":86400,
   "lines":[{"amount":4000,"description":"Pro"}],"charges":[{"id":"ch_old"}]}]},
 "zendesk":{"version":1,"principal_id":1,
  "users":[{"id":1,"name":"Ana","email":"ana@support.example","role":"admin"},{"id":2,"name":"Dana","email":"dana@example.com"}],
  "tickets":[{"id":1001,"subject":"Charged twice","requester_id":2,"assignee_id":1,"status":"open"}],
  "comments":[{"id":5001,"ticket_id":1001,"author_id":2,"body":"in_old","audit_id":4001}],
  "audits":[{"id":4001,"ticket_id":1001,"author_id":2,"events":[{"id":5001,"type":"Comment"}]}],
  "lifecycle":{"closure":{"after_hours":96,"author_id":1,"sweep_phase_seconds":1800}}}}`

// history is the journal of a world that had no store.
type history struct {
	t       testing.TB
	genesis journal.Entry
	entries []*journal.Entry
	machine *twin.Machine
	answer  canon.Raw
	lenient bool // what is refused, or not there, is no failure
}

func newHistory(t testing.TB, document string) *history {
	t.Helper()
	s, err := seed.Parse([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	g, err := world.NewGenesis(s, catalogs())
	if err != nil {
		t.Fatal(err)
	}
	return &history{t: t, genesis: g.Entry, machine: g.Machine(catalogs())}
}

// do executes a command as the next entry.
func (h *history) do(cmd twin.Command, side string) *history {
	h.t.Helper()
	seq := uint64(len(h.entries) + 1)
	out := h.machine.Execute(seq, &cmd)
	if h.answer = out.Body; cmd.API == "admin" && !out.Changed {
		if !h.lenient {
			h.t.Fatalf("%s: %s", cmd.Op, out.Body)
		}
		return h
	}
	f := journal.Frame{At: h.machine.State.Now(), Command: canon.Marshal(&cmd), Facts: out.Facts, Reply: out.Reply}
	e := &journal.Entry{Seq: journal.Seq(seq), Body: f.AppendBody(nil)}
	if side != "" {
		e.Side = []byte(side)
	}
	h.entries = append(h.entries, e)
	h.rechain()
	return h
}

// rechain makes the links and hashes of the entries right again.
func (h *history) rechain() {
	prev := h.genesis.Hash
	for _, e := range h.entries {
		e.Prev, e.Hash = prev, journal.Link(prev, e.Seq, e.Body)
		prev = e.Hash
	}
}

// hooks is the operator's endpoint, which takes everything.
var hooks = twin.HookText("", []string{"*"})

func (h *history) stripe(method, path, form string) *history {
	h.t.Helper()
	cmd := twin.Command{Actor: "key:1", API: stripe.Name, Method: method, Path: path, Query: form}
	if method == "POST" {
		cmd.Query, cmd.Body = "", form
	}
	return h.do(cmd, "")
}

// keyed is a POST with an idempotency key of that alias.
func (h *history) keyed(path, form, alias string) *history {
	h.t.Helper()
	return h.do(twin.Command{Actor: "key:1", API: stripe.Name, Method: "POST", Path: path, Body: form, Idem: alias}, "raw "+alias)
}

// heard is a POST whose events go to the operator's endpoint.
func (h *history) heard(path, form string) *history {
	h.t.Helper()
	return h.do(twin.Command{Actor: "key:1", API: stripe.Name, Method: "POST", Path: path, Body: form, Hooks: hooks}, "")
}

func (h *history) zendesk(method, path, body string) *history {
	h.t.Helper()
	return h.do(twin.Command{Actor: "zendesk:api_token", API: zendesk.Name, Method: method, Path: path, Body: body, As: "ana@support.example"}, "")
}

func (h *history) operate(op string, args canon.Raw) *history {
	h.t.Helper()
	actor := "admin"
	if op == "deliver" {
		actor = "deliverer"
	}
	return h.do(twin.Command{Actor: actor, API: "admin", Op: op, Args: args}, "")
}

// id is the id in the last answer.
func (h *history) id() string {
	h.t.Helper()
	return h.member("id")
}

func (h *history) member(name string) string {
	h.t.Helper()
	raw, ok := canon.Get(h.answer, name)
	if !ok && !h.lenient {
		h.t.Fatalf("#%d has no %s: %s", len(h.entries), name, h.answer)
	}
	s, _ := canon.Unquote(raw)
	return s
}

const month = 31 * 86400

// story is a history with something of everything.
func story(t testing.TB) *history { return newHistory(t, document).play() }

func (h *history) play() *history {
	h.keyed("/v1/customers", "name=Gus&email=gus@example.com", "ik_1")                                        // 1
	h.keyed("/v1/customers", "name=Gus&email=gus@example.com", "ik_1")                                        // 2: a repeat
	h.heard("/v1/payment_intents", "amount=2500&currency=usd&customer=cus_dana&payment_method=pm_card_visa&"+ // 3
		"confirm=true&automatic_payment_methods[enabled]=true&automatic_payment_methods[allow_redirects]=never")
	charge := h.member("latest_charge")
	h.stripe("POST", "/v1/refunds", "charge="+charge+"&amount=500")                                              // 4
	h.stripe("POST", "/v1/subscriptions", "customer=cus_dana&items[0][price]=price_month")                       // 5
	h.operate("mark", twin.MarkArgs("before"))                                                                   // 6
	h.operate("advance", twin.AdvanceBy(month+100))                                                              // 7
	h.operate("deliver", twin.DeliverArgs(1, 1, "500"))                                                          // 8
	h.operate("deliver", twin.DeliverArgs(2, 1, "200"))                                                          // 9
	h.stripe("GET", "/v1/customers/cus_dana", "")                                                                // 10
	h.stripe("POST", "/v1/refunds", "charge="+charge+"&amount=5000")                                             // 11: refused
	h.stripe("POST", "/v1/webhook_endpoints", "url=https://example.com/hook&enabled_events[0]=customer.updated") // 12
	endpoint := h.id()
	h.stripe("POST", "/v1/customers/cus_dana", "description=one")                                                         // 13
	h.operate("deliver", twin.DeliverArgs(4, 1, "500"))                                                                   // 14
	h.zendesk("POST", "/api/v2/tickets.json", `{"ticket":{"subject":"New","comment":{"body":"hello"},"requester_id":2}}`) // 15
	h.zendesk("PUT", "/api/v2/tickets/1001.json", `{"ticket":{"status":"solved"}}`)                                       // 16
	h.operate("advance", twin.AdvanceBy(6*86400))                                                                         // 17: it is closed
	h.stripe("POST", "/v1/invoiceitems", "customer=cus_dana&amount=700&currency=usd")                                     // 18
	h.stripe("POST", "/v1/invoices", "customer=cus_dana&pending_invoice_items_behavior=include")                          // 19
	invoice := h.id()
	h.stripe("POST", "/v1/invoices/"+invoice+"/finalize", "")                                                                // 20
	h.stripe("POST", "/v1/invoices/"+invoice+"/pay", "")                                                                     // 21
	h.stripe("POST", "/v1/credit_notes", "invoice="+invoice+"&amount=100&credit_amount=100")                                 // 22
	h.operate("scenario.add", canon.Raw(`{"effect":{"answer":{"status":429}},"id":"storm","match":{"path":"/v1/balance"}}`)) // 23
	h.stripe("GET", "/v1/balance", "")                                                                                       // 24
	h.do(twin.Command{Actor: "short", API: stripe.Name, Method: "GET", Path: "/v1/balance", Expires: 3}, "")                 // 25
	h.stripe("DELETE", "/v1/webhook_endpoints/"+endpoint, "")                                                                // 26
	h.stripe("DELETE", "/v1/customers/cus_dana/discount", "")                                                                // 27: refused
	h.keyed("/v1/refunds", "charge="+charge+"&amount=100", "ik_2")                                                           // 28
	h.operate("advance", twin.AdvanceBy(10))                                                                                 // 29
	h.stripe("GET", "/v1/customers", "")                                                                                     // 30
	return h
}

// check hands out each entry as a store does that reads every piece into the same
// memory: it is overwritten once it was taken.
func (h *history) check(rows *projection.State) []invariant.Violation {
	h.t.Helper()
	found, err := invariant.Check(&h.genesis, func(yield func(*journal.Entry, error) bool) {
		for _, e := range h.entries {
			lent := *e
			lent.Body, lent.Side = bytes.Clone(e.Body), bytes.Clone(e.Side)
			more := yield(&lent, nil)
			clear(lent.Body)
			if clear(lent.Side); !more {
				return
			}
		}
	}, rows)
	if err != nil {
		h.t.Fatal(err)
	}
	return found
}

// frame reads an entry.
func (h *history) frame(seq int) journal.Frame {
	h.t.Helper()
	f, err := journal.ParseBody(h.entries[seq-1].Body)
	if err != nil {
		h.t.Fatal(err)
	}
	return f
}

// edit changes what an entry says, and makes its body again.
func (h *history) edit(seq int, change func(f *journal.Frame)) {
	h.t.Helper()
	f := h.frame(seq)
	change(&f)
	h.entries[seq-1].Body = f.AppendBody(nil)
}

// swap replaces a text in the first fact of an entry that begins so and has it.
func (h *history) swap(seq int, begins, old, now string) {
	h.t.Helper()
	h.edit(seq, func(f *journal.Frame) {
		for i, fact := range f.Facts {
			if bytes.HasPrefix(fact, []byte(begins)) && bytes.Contains(fact, []byte(old)) {
				f.Facts[i] = canon.Raw(strings.Replace(string(fact), old, now, 1))
				return
			}
		}
		h.t.Fatalf("#%d has no fact %s… with %s:\n%s", seq, begins, old, bytes.Join(raws(f.Facts), []byte("\n")))
	})
}

func raws(list []canon.Raw) (out [][]byte) {
	for _, r := range list {
		out = append(out, r)
	}
	return out
}

func TestStoryKeepsAllInvariants(t *testing.T) {
	h := story(t)
	for i := range h.entries {
		f := h.frame(i + 1)
		t.Logf("#%d %.150s\n   -> %.150s", i+1, f.Command, f.Reply)
		if testing.Verbose() {
			for j, fact := range f.Facts {
				t.Logf("      %d %.220s", j, fact)
			}
		}
	}
	for _, v := range h.check(h.machine.State) {
		t.Error(v)
	}
}

// TestCodesAreMints: a code that is made has the digits of an id, in capitals.
func TestCodesAreMints(t *testing.T) {
	h := newHistory(t, document)
	h.stripe("POST", "/v1/coupons", "percent_off=10&duration=forever")
	h.stripe("POST", "/v1/promotion_codes", "promotion[type]=coupon&promotion[coupon]="+h.id())
	h.member("code")
	for _, v := range h.check(h.machine.State) {
		t.Error(v)
	}
}
