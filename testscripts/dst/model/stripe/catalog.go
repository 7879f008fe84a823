package stripe

import (
	"math/big"
	"slices"
	"strconv"
	"strings"

	"worlds/testscripts/dst/model"
)

type product struct {
	id, name, description string
	active                bool
	metadata              map[string]string
	created, updated      int64
	defaultPrice          string
}

func productBody(_ *Model, p *product) model.Value {
	return whole("product", model.Obj("id", p.id, "name", p.name, "description", model.Opt(p.description), "active", p.active,
		"metadata", p.metadata, "created", p.created, "updated", p.updated, "default_price", model.Opt(p.defaultPrice),
		"images", model.Seq(), "marketing_features", model.Seq(), "type", "service"),
		"package_dimensions shippable statement_descriptor tax_code unit_label url")
}

// mostIntervals is three years in each interval.
var mostIntervals = map[string]int64{"day": 1095, "week": 156, "month": 36, "year": 3}

// rhythm is how often a price recurs.
type rhythm struct {
	interval string
	count    int64
}

type price struct {
	id, product, currency string
	amount                *big.Rat // in the smallest unit
	every                 *rhythm
	nickname, lookup      string
	active                bool
	metadata              map[string]string
	created               int64
	taxBehavior           string
}

func priceBody(_ *Model, p *price) model.Value {
	kind, recurring := "one_time", model.Nil
	if p.every != nil {
		kind = "recurring"
		recurring = model.Obj("interval", p.every.interval, "interval_count", p.every.count, "meter", nil,
			"trial_period_days", nil, "usage_type", "licensed")
	}
	return whole("price", model.Obj("id", p.id, "active", p.active, "billing_scheme", "per_unit", "created", p.created,
		"currency", p.currency, "lookup_key", model.Opt(p.lookup), "metadata", p.metadata, "nickname", model.Opt(p.nickname),
		"product", p.product, "recurring", recurring, "tax_behavior", p.taxBehavior, "type", kind,
		"unit_amount", wholeAmount(p.amount), "unit_amount_decimal", spell(p.amount)),
		"custom_unit_amount tiers_mode transform_quantity")
}

// planBody is the price as older clients know it.
func planBody(p *price) model.Value {
	return whole("plan", model.Obj("id", p.id, "active", p.active, "amount", wholeAmount(p.amount), "amount_decimal", spell(p.amount),
		"billing_scheme", "per_unit", "created", p.created, "currency", p.currency, "interval", p.every.interval,
		"interval_count", p.every.count, "metadata", p.metadata, "nickname", model.Opt(p.nickname), "product", p.product,
		"usage_type", "licensed"), "meter tiers_mode transform_usage trial_period_days")
}

// integral is a whole amount.
func integral(n int64) *big.Rat { return new(big.Rat).SetInt64(n) }

// per is an amount divided by a quantity, or nil if it has no finite decimal.
func per(amount, quantity int64) *big.Rat {
	if quantity == 0 {
		return nil
	}
	r := big.NewRat(amount, quantity)
	if spell(r).Kind == model.Null {
		return nil
	}
	return r
}

// readDecimal reads a decimal with at most 12 places.
func readDecimal(s string) (*big.Rat, bool) {
	if !decimalForm.MatchString(s) {
		return nil, false
	}
	return new(big.Rat).SetString(s)
}

// wholeAmount is an amount of money, or null where it has a fraction.
func wholeAmount(r *big.Rat) model.Value {
	if r == nil || !r.IsInt() {
		return model.Nil
	}
	return model.Int(r.Num().Int64())
}

// spell writes a decimal the shortest way; null for one without an end.
func spell(r *big.Rat) model.Value {
	if r == nil {
		return model.Nil
	}
	for places := 0; places <= 12; places++ {
		text := r.FloatString(places)
		if back, _ := new(big.Rat).SetString(text); back.Cmp(r) == 0 {
			return model.Str(text)
		}
	}
	return model.Nil
}

// The currencies without a smaller unit, and those that the product may be asked in.
const (
	withoutCents = "bif clp djf gnf jpy kmf krw mga pyg rwf ugx vnd vuv xaf xof xpf"
	currencies   = withoutCents + " usd eur gbp cad aud chf sek dkk nok pln czk inr brl mxn nzd sgd hkd"
)

