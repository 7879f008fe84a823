package stripe

import (
	"maps"
	"slices"
	"strings"

	"worlds/testscripts/dst/model"
)

// spots are where an object has an id that can be asked for whole, and what it is the
// id of: name:kind. name:=kind has an object there already, name:list:kind a list of
// them. From the published document; any is what that leaves open.
var spots = map[string]string{
	"balance_transaction": `source:any`,
	"card":                `account:account customer:customer`,
	"charge": `application:application application_fee:application_fee balance_transaction:balance_transaction customer:customer
		failure_balance_transaction:balance_transaction on_behalf_of:account outcome.rule:rule payment_intent:payment_intent
		refunds:list:refund review:review source_transfer:transfer transfer:transfer transfer_data.destination:account`,
	"coupon": `applies_to:=any currency_options:=any`,
	"credit_note": `customer:customer customer_balance_transaction:customer_balance_transaction discount_amounts.discount:discount invoice:invoice
		lines:list:credit_note_line_item pretax_credit_amounts.credit_balance_transaction:credit_balance_transaction
		pretax_credit_amounts.discount:discount refunds.refund:refund shipping_cost.shipping_rate:shipping_rate
		shipping_cost.taxes.rate:=tax_rate total_taxes.tax_rate_details.tax_rate:tax_rate`,
	"customer": `cash_balance:=cash_balance default_source:any discount:=discount invoice_settings.default_payment_method:payment_method
		sources:list:bank_account subscriptions:list:subscription tax_ids:list:tax_id test_clock:test_clock tax:=any`,
	"customer_balance_transaction": `checkout_session:session credit_note:credit_note customer:customer invoice:invoice`,
	"discount":                     `customer:customer promotion_code:promotion_code source.coupon:coupon`,
	"dispute": `balance_transactions:=balance_transaction charge:charge evidence.cancellation_policy:file evidence.customer_communication:file
		evidence.customer_signature:file evidence.duplicate_charge_documentation:file evidence.receipt:file
		evidence.refund_policy:file evidence.service_documentation:file evidence.shipping_documentation:file
		evidence.uncategorized_file:file payment_intent:payment_intent`,
	"invoice": `account_tax_ids:tax_id application:application automatic_tax.liability.account:account customer:customer
		default_payment_method:payment_method default_source:any default_tax_rates:=tax_rate discounts:discount
		from_invoice.invoice:invoice issuer.account:account latest_revision:invoice lines:list:line_item on_behalf_of:account
		parent.subscription_details.subscription:subscription payments:list:invoice_payment shipping_cost.shipping_rate:shipping_rate
		shipping_cost.taxes.rate:=tax_rate test_clock:test_clock total_discount_amounts.discount:discount
		total_pretax_credit_amounts.credit_balance_transaction:credit_balance_transaction
		total_pretax_credit_amounts.discount:discount total_taxes.tax_rate_details.tax_rate:tax_rate confirmation_secret:=any
		threshold_reason:=any`,
	"invoice_payment": `invoice:invoice payment.charge:charge payment.payment_intent:payment_intent payment.payment_record:payment_record`,
	"invoiceitem": `customer:customer discounts:discount invoice:invoice pricing.price_details.price:price
		proration_details.discount_amounts.discount:discount tax_rates:=tax_rate test_clock:test_clock`,
	"line_item": `discount_amounts.discount:discount discounts:discount
		pretax_credit_amounts.credit_balance_transaction:credit_balance_transaction pretax_credit_amounts.discount:discount
		pricing.price_details.price:price subscription:subscription taxes.tax_rate_details.tax_rate:tax_rate`,
	"payment_intent": `application:application customer:customer last_payment_error.payment_intent:=payment_intent
		last_payment_error.payment_method:=payment_method last_payment_error.setup_intent:=setup_intent
		last_payment_error.source:=source latest_charge:charge on_behalf_of:account payment_method:payment_method review:review
		transfer_data.destination:account`,
	"payment_method": `card.generated_from.setup_attempt:setup_attempt customer:customer sepa_debit.generated_from.charge:charge
		sepa_debit.generated_from.setup_attempt:setup_attempt`,
	"price":          `product:product tiers:=any currency_options:=any`,
	"product":        `default_price:price tax_code:tax_code`,
	"promotion_code": `customer:customer promotion.coupon:coupon`,
	"refund": `balance_transaction:balance_transaction charge:charge customer:customer failure_balance_transaction:balance_transaction
		payment_intent:payment_intent payment_method:payment_method source_transfer_reversal:transfer_reversal
		transfer_reversal:transfer_reversal`,
	"setup_intent": `application:application customer:customer last_setup_error.payment_intent:=payment_intent
		last_setup_error.payment_method:=payment_method last_setup_error.setup_intent:=setup_intent last_setup_error.source:=source
		latest_attempt:setup_attempt mandate:mandate on_behalf_of:account payment_method:payment_method single_use_mandate:mandate`,
	"subscription": `application:application automatic_tax.liability.account:account billing_schedules.applies_to.price:price
		cancellation_details.feedback_option:feedback_option customer:customer default_payment_method:payment_method
		default_source:any default_tax_rates:=tax_rate discounts:discount invoice_settings.account_tax_ids:tax_id
		invoice_settings.issuer.account:account items:list:subscription_item latest_invoice:invoice on_behalf_of:account
		pending_setup_intent:setup_intent pending_update.discount:=discount pending_update.discounts:discount
		pending_update.subscription_items:=subscription_item schedule:subscription_schedule test_clock:test_clock
		transfer_data.destination:account`,
	"subscription_item": `discounts:discount price:=price tax_rates:=tax_rate`,
}

