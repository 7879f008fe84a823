package seed

import "worlds/journal/canon"

// The tables below are the format: Parse reads by them and the JSON Schema is
// printed from them. To let seeds hold one more thing, add its row here, its
// field in document.go and, if it refers to something, its rule in check.go.

var documentTable = table[Document]{[]field[Document]{
	needed("name", "The seed's own name, in kebab-case.", kebab(), func(d *Document) *string { return &d.Name }),
	needed("version", "The seed's own version.", integer(1, MaxVersion), func(d *Document) *int64 { return &d.Version }),
	needed("epoch", "Unix seconds at which the world's clock starts.", integer(MinEpoch, MaxEpoch), func(d *Document) *int64 { return &d.Epoch }),
	optional("clock_mode", "manual: time moves when it is advanced. auto: also at each request.", oneOf(ClockManual, ClockAuto), func(d *Document) *string { return &d.ClockMode }, ClockManual),
	optional("auto_tick_seconds", "Seconds by which a request moves an automatic clock.", integer(1, MaxAutoTickSeconds), func(d *Document) *int64 { return &d.AutoTickSeconds }, 1),
	optional("data", "The objects that exist at the epoch.", dataTable.shape(), func(d *Document) *Data { return &d.Data }, Data{}),
	optional("settings", "Switches of the world.", settingsTable.shape(), func(d *Document) *Settings { return &d.Settings }, defaultSettings()),
	optional("zendesk", "The native help desk block.", zendeskBlock(), func(d *Document) **Zendesk { return &d.Zendesk }, nil),
}}

var dataTable = table[Data]{[]field[Data]{
	optional("customers", "", list(customerTable.shape(), 0, MaxObjects), func(d *Data) *[]Customer { return &d.Customers }, nil),
	optional("products", "", list(productTable.shape(), 0, MaxObjects), func(d *Data) *[]Product { return &d.Products }, nil),
	optional("prices", "", list(priceTable.shape(), 0, MaxObjects), func(d *Data) *[]Price { return &d.Prices }, nil),
	optional("invoices", "", list(invoiceTable.shape(), 0, MaxObjects), func(d *Data) *[]Invoice { return &d.Invoices }, nil),
	optional("subscriptions", "", list(subscriptionTable.shape(), 0, MaxObjects), func(d *Data) *[]Subscription { return &d.Subscriptions }, nil),
	optional("disputes", "", list(disputeTable.shape(), 0, MaxObjects), func(d *Data) *[]Dispute { return &d.Disputes }, nil),
	optional("tickets", "", list(ticketTable.shape(), 0, MaxObjects), func(d *Data) *[]Ticket { return &d.Tickets }, nil),
}}

var settingsTable = table[Settings]{[]field[Settings]{
	optional("test_clocks", "Whether agents may use the test clock API.", boolean(), func(s *Settings) *bool { return &s.TestClocks }, false),
	optional("idempotency_keys", "alias: keys appear as ik_1, ik_2, … raw: as sent.", oneOf(KeysAlias, KeysRaw), func(s *Settings) *string { return &s.IdempotencyKeys }, KeysAlias),
	optional("dunning", "What follows when an automatic payment fails.", dunningTable.shape(), func(s *Settings) *Dunning { return &s.Dunning }, defaultDunning()),
}}

var dunningTable = table[Dunning]{[]field[Dunning]{
	optional("retry_days", "Days after the first failure at which payment is tried again, rising.", list(integer(1, MaxRetryDays), 0, MaxRetries), func(d *Dunning) *[]int64 { return &d.RetryDays }, defaultDunning().RetryDays),
	optional("exhausted", "What becomes of the subscription when no try is left.", oneOf("cancel", "unpaid", "past_due"), func(d *Dunning) *string { return &d.Exhausted }, defaultDunning().Exhausted),
}}

func defaultSettings() Settings {
	return Settings{IdempotencyKeys: KeysAlias, Dunning: defaultDunning()}
}

func defaultDunning() Dunning { return Dunning{RetryDays: []int64{3, 5, 7}, Exhausted: "cancel"} }

