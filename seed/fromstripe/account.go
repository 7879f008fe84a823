package fromstripe

import "encoding/json"

// account is what was read, each list newest first as the API has it.
type account struct {
	customers     []customer
	products      []product
	prices        []price
	invoices      []invoice
	subscriptions []subscription
	charges       []charge
	more          map[string]leftOut // by resource
}

// ref is an id, or an object that was expanded in its place.
type ref string

// UnmarshalJSON reads either.
func (r *ref) UnmarshalJSON(src []byte) error {
	var id string
	if err := json.Unmarshal(src, &id); err == nil {
		*r = ref(id)
		return nil
	}
	var object struct {
		ID string `json:"id"`
	}
	err := json.Unmarshal(src, &object)
	*r = ref(object.ID)
	return err
}

type customer struct {
	ID          string            `json:"id"`
	Created     int64             `json:"created"`
	Deleted     bool              `json:"deleted"`
	Name        string            `json:"name"`
	Email       string            `json:"email"`
	Description string            `json:"description"`
	Phone       string            `json:"phone"`
	Metadata    map[string]string `json:"metadata"`
}

type product struct {
	ID          string `json:"id"`
	Created     int64  `json:"created"`
	Active      bool   `json:"active"`
	Name        string `json:"name"`
	Description string `json:"description"`
}

type price struct {
	ID            string     `json:"id"`
	Created       int64      `json:"created"`
	Active        bool       `json:"active"`
	Product       ref        `json:"product"`
	Nickname      string     `json:"nickname"`
	Currency      string     `json:"currency"`
	UnitAmount    *int64     `json:"unit_amount"` // null for tiers and fractions
	Recurring     *recurring `json:"recurring"`
	BillingScheme string     `json:"billing_scheme"`
}

type recurring struct {
	Interval      string `json:"interval"`
	IntervalCount int64  `json:"interval_count"`
	UsageType     string `json:"usage_type"`
}

type invoice struct {
	ID       string       `json:"id"`
	Created  int64        `json:"created"`
	Customer ref          `json:"customer"`
	Status   string       `json:"status"`
	Currency string       `json:"currency"`
	Total    int64        `json:"total"`
	Lines    lineList     `json:"lines"`
	Payments *paymentList `json:"payments"` // since basil
	Charge   ref          `json:"charge"`   // before
}

type lineList struct {
	Data    []line `json:"data"`
	HasMore bool   `json:"has_more"`
}

type line struct {
	ID          string `json:"id"`
	Amount      int64  `json:"amount"`
	Quantity    *int64 `json:"quantity"`
	Description string `json:"description"`
	Pricing     *struct {
		PriceDetails struct {
			Price ref `json:"price"`
		} `json:"price_details"`
	} `json:"pricing"` // since basil
	Price ref `json:"price"` // before
}

// priceID is the price of a line, "" for none.
func (l *line) priceID() string {
	if l.Pricing != nil {
		return string(l.Pricing.PriceDetails.Price)
	}
	return string(l.Price)
}

type paymentList struct {
	Data    []payment `json:"data"`
	HasMore bool      `json:"has_more"`
}

type payment struct {
	ID      string `json:"id"`
	Status  string `json:"status"`
	Payment struct {
		PaymentIntent ref `json:"payment_intent"`
		Charge        ref `json:"charge"`
	} `json:"payment"`
}

type subscription struct {
	ID                 string `json:"id"`
	Created            int64  `json:"created"`
	Customer           ref    `json:"customer"`
	Status             string `json:"status"`
	CancelAtPeriodEnd  bool   `json:"cancel_at_period_end"`
	BillingCycleAnchor int64  `json:"billing_cycle_anchor"`
	TrialEnd           int64  `json:"trial_end"`
	CurrentPeriodStart int64  `json:"current_period_start"` // before basil
	CurrentPeriodEnd   int64  `json:"current_period_end"`   // before basil
	Items              struct {
		Data    []item `json:"data"`
		HasMore bool   `json:"has_more"`
	} `json:"items"`
}

type item struct {
	Price              price  `json:"price"`
	Quantity           *int64 `json:"quantity"`
	CurrentPeriodStart int64  `json:"current_period_start"` // since basil
	CurrentPeriodEnd   int64  `json:"current_period_end"`   // since basil
}

type charge struct {
	ID             string `json:"id"`
	Created        int64  `json:"created"`
	Amount         int64  `json:"amount"`
	AmountRefunded int64  `json:"amount_refunded"`
	Captured       bool   `json:"captured"`
	Paid           bool   `json:"paid"`
	Status         string `json:"status"`
	Disputed       bool   `json:"disputed"`
	PaymentIntent  ref    `json:"payment_intent"`
	Invoice        ref    `json:"invoice"` // before basil
}

// identity is what paging goes by.
func (c customer) identity() string     { return c.ID }
func (p product) identity() string      { return p.ID }
func (p price) identity() string        { return p.ID }
func (i invoice) identity() string      { return i.ID }
func (l line) identity() string         { return l.ID }
func (p payment) identity() string      { return p.ID }
func (s subscription) identity() string { return s.ID }
func (c charge) identity() string       { return c.ID }
