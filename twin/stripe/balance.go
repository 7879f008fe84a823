package stripe

import (
	"slices"

	"worlds/journal/canon"
	"worlds/twin"
)

// Balance is the money of a world's account, by currency.
type Balance struct {
	Available []BalanceAmount `json:"available"`
	Livemode  bool            `json:"livemode"`
	Object    string          `json:"object"`
	Pending   []BalanceAmount `json:"pending"`
}

// BalanceAmount is the money there is in one currency.
type BalanceAmount struct {
	Amount      twin.Money `json:"amount"`
	Currency    string     `json:"currency"`
	SourceTypes struct {
		Card twin.Money `json:"card"`
	} `json:"source_types"`
}

func balanceAPI() twin.API {
	return twin.API{
		Kind:   twin.Kind{Object: "balance"},
		Routes: []twin.Route{twin.On("GET /v1/balance", retrieveBalance)},
	}
}

// retrieveBalance adds up the balance transactions as they stand by the clock.
func retrieveBalance(tx *twin.Tx, _ *struct{}) (twin.Doc, *twin.Error) {
	pending, available := map[string]twin.Money{accountCurrency: 0}, map[string]twin.Money{accountCurrency: 0}
	for row := range tx.State().Oldest(balanceTransactions.Table, 0) {
		net, _ := canon.Get(row.Body, "net")
		on, _ := canon.Get(row.Body, "available_on")
		code, _ := canon.Get(row.Body, "currency")
		amount, _ := canon.Int(net)
		at, _ := canon.Int(on)
		currency, _ := canon.Unquote(code)
		if twin.Time(at) <= tx.Now() {
			available[currency] += twin.Money(amount)
		} else {
			pending[currency] += twin.Money(amount)
		}
	}
	b := Balance{Object: "balance", Available: amounts(available, pending), Pending: amounts(pending, available)}
	return twin.Doc{Body: canon.Marshal(&b)}, nil
}

// amounts lists what there is in each currency of either half, in the order of
// their codes.
func amounts(of, other map[string]twin.Money) []BalanceAmount {
	var codes []string
	for code := range of { //worlds:sorted below
		codes = append(codes, code)
	}
	for code := range other { //worlds:sorted below
		if !slices.Contains(codes, code) {
			codes = append(codes, code)
		}
	}
	slices.Sort(codes)
	out := make([]BalanceAmount, len(codes))
	for i, code := range codes {
		out[i].Currency, out[i].Amount = code, of[code]
		out[i].SourceTypes.Card = of[code]
	}
	return out
}
