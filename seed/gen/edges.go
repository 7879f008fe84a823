package gen

import "worlds/seed"

// at is a moment of a date, UTC.
func at(year, month, date, seconds int64) int64 {
	months := (year-2026)*12 + month - 1
	return seed.Recurring{Interval: "month", IntervalCount: 1}.Boundary(epoch, months) + (date-1)*day + seconds
}

// BillingEdges returns the seed billing-edges: a customer for each corner of the
// calendar and of money. Cards are tried again after one, three and seven days, and
// what then is not paid stays unpaid.
func BillingEdges() []byte {
	m := newMaker("billing-edges")
	m.settings = `{"test_clocks": true, "dunning": {"retry_days": [1, 3, 7], "exhausted": "unpaid"}}`
	m.product("prod_edge", "Edge", "Sold in every rhythm")
	for _, p := range []struct {
		id       string
		amount   int64
		currency string
		interval string
		count    int64
	}{
		{"price_edge_d", 100, "usd", "day", 1}, {"price_edge_2w", 1400, "usd", "week", 2}, {"price_edge_m", 3000, "usd", "month", 1},
		{"price_edge_q", 9000, "usd", "month", 3}, {"price_edge_y", 36000, "usd", "year", 1}, {"price_edge_3y", 100000, "usd", "year", 3},
		{"price_edge_free", 0, "usd", "month", 1}, {"price_edge_cent", 1, "usd", "month", 1}, {"price_edge_max", 99999999, "usd", "month", 1},
		{"price_edge_jpy", 3000, "jpy", "month", 1}, {"price_edge_krw", 39900, "krw", "month", 1}, {"price_edge_clp", 25990, "clp", "month", 1},
		{"price_edge_once", 5000, "usd", "", 0},
	} {
		m.price(p.id, "prod_edge", "Edge "+p.id[len("price_edge_"):], p.amount, p.currency, p.interval, p.count)
	}
	m.calendarEdges()
	m.moneyEdges()
	m.trialEdges()
	m.dunningEdges()
	return m.bytes()
}

// edge adds a customer named after its situation, and its subscription.
func (m *maker) edge(name, price string, quantity, anchor int64) (*customer, *subscription) {
	c := m.customer(name, "", anchor-hour)
	c.Email = c.ID[len("cus_"):] + "@edges.example"
	return c, m.subscribe(c, price, quantity, anchor)
}

func (m *maker) calendarEdges() {
	for _, e := range []struct {
		name, price string
		anchor      int64
	}{
		{"Monthly on the 31st", "price_edge_m", at(2025, 8, 31, 10*hour)},
		{"Monthly on the 30th", "price_edge_m", at(2025, 9, 30, 10*hour)},
		{"Monthly on the 29th", "price_edge_m", at(2025, 10, 29, 10*hour)},
		{"Quarterly from 30 November", "price_edge_q", at(2025, 11, 30, 12*hour)},
		{"Yearly on 29 February", "price_edge_y", at(2024, 2, 29, 9*hour)},
		{"Every three years from 29 February", "price_edge_3y", at(2024, 2, 29, 9*hour)},
		{"At the last second of the year", "price_edge_m", at(2025, 11, 30, day-1)},
		{"At midnight of the 31st", "price_edge_m", at(2025, 12, 31, 0)},
		{"A second after the epoch", "price_edge_m", at(2025, 12, 1, 1)},
		{"Daily", "price_edge_d", at(2025, 12, 30, 15*hour)},
		{"Every two weeks", "price_edge_2w", at(2025, 10, 6, 8*hour)},
	} {
		c, s := m.edge(e.name, e.price, 1, e.anchor)
		s.BillingCycleAnchor = e.anchor
		m.invoice(c, "paid", "usd", s.CurrentPeriodStart, m.bill(e.price, 1))
	}
}

