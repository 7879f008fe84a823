package gen

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// epoch is where the library's clocks start: 2026-01-01T00:00:00Z, a Thursday.
const epoch = 1767225600

// document is a seed as it is written: fields in the order in which a person
// would want them, defaults left out.
type document struct {
	name          string
	version       int
	customers     []*customer
	products      []product
	prices        []price
	invoices      []*invoice
	subscriptions []*subscription
	disputes      []dispute
	settings      string // as JSON, "" for the usual ones
}

type metadata struct {
	Source string `json:"source,omitempty"`
}

type customer struct {
	ID            string    `json:"id"`
	Name          string    `json:"name,omitempty"`
	Email         string    `json:"email,omitempty"`
	Description   string    `json:"description,omitempty"`
	Phone         string    `json:"phone,omitempty"`
	Metadata      *metadata `json:"metadata,omitempty"`
	CreatedOffset int64     `json:"created_offset"`
	PaymentMethod string    `json:"payment_method,omitempty"`
}

type product struct {
	ID            string `json:"id"`
	Name          string `json:"name"`
	Description   string `json:"description,omitempty"`
	CreatedOffset int64  `json:"created_offset"`
}

type price struct {
	ID            string     `json:"id"`
	Product       string     `json:"product"`
	UnitAmount    int64      `json:"unit_amount"`
	Currency      string     `json:"currency"`
	Nickname      string     `json:"nickname,omitempty"`
	Active        *bool      `json:"active,omitempty"`
	Recurring     *recurring `json:"recurring"`
	CreatedOffset int64      `json:"created_offset"`
}

type recurring struct {
	Interval      string `json:"interval"`
	IntervalCount int64  `json:"interval_count"`
}

type invoice struct {
	ID            string   `json:"id"`
	Customer      string   `json:"customer"`
	Status        string   `json:"status"`
	Currency      string   `json:"currency"`
	CreatedOffset int64    `json:"created_offset"`
	Lines         []line   `json:"lines"`
	Charges       []charge `json:"charges,omitempty"`
}

type line struct {
	Description string `json:"description"`
	Amount      int64  `json:"amount"`
	Quantity    int64  `json:"quantity"`
	Price       string `json:"price,omitempty"`
}

type charge struct {
	ID             string `json:"id"`
	Amount         int64  `json:"amount"`
	AmountRefunded int64  `json:"amount_refunded,omitempty"`
}

type subscription struct {
	ID                 string `json:"id"`
	Customer           string `json:"customer"`
	Price              string `json:"price"`
	Quantity           int64  `json:"quantity"`
	CurrentPeriodStart int64  `json:"current_period_start"`
	CurrentPeriodEnd   int64  `json:"current_period_end"`
	CancelAtPeriodEnd  bool   `json:"cancel_at_period_end"`
	CreatedOffset      int64  `json:"created_offset"`
	BillingCycleAnchor int64  `json:"billing_cycle_anchor,omitempty"`
	TrialEnd           int64  `json:"trial_end,omitempty"`
	Status             string `json:"status,omitempty"`
}

type dispute struct {
	ID            string `json:"id"`
	Charge        string `json:"charge"`
	Amount        int64  `json:"amount"`
	Reason        string `json:"reason"`
	Status        string `json:"status"`
	CreatedOffset int64  `json:"created_offset"`
}

// bytes returns the document as JSON, one object a line.
func (d *document) bytes() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "{\n  \"name\": %q,\n  \"version\": %d,\n  \"epoch\": %d,\n  \"clock_mode\": \"manual\",\n  \"data\": {\n", d.name, d.version, epoch)
	section(&b, "customers", d.customers, ",")
	section(&b, "products", d.products, ",")
	section(&b, "prices", d.prices, ",")
	section(&b, "invoices", d.invoices, ",")
	if len(d.disputes) == 0 {
		section(&b, "subscriptions", d.subscriptions, "")
	} else {
		section(&b, "subscriptions", d.subscriptions, ",")
		section(&b, "disputes", d.disputes, "")
	}
	b.WriteString("  }")
	if d.settings != "" {
		b.WriteString(",\n  \"settings\": " + d.settings)
	}
	b.WriteString("\n}\n")
	return b.Bytes()
}

func section[T any](b *bytes.Buffer, name string, objects []T, comma string) {
	fmt.Fprintf(b, "    %q: [", name)
	indent, between := "\n      ", ""
	for _, object := range objects {
		b.WriteString(between + indent)
		b.Write(row(object))
		between = ","
	}
	if len(objects) > 0 {
		b.WriteString("\n    ")
	}
	b.WriteString("]" + comma + "\n")
}

// row writes one object on one line. It panics on what JSON cannot hold, which
// no type of this file can be.
func row(object any) []byte {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(object); err != nil {
		panic(err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
