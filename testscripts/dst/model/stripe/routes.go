package stripe

import (
	"slices"

	"worlds/testscripts/dst/model"
)

// routes are the operations that are modelled, with their parameters.
var routes = []route{
	on("GET /v1/customers", "created:r email:s<512 test_clock:x!"+paging, listCustomers),
	on("POST /v1/customers", "payment_method:s test_clock:x business_name:x! cash_balance:x! individual_name:x! tax:x! tax_id_data:x!"+customerParams, createCustomer),
	on("GET /v1/customers/{id}", "", showCustomer),
	on("POST /v1/customers/{id}", "default_source:x business_name:x! cash_balance:x! individual_name:x! tax:x!"+customerParams, updateCustomer),
	on("DELETE /v1/customers/{id}", "", deleteCustomer),
	on("GET /v1/customers/{customer}/balance_transactions", "created:r invoice:s"+paging, listBalanceEntries),
	on("POST /v1/customers/{customer}/balance_transactions", "amount:i<999999999999* currency:s* description:s<350 metadata:m", createBalanceEntry),
	on("GET /v1/customers/{customer}/balance_transactions/{transaction}", "", showBalanceEntry),
	on("GET /v1/customers/{customer}/payment_methods", "type:x allow_redisplay:x!"+paging, listCustomerMethods),

	on("GET /v1/products", "active:b created:r ids:x shippable:x url:x"+paging, listProducts),
	on("POST /v1/products", "name:s* id:s description:s<40000 default_price_data{currency:s* "+priceParams+"}"+productParams, createProduct),
	on("GET /v1/products/{id}", "", showProduct),
	on("POST /v1/products/{id}", "name:s default_price:s description:s<40000? "+productParams, updateProduct),
	on("DELETE /v1/products/{id}", "", deleteProduct),
	on("GET /v1/prices", "active:b created:r currency:s lookup_keys:x product:s recurring:x type:(recurring|one_time)"+paging, listPrices),
	on("POST /v1/prices", `currency:s* product:s product_data:x nickname:s? lookup_key:s<200? active:b billing_scheme:x transfer_lookup_key:x
		currency_options:x! custom_unit_amount:x! tiers:x! tiers_mode:x! transform_quantity:x!`+priceParams, createPrice),
	on("GET /v1/prices/{price}", "", showPrice),
	on("POST /v1/prices/{price}", "nickname:s? active:b metadata:m lookup_key:x tax_behavior:x transfer_lookup_key:x currency_options:x!", updatePrice),

	on("GET /v1/payment_methods", "customer:s type:x allow_redisplay:x! customer_account:x!"+paging, listMethods),
	on("GET /v1/payment_methods/{payment_method}", "", showMethod),
	on("POST /v1/payment_methods/{payment_method}", "metadata:m allow_redisplay:(always|limited|unspecified) billing_details:x card:x", updateMethod),
	on("POST /v1/payment_methods/{payment_method}/attach", "customer:s* customer_account:x!", attachMethod),
	on("POST /v1/payment_methods/{payment_method}/detach", "", detachMethod),

	on("GET /v1/payment_intents", "created:r customer:s customer_account:x!"+paging, listIntents),
	on("POST /v1/payment_intents", `amount:p* currency:s* customer:s payment_method:s confirm:b capture_method:(automatic|automatic_async|manual)
		confirmation_method:(automatic|manual) description:s<1000 metadata:m payment_method_types[:s]
		automatic_payment_methods{enabled:b* allow_redirects:(always|never)} statement_descriptor:x statement_descriptor_suffix:x`+confirmParams, createIntent),
	on("GET /v1/payment_intents/{intent}", "client_secret:x", showIntent),
	on("POST /v1/payment_intents/{intent}", `amount:p currency:x customer:x payment_method:s capture_method:x description:s<1000 metadata:m
		receipt_email:e? setup_future_usage:x payment_method_types:x shipping:x statement_descriptor:x statement_descriptor_suffix:x`, updateIntent),
	on("POST /v1/payment_intents/{intent}/confirm", "payment_method:s capture_method:x payment_method_types:x"+confirmParams, confirmIntent),
	on("POST /v1/payment_intents/{intent}/capture", "amount_to_capture:p metadata:m statement_descriptor:x statement_descriptor_suffix:x", captureIntent),
	on("POST /v1/payment_intents/{intent}/cancel", "cancellation_reason:(duplicate|fraudulent|requested_by_customer|abandoned)", cancelIntent),

	on("GET /v1/charges", "created:r customer:s payment_intent:s transfer_group:x!"+paging, listCharges),
	on("GET /v1/charges/{charge}", "", showCharge),
	on("POST /v1/charges/{charge}", "description:s<40000 metadata:m receipt_email:e fraud_details{user_report:(fraudulent|safe)*?} shipping:x customer:x! transfer_group:x!", updateCharge),
	on("GET /v1/refunds", "created:r charge:s payment_intent:s"+paging, listRefunds),
	on("POST /v1/refunds", `charge:s payment_intent:s amount:p reason:(duplicate|fraudulent|requested_by_customer) metadata:m
		currency:x! customer:x! instructions_email:x! origin:x! refund_application_fee:x! reverse_transfer:x!`, createRefund),
	on("GET /v1/refunds/{refund}", "", showRefund),
	on("POST /v1/refunds/{refund}", "metadata:m", updateRefund),
	on("GET /v1/disputes", "charge:s created:r payment_intent:s"+paging, listDisputes),
	on("GET /v1/disputes/{dispute}", "", showDispute),
	on("POST /v1/disputes/{dispute}", "evidence:x submit:x metadata:x", updateDispute),
	on("POST /v1/disputes/{dispute}/close", "", closeDispute),
	on("POST /v1/setup_intents", `customer:s confirm:b description:s<1000 metadata:m usage:(off_session|on_session) return_url:x payment_method_types:x
		automatic_payment_methods:x use_stripe_sdk:x attach_to_self:x! confirmation_token:x! customer_account:x! excluded_payment_method_types:x!
		flow_directions:x! mandate_data:x! on_behalf_of:x! payment_method_configuration:x! payment_method_options:x! single_use:x!`+setupParams, createSetup),
	on("POST /v1/setup_intents/{intent}/confirm", "return_url:x use_stripe_sdk:x client_secret:x! confirmation_token:x! mandate_data:x! payment_method_options:x!"+setupParams, confirmSetup),
	on("POST /v1/setup_intents/{intent}/cancel", "cancellation_reason:(abandoned|duplicate|requested_by_customer)", cancelSetup),
	on("GET /v1/setup_intents/{intent}", "client_secret:x", showSetup),

	on("GET /v1/coupons", "created:r"+paging, listCoupons),
	on("POST /v1/coupons", `id:s name:s<40 duration:(forever|once|repeating) percent_off:d amount_off:p<99999999 currency:s duration_in_months:p<1200
		max_redemptions:p<1000000000 redeem_by:w metadata:m applies_to:x currency_options:x`, createCoupon),
	on("GET /v1/coupons/{coupon}", "", showCoupon),
	on("POST /v1/coupons/{coupon}", "name:s<40 metadata:m currency_options:x", updateCoupon),
	on("DELETE /v1/coupons/{coupon}", "", deleteCoupon),
	on("GET /v1/promotion_codes", "active:b code:s coupon:s created:r customer:s customer_account:x!"+paging, listPromotions),
	on("POST /v1/promotion_codes", `promotion{type:(coupon)* coupon:s}* code:s<500 active:b customer:s expires_at:w max_redemptions:p<1000000000 metadata:m
		restrictions:x customer_account:x!`, createPromotion),
	on("GET /v1/promotion_codes/{promotion_code}", "", showPromotion),
	on("POST /v1/promotion_codes/{promotion_code}", "active:b metadata:m restrictions:x!", updatePromotion),

	on("GET /v1/invoiceitems", "created:r customer:s invoice:s pending:b customer_account:x!"+paging, listInvoiceItems),
	on("POST /v1/invoiceitems", `customer:s* amount:i<999999999999 currency:s description:s discountable:b quantity:n<1000000 invoice:s metadata:m pricing{price:s}
		subscription:x period:x price_data:x unit_amount_decimal:x tax_behavior:x`+discountParams, createInvoiceItem),
	on("GET /v1/invoiceitems/{invoiceitem}", "", showInvoiceItem),
	on("POST /v1/invoiceitems/{invoiceitem}", `amount:i<999999999999 description:s metadata:m discountable:x quantity:x pricing:x period:x price_data:x
		unit_amount_decimal:x discounts:x`, updateInvoiceItem),
	on("DELETE /v1/invoiceitems/{invoiceitem}", "", deleteInvoiceItem),

	on("GET /v1/invoices", `collection_method:(charge_automatically|send_invoice) created:r customer:s due_date:r status:(draft|open|paid|uncollectible|void)
		subscription:s customer_account:x!`+paging, listInvoices),
	on("POST /v1/invoices", `customer:s* auto_advance:b collection_method:(charge_automatically|send_invoice) currency:s days_until_due:n<36500
		default_payment_method:s description:s<1500 due_date:w footer:s metadata:m pending_invoice_items_behavior:(exclude|include|include_and_require)
		subscription:x`+discountParams, createInvoice),
	on("GET /v1/invoices/{invoice}", "", showInvoice),
	on("POST /v1/invoices/{invoice}", `auto_advance:b collection_method:(charge_automatically|send_invoice) days_until_due:n<36500 default_payment_method:s
		description:s<1500 due_date:w footer:s metadata:m discounts:x`, updateInvoice),
	on("DELETE /v1/invoices/{invoice}", "", deleteInvoice),
	on("POST /v1/invoices/{invoice}/finalize", "auto_advance:b", finalizeInvoice),
	on("POST /v1/invoices/{invoice}/pay", "payment_method:s paid_out_of_band:b off_session:b forgive:x source:x", payInvoice),
	on("POST /v1/invoices/{invoice}/send", "", sendInvoice),
	on("POST /v1/invoices/{invoice}/void", "", voidInvoice),
	on("POST /v1/invoices/{invoice}/mark_uncollectible", "", markUncollectible),
	on("GET /v1/invoices/{invoice}/lines", paging, listLines),
	on("GET /v1/invoice_payments", "invoice:s status:(open|paid|canceled) payment:x created:r"+paging, listPayments),
	on("GET /v1/invoice_payments/{invoice_payment}", "", showPayment),
	on("GET /v1/credit_notes", "created:r customer:s invoice:s customer_account:x!"+paging, listNotes),
	on("POST /v1/credit_notes", `invoice:s* amount:p<999999999999 credit_amount:n<999999999999 refund_amount:n<999999999999 out_of_band_amount:n<999999999999 lines:x refunds:x memo:s metadata:m
		reason:(duplicate|fraudulent|order_change|product_unsatisfactory) effective_at:x! email_type:x! shipping_cost:x!`, createNote),
	on("GET /v1/credit_notes/{id}", "", showNote),
	on("POST /v1/credit_notes/{id}", "memo:s metadata:m", updateNote),
	on("POST /v1/credit_notes/{id}/void", "", voidNote),

	on("GET /v1/subscriptions", `collection_method:(charge_automatically|send_invoice) created:r current_period_end:x current_period_start:x customer:s price:s
		status:(active|past_due|unpaid|canceled|incomplete|incomplete_expired|trialing|paused|all|ended) automatic_tax:x! customer_account:x! test_clock:x!`+paging, listSubscriptions),
	on("POST /v1/subscriptions", `customer:s* items[{price:s plan:x quantity:n<1000000 metadata:m price_data:x billing_thresholds:x discounts:x tax_rates:x}]*
		trial_end:t trial_period_days:p<730 description:s<500 currency:x add_invoice_items:x billing_mode:x backdate_start_date:x billing_cycle_anchor:x
		billing_cycle_anchor_config:x customer_account:x! proration_behavior:(always_invoice|create_prorations|none) cancel_at:w`+subParams+discountParams, createSubscription),
	on("GET /v1/subscriptions/{id}", "", showSubscription),
	on("POST /v1/subscriptions/{id}", `items[{id:s price:s plan:x quantity:n<1000000 deleted:b metadata:m price_data:x billing_thresholds:x discounts:x tax_rates:x clear_usage:x}]
		billing_cycle_anchor:(now|unchanged) cancellation_details{comment:s? feedback:(customer_service|low_quality|missing_features|other|switched_service|too_complex|too_expensive|unused)?}
		pause_collection{behavior:(keep_as_draft|mark_uncollectible|void)* resumes_at:w}? proration_behavior:(always_invoice|create_prorations|none)
		proration_date:w trial_end:t add_invoice_items:x description:s<500? cancel_at:w?`+subParams+discountParams, updateSubscription),
	on("DELETE /v1/subscriptions/{id}", `prorate:b invoice_now:b
		cancellation_details{comment:s? feedback:(customer_service|low_quality|missing_features|other|switched_service|too_complex|too_expensive|unused)?}`, cancelSubscription),

	on("GET /v1/balance", "", showBalance),
	on("GET /v1/balance_transactions", "created:r currency:s source:s type:s payout:x!"+paging, listTransactions),
	on("GET /v1/balance_transactions/{id}", "", showTransaction),
	on("GET /v1/events", "created:r type:s types:x delivery_success:x related_object:x!"+paging, listEvents),
	on("GET /v1/events/{id}", "", showEvent),
}

// discountParams are discounts as most routes take them.
const discountParams = " discounts[{coupon:s discount:s promotion_code:s}]?"

func showEvent(c *call) model.Value {
	for _, e := range c.m.events {
		if e.id == c.path[0] {
			return eventBody(e)
		}
	}
	panic(missingPath("id"))
}

func listEvents(c *call) model.Value {
	order := make([]string, len(c.m.events))
	byID := map[string]event{}
	for i, e := range c.m.events {
		order[i], byID[e.id] = e.id, e
	}
	return page(c, order, "/v1/events", func(id string) bool {
		e := byID[id]
		return c.within(e.created, "created") && c.same(e.kind, "type")
	}, func(id string) model.Value { return eventBody(byID[id]) })
}

// kinds reports whether a word is one of some.
func oneOf(word string, words ...string) bool { return slices.Contains(words, word) }
