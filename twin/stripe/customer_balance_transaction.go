package stripe

import (
	"worlds/journal/canon"
	"worlds/journal/mutant"
	"worlds/twin"
)

// CustomerBalanceTransaction is one movement of a customer's balance: the rows of
// a customer add up to the balance.
type CustomerBalanceTransaction struct {
	Amount          twin.Money        `json:"amount"` // negative: credit
	CheckoutSession canon.Raw         `json:"checkout_session"`
	Created         twin.Time         `json:"created"`
	CreditNote      *string           `json:"credit_note"`
	Currency        string            `json:"currency"`
	Customer        string            `json:"customer"`
	CustomerAccount canon.Raw         `json:"customer_account"`
	Description     *string           `json:"description"`
	EndingBalance   twin.Money        `json:"ending_balance"`
	ID              string            `json:"id"`
	Invoice         *string           `json:"invoice"`
	Livemode        bool              `json:"livemode"`
	Metadata        map[string]string `json:"metadata"`
	Object          string            `json:"object"`
	Type            string            `json:"type"`
}

// The types of a movement, by what causes it.
const (
	moveAdjustment = "adjustment"
	moveApplied    = "applied_to_invoice"
	moveUnapplied  = "unapplied_from_invoice"
	moveTooSmall   = "invoice_too_small"
	moveCreditNote = "credit_note"
)

// accountCurrency is that of a world's account: of what names no currency.
const accountCurrency = "usd"

var customerBalanceTransactions = twin.Resource[CustomerBalanceTransaction]{
	Kind: twin.Kind{Table: "stripe.customer_balance_transaction", Object: "customer_balance_transaction", Prefix: "cbtxn", Digits: 24},
	Key:  func(b *CustomerBalanceTransaction) string { return b.ID },
	Terms: func(b *CustomerBalanceTransaction) []string {
		terms := []string{"customer=" + b.Customer}
		if b.Invoice != nil {
			terms = append(terms, "invoice="+*b.Invoice)
		}
		return terms
	},
}

func customerBalanceTransactionAPI() twin.API {
	const path = "/v1/customers/{customer}/balance_transactions"
	return twin.API{
		Kind: customerBalanceTransactions.Kind,
		Routes: []twin.Route{
			twin.On("POST "+path, createCustomerBalanceTransaction),
			twin.On("GET "+path, listCustomerBalanceTransactions),
			twin.On("GET "+path+"/{transaction}", retrieveCustomerBalanceTransaction),
			twin.On("POST "+path+"/{transaction}", updateCustomerBalanceTransaction),
		},
		Expand: map[string]string{
			"checkout_session": "checkout.session",
			"credit_note":      "credit_note",
			"customer":         customers.Object,
			"invoice":          invoices.Object,
		},
	}
}

type createCustomerBalanceTransactionParams struct {
	Customer    string                  `path:"customer"`
	Amount      twin.Opt[twin.Money]    `param:"amount" rule:"required,min=-999999999999,max=999999999999"`
	Currency    twin.Opt[string]        `param:"currency" rule:"required"`
	Description twin.Opt[string]        `param:"description" rule:"len=350"`
	Metadata    twin.Opt[twin.Metadata] `param:"metadata"`
}

// createCustomerBalanceTransaction gives a customer credit, or takes it away.
func createCustomerBalanceTransaction(tx *twin.Tx, p *createCustomerBalanceTransactionParams) (twin.Doc, *twin.Error) {
	c, ok := liveCustomer(tx, p.Customer)
	if !ok {
		return twin.Doc{}, errNoSuch(customers.Object, "customer", p.Customer)
	}
	currency, err := knownCurrency(p.Currency.V, "currency")
	switch {
	case err != nil:
		return twin.Doc{}, err
	case c.Currency != nil && *c.Currency != currency:
		return twin.Doc{}, errCurrencies(*c.Currency)
	case max(c.Balance+p.Amount.V, -c.Balance-p.Amount.V) > amountMax:
		return twin.Doc{}, errAmountLarge("amount", amountMax, currency)
	}
	why := movement{typ: moveAdjustment, description: p.Description.V}
	if why.metadata, err = applyMetadata(map[string]string{}, p.Metadata); err != nil {
		return twin.Doc{}, err
	}
	c.Currency = &currency
	return moveBalance(tx, c, p.Amount.V, why), nil
}

type listCustomerBalanceTransactionsParams struct {
	Customer string `path:"customer"`
	page
	Created twin.Opt[twin.Range] `param:"created"`
	Invoice twin.Opt[string]     `param:"invoice"`
}

