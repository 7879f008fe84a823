package seed

import "worlds/journal/canon"

// JSON writes a whole document, canonical. What has its usual value is left out, so
// that reading it again gives an equal document.
func (d *Document) JSON() canon.Raw {
	var o object
	o.text("name", d.Name)
	o.number("version", d.Version)
	o.number("epoch", d.Epoch)
	if d.ClockMode == ClockAuto {
		o.text("clock_mode", d.ClockMode)
		o.number("auto_tick_seconds", d.AutoTickSeconds)
	}
	o.raw("data", d.Data.JSON())
	if s := d.Settings.JSON(); string(s) != "{}" {
		o.raw("settings", s)
	}
	if d.Zendesk != nil {
		o.raw("zendesk", d.Zendesk.JSON())
	}
	return o.json()
}

// WithMembers is a document with some of its members replaced or added.
func WithMembers(document canon.Raw, members map[string]canon.Raw) canon.Raw {
	var o object
	for name, v := range canon.Members(document) {
		if _, other := members[name]; !other {
			o.raw(name, v)
		}
	}
	for name, v := range members { //worlds:sorted by json
		o.raw(name, v)
	}
	return o.json()
}

// JSON writes the settings that are not the usual ones; the zero Settings are usual.
func (s *Settings) JSON() canon.Raw {
	var o, dunning object
	o.flag("test_clocks", s.TestClocks, false)
	if s.IdempotencyKeys == KeysRaw {
		o.text("idempotency_keys", KeysRaw)
	}
	if d := s.Dunning; d.Exhausted != "" {
		days := d.RetryDays
		if days == nil {
			days = []int64{}
		}
		if usual := defaultDunning(); string(canon.Marshal(&days)) != string(canon.Marshal(&usual.RetryDays)) {
			dunning.raw("retry_days", canon.Marshal(&days))
		}
		if d.Exhausted != defaultDunning().Exhausted {
			dunning.text("exhausted", d.Exhausted)
		}
	}
	if len(dunning.members) > 0 {
		o.raw("dunning", dunning.json())
	}
	return o.json()
}

// JSON writes the objects, each section in its order.
func (d *Data) JSON() canon.Raw {
	var o object
	writeAll(&o, "customers", d.Customers, (*Customer).write)
	writeAll(&o, "products", d.Products, (*Product).write)
	writeAll(&o, "prices", d.Prices, (*Price).write)
	writeAll(&o, "invoices", d.Invoices, (*Invoice).write)
	writeAll(&o, "subscriptions", d.Subscriptions, (*Subscription).write)
	writeAll(&o, "disputes", d.Disputes, (*Dispute).write)
	writeAll(&o, "tickets", d.Tickets, (*Ticket).write)
	return o.json()
}

func (c *Customer) write(o *object) {
	o.text("id", c.ID)
	o.text("name", c.Name)
	o.text("email", c.Email)
	o.text("description", c.Description)
	o.text("phone", c.Phone)
	o.fields("metadata", c.Metadata)
	o.number("created_offset", c.CreatedOffset)
	switch c.PaymentMethod {
	case DefaultPaymentMethod:
	case "":
		o.raw("payment_method", canon.Raw("null"))
	default:
		o.text("payment_method", c.PaymentMethod)
	}
}

func (p *Product) write(o *object) {
	o.text("id", p.ID)
	o.text("name", p.Name)
	o.text("description", p.Description)
	o.flag("active", p.Active, true)
	o.fields("metadata", p.Metadata)
	o.number("created_offset", p.CreatedOffset)
}

func (p *Price) write(o *object) {
	o.text("id", p.ID)
	o.text("product", p.Product)
	o.always("unit_amount", p.UnitAmount)
	o.text("currency", p.Currency)
	o.text("nickname", p.Nickname)
	o.flag("active", p.Active, true)
	o.fields("metadata", p.Metadata)
	o.number("created_offset", p.CreatedOffset)
	if !p.Recurring.IsZero() {
		var r object
		r.text("interval", p.Recurring.Interval)
		r.always("interval_count", p.Recurring.IntervalCount)
		o.raw("recurring", r.json())
	}
}

func (i *Invoice) write(o *object) {
	o.text("id", i.ID)
	o.text("customer", i.Customer)
	o.text("status", i.Status)
	o.text("currency", i.Currency)
	o.number("created_offset", i.CreatedOffset)
	writeAll(o, "lines", i.Lines, (*Line).write)
	writeAll(o, "charges", i.Charges, (*Charge).write)
}

func (l *Line) write(o *object) {
	o.text("description", l.Description)
	o.always("amount", l.Amount)
	o.always("quantity", l.Quantity)
	o.text("price", l.Price)
}

func (c *Charge) write(o *object) {
	o.text("id", c.ID)
	o.always("amount", c.Amount)
	o.number("amount_refunded", c.AmountRefunded)
}

func (s *Subscription) write(o *object) {
	o.text("id", s.ID)
	o.text("customer", s.Customer)
	o.text("price", s.Price)
	o.always("quantity", s.Quantity)
	o.number("current_period_start", s.CurrentPeriodStart)
	o.number("current_period_end", s.CurrentPeriodEnd)
	o.flag("cancel_at_period_end", s.CancelAtPeriodEnd, false)
	o.number("created_offset", s.CreatedOffset)
	o.number("billing_cycle_anchor", s.BillingCycleAnchor)
	o.number("trial_end", s.TrialEnd)
	o.text("status", s.Status)
}

func (p *Dispute) write(o *object) {
	o.text("id", p.ID)
	o.text("charge", p.Charge)
	o.number("amount", p.Amount)
	o.text("reason", p.Reason)
	o.text("status", p.Status)
	o.number("created_offset", p.CreatedOffset)
}

func (t *Ticket) write(o *object) {
	o.text("subject", t.Subject)
	o.text("body", t.Body)
	var r object
	r.text("name", t.Requester.Name)
	r.text("email", t.Requester.Email)
	o.raw("requester", r.json())
	o.text("status", t.Status)
	o.text("priority", t.Priority)
	o.texts("tags", t.Tags)
	o.number("created_offset", t.CreatedOffset)
}