var customerTable = table[Customer]{[]field[Customer]{
	needed("id", "", id("cus_"), func(c *Customer) *string { return &c.ID }),
	nullable("name", "", text(1, MaxTextLength), func(c *Customer) *string { return &c.Name }, ""),
	nullable("email", "", email(), func(c *Customer) *string { return &c.Email }, ""),
	nullable("description", "", text(1, MaxTextLength), func(c *Customer) *string { return &c.Description }, ""),
	nullable("phone", "", text(1, MaxPhoneLength), func(c *Customer) *string { return &c.Phone }, ""),
	optional("metadata", "", metadata(), func(c *Customer) *canon.Raw { return &c.Metadata }, noMetadata()),
	optional("created_offset", createdOffsetDoc, createdOffset(), func(c *Customer) *int64 { return &c.CreatedOffset }, 0),
	nullable("payment_method", "The test instrument on file; null for none.", testInstrument(), func(c *Customer) *string { return &c.PaymentMethod }, DefaultPaymentMethod),
}}

var productTable = table[Product]{[]field[Product]{
	needed("id", "", chosenID("prod_"), func(p *Product) *string { return &p.ID }),
	needed("name", "", text(1, MaxTextLength), func(p *Product) *string { return &p.Name }),
	nullable("description", "", text(1, MaxTextLength), func(p *Product) *string { return &p.Description }, ""),
	optional("active", "", boolean(), func(p *Product) *bool { return &p.Active }, true),
	optional("metadata", "", metadata(), func(p *Product) *canon.Raw { return &p.Metadata }, noMetadata()),
	optional("created_offset", createdOffsetDoc, createdOffset(), func(p *Product) *int64 { return &p.CreatedOffset }, 0),
}}

var priceTable = table[Price]{[]field[Price]{
	needed("id", "", chosenID("price_"), func(p *Price) *string { return &p.ID }),
	needed("product", "A product's id.", reference(), func(p *Price) *string { return &p.Product }),
	needed("unit_amount", "In the currency's smallest unit.", integer(0, MaxAmount), func(p *Price) *int64 { return &p.UnitAmount }),
	optional("currency", "", currency(), func(p *Price) *string { return &p.Currency }, "usd"),
	nullable("nickname", "", text(1, MaxTextLength), func(p *Price) *string { return &p.Nickname }, ""),
	optional("active", "", boolean(), func(p *Price) *bool { return &p.Active }, true),
	optional("metadata", "", metadata(), func(p *Price) *canon.Raw { return &p.Metadata }, noMetadata()),
	nullable("recurring", "The rhythm; null or left out for a one-time price.", recurringTable.shape(), func(p *Price) *Recurring { return &p.Recurring }, Recurring{}),
	optional("created_offset", createdOffsetDoc, createdOffset(), func(p *Price) *int64 { return &p.CreatedOffset }, 0),
}}

var recurringTable = table[Recurring]{[]field[Recurring]{
	needed("interval", "", oneOf("day", "week", "month", "year"), func(r *Recurring) *string { return &r.Interval }),
	optional("interval_count", "At most three years in all.", integer(1, maxIntervalDays), func(r *Recurring) *int64 { return &r.IntervalCount }, 1),
}}

var invoiceTable = table[Invoice]{[]field[Invoice]{
	needed("id", "", id("in_"), func(i *Invoice) *string { return &i.ID }),
	needed("customer", "A customer's id.", reference(), func(i *Invoice) *string { return &i.Customer }),
	needed("status", "", oneOf(InvoiceDraft, InvoiceOpen, InvoicePaid, InvoiceVoid, InvoiceUncollectible), func(i *Invoice) *string { return &i.Status }),
	optional("currency", "", currency(), func(i *Invoice) *string { return &i.Currency }, "usd"),
	optional("created_offset", createdOffsetDoc, createdOffset(), func(i *Invoice) *int64 { return &i.CreatedOffset }, 0),
	needed("lines", "", list(lineTable.shape(), 1, MaxInvoiceLines), func(i *Invoice) *[]Line { return &i.Lines }),
	optional("charges", "Only on a paid invoice; none means that it was paid out of band.", list(chargeTable.shape(), 0, MaxInvoiceCharges), func(i *Invoice) *[]Charge { return &i.Charges }, nil),
}}

var lineTable = table[Line]{[]field[Line]{
	needed("description", "", text(1, MaxTextLength), func(l *Line) *string { return &l.Description }),
	needed("amount", "The line's total, in the currency's smallest unit.", integer(-MaxAmount, MaxAmount), func(l *Line) *int64 { return &l.Amount }),
	optional("quantity", "", integer(1, MaxQuantity), func(l *Line) *int64 { return &l.Quantity }, 1),
	nullable("price", "A price's id.", reference(), func(l *Line) *string { return &l.Price }, ""),
}}