// currency is the currency that was asked for, in lower case.
func (c *call) currency(path ...string) string {
	if len(path) == 0 {
		path = []string{"currency"}
	}
	code := strings.ToLower(c.str(path...))
	if !slices.Contains(strings.Fields(currencies), code) {
		panic(noOpinion("a currency that the model does not know"))
	}
	return code
}

const productParams = ` metadata:m active:b unit_label:x statement_descriptor:x url:x images:x marketing_features:x
	shippable:x package_dimensions:x! tax_code:x!`

func createProduct(c *call) model.Value {
	m, id := c.m, c.str("id")
	if d := c.at("default_price_data"); d != nil {
		c.priced(d, "default_price_data")
		c.pricedOnce(d, "default_price_data")
		c.rhythmic(d, "default_price_data")
	}
	if id == "" {
		id = m.mint("prod")
	} else if m.products.get(id) != nil {
		panic(invalid("resource_already_exists", "id"))
	}
	p := m.products.add(id, &product{id: id, name: c.str("name"), description: c.str("description"), active: !c.has("active") || c.yes("active"),
		metadata: c.metadata(nil), created: m.now, updated: m.now})
	if d := c.at("default_price_data"); d != nil {
		p.defaultPrice = c.makePrice(id, d, "default_price_data")
	}
	m.emit("product.created", m.products.value(id))
	if p.defaultPrice != "" {
		m.emit("price.created", m.prices.value(p.defaultPrice))
	}
	return m.products.value(id)
}

func (c *call) product(id string) *product {
	p := c.m.products.get(id)
	c.unless(p != nil, missingPath("id"))
	return p
}

func showProduct(c *call) model.Value {
	c.product(c.path[0])
	return c.m.products.value(c.path[0])
}

func updateProduct(c *call) model.Value {
	m, id := c.m, c.path[0]
	c.product(id)
	before := m.products.value(id)
	if dp := c.str("default_price"); dp != "" {
		p := m.prices.get(dp)
		c.unless(p != nil, missingRef("default_price"))
		c.unless(p.product == id, invalid("", "default_price"))
	}
	p := m.products.edit(id)
	if c.has("name") {
		p.name = c.str("name")
	}
	if c.has("description") {
		p.description = c.str("description")
	}
	if c.has("active") {
		p.active = c.yes("active")
	}
	if c.has("default_price") {
		p.defaultPrice = c.str("default_price")
	}
	p.metadata = c.metadata(p.metadata)
	if !m.products.value(id).Equal(before) {
		p.updated = m.now
		m.emitUpdate("product.updated", before, m.products.value(id))
	}
	return m.products.value(id)
}

func deleteProduct(c *call) model.Value {
	m, id := c.m, c.path[0]
	c.product(id)
	c.unless(len(m.prices.find(func(p *price) bool { return p.product == id })) == 0, invalid("", ""))
	last := m.products.value(id)
	m.products.remove(id)
	m.emit("product.deleted", last)
	return stub(id, "product")
}

func listProducts(c *call) model.Value {
	return list(c, c.m.products, "/v1/products", func(p *product) bool {
		return (!c.has("active") || c.yes("active") == p.active) && c.within(p.created, "created")
	})
}

// makePrice makes the price that parameters describe.
func (c *call) makePrice(product string, n *node, prefix string) string {
	m, id := c.m, c.m.mint("price")
	p := &price{id: id, product: product, nickname: n.str("nickname"), lookup: n.str("lookup_key"),
		active: n.str("active") != "false", metadata: merge(nil, n.at("metadata")), created: m.now, taxBehavior: or(n.str("tax_behavior"), "unspecified")}
	path := []string{"currency"}
	if prefix != "" {
		path = []string{prefix, "currency"}
	}
	p.currency = c.currency(path...)
	amount, fine := n.str("unit_amount"), n.str("unit_amount_decimal")
	switch {
	case amount != "" && fine != "":
		panic(noOpinion("an amount given twice"))
	case amount == "" && fine == "":
		panic(noOpinion("a price without an amount"))
	}
	p.amount, _ = readDecimal(amount + fine)
	if r := n.at("recurring"); r != nil {
		p.every = &rhythm{r.str("interval"), r.num(1, "interval_count")}
	}
	m.prices.add(id, p)
	return id
}

