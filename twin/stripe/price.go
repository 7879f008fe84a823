package stripe

import (
	"slices"
	"strconv"

	"worlds/journal/canon"
	"worlds/projection"
	"worlds/seed"
	"worlds/twin"
)

// Price is how much a product costs, and how often. Its amount never changes.
type Price struct {
	Active            bool              `json:"active"`
	BillingScheme     string            `json:"billing_scheme"`
	Created           twin.Time         `json:"created"`
	Currency          string            `json:"currency"`
	CustomUnitAmount  canon.Raw         `json:"custom_unit_amount"`
	ID                string            `json:"id"`
	Livemode          bool              `json:"livemode"`
	LookupKey         *string           `json:"lookup_key"`
	Metadata          map[string]string `json:"metadata"`
	Nickname          *string           `json:"nickname"`
	Object            string            `json:"object"`
	Product           string            `json:"product"`
	Recurring         *Recurring        `json:"recurring"` // nil: paid once
	TaxBehavior       string            `json:"tax_behavior"`
	TiersMode         canon.Raw         `json:"tiers_mode"`
	TransformQuantity canon.Raw         `json:"transform_quantity"`
	Type              string            `json:"type"`
	UnitAmount        *twin.Money       `json:"unit_amount"` // nil when it has a fraction
	UnitAmountDecimal string            `json:"unit_amount_decimal"`
}

// Recurring is the rhythm of a price.
type Recurring struct {
	Interval        string  `json:"interval"` // day, week, month or year
	IntervalCount   int64   `json:"interval_count"`
	Meter           *string `json:"meter"`
	TrialPeriodDays *int64  `json:"trial_period_days"`
	UsageType       string  `json:"usage_type"`
}

// Types of a price.
const (
	priceOnce      = "one_time"
	priceRecurring = "recurring"
)

var prices = twin.Resource[Price]{
	Kind: twin.Kind{Table: "stripe.price", Object: "price", Prefix: "price", Digits: 24},
	Key:  func(p *Price) string { return p.ID },
	Terms: func(p *Price) []string {
		terms := []string{boolTerm("active", p.Active), "currency=" + p.Currency, "product=" + p.Product, "type=" + p.Type}
		if p.Recurring != nil {
			terms = append(terms, "interval="+p.Recurring.Interval, "usage_type="+p.Recurring.UsageType)
		}
		if p.LookupKey != nil {
			terms = append(terms, "lookup_key="+*p.LookupKey)
		}
		return terms
	},
}

func boolTerm(field string, v bool) string { return field + "=" + strconv.FormatBool(v) }

func priceAPI() twin.API {
	return twin.API{
		Kind: prices.Kind,
		Routes: []twin.Route{
			twin.On("POST /v1/prices", createPrice),
			twin.On("GET /v1/prices", listPrices),
			twin.On("GET /v1/prices/{price}", retrievePrice),
			twin.On("POST /v1/prices/{price}", updatePrice),
		},
		Expand: map[string]string{"product": products.Object},
		Include: map[string]twin.Include{
			"currency_options": currencyOptions,
			"tiers":            func(*twin.Tx, canon.Raw) canon.Raw { return nil },
		},
		Seed: seedPrices,
	}
}

// priceParams are what both creation and update may set.
type priceParams struct {
	Active            twin.Opt[bool]          `param:"active"`
	LookupKey         twin.Opt[string]        `param:"lookup_key" rule:"empty,len=200"`
	Metadata          twin.Opt[twin.Metadata] `param:"metadata"`
	Nickname          twin.Opt[string]        `param:"nickname" rule:"empty"`
	TaxBehavior       twin.Opt[string]        `param:"tax_behavior" rule:"enum=exclusive|inclusive|unspecified"`
	TransferLookupKey twin.Opt[bool]          `param:"transfer_lookup_key"`
}

