package stripe

import (
	"strings"

	"worlds/journal/canon"
	"worlds/projection"
	"worlds/twin"
)

// BalanceTransaction is one movement of the account's balance. The stored status
// is the one it had when it was made; what is shown follows from AvailableOn and
// the clock (show).
type BalanceTransaction struct {
	Amount            twin.Money  `json:"amount"`
	AvailableOn       twin.Time   `json:"available_on"`
	BalanceType       string      `json:"balance_type"`
	Created           twin.Time   `json:"created"`
	Currency          string      `json:"currency"`
	Description       *string     `json:"description"`
	ExchangeRate      canon.Raw   `json:"exchange_rate"`
	Fee               twin.Money  `json:"fee"`
	FeeDetails        []FeeDetail `json:"fee_details"`
	ID                string      `json:"id"`
	Net               twin.Money  `json:"net"`
	Object            string      `json:"object"`
	ReportingCategory string      `json:"reporting_category"`
	Source            *string     `json:"source"`
	Status            string      `json:"status"`
	Type              string      `json:"type"`
}

// FeeDetail is one part of a fee.
type FeeDetail struct {
	Amount      twin.Money `json:"amount"`
	Application *string    `json:"application"`
	Currency    string     `json:"currency"`
	Description string     `json:"description"`
	Type        string     `json:"type"`
}

// Statuses of a balance transaction.
const (
	entryPending   = "pending"
	entryAvailable = "available"
)

// What a world's account pays for a card payment: so many thousandths, rounded
// half up, and a fixed sum in the currency's smallest unit. Refunds cost nothing
// and give no fee back.
const (
	feeThousandths = 29
	feeFixed       = 30
)

// settlementDays is how many business days pass until money is available.
const settlementDays = 2

var balanceTransactions = twin.Resource[BalanceTransaction]{
	Kind: twin.Kind{Table: "stripe.balance_transaction", Object: "balance_transaction", Prefix: "txn", Digits: 24},
	Key:  func(b *BalanceTransaction) string { return b.ID },
	Terms: func(b *BalanceTransaction) []string {
		terms := []string{"currency=" + b.Currency, "type=" + b.Type}
		if b.Source != nil {
			terms = append(terms, "source="+*b.Source)
		}
		return terms
	},
}

func balanceTransactionAPI() twin.API {
	return twin.API{
		Kind: balanceTransactions.Kind,
		Routes: []twin.Route{
			twin.On("GET /v1/balance_transactions", listBalanceTransactions),
			twin.On("GET /v1/balance_transactions/{id}", retrieveBalanceTransaction),
			// The names they had before.
			twin.On("GET /v1/balance/history", listBalanceTransactions),
			twin.On("GET /v1/balance/history/{id}", retrieveBalanceTransaction),
		},
		Include: map[string]twin.Include{"source": sourceOfEntry},
	}
}

type listBalanceTransactionsParams struct {
	page
	Created  twin.Opt[twin.Range] `param:"created"`
	Currency twin.Opt[string]     `param:"currency"`
	Source   twin.Opt[string]     `param:"source"`
	Type     twin.Opt[string]     `param:"type"`
}

func listBalanceTransactions(tx *twin.Tx, p *listBalanceTransactionsParams) (twin.Doc, *twin.Error) {
	var f filter
	f.with("source", p.Source)
	f.with("type", p.Type)
	f.with("currency", p.Currency)
	f.within("created", p.Created)
	f.show = func(row *projection.Row) canon.Raw { return showEntry(tx, row.Body) }
	return list(tx, balanceTransactions.Kind, balanceTransactions.Object, "/v1/balance_transactions", p.page, f)
}

type retrieveBalanceTransactionParams struct {
	ID string `path:"id"`
}

func retrieveBalanceTransaction(tx *twin.Tx, p *retrieveBalanceTransactionParams) (twin.Doc, *twin.Error) {
	doc, ok := balanceTransactions.Doc(tx, p.ID)
	if !ok {
		return twin.Doc{}, errNoSuch(balanceTransactions.Object, "id", p.ID)
	}
	return twin.Doc{Body: showEntry(tx, doc.Body)}, nil
}

