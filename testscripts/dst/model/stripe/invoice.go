package stripe

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"

	"worlds/testscripts/dst/model"
)

type invoice struct {
	id, customer, currency, status, reason, collection string
	owner                                              owner
	created, start, end                                int64
	lines                                              []line
	subtotal, total, due, paid, offStripe              int64
	startingBalance, endingBalance                     int64
	ended                                              bool // the ending balance is known
	number                                             string
	finalized, voided, uncollectible, paidAt           int64
	attempted                                          bool
	attempts                                           int64
	autoAdvance                                        bool
	finalizesAt, nextAttempt, dueDate                  int64
	tryAt                                              int64 // when it is charged, if that is not shown
	trySeq, dueSeq, seq                                int
	overdue                                            bool
	tries, firstTry                                    int64 // automatic ones
	description, footer, defaultMethod                 string
	discounts                                          []string
	metadata                                           map[string]string
	prePayment, postPayment                            int64
	notes                                              int
	sub                                                string // the subscription that it bills
	subMetadata                                        map[string]string
	intent                                             string
	payment                                            string
}

// line is one line of an invoice.
type line struct {
	id, description    string
	amount, quantity   int64
	price              string
	unit               *big.Rat
	start, end         int64
	discountable       bool
	discounts          []string
	discountAmounts    []discountAmount
	item, sub, subItem string
	proration          bool
	credit             bool
	metadata           map[string]string
}

type discountAmount struct {
	discount string
	amount   int64
}

func invoiceBody(m *Model, in *invoice) model.Value {
	links := model.Nil
	if in.number != "" {
		links = model.Any
	}
	ending, parent := model.Nil, model.Nil
	if in.ended {
		ending = model.Int(in.endingBalance)
	}
	if in.sub != "" {
		parent = model.Obj("quote_details", nil, "subscription_details", model.Obj("metadata", in.subMetadata, "subscription", in.sub,
			"subscription_proration_date", model.Free), "type", "subscription_details")
	}
	data := []model.Value{}
	for i := range in.lines {
		data = append(data, lineBody(m, in, &in.lines[i]))
	}
	lines := model.Obj("object", "list", "data", data[:min(len(data), 10)], "has_more", len(data) > 10, "total_count", len(data),
		"url", "/v1/invoices/"+in.id+"/lines")
	return whole("invoice", model.Obj("id", in.id, "account_country", "US", "amount_due", in.due, "amount_overpaid", 0, "amount_paid", in.paid,
		"amount_paid_off_stripe", in.offStripe, "amount_remaining", in.remaining(), "amount_shipping", 0, "attempt_count", in.attempts,
		"attempted", in.attempted, "auto_advance", in.autoAdvance, "automatic_tax", model.Obj("disabled_reason", nil, "enabled", false,
			"liability", nil, "provider", nil, "status", nil), "automatically_finalizes_at", model.When(in.finalizesAt),
		"billing_reason", in.reason, "collection_method", in.collection, "created", in.created, "currency", in.currency,
		"customer", in.customer, "customer_email", model.Opt(in.owner.email), "customer_name", model.Opt(in.owner.name),
		"customer_phone", model.Opt(in.owner.phone), "customer_tax_exempt", in.owner.taxExempt, "customer_tax_ids", model.Seq(),
		"default_payment_method", model.Opt(in.defaultMethod), "default_tax_rates", model.Seq(), "description", model.Opt(in.description),
		"discounts", texts(in.discounts), "due_date", model.When(in.dueDate), "effective_at", model.When(in.finalized),
		"ending_balance", ending, "footer", model.Opt(in.footer), "hosted_invoice_url", links, "invoice_pdf", links,
		"issuer", model.Obj("type", "self"), "lines", lines, "metadata", in.metadata, "next_payment_attempt", model.When(in.nextAttempt),
		"number", model.Opt(in.number), "parent", parent, "payment_settings", model.Obj("default_mandate", nil,
			"payment_method_options", nil, "payment_method_types", nil), "period_end", in.end, "period_start", in.start,
		"post_payment_credit_notes_amount", in.postPayment, "pre_payment_credit_notes_amount", in.prePayment,
		"starting_balance", in.startingBalance, "status", in.status, "status_transitions", model.Obj("finalized_at", model.When(in.finalized),
			"marked_uncollectible_at", model.When(in.uncollectible), "paid_at", model.When(in.paidAt), "voided_at", model.When(in.voided)),
		"subtotal", in.subtotal, "subtotal_excluding_tax", in.subtotal, "total", in.total, "total_discount_amounts", discountAmounts(in.discounted()),
		"total_excluding_tax", in.total, "total_pretax_credit_amounts", pretax(in.discounted()), "total_taxes", model.Seq()),
		`account_name account_tax_ids application custom_fields customer_account customer_address customer_shipping default_source
		from_invoice last_finalization_error latest_revision on_behalf_of receipt_number rendering shipping_cost shipping_details
		statement_descriptor test_clock webhooks_delivered_at`)
}

