//go:build mutant

package invariant_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"worlds/journal/mutant"
	"worlds/testscripts"
	"worlds/twin"
	"worlds/twin/stripe"
)

// kill is a mutant and the invariant that names it.
type kill struct {
	mutant, id string
	document   string
	play       func(h *history)
	script     string // a scenario, for what only a server does
}

// kills says for each mutant that the invariants see which of them names it, and in
// what history: the story, unless there is another.
var kills = []kill{
	{mutant: "log-number-repeats", id: "log.append-order"},
	{mutant: "read-leaves-count", id: "read.changes-nothing"},
	{mutant: "read-kept-whole", id: "entry.response-recorded"},
	{mutant: "stale-idempotency", id: "idem.one-record-per-key"},
	{mutant: "replay-of-another", id: "idem.replay-verbatim", play: func(h *history) {
		h.keyed("/v1/customers", "name=Gus", "ik_1").keyed("/v1/products", "name=Gus", "ik_1")
	}},
	{mutant: "validation-kept", id: "idem.validation-stores-nothing", play: func(h *history) {
		h.keyed("/v1/refunds", "charge=ch_old&amount=many", "ik_1")
	}},
	{mutant: "refusal-keeps-changes", id: "refusal.changes-nothing", play: refusedLate},
	{mutant: "ids-not-given-back", id: "ids.counter-equals-mints", play: refusedLate},
	{mutant: "tick-outside-transaction", id: "clock.only-advance-or-tick",
		document: strings.Replace(document, `"epoch"`, `"clock_mode":"auto","auto_tick_seconds":5,"epoch"`, 1)},
	{mutant: "advance-stamps-late", id: "clock.boundary-timestamps"},
	{mutant: "event-id-repeats", id: "ids.unique"},
	{mutant: "event-from-the-future", id: "events.seq-order"},
	{mutant: "previous-is-present", id: "image.before-equals-prior"},
	{mutant: "double-outcome", id: "delivery.terminal-once", play: func(h *history) {
		h.heard("/v1/customers", "name=Gus")
		h.operate("deliver", twin.DeliverArgs(1, 1, "200")).operate("deliver", twin.DeliverArgs(1, 1, "500"))
	}},
	{mutant: "backoff-linear", id: "delivery.backoff-60·2^(n-1)", play: func(h *history) {
		h.heard("/v1/customers", "name=Gus")
		for n := range int64(3) {
			h.operate("deliver", twin.DeliverArgs(1, n+1, "500")).operate("advance", twin.AdvanceBy(240))
		}
	}},
	{mutant: "retry-hurried", id: "due-time.never-rewritten"},
	{mutant: "event-queued-twice", id: "retry.one-open-per-event"},
	{mutant: "key-use-missed", id: "key.use-count", play: func(h *history) {
		for range 2 {
			h.do(twin.Command{Actor: "short", API: stripe.Name, Method: "GET", Path: "/v1/balance", Expires: 3}, "")
		}
	}},
	{mutant: "terms-not-moved", id: "rows.equal-fold"},
	{mutant: "refund-counted-twice", id: "money.charge≥refunded"},
	{mutant: "refund-in-dollars", id: "money.currency-consistent", play: func(h *history) {
		h.stripe("POST", "/v1/charges", "amount=2500&currency=eur&source=tok_visa")
		h.stripe("POST", "/v1/refunds", "charge="+h.id())
	}},
	{mutant: "balance-moves-twice", id: "money.balance"},
	{mutant: "paid-invoice-voided", id: "object.terminal-final", play: func(h *history) { h.stripe("POST", "/v1/invoices/in_old/void", "") }},
	{mutant: "canceled-revives", id: "object.terminal-final", play: func(h *history) {
		h.stripe("POST", "/v1/subscriptions", "customer=cus_dana&items[0][price]=price_month&collection_method=send_invoice&days_until_due=30")
		sub, invoice := h.id(), h.member("latest_invoice")
		h.stripe("DELETE", "/v1/subscriptions/"+sub, "")
		h.stripe("POST", "/v1/invoices/"+invoice+"/pay", "paid_out_of_band=true")
	}},
	{mutant: "invoice-number-repeats", id: "rows.unique"},
	{mutant: "total-ignores-discount", id: "money.invoice-totals", play: discounted},
	{mutant: "coupon-forgotten", id: "rows.refs-resolve", play: discounted},
	{mutant: "period-gap", id: "sub.periods-contiguous"},
	{mutant: "hears-when-disabled", id: "endpoint.no-send-after-removal", play: func(h *history) {
		h.stripe("POST", "/v1/webhook_endpoints", "url=https://example.com/hook&enabled_events[0]=customer.updated")
		h.stripe("POST", "/v1/webhook_endpoints/"+h.id(), "disabled=true")
		h.stripe("POST", "/v1/customers/cus_dana", "description=one")
	}},
	{mutant: "closed-ticket-changes", id: "ticket.closed-final", play: func(h *history) {
		h.zendesk("PUT", "/api/v2/tickets/1001.json", `{"ticket":{"status":"solved"}}`)
		h.operate("advance", twin.AdvanceBy(6*86400))
		h.zendesk("PUT", "/api/v2/tickets/1001.json", `{"ticket":{"priority":"high"}}`)
	}},
	{mutant: "audit-left-out", id: "ticket.audit-per-change"},
	{mutant: "diff-forgets", id: "image.range-contiguous", script: `
world new empty
stripe POST /v1/webhook_endpoints url=https://example.com/hook enabled_events[0]=customer.created
save HOOK .id
mark there
stripe DELETE /v1/webhook_endpoints/$HOOK
`},
	{mutant: "mark-moves-on", id: "image.range-contiguous", script: `
world new empty
mark early
stripe POST /v1/customers name=Gus
`},
	{mutant: "reset-keeps-state", id: "reset.", script: `
world new empty
mark early
stripe POST /v1/customers name=Gus
`},
	{mutant: "keys-outlive-reset", id: "idem.one-record-per-key", script: `
world new empty
stripe -idem one POST /v1/customers name=Gus
reset
stripe -idem two POST /v1/customers name=Gus
`},
	{mutant: "worlds-share-state", id: "rows.no-orphan", script: `
world new empty first
world new empty second
stripe POST /v1/customers name=Gus
world use first
stripe POST /v1/customers name=Ann
`},
	{mutant: "fork-sees-later", id: "state-differs", script: `
world new empty parent
stripe POST /v1/customers name=Gus
fork child
world use parent
stripe POST /v1/customers name=Ann
world use child
replay
`},
	{mutant: "delivered-backwards", id: "delivery.creation-order-first-attempts", script: `
world new empty
hook start
stripe POST /v1/customers name=Gus
stripe POST /v1/customers name=Ann
flush
`},
}