func listCustomerBalanceTransactions(tx *twin.Tx, p *listCustomerBalanceTransactionsParams) (twin.Doc, *twin.Error) {
	if _, ok := liveCustomer(tx, p.Customer); !ok {
		return twin.Doc{}, errNoSuch(customers.Object, "customer", p.Customer)
	}
	if err := known(tx, invoices.Kind, "invoice", p.Invoice); err != nil {
		return twin.Doc{}, err
	}
	var f filter
	f.with("invoice", p.Invoice)
	f.terms = append(f.terms, "customer="+p.Customer)
	f.within("created", p.Created)
	return list(tx, customerBalanceTransactions.Kind, customerBalanceTransactions.Object,
		"/v1/customers/"+p.Customer+"/balance_transactions", p.page, f)
}

// transactionPath is the path of one movement of one customer's balance.
type transactionPath struct {
	Customer    string `path:"customer"`
	Transaction string `path:"transaction"`
}

func (p *transactionPath) find(tx *twin.Tx) (*CustomerBalanceTransaction, *twin.Error) {
	if _, ok := liveCustomer(tx, p.Customer); !ok {
		return nil, errNoSuch(customers.Object, "customer", p.Customer)
	}
	b, ok := customerBalanceTransactions.Get(tx, p.Transaction)
	if !ok || b.Customer != p.Customer {
		return nil, errNoSuch(customerBalanceTransactions.Object, "transaction", p.Transaction)
	}
	return b, nil
}

func retrieveCustomerBalanceTransaction(tx *twin.Tx, p *transactionPath) (twin.Doc, *twin.Error) {
	b, err := p.find(tx)
	if err != nil {
		return twin.Doc{}, err
	}
	doc, _ := customerBalanceTransactions.Doc(tx, b.ID)
	return doc, nil
}

type updateCustomerBalanceTransactionParams struct {
	transactionPath
	Description twin.Opt[string]        `param:"description" rule:"len=350"`
	Metadata    twin.Opt[twin.Metadata] `param:"metadata"`
}

// updateCustomerBalanceTransaction changes what is said of a movement, never the
// movement. Stripe has no event for it.
func updateCustomerBalanceTransaction(tx *twin.Tx, p *updateCustomerBalanceTransactionParams) (twin.Doc, *twin.Error) {
	old, err := p.find(tx)
	if err != nil {
		return twin.Doc{}, err
	}
	b := *old
	p.Description.Apply(&b.Description)
	if b.Metadata, err = applyMetadata(b.Metadata, p.Metadata); err != nil {
		return twin.Doc{}, err
	}
	doc, _, _ := customerBalanceTransactions.Replace(tx, &b)
	return doc, nil
}

// movement is why a customer's balance moves.
type movement struct {
	typ         string
	invoice     string
	creditNote  string
	description string
	metadata    map[string]string
}

// moveBalance adds to a customer's balance, which becomes what was stored, and
// says so; the doc is the movement's row. The customer's currency is fixed by it.
func moveBalance(tx *twin.Tx, c *Customer, by twin.Money, why movement) twin.Doc {
	row := enterMovement(tx, c, by, why)
	if doc, previous, changed := customers.Replace(tx, c); changed {
		followCustomer(tx, c, why.invoice)
		tx.Emit("customer.updated", doc, previous)
	}
	return row
}

// moveForInvoice moves the balance because of an invoice, unless by nothing.
func moveForInvoice(tx *twin.Tx, c *Customer, by twin.Money, typ string, inv *Invoice) {
	if by != 0 {
		moveBalance(tx, c, by, movement{typ: typ, invoice: inv.ID})
	}
}

// enterMovement adds to the balance of c, not yet stored, and to the rows that
// explain it.
func enterMovement(tx *twin.Tx, c *Customer, by twin.Money, why movement) twin.Doc {
	if c.Currency == nil {
		currency := accountCurrency
		c.Currency = &currency
	}
	if c.Balance += by; mutant.Is("balance-moves-twice") {
		c.Balance += by
	}
	if why.metadata == nil {
		why.metadata = map[string]string{}
	}
	return customerBalanceTransactions.Put(tx, &CustomerBalanceTransaction{
		ID: customerBalanceTransactions.NewID(tx), Object: customerBalanceTransactions.Object, Created: tx.Now(),
		Amount: by, EndingBalance: c.Balance, Currency: *c.Currency, Customer: c.ID, Type: why.typ,
		Invoice: textOrNull(why.invoice), CreditNote: textOrNull(why.creditNote),
		Description: textOrNull(why.description), Metadata: why.metadata,
	})
}

// setBalance makes the balance of c, not yet stored, what a request says.
func setBalance(tx *twin.Tx, c *Customer, to twin.Opt[twin.Money]) {
	if to.Given() && to.V != c.Balance {
		enterMovement(tx, c, to.V-c.Balance, movement{typ: moveAdjustment})
	}
}
