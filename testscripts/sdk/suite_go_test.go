package sdk_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stripe/stripe-go/v85"

	"worlds/admin"
	"worlds/testscripts"
)

// speaks makes every request in a version of the API and counts it; stripe-go has
// only its own.
type speaks struct {
	version string
	calls   atomic.Int64
}

// RoundTrip implements http.RoundTripper.
func (s *speaks) RoundTrip(r *http.Request) (*http.Response, error) {
	s.calls.Add(1)
	if s.version != "" {
		r.Header.Set("Stripe-Version", s.version)
	}
	return http.DefaultTransport.RoundTrip(r)
}

// goSuite is one run of the suite in Go.
type goSuite struct {
	t        *testing.T
	ctx      context.Context
	sc       *stripe.Client
	shape    string // newest, basil, old
	customer string
	month    string
	coupon   string
	charge   string
}

// TestSuiteInGo lets stripe-go use everything, in each version twice: the two runs
// end in equal heads.
func TestSuiteInGo(t *testing.T) {
	for i, v := range suiteVersions {
		t.Run([]string{"newest", "basil", "old"}[i], func(t *testing.T) {
			var heads []string
			for range 2 {
				heads = append(heads, runGoSuite(t, []string{"newest", "basil", "old"}[i], v.version, v.mock))
			}
			if heads[0] != heads[1] {
				t.Errorf("two runs end in %s and %s", heads[0], heads[1])
			}
		})
	}
}

func runGoSuite(t *testing.T, shape, version, mock string) string {
	t.Helper()
	server, err := testscripts.StartServer(testscripts.ServerOptions{Dir: t.TempDir(), Wrap: suiteJudge(t, mock)})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Stop()
	created, err := server.Admin.Create(suiteSeed(t), admin.CreateOptions{Scenarios: suiteRules()})
	if err != nil {
		t.Fatal(err)
	}
	wire := &speaks{version: version}
	s := &goSuite{t: t, ctx: context.Background(), shape: shape, sc: suiteClient(server.URL, created.Keys[0].Secret, wire)}
	for _, part := range []func(){s.customers, s.paging, s.products, s.subscriptions, s.invoices, s.money, s.refusals, s.events} {
		part()
	}
	if _, err := suiteClient(server.URL, "sk_test_wrong", wire).V1Balance.Retrieve(s.ctx, nil); refusedAs(err) != "401 invalid_request_error" {
		t.Errorf("a wrong key: %v", err)
	}
	if n := wire.calls.Load(); n < 60 {
		t.Errorf("only %d calls", n)
	}
	origin, _ := server.Admin.Resolve("stripe", created.Keys[0].Secret)
	var out outcome
	out.read(t, origin.World)
	return out.head + " " + out.dump
}

func suiteClient(url, key string, wire http.RoundTripper) *stripe.Client {
	return stripe.NewClient(key, stripe.WithBackends(stripe.NewBackendsWithConfig(&stripe.BackendConfig{
		URL: stripe.String(url), MaxNetworkRetries: stripe.Int64(0), EnableTelemetry: stripe.Bool(false),
		LeveledLogger: &stripe.LeveledLogger{Level: stripe.LevelNull}, HTTPClient: &http.Client{Transport: wire},
	})))
}

// equal stops the suite when two values differ.
func equal[T comparable](s *goSuite, what string, got, want T) {
	s.t.Helper()
	if got != want {
		s.t.Fatalf("%s: %v, want %v", what, got, want)
	}
}

// raw reads a member that stripe-go's types of the newest shape do not have, by its
// dotted path: a text bare, anything else as JSON.
func (s *goSuite) raw(answer *stripe.APIResponse, path string) string {
	s.t.Helper()
	at := json.RawMessage(answer.RawJSON)
	for _, key := range strings.Split(path, ".") {
		var members map[string]json.RawMessage
		if err := json.Unmarshal(at, &members); err != nil {
			s.t.Fatalf("%s: %v", path, err)
		}
		at = members[key]
	}
	var text string
	if json.Unmarshal(at, &text) == nil {
		return text
	}
	return string(at)
}

