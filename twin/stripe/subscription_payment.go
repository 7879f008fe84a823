package stripe

import (
	"fmt"

	"worlds/journal/canon"
	"worlds/twin"
)

// collectionParams are what creation and update of a subscription may say about how
// it is paid, and what of it has one value here.
type collectionParams struct {
	AutomaticTax    twin.Opt[automaticTaxParams]    `param:"automatic_tax"`
	OffSession      twin.Opt[bool]                  `param:"off_session"` // nobody is there: as it is anyway
	PaymentSettings twin.Opt[paymentSettingsParams] `param:"payment_settings"`
	TrialFromPlan   twin.Opt[bool]                  `param:"trial_from_plan"` // no price has a trial
}

type automaticTaxParams struct {
	Enabled twin.Opt[bool] `param:"enabled" rule:"required"`
}

type paymentSettingsParams struct {
	Types twin.Opt[[]string] `param:"payment_method_types" rule:"empty"`
	Save  twin.Opt[string]   `param:"save_default_payment_method" rule:"enum=off|on_subscription"`
}

// saveOnSubscription lets the first payment say what pays from then on.
const saveOnSubscription = "on_subscription"

// check refuses what the twin has no other value of, and types of payment methods
// that there are none of.
func (p *collectionParams) check() *twin.Error {
	if p.AutomaticTax.V.Enabled.V {
		return errUnserved("automatic_tax[enabled]=true", "automatic_tax[enabled]")
	}
	const param = "payment_settings[payment_method_types]"
	for i, typ := range p.PaymentSettings.V.Types.V {
		switch {
		case typ == cardType:
		case !methodType(typ):
			at := fmt.Sprintf("%s[%d]", param, i)
			return invalid(at, "Invalid %s: %s", at, typ)
		default:
			return errUnserved("payment methods of type "+typ, param)
		}
	}
	return nil
}

// apply changes the named settings, and only those.
func (p *collectionParams) apply(s *Subscription) {
	q := &p.PaymentSettings.V
	s.PaymentSettings.SaveDefault = q.Save.Or(s.PaymentSettings.SaveDefault)
	switch {
	case q.Types.Cleared():
		s.PaymentSettings.Types = nil
	case q.Types.Given():
		s.PaymentSettings.Types = canon.Raw(`["card"]`)
	}
}

// saveMethod makes what paid an invoice the default of its subscription, where that
// says so.
func saveMethod(tx *twin.Tx, inv *Invoice) {
	how, _ := canon.Get(stored(tx, subscriptions.Table, inv.subscription(), "payment_settings"), "save_default_payment_method")
	if string(how) != `"`+saveOnSubscription+`"` {
		return
	}
	old, ok := subscriptions.Get(tx, inv.subscription())
	if !ok || old.ended() {
		return
	}
	for link := range invoicePayments.With(tx, "invoice="+inv.ID) {
		pi, ok := paymentIntents.Get(tx, link.Payment.PaymentIntent)
		if link.Status != linkPaid || !ok || pi.PaymentMethod == nil {
			continue
		}
		s := old.copy()
		s.DefaultPaymentMethod = pi.PaymentMethod
		_, _ = s.replace(tx)
		return
	}
}
