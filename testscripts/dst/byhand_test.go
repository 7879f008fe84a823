//go:build mutant

package dst

import (
	"strings"
	"testing"

	"worlds/journal/mutant"
)

// byHand are stories that somebody wrote, for bugs that show only where several things
// come together which a short run seldom has: one request a line, as in things.
var byHand = map[string]string{
	"canceled-revives": `
		stripe POST /v1/customers name={mark}
		stripe POST /v1/products name=p
		stripe POST /v1/prices product=$products unit_amount=2000 currency=usd recurring[interval]=month
		stripe POST /v1/subscriptions customer=$customers items[0][price]=$prices collection_method=send_invoice days_until_due=30
		stripe POST /v1/invoices/{invoice}/finalize auto_advance=false
		stripe DELETE /v1/subscriptions/{id}
		stripe POST /v1/invoices/{invoice}/pay paid_out_of_band=true`,
	"detached-stays-default": `
		stripe POST /v1/customers name={mark} payment_method=pm_card_visa invoice_settings[default_payment_method]=pm_card_visa
		stripe POST /v1/payment_methods/{payment_method}/detach`,
	"hears-when-disabled": `
		stripe POST /v1/webhook_endpoints url={hook} enabled_events[0]=*
		stripe POST /v1/webhook_endpoints/{id} disabled=true
		stripe POST /v1/customers name={mark}`,
	"discount-rounds-down": `
		stripe POST /v1/coupons percent_off=12.5 duration=forever
		stripe POST /v1/customers name={mark} payment_method=pm_card_visa invoice_settings[default_payment_method]=pm_card_visa
		stripe POST /v1/products name=p
		stripe POST /v1/prices product=$products unit_amount=100 currency=usd recurring[interval]=month
		stripe POST /v1/subscriptions customer=$customers items[0][price]=$prices discounts[0][coupon]=$coupons`,
	"dunning-from-last": `
		stripe POST /v1/customers name={mark} payment_method=pm_card_chargeCustomerFail invoice_settings[default_payment_method]=pm_card_chargeCustomerFail
		stripe POST /v1/products name=p
		stripe POST /v1/prices product=$products unit_amount=2000 currency=usd recurring[interval]=month
		stripe POST /v1/subscriptions customer=$customers items[0][price]=$prices trial_period_days=1
		admin POST /clock/advance {"days":12}`,
	"paid-invoice-voided": `
		stripe POST /v1/customers name={mark}
		stripe POST /v1/invoices customer=$customers
		stripe POST /v1/invoices/{invoice}/finalize
		stripe POST /v1/invoices/{invoice}/void`,
	"period-gap": `
		stripe POST /v1/customers name={mark} payment_method=pm_card_visa invoice_settings[default_payment_method]=pm_card_visa
		stripe POST /v1/products name=p
		stripe POST /v1/prices product=$products unit_amount=2000 currency=usd recurring[interval]=day
		stripe POST /v1/subscriptions customer=$customers items[0][price]=$prices
		admin POST /clock/advance {"days":3}`,
	"proration-rounds-up": `
		stripe POST /v1/customers name={mark} payment_method=pm_card_visa invoice_settings[default_payment_method]=pm_card_visa
		stripe POST /v1/products name=p
		stripe POST /v1/prices product=$products unit_amount=999 currency=usd recurring[interval]=month
		stripe POST /v1/subscriptions customer=$customers items[0][price]=$prices
		admin POST /clock/advance {"days":7}
		stripe POST /v1/subscriptions/{id} items[0][id]=$subscription_items items[0][quantity]=2`,
	"renewal-from-last-period": `
		admin POST /clock/advance {"days":30}
		stripe POST /v1/customers name={mark} payment_method=pm_card_visa invoice_settings[default_payment_method]=pm_card_visa
		stripe POST /v1/products name=p
		stripe POST /v1/prices product=$products unit_amount=2000 currency=usd recurring[interval]=month
		stripe POST /v1/subscriptions customer=$customers items[0][price]=$prices
		admin POST /clock/advance {"days":65}`,
	"requester-does-not-reopen": `
		zendesk POST /api/v2/users {"user":{"name":"{mark}"}}
		zendesk POST /api/v2/tickets {"ticket":{"comment":{"body":"{mark}"},"requester_id":$users,"assignee_id":1000001,"status":"solved"}}
		zendesk PUT /api/v2/tickets/{id} {"ticket":{"comment":{"body":"{mark}","author_id":$users}}}`,
	"search-turned-round": `
		zendesk POST /api/v2/tickets {"ticket":{"comment":{"body":"{mark}"}}}
		admin POST /clock/advance {"days":1}
		zendesk POST /api/v2/tickets {"ticket":{"comment":{"body":"{mark}"}}}`,
	"small-sum-charged": `
		stripe POST /v1/customers name={mark} payment_method=pm_card_visa invoice_settings[default_payment_method]=pm_card_visa
		stripe POST /v1/invoiceitems customer=$customers amount=49 currency=usd
		stripe POST /v1/invoices customer=$customers pending_invoice_items_behavior=include
		stripe POST /v1/invoices/{invoice}/finalize
		stripe POST /v1/invoices/{invoice}/pay`,
	"solved-by-nobody": `
		zendesk POST /api/v2/tickets {"ticket":{"comment":{"body":"{mark}"}}}
		zendesk PUT /api/v2/tickets/{id} {"ticket":{"status":"solved"}}`,
}

// tell plays a story that somebody wrote and keeps it, made small, if it shows the bug.
func tell(t *testing.T, name string) *kill {
	t.Helper()
	k := &kill{Mutant: name, Seed: 1, Profile: Sparse, Delivery: Full}
	result := &Result{Seed: k.Seed}
	on(t, "", func(e *engine) {
		r := newRun(t.Context(), e, k.config(), k.Seed, nil)
		if f := r.worlds(); f != nil {
			t.Fatal(f)
		}
		r.gen.keep = false
		told := &story{r: r, s: r.spaces[0], last: map[string]string{}}
		for line := range strings.Lines(strings.TrimSpace(byHand[name])) {
			words := append(strings.SplitN(strings.TrimSpace(line), " ", 4), "")
			if _, f := told.send(strings.Join(words[:3], " "), words[3]); f != nil {
				t.Errorf("%s: without the bug: %v", name, f)
			}
		}
		result.History = r.history
		r.engine.net.use(nil)
	})
	k.Story = &Story{Ops: result.History}
	if k.Property = k.shows(t, name); k.Property == "" || k.shows(t, "") != "" {
		t.Errorf("%s: the story written for it shows %q with it, and %q without; its site was passed %d times", name, k.Property, k.shows(t, ""), mutant.Reached())
		return nil
	}
	k.Whole, result.Failure = len(result.History), failed(k.Property, "")
	mutant.Set(name)
	var err error
	if k.Story, _, err = Shrink(t.Context(), k.config(), result); err != nil {
		t.Fatal(err)
	}
	k.Seed, k.Hand = 1, true
	t.Logf("%s: by hand: %s, %d operations shrank to %d", name, k.Property, k.Whole, k.Story.Len())
	return k
}
