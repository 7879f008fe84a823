package stripe

import (
	"strings"

	"worlds/testscripts/dst/model"
)

// card is one of Stripe's test cards.
type card struct {
	number, brand, funding string
	// A decline: on use, and when it is attached unless late.
	code, decline string
	late          bool
	blocked       bool
	authenticate  bool   // the customer must come and say yes
	dispute       string // the reason for which each charge is disputed
	inquiry       bool
	refund        string // what becomes of a refund after a day: failed, or succeeded after pending
}

func plain(number, brand, funding string) card {
	return card{number: number, brand: brand, funding: funding}
}

func declines(number, code, decline string) card {
	return card{number: number, brand: "visa", funding: "credit", code: code, decline: decline}
}

// instruments are the test cards, by the name of a payment method.
var instruments = map[string]*card{
	"pm_card_visa":                            cardOf(plain("4242424242424242", "visa", "credit")),
	"pm_card_visa_debit":                      cardOf(plain("4000056655665556", "visa", "debit")),
	"pm_card_mastercard":                      cardOf(plain("5555555555554444", "mastercard", "credit")),
	"pm_card_amex":                            cardOf(plain("378282246310005", "amex", "credit")),
	"pm_card_chargeDeclined":                  cardOf(declines("4000000000000002", "card_declined", "generic_decline")),
	"pm_card_chargeDeclinedInsufficientFunds": cardOf(declines("4000000000009995", "card_declined", "insufficient_funds")),
	"pm_card_chargeDeclinedLostCard":          cardOf(declines("4000000000009987", "card_declined", "lost_card")),
	"pm_card_chargeDeclinedStolenCard":        cardOf(declines("4000000000009979", "card_declined", "stolen_card")),
	"pm_card_chargeDeclinedExpiredCard":       cardOf(declines("4000000000000069", "expired_card", "expired_card")),
	"pm_card_chargeDeclinedIncorrectCvc":      cardOf(declines("4000000000000127", "incorrect_cvc", "incorrect_cvc")),
	"pm_card_chargeDeclinedProcessingError":   cardOf(declines("4000000000000119", "processing_error", "processing_error")),
	"pm_card_chargeDeclinedFraudulent":        cardOf(card{number: "4100000000000019", brand: "visa", funding: "credit", code: "card_declined", decline: "fraudulent", blocked: true}),
	"pm_card_chargeCustomerFail":              cardOf(card{number: "4000000000000341", brand: "visa", funding: "credit", code: "card_declined", decline: "generic_decline", late: true}),
	"pm_card_createDispute":                   cardOf(card{number: "4000000000000259", brand: "visa", funding: "credit", dispute: "fraudulent"}),
	"pm_card_createDisputeProductNotReceived": cardOf(card{number: "4000000000002685", brand: "visa", funding: "credit", dispute: "product_not_received"}),
	"pm_card_createDisputeInquiry":            cardOf(card{number: "4000000000001976", brand: "visa", funding: "credit", dispute: "general", inquiry: true}),
	"pm_card_authenticationRequired":          cardOf(card{number: "4000002760003184", brand: "visa", funding: "credit", authenticate: true}),
	"pm_card_authenticationRequiredOnSetup":   cardOf(card{number: "4000002500003155", brand: "visa", funding: "credit", authenticate: true}),
	"pm_card_threeDSecure2Required":           cardOf(card{number: "4000000000003220", brand: "visa", funding: "credit", authenticate: true}),
	"pm_card_refundFail":                      cardOf(card{number: "4000000000005126", brand: "visa", funding: "credit", refund: "failed"}),
	"pm_card_pendingRefund":                   cardOf(card{number: "4000000000007726", brand: "visa", funding: "credit", refund: "pending"}),
}

func cardOf(c card) *card { return &c }

