package stripe_test

import (
	"fmt"
	"strings"
	"testing"
)

// spelled is a card as form pieces under a prefix.
func spelled(at, number string) string {
	return fmt.Sprintf("%[1]s[number]=%[2]s %[1]s[exp_month]=9 %[1]s[exp_year]=2031 %[1]s[cvc]=314", at, number)
}

// A payment method from its making to its end.
func TestPaymentMethodLife(t *testing.T) {
	r := newRig(t, qaBase)
	m := r.tell("POST /v1/payment_methods type=card " + spelled("card", "5555555555554444") + " billing_details[name]=Ada billing_details[address][city]=Oslo metadata[a]=1")
	path := "/v1/payment_methods/" + m.get("id")
	r.tell("POST " + path + "/attach customer=cus_qa02")
	r.ok("POST /v1/customers/cus_qa02 invoice_settings[default_payment_method]=" + m.get("id"))
	sub := r.ok("POST /v1/subscriptions customer=cus_qa02 items[0][price]=price_qa_m default_payment_method=" + m.get("id")).get("id")
	r.events()
	r.tell("POST " + path + " card[exp_month]=10 card[exp_year]=2032 billing_details[email]=a@example.com metadata[a]= allow_redisplay=always")
	r.tell("POST " + path + "/detach")
	r.golden("payment_method_life")
	if got := r.ok("GET /v1/customers/cus_qa02").get("invoice_settings.default_payment_method") + r.ok("GET /v1/subscriptions/"+sub).get("default_payment_method"); got != "nullnull" {
		t.Errorf("still a default: %s", got)
	}
	const spent = "This PaymentMethod was previously used without being attached to a Customer or was detached from a Customer, and may not be used again."
	r.refused("POST "+path+"/attach customer=cus_qa02", "400 - - "+spent)
	r.refused("POST /v1/payment_intents amount=100 currency=usd customer=cus_qa02 payment_method="+m.get("id"), "400 - - "+spent)
}

// What a number says of a card, and which numbers say nothing.
func TestCardNumbers(t *testing.T) {
	r := newRig(t, qaBase)
	for number, want := range map[string]string{
		"4242424242424242":    "visa credit 4242",
		"4242-4242-4242-4242": "visa credit 4242",
		"4000056655665556":    "visa debit 5556",
		"5555555555554444":    "mastercard credit 4444",
		"378282246310005":     "amex credit 0005",
		"6011111111111117":    "discover credit 1117",
	} {
		m := r.ok("POST /v1/payment_methods type=card " + spelled("card", number))
		if got := m.get("card.brand") + " " + m.get("card.funding") + " " + m.get("card.last4") + " " + m.get("card.exp_year"); got != want+" 2031" {
			t.Errorf("%s is %s", number, got)
		}
	}
	for card, want := range map[string]string{
		spelled("card", "4242424242424241"):                                                "402 incorrect_number number Your card number is incorrect.",
		spelled("card", "42"):                                                              "402 incorrect_number number Your card number is incorrect.",
		spelled("card", "4242abcd42424242"):                                                "402 incorrect_number number Your card number is incorrect.",
		spelled("card", "4111111111111111"):                                                "402 card_declined - Your card was declined. Your request was in test mode, but used a non test card. For a list of valid test cards, visit: https://stripe.com/docs/testing.",
		"card[number]=4242424242424242 card[exp_month]=13 card[exp_year]=2031":             "402 invalid_expiry_month exp_month Your card's expiration month is invalid.",
		"card[number]=4242424242424242 card[exp_month]=1 card[exp_year]=2025":              "402 invalid_expiry_year exp_year Your card's expiration year is invalid.",
		"card[number]=4242424242424242 card[exp_month]=1 card[exp_year]=2099":              "402 invalid_expiry_year exp_year Your card's expiration year is invalid.",
		"card[number]=4242424242424242 card[exp_month]=1 card[exp_year]=2031 card[cvc]=12": "402 invalid_cvc cvc Your card's security code is invalid.",
		"card[number]=4242424242424242 card[exp_month]=1":                                  "400 parameter_missing card[exp_year] Missing required param: card[exp_year].",
		"card[exp_month]=1 card[exp_year]=2031":                                            "400 parameter_missing card[number] Missing required param: card[number].",
		"card[token]=tok_nope":                                                             "400 resource_missing card[token] No such token: 'tok_nope'",
		"card[token]=tok_visa card[number]=4242424242424242":                               "400 - card[number] You may only specify one of these parameters: card[token], card[number].",
		"": "400 parameter_missing card Missing required param: card.",
		"card[number]=4242424242424242 card[exp_month]=1 card[exp_year]=2031 card[cvv]=1": "400 parameter_unknown card[cvv] Received unknown parameter: card[cvv]",
		"card[number]=4242424242424242 card[exp_month]=Jan card[exp_year]=2031":           "400 parameter_invalid_integer card[exp_month] Invalid integer: Jan",
		spelled("card", "4242424242424242") + " customer=cus_qa01":                        "501 - customer This twin does not serve the parameter customer of POST /v1/payment_methods. The world is unchanged.",
		spelled("card", "4242424242424242") + " billing_details[shoe]=46":                 "400 parameter_unknown billing_details[shoe] Received unknown parameter: billing_details[shoe]",
	} {
		r.refused("POST /v1/payment_methods type=card "+card, want)
	}
	r.refused("POST /v1/payment_methods type=sepa_debit", "501 - type This twin does not serve payment methods of type sepa_debit. The world is unchanged.")
	r.refused("POST /v1/payment_methods type=money", "400 - type Invalid type: money")
	r.refused("POST /v1/payment_methods", "400 parameter_missing type Missing required param: type.")
	loose := r.ok("POST /v1/payment_methods type=card card[token]=tok_visa").get("id")
	const unattached = "The payment method you provided is not attached to a customer so detachment is impossible."
	r.refused("POST /v1/payment_methods/"+loose+"/detach", "400 - - "+unattached)
	r.refused("POST /v1/payment_methods/"+loose+" metadata[a]=1", "400 - - You must save this PaymentMethod to a customer before you can update it.")
	r.refused("POST /v1/payment_methods/pm_nope/detach", "404 resource_missing payment_method No such PaymentMethod: 'pm_nope'")
	r.refused("POST /v1/payment_methods/pm_nope", "404 resource_missing payment_method No such PaymentMethod: 'pm_nope'")
}