func (s *goSuite) customers() {
	params := func() *stripe.CustomerCreateParams {
		p := &stripe.CustomerCreateParams{Email: stripe.String("suite@example.com"), Name: stripe.String("Suite"), Metadata: map[string]string{"a": "1", "b": "2"}}
		p.SetIdempotencyKey("suite-1")
		return p
	}
	first := must(s.sc.V1Customers.Create(s.ctx, params()))(s.t)
	again := must(s.sc.V1Customers.Create(s.ctx, params()))(s.t)
	s.customer = first.ID
	equal(s, "the replay", string(again.LastResponse.RawJSON), string(first.LastResponse.RawJSON))
	equal(s, "Idempotent-Replayed", again.LastResponse.Header.Get("Idempotent-Replayed"), "true")
	equal(s, "Original-Request", again.LastResponse.Header.Get("Original-Request"), first.LastResponse.RequestID)
	other := params()
	other.Name = stripe.String("Other")
	_, err := s.sc.V1Customers.Create(s.ctx, other)
	equal(s, "a reused key", refusedAs(err), "400 idempotency_error")
	changed := &stripe.CustomerUpdateParams{Description: stripe.String("x"), Metadata: map[string]string{"a": "", "c": "3"}}
	changed.AddUnsetField("name")
	c := must(s.sc.V1Customers.Update(s.ctx, s.customer, changed))(s.t)
	equal(s, "updated", c.Name+c.Description+c.Metadata["a"]+c.Metadata["b"]+c.Metadata["c"], "x23")
	pm := must(s.sc.V1PaymentMethods.Attach(s.ctx, "pm_card_visa", &stripe.PaymentMethodAttachParams{Customer: &s.customer}))(s.t)
	ready := &stripe.CustomerUpdateParams{InvoiceSettings: &stripe.CustomerUpdateInvoiceSettingsParams{DefaultPaymentMethod: &pm.ID}}
	ready.AddExpand("invoice_settings.default_payment_method")
	equal(s, "brand", must(s.sc.V1Customers.Update(s.ctx, s.customer, ready))(s.t).InvoiceSettings.DefaultPaymentMethod.Card.Brand, "visa")
	gone := must(s.sc.V1Customers.Create(s.ctx, &stripe.CustomerCreateParams{Email: stripe.String("gone@example.com")}))(s.t)
	equal(s, "deleted", must(s.sc.V1Customers.Delete(s.ctx, gone.ID, nil))(s.t).Deleted, true)
	equal(s, "deleted since", must(s.sc.V1Customers.Retrieve(s.ctx, gone.ID, nil))(s.t).Deleted, true)
	row := must(s.sc.V1CustomerBalanceTransactions.Create(s.ctx, &stripe.CustomerBalanceTransactionCreateParams{
		Customer: &s.customer, Amount: stripe.Int64(-100), Currency: stripe.String("usd")}))(s.t)
	equal(s, "credit", row.EndingBalance, -100)
	must(s.sc.V1CustomerBalanceTransactions.Create(s.ctx, &stripe.CustomerBalanceTransactionCreateParams{
		Customer: &s.customer, Amount: stripe.Int64(100), Currency: stripe.String("usd")}))(s.t)
}

