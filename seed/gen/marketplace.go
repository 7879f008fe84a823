package gen

import "fmt"

const (
	shops  = 40
	buyers = 300
	orders = 520
)

var shopGoods = [...]string{"Ceramics", "Prints", "Candles", "Leather goods", "Knitwear", "Tea", "Seeds", "Lamps", "Soap", "Notebooks"}

// disputeReasons are given by turns.
var disputeReasons = [...]string{"product_not_received", "fraudulent", "product_unacceptable", "duplicate", "credit_not_processed", "unrecognized"}

// MarketplaceOrders returns the seed marketplace-orders: buyers who order from many
// shops, with many refunds and disputes.
func MarketplaceOrders() []byte {
	m := newMaker("marketplace-orders")
	for n := 1; n <= shops; n++ {
		goods := shopGoods[n%len(shopGoods)]
		id := fmt.Sprintf("prod_shop%02d", n)
		m.product(id, fmt.Sprintf("%s by shop %d", goods, n), "Sold by a shop of the marketplace")
		for i, amount := range []int64{1900, 4500, 12000} {
			m.price(fmt.Sprintf("price_shop%02d_%d", n, i+1), id, fmt.Sprintf("%s %d", goods, i+1), amount+int64(n)*50, "usd", "", 0)
		}
	}
	m.product("prod_shipping", "Shipping", "By parcel")
	m.price("price_shipping", "prod_shipping", "Shipping", 700, "usd", "", 0)
	for n := 1; n <= buyers; n++ {
		name, email := person(n*7, "buyer")
		m.customer(name, email, m.moment(fmt.Sprintf("buyer %d", n), 200+m.pick(fmt.Sprintf("buyer %d age", n), 500)))
	}
	for n := 1; n <= orders; n++ {
		m.order(n)
	}
	return m.bytes()
}

// order adds an order of one or two things, each with shipping.
func (m *maker) order(n int) {
	label := fmt.Sprintf("order %d", n)
	buyer := m.customers[m.pick(label+" buyer", buyers)]
	if n%130 == 0 {
		buyer = m.customers[12] // who disputes again and again
	}
	lines := []line{m.bill(m.good(label+" first"), 1+m.pick(label+" pieces", 3))}
	if m.pick(label+" more", 3) == 0 {
		lines = append(lines, m.bill(m.good(label+" second"), 1))
	}
	lines = append(lines, m.bill("price_shipping", 1))
	ago := 2 + m.pick(label+" age", 170)
	in := m.invoice(buyer, "paid", "usd", m.moment(label, ago), lines...)
	m.orderPlant(n, in, ago)
}

func (m *maker) good(label string) string {
	return fmt.Sprintf("price_shop%02d_%d", 1+m.pick(label+" shop", shops), 1+m.pick(label+" kind", 3))
}

// orderPlant gives an order the situation of its number.
func (m *maker) orderPlant(n int, in *invoice, ago int64) {
	paid := &in.Charges[0]
	shipping := int64(700)
	switch {
	case n%130 == 0: // the same buyer each time
		m.dispute(*paid, paid.Amount, "fraudulent", "lost", max(ago-1, 1))
	case n%104 == 52: // paid twice
		m.charge(in)
	case n%173 == 86: // given back in full, and disputed all the same
		paid.AmountRefunded = paid.Amount
		m.dispute(*paid, paid.Amount, "credit_not_processed", "warning_needs_response", 1)
	case n%26 == 13: // waits for an answer
		m.dispute(*paid, paid.Amount, disputeReasons[n/26%len(disputeReasons)], "needs_response", 1+m.pick(fmt.Sprint("dispute ", n), min(ago, 8)))
	case n%65 == 32: // was answered
		m.dispute(*paid, paid.Amount, disputeReasons[n/65%len(disputeReasons)], "under_review", min(ago, 15))
	case n%87 == 43: // was won
		m.dispute(*paid, paid.Amount, "product_not_received", "won", min(ago, 60))
	case n%79 == 39: // the bank only asks
		m.dispute(*paid, paid.Amount, "unrecognized", "warning_needs_response", 1)
	case n%9 == 4: // shipping was given back
		paid.AmountRefunded = shipping
	case n%14 == 6: // all but shipping was given back
		paid.AmountRefunded = paid.Amount - shipping
	case n%17 == 8: // all was given back
		paid.AmountRefunded = paid.Amount
	case n%97 == 48: // never paid
		in.Status, in.Charges = "open", nil
	case n%149 == 74: // paid by bank transfer
		in.Charges = nil
	}
}