// showEntry is a stored balance transaction as it stands by the clock.
func showEntry(tx *twin.Tx, stored canon.Raw) canon.Raw {
	var b BalanceTransaction
	if err := canon.Unmarshal(stored, &b); err != nil {
		panic("stripe: balance transaction: " + err.Error())
	}
	if b.Status == entryPending && b.AvailableOn <= tx.Now() {
		b.Status = entryAvailable
		return canon.Marshal(&b)
	}
	return stored
}

// showBalanceTransaction expands the balance_transaction of a charge or refund.
func showBalanceTransaction(tx *twin.Tx, of canon.Raw) canon.Raw {
	return showEntryAt(tx, of, "balance_transaction")
}

// showFailureTransaction expands what a failed refund put back.
func showFailureTransaction(tx *twin.Tx, of canon.Raw) canon.Raw {
	return showEntryAt(tx, of, "failure_balance_transaction")
}

func showEntryAt(tx *twin.Tx, of canon.Raw, member string) canon.Raw {
	raw, _ := canon.Get(of, member)
	id, _ := canon.Unquote(raw)
	doc, ok := balanceTransactions.Doc(tx, id)
	if !ok {
		return raw
	}
	return showEntry(tx, doc.Body)
}

// sourceOfEntry expands the source of a balance transaction, whose kind its id
// tells.
func sourceOfEntry(tx *twin.Tx, entry canon.Raw) canon.Raw {
	raw, _ := canon.Get(entry, "source")
	id, _ := canon.Unquote(raw)
	table := charges.Table
	switch prefix, _, _ := strings.Cut(id, "_"); prefix {
	case refunds.Prefix:
		table = refunds.Table
	case disputeRows.Prefix, "du":
		table = disputeRows.Table
	}
	if row := tx.State().Get(table, id); row != nil {
		return row.Body
	}
	return raw
}

// recordCharge books what was captured of a charge, under id.
func recordCharge(tx *twin.Tx, id string, ch *Charge, at twin.Time) {
	fee := cardFee(ch.AmountCaptured)
	balanceTransactions.Put(tx, &BalanceTransaction{
		ID: id, Object: balanceTransactions.Object, Created: at, AvailableOn: availableOn(at),
		Amount: ch.AmountCaptured, Fee: fee, Net: ch.AmountCaptured - fee, Currency: ch.Currency, Description: ch.Description,
		FeeDetails:  []FeeDetail{{Amount: fee, Currency: ch.Currency, Description: "Stripe processing fees", Type: "stripe_fee"}},
		BalanceType: "payments", ReportingCategory: "charge", Source: &ch.ID, Status: entryPending, Type: "charge",
	})
}

// recordRefund books what a refund gives back, under id. A refund of the past has
// no id of its own.
func recordRefund(tx *twin.Tx, id string, r *Refund, ch *Charge) {
	text := "REFUND FOR CHARGE"
	if ch.Description != nil {
		text += " (" + *ch.Description + ")"
	}
	balanceTransactions.Put(tx, &BalanceTransaction{
		ID: id, Object: balanceTransactions.Object, Created: r.Created, AvailableOn: availableOn(r.Created),
		Amount: -r.Amount, Net: -r.Amount, Currency: r.Currency, Description: &text,
		BalanceType: "payments", ReportingCategory: "refund", Source: textOrNull(r.ID), Status: entryPending, Type: "refund",
	})
}

// recordReturn books money that a refund could not give back, under id.
func recordReturn(tx *twin.Tx, id string, r *Refund) {
	text := "REFUND FAILURE"
	balanceTransactions.Put(tx, &BalanceTransaction{
		ID: id, Object: balanceTransactions.Object, Created: tx.Now(), AvailableOn: availableOn(tx.Now()),
		Amount: r.Amount, Net: r.Amount, Currency: r.Currency, Description: &text,
		BalanceType: "payments", ReportingCategory: "refund_failure", Source: &r.ID, Status: entryPending, Type: "refund_failure",
	})
}

// cardFee is what a card payment costs.
func cardFee(amount twin.Money) twin.Money {
	return (amount*feeThousandths+500)/1000 + feeFixed
}

// availableOn is midnight UTC, settlementDays business days after the day of t.
func availableOn(t twin.Time) twin.Time {
	const day = 24 * 60 * 60
	at := t - (t%day+day)%day
	for left := settlementDays; left > 0; {
		at += day
		// Day 0 was a Thursday, so this counts from Sunday.
		if weekday := ((at/day+4)%7 + 7) % 7; weekday != 0 && weekday != 6 {
			left--
		}
	}
	return at
}