// refusedLate is refused after the endpoint has minted and made something.
func refusedLate(h *history) {
	h.stripe("POST", "/v1/products", "name=More&default_price_data[currency]=usd")
	h.stripe("POST", "/v1/credit_notes", "invoice=in_nothing&amount=10")
	h.stripe("POST", "/v1/products", "name=More&expand[]=id")
}

// discounted bills with a coupon, which is then deleted.
func discounted(h *history) {
	h.stripe("POST", "/v1/coupons", "id=TEN&percent_off=10&duration=forever")
	h.stripe("POST", "/v1/subscriptions", "customer=cus_dana&items[0][price]=price_month&discounts[0][coupon]=TEN")
	h.stripe("DELETE", "/v1/coupons/TEN", "")
}

// TestMutants turns each of the mutants on, plays a history that has nothing wrong in
// itself, and expects the invariant that the mutant breaks.
func TestMutants(t *testing.T) {
	names := mutant.All()
	for _, k := range kills {
		t.Run(k.mutant, func(t *testing.T) {
			if !slices.ContainsFunc(names, func(m mutant.Mutant) bool { return m.Name == k.mutant }) {
				t.Fatal("the catalog does not have it")
			}
			if clean := k.run(t); clean != "" {
				t.Fatalf("without it: %s", clean)
			}
			mutant.Set(k.mutant)
			defer mutant.Set("")
			found := k.run(t)
			if mutant.Reached() == 0 {
				t.Error("its site was not reached")
			}
			if !strings.Contains(found, k.id) {
				t.Errorf("it survived, or another law saw it: %q", found)
			}
		})
	}
}

// run plays the history and returns what the invariants say of it.
func (k *kill) run(t *testing.T) string {
	t.Helper()
	if k.script != "" {
		file := filepath.Join(t.TempDir(), "mutant.txtar")
		if err := os.WriteFile(file, []byte(k.script), 0o600); err != nil {
			t.Fatal(err)
		}
		log, ok := testscripts.RunFile(file, false, testscripts.Options{})
		if ok {
			return ""
		}
		return log
	}
	doc := k.document
	if doc == "" {
		doc = document
	}
	h := newHistory(t, doc)
	h.lenient = true
	if k.play != nil {
		k.play(h)
	} else {
		h.play()
	}
	var out []string
	for _, v := range h.check(h.machine.State) {
		out = append(out, v.String())
	}
	return strings.Join(out, "\n")
}
