package stripe

import (
	"strings"

	"worlds/journal/canon"
	"worlds/journal/mutant"
	"worlds/twin"
)

type createChargeParams struct {
	Amount                    twin.Opt[twin.Money]    `param:"amount" rule:"required,min=1"`
	Capture                   twin.Opt[bool]          `param:"capture"`
	Currency                  twin.Opt[string]        `param:"currency" rule:"required"`
	Customer                  twin.Opt[string]        `param:"customer"`
	Description               twin.Opt[string]        `param:"description" rule:"len=40000"`
	Metadata                  twin.Opt[twin.Metadata] `param:"metadata"`
	ReceiptEmail              twin.Opt[string]        `param:"receipt_email" rule:"email"`
	Shipping                  twin.Opt[parcelParams]  `param:"shipping"`
	Source                    twin.Opt[string]        `param:"source"`
	StatementDescriptor       twin.Opt[string]        `param:"statement_descriptor" rule:"len=22"`
	StatementDescriptorSuffix twin.Opt[string]        `param:"statement_descriptor_suffix" rule:"len=22"`
}

// Check refuses a charge of nobody.
func (p *createChargeParams) Check() *twin.Error {
	if !p.Source.Given() && !p.Customer.Given() {
		return errNoPayer()
	}
	return nil
}

// createCharge charges a card without an intent: a token's, or one of a customer.
func createCharge(tx *twin.Tx, p *createChargeParams) (twin.Doc, *twin.Error) {
	currency, err := knownCurrency(p.Currency.V, "currency")
	if err != nil {
		return twin.Doc{}, err
	}
	if err := chargeable(p.Amount.V, currency, "amount"); err != nil {
		return twin.Doc{}, err
	}
	m, err := p.card(tx)
	if err != nil {
		return twin.Doc{}, err
	}
	ch := newCharge(tx, charges.NewID(tx), &PaymentIntent{Amount: p.Amount.V, Currency: currency}, &m.Card)
	source := m.source()
	ch.PaymentIntent, ch.PaymentMethod, ch.BillingDetails, ch.Source = nil, &m.ID, m.BillingDetails, canon.Marshal(&source)
	p.Customer.Apply(&ch.Customer)
	p.Description.Apply(&ch.Description)
	p.ReceiptEmail.Apply(&ch.ReceiptEmail)
	ch.Shipping = applyParcel(nil, p.Shipping)
	p.StatementDescriptor.Apply(&ch.StatementDescriptor)
	p.StatementDescriptorSuffix.Apply(&ch.StatementDescriptorSuffix)
	if ch.Metadata, err = applyMetadata(map[string]string{}, p.Metadata); err != nil {
		return twin.Doc{}, err
	}
	if in := instrumentBehind(&m.Card); in.refuses() || in.effect == authenticates {
		ch.decline(&in)
		tx.Emit("charge.failed", charges.Put(tx, ch), nil)
		err := errDeclined(&in.refusal, wireError{Charge: ch.ID})
		err.Keep = true
		return twin.Doc{}, err
	}
	if p.Capture.Or(true) {
		ch.approve(nil)
		ch.collect(tx, balanceTransactions.NewID(tx), ch.Amount, tx.Now())
	} else {
		until := tx.Now() + holdSeconds
		ch.approve(&until)
	}
	doc := charges.Put(tx, ch)
	tx.Emit("charge.succeeded", doc, nil)
	if ch.Captured {
		contest(tx, ch)
	}
	return doc, nil
}

// card is what is charged: the source, which may be a token or a card of the
// customer, or the customer's default.
func (p *createChargeParams) card(tx *twin.Tx) (*PaymentMethod, *twin.Error) {
	var c *Customer
	if p.Customer.Given() {
		var ok bool
		if c, ok = liveCustomer(tx, p.Customer.V); !ok {
			return nil, errNoSuchRef(customers.Object, "customer", p.Customer.V)
		}
	}
	switch {
	case p.Source.Given() && strings.HasPrefix(p.Source.V, tokenPrefix):
		m, err := spendToken(tx, p.Source.V, cardPrefix, "source")
		if err != nil {
			return nil, err
		}
		paymentMethods.Put(tx, m)
		spend(tx, m.ID)
		return m, nil
	case p.Source.Given():
		m, ok := paymentMethods.Get(tx, p.Source.V)
		if !ok || c == nil || m.Customer == nil || *m.Customer != c.ID {
			return nil, errNoSuchRef("source", "source", p.Source.V)
		}
		return m, nil
	case c.DefaultSource == nil:
		return nil, errNoCard()
	}
	m, _ := paymentMethods.Get(tx, *c.DefaultSource)
	return m, nil
}