func (m *maker) moneyEdges() {
	begun := at(2025, 12, 10, 11*hour)
	for _, e := range []struct {
		name, price, currency string
		quantity              int64
	}{
		{"Yen", "price_edge_jpy", "jpy", 1}, {"Won", "price_edge_krw", "krw", 3}, {"Chilean pesos", "price_edge_clp", "clp", 2},
		{"For nothing", "price_edge_free", "usd", 1}, {"A million cents", "price_edge_cent", "usd", 1000000}, {"The largest charge", "price_edge_max", "usd", 1},
	} {
		c, s := m.edge(e.name, e.price, e.quantity, begun)
		m.invoice(c, "paid", e.currency, s.CurrentPeriodStart, m.bill(e.price, e.quantity))
	}
	c, _ := m.edge("Two currencies", "price_edge_m", 1, begun)
	m.invoice(c, "paid", "usd", begun, m.bill("price_edge_m", 1))
	m.invoice(c, "paid", "jpy", begun+day, line{Description: "Workshop in Tokyo", Amount: 42000, Quantity: 1})
	c, _ = m.edge("An upgrade in the middle", "price_edge_m", 2, begun)
	m.invoice(c, "paid", "usd", begun, m.bill("price_edge_m", 1))
	m.invoice(c, "paid", "usd", begun+10*day,
		line{Description: "Unused time on 1 × Edge m", Amount: -2032, Quantity: 1, Price: "price_edge_m"},
		line{Description: "Remaining time on 2 × Edge m", Amount: 4065, Quantity: 2, Price: "price_edge_m"})
	c, _ = m.edge("Nothing owed", "price_edge_m", 1, begun)
	m.invoice(c, "paid", "usd", begun, m.bill("price_edge_m", 1), line{Description: "Goodwill", Amount: -3000, Quantity: 1})
	c, _ = m.edge("Below the least charge", "price_edge_cent", 7, begun)
	m.invoice(c, "open", "usd", begun, m.bill("price_edge_cent", 7))
	c, _ = m.edge("Twenty-five lines", "price_edge_m", 1, begun)
	var lines []line
	for range 25 {
		lines = append(lines, m.bill("price_edge_once", 1))
	}
	m.invoice(c, "paid", "usd", begun, lines...)
}

func (m *maker) trialEdges() {
	begun := at(2025, 12, 20, 14*hour)
	for _, e := range []struct {
		name   string
		ends   int64
		card   string
		leaves bool
	}{
		{"Trial that ends in an hour", epoch + hour, "", false},
		{"Trial that is warned of tomorrow", epoch + 4*day, "", false},
		{"Trial whose card will be declined", epoch + 2*day, "pm_card_chargeCustomerFail", false},
		{"Trial that ends with the subscription", epoch + 5*day, "", true},
		{"Trial until 29 February 2028", at(2028, 2, 29, 0), "", false},
	} {
		c, s := m.edge(e.name, "price_edge_m", 1, begun)
		c.PaymentMethod, s.CancelAtPeriodEnd = e.card, e.leaves
		s.TrialEnd, s.CurrentPeriodEnd, s.Status = e.ends, e.ends, "trialing"
	}
	c, s := m.edge("After a trial", "price_edge_m", 1, begun-30*day)
	s.TrialEnd, s.BillingCycleAnchor = begun, begun
	s.CurrentPeriodStart, s.CurrentPeriodEnd = begun, m.rhythms["price_edge_m"].Boundary(begun, 1)
	m.invoice(c, "paid", "usd", begun, m.bill("price_edge_m", 1))
}

func (m *maker) dunningEdges() {
	begun := at(2025, 12, 3, 16*hour)
	c, s := m.edge("Renewal that will be declined", "price_edge_m", 1, begun)
	c.PaymentMethod = "pm_card_chargeCustomerFail"
	m.invoice(c, "paid", "usd", begun, m.bill("price_edge_m", 1))
	s.Status = "active"
	c, _ = m.edge("Renewal that needs the customer", "price_edge_m", 1, begun)
	c.PaymentMethod = "pm_card_authenticationRequired"
	m.invoice(c, "paid", "usd", begun, m.bill("price_edge_m", 1))
	c, s = m.edge("Past due", "price_edge_m", 1, begun)
	c.PaymentMethod, s.Status = "pm_card_chargeCustomerFail", "past_due"
	m.invoice(c, "open", "usd", begun, m.bill("price_edge_m", 1))
	c, s = m.edge("Unpaid", "price_edge_m", 1, begun)
	c.PaymentMethod, s.Status = "pm_card_chargeCustomerFail", "unpaid"
	m.invoice(c, "uncollectible", "usd", begun, m.bill("price_edge_m", 1))
	_, s = m.edge("Paused", "price_edge_m", 1, begun)
	s.Status = "paused"
	_, s = m.edge("Leaves at the end of the month", "price_edge_m", 1, at(2025, 12, 31, 18*hour))
	s.CancelAtPeriodEnd = true
}
