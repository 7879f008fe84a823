// Command go is a support job by stripe-go: a customer was charged twice,
// refund one of the two. The server is WORLDS_URL, the key STRIPE_KEY. It
// prints one line of JSON, the same as support.js and support.py do.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"reflect"
	"slices"

	"github.com/stripe/stripe-go/v85"
)

const (
	dana = "dana@doublepay.example"
	page = 7 // small, so that paging happens
)

// summary is what is printed; its fields are in the order of their keys.
type summary struct {
	Backward int    `json:"backward"`
	Charge   string `json:"charge"`
	Customer string `json:"customer"`
	Event    string `json:"event"`
	Forward  int    `json:"forward"`
	Invoice  string `json:"invoice"`
	Invoices int    `json:"invoices"`
	Payments int    `json:"payments"`
	Refund   string `json:"refund"`
	Refused  string `json:"refused"`
}

func main() {
	log.SetFlags(0)
	url := os.Getenv("WORLDS_URL")
	if url == "" {
		url = "http://127.0.0.1:7357"
	}
	sum, err := support(context.Background(), newClient(url, os.Getenv("STRIPE_KEY")))
	if err != nil {
		log.Fatal(err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(sum); err != nil {
		log.Fatal(err)
	}
}

func newClient(url, key string) *stripe.Client {
	return stripe.NewClient(key, stripe.WithBackends(stripe.NewBackendsWithConfig(&stripe.BackendConfig{
		URL:               stripe.String(url),
		MaxNetworkRetries: stripe.Int64(0),
		EnableTelemetry:   stripe.Bool(false),
		LeveledLogger:     &stripe.LeveledLogger{Level: stripe.LevelNull},
	})))
}

func support(ctx context.Context, sc *stripe.Client) (*summary, error) {
	sum := &summary{}
	for _, step := range []func(context.Context, *stripe.Client, *summary) error{
		findCustomer, findDuplicate, refundOnce, refundAgain, checkRefunded, countBothWays,
	} {
		if err := step(ctx, sc, sum); err != nil {
			return nil, err
		}
	}
	return sum, nil
}

func findCustomer(ctx context.Context, sc *stripe.Client, sum *summary) error {
	found := sc.V1Customers.List(ctx, &stripe.CustomerListParams{Email: stripe.String(dana)})
	if err := found.Err(); err != nil {
		return err
	}
	if err := check("customers with the e-mail "+dana, len(found.Data()), 1); err != nil {
		return err
	}
	sum.Customer = found.Data()[0].ID
	return nil
}

// findDuplicate finds the later of two paid payments of one invoice.
func findDuplicate(ctx context.Context, sc *stripe.Client, sum *summary) error {
	params := &stripe.InvoiceListParams{Customer: &sum.Customer}
	params.Limit = stripe.Int64(page)
	for invoice, err := range sc.V1Invoices.List(ctx, params).All(ctx) {
		if err != nil {
			return err
		}
		sum.Invoices++
		of := &stripe.InvoicePaymentListParams{Invoice: &invoice.ID, Status: stripe.String("paid")}
		of.AddExpand("data.payment.payment_intent.latest_charge")
		paid := sc.V1InvoicePayments.List(ctx, of)
		if err := paid.Err(); err != nil {
			return err
		}
		sum.Payments += len(paid.Data())
		if len(paid.Data()) < 2 {
			continue
		}
		if sum.Charge != "" {
			return fmt.Errorf("a second invoice was paid twice: %s", invoice.ID)
		}
		charge := paid.Data()[0].Payment.PaymentIntent.LatestCharge
		got := []any{charge.Amount, charge.Currency, charge.Refunded}
		if err := check("the duplicate", got, []any{int64(4000), stripe.CurrencyUSD, false}); err != nil {
			return err
		}
		sum.Invoice, sum.Charge = invoice.ID, charge.ID
	}
	return nil
}

func refundParams(charge string) *stripe.RefundCreateParams {
	params := &stripe.RefundCreateParams{Charge: &charge, Reason: stripe.String("duplicate")}
	params.AddMetadata("note", "paid twice: 2 × $40 & no more")
	return params
}

func refundOnce(ctx context.Context, sc *stripe.Client, sum *summary) error {
	params := refundParams(sum.Charge)
	refund, err := sc.V1Refunds.Create(ctx, params)
	if err != nil {
		return err
	}
	sum.Refund = refund.ID
	got := []any{refund.Amount, refund.Status, refund.Reason, refund.Metadata["note"], refund.LastResponse.RequestID[:4]}
	want := []any{int64(4000), stripe.RefundStatusSucceeded, stripe.RefundReasonDuplicate, params.Metadata["note"], "req_"}
	return check("the refund", got, want)
}

func refundAgain(ctx context.Context, sc *stripe.Client, sum *summary) error {
	_, err := sc.V1Refunds.Create(ctx, refundParams(sum.Charge))
	var refusal *stripe.Error
	if !errors.As(err, &refusal) {
		return fmt.Errorf("the second refund was not refused: %w", err)
	}
	sum.Refused = string(refusal.Code)
	got := []any{refusal.HTTPStatusCode, refusal.Type, refusal.Code}
	return check("the refusal", got, []any{400, stripe.ErrorTypeInvalidRequest, stripe.ErrorCodeChargeAlreadyRefunded})
}

func checkRefunded(ctx context.Context, sc *stripe.Client, sum *summary) error {
	charge, err := sc.V1Charges.Retrieve(ctx, sum.Charge, nil)
	if err != nil {
		return err
	}
	if err := check("the charge", []any{charge.Refunded, charge.AmountRefunded}, []any{true, int64(4000)}); err != nil {
		return err
	}
	events := sc.V1Events.List(ctx, &stripe.EventListParams{Type: stripe.String("charge.refunded")})
	if err := events.Err(); err != nil {
		return err
	}
	at := slices.IndexFunc(events.Data(), func(e *stripe.Event) bool { return e.Data.Object["id"] == sum.Charge })
	if at < 0 {
		return errors.New("no event charge.refunded")
	}
	event := events.Data()[at]
	sum.Event = event.ID
	got := []any{event.Data.Object["refunded"], event.Data.PreviousAttributes["refunded"]}
	if err := check("the event's object, and what it was before", got, []any{true, false}); err != nil {
		return err
	}
	again, err := sc.V1Events.Retrieve(ctx, event.ID, nil)
	if err != nil {
		return err
	}
	return check("the event by its id", again.Type, stripe.EventTypeChargeRefunded)
}

// countBothWays pages forward from the newest to the oldest, and backward from
// there to the newest.
func countBothWays(ctx context.Context, sc *stripe.Client, sum *summary) error {
	forward, err := pageThrough(ctx, sc, nil)
	if err != nil {
		return fmt.Errorf("paging forward: %w", err)
	}
	if len(forward) == 0 {
		return errors.New("paging forward: no customers")
	}
	oldest := forward[len(forward)-1]
	backward, err := pageThrough(ctx, sc, &oldest)
	if err != nil {
		return fmt.Errorf("paging backward: %w", err)
	}
	backward = append([]string{oldest}, backward...)
	sum.Forward, sum.Backward = len(forward), len(backward)
	slices.Reverse(backward)
	if err := check("the customers backward", backward, forward); err != nil {
		return err
	}
	slices.Sort(forward)
	return check("different customers", len(slices.Compact(forward)), sum.Forward)
}

func pageThrough(ctx context.Context, sc *stripe.Client, before *string) ([]string, error) {
	params := &stripe.CustomerListParams{}
	params.Limit, params.EndingBefore = stripe.Int64(page), before
	var ids []string
	for customer, err := range sc.V1Customers.List(ctx, params).All(ctx) {
		if err != nil {
			return nil, err
		}
		ids = append(ids, customer.ID)
	}
	return ids, nil
}

func check(what string, got, want any) error {
	if reflect.DeepEqual(got, want) {
		return nil
	}
	return fmt.Errorf("%s: got %v, want %v", what, got, want)
}