type captureChargeParams struct {
	Charge                    string               `path:"charge"`
	Amount                    twin.Opt[twin.Money] `param:"amount" rule:"min=1"`
	ReceiptEmail              twin.Opt[string]     `param:"receipt_email" rule:"email"`
	StatementDescriptor       twin.Opt[string]     `param:"statement_descriptor" rule:"len=22"`
	StatementDescriptorSuffix twin.Opt[string]     `param:"statement_descriptor_suffix" rule:"len=22"`
}

func captureCharge(tx *twin.Tx, p *captureChargeParams) (twin.Doc, *twin.Error) {
	old, ok := charges.Get(tx, p.Charge)
	if !ok {
		return twin.Doc{}, errNoSuch(charges.Object, "id", p.Charge)
	}
	ch := *old
	amount := p.Amount.Or(ch.Amount)
	switch {
	case ch.Captured:
		return twin.Doc{}, errCapturedAlready(ch.ID)
	case ch.Refunded:
		return twin.Doc{}, errAlreadyRefunded(ch.ID)
	case ch.Status != chargeSucceeded:
		return twin.Doc{}, errCaptureOfFailed(ch.ID)
	case ch.PaymentIntent != nil:
		return twin.Doc{}, errCaptureOfIntent(ch.ID, *ch.PaymentIntent)
	case amount > ch.Amount:
		return twin.Doc{}, errCaptureLarge("amount", amount, ch.Amount, ch.Currency)
	}
	p.ReceiptEmail.Apply(&ch.ReceiptEmail)
	p.StatementDescriptor.Apply(&ch.StatementDescriptor)
	p.StatementDescriptorSuffix.Apply(&ch.StatementDescriptorSuffix)
	captured(tx, &ch, amount)
	contest(tx, &ch)
	doc, _ := charges.Doc(tx, ch.ID)
	return doc, nil
}

// captured collects amount of what a charge holds, and lets the rest go. *ch
// becomes what was stored.
func captured(tx *twin.Tx, ch *Charge, amount twin.Money) {
	ch.collect(tx, balanceTransactions.NewID(tx), amount, tx.Now())
	tx.Emit("charge.captured", charges.Put(tx, ch), nil)
	if rest := ch.Amount - amount; rest > 0 {
		release(tx, ch, rest, nil)
	}
}

// release gives back money that a charge held and never took: a refund that moves
// no balance. *ch becomes what was stored; as, if not nil, is what the refund says
// beside that.
func release(tx *twin.Tx, ch *Charge, amount twin.Money, as *Refund) twin.Doc {
	r := newRefund(tx, ch, amount)
	r.DestinationDetails.Card = CardDestination{Type: "reversal"}
	if as != nil {
		r.Reason, r.Metadata = as.Reason, as.Metadata
	}
	doc := refunds.Put(tx, r)
	tx.Emit("refund.created", doc, nil)
	ch.giveBack(tx, amount)
	return doc
}

// giveBack counts amount as refunded. *ch becomes what was stored.
func (ch *Charge) giveBack(tx *twin.Tx, amount twin.Money) {
	if mutant.Is("refund-counted-twice") && ch.AmountRefunded+2*amount <= ch.Amount {
		amount *= 2
	}
	ch.AmountRefunded += amount
	ch.Refunded = ch.AmountRefunded == ch.Amount
	doc, previous, _ := charges.Replace(tx, ch)
	tx.Emit("charge.refunded", doc, previous)
}

// expireCharge lets go what a charge holds, because nobody captured it in time.
func expireCharge(tx *twin.Tx, id string) error {
	old, _ := charges.Get(tx, id)
	ch, reason := *old, "expired_uncaptured_charge"
	release(tx, &ch, ch.Amount, &Refund{Reason: &reason, Metadata: map[string]string{}})
	doc, _ := charges.Doc(tx, id)
	tx.Emit("charge.expired", doc, nil)
	if ch.PaymentIntent != nil {
		old, _ := paymentIntents.Get(tx, *ch.PaymentIntent)
		pi := *old
		pi.end(tx, "automatic")
	}
	return nil
}
