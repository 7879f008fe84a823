package stripe

import (
	"worlds/journal/canon"
	"worlds/twin"
)

// The shape of versions from 2025-03-31.basil to before 2025-09-30.clover: a
// discount holds its coupon, and much is not there yet.

// Where coupons and discounts are stored; those deleted go on for who has them.
const (
	couponTable        = "stripe.coupon"
	retiredCouponTable = "stripe.coupon_deleted"
	discountTable      = "stripe.discount"
)

var basilTurns = [...]turn{
	{object: "balance_transaction"},
	{object: "charge", drop: []string{"payment_method_details.card.transaction_link_id"}},
	{object: "credit_note", drop: []string{"customer_account", "refunds.payment_record_refund", "refunds.type"}},
	{object: "credit_note_line_item", drop: []string{"metadata"}},
	{object: "customer", drop: []string{"business_name", "customer_account", "individual_name", "tax.provider"}},
	{object: "customer_balance_transaction", drop: []string{"customer_account"}},
	{object: "discount", drop: []string{"customer_account", "source"}, more: inlineCoupon},
	{object: "dispute", drop: []string{"payment_method_details.card.network", "intended_submission_method"}},
	{object: "invoice", drop: []string{"amount_paid_off_stripe", "customer_account", "status_details"}},
	{object: "invoice_payment", drop: []string{"payment.payment_record"}},
	{object: "invoiceitem", drop: []string{
		"customer_account", "frozen_fields", "net_amount", "proration_details", "quantity_decimal", "invoicing_rules"}},
	{object: "line_item", drop: []string{"quantity_decimal", "subtotal"}},
	{object: "payment_intent", drop: []string{
		"allowed_payment_method_types", "customer_account", "excluded_payment_method_types", "hooks", "managed_payments",
		"payment_details", "payment_record", "amount_details.discount_amount", "amount_details.error",
		"amount_details.line_items", "amount_details.shipping", "amount_details.tax"}},
	{object: "item", drop: []string{"adjustable_quantity", "metadata"}},
	{object: "payment_link", drop: []string{"managed_payments", "payment_method_options"}},
	{object: "payment_method", drop: []string{"custom", "customer_account"}},
	{object: "product", drop: []string{"tax_details"}},
	{object: "promotion_code", drop: []string{"customer_account", "promotion"}, more: inlineCoupon},
	{object: "refund", drop: []string{"customer", "customer_account", "payment_method"}},
	{object: "setup_intent", drop: []string{
		"allowed_payment_method_types", "customer_account", "excluded_payment_method_types", "managed_payments"}},
	{object: "tax_id", drop: []string{"customer_account"}},
	{object: "subscription", drop: []string{
		"billing_schedules", "billing_thresholds", "customer_account", "managed_payments", "presentment_details",
		"status_details", "billing_mode.flexible", "cancellation_details.feedback_option", "invoice_settings.custom_fields",
		"invoice_settings.description", "invoice_settings.footer", "pending_update.discount", "pending_update.discounts",
		"pending_update.metadata"}},
	{object: "subscription_item", drop: []string{"billed_until", "billing_thresholds", "current_trial"}},
}

// inlineCoupon shows the coupon that a discount or a promotion code comes from in
// the place of its name.
func inlineCoupon(t *turner, was canon.Raw, o *hash) {
	id := textUnder(was, "source", "coupon")
	if id == "" {
		id = textUnder(was, "promotion", "coupon")
	}
	o.set("coupon", t.value(t.row("coupon", id, couponTable, retiredCouponTable)))
}

var basilAliases = [...]twin.Alias{
	{Route: "POST /v1/promotion_codes", Asked: "coupon", Name: "promotion[coupon]", With: "promotion[type]=coupon"},
}

// basilExpand is what expands otherwise: a coupon is there already, and some members
// are not yet.
func basilExpand() map[string]map[string]string {
	return map[string]map[string]string{
		"customer":       {"discount.source.coupon": twin.NotExpanded},
		"discount":       {"source.coupon": twin.NotExpanded, "coupon": ""},
		"invoiceitem":    {"proration_details.discount_amounts.discount": twin.NotExpanded},
		"promotion_code": {"promotion.coupon": twin.NotExpanded, "coupon": ""},
		"refund":         {"customer": twin.NotExpanded, "payment_method": twin.NotExpanded},
		"subscription":   {"billing_schedules.applies_to.price": twin.NotExpanded},
	}
}
