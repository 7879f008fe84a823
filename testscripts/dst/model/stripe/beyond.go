package stripe

import "strings"

// beyond are the parameters of the modelled routes that the model has no opinion of,
// beside those in the routes' own tables: known to the API, and served or not.
var beyond = map[string]string{
	"POST /v1/customers/{id}":             `bank_account card default_alipay_account default_bank_account default_card`,
	"POST /v1/invoiceitems":               `customer_account quantity_decimal tax_code tax_rates`,
	"POST /v1/invoiceitems/{invoiceitem}": `invoicing_rules quantity_decimal tax_behavior tax_code tax_rates`,
	"POST /v1/invoices": `statement_descriptor account_tax_ids application_fee_amount automatic_tax automatically_finalizes_at
		custom_fields customer_account default_source default_tax_rates effective_at from_invoice issuer number
		on_behalf_of payment_settings rendering shipping_cost shipping_details transfer_data`,
	"POST /v1/invoices/{invoice}": `statement_descriptor account_tax_ids application_fee_amount automatic_tax automatically_finalizes_at
		custom_fields default_source default_tax_rates effective_at issuer number on_behalf_of payment_settings
		rendering shipping_cost shipping_details transfer_data`,
	"POST /v1/invoices/{invoice}/pay": `mandate`,
	"POST /v1/payment_intents": `amount_details application_fee_amount confirmation_token customer_account excluded_payment_method_types hooks
		mandate on_behalf_of payment_details payment_method_configuration payment_method_options radar_options
		transfer_data transfer_group`,
	"POST /v1/payment_intents/{intent}": `allowed_payment_method_types payment_method_data amount_details application_fee_amount customer_account
		excluded_payment_method_types hooks payment_details payment_method_configuration payment_method_options
		transfer_data transfer_group`,
	"POST /v1/payment_intents/{intent}/capture": `amount_details application_fee_amount final_capture hooks payment_details transfer_data`,
	"POST /v1/payment_intents/{intent}/confirm": `amount_details amount_to_confirm client_secret confirmation_token excluded_payment_method_types hooks mandate
		payment_details payment_method_options radar_options`,
	"POST /v1/payment_methods/{payment_method}": `payto us_bank_account`,
}

// vaguely is a table of the names beyond an operation's own.
func vaguely(operation string) string {
	var b strings.Builder
	for _, name := range strings.Fields(beyond[operation]) {
		b.WriteString(" " + name + ":x")
	}
	return b.String()
}