func (p *priceParams) apply(tx *twin.Tx, to *Price) (err *twin.Error) {
	if p.LookupKey.Given() {
		if err := claimLookupKey(tx, to.ID, p.LookupKey.V, p.TransferLookupKey.V); err != nil {
			return err
		}
	}
	p.LookupKey.Apply(&to.LookupKey)
	p.Nickname.Apply(&to.Nickname)
	to.Active = p.Active.Or(to.Active)
	to.TaxBehavior = p.TaxBehavior.Or(to.TaxBehavior)
	to.Metadata, err = applyMetadata(to.Metadata, p.Metadata)
	return err
}

// claimLookupKey makes sure that no other price has the key, taking it away from
// one when asked to.
func claimLookupKey(tx *twin.Tx, id, key string, transfer bool) *twin.Error {
	var holder *Price
	for p := range prices.With(tx, "lookup_key="+key) {
		holder = p
	}
	switch {
	case holder == nil || holder.ID == id:
		return nil
	case !transfer:
		return errLookupKeyTaken(holder.ID)
	}
	robbed := *holder
	robbed.LookupKey = nil
	doc, previous, _ := prices.Replace(tx, &robbed)
	tx.Emit("price.updated", doc, previous)
	reprice(tx, &robbed)
	return nil
}

type createPriceParams struct {
	priceParams
	BillingScheme twin.Opt[string]            `param:"billing_scheme" rule:"enum=per_unit|tiered"`
	Currency      twin.Opt[string]            `param:"currency" rule:"required"`
	Product       twin.Opt[string]            `param:"product"`
	ProductData   twin.Opt[productDataParams] `param:"product_data"`
	Recurring     twin.Opt[recurringParams]   `param:"recurring"`
	unitParams
}

// unitParams are the amount of a unit, whole or with a fraction.
type unitParams struct {
	UnitAmount        twin.Opt[twin.Money]   `param:"unit_amount" rule:"min=0,max=999999999999"`
	UnitAmountDecimal twin.Opt[twin.Decimal] `param:"unit_amount_decimal"`
}

// check wants one amount. at is the parameter the others are nested in.
func (p *unitParams) check(at string) *twin.Error {
	switch {
	case p.UnitAmount.Given() && p.UnitAmountDecimal.Given():
		return errExclusive(join(at, "unit_amount"), join(at, "unit_amount_decimal"))
	case p.missing():
		return errMissing(join(at, "unit_amount"))
	}
	_, _, err := parseUnit(p.unit(), join(at, "unit_amount_decimal"))
	return err
}

func (p *unitParams) missing() bool { return !p.UnitAmount.Given() && !p.UnitAmountDecimal.Given() }

// unit is the amount that was given.
func (p *unitParams) unit() twin.Decimal {
	return p.UnitAmountDecimal.Or(twin.Decimal(decimal(int64(p.UnitAmount.V))))
}

type productDataParams struct {
	Active              twin.Opt[bool]          `param:"active"`
	ID                  twin.Opt[string]        `param:"id"`
	Metadata            twin.Opt[twin.Metadata] `param:"metadata"`
	Name                twin.Opt[string]        `param:"name" rule:"required"`
	StatementDescriptor twin.Opt[string]        `param:"statement_descriptor" rule:"len=22"`
	UnitLabel           twin.Opt[string]        `param:"unit_label" rule:"len=12"`
}

type recurringParams struct {
	Interval      twin.Opt[string] `param:"interval" rule:"required,enum=day|month|week|year"`
	IntervalCount twin.Opt[int64]  `param:"interval_count" rule:"min=1"`
	UsageType     twin.Opt[string] `param:"usage_type" rule:"enum=licensed|metered"`
}

func (p *createPriceParams) Check() *twin.Error {
	switch {
	case !p.Product.Given() && !p.ProductData.Given():
		return errMissing("product")
	case p.missing():
		return errMissing("unit_amount")
	case p.BillingScheme.V == "tiered":
		return errUnserved("billing_scheme=tiered", "billing_scheme")
	case p.Product.Given() && p.ProductData.Given():
		return errExclusive("product", "product_data")
	}
	if err := p.Recurring.V.check("recurring[interval_count]"); err != nil {
		return err
	}
	if p.Recurring.V.UsageType.V == "metered" {
		return errUnserved("recurring[usage_type]=metered", "recurring[usage_type]")
	}
	return p.unitParams.check("")
}

