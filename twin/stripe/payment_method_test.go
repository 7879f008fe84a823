package stripe_test

import (
	"errors"
	"strings"
	"testing"

	"worlds/seed"
	"worlds/twin"
	"worlds/twin/stripe"
)

func TestPaymentMethods(t *testing.T) {
	r := newRig(t, qaBase)
	r.tell("POST /v1/payment_methods/pm_card_mastercard/attach customer=cus_qa02")
	r.tell("GET /v1/customers/cus_qa02/payment_methods expand[]=data.customer")
	r.golden("payment_methods")
}

// Every use of a test instrument is a new payment method.
func TestInstrumentsAreMintedAnew(t *testing.T) {
	r := newRig(t, qaBase)
	a := r.ok("POST /v1/payment_methods/pm_card_visa/attach customer=cus_qa02")
	b := r.ok("POST /v1/payment_methods/pm_card_visa/attach customer=cus_qa02")
	if a.get("id") == b.get("id") || a.get("card.fingerprint") != b.get("card.fingerprint") || a.get("card.fingerprint") == "" {
		t.Errorf("%s\n%s", a.Body, b.Body)
	}
	seeded := r.ok("GET /v1/customers/cus_qa02").get("invoice_settings.default_payment_method")
	if got, want := r.ok("GET /v1/payment_methods customer=cus_qa02").each("id"), b.get("id")+" "+a.get("id")+" "+seeded; got != want {
		t.Errorf("listed %s, want %s", got, want)
	}
	again := newRig(t, strings.Replace(qaBase, "qa-base", "qa-other", 1)).ok("POST /v1/payment_methods/pm_card_visa/attach customer=cus_qa02")
	if again.get("id") == a.get("id") || again.get("card.fingerprint") != a.get("card.fingerprint") {
		t.Errorf("in another world: %s", again.Body)
	}
}

// A customer can be made with the payment method that it pays with by default: an
// instrument, or one that is nobody's yet.
func TestCustomerMadeWithItsDefault(t *testing.T) {
	r := newRig(t, qaBase)
	own := r.ok("POST /v1/payment_methods type=card card[token]=tok_visa").get("id")
	for _, given := range []string{"pm_card_visa", own} {
		c := r.ok("POST /v1/customers payment_method=" + given + " invoice_settings[default_payment_method]=" + given)
		held := r.ok("GET /v1/payment_methods customer=" + c.get("id")).each("id")
		if got := c.get("invoice_settings.default_payment_method"); got == "" || got != held {
			t.Errorf("%s: the default is %q, attached is %q", given, got, held)
		}
		if sub := r.ok("POST /v1/subscriptions customer=" + c.get("id") + " items[0][price]=price_qa_m"); sub.get("status") != "active" {
			t.Errorf("%s: %s", given, sub.Body)
		}
	}
	for _, row := range []string{
		"pm_card_visa invoice_settings[default_payment_method]=pm_card_mastercard", // not the one attached
		"pm_card_visa_chargeDeclined invoice_settings[default_payment_method]=pm_card_visa_chargeDeclined",
	} {
		if a := r.do("POST /v1/customers payment_method=" + row); a.Status < 400 {
			t.Errorf("%s: %s", row, a.Body)
		}
	}
}

