package stripe_test

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"worlds/journal/canon"
	"worlds/seed"
	"worlds/twin"
	"worlds/twin/stripe"
	"worlds/twin/stripe/oracle"
)

// olderShapes are the shapes that are not stored: a version of each, and the
// stripe-mock whose document describes it.
var olderShapes = [...]struct{ version, mock string }{
	{"2025-06-30.basil", oracle.MockBasil},
	{"2024-06-20", oracle.MockOld},
}

// judgeOf is the judge of an older shape; without one the test ends here, or fails
// where it must not.
func judgeOf(t testing.TB, shape int) *oracle.Oracle {
	t.Helper()
	judge, err := oracle.Of(olderShapes[shape].version)
	if err != nil {
		if os.Getenv("WORLDS_FORCE_SDK") != "" {
			t.Fatal(err)
		}
		t.Skipf("no document of %s: %v", olderShapes[shape].version, err)
	}
	return judge
}

// older executes everything that ran once more for each older version: every
// answer must be as Stripe's document of that version has it, and the facts must
// be the same, but for the records of idempotency keys.
func (r *rig) older() {
	r.t.Helper()
	r.olderEvents()
	for _, shape := range olderShapes {
		judge, err := oracle.Of(shape.version)
		if err != nil {
			continue // TestOlderShapes says so
		}
		m := freshMachine(r.t, r.seed)
		for j := range r.ran {
			was := &r.ran[j]
			if was.cmd.Version != "" || was.cmd.API != stripe.Name {
				break
			}
			cmd := was.cmd
			cmd.Version = shape.version
			now := m.Execute(uint64(j)+1, &cmd)
			if now.Status != was.out.Status {
				break // it asked for what this shape does not have
			}
			if !sameFacts(withoutIdem(now.Facts), withoutIdem(was.out.Facts)) {
				r.t.Errorf("%s: %s %s was decided differently", shape.version, cmd.Method, cmd.Path)
			}
			if now.Status == 200 && !judge.Knows(cmd.Method, cmd.Path) || strings.HasPrefix(cmd.Path, "/v1/events") {
				continue // newer than the version; and events are in the account's
			}
			pretty := onWire(now.Body)
			if err := judge.Response(cmd.Method, cmd.Path, int(now.Status), pretty); err != nil {
				r.t.Errorf("%s: %s %s %s → %d\n%v", shape.version, cmd.Method, cmd.Path, cmd.Body+cmd.Query, now.Status, err)
			}
		}
	}
}

// olderEventsMax is how many events of a type are judged in a version, in a run of
// all tests.
const olderEventsMax = 50

var olderEventsSeen sync.Map

// enough counts what there is of something, and tells when there were enough.
func enough(what string) bool {
	n, _ := olderEventsSeen.LoadOrStore(what, new(atomic.Int64))
	return n.(*atomic.Int64).Add(1) > olderEventsMax
}

// olderEvents judges every event as an endpoint of each older version gets it, as
// far as that version has the type.
func (r *rig) olderEvents() {
	r.t.Helper()
	deliver := stripe.Catalog().Delivery
	for _, shape := range olderShapes {
		judge, err := oracle.Of(shape.version)
		if err != nil {
			continue
		}
		for e := range r.machine.State.OldestEvents(0) {
			if e.API != stripe.Name || judge.EventType(e.Type) != nil || enough(shape.version+" "+e.Type) {
				continue
			}
			if err := judge.Object("event", onWire(deliver(r.machine.State, e, shape.version))); err != nil {
				r.t.Errorf("%s: event %s: %v", shape.version, e.Type, err)
			}
		}
	}
}

func withoutIdem(facts []canon.Raw) []canon.Raw {
	var out []canon.Raw
	for _, f := range facts {
		if !bytes.HasPrefix(f, []byte(`["idem"`)) {
			out = append(out, f)
		}
	}
	return out
}

// in executes line as version asks for it.
func (r *rig) in(version, line string) answer {
	r.t.Helper()
	words := strings.Fields(line)
	cmd := twin.Command{Actor: "key:1", API: "stripe", Method: words[0], Version: version}
	cmd.Path, cmd.Query, _ = strings.Cut(words[1], "?")
	if cmd.Method == "POST" {
		cmd.Body = strings.Join(words[2:], "&")
	}
	out := r.machine.Execute(uint64(len(r.ran))+1, &cmd)
	r.ran = append(r.ran, ran{cmd, out})
	return answer{out.Status, out.Body}
}