// priced wants an amount of a unit, pricedOnce only one.
func (c *call) priced(n *node, prefix string) {
	there := n.at("unit_amount") != nil || n.at("unit_amount_decimal") != nil
	c.unlessEarly(there, invalid("parameter_missing", join(prefix, "unit_amount")))
}

func (c *call) pricedOnce(n *node, prefix string) {
	twice := n.at("unit_amount") != nil && n.at("unit_amount_decimal") != nil
	c.unlessEarly(!twice, invalid("", join(prefix, "unit_amount_decimal")))
}

// rhythmic refuses a price that recurs less than once in three years.
func (c *call) rhythmic(n *node, prefix string) {
	if r := n.at("recurring"); r != nil {
		c.unlessEarly(r.num(1, "interval_count") <= mostIntervals[r.str("interval")], invalid("", join(join(prefix, "recurring"), "interval_count")))
	}
}

// Parameters of a price wherever one is made.
const priceParams = ` unit_amount:n<999999999999 unit_amount_decimal:d metadata:m tax_behavior:(unspecified|inclusive|exclusive)
	recurring{interval:(day|week|month|year)* interval_count:p usage_type:x}`

func createPrice(c *call) model.Value {
	m := c.m
	c.unlessEarly(c.has("product") || c.has("product_data"), invalid("parameter_missing", "product"))
	c.priced(c.form, "")
	c.unlessEarly(!c.has("product") || !c.has("product_data"), invalid("", "product_data"))
	c.rhythmic(c.form, "")
	c.pricedOnce(c.form, "")
	id := c.str("product")
	if id == "" {
		panic(noOpinion("a price without a product"))
	}
	c.unless(m.products.get(id) != nil, missingRef("product"))
	if key := c.str("lookup_key"); key != "" && len(m.prices.find(func(p *price) bool { return p.lookup == key })) > 0 {
		panic(noOpinion("a lookup key that is taken"))
	}
	p := c.makePrice(id, c.form, "")
	m.emit("price.created", m.prices.value(p))
	return m.prices.value(p)
}

func (c *call) price(id string) *price {
	p := c.m.prices.get(id)
	c.unless(p != nil, missingPath("price"))
	return p
}

func showPrice(c *call) model.Value {
	c.price(c.path[0])
	return c.m.prices.value(c.path[0])
}

func updatePrice(c *call) model.Value {
	m, id := c.m, c.path[0]
	c.price(id)
	if c.has("active") && !c.yes("active") {
		used := m.products.get(m.prices.get(id).product)
		c.unless(used == nil || used.defaultPrice != id, invalid("", "active"))
	}
	for sub := range m.subs.opaque { // it shows the price as it was read
		shows := slices.ContainsFunc(m.subs.rows[sub].items, func(it subItem) bool { return it.price == id })
		c.unless(!shows, noOpinion("a price that a subscription of an unusual kind shows"))
	}
	before := m.prices.value(id)
	p := m.prices.edit(id)
	if c.has("nickname") {
		p.nickname = c.str("nickname")
	}
	if c.has("active") {
		p.active = c.yes("active")
	}
	p.metadata = c.metadata(p.metadata)
	m.emitUpdate("price.updated", before, m.prices.value(id))
	return m.prices.value(id)
}

func listPrices(c *call) model.Value {
	c.filterExists("product")
	return list(c, c.m.prices, "/v1/prices", func(p *price) bool {
		kind := "one_time"
		if p.every != nil {
			kind = "recurring"
		}
		return (!c.has("active") || c.yes("active") == p.active) && c.same(p.product, "product") && c.same(p.currency, "currency") &&
			c.same(kind, "type") && c.within(p.created, "created")
	})
}

// money is an amount for people: $20.00, ¥500.
func money(amount int64, currency string) string {
	sign := map[string]string{"usd": "$", "eur": "€", "gbp": "£", "jpy": "¥", "inr": "₹", "krw": "₩"}[currency]
	if sign == "" || amount < 0 {
		panic(noOpinion("how an amount in " + currency + " is written"))
	}
	if slices.Contains(strings.Fields(withoutCents), currency) {
		return sign + thousands(amount)
	}
	return sign + thousands(amount/100) + "." + strconv.FormatInt(amount%100+100, 10)[1:]
}

func thousands(n int64) string {
	text := strconv.FormatInt(n, 10)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
