package stripe

import (
	"math/big"
	"slices"
	"strings"

	"worlds/testscripts/dst/model"
)

type coupon struct {
	id, name, currency, duration              string
	off                                       int64
	percent                                   *big.Rat
	months, most, redeemed, redeemBy, created int64
	metadata                                  map[string]string
}

func couponBody(m *Model, k *coupon) model.Value {
	off, percent := model.Nil, model.Nil
	if k.percent != nil {
		percent = model.Decimal(spell(k.percent).Text)
	} else {
		off = model.Int(k.off)
	}
	return whole("coupon", model.Obj("id", k.id, "amount_off", off, "created", k.created, "currency", model.Opt(k.currency),
		"duration", k.duration, "duration_in_months", model.When(k.months), "max_redemptions", model.When(k.most), "metadata", k.metadata,
		"name", model.Opt(k.name), "percent_off", percent, "redeem_by", model.When(k.redeemBy), "times_redeemed", k.redeemed,
		"valid", k.valid(m.now)), "")
}

// ahead says whether a moment is to come, and not too far: within five years.
func (m *Model) ahead(t int64) bool { return m.now < t && t <= m.now+5*365*86400 }

func (k *coupon) valid(now int64) bool {
	return (k.most == 0 || k.redeemed < k.most) && (k.redeemBy == 0 || now < k.redeemBy)
}

func createCoupon(c *call) model.Value {
	m, id := c.m, c.str("id")
	k := &coupon{name: c.str("name"), duration: or(c.str("duration"), "once"), off: c.num(0, "amount_off"), months: c.num(0, "duration_in_months"),
		most: c.num(0, "max_redemptions"), redeemBy: c.num(0, "redeem_by"), created: m.now, metadata: c.metadata(nil)}
	switch {
	case c.has("percent_off") && c.has("amount_off"):
		panic(earlyRefusal{invalid("", "percent_off")})
	case c.has("percent_off"):
		k.percent, _ = readDecimal(c.str("percent_off"))
		if c.has("currency") {
			panic(noOpinion("the currency of a percentage"))
		}
	case c.has("amount_off"):
		c.unlessEarly(c.has("currency"), invalid("parameter_missing", "currency"))
		k.currency = c.currency()
	default:
		panic(earlyRefusal{invalid("parameter_missing", "")})
	}
	c.unlessEarly(k.duration != "repeating" || k.months > 0, invalid("parameter_missing", "duration_in_months"))
	c.unlessEarly(k.duration == "repeating" || !c.has("duration_in_months"), invalid("", "duration_in_months"))
	c.unlessEarly(k.percent == nil || k.percent.Sign() > 0 && k.percent.Cmp(integral(100)) <= 0, invalid("", "percent_off"))
	c.unless(!c.has("redeem_by") || m.ahead(k.redeemBy), invalid("", "redeem_by"))
	if id == "" {
		id = m.mint("coupon")
	} else if m.coupons.get(id) != nil {
		panic(invalid("resource_already_exists", ""))
	} else if m.named(m.gone[id]) {
		panic(noOpinion("the id of a deleted coupon that is still named"))
	}
	k.id = id
	m.coupons.add(id, k)
	m.emit("coupon.created", m.coupons.value(id))
	return m.coupons.value(id)
}

// named says whether discounts or codes name a deleted coupon; nil is none.
func (m *Model) named(k *coupon) bool {
	return k != nil && (k.redeemed > 0 || len(m.promos.find(func(p *promotion) bool { return p.coupon == k.id })) > 0)
}

func (c *call) coupon(id string) { c.unless(c.m.coupons.get(id) != nil, missingPath("coupon")) }

func showCoupon(c *call) model.Value {
	c.coupon(c.path[0])
	return c.m.coupons.value(c.path[0])
}

func updateCoupon(c *call) model.Value {
	m, id := c.m, c.path[0]
	c.coupon(id)
	before := m.coupons.value(id)
	k := m.coupons.edit(id)
	if c.has("name") {
		k.name = c.str("name")
	}
	k.metadata = c.metadata(k.metadata)
	m.emitUpdate("coupon.updated", before, m.coupons.value(id))
	return m.coupons.value(id)
}

func deleteCoupon(c *call) model.Value {
	m, id := c.m, c.path[0]
	c.coupon(id)
	last := m.coupons.value(id)
	k := *m.coupons.get(id)
	m.coupons.remove(id)
	m.gone[id] = &k
	m.undo = append(m.undo, func() { delete(m.gone, id) })
	m.emit("coupon.deleted", last)
	return stub(id, "coupon")
}