// One invoice, its charge and its line in each shape, and a subscription.
func TestOlderShapes(t *testing.T) {
	r := newRig(t, qaBase)
	sub := r.ok("POST /v1/subscriptions customer=cus_qa02 items[0][price]=price_qa_m").get("id")
	invoice := r.ok("GET /v1/subscriptions/" + sub).get("latest_invoice")
	for i, shape := range olderShapes {
		judge := judgeOf(t, i)
		for _, path := range []string{"/v1/invoices/" + invoice, "/v1/invoices/in_qa03", "/v1/charges/ch_qa01", "/v1/subscriptions/" + sub} {
			a := r.in(shape.version, "GET "+path)
			pretty := onWire(a.Body)
			if err := judge.Response("GET", path, int(a.Status), pretty); err != nil {
				t.Errorf("%s %s: %v", shape.version, path, err)
			}
			fmt.Fprintf(&r.text, "> %s GET %s\n%d %s\n\n", shape.version, path, a.Status, pretty)
		}
	}
	r.golden("older_shapes")
}

// What an older version may say and expand, and what then neither of the others
// may.
func TestOlderRequests(t *testing.T) {
	const stored, basil, old = stripe.Version, "2025-04-30.basil", "2022-11-15"
	rows := []struct{ version, line, path, want string }{
		{old, "GET /v1/invoices/in_qa01?expand[]=charge&expand[]=payment_intent", "charge.invoice", "in_qa01"},
		{old, "GET /v1/invoices/in_qa01?expand[]=payment_intent.latest_charge", "payment_intent.latest_charge.invoice", "in_qa01"},
		{old, "GET /v1/charges/ch_qa01?expand[]=invoice", "invoice.charge", "ch_qa01"},
		{old, "GET /v1/charges?expand[]=data.invoice", "data.1.invoice.paid", "true"},
		{old, "GET /v1/invoices/in_qa01", "lines.data.0.price.recurring.aggregate_usage", "null"},
		{old, "GET /v1/invoices/in_qa01", "lines.data.0.plan.id", "price_qa_m"},
		{old, "GET /v1/invoices/in_qa01", "lines.data.0.type", "invoiceitem"},
		{old, "GET /v1/invoices/in_qa02", "charge", "null"},
		{old, "GET /v1/invoices/in_qa02", "paid", "false"},
		{old, "GET /v1/invoices/in_qa01", "parent", ""},
		{basil, "GET /v1/invoices/in_qa01", "parent", "null"},
		{basil, "GET /v1/invoices/in_qa01", "paid", ""},
		{basil, "GET /v1/invoices/in_qa01", "amount_paid_off_stripe", ""},
		{stored, "GET /v1/invoices/in_qa01", "amount_paid_off_stripe", "0"},
		{old, "GET /v1/invoices/in_qa01?expand[]=payments", "error.message", "This property cannot be expanded (payments)."},
		{basil, "GET /v1/invoices/in_qa01?expand[]=payments", "payments.object", "list"},
		{basil, "GET /v1/invoices/in_qa01?expand[]=charge", "error.message", "This property cannot be expanded (charge)."},
		{stored, "GET /v1/invoices/in_qa01?expand[]=charge", "error.message", "This property cannot be expanded (charge)."},
		{stored, "POST /v1/customers coupon=SAVE", "error.code", "parameter_unknown"},
		{basil, "POST /v1/customers coupon=SAVE", "error.code", "parameter_unknown"},
		{stored, "POST /v1/subscriptions customer=cus_qa01 coupon=SAVE", "error.message", "Received unknown parameter: coupon"},
		{stored, "POST /v1/coupons id=SAVE percent_off=10 duration=once", "id", "SAVE"},
		{old, "POST /v1/subscriptions customer=cus_qa02 items[0][price]=price_qa_m coupon=SAVE", "discount.coupon.id", "SAVE"},
		{old, "POST /v1/subscriptions customer=cus_qa02 items[0][price]=price_qa_m coupon=NONE", "error.param", "coupon"},
		{old, "POST /v1/subscriptions customer=cus_qa02 items[0][price]=price_qa_m coupon=NONE", "error.message", "No such coupon: 'NONE'"},
		{old, "POST /v1/subscriptions customer=cus_qa02 items[0][price]=price_qa_m expand[]=latest_invoice.payment_intent", "latest_invoice.payment_intent.status", "succeeded"},
		{basil, "POST /v1/subscriptions customer=cus_qa02 items[0][price]=price_qa_m expand[]=latest_invoice.payment_intent", "error.message", "This property cannot be expanded (latest_invoice.payment_intent)."},
		{basil, "POST /v1/promotion_codes coupon=SAVE code=ONE", "coupon.id", "SAVE"},
		{old, "POST /v1/promotion_codes coupon=SAVE code=TWO", "coupon.object", "coupon"},
		{stored, "POST /v1/promotion_codes coupon=SAVE code=THREE", "error.message", "Received unknown parameter: coupon"},
		{old, "POST /v1/invoiceitems customer=cus_qa02 unit_amount=500 quantity=3 currency=usd", "amount", "1500"},
		{old, "POST /v1/invoiceitems customer=cus_qa02 unit_amount=500 quantity=3 currency=usd", "quantity", "3"},
		{old, "POST /v1/invoiceitems customer=cus_qa02 unit_amount=500 quantity=3 currency=usd", "unit_amount", "500"},
		{old, "POST /v1/invoiceitems customer=cus_qa02 amount=700 currency=usd", "unit_amount", "700"},
		{old, "POST /v1/invoiceitems customer=cus_qa02 unit_amount=-5 quantity=2 currency=usd", "amount", "-10"},
		{old, "POST /v1/invoiceitems customer=cus_qa02 unit_amount=5 amount=5 currency=usd", "error.param", "unit_amount"},
		{old, "POST /v1/invoiceitems customer=cus_qa02 unit_amount=999999999999 quantity=1000000 currency=usd", "error.code", "amount_too_large"},
		{old, "POST /v1/invoiceitems customer=cus_qa02 unit_amount=5 quantity=2", "error.param", "currency"},
		{old, "POST /v1/invoiceitems customer=cus_qa02 unit_amount=-999999999999 quantity=1000000 currency=usd", "error.code", "amount_too_large"},
		{old, "POST /v1/invoiceitems customer=cus_qa02 unit_amount=500 currency=usd", "amount", "500"},
		{stored, "POST /v1/invoiceitems customer=cus_qa02 unit_amount=500 currency=usd", "error.message", "Received unknown parameter: unit_amount"},
		{old, "POST /v1/invoiceitems customer=cus_qa02 price=price_none", "error.param", "price"},
		{old, "GET /v1/invoices/upcoming?customer=cus_qa02", "lines.data.0.amount", "500"},
		{old, "GET /v1/invoices/upcoming?customer=cus_qa02", "id", ""},
		{old, "GET /v1/invoices/upcoming?customer=cus_none", "error.param", "customer"},
		{old, "GET /v1/invoices/upcoming/lines", "error.message", "This twin does not serve GET /v1/invoices/upcoming/lines. The world is unchanged."},
		{old, "POST /v1/prices currency=usd unit_amount=1 product_data[name]=x recurring[interval]=month recurring[aggregate_usage]=sum", "error.message",
			"This twin does not serve the parameter recurring[aggregate_usage] of POST /v1/prices. The world is unchanged."},
		{basil, "POST /v1/prices currency=usd unit_amount=1 product_data[name]=x recurring[interval]=month recurring[aggregate_usage]=sum", "error.code", "parameter_unknown"},
		{old, "GET /v1/invoices/upcoming?customer=cus_qa02&subscription_start_date=1", "error.message",
			"This twin does not serve the parameter subscription_start_date of POST /v1/invoices/create_preview. The world is unchanged."},
		{stored, "POST /v1/invoices/create_preview customer=cus_qa02 subscription_start_date=1", "error.code", "parameter_unknown"},
		{old, "POST /v1/subscription_items/si_x/usage_records quantity=1", "error.message",
			"This twin does not serve POST /v1/subscription_items/si_x/usage_records. The world is unchanged."},
		{stored, "POST /v1/subscription_items/si_x/usage_records quantity=1", "error.type", "invalid_request_error"},
		{basil, "POST /v1/payment_methods/pm_x pay_by_bank[a]=b", "error.param", "pay_by_bank"},
		{old, "POST /v1/invoices customer=cus_qa02 rendering_options[amount_tax_display]=exclude_tax", "error.param", "rendering_options"},
		{basil, "GET /v1/invoices/upcoming?customer=cus_qa02", "error.code", "parameter_unknown"},
		{"2022-11-14", "GET /v1/customers", "error.message", "This twin does not serve API version 2022-11-14; the oldest it answers in is 2022-11-15. The world is unchanged."},
		{"2025-13-01", "GET /v1/customers", "error.message", "Invalid Stripe API version: 2025-13-01"},
		{"2024-02-30", "GET /v1/customers", "error.message", "Invalid Stripe API version: 2024-02-30"},
		{"2025-03-31.acacia", "GET /v1/customers", "error.message", "Invalid Stripe API version: 2025-03-31.acacia"},
		{"2025-09-29.clover", "GET /v1/customers", "error.message", "Invalid Stripe API version: 2025-09-29.clover"},
		{"2024-06-20.acacia", "GET /v1/customers", "error.message", "Invalid Stripe API version: 2024-06-20.acacia"},
		{"2024-06-20.preview", "GET /v1/customers", "error.message", "Invalid Stripe API version: 2024-06-20.preview"},
		{"2026-01-28.foo", "GET /v1/customers", "error.message", "Invalid Stripe API version: 2026-01-28.foo"},
		{"2027-01-27.", "GET /v1/customers", "error.message", "Invalid Stripe API version: 2027-01-27."},
		{"2028-02-29.fern", "GET /v1/customers", "object", "list"},
		{"2025-06-30.preview", "GET /v1/customers", "object", "list"},
		{"2026-10-28.endive", "GET /v1/customers", "object", "list"},
		{"2024-12-18.acacia", "GET /v1/customers", "object", "list"},
		{"", "POST /v1/webhook_endpoints url=http://127.0.0.1/ enabled_events[]=* api_version=2025-03-31.acacia", "error.param", "api_version"},
	}
	r := newRig(t, qaBase)
	for _, row := range rows {
		if got := r.in(row.version, row.line).get(row.path); got != row.want {
			t.Errorf("%s %s: %s is %q, want %q", row.version, row.line, row.path, got, row.want)
		}
	}
}

