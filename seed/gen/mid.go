package gen

import "fmt"

// midCustomers is how many customers the mid-size company has.
const midCustomers = 2000

// midPlan is a price of the mid-size company and how many of a hundred subscribers
// have it.
type midPlan struct {
	id, product, nickname string
	amount                int64
	currency, interval    string
	share                 int64
	seats                 int64 // at most
}

func midPlans() []midPlan {
	return []midPlan{
		{"price_mid_solo_m", "prod_mid_solo", "Solo", 1200, "usd", "month", 34, 1},
		{"price_mid_solo_y", "prod_mid_solo", "Solo, yearly", 12000, "usd", "year", 10, 1},
		{"price_mid_team_m", "prod_mid_team", "Team seat", 1900, "usd", "month", 28, 25},
		{"price_mid_team_y", "prod_mid_team", "Team seat, yearly", 19000, "usd", "year", 9, 40},
		{"price_mid_team_q", "prod_mid_team", "Team seat, quarterly", 5400, "usd", "quarter", 4, 12},
		{"price_mid_business_m", "prod_mid_business", "Business", 24900, "usd", "month", 8, 1},
		{"price_mid_team_m_eur", "prod_mid_team", "Team seat (EUR)", 1800, "eur", "month", 5, 12},
		{"price_mid_solo_m_jpy", "prod_mid_solo", "Solo (JPY)", 1700, "jpy", "month", 2, 1},
	}
}

// SaaSBillingMid returns the seed saas-billing-mid: a company of 2,000 customers,
// most of them unremarkable, with situations at fixed numbers among them.
func SaaSBillingMid() []byte {
	m := newMaker("saas-billing-mid")
	m.product("prod_mid_solo", "Solo", "One person")
	m.product("prod_mid_team", "Team", "By the seat")
	m.product("prod_mid_business", "Business", "One price for all")
	for _, p := range midPlans() {
		interval, count := p.interval, int64(1)
		if interval == "quarter" {
			interval, count = "month", 3
		}
		m.price(p.id, p.product, p.nickname, p.amount, p.currency, interval, count)
	}
	for n := 1; n <= midCustomers; n++ {
		m.midCustomer(n)
	}
	return m.bytes()
}

// midCustomer adds one customer: nine of ten subscribe, and have the invoice of
// their present period.
func (m *maker) midCustomer(n int) {
	label := fmt.Sprintf("customer %d", n)
	name, email := person(n-1, "mid"+fmt.Sprint(1+m.pick(label+" domain", 60)))
	created := m.moment(label, 30+m.pick(label+" age", 1000))
	c := m.customer(name, email, created)
	if n%10 == 0 {
		m.midPlant(n, c, nil, nil)
		return
	}
	plan := m.midPlan(label)
	seats := int64(1)
	if plan.seats > 1 {
		seats = 1 + m.pick(label+" seats", plan.seats)
	}
	s := m.subscribe(c, plan.id, seats, created+600)
	in := m.invoice(c, "paid", plan.currency, s.CurrentPeriodStart, m.bill(plan.id, seats))
	m.midPlant(n, c, s, in)
}

func (m *maker) midPlan(label string) midPlan {
	at := m.pick(label+" plan", 100)
	for _, p := range midPlans() {
		if at -= p.share; at < 0 {
			return p
		}
	}
	panic("gen: the shares of the plans are less than a hundred")
}

// midPlant gives a customer the situation of its number. Subscribers have numbers
// that do not end in 0.
func (m *maker) midPlant(n int, c *customer, s *subscription, in *invoice) {
	switch {
	case in == nil && n%330 == 0: // one invoice, sent by mistake
		m.invoice(c, "void", "usd", epoch-20*day, line{Description: "Onboarding", Amount: 50000, Quantity: 1})
	case in == nil:
	case n%401 == 37: // charged twice for one period
		m.charge(in)
	case n%401 == 74: // a third was given back
		in.Charges[0].AmountRefunded = in.Charges[0].Amount / 3
	case n%401 == 111: // all was given back
		in.Charges[0].AmountRefunded = in.Charges[0].Amount
	case n%251 == 63: // the present period is not paid
		in.Status, in.Charges, s.Status = "open", nil, "past_due"
		c.PaymentMethod = "pm_card_chargeCustomerFail"
	case n%501 == 126: // given up
		in.Status, in.Charges, s.Status = "uncollectible", nil, "unpaid"
	case n%167 == 85: // leaves at the end of the period
		s.CancelAtPeriodEnd = true
	case n%307 == 154: // in a trial that ends within two weeks
		m.invoices, in.Charges = m.invoices[:len(m.invoices)-1], nil
		m.charges--
		s.CurrentPeriodStart, s.CreatedOffset = epoch-7*day, 7*day
		c.CreatedOffset = 7*day + hour
		s.TrialEnd = epoch + (1+m.pick(fmt.Sprint("trial ", n), 13))*day
		s.CurrentPeriodEnd, s.Status = s.TrialEnd, "trialing"
	case n%397 == 200: // shares the address of the customer before
		c.Email = m.customers[n-2].Email
	case n%499 == 250: // has the name of the customer before, and another address
		c.Name = m.customers[n-2].Name
	}
}