// paging walks over all the rows of a list from both ends, and over a search.
func (s *goSuite) paging() {
	walk := func(p *stripe.CustomerListParams) []string {
		p.Limit = stripe.Int64(100)
		var ids []string
		for c, err := range s.sc.V1Customers.List(s.ctx, p).All(s.ctx) {
			ids = append(ids, must(c, err)(s.t).ID)
		}
		return ids
	}
	forward := walk(&stripe.CustomerListParams{})
	equal(s, "rows", len(forward), suiteRows+1)
	back := &stripe.CustomerListParams{}
	back.EndingBefore = &forward[len(forward)-1]
	backward := walk(back)
	slices.Reverse(backward)
	if !slices.Equal(backward, forward[:len(forward)-1]) {
		s.t.Errorf("backward %d rows, forward %d", len(backward), len(forward))
	}
	found := map[string]bool{}
	search := &stripe.CustomerSearchParams{SearchParams: stripe.SearchParams{Query: "email~'paged.example'", Limit: stripe.Int64(100)}}
	for c, err := range s.sc.V1Customers.Search(s.ctx, search).All(s.ctx) {
		found[must(c, err)(s.t).ID] = true
	}
	equal(s, "found", len(found), suiteRows)
}

func (s *goSuite) products() {
	product := must(s.sc.V1Products.Create(s.ctx, &stripe.ProductCreateParams{
		Name: stripe.String("Suite Pro"), DefaultPriceData: &stripe.ProductCreateDefaultPriceDataParams{
			Currency: stripe.String("usd"), UnitAmount: stripe.Int64(1500),
			Recurring: &stripe.ProductCreateDefaultPriceDataRecurringParams{Interval: stripe.String("month")}},
	}))(s.t)
	expanded := &stripe.PriceRetrieveParams{}
	expanded.AddExpand("product")
	price := must(s.sc.V1Prices.Retrieve(s.ctx, product.DefaultPrice.ID, expanded))(s.t)
	equal(s, "price", price.UnitAmount, 1500)
	equal(s, "its product", price.Product.Name, "Suite Pro")
	s.month = price.ID
	once := must(s.sc.V1Prices.Create(s.ctx, &stripe.PriceCreateParams{
		Product: &product.ID, Currency: stripe.String("usd"), UnitAmount: stripe.Int64(900), LookupKey: stripe.String("suite-once")}))(s.t)
	for p, err := range s.sc.V1Prices.List(s.ctx, &stripe.PriceListParams{LookupKeys: []*string{stripe.String("suite-once")}}).All(s.ctx) {
		equal(s, "by lookup key", must(p, err)(s.t).ID, once.ID)
	}
	equal(s, "nickname", must(s.sc.V1Prices.Update(s.ctx, once.ID, &stripe.PriceUpdateParams{Nickname: stripe.String("Once")}))(s.t).Nickname, "Once")
	equal(s, "description", must(s.sc.V1Products.Update(s.ctx, product.ID, &stripe.ProductUpdateParams{Description: stripe.String("All")}))(s.t).Description, "All")
	coupon := must(s.sc.V1Coupons.Create(s.ctx, &stripe.CouponCreateParams{PercentOff: stripe.Float64(12.5), Duration: stripe.String("once")}))(s.t)
	equal(s, "percent", coupon.PercentOff, 12.5)
	s.coupon = coupon.ID
	code := must(s.sc.V1PromotionCodes.Create(s.ctx, &stripe.PromotionCodeCreateParams{
		Code: stripe.String("SUITE"), Promotion: &stripe.PromotionCodeCreatePromotionParams{Type: stripe.String("coupon"), Coupon: &coupon.ID}}))(s.t)
	path := map[string]string{"newest": "promotion.coupon", "basil": "coupon.id", "old": "coupon.id"}[s.shape]
	equal(s, "the code's coupon", s.raw(code.LastResponse, path), coupon.ID)
}