// Two-digit years, and numbers of cards that decline: those can be made, and say
// no when they are attached or used.
func TestCardsThatDecline(t *testing.T) {
	r := newRig(t, qaBase)
	short := r.ok("POST /v1/payment_methods type=card card[number]=4242424242424242 card[exp_month]=12 card[exp_year]=29")
	if got := short.get("card.exp_year") + short.get("card.checks.cvc_check"); got != "2029null" {
		t.Errorf("a short year: %s", got)
	}
	bad := r.ok("POST /v1/payment_methods type=card " + spelled("card", "4000000000009995")).get("id")
	a := r.do("POST /v1/payment_methods/" + bad + "/attach customer=cus_qa01")
	if got := a.get("error.decline_code"); a.Status != 402 || got != "insufficient_funds" {
		t.Errorf("attached: %d %s", a.Status, a.Body)
	}
	a = r.do("POST /v1/payment_intents amount=100 currency=usd confirm=true payment_method=" + bad)
	if got := a.get("error.decline_code") + " " + a.get("error.payment_method.id"); a.Status != 402 || got != "insufficient_funds "+bad {
		t.Errorf("used: %d %s", a.Status, a.Body)
	}
}

// A customer comes with a payment method, or with the card of a token.
func TestCustomersWithCards(t *testing.T) {
	r := newRig(t, qaBase)
	c := r.ok("POST /v1/customers name=x payment_method=pm_card_mastercard")
	if got := types(r.events()) + " " + c.get("invoice_settings.default_payment_method"); got != "customer.created payment_method.attached null" {
		t.Errorf("with a payment method: %s", got)
	}
	r.text.Reset()
	c = r.tell("POST /v1/customers name=y source=tok_visa expand[]=default_source expand[]=sources")
	own := "/v1/customers/" + c.get("id")
	r.tell("POST " + own + " source=tok_amex")
	r.golden("customer_sources")
	if got := r.ok("GET " + own + " expand[]=sources").get("sources.data.0.brand"); got != "American Express" {
		t.Errorf("newest source %s", got)
	}
	first := c.get("default_source.id")
	if got := r.ok("POST " + own + " default_source=" + first).get("default_source"); got != first {
		t.Errorf("default source %s", got)
	}
	r.ok("POST " + own + " default_source=" + r.ok("GET "+own+" expand[]=sources").get("sources.data.0.id"))
	r.refused("POST "+own+" default_source="+r.ok("GET /v1/customers/cus_qa01").get("invoice_settings.default_payment_method"),
		"400 resource_missing default_source No such source: '"+r.ok("GET /v1/customers/cus_qa01").get("invoice_settings.default_payment_method")+"'")
	card := r.ok("GET " + own).get("default_source")
	if got := r.ok("GET /v1/payment_methods/" + card).get("card.last4"); got != "0005" || !strings.HasPrefix(card, "card_") {
		t.Errorf("as a payment method: %s", got)
	}
	// It pays what the customer owes.
	sub := r.ok("POST /v1/subscriptions customer=" + c.get("id") + " items[0][price]=price_qa_m")
	if got := sub.get("status"); got != "active" {
		t.Errorf("subscription %s", got)
	}
	r.ok("POST /v1/payment_methods/" + card + "/detach")
	if got := r.ok("GET " + own).get("default_source"); got != first {
		t.Errorf("after the detachment: %s", got)
	}
	r.ok("POST /v1/payment_methods/" + first + "/detach")
	if got := r.ok("GET " + own).get("default_source"); got != "null" {
		t.Errorf("after the last: %s", got)
	}
	for _, row := range [][2]string{
		{"source=tok_chargeDeclined", "402 card_declined - Your card was declined."},
		{"payment_method=pm_card_chargeDeclinedExpiredCard", "402 expired_card - Your card has expired."},
		{"payment_method=pm_nope", "400 resource_missing payment_method No such PaymentMethod: 'pm_nope'"},
		{"source=tok_nope", "400 resource_missing source No such token: 'tok_nope'"},
		{"payment_method=" + r.ok("GET /v1/customers/cus_qa01").get("invoice_settings.default_payment_method"), "400 - - The payment method you provided has already been attached to a customer."},
	} {
		r.refused("POST /v1/customers "+row[0], row[1])
	}
}

