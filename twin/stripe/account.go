package stripe

import (
	"worlds/journal/canon"
	"worlds/twin"
)

// accountID is the id of the one account that every world has.
const accountID = "acct_worlds"

// account is that account: it is the same in every world and nothing changes it.
const account = `{"business_profile":{"annual_revenue":null,"estimated_worker_count":null,"mcc":"5734","name":"Worlds",` +
	`"product_description":null,"support_address":null,"support_email":null,"support_phone":null,"support_url":null,"url":null},` +
	`"business_type":"company","capabilities":{"card_payments":"active","transfers":"active"},"charges_enabled":true,` +
	`"controller":{"type":"account"},"country":"US","created":1577836800,"default_currency":"` + accountCurrency + `",` +
	`"details_submitted":true,"email":null,"external_accounts":{"data":[],"has_more":false,"object":"list",` +
	`"url":"/v1/accounts/` + accountID + `/external_accounts"},"id":"` + accountID + `","metadata":{},"object":"account",` +
	`"payouts_enabled":true,"settings":{"branding":{"icon":null,"logo":null,"primary_color":null,"secondary_color":null},` +
	`"card_payments":{"decline_on":{"avs_failure":false,"cvc_failure":false},"statement_descriptor_prefix":null,` +
	`"statement_descriptor_prefix_kana":null,"statement_descriptor_prefix_kanji":null},"dashboard":{"display_name":"Worlds",` +
	`"timezone":"Etc/UTC"},"payments":{"statement_descriptor":"WORLDS","statement_descriptor_kana":null,` +
	`"statement_descriptor_kanji":null}},"tos_acceptance":{"date":null,"ip":null,"user_agent":null},"type":"standard"}`

func accountAPI() twin.API {
	return twin.API{
		Kind:   twin.Kind{Object: "account"},
		Routes: []twin.Route{twin.On("GET /v1/account", retrieveAccount)},
		// Never set here, and Stripe expands them.
		Expand: map[string]string{
			"company.verification.document.back":                "file",
			"company.verification.document.front":               "file",
			"external_accounts":                                 "",
			"individual.verification.additional_document.back":  "file",
			"individual.verification.additional_document.front": "file",
			"individual.verification.document.back":             "file",
			"individual.verification.document.front":            "file",
			"settings.branding.icon":                            "file",
			"settings.branding.logo":                            "file",
			"settings.invoices.default_account_tax_ids":         "tax_id",
		},
	}
}

func retrieveAccount(*twin.Tx, *struct{}) (twin.Doc, *twin.Error) {
	return twin.Doc{Body: canon.Raw(account)}, nil
}