// subscriptions reads periods and links where the shape has them.
func (s *goSuite) subscriptions() {
	params := &stripe.SubscriptionCreateParams{Customer: &s.customer, Items: []*stripe.SubscriptionCreateItemParams{{Price: &s.month}}}
	if s.shape == "old" {
		params.AddExtra("coupon", s.coupon)
	} else {
		params.Discounts = []*stripe.SubscriptionCreateDiscountParams{{Coupon: &s.coupon}}
	}
	sub := must(s.sc.V1Subscriptions.Create(s.ctx, params))(s.t)
	equal(s, "status", sub.Status, stripe.SubscriptionStatusActive)
	invoiceParams := &stripe.InvoiceRetrieveParams{}
	if s.shape == "old" {
		equal(s, "the period's end", s.raw(sub.LastResponse, "current_period_end"), "1769904000")
		invoiceParams.AddExpand("payment_intent")
	} else {
		equal(s, "the period's end", sub.Items.Data[0].CurrentPeriodEnd, 1769904000)
		invoiceParams.AddExpand("payments.data.payment.payment_intent")
	}
	inv := must(s.sc.V1Invoices.Retrieve(s.ctx, sub.LatestInvoice.ID, invoiceParams))(s.t)
	equal(s, "total", inv.Total, 1500-188)
	if s.shape == "old" {
		equal(s, "subscription", s.raw(inv.LastResponse, "subscription"), sub.ID)
		s.charge = s.raw(inv.LastResponse, "charge")
		equal(s, "the intent's charge", s.raw(inv.LastResponse, "payment_intent.latest_charge"), s.charge)
	} else {
		equal(s, "subscription", inv.Parent.SubscriptionDetails.Subscription.ID, sub.ID)
		s.charge = inv.Payments.Data[0].Payment.PaymentIntent.LatestCharge.ID
	}
	pending := must(s.sc.V1Subscriptions.Update(s.ctx, sub.ID, &stripe.SubscriptionUpdateParams{CancelAtPeriodEnd: stripe.Bool(true)}))(s.t)
	equal(s, "cancel at", pending.CancelAt, 1769904000)
	must(s.sc.V1Subscriptions.Update(s.ctx, sub.ID, &stripe.SubscriptionUpdateParams{CancelAtPeriodEnd: stripe.Bool(false), Metadata: map[string]string{"plan": "pro"}}))(s.t)
	item := sub.Items.Data[0].ID
	must(s.sc.V1Subscriptions.Update(s.ctx, sub.ID, &stripe.SubscriptionUpdateParams{
		Items: []*stripe.SubscriptionUpdateItemParams{{ID: &item, Quantity: stripe.Int64(3)}}, ProrationBehavior: stripe.String("none")}))(s.t)
	equal(s, "quantity", must(s.sc.V1SubscriptionItems.Retrieve(s.ctx, item, nil))(s.t).Quantity, 3)
	search := &stripe.SubscriptionSearchParams{SearchParams: stripe.SearchParams{Query: "status:'active' AND metadata['plan']:'pro'"}}
	for one, err := range s.sc.V1Subscriptions.Search(s.ctx, search).All(s.ctx) {
		equal(s, "found", must(one, err)(s.t).ID, sub.ID)
	}
	for one, err := range s.sc.V1Subscriptions.List(s.ctx, &stripe.SubscriptionListParams{Customer: &s.customer, Status: stripe.String("all")}).All(s.ctx) {
		equal(s, "listed", must(one, err)(s.t).ID, sub.ID)
	}
	equal(s, "canceled", must(s.sc.V1Subscriptions.Cancel(s.ctx, sub.ID, nil))(s.t).Status, stripe.SubscriptionStatusCanceled)
}

func (s *goSuite) bill(params *stripe.InvoiceCreateParams, amounts ...int64) *stripe.Invoice {
	s.t.Helper()
	params.Customer = &s.customer
	inv := must(s.sc.V1Invoices.Create(s.ctx, params))(s.t)
	for _, amount := range amounts {
		must(s.sc.V1InvoiceItems.Create(s.ctx, &stripe.InvoiceItemCreateParams{
			Customer: &s.customer, Invoice: &inv.ID, Amount: &amount, Currency: stripe.String("usd"), Description: stripe.String("Work")}))(s.t)
	}
	return inv
}