// A token is used once; those of the test cards again and again.
func TestTokens(t *testing.T) {
	r := newRig(t, qaBase)
	tok := r.tell("POST /v1/tokens " + spelled("card", "4242424242424242") + " card[name]=Ada card[address_zip]=0150")
	r.golden("token")
	path := "/v1/tokens/" + tok.get("id")
	ch := r.ok("POST /v1/charges amount=500 currency=usd source=" + tok.get("id"))
	if got := ch.get("billing_details.address.postal_code") + " " + ch.get("source.id") + " " + r.ok("GET "+path).get("used"); got != "0150 "+tok.get("card.id")+" true" {
		t.Errorf("used: %s", got)
	}
	for _, row := range [][2]string{
		{"POST /v1/charges amount=500 currency=usd source=" + tok.get("id"), "400 token_already_used source You cannot use a Stripe token more than once: " + tok.get("id") + "."},
		{"GET /v1/tokens/tok_nope", "404 resource_missing token No such token: 'tok_nope'"},
		{"POST /v1/tokens", "400 parameter_missing card Missing required param: card."},
		{"POST /v1/tokens card[number]=4242424242424242", "400 parameter_missing card[exp_month] Missing required param: card[exp_month]."},
		{"POST /v1/tokens " + spelled("card", "4242424242424243"), "402 incorrect_number number Your card number is incorrect."},
		{"POST /v1/tokens bank_account[country]=US", "501 - bank_account This twin does not serve the parameter bank_account of POST /v1/tokens. The world is unchanged."},
	} {
		r.refused(row[0], row[1])
	}
	r.ok("POST /v1/charges amount=500 currency=usd source=tok_visa")
	r.ok("POST /v1/charges amount=500 currency=usd source=tok_visa")
	second := r.ok("POST /v1/tokens " + spelled("card", "5555555555554444"))
	m := r.ok("POST /v1/payment_methods type=card card[token]=" + second.get("id"))
	if got := m.get("card.last4") + m.get("card.exp_month"); got != "44449" {
		t.Errorf("a payment method of a token: %s", m.Body)
	}
}

// The cards of a customer in the older shape.
func TestSources(t *testing.T) {
	r := newRig(t, qaBase)
	const path = "/v1/customers/cus_qa02/sources"
	first := r.tell("POST " + path + " source=tok_visa metadata[a]=1").get("id")
	second := r.ok("POST " + path + " source=tok_mastercard").get("id")
	r.events()
	r.tell("POST " + path + "/" + first + " exp_month=3 exp_year=2033 name=Bo address_zip=0150 metadata[a]=")
	if got := r.ok("GET "+path).each("id") + " " + r.ok("GET /v1/customers/cus_qa02").get("default_source"); got != second+" "+first+" "+first {
		t.Errorf("sources and the default: %s", got)
	}
	if got := r.ok("GET " + path + " object=bank_account").get("data"); got != "[]" {
		t.Errorf("bank accounts: %s", got)
	}
	if got := r.ok("GET " + path + "/" + first + " expand[]=customer").get("customer.id"); got != "cus_qa02" {
		t.Errorf("expanded: %s", got)
	}
	r.tell("DELETE " + path + "/" + first)
	r.golden("sources")
	if got := r.ok("GET /v1/customers/cus_qa02").get("default_source"); got != second {
		t.Errorf("the default afterwards: %s", got)
	}
	for _, row := range [][2]string{
		{"POST /v1/customers/cus_nope/sources source=tok_visa", "404 resource_missing customer No such customer: 'cus_nope'"},
		{"POST " + path, "400 parameter_missing source Missing required param: source."},
		{"POST " + path + " source=tok_nope", "400 resource_missing source No such token: 'tok_nope'"},
		{"POST " + path + " source=tok_chargeDeclined", "402 card_declined - Your card was declined."},
		{"GET /v1/customers/cus_nope/sources", "404 resource_missing customer No such customer: 'cus_nope'"},
		{"GET " + path + "/" + first, "404 resource_missing id No such source: '" + first + "'"},
		{"DELETE " + path + "/" + first, "404 resource_missing id No such source: '" + first + "'"},
		{"GET /v1/customers/cus_qa01/sources/" + second, "404 resource_missing id No such source: '" + second + "'"},
		{"POST " + path + "/" + second + " exp_month=13", "400 parameter_invalid_integer exp_month This value must be less than or equal to 12."},
		{"POST " + path + " card[number]=4242424242424242", "501 - card This twin does not serve the parameter card of POST /v1/customers/{customer}/sources. The world is unchanged."},
	} {
		r.refused(row[0], row[1])
	}
}