func listCoupons(c *call) model.Value {
	return list(c, c.m.coupons, "/v1/coupons", func(k *coupon) bool { return c.within(k.created, "created") })
}

type promotion struct {
	id, code, coupon, customer       string
	active, firstTime                bool
	most, redeemed, expires, created int64
	metadata                         map[string]string
}

func promotionBody(_ *Model, p *promotion) model.Value {
	return whole("promotion_code", model.Obj("id", p.id, "active", p.active, "code", p.code, "created", p.created,
		"customer", model.Opt(p.customer), "expires_at", model.When(p.expires), "max_redemptions", model.When(p.most), "metadata", p.metadata,
		"promotion", model.Obj("coupon", p.coupon, "type", "coupon"), "restrictions", model.Obj("first_time_transaction", p.firstTime,
			"minimum_amount", nil, "minimum_amount_currency", nil), "times_redeemed", p.redeemed), "customer_account")
}

func createPromotion(c *call) model.Value {
	m := c.m
	k := c.str("promotion", "coupon")
	c.unlessEarly(k != "", invalid("parameter_missing", "promotion[coupon]"))
	letters := strings.Trim(c.str("code"), "-0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
	c.unlessEarly(letters == "", invalid("", "code"))
	if c.has("customer") {
		c.theCustomer("customer")
	}
	c.unless(m.coupons.get(k) != nil, missingRef("promotion[coupon]"))
	c.unless(m.coupons.get(k).valid(m.now), invalid("coupon_expired", "promotion[coupon]"))
	expires, ends := c.num(0, "expires_at"), m.coupons.get(k).redeemBy
	c.unless(!c.has("expires_at") || m.ahead(expires), invalid("", "expires_at"))
	c.unless(ends == 0 || expires <= ends, invalid("", "expires_at"))
	code := c.str("code")
	if code != "" {
		taken := m.promos.find(func(p *promotion) bool { return p.active && strings.EqualFold(p.code, code) })
		c.unless(len(taken) == 0 || c.str("active") == "false", invalid("", "code"))
	}
	id := m.mint("promo")
	if code == "" {
		code = m.mint("promocode")
	}
	m.promos.add(id, &promotion{id: id, code: code, coupon: k, customer: c.str("customer"), active: !c.has("active") || c.yes("active"),
		most: c.num(0, "max_redemptions"), expires: expires, created: m.now, metadata: c.metadata(nil)})
	m.emit("promotion_code.created", m.promos.value(id))
	return m.promos.value(id)
}

func (c *call) promotion(id string) {
	c.unless(c.m.promos.get(id) != nil, missingPath("promotion_code"))
}

func showPromotion(c *call) model.Value {
	c.promotion(c.path[0])
	return c.m.promos.value(c.path[0])
}

func updatePromotion(c *call) model.Value {
	m, id := c.m, c.path[0]
	c.promotion(id)
	if c.has("active") {
		panic(noOpinion("switching a promotion code"))
	}
	before := m.promos.value(id)
	p := m.promos.edit(id)
	p.metadata = c.metadata(p.metadata)
	m.emitUpdate("promotion_code.updated", before, m.promos.value(id))
	return m.promos.value(id)
}

func listPromotions(c *call) model.Value {
	c.filterExists("customer", "coupon")
	return list(c, c.m.promos, "/v1/promotion_codes", func(p *promotion) bool {
		return c.same(p.coupon, "coupon") && c.same(p.customer, "customer") && (!c.has("code") || strings.EqualFold(p.code, c.str("code"))) &&
			(!c.has("active") || c.yes("active") == p.active) && c.within(p.created, "created")
	})
}

// expirePromotion switches a code off whose time is over.
func (m *Model) expirePromotion(id string) {
	before := m.promos.value(id)
	m.promos.edit(id).active = false
	m.emitUpdate("promotion_code.updated", before, m.promos.value(id))
}

// discount is a coupon at work.
type discount struct {
	id, coupon, promotion, customer, sub, invoice, item string
	start, end                                          int64
}

func discountBody(_ *Model, d *discount) model.Value {
	return model.Obj("id", d.id, "object", "discount", "checkout_session", nil, "customer", model.Opt(d.customer), "customer_account", nil,
		"end", model.When(d.end), "invoice", model.Opt(d.invoice), "invoice_item", model.Opt(d.item), "promotion_code", model.Opt(d.promotion),
		"source", model.Obj("coupon", d.coupon, "type", "coupon"), "start", d.start, "subscription", model.Opt(d.sub), "subscription_item", nil)
}

// couponOf is the coupon of a discount, which may be deleted.
func (m *Model) couponOf(id string) *coupon {
	d := m.discounts.must(id)
	if k := m.coupons.get(d.coupon); k != nil {
		return k
	}
	return m.gone[d.coupon]
}

// couponsExist refuses discounts of a coupon that is not there.
func (c *call) couponsExist() {
	n := c.at("discounts")
	if n == nil || n.leaf {
		return
	}
	elements, _ := n.elements()
	for i, e := range elements {
		name := join("discounts", itoa(i))
		c.unless(e.str("coupon") == "" || c.m.coupons.get(e.str("coupon")) != nil, missingRef(join(name, "coupon")))
		if code := e.str("promotion_code"); code != "" {
			c.unless(c.m.promos.get(code) != nil, missingRef(join(name, "promotion_code")))
		}
	}
}

// redeem makes the discounts that were asked for. Each takes one redemption.
func (c *call) redeem(of discount) (ids []string) {
	m, n := c.m, c.at("discounts")
	if n == nil || n.leaf {
		return nil
	}
	elements, _ := n.elements()
	for i, e := range elements {
		name := join("discounts", itoa(i))
		if e.has([]string{"discount"}) || e.has([]string{"promotion_code"}) {
			panic(noOpinion("a discount by another name than its coupon's"))
		}
		k := m.coupons.get(e.str("coupon"))
		c.unless(k != nil, missingRef(join(name, "coupon")))
		c.unless(k.valid(m.now), invalid("coupon_expired", join(name, "coupon")))
		if k.percent == nil && k.currency != m.customers.get(of.customer).currency {
			panic(noOpinion("a coupon in another currency"))
		}
		m.coupons.edit(k.id).redeemed++
		d := of
		d.id, d.coupon, d.start = m.mint("di"), k.id, m.now
		if k.duration == "repeating" {
			d.end = (&rhythm{"month", k.months}).from(m.now, 1)
		}
		m.discounts.add(d.id, &d)
		ids = append(ids, d.id)
	}
	return ids
}

// tellDiscounts tells of discounts that were made.
func (m *Model) tellDiscounts(ids []string) {
	for _, id := range ids {
		m.emit("customer.discount.created", m.discounts.value(id))
	}
}

// takeOff works out what a list of discounts takes off the lines of an invoice, on
// top of what was taken off before. Nothing is taken off a credit.
func (m *Model) takeOff(lines []line, ids []string, on func(*line) bool) {
	for _, id := range ids {
		k := m.couponOf(id)
		base, last := int64(0), -1
		for i := range lines {
			if on(&lines[i]) && lines[i].discountable && lines[i].left() > 0 {
				base += lines[i].left()
				last = i
			}
		}
		off := k.of(base)
		rest := off
		for i := range lines {
			if !on(&lines[i]) {
				continue
			}
			part := int64(0)
			if lines[i].discountable && lines[i].left() > 0 {
				if part = rest; i != last {
					part = new(big.Int).Div(new(big.Int).Mul(big.NewInt(off), big.NewInt(lines[i].left())), big.NewInt(base)).Int64()
				}
				rest -= part
			}
			lines[i].discountAmounts = append(slices.Clone(lines[i].discountAmounts), discountAmount{id, part})
		}
	}
}

// of is what a coupon takes off an amount: a percentage is rounded half up.
func (k *coupon) of(amount int64) int64 {
	if k.percent == nil {
		return min(k.off, amount)
	}
	x := new(big.Rat).Mul(k.percent, big.NewRat(amount, 100))
	x.Add(x, big.NewRat(1, 2))
	return new(big.Int).Div(x.Num(), x.Denom()).Int64()
}

// left is what discounts have left of a line.
func (l *line) left() int64 {
	n := l.amount
	for _, d := range l.discountAmounts {
		n -= d.amount
	}
	return n
}

// net is what the line's own discounts have left of it: the amount that it shows.
func (l *line) net() int64 {
	n := l.amount
	for _, d := range l.discountAmounts {
		if slices.Contains(l.discounts, d.discount) {
			n -= d.amount
		}
	}
	return n
}
