package canon_test

import (
	"worlds/journal/canon"
)

// The types that most tests and benchmarks share: shaped like a customer with
// everything that codecs can hold.

type address struct {
	City       *string `json:"city"`
	Country    *string `json:"country"`
	Line1      *string `json:"line1"`
	Line2      *string `json:"line2"`
	PostalCode *string `json:"postal_code"`
	State      *string `json:"state"`
}

type invoiceSettings struct {
	CustomFields         []customField `json:"custom_fields"`
	DefaultPaymentMethod *string       `json:"default_payment_method"`
	Footer               *string       `json:"footer"`
}

type customField struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type shipping struct {
	Address address `json:"address"`
	Name    string  `json:"name"`
	Phone   *string `json:"phone"`
}

type identity struct {
	ID     string `json:"id"`
	Object string `json:"object"`
}

type metadata map[string]string

type status string

type seconds int64

type customer struct {
	identity
	Address              *address        `json:"address"`
	Balance              int64           `json:"balance"`
	BusinessName         *string         `json:"business_name,omitempty"`
	CashBalance          *string         `json:"cash_balance,omitempty"`
	Created              seconds         `json:"created"`
	Currency             *string         `json:"currency"`
	CustomerAccount      *string         `json:"customer_account"`
	DefaultSource        *string         `json:"default_source"`
	Deleted              bool            `json:"deleted,omitempty"`
	Delinquent           bool            `json:"delinquent"`
	Description          *string         `json:"description"`
	Discount             canon.Raw       `json:"discount"`
	Email                *string         `json:"email"`
	InvoicePrefix        string          `json:"invoice_prefix"`
	InvoiceSettings      invoiceSettings `json:"invoice_settings"`
	Livemode             bool            `json:"livemode"`
	Metadata             metadata        `json:"metadata"`
	Name                 *string         `json:"name"`
	NextInvoiceSequence  int64           `json:"next_invoice_sequence"`
	Phone                *string         `json:"phone"`
	PreferredLocales     []string        `json:"preferred_locales"`
	Shipping             *shipping       `json:"shipping"`
	Sources              []customField   `json:"sources,omitempty"`
	Status               status          `json:"status"`
	Subscriptions        canon.Raw       `json:"subscriptions,omitempty"`
	TaxExempt            string          `json:"tax_exempt"`
	TestClock            *string         `json:"test_clock"`
	UpdatedBy            string          `json:"updated_by,omitempty"`
	Version              int             `json:"version"`
	VersionOfTheTaxRules int32           `json:"version_of_the_tax_rules"`
}

func ptr[T any](v T) *T { return &v }

func newCustomer() *customer {
	home := address{
		City: ptr("Zürich"), Country: ptr("CH"), Line1: ptr("Langstrasse 12"),
		PostalCode: ptr("8004"), State: ptr("ZH"),
	}
	return &customer{
		identity:            identity{ID: "cus_Q2mXbZk81TnVwa", Object: "customer"},
		Address:             &home,
		Balance:             -4000,
		Created:             1767225600,
		Currency:            ptr("usd"),
		Description:         ptr("Paid twice in March; \"please refund one\""),
		Email:               ptr("dana.doublepay@example.com"),
		InvoicePrefix:       "7F3A91C2",
		InvoiceSettings:     invoiceSettings{DefaultPaymentMethod: ptr("pm_1PqRsTuVwXyZ")},
		Metadata:            metadata{"plan": "pro", "account_manager": "ines", "crm_id": "0081-44"},
		Name:                ptr("Dana Doublepay"),
		NextInvoiceSequence: 14,
		Phone:               ptr("+41 44 555 01 02"),
		PreferredLocales:    []string{"de-CH", "en"},
		Shipping:            &shipping{Address: home, Name: "Dana Doublepay"},
		Status:              "active",
		TaxExempt:           "none",
		Version:             3,
	}
}