func (s *goSuite) invoices() {
	draft := s.bill(&stripe.InvoiceCreateParams{}, 700, 300)
	sum := int64(0)
	of := &stripe.InvoiceListLinesParams{Invoice: &draft.ID}
	of.Limit = stripe.Int64(1)
	for l, err := range s.sc.V1Invoices.ListLines(s.ctx, of).All(s.ctx) {
		sum += must(l, err)(s.t).Amount
	}
	equal(s, "lines", sum, 1000)
	open := must(s.sc.V1Invoices.FinalizeInvoice(s.ctx, draft.ID, nil))(s.t)
	equal(s, "open", open.AmountRemaining, 1000)
	note := must(s.sc.V1CreditNotes.Create(s.ctx, &stripe.CreditNoteCreateParams{Invoice: &open.ID, Amount: stripe.Int64(200)}))(s.t)
	equal(s, "note", note.Amount, 200)
	equal(s, "paid", must(s.sc.V1Invoices.Pay(s.ctx, open.ID, nil))(s.t).AmountPaid, 800)
	_, err := s.sc.V1Invoices.Pay(s.ctx, open.ID, nil)
	equal(s, "paid twice", refusedAs(err), "400 invalid_request_error")
	sent := s.bill(&stripe.InvoiceCreateParams{CollectionMethod: stripe.String("send_invoice"), DaysUntilDue: stripe.Int64(30)}, 500)
	equal(s, "sent", must(s.sc.V1Invoices.SendInvoice(s.ctx, sent.ID, nil))(s.t).Status, stripe.InvoiceStatusOpen)
	equal(s, "written off", must(s.sc.V1Invoices.MarkUncollectible(s.ctx, sent.ID, nil))(s.t).Status, stripe.InvoiceStatusUncollectible)
	equal(s, "void", must(s.sc.V1Invoices.VoidInvoice(s.ctx, sent.ID, nil))(s.t).Status, stripe.InvoiceStatusVoid)
	equal(s, "deleted", must(s.sc.V1Invoices.Delete(s.ctx, s.bill(&stripe.InvoiceCreateParams{}).ID, nil))(s.t).Deleted, true)
	must(s.sc.V1InvoiceItems.Create(s.ctx, &stripe.InvoiceItemCreateParams{Customer: &s.customer, Amount: stripe.Int64(250), Currency: stripe.String("usd")}))(s.t)
	preview := must(s.sc.V1Invoices.CreatePreview(s.ctx, &stripe.InvoiceCreatePreviewParams{Customer: &s.customer}))(s.t)
	equal(s, "preview", preview.Total, 250)
}

func (s *goSuite) money() {
	first := must(s.sc.V1Refunds.Create(s.ctx, &stripe.RefundCreateParams{Charge: &s.charge, Amount: stripe.Int64(100), Reason: stripe.String("requested_by_customer")}))(s.t)
	equal(s, "why", must(s.sc.V1Refunds.Update(s.ctx, first.ID, &stripe.RefundUpdateParams{Metadata: map[string]string{"why": "part"}}))(s.t).Metadata["why"], "part")
	must(s.sc.V1Refunds.Create(s.ctx, &stripe.RefundCreateParams{Charge: &s.charge, Amount: stripe.Int64(100)}))(s.t)
	params := &stripe.ChargeRetrieveParams{}
	params.AddExpand("refunds")
	params.AddExpand("balance_transaction")
	params.AddExpand("customer")
	ch := must(s.sc.V1Charges.Retrieve(s.ctx, s.charge, params))(s.t)
	equal(s, "refunded", ch.AmountRefunded, 200)
	equal(s, "refunds", len(ch.Refunds.Data), 2)
	equal(s, "net", ch.BalanceTransaction.Net, ch.Amount-ch.BalanceTransaction.Fee)
	equal(s, "customer", ch.Customer.Email, "suite@example.com")
	n := 0
	for r, err := range s.sc.V1Refunds.List(s.ctx, &stripe.RefundListParams{Charge: &s.charge}).All(s.ctx) {
		n += int(must(r, err)(s.t).Amount)
	}
	equal(s, "listed refunds", n, 200)
	equal(s, "balance", must(s.sc.V1Balance.Retrieve(s.ctx, nil))(s.t).Object, "balance")
}