// check refuses a rhythm of more than three years.
func (p *recurringParams) check(param string) *twin.Error {
	most, unit := int64(0), p.Interval.V
	switch unit {
	case "day":
		most = 1095
	case "week":
		most = 156
	case "month":
		most = 36
	case "year":
		most = 3
	}
	if p.IntervalCount.Or(1) > most && most > 0 {
		return invalid(param, "The maximum is %d for the interval %s: a price recurs at least once in three years.", most, unit)
	}
	return nil
}

func createPrice(tx *twin.Tx, p *createPriceParams) (twin.Doc, *twin.Error) {
	if p.Product.Given() {
		if err := known(tx, products.Kind, "product", p.Product); err != nil {
			return twin.Doc{}, err
		}
	} else if err := p.ProductData.V.create(tx, &p.Product); err != nil {
		return twin.Doc{}, err
	}
	price, err := p.price(tx, "")
	if err != nil {
		return twin.Doc{}, err
	}
	doc := prices.Put(tx, price)
	tx.Emit("price.created", doc, nil)
	return doc, nil
}

// create makes the product that a price brings along, and sets id to it.
func (p *productDataParams) create(tx *twin.Tx, id *twin.Opt[string]) *twin.Error {
	data := createProductParams{ID: p.ID, Name: p.Name, UnitLabel: p.UnitLabel}
	data.Active, data.Metadata, data.StatementDescriptor = p.Active, p.Metadata, p.StatementDescriptor
	doc, err := createProduct(tx, &data)
	if err != nil {
		return err
	}
	raw, _ := canon.Get(doc.Body, "id")
	made, _ := canon.Unquote(raw)
	*id = twin.Set(made)
	return nil
}

// price is what the parameters describe, not yet stored. within is the parameter
// they were nested in, "" for none.
func (p *createPriceParams) price(tx *twin.Tx, within string) (*Price, *twin.Error) {
	param := "currency"
	if within != "" {
		param = within + "[currency]"
	}
	currency, err := knownCurrency(p.Currency.V, param)
	if err != nil {
		return nil, err
	}
	made := newPrice(prices.NewID(tx), p.Product.V, currency, p.unit(), tx.Now())
	if r := p.Recurring.V; p.Recurring.Given() {
		made.recur(r.Interval.V, r.IntervalCount.Or(1))
	}
	return made, p.apply(tx, made)
}

// newPrice is a price of so much a unit, which has been checked.
func newPrice(id, product, currency string, amount twin.Decimal, created twin.Time) *Price {
	unit, whole, _ := parseUnit(amount, "")
	return &Price{
		ID: id, Object: prices.Object, Created: created, Active: true, BillingScheme: "per_unit", Currency: currency,
		Product: product, Metadata: map[string]string{}, TaxBehavior: "unspecified", Type: priceOnce,
		UnitAmount: whole, UnitAmountDecimal: string(unit),
	}
}

// recur gives a price its rhythm.
func (p *Price) recur(interval string, count int64) {
	p.Type = priceRecurring
	p.Recurring = &Recurring{Interval: interval, IntervalCount: count, UsageType: "licensed"}
}

// currencyOptions are the amounts of a price by currency: its own one.
func currencyOptions(_ *twin.Tx, price canon.Raw) canon.Raw {
	var p Price
	if err := canon.Unmarshal(price, &p); err != nil {
		panic("stripe: price: " + err.Error())
	}
	return canon.Marshal(&map[string]currencyOption{p.Currency: {
		TaxBehavior: p.TaxBehavior, UnitAmount: p.UnitAmount, UnitAmountDecimal: p.UnitAmountDecimal,
	}})
}

type currencyOption struct {
	CustomUnitAmount  canon.Raw   `json:"custom_unit_amount"`
	TaxBehavior       string      `json:"tax_behavior"`
	UnitAmount        *twin.Money `json:"unit_amount"`
	UnitAmountDecimal string      `json:"unit_amount_decimal"`
}