// A repeat answers as the first time, byte for byte and in that version, though
// what the answer shows of other objects has changed since.
func TestOlderRepeats(t *testing.T) {
	r := newRig(t, qaBase)
	send := func(version string) twin.Outcome {
		cmd := twin.Command{Actor: "key:1", API: "stripe", Method: "POST", Path: "/v1/invoices/in_qa02", Body: "metadata[a]=b", Idem: "ik_1", Version: version}
		out := r.machine.Execute(uint64(len(r.ran))+1, &cmd)
		r.ran = append(r.ran, ran{cmd, out})
		return out
	}
	first := send("2024-06-20")
	r.ok("POST /v1/invoices/in_qa02/pay paid_out_of_band=true")
	again := send("")
	if !bytes.Equal(first.Body, again.Body) || again.Version != "2024-06-20" || again.Replayed != first.Request {
		t.Errorf("in %s: %s\nin %s: %s", first.Version, first.Body, again.Version, again.Body)
	}
}

// An endpoint's events are in the endpoint's version, previous attributes too.
func TestOlderDeliveries(t *testing.T) {
	r := newRig(t, qaBase)
	r.ok("POST /v1/invoices/in_qa03 auto_advance=true description=x")
	r.ok("POST /v1/invoices/in_qa02/pay")
	for e := range r.machine.State.OldestEvents(0) {
		for i, shape := range olderShapes {
			body := stripe.Catalog().Delivery(r.machine.State, e, shape.version)
			if got := (answer{Body: body}).get("api_version"); got != shape.version {
				t.Errorf("%s in %s says %s", e.Type, shape.version, got)
			}
			judge := judgeOf(t, i)
			if judge.EventType(e.Type) != nil {
				continue // newer than the version
			}
			if err := judge.Object("event", onWire(body)); err != nil {
				t.Errorf("%s in %s: %v", e.Type, shape.version, err)
			}
			if previous := (answer{Body: body}).get("data.previous_attributes"); previous != "" {
				fmt.Fprintf(&r.text, "%s %s %s\n", shape.version, e.Type, previous)
			}
		}
	}
	r.golden("older_deliveries")
}

// BenchmarkShapes shows an invoice with its lines in each shape.
func BenchmarkShapes(b *testing.B) {
	world, err := seed.Parse([]byte(qaBase))
	if err != nil {
		b.Fatal(err)
	}
	for _, version := range []string{stripe.Version, "2025-06-30.basil", "2024-06-20"} {
		b.Run(version, func(b *testing.B) {
			m := freshMachine(b, world)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				cmd := twin.Command{Actor: "key:1", API: stripe.Name, Method: "GET", Path: "/v1/invoices/in_qa01", Version: version}
				if out := m.Execute(uint64(i)+1, &cmd); out.Status != 200 {
					b.Fatalf("%s", out.Body)
				}
			}
		})
	}
}