// spotsOf are the spots of a kind, by path.
var spotsOf = func() map[string]map[string]string {
	all := map[string]map[string]string{}
	for kind, text := range spots {
		all[kind] = map[string]string{}
		for _, word := range strings.Fields(text) {
			name, what, _ := strings.Cut(word, ":")
			all[kind][name] = what
		}
	}
	return all
}()

// kindsByURL are what the lists of an address hold.
var kindsByURL = map[string]string{
	"balance_transactions": "balance_transaction", "charges": "charge", "coupons": "coupon", "credit_notes": "credit_note", "customers": "customer",
	"disputes": "dispute", "events": "event", "invoice_payments": "invoice_payment", "invoiceitems": "invoiceitem", "invoices": "invoice",
	"lines": "line_item", "payment_intents": "payment_intent", "payment_methods": "payment_method", "prices": "price", "products": "product",
	"promotion_codes": "promotion_code", "refunds": "refund", "subscriptions": "subscription",
}

// verdict is what the document says of an expansion.
type verdict int8

const (
	refused verdict = iota
	granted
	open // the model does not know
)

// may says whether an expansion below an object of a kind can be had, whatever the
// object holds.
func may(kind string, path []string) verdict {
	table, known := spotsOf[kind]
	if !known {
		return open
	}
	at := ""
	for i, name := range path {
		at = strings.TrimPrefix(at+"."+name, ".")
		rest := path[i+1:]
		what, spot := table[at]
		switch of, list := strings.CutPrefix(what, "list:"); {
		case spot && list && len(rest) == 1 && rest[0] == "data":
			return open
		case spot && list && len(rest) > 0:
			return mayOfList(of, rest)
		case spot && (list || strings.HasPrefix(what, "=")):
			return open
		case spot && len(rest) > 0:
			return may(what, rest)
		case spot:
			return granted
		case !slices.ContainsFunc(slices.Collect(maps.Keys(table)), func(other string) bool { return strings.HasPrefix(other, at+".") }):
			return refused
		}
	}
	return open // the way to what can be expanded, which is whole already
}

func mayOfList(kind string, path []string) verdict {
	if path[0] != "data" || len(path) == 1 {
		return refused
	}
	return may(kind, path[1:])
}

// expanded puts the objects that were asked for in the place of their ids. What the
// document does not let expand is refused, after all else and as if nothing had been
// asked.
func (c *call) expanded(v model.Value) model.Value {
	n := c.at("expand")
	if n == nil {
		return v
	}
	list, _ := n.elements()
	for _, part := range list {
		path := strings.Split(part.text, ".")
		if len(path) > 4 {
			panic(noOpinion("an expansion deeper than four"))
		}
		can := may(v.Get("object").Text, path)
		if v.Get("object").Text == "list" {
			segments := strings.Split(v.Get("url").Text, "/")
			kind := kindsByURL[segments[len(segments)-1]]
			if kind == "balance_transaction" && segments[2] == "customers" {
				kind = "customer_balance_transaction"
			}
			can = mayOfList(kind, path)
		}
		switch can {
		case refused:
			panic(earlyRefusal{invalid("", "expand")})
		case open:
			panic(noOpinion("an expansion that is not modelled"))
		}
		v = c.expand(v, path)
	}
	return v
}

func (c *call) expand(v model.Value, path []string) model.Value {
	if v.Kind == model.Array {
		whole := slices.Clone(v.List)
		for i := range whole {
			whole[i] = c.expand(whole[i], path)
		}
		return model.Seq(whole...)
	}
	if len(path) == 0 || v.Kind != model.Object {
		return v
	}
	name, kind := path[0], v.Get("object").Text
	at := v.Get(name)
	switch {
	case kind == "list" && name == "data":
		return v.With("data", c.expand(at, path[1:]))
	case kind == "invoice" && name == "payments":
		at = c.m.paymentsOf(v.Get("id").Text)
	case kind == "charge" && name == "refunds":
		at = c.m.refundsOf(v.Get("id").Text)
	case kind == "" && name == "payment_intent" && v.Get("type").Text == "payment_intent":
		at = c.whole(at)
	case at.Kind == model.Object && len(path) > 1:
	case at.Kind == model.Array && len(path) > 1 && spotsOf[kind][name] == "":
	case spotsOf[kind][name] == "" && kind != "":
		panic(noOpinion("an expansion that is not modelled"))
	default:
		at = c.whole(at)
	}
	return v.With(name, c.expand(at, path[1:]))
}

// whole is the object of an id, or the objects of a list of them.
func (c *call) whole(v model.Value) model.Value {
	if v.Kind == model.Array {
		list := slices.Clone(v.List)
		for i := range list {
			list[i] = c.whole(list[i])
		}
		return model.Seq(list...)
	}
	if v.Kind != model.String {
		return v
	}
	for _, s := range c.m.tables {
		if slices.Contains(s.order(), v.Text) {
			return s.body(v.Text)
		}
	}
	panic(noOpinion("an expansion of an object that is in no table"))
}
