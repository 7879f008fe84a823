package sdk_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stripe/stripe-go/v85"

	"worlds/admin"
	"worlds/seed"
	"worlds/testscripts"
	"worlds/twin/stripe/oracle"
)

// goClient is stripe-go on a fresh world of a seed, its answers judged.
func goClient(t *testing.T, name string) *stripe.Client {
	t.Helper()
	doc, err := seed.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	server, err := testscripts.StartServer(testscripts.ServerOptions{
		Dir:  t.TempDir(),
		Wrap: func(h http.Handler) http.Handler { return oracle.Wrap(t, h) },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Stop() })
	created, err := server.Admin.Create(doc, admin.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return stripe.NewClient(created.Keys[0].Secret, stripe.WithBackends(stripe.NewBackendsWithConfig(&stripe.BackendConfig{
		URL: stripe.String(server.URL), MaxNetworkRetries: stripe.Int64(0), EnableTelemetry: stripe.Bool(false),
		LeveledLogger: &stripe.LeveledLogger{Level: stripe.LevelNull},
	})))
}

// must stops the test on an error.
func must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// refusedAs reads stripe-go's error: status, type, code and decline code.
func refusedAs(err error) string {
	var e *stripe.Error
	if !errors.As(err, &e) {
		return fmt.Sprint(err)
	}
	return strings.TrimSpace(fmt.Sprintf("%d %s %s %s", e.HTTPStatusCode, e.Type, e.Code, e.DeclineCode))
}

// TestPaymentsInGo reads payments into stripe-go's types.
func TestPaymentsInGo(t *testing.T) {
	ctx, sc := context.Background(), goClient(t, "empty")
	c := must(sc.V1Customers.Create(ctx, &stripe.CustomerCreateParams{Name: stripe.String("Ann")}))(t)
	pi := must(sc.V1PaymentIntents.Create(ctx, &stripe.PaymentIntentCreateParams{
		Amount: stripe.Int64(2500), Currency: stripe.String("usd"), Customer: &c.ID, Confirm: stripe.Bool(true),
		PaymentMethod: stripe.String("pm_card_visa"), OffSession: stripe.Bool(true), SetupFutureUsage: stripe.String("off_session"),
		Metadata: map[string]string{"order": "007"}, Expand: stripe.StringSlice([]string{"latest_charge.balance_transaction"}),
	}))(t)
	if pi.Status != stripe.PaymentIntentStatusSucceeded || pi.LatestCharge.BalanceTransaction.Net != 2500-103 || pi.Metadata["order"] != "007" {
		t.Errorf("paid: %+v", pi)
	}
	for _, row := range [][2]string{
		{"pm_card_chargeDeclinedInsufficientFunds", "402 card_error card_declined insufficient_funds"},
		{"pm_card_authenticationRequired", "402 card_error authentication_required authentication_required"},
		{"pm_card_chargeDeclinedExpiredCard", "402 card_error expired_card expired_card"},
		{"pm_nope", "400 invalid_request_error resource_missing"},
	} {
		_, err := sc.V1PaymentIntents.Create(ctx, &stripe.PaymentIntentCreateParams{
			Amount: stripe.Int64(500), Currency: stripe.String("usd"), Confirm: stripe.Bool(true), OffSession: stripe.Bool(true), PaymentMethod: &row[0],
		})
		if got := refusedAs(err); got != row[1] {
			t.Errorf("%s: %s, want %s", row[0], got, row[1])
		}
	}
	held := must(sc.V1PaymentIntents.Create(ctx, &stripe.PaymentIntentCreateParams{
		Amount: stripe.Int64(1000), Currency: stripe.String("jpy"), CaptureMethod: stripe.String("manual"), Confirm: stripe.Bool(true),
		PaymentMethod: stripe.String("pm_card_amex"),
	}))(t)
	captured := must(sc.V1PaymentIntents.Capture(ctx, held.ID, &stripe.PaymentIntentCaptureParams{AmountToCapture: stripe.Int64(600)}))(t)
	if captured.AmountReceived != 600 {
		t.Errorf("captured %d", captured.AmountReceived)
	}
	if _, err := sc.V1PaymentIntents.Cancel(ctx, held.ID, nil); refusedAs(err) != "400 invalid_request_error payment_intent_unexpected_state" {
		t.Errorf("canceled: %v", err)
	}
	later := &stripe.SetupIntentCreateParams{Customer: &c.ID, Confirm: stripe.Bool(true), PaymentMethod: stripe.String("pm_card_mastercard")}
	if si := must(sc.V1SetupIntents.Create(ctx, later))(t); si.Status != stripe.SetupIntentStatusSucceeded {
		t.Errorf("set up: %s", si.Status)
	}
	var cards []string
	for m, err := range sc.V1PaymentMethods.List(ctx, &stripe.PaymentMethodListParams{Customer: &c.ID}).All(ctx) {
		cards = append(cards, must(m, err)(t).Card.Last4)
	}
	if got := strings.Join(cards, " "); got != "4444 4242" {
		t.Errorf("cards %s", got)
	}
}

// TestDisputesAndCreditInGo reads disputes, credit and searches into stripe-go's
// types.
func TestDisputesAndCreditInGo(t *testing.T) {
	ctx, sc := context.Background(), goClient(t, "empty")
	ch := must(sc.V1Charges.Create(ctx, &stripe.ChargeCreateParams{
		Amount: stripe.Int64(2000), Currency: stripe.String("usd"), Source: &stripe.PaymentSourceSourceParams{Token: stripe.String("tok_createDispute")},
	}))(t)
	if ch.Source == nil || ch.Source.Card.Last4 != "0259" {
		t.Errorf("source %+v", ch.Source)
	}
	var ids []string
	for d, err := range sc.V1Disputes.List(ctx, &stripe.DisputeListParams{Charge: &ch.ID}).All(ctx) {
		ids = append(ids, must(d, err)(t).ID)
	}
	if len(ids) != 1 {
		t.Fatalf("disputes %v", ids)
	}
	won := must(sc.V1Disputes.Update(ctx, ids[0], &stripe.DisputeUpdateParams{
		Evidence: &stripe.DisputeUpdateEvidenceParams{UncategorizedText: stripe.String("winning_evidence")}, Submit: stripe.Bool(true),
	}))(t)
	if won.Status != stripe.DisputeStatusWon || len(won.BalanceTransactions) != 2 || won.EvidenceDetails.SubmissionCount != 1 {
		t.Errorf("won: %+v", won)
	}
	if _, err := sc.V1Disputes.Close(ctx, won.ID, nil); refusedAs(err) != "400 invalid_request_error" {
		t.Errorf("closed: %v", err)
	}
	slow := must(sc.V1Charges.Create(ctx, &stripe.ChargeCreateParams{
		Amount: stripe.Int64(900), Currency: stripe.String("usd"), Source: &stripe.PaymentSourceSourceParams{Token: stripe.String("tok_pendingRefund")}, Capture: stripe.Bool(false),
	}))(t)
	must(sc.V1Charges.Capture(ctx, slow.ID, nil))(t)
	if re := must(sc.V1Refunds.Create(ctx, &stripe.RefundCreateParams{Charge: &slow.ID}))(t); re.Status != stripe.RefundStatusPending {
		t.Errorf("refund %s", re.Status)
	}
	c := must(sc.V1Customers.Create(ctx, &stripe.CustomerCreateParams{Name: stripe.String("Ann"), Source: stripe.String("tok_visa")}))(t)
	row := must(sc.V1CustomerBalanceTransactions.Create(ctx, &stripe.CustomerBalanceTransactionCreateParams{
		Customer: &c.ID, Amount: stripe.Int64(-500), Currency: stripe.String("usd"),
	}))(t)
	if row.Type != stripe.CustomerBalanceTransactionTypeAdjustment || row.EndingBalance != -500 {
		t.Errorf("credit %+v", row)
	}
	found := 0
	for one, err := range sc.V1Customers.Search(ctx, &stripe.CustomerSearchParams{SearchParams: stripe.SearchParams{Query: `name:"ann"`}}).All(ctx) {
		if must(one, err)(t).Balance == -500 {
			found++
		}
	}
	if found != 1 {
		t.Errorf("found %d", found)
	}
	for _, err := range sc.V1Charges.Search(ctx, &stripe.ChargeSearchParams{SearchParams: stripe.SearchParams{Query: "shoe"}}).All(ctx) {
		if got := refusedAs(err); got != "400 invalid_request_error" {
			t.Errorf("a bad query: %s", got)
		}
	}
	b := must(sc.V1Balance.Retrieve(ctx, nil))(t)
	a := must(sc.V1Accounts.Retrieve(ctx, nil))(t)
	if b.Pending[0].Currency != stripe.CurrencyUSD || a.DefaultCurrency != stripe.CurrencyUSD || !a.ChargesEnabled {
		t.Errorf("balance %+v, account %+v", b, a)
	}
}