func (s *goSuite) refusals() {
	refused := func(what string, err error, want string) {
		s.t.Helper()
		equal(s, what, refusedAs(err), want)
	}
	_, err := s.sc.V1Customers.Retrieve(s.ctx, "cus_none", nil)
	refused("missing", err, "404 invalid_request_error resource_missing")
	_, err = s.sc.V1Subscriptions.Create(s.ctx, &stripe.SubscriptionCreateParams{Customer: &s.customer, Items: []*stripe.SubscriptionCreateItemParams{{Price: stripe.String("price_none")}}})
	refused("reference", err, "400 invalid_request_error resource_missing")
	unknown := &stripe.CustomerCreateParams{}
	unknown.AddExtra("nonsense", "1")
	_, err = s.sc.V1Customers.Create(s.ctx, unknown)
	refused("unknown", err, "400 invalid_request_error parameter_unknown")
	_, err = s.sc.V1Refunds.Create(s.ctx, &stripe.RefundCreateParams{Charge: &s.charge, Amount: stripe.Int64(99999)})
	refused("over", err, "400 invalid_request_error")
	_, err = s.sc.V1PaymentIntents.Create(s.ctx, &stripe.PaymentIntentCreateParams{
		Amount: stripe.Int64(500), Currency: stripe.String("usd"), Confirm: stripe.Bool(true), PaymentMethod: stripe.String("pm_card_chargeDeclined")})
	refused("card", err, "402 card_error card_declined generic_decline")
	_, err = s.sc.V1TestHelpersTestClocks.Create(s.ctx, &stripe.TestHelpersTestClockCreateParams{FrozenTime: stripe.Int64(1)})
	refused("permission", err, "403 invalid_request_error")
	for _, row := range [][2]string{
		{"rate", "429 invalid_request_error rate_limit"}, {"broken", "500 api_error"}, {"busy", "409 idempotency_error idempotency_key_in_use"},
	} {
		_, err = s.sc.V1Coupons.Retrieve(s.ctx, row[0], nil)
		refused(row[0], err, row[1])
	}
	_, err = s.sc.V1Coupons.Retrieve(s.ctx, "cut", nil)
	if known := new(stripe.Error); err == nil || errors.As(err, &known) {
		s.t.Errorf("a cut connection: %v", err)
	}
}

func (s *goSuite) events() {
	types := map[string]bool{}
	params := &stripe.EventListParams{}
	params.Limit = stripe.Int64(100)
	last := ""
	for e, err := range s.sc.V1Events.List(s.ctx, params).All(s.ctx) {
		types[string(must(e, err)(s.t).Type)], last = true, e.ID
	}
	equal(s, "types of events", len(types) > 25, true)
	equal(s, "the first event", must(s.sc.V1Events.Retrieve(s.ctx, last, nil))(s.t).Type, stripe.EventTypeCustomerCreated)
	hook := must(s.sc.V1WebhookEndpoints.Create(s.ctx, &stripe.WebhookEndpointCreateParams{
		URL: stripe.String("http://127.0.0.1:9/none"), EnabledEvents: []*string{stripe.String("customer.created")}}))(s.t)
	equal(s, "secret", strings.HasPrefix(hook.Secret, "whsec_"), true)
	equal(s, "deleted", must(s.sc.V1WebhookEndpoints.Delete(s.ctx, hook.ID, nil))(s.t).Deleted, true)
	equal(s, "account", must(s.sc.V1Accounts.Retrieve(s.ctx, nil))(s.t).Object, "account")
}
