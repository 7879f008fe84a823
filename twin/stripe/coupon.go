package stripe

import (
	"fmt"
	"slices"
	"strings"

	"worlds/journal/canon"
	"worlds/journal/mutant"
	"worlds/twin"
)

// Coupon is a reduction that discounts are made of: of a percentage, or of a sum.
type Coupon struct {
	AmountOff        *twin.Money       `json:"amount_off"`
	Created          twin.Time         `json:"created"`
	Currency         *string           `json:"currency"` // of amount_off
	Duration         string            `json:"duration"`
	DurationInMonths *int64            `json:"duration_in_months"`
	ID               string            `json:"id"`
	Livemode         bool              `json:"livemode"`
	MaxRedemptions   *int64            `json:"max_redemptions"`
	Metadata         map[string]string `json:"metadata"`
	Name             *string           `json:"name"`
	Object           string            `json:"object"`
	PercentOff       *twin.Decimal     `json:"percent_off"` // a JSON number on the wire
	RedeemBy         *twin.Time        `json:"redeem_by"`
	TimesRedeemed    int64             `json:"times_redeemed"`
	Valid            bool              `json:"valid"`
}

// The durations of a coupon.
const (
	durationOnce      = "once"
	durationRepeating = "repeating"
	durationForever   = "forever"
)

// percentPlaces is how many decimal places a percentage has at most.
const percentPlaces = 4

var coupons = twin.Resource[Coupon]{
	Kind: twin.Kind{Table: "stripe.coupon", Object: "coupon", Digits: 8},
	Key:  func(c *Coupon) string { return c.ID },
	Due: func(c *Coupon) int64 {
		if c.Valid && c.RedeemBy != nil {
			return int64(*c.RedeemBy)
		}
		return 0
	},
}

// retiredCoupons are those deleted: nobody gets them any more, and who has them
// keeps them.
var retiredCoupons = twin.Resource[Coupon]{
	Kind: twin.Kind{Table: "stripe.coupon_deleted"},
	Key:  func(c *Coupon) string { return c.ID },
}

func couponAPI() twin.API {
	return twin.API{
		Kind: coupons.Kind,
		Routes: []twin.Route{
			twin.On("POST /v1/coupons", createCoupon),
			twin.On("GET /v1/coupons", listCoupons),
			twin.On("GET /v1/coupons/{coupon}", retrieveCoupon),
			twin.On("POST /v1/coupons/{coupon}", updateCoupon),
			twin.On("DELETE /v1/coupons/{coupon}", deleteCoupon),
		},
		Include: map[string]twin.Include{
			"applies_to":       includeAppliesTo,
			"currency_options": includeCurrencyOptions,
		},
		Fire: fireCoupon,
	}
}

// couponReach is what a coupon reduces, for one that is not for everything. It shows
// only where it is asked for.
type couponReach struct {
	ID       string   `json:"id"` // of the coupon
	Products []string `json:"products"`
}

var couponReaches = twin.Resource[couponReach]{
	Kind: twin.Kind{Table: "stripe.coupon_reach"},
	Key:  func(r *couponReach) string { return r.ID },
}

func couponReachAPI() twin.API { return twin.API{Kind: couponReaches.Kind} }

// reaches reports whether a coupon reduces a product, "" for none.
func (c *Coupon) reaches(tx *twin.Tx, product string) bool {
	r, ok := couponReaches.Get(tx, c.ID)
	return !ok || slices.Contains(r.Products, product)
}

// appliesToDoc is a coupon's applies_to.
type appliesToDoc struct {
	Products []string `json:"products"`
}

func includeAppliesTo(tx *twin.Tx, coupon canon.Raw) canon.Raw {
	r, ok := couponReaches.Get(tx, textAt(coupon, "id"))
	if !ok {
		return nil
	}
	return canon.Marshal(&appliesToDoc{Products: r.Products})
}

func retiredCouponAPI() twin.API { return twin.API{Kind: retiredCoupons.Kind} }

type appliesToParams struct {
	Products twin.Opt[[]string] `param:"products"`
}

type createCouponParams struct {
	AppliesTo        twin.Opt[appliesToParams] `param:"applies_to"`
	AmountOff        twin.Opt[twin.Money]      `param:"amount_off" rule:"min=1,max=99999999"`
	Currency         twin.Opt[string]          `param:"currency"`
	CurrencyOptions  couponOptions             `param:"currency_options"`
	Duration         twin.Opt[string]          `param:"duration" rule:"enum=forever|once|repeating"`
	DurationInMonths twin.Opt[int64]           `param:"duration_in_months" rule:"min=1,max=1200"`
	ID               twin.Opt[string]          `param:"id"`
	MaxRedemptions   twin.Opt[int64]           `param:"max_redemptions" rule:"min=1,max=1000000000"`
	Metadata         twin.Opt[twin.Metadata]   `param:"metadata"`
	Name             twin.Opt[string]          `param:"name" rule:"len=40"`
	PercentOff       twin.Opt[twin.Decimal]    `param:"percent_off"`
	RedeemBy         twin.Opt[twin.Time]       `param:"redeem_by" rule:"min=0,max=7258118400"`
}

