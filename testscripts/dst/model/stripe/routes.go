package stripe

import (
	"slices"

	"worlds/testscripts/dst/model"
)

// routes are the operations that are modelled, with their parameters.
var routes = []route{
	on("GET /v1/customers", "created:r email:s test_clock:x!"+paging, listCustomers),
	on("POST /v1/customers", "payment_method:s test_clock:x business_name:x! cash_balance:x! individual_name:x! tax:x! tax_id_data:x!"+customerParams, createCustomer),
	on("GET /v1/customers/{id}", "", showCustomer),
	on("POST /v1/customers/{id}", "default_source:x business_name:x! cash_balance:x! individual_name:x! tax:x!"+customerParams, updateCustomer),
	on("DELETE /v1/customers/{id}", "", deleteCustomer),
	on("GET /v1/customers/{customer}/balance_transactions", "created:r invoice:s"+paging, listBalanceEntries),
	on("POST /v1/customers/{customer}/balance_transactions", "amount:i* currency:s* description:s metadata:m", createBalanceEntry),
	on("GET /v1/customers/{customer}/balance_transactions/{transaction}", "", showBalanceEntry),
	on("GET /v1/customers/{customer}/payment_methods", "type:(card) allow_redisplay:x!"+paging, listCustomerMethods),

	on("GET /v1/products", "active:b created:r ids:x shippable:x url:x"+paging, listProducts),
	on("POST /v1/products", "name:s* id:s default_price_data{currency:s* "+priceParams+"}"+productParams, createProduct),
	on("GET /v1/products/{id}", "", showProduct),
	on("POST /v1/products/{id}", "name:s default_price:s"+productParams, updateProduct),
	on("DELETE /v1/products/{id}", "", deleteProduct),
	on("GET /v1/prices", "active:b created:r currency:s lookup_keys:x product:s recurring:x type:(recurring|one_time)"+paging, listPrices),
	on("POST /v1/prices", `currency:s* product:s nickname:s lookup_key:s active:b billing_scheme:x transfer_lookup_key:x
		product_data{name:s* id:x active:x statement_descriptor:x unit_label:x metadata:m}
		currency_options:x! custom_unit_amount:x! tiers:x! tiers_mode:x! transform_quantity:x!`+priceParams, createPrice),
	on("GET /v1/prices/{price}", "", showPrice),
	on("POST /v1/prices/{price}", "nickname:s active:b metadata:m lookup_key:x tax_behavior:x transfer_lookup_key:x currency_options:x!", updatePrice),

	on("GET /v1/payment_methods", "customer:s type:(card) allow_redisplay:x! customer_account:x!"+paging, listMethods),
	on("GET /v1/payment_methods/{payment_method}", "", showMethod),
	on("POST /v1/payment_methods/{payment_method}", "metadata:m allow_redisplay:(always|limited|unspecified) billing_details:x card:x", updateMethod),
	on("POST /v1/payment_methods/{payment_method}/attach", "customer:s* customer_account:x!", attachMethod),
	on("POST /v1/payment_methods/{payment_method}/detach", "", detachMethod),

	on("GET /v1/payment_intents", "created:r customer:s customer_account:x!"+paging, listIntents),
	on("POST /v1/payment_intents", `amount:p* currency:s* customer:s payment_method:s confirm:b capture_method:(automatic|automatic_async|manual)
		confirmation_method:(automatic|manual) description:s metadata:m payment_method_types[:(card)]
		automatic_payment_methods{enabled:b* allow_redirects:(always|never)} statement_descriptor:x statement_descriptor_suffix:x`+confirmParams, createIntent),
	on("GET /v1/payment_intents/{intent}", "client_secret:x", showIntent),
	on("POST /v1/payment_intents/{intent}", `amount:p currency:x customer:x payment_method:s capture_method:x description:s metadata:m
		receipt_email:s? setup_future_usage:x payment_method_types:x shipping:x statement_descriptor:x statement_descriptor_suffix:x`, updateIntent),
	on("POST /v1/payment_intents/{intent}/confirm", "payment_method:s capture_method:x payment_method_types:x"+confirmParams, confirmIntent),
	on("POST /v1/payment_intents/{intent}/capture", "amount_to_capture:p metadata:m statement_descriptor:x statement_descriptor_suffix:x", captureIntent),
	on("POST /v1/payment_intents/{intent}/cancel", "cancellation_reason:(duplicate|fraudulent|requested_by_customer|abandoned)", cancelIntent),

	on("GET /v1/charges", "created:r customer:s payment_intent:s transfer_group:x!"+paging, listCharges),
	on("GET /v1/charges/{charge}", "", showCharge),
	on("POST /v1/charges/{charge}", "description:s metadata:m receipt_email:s fraud_details{user_report:(fraudulent|safe)?} shipping:x customer:x! transfer_group:x!", updateCharge),
	on("GET /v1/refunds", "created:r charge:s payment_intent:s"+paging, listRefunds),
	on("POST /v1/refunds", `charge:s payment_intent:s amount:p reason:(duplicate|fraudulent|requested_by_customer) metadata:m
		currency:x! customer:x! instructions_email:x! origin:x! refund_application_fee:x! reverse_transfer:x!`, createRefund),
	on("GET /v1/refunds/{refund}", "", showRefund),
	on("POST /v1/refunds/{refund}", "metadata:m", updateRefund),
	on("GET /v1/disputes", "charge:s created:r payment_intent:s"+paging, listDisputes),
	on("GET /v1/disputes/{dispute}", "", showDispute),
	on("POST /v1/disputes/{dispute}", "evidence:x submit:x metadata:x", updateDispute),
	on("POST /v1/disputes/{dispute}/close", "", closeDispute),
	on("GET /v1/setup_intents/{intent}", "client_secret:x", showSetup),

	on("GET /v1/balance", "", showBalance),
	on("GET /v1/balance_transactions", "created:r currency:s source:s type:s payout:x!"+paging, listTransactions),
	on("GET /v1/balance_transactions/{id}", "", showTransaction),
	on("GET /v1/events", "created:r type:s types:x delivery_success:x related_object:x!"+paging, listEvents),
	on("GET /v1/events/{id}", "", showEvent),
}

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