func (in *invoice) remaining() int64 { return in.due - in.paid }

// discounted is what each discount took off, over all lines.
func (in *invoice) discounted() (sums []discountAmount) {
	for i := range in.lines {
		for _, d := range in.lines[i].discountAmounts {
			found := false
			for j := range sums {
				if sums[j].discount == d.discount {
					sums[j].amount += d.amount
					found = true
				}
			}
			if !found {
				sums = append(sums, d)
			}
		}
	}
	return sums
}

func discountAmounts(list []discountAmount) model.Value {
	v := model.Value{Kind: model.Array}
	for _, d := range list {
		v.List = append(v.List, model.Obj("amount", d.amount, "discount", d.discount))
	}
	return v
}

// pretax is what the twin says of discounts where taxes would begin.
func pretax(list []discountAmount) model.Value { return model.Seq() }

func lineBody(m *Model, in *invoice, l *line) model.Value {
	pricing, parent := model.Nil, model.Nil
	if l.price != "" || l.unit != nil {
		unit := spell(l.unit)
		if l.unit == nil {
			unit = model.Any
		}
		pricing = model.Obj("type", "price_details", "price_details", model.Obj("price", l.price, "product", m.prices.must(l.price).product),
			"unit_amount_decimal", unit)
	}
	proration := model.Obj("credited_items", nil)
	if l.credit {
		proration = model.Obj("credited_items", model.Any)
	}
	switch {
	case l.item != "":
		parent = model.Obj("invoice_item_details", model.Obj("invoice_item", l.item, "proration", l.proration, "proration_details", proration,
			"subscription", model.Opt(l.sub)), "subscription_item_details", nil, "type", "invoice_item_details")
	case l.subItem != "":
		parent = model.Obj("invoice_item_details", nil, "subscription_item_details", model.Obj("invoice_item", nil, "proration", l.proration,
			"proration_details", proration, "subscription", l.sub, "subscription_item", l.subItem), "type", "subscription_item_details")
	}
	return whole("line_item", model.Obj("id", l.id, "amount", l.net(), "currency", in.currency, "description", model.Opt(l.description),
		"discount_amounts", discountAmounts(l.discountAmounts), "discountable", l.discountable, "discounts", texts(l.discounts),
		"invoice", in.id, "metadata", l.metadata, "parent", parent, "period", model.Obj("end", l.end, "start", l.start),
		"pretax_credit_amounts", pretax(l.discountAmounts), "pricing", pricing, "quantity", l.quantity,
		"quantity_decimal", strconv.FormatInt(l.quantity, 10), "subscription", model.Opt(l.sub), "subtotal", l.amount, "taxes", model.Seq()), "")
}

// number is the next invoice number of a customer.
func (m *Model) number(c *customer) string {
	n := fmt.Sprintf("%s-%04d", c.prefix, c.sequence)
	c.sequence++
	return n
}

// payment links an invoice and what pays it.
type payment struct {
	id, invoice, intent, currency, status        string
	requested, paid, created, paidAt, canceledAt int64
	isDefault                                    bool
}

func paymentBody(_ *Model, p *payment) model.Value {
	paid := model.Nil
	if p.status == "paid" {
		paid = model.Int(p.paid)
	}
	return whole("invoice_payment", model.Obj("id", p.id, "amount_paid", paid, "amount_requested", p.requested, "created", p.created,
		"currency", p.currency, "invoice", p.invoice, "is_default", p.isDefault, "payment", model.Obj("payment_intent", p.intent,
			"type", "payment_intent"), "status", p.status, "status_transitions", model.Obj("canceled_at", model.When(p.canceledAt),
			"paid_at", model.When(p.paidAt))), "")
}

// paymentsOf is the list that an invoice shows when it is asked to.
func (m *Model) paymentsOf(id string) model.Value {
	data := []model.Value{}
	for _, p := range m.payments.find(func(p *payment) bool { return p.invoice == id }) {
		data = append(data, m.payments.value(p))
	}
	slices.Reverse(data)
	return model.Obj("object", "list", "data", data[:min(len(data), 10)], "has_more", len(data) > 10, "url", "/v1/invoice_payments?invoice="+id)
}
