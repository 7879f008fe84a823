package seed

import "worlds/journal/canon"

// Modes of a world's clock.
const (
	ClockManual = "manual" // time moves when someone advances it
	ClockAuto   = "auto"   // time also moves by AutoTickSeconds at each twin request
)

// Document is a whole seed, defaults filled in. Moments are Unix seconds,
// amounts are in the currency's smallest unit.
type Document struct {
	Name            string // kebab-case
	Version         int64  // at least 1
	Epoch           int64  // where the world's clock starts
	ClockMode       string // ClockManual or ClockAuto
	AutoTickSeconds int64  // at least 1; means nothing on a manual clock
	Data            Data
	Settings        Settings
	Zendesk         *Zendesk // the native help desk block; nil if the document has none
}

// Data holds the objects of the starting universe, each section in file order.
type Data struct {
	Customers     []Customer
	Products      []Product
	Prices        []Price
	Invoices      []Invoice
	Subscriptions []Subscription
	Disputes      []Dispute
	Tickets       []Ticket
}

// Settings are the switches of a world that are neither objects nor clock.
type Settings struct {
	TestClocks      bool   // whether agents may use the test clock API; false by default
	IdempotencyKeys string // KeysAlias (default) or KeysRaw
	Dunning         Dunning
}

// How idempotency keys appear in a world's state.
const (
	KeysAlias = "alias" // as ik_1, ik_2, … in order of first use, since SDKs make random ones
	KeysRaw   = "raw"   // as sent; the scripts promise that their keys are stable
)

// Dunning says what follows when an automatic payment fails.
type Dunning struct {
	RetryDays []int64 // days after the first failure, rising; 3, 5, 7 by default
	Exhausted string  // subscription status when no try is left: "cancel" (default), "unpaid" or "past_due"
}

// DefaultPaymentMethod is the test instrument of a seeded customer that names none.
const DefaultPaymentMethod = "pm_card_visa"

// Customer is one object of data.customers. An empty text means that it has none.
type Customer struct {
	ID            string // cus_…
	Name          string
	Email         string
	Description   string
	Phone         string
	Metadata      canon.Raw // a JSON object of strings, {} by default
	CreatedOffset int64     // seconds before the epoch, 0 by default
	PaymentMethod string    // pm_card_… test instrument; DefaultPaymentMethod by default, empty where the file says null
}

// Product is one object of data.products.
type Product struct {
	ID            string // prod_…, or what a merchant chose
	Name          string
	Description   string
	Active        bool // true by default
	Metadata      canon.Raw
	CreatedOffset int64
}

// Price is one object of data.prices.
type Price struct {
	ID            string // price_…, or what a merchant chose
	Product       string // a product's id
	UnitAmount    int64  // not negative
	Currency      string // three lower-case letters, "usd" by default
	Nickname      string
	Active        bool // true by default
	Metadata      canon.Raw
	Recurring     Recurring // the zero Recurring for a one-time price
	CreatedOffset int64
}

// Recurring is the rhythm of a price. The zero value is that of a one-time price.
type Recurring struct {
	Interval      string // "day", "week", "month" or "year"
	IntervalCount int64  // at least 1, 1 by default
}

// IsZero reports whether r is that of a one-time price.
func (r Recurring) IsZero() bool { return r.Interval == "" }

// Statuses of an invoice.
const (
	InvoiceDraft         = "draft"
	InvoiceOpen          = "open"
	InvoicePaid          = "paid"
	InvoiceVoid          = "void"
	InvoiceUncollectible = "uncollectible"
)

// Invoice is one object of data.invoices.
type Invoice struct {
	ID            string // in_…
	Customer      string // a customer's id
	Status        string // InvoiceDraft, InvoiceOpen, InvoicePaid, InvoiceVoid or InvoiceUncollectible
	Currency      string // three lower-case letters, "usd" by default
	CreatedOffset int64
	Lines         []Line   // at least one
	Charges       []Charge // only on a paid invoice; none means that it was paid out of band
}

// Total returns the sum of the invoice's lines, which is never negative.
func (i *Invoice) Total() int64 {
	var total int64
	for _, line := range i.Lines {
		total += line.Amount
	}
	return total
}

// Line is one line of an invoice.
type Line struct {
	Description string
	Amount      int64  // the line's total; may be negative
	Quantity    int64  // at least 1, 1 by default
	Price       string // a price's id, or empty
}

// Charge is one successful payment of an invoice. Several on one invoice are a
// double charge.
type Charge struct {
	ID             string // ch_…
	Amount         int64  // positive; the invoice's total by default
	AmountRefunded int64  // what was refunded before the epoch, at most Amount
}

// Statuses of a subscription.
const (
	SubscriptionActive            = "active"
	SubscriptionTrialing          = "trialing"
	SubscriptionPastDue           = "past_due"
	SubscriptionUnpaid            = "unpaid"
	SubscriptionPaused            = "paused"
	SubscriptionIncomplete        = "incomplete"
	SubscriptionIncompleteExpired = "incomplete_expired"
	SubscriptionCanceled          = "canceled"
)

// Subscription is one object of data.subscriptions.
type Subscription struct {
	ID                 string // sub_…
	Customer           string // a customer's id
	Price              string // a recurring price's id
	Quantity           int64  // at least 1, 1 by default
	CurrentPeriodStart int64  // Unix seconds; the creation time by default
	CurrentPeriodEnd   int64  // Unix seconds, later than the start; the next boundary by default
	CancelAtPeriodEnd  bool
	CreatedOffset      int64
	BillingCycleAnchor int64  // Unix seconds; inferred from the creation and the period by default
	TrialEnd           int64  // Unix seconds; 0 for no trial
	Status             string // SubscriptionActive by default, SubscriptionTrialing while a trial lasts
}

// Dispute is one object of data.disputes.
type Dispute struct {
	ID            string // dp_… or du_…
	Charge        string // a seeded charge's id; a charge has at most one dispute
	Amount        int64  // positive, at most the charge's amount, which is the default
	Reason        string // "general" by default
	Status        string // "needs_response" by default
	CreatedOffset int64
}

// Ticket is one object of data.tickets, the older help desk section. Its id is
// its place in the file, from "1".
type Ticket struct {
	Subject       string
	Body          string
	Requester     Requester
	Status        string // "new" by default
	Priority      string // empty for none
	Tags          []string
	CreatedOffset int64
}

// Requester is who wrote a ticket.
type Requester struct {
	Name  string // may be empty
	Email string
}
