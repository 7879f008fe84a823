package gen

import "fmt"

// plant gives an account one situation. docs/seed.md lists them for users.
type plant func(b *saas, o *opened)

// duplicateCharge pays the newest invoice a second time.
func duplicateCharge(b *saas, o *opened) { b.pay(o, b.last()) }

// partialRefund has given back one seat of the newest invoice.
func partialRefund(b *saas, o *opened) {
	b.last().Charges[0].AmountRefunded = o.plan.amount
}

// fullRefund has given back all of the newest invoice.
func fullRefund(b *saas, _ *opened) {
	paid := &b.last().Charges[0]
	paid.AmountRefunded = paid.Amount
}

// pastDue leaves an onboarding day of six weeks ago unpaid.
func pastDue(b *saas, o *opened) {
	b.invoice(o, "open", epoch-45*day+businessHour("past due"), b.find("onboarding").line(1))
}

// recentlyOpen leaves an onboarding day of this week unpaid.
func recentlyOpen(b *saas, o *opened) {
	b.invoice(o, "open", epoch-3*day+businessHour("recently open"), b.find("onboarding").line(1))
}

// onePastPayment has paid for one month long ago and has no subscription.
func onePastPayment(b *saas, o *opened) {
	b.pay(o, b.invoice(o, "paid", o.created+hour, b.find("starter_m").line(1)))
}

// leaving has canceled and stays until the end of the period.
func leaving(_ *saas, o *opened) { o.sub.CancelAtPeriodEnd = true }

// voidedInvoice has an invoice that was sent by mistake and taken back.
func voidedInvoice(b *saas, o *opened) {
	b.invoice(o, "void", epoch-20*day+businessHour("voided"), b.find("onboarding").line(2))
}

// uncollectible never paid the last month of a subscription that is gone.
func uncollectible(b *saas, o *opened) {
	b.invoice(o, "uncollectible", o.created+100*day, b.find("pro_m").line(1))
}

// draft has an invoice that nobody has finalized.
func draft(b *saas, o *opened) {
	b.invoice(o, "draft", epoch-2*day+businessHour("draft"), b.find("onboarding").line(1),
		line{Description: "Data migration, 3 hours", Amount: 27000, Quantity: 3})
}

// creditLine has an invoice of two lines, one of them negative.
func creditLine(b *saas, o *opened) {
	b.pay(o, b.invoice(o, "paid", epoch-10*day+businessHour("credit line"), b.find("onboarding").line(1),
		line{Description: "Credit for the outage of 9 December", Amount: -5000, Quantity: 1}))
}

// outOfBand has paid for an onboarding day by bank transfer: no charge.
func outOfBand(b *saas, o *opened) {
	b.invoice(o, "paid", epoch-33*day+businessHour("out of band"), b.find("onboarding").line(1))
}

// onboarding has paid for an onboarding day by card.
func onboarding(b *saas, o *opened) {
	b.pay(o, b.invoice(o, "paid", o.created+2*hour, b.find("onboarding").line(1)))
}

// secondSubscription adds the company's team to its owner's own plan.
func secondSubscription(b *saas, o *opened) {
	b.subscribe(o, "team_m", 4, monthStart(3)+11*day+businessHour("second subscription"), 2)
}

// endOfMonth subscribes on 31 August, so that boundaries fall on month ends.
func endOfMonth(b *saas, o *opened) {
	o.created = monthStart(5) + 30*day + businessHour(fmt.Sprintf("customer %d", o.number))
	o.customer.CreatedOffset = epoch - o.created
	b.subscribe(o, "pro_m", 1, o.created+300, 2)
}

// renewsAtOnce moves the period so that it ends six hours after the epoch.
func renewsAtOnce(b *saas, o *opened) {
	o.sub.CurrentPeriodStart, o.sub.CurrentPeriodEnd = monthStart(1)+6*hour, epoch+6*hour
	o.sub.CreatedOffset = epoch - (monthStart(13) + 6*hour)
	o.customer.CreatedOffset = o.sub.CreatedOffset + 600
	for n, in := range b.invoices[len(b.invoices)-o.invoices:] {
		in.CreatedOffset = epoch - (monthStart(int64(o.invoices-n)) + 6*hour)
	}
}