// Check wants one reduction, and months where they mean something.
func (p *createCouponParams) Check() *twin.Error {
	repeating := p.Duration.V == durationRepeating
	switch {
	case p.AmountOff.Given() && p.PercentOff.Given():
		return errExclusive("amount_off", "percent_off")
	case !p.AmountOff.Given() && !p.PercentOff.Given():
		return invalidCode("parameter_missing", "", "Must provide percent_off or amount_off.")
	case p.AmountOff.Given() && !p.Currency.Given():
		return invalidCode("parameter_missing", "currency", "You must pass currency when passing amount_off.")
	case p.CurrencyOptions.Given() && !p.AmountOff.Given():
		return errOptionsOfPercentage()
	case repeating && !p.DurationInMonths.Given():
		return invalidCode("parameter_missing", "duration_in_months", "You must pass duration_in_months when passing duration=repeating.")
	case !repeating && p.DurationInMonths.Given():
		return invalid("duration_in_months", "You may only pass duration_in_months when passing duration=repeating.")
	case !p.PercentOff.Given():
		return nil
	}
	d, ok := parseDecimal(string(p.PercentOff.V), percentPlaces)
	if !ok {
		return invalid("percent_off", "Invalid decimal: %s", p.PercentOff.V)
	}
	if n := scaled(d, percentPlaces); n == 0 || n > scaled("100", percentPlaces) {
		return invalid("percent_off", "Invalid percent_off: must be greater than 0 and less than or equal to 100")
	}
	p.PercentOff.V = d
	return nil
}

func createCoupon(tx *twin.Tx, p *createCouponParams) (twin.Doc, *twin.Error) {
	c := Coupon{Object: coupons.Object, Created: tx.Now(), Duration: p.Duration.Or(durationOnce), Valid: true}
	if err := p.identify(tx, &c); err != nil {
		return twin.Doc{}, err
	}
	if p.Currency.Given() {
		currency, err := knownCurrency(p.Currency.V, "currency")
		if err != nil {
			return twin.Doc{}, err
		}
		if p.AmountOff.Given() {
			c.Currency = &currency
		}
	}
	switch {
	case p.RedeemBy.Given() && p.RedeemBy.V <= tx.Now():
		return twin.Doc{}, errPast("redeem_by")
	case p.RedeemBy.Given() && p.RedeemBy.V > tx.Now()+outlook:
		return twin.Doc{}, errFar("redeem_by")
	}
	p.AmountOff.Apply(&c.AmountOff)
	p.PercentOff.Apply(&c.PercentOff)
	p.DurationInMonths.Apply(&c.DurationInMonths)
	p.MaxRedemptions.Apply(&c.MaxRedemptions)
	p.RedeemBy.Apply(&c.RedeemBy)
	p.Name.Apply(&c.Name)
	var err *twin.Error
	if c.Metadata, err = applyMetadata(map[string]string{}, p.Metadata); err != nil {
		return twin.Doc{}, err
	}
	if err := p.reach(tx, c.ID); err != nil {
		return twin.Doc{}, err
	}
	if _, err := offer(tx, &c, p.CurrencyOptions); err != nil {
		return twin.Doc{}, err
	}
	doc := coupons.Put(tx, &c)
	tx.Emit("coupon.created", doc, nil)
	return doc, nil
}

// reach keeps what a new coupon is for.
func (p *createCouponParams) reach(tx *twin.Tx, coupon string) *twin.Error {
	if !p.AppliesTo.V.Products.Given() {
		return nil
	}
	r := couponReach{ID: coupon}
	for i, id := range p.AppliesTo.V.Products.V {
		if _, ok := products.Get(tx, id); !ok {
			return errNoSuchRef(products.Object, fmt.Sprintf("applies_to[products][%d]", i), id)
		}
		if !slices.Contains(r.Products, id) {
			r.Products = append(r.Products, id)
		}
	}
	couponReaches.Put(tx, &r)
	return nil
}

// identify gives a coupon the id asked for, or one of its own.
func (p *createCouponParams) identify(tx *twin.Tx, c *Coupon) *twin.Error {
	if !p.ID.Given() {
		c.ID = shortCode(tx)
		for couponNamed(tx, c.ID) != nil {
			c.ID = shortCode(tx)
		}
		return nil
	}
	if c.ID = p.ID.V; couponNamed(tx, c.ID) == nil {
		return nil
	}
	if _, taken := coupons.Get(tx, c.ID); taken {
		return errExists("Coupon", "")
	}
	return forgetCoupon(tx, c.ID)
}

