package stripe_test

import "testing"

// What has the form of an e-mail address, wherever one is given.
func TestEmails(t *testing.T) {
	r := newRig(t, qaBase)
	for _, good := range []string{"a@b.example", "a.b%2Bc@sub.example.com", "zoë@müller.example", "o'hara@x.example", "a@localhost"} {
		r.ok("POST /v1/customers email=" + good)
	}
	for _, bad := range []string{"plain", "a@", "@b.example", "a@@b.example", "a@b@c.example", "a@b..example", "a@.example", "a@-b.example", ".a@b.example"} {
		r.refused("POST /v1/customers email="+bad, "400 email_invalid email Invalid email address: "+bad)
	}
	for _, row := range [...][2]string{
		{"POST /v1/customers/cus_qa01 email=x", "email"},
		{"POST /v1/charges amount=500 currency=usd source=tok_visa receipt_email=x", "receipt_email"},
		{"POST /v1/charges/ch_qa01 receipt_email=x", "receipt_email"},
		{"POST /v1/payment_intents amount=500 currency=usd receipt_email=x", "receipt_email"},
		{"POST /v1/payment_methods type=card card[token]=tok_visa billing_details[email]=x", "billing_details[email]"},
	} {
		r.refused(row[0], "400 email_invalid "+row[1]+" Invalid email address: x")
	}
	for _, bad := range []string{"AB", "abc", "ABCDEFGHIJKLM", "A-B"} {
		if a := r.do("POST /v1/customers/cus_qa01 invoice_prefix=" + bad); a.Status != 400 || a.get("error.param") != "invoice_prefix" {
			t.Errorf("%s: %s", bad, a.Body)
		}
	}
	r.ok("POST /v1/customers/cus_qa01 invoice_prefix=AB3")
}