// declineWords are the messages that Stripe gives with a code or a decline code.
var declineWords = map[string]string{
	"insufficient_funds": "Your card has insufficient funds.",
	"expired_card":       "Your card has expired.",
	"incorrect_cvc":      "Your card's security code is incorrect.",
	"processing_error":   "An error occurred while processing your card. Try again in a little bit.",

	"authentication_required": "Your card was declined. This transaction requires authentication.",
}

func declineMessage(decline string) string {
	if words, ok := declineWords[decline]; ok {
		return words
	}
	return "Your card was declined."
}

// fingerprint is the same for a number wherever it is used.
func (k *card) fingerprint() string { return "⟨fingerprint#" + k.number + "⟩" }

func (k *card) last4() string { return k.number[len(k.number)-4:] }

var checks = model.Obj("address_line1_check", nil, "address_postal_code_check", nil, "cvc_check", "pass")

// cardBody is the card of a payment method.
func cardBody(k *card) model.Value {
	return model.Obj("brand", k.brand, "checks", checks, "country", "US", "display_brand", k.brand,
		"exp_month", 12, "exp_year", model.Any, "fingerprint", k.fingerprint(), "funding", k.funding, "generated_from", nil, "last4", k.last4(),
		"networks", model.Obj("available", model.Seq(model.Str(k.brand)), "preferred", nil), "regulated_status", "unregulated",
		"three_d_secure_usage", model.Obj("supported", true), "wallet", nil)
}

// detailsBody is what a charge keeps of the card.
func detailsBody(ch *charge) model.Value {
	k, unavailable := ch.card, model.Obj("status", "unavailable")
	v := model.Obj("amount_authorized", ch.amount, "authorization_code", nil, "brand", k.brand, "checks", checks, "country", "US",
		"exp_month", 12, "exp_year", model.Any, "extended_authorization", model.Obj("status", "disabled"), "fingerprint", k.fingerprint(),
		"funding", k.funding, "incremental_authorization", unavailable, "installments", nil, "last4", k.last4(), "mandate", nil,
		"multicapture", unavailable, "network", k.brand, "network_token", model.Obj("used", false), "network_transaction_id", nil,
		"overcapture", unavailable.With("maximum_amount_capturable", ch.amount), "regulated_status", "unregulated",
		"three_d_secure", nil, "transaction_link_id", nil, "wallet", nil)
	if ch.status == "failed" {
		v = v.With("amount_authorized", nil)
	}
	if ch.captureBefore != 0 {
		v = v.With("capture_before", ch.captureBefore)
	}
	return model.Obj("card", v, "type", "card")
}

// outcomeBody is what the network said to a charge.
func outcomeBody(ch *charge) model.Value {
	v := model.Obj("advice_code", nil, "network_advice_code", nil, "network_decline_code", nil, "network_status", "approved_by_network",
		"reason", nil, "risk_level", "normal", "risk_score", 20, "seller_message", "Payment complete.", "type", "authorized")
	if ch.failure == "" {
		return v
	}
	words := "The bank returned the decline code `" + ch.decline + "`."
	switch {
	case ch.card.blocked:
		return v.With("network_status", "not_sent_to_network", "reason", "highest_risk_level", "risk_level", "highest",
			"risk_score", model.Any, "seller_message", "Stripe blocked this payment as too risky.", "type", "blocked")
	case ch.decline == "generic_decline":
		words = "The bank did not return any further details with this decline."
	}
	return v.With("network_status", "declined_by_network", "reason", ch.decline, "seller_message", words, "type", "issuer_declined")
}

// docURL is where the documentation of an error code stands.
func docURL(code string) string {
	return "https://stripe.com/docs/error-codes/" + strings.ReplaceAll(code, "_", "-")
}

type method struct {
	id, customer, redisplay string
	card                    *card
	metadata                map[string]string
	created                 int64
	spent                   bool // used without a customer, or detached
}

func methodBody(_ *Model, p *method) model.Value {
	return whole("payment_method", model.Obj("id", p.id, "customer", model.Opt(p.customer), "allow_redisplay", p.redisplay,
		"billing_details", noBillingDetails, "card", cardBody(p.card), "created", p.created, "metadata", p.metadata, "type", "card"),
		"customer_account")
}