// forgetCoupon frees the id of a deleted coupon for another. Discounts and codes name
// their coupon by its id: theirs would become another, so it is not free while there
// are any.
func forgetCoupon(tx *twin.Tx, id string) *twin.Error {
	c, _ := retiredCoupons.Get(tx, id)
	named := c.TimesRedeemed > 0
	for range promotionCodes.With(tx, "coupon="+id) {
		named = true
	}
	if named {
		return errUnserved("another coupon with the id of a deleted one that discounts or codes name", "id")
	}
	retiredCoupons.Delete(tx, id)
	if _, some := couponReaches.Get(tx, id); some {
		couponReaches.Delete(tx, id)
	}
	if _, more := couponCurrencies.Get(tx, id); more {
		couponCurrencies.Delete(tx, id)
	}
	return nil
}

// shortCode mints a word that people can type.
func shortCode(tx *twin.Tx) string { return strings.ToUpper(tx.NewID("", coupons.Digits)[1:]) }

// couponNamed finds a coupon, a deleted one too; nil for none.
func couponNamed(tx *twin.Tx, id string) *Coupon {
	if c, ok := coupons.Get(tx, id); ok {
		return c
	}
	c, _ := retiredCoupons.Get(tx, id)
	return c
}

type listCouponsParams struct {
	page
	Created twin.Opt[twin.Range] `param:"created"`
}

func listCoupons(tx *twin.Tx, p *listCouponsParams) (twin.Doc, *twin.Error) {
	var f filter
	f.within("created", p.Created)
	return list(tx, coupons.Kind, coupons.Object, "/v1/coupons", p.page, f)
}

type couponPath struct {
	Coupon string `path:"coupon"`
}

func retrieveCoupon(tx *twin.Tx, p *couponPath) (twin.Doc, *twin.Error) {
	doc, ok := coupons.Doc(tx, p.Coupon)
	if !ok {
		return twin.Doc{}, errNoSuch(coupons.Object, "coupon", p.Coupon)
	}
	return doc, nil
}

type updateCouponParams struct {
	couponPath
	CurrencyOptions couponOptions           `param:"currency_options"`
	Metadata        twin.Opt[twin.Metadata] `param:"metadata"`
	Name            twin.Opt[string]        `param:"name" rule:"len=40"`
}

// updateCoupon changes what a coupon is called, or adds currencies, and never what it
// takes off already.
func updateCoupon(tx *twin.Tx, p *updateCouponParams) (twin.Doc, *twin.Error) {
	old, ok := coupons.Get(tx, p.Coupon)
	if !ok {
		return twin.Doc{}, errNoSuch(coupons.Object, "coupon", p.Coupon)
	}
	c := *old
	p.Name.Apply(&c.Name)
	var err *twin.Error
	if c.Metadata, err = applyMetadata(c.Metadata, p.Metadata); err != nil {
		return twin.Doc{}, err
	}
	if p.CurrencyOptions.Given() && c.AmountOff == nil {
		return twin.Doc{}, errOptionsOfPercentage()
	}
	more, err := offer(tx, &c, p.CurrencyOptions)
	if err != nil {
		return twin.Doc{}, err
	}
	doc, previous, changed := coupons.Replace(tx, &c)
	if changed || more {
		tx.Emit("coupon.updated", doc, changesOf(previous))
	}
	return doc, nil
}

func deleteCoupon(tx *twin.Tx, p *couponPath) (twin.Doc, *twin.Error) {
	c, ok := coupons.Get(tx, p.Coupon)
	if !ok {
		return twin.Doc{}, errNoSuch(coupons.Object, "coupon", p.Coupon)
	}
	last, _ := coupons.Doc(tx, c.ID)
	tx.Emit("coupon.deleted", last, nil)
	coupons.Delete(tx, c.ID)
	if !mutant.Is("coupon-forgotten") {
		retiredCoupons.Put(tx, c)
	}
	return twin.Doc{Body: deletedStub(c.ID, coupons.Object)}, nil
}

// redeem counts one more use of a coupon; after the last one it is not valid.
func (c Coupon) redeem(tx *twin.Tx) {
	c.TimesRedeemed++
	if c.MaxRedemptions != nil && c.TimesRedeemed >= *c.MaxRedemptions {
		c.Valid = false
	}
	coupons.Put(tx, &c)
}

// fireCoupon lets a coupon expire. Stripe has no event for it.
func fireCoupon(tx *twin.Tx, id string) error {
	old, _ := coupons.Get(tx, id)
	c := *old
	c.Valid = false
	coupons.Put(tx, &c)
	return nil
}