var chargeTable = table[Charge]{[]field[Charge]{
	needed("id", "", id("ch_"), func(c *Charge) *string { return &c.ID }),
	optional("amount", "The invoice's total if left out.", integer(1, MaxAmount), func(c *Charge) *int64 { return &c.Amount }, 0),
	optional("amount_refunded", "What was refunded before the epoch.", integer(0, MaxAmount), func(c *Charge) *int64 { return &c.AmountRefunded }, 0),
}}

var subscriptionTable = table[Subscription]{[]field[Subscription]{
	needed("id", "", id("sub_"), func(s *Subscription) *string { return &s.ID }),
	needed("customer", "A customer's id.", reference(), func(s *Subscription) *string { return &s.Customer }),
	needed("price", "A recurring price's id.", reference(), func(s *Subscription) *string { return &s.Price }),
	optional("quantity", "", integer(1, MaxQuantity), func(s *Subscription) *int64 { return &s.Quantity }, 1),
	optional("current_period_start", "Unix seconds; the creation time if left out.", instant(), func(s *Subscription) *int64 { return &s.CurrentPeriodStart }, 0),
	optional("current_period_end", "Unix seconds; the next boundary if left out.", instant(), func(s *Subscription) *int64 { return &s.CurrentPeriodEnd }, 0),
	optional("cancel_at_period_end", "", boolean(), func(s *Subscription) *bool { return &s.CancelAtPeriodEnd }, false),
	optional("created_offset", createdOffsetDoc, createdOffset(), func(s *Subscription) *int64 { return &s.CreatedOffset }, 0),
	optional("billing_cycle_anchor", "Unix seconds from which boundaries are counted; inferred from the creation and the period if left out.", instant(), func(s *Subscription) *int64 { return &s.BillingCycleAnchor }, 0),
	nullable("trial_end", "Unix seconds; null or left out for no trial.", instant(), func(s *Subscription) *int64 { return &s.TrialEnd }, 0),
	optional("status", "active if left out, trialing while a trial lasts.", oneOf(SubscriptionActive, SubscriptionTrialing, SubscriptionPastDue, SubscriptionUnpaid, SubscriptionPaused, SubscriptionIncomplete, SubscriptionIncompleteExpired, SubscriptionCanceled), func(s *Subscription) *string { return &s.Status }, ""),
}}

var disputeTable = table[Dispute]{[]field[Dispute]{
	needed("id", "", id("dp_", "du_"), func(p *Dispute) *string { return &p.ID }),
	needed("charge", "A seeded charge's id.", reference(), func(p *Dispute) *string { return &p.Charge }),
	optional("amount", "The charge's amount if left out.", integer(1, MaxAmount), func(p *Dispute) *int64 { return &p.Amount }, 0),
	optional("reason", "", oneOf("bank_cannot_process", "check_returned", "credit_not_processed", "customer_initiated", "debit_not_authorized", "duplicate", "fraudulent", "general", "incorrect_account_details", "insufficient_funds", "noncompliant", "product_not_received", "product_unacceptable", "subscription_canceled", "unrecognized"), func(p *Dispute) *string { return &p.Reason }, "general"),
	optional("status", "", oneOf("warning_needs_response", "warning_under_review", "warning_closed", "needs_response", "under_review", "won", "lost"), func(p *Dispute) *string { return &p.Status }, "needs_response"),
	optional("created_offset", createdOffsetDoc, createdOffset(), func(p *Dispute) *int64 { return &p.CreatedOffset }, 0),
}}

var ticketTable = table[Ticket]{[]field[Ticket]{
	needed("subject", "", text(1, MaxTextLength), func(t *Ticket) *string { return &t.Subject }),
	needed("body", "", text(1, MaxBodyLength), func(t *Ticket) *string { return &t.Body }),
	needed("requester", "", requesterTable.shape(), func(t *Ticket) *Requester { return &t.Requester }),
	optional("status", "", oneOf("new", "open", "pending", "hold", "solved", "closed"), func(t *Ticket) *string { return &t.Status }, "new"),
	nullable("priority", "", oneOf("low", "normal", "high", "urgent"), func(t *Ticket) *string { return &t.Priority }, ""),
	optional("tags", "", list(text(1, MaxIDLength), 0, MaxTags), func(t *Ticket) *[]string { return &t.Tags }, nil),
	optional("created_offset", createdOffsetDoc, createdOffset(), func(t *Ticket) *int64 { return &t.CreatedOffset }, 0),
}}

var requesterTable = table[Requester]{[]field[Requester]{
	nullable("name", "", text(1, MaxTextLength), func(r *Requester) *string { return &r.Name }, ""),
	needed("email", "", email(), func(r *Requester) *string { return &r.Email }),
}}