type listPricesParams struct {
	page
	Active     twin.Opt[bool]                `param:"active"`
	Created    twin.Opt[twin.Range]          `param:"created"`
	Currency   twin.Opt[string]              `param:"currency"`
	LookupKeys twin.Opt[[]string]            `param:"lookup_keys"`
	Product    twin.Opt[string]              `param:"product"`
	Recurring  twin.Opt[listRecurringParams] `param:"recurring"`
	Type       twin.Opt[string]              `param:"type" rule:"enum=one_time|recurring"`
}

type listRecurringParams struct {
	Interval  twin.Opt[string] `param:"interval" rule:"enum=day|month|week|year"`
	UsageType twin.Opt[string] `param:"usage_type" rule:"enum=licensed|metered"`
}

// lookupKeysMax is how many lookup keys one list may ask for.
const lookupKeysMax = 10

func (p *listPricesParams) Check() *twin.Error {
	if len(p.LookupKeys.V) > lookupKeysMax {
		return invalid("lookup_keys", "You may not specify more than %d lookup keys.", lookupKeysMax)
	}
	return nil
}

func listPrices(tx *twin.Tx, p *listPricesParams) (twin.Doc, *twin.Error) {
	if err := known(tx, products.Kind, "product", p.Product); err != nil {
		return twin.Doc{}, err
	}
	var f filter
	f.with("product", p.Product)
	f.with("interval", p.Recurring.V.Interval)
	f.with("usage_type", p.Recurring.V.UsageType)
	f.with("type", p.Type)
	f.with("currency", p.Currency)
	f.withBool("active", p.Active)
	if keys := p.LookupKeys.V; len(keys) == 1 {
		f.terms = append([]string{"lookup_key=" + keys[0]}, f.terms...)
	} else if len(keys) > 1 {
		f.keep = func(row *projection.Row) bool {
			return slices.ContainsFunc(keys, func(key string) bool { return slices.Contains(row.Terms, "lookup_key="+key) })
		}
	}
	f.within("created", p.Created)
	return list(tx, prices.Kind, prices.Object, "/v1/prices", p.page, f)
}

type retrievePriceParams struct {
	Price string `path:"price"`
}

func retrievePrice(tx *twin.Tx, p *retrievePriceParams) (twin.Doc, *twin.Error) {
	doc, ok := prices.Doc(tx, p.Price)
	if !ok {
		return twin.Doc{}, errNoSuch(prices.Object, "price", p.Price)
	}
	return doc, nil
}

type updatePriceParams struct {
	Price string `path:"price"`
	priceParams
}

func updatePrice(tx *twin.Tx, p *updatePriceParams) (twin.Doc, *twin.Error) {
	old, ok := prices.Get(tx, p.Price)
	if !ok {
		return twin.Doc{}, errNoSuch(prices.Object, "price", p.Price)
	}
	to := *old
	if p.TaxBehavior.Given() && to.TaxBehavior != "unspecified" && p.TaxBehavior.V != to.TaxBehavior {
		return twin.Doc{}, errTaxBehaviorFixed(to.TaxBehavior)
	}
	if p.Active.Given() && !p.Active.V {
		if of, ok := products.Get(tx, to.Product); ok && of.DefaultPrice != nil && *of.DefaultPrice == to.ID {
			return twin.Doc{}, errDefaultPrice()
		}
	}
	if err := p.apply(tx, &to); err != nil {
		return twin.Doc{}, err
	}
	doc, previous, changed := prices.Replace(tx, &to)
	if changed {
		tx.Emit("price.updated", doc, previous)
		reprice(tx, &to)
	}
	return doc, nil
}

func seedPrices(tx *twin.Tx, doc *seed.Document) error {
	for _, s := range byAge(doc.Data.Prices, func(s seed.Price) int64 { return s.CreatedOffset }) {
		p := newPrice(s.ID, s.Product, s.Currency, twin.Decimal(decimal(s.UnitAmount)), twin.Time(doc.Epoch-s.CreatedOffset))
		p.Active, p.Nickname, p.Metadata = s.Active, textOrNull(s.Nickname), seedMetadata(s.Metadata)
		if !s.Recurring.IsZero() {
			p.recur(s.Recurring.Interval, s.Recurring.IntervalCount)
		}
		prices.Put(tx, p)
	}
	return nil
}