// usable is the payment method that a parameter names: one that exists, or a fresh
// one for the name of a test card.
func (c *call) usable(name, param string) string {
	m := c.m
	if k := instruments[name]; k != nil {
		id := m.mint("pm")
		m.methods.add(id, &method{id: id, card: k, created: m.now, redisplay: "unspecified"})
		return id
	}
	if strings.HasPrefix(name, "pm_card_") {
		panic(noOpinion("a test card that the model does not know"))
	}
	c.unless(m.methods.get(name) != nil, missingRef(param))
	return name
}

// attachTo attaches a payment method, or refuses for the card's sake.
func (c *call) attachTo(pm, customer string) {
	p := c.m.methods.must(pm)
	c.unless(!p.spent, invalid("", ""))
	c.unless(p.customer == "" || p.customer == customer, invalid("", ""))
	if p.card.code != "" && !p.card.late {
		r := refuse(402, "card_error", p.card.code, "")
		r.body = model.Obj("decline_code", p.card.decline)
		panic(r)
	}
	c.m.methods.edit(pm).customer = customer
}

func showMethod(c *call) model.Value {
	if strings.HasPrefix(c.path[0], "pm_card_") {
		panic(noOpinion("the name of a test card"))
	}
	c.unless(c.m.methods.get(c.path[0]) != nil, missingPath("payment_method"))
	return c.m.methods.value(c.path[0])
}

func updateMethod(c *call) model.Value {
	m, id := c.m, c.path[0]
	c.unless(m.methods.get(id) != nil, missingPath("payment_method"))
	before := m.methods.value(id)
	c.unless(m.methods.get(id).customer != "", invalid("", ""))
	p := m.methods.edit(id)
	p.metadata = c.metadata(p.metadata)
	p.redisplay = or(c.str("allow_redisplay"), p.redisplay)
	m.emitUpdate("payment_method.updated", before, m.methods.value(id))
	return m.methods.value(id)
}

func attachMethod(c *call) model.Value {
	m := c.m
	name := c.path[0]
	if instruments[name] == nil && !strings.HasPrefix(name, "pm_card_") {
		c.unless(m.methods.get(name) != nil, missingPath("payment_method"))
	}
	cus := c.theCustomer("customer")
	pm := c.usable(name, "payment_method")
	already := m.methods.get(pm).customer == cus.id
	c.attachTo(pm, cus.id)
	if !already {
		m.emit("payment_method.attached", m.methods.value(pm))
	}
	return m.methods.value(pm)
}

func detachMethod(c *call) model.Value {
	m, id := c.m, c.path[0]
	c.unless(m.methods.get(id) != nil, missingPath("payment_method"))
	before := m.methods.value(id)
	owner := m.methods.get(id).customer
	c.unless(owner != "", invalid("", ""))
	p := m.methods.edit(id)
	p.customer, p.spent = "", true
	if cus := m.customers.get(owner); cus.defaultMethod == id {
		was := m.customers.value(owner)
		m.customers.edit(owner).defaultMethod = ""
		defer func() { m.emitUpdate("customer.updated", was, m.customers.value(owner)) }()
	}
	m.emitUpdate("payment_method.detached", before, m.methods.value(id))
	return m.methods.value(id)
}

func listMethods(c *call) model.Value {
	if !c.has("customer") {
		return list(c, c.m.methods, "/v1/payment_methods", func(*method) bool { return false })
	}
	c.filterExists("customer")
	return list(c, c.m.methods, "/v1/payment_methods", func(p *method) bool { return p.customer == c.str("customer") })
}

func listCustomerMethods(c *call) model.Value {
	cus := c.customer(c.path[0], "id")
	return list(c, c.m.methods, "/v1/customers/"+cus.id+"/payment_methods", func(p *method) bool { return p.customer == cus.id })
}