func TestInstrumentsThatAttach(t *testing.T) {
	r := newRig(t, qaBase)
	for name, want := range map[string]string{
		"visa": "visa credit 4242", "visa_debit": "visa debit 5556", "mastercard": "mastercard credit 4444",
		"mastercard_debit": "mastercard debit 8210", "mastercard_prepaid": "mastercard prepaid 5100", "amex": "amex credit 0005",
		"discover": "discover credit 1117", "diners": "diners credit 0004", "jcb": "jcb credit 0505", "unionpay": "unionpay credit 0005",
		"chargeCustomerFail": "visa credit 0341", "visa_chargeCustomerFail": "visa credit 0341", "authenticationRequired": "visa credit 3184",
	} {
		m := r.ok("POST /v1/payment_methods/pm_card_" + name + "/attach customer=cus_qa02")
		if got := m.get("card.brand") + " " + m.get("card.funding") + " " + m.get("card.last4"); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
}

func TestPaymentMethodRefusals(t *testing.T) {
	r := newRig(t, qaBase)
	mine := r.ok("GET /v1/customers/cus_qa01").get("invoice_settings.default_payment_method")
	for _, row := range [][2]string{
		{"POST /v1/payment_methods/pm_card_visa/attach", "400 parameter_missing customer Missing required param: customer."},
		{"POST /v1/payment_methods/pm_card_visa/attach customer=cus_nope", "400 resource_missing customer No such customer: 'cus_nope'"},
		{"POST /v1/payment_methods/pm_nope/attach customer=cus_qa01", "404 resource_missing payment_method No such PaymentMethod: 'pm_nope'"},
		{"POST /v1/payment_methods/pm_card_nope/attach customer=cus_qa01", "404 resource_missing payment_method No such PaymentMethod: 'pm_card_nope'"},
		{"POST /v1/payment_methods/" + mine + "/attach customer=cus_qa02", "400 - - The payment method you provided has already been attached to a customer."},
		{"POST /v1/payment_methods/pm_card_chargeDeclined/attach customer=cus_qa01", "402 card_declined - Your card was declined."},
		{"POST /v1/payment_methods/pm_card_visa_chargeDeclined/attach customer=cus_qa01", "402 card_declined - Your card was declined."},
		{"POST /v1/payment_methods/pm_card_chargeDeclinedInsufficientFunds/attach customer=cus_qa01", "402 card_declined - Your card has insufficient funds."},
		{"POST /v1/payment_methods/pm_card_chargeDeclinedExpiredCard/attach customer=cus_qa01", "402 expired_card - Your card has expired."},
		{"POST /v1/payment_methods/pm_card_chargeDeclinedIncorrectCvc/attach customer=cus_qa01", "402 incorrect_cvc - Your card's security code is incorrect."},
		{"POST /v1/payment_methods/pm_card_chargeDeclinedProcessingError/attach customer=cus_qa01", "402 processing_error - An error occurred while processing your card. Try again in a little bit."},
		{"GET /v1/payment_methods/pm_nope", "404 resource_missing payment_method No such PaymentMethod: 'pm_nope'"},
		{"GET /v1/payment_methods type=money customer=cus_qa01", "400 - type Invalid type: money"},
		{"GET /v1/payment_methods customer=cus_nope", "400 resource_missing customer No such customer: 'cus_nope'"},
		{"GET /v1/customers/cus_nope/payment_methods", "404 resource_missing id No such customer: 'cus_nope'"},
		{"GET /v1/customers/cus_qa02/payment_methods/" + mine, "404 resource_missing payment_method No such PaymentMethod: '" + mine + "'"},
		{"POST /v1/customers/cus_qa02 invoice_settings[default_payment_method]=" + mine, "400 resource_missing invoice_settings[default_payment_method] The customer does not have a payment method with the ID " + mine + ". The payment method must be attached to the customer."},
		{"POST /v1/customers/cus_qa02 invoice_settings[default_payment_method]=pm_nope", "400 resource_missing invoice_settings[default_payment_method] No such PaymentMethod: 'pm_nope'"},
	} {
		r.refused(row[0], row[1])
	}
	if got := r.do("POST /v1/payment_methods/pm_card_chargeDeclinedLostCard/attach customer=cus_qa01").get("error.decline_code"); got != "lost_card" {
		t.Errorf("decline_code %s", got)
	}
}

func TestPaymentMethodFilters(t *testing.T) {
	r := newRig(t, qaBase)
	mine := r.ok("GET /v1/customers/cus_qa01").get("invoice_settings.default_payment_method")
	for line, want := range map[string]string{
		"GET /v1/payment_methods":                                         "",
		"GET /v1/payment_methods type=card":                               "",
		"GET /v1/payment_methods customer=cus_qa01":                       mine,
		"GET /v1/payment_methods customer=cus_qa01 type=card":             mine,
		"GET /v1/payment_methods customer=cus_qa01 type=sepa_debit":       "",
		"GET /v1/customers/cus_qa01/payment_methods type=card":            mine,
		"GET /v1/customers/cus_qa01/payment_methods type=us_bank_account": "",
	} {
		if got := r.ok(line).each("id"); got != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
	if got := r.ok("GET /v1/customers/cus_qa01/payment_methods/" + mine).get("id"); got != mine {
		t.Errorf("retrieved %s", got)
	}
	same := r.do("POST /v1/payment_methods/" + mine + "/attach customer=cus_qa01")
	if same.Status != 200 || r.events() != "" {
		t.Errorf("attaching again to the same customer: %d %s", same.Status, same.Body)
	}
}

// A seed's customers have the instrument it names: none, an unknown one, any other.
func TestSeededInstruments(t *testing.T) {
	with := func(instrument string) string {
		return strings.Replace(qaBase, `"email":"bo@example.com"`, `"email":"bo@example.com","payment_method":`+instrument, 1)
	}
	r := newRig(t, with("null"))
	if got := r.ok("GET /v1/payment_methods customer=cus_qa02").get("data"); got != "[]" {
		t.Errorf("null: %s", got)
	}
	r = newRig(t, with(`"pm_card_chargeDeclined"`))
	if got := r.ok("GET /v1/payment_methods customer=cus_qa02").each("card.last4"); got != "0002" {
		t.Errorf("pm_card_chargeDeclined: %s", got)
	}
}

// A seed that names no test instrument is refused where it does so.
func TestSeededInstrumentUnknown(t *testing.T) {
	s, err := seed.Parse([]byte(strings.Replace(qaBase, `"email":"bo@example.com"`, `"email":"bo@example.com","payment_method":"pm_card_gold"`, 1)))
	if err != nil {
		t.Fatal(err)
	}
	_, err = twin.Genesis(s, stripe.Catalog())
	var faults *seed.Invalid
	if !errors.As(err, &faults) || faults.Problems[0].Path != "$.data.customers[1].payment_method" {
		t.Errorf("error %v", err)
	}
}
