package stripe

import (
	"worlds/seed"
	"worlds/twin"
)

// Signatures first; bodies follow.

// PaymentIntent is one attempt to collect money.
type PaymentIntent struct {
	ID     string `json:"id"`
	Status string `json:"status"`
}

// Charge is one movement of money from a card.
type Charge struct {
	ID string `json:"id"`
}

// PaymentMethod is how a customer pays.
type PaymentMethod struct {
	ID string `json:"id"`
}

type payment struct {
	customer    *Customer
	amount      twin.Money
	currency    string
	method      string // payment method id
	description string
	metadata    map[string]string
	invoice     string
}

func attachedTo(tx *twin.Tx, pm, customer, param string) *twin.Error { panic("soon") }
func seedInstrument(tx *twin.Tx, c *Customer, instrument string) error { panic("soon") }
func resolveMethod(tx *twin.Tx, c *Customer, given, param string) (*PaymentMethod, *twin.Error) {
	panic("soon")
}
func collect(tx *twin.Tx, p payment) (*PaymentIntent, *Charge, *twin.Error) { panic("soon") }
func openIntent(tx *twin.Tx, p payment) *PaymentIntent                     { panic("soon") }
func confirmIntent(tx *twin.Tx, pi *PaymentIntent, method string, c *Customer) (*Charge, *twin.Error) {
	panic("soon")
}
func cancelIntent(tx *twin.Tx, pi *PaymentIntent, reason string) { panic("soon") }
func seedPayment(tx *twin.Tx, c *Customer, invoice, currency string, created twin.Time, s seed.Charge) (*PaymentIntent, *Charge) {
	panic("soon")
}
func methodFor(tx *twin.Tx, c *Customer) string { panic("soon") }
