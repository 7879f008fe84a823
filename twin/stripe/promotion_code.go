package stripe

import (
	"strings"

	"worlds/journal/canon"
	"worlds/twin"
)

// PromotionCode is a word that customers redeem a coupon with.
type PromotionCode struct {
	Active          bool              `json:"active"`
	Code            string            `json:"code"`
	Created         twin.Time         `json:"created"`
	Customer        *string           `json:"customer"` // nil: anybody
	CustomerAccount canon.Raw         `json:"customer_account"`
	ExpiresAt       *twin.Time        `json:"expires_at"`
	ID              string            `json:"id"`
	Livemode        bool              `json:"livemode"`
	MaxRedemptions  *int64            `json:"max_redemptions"`
	Metadata        map[string]string `json:"metadata"`
	Object          string            `json:"object"`
	Promotion       Promotion         `json:"promotion"`
	Restrictions    Restrictions      `json:"restrictions"`
	TimesRedeemed   int64             `json:"times_redeemed"`
}

// Promotion is what a promotion code gives.
type Promotion struct {
	Coupon string `json:"coupon"`
	Type   string `json:"type"`
}

// Restrictions are who a promotion code is for.
type Restrictions struct {
	FirstTimeTransaction  bool      `json:"first_time_transaction"`
	MinimumAmount         canon.Raw `json:"minimum_amount"`
	MinimumAmountCurrency canon.Raw `json:"minimum_amount_currency"`
}

var promotionCodes = twin.Resource[PromotionCode]{
	Kind: twin.Kind{Table: "stripe.promotion_code", Object: "promotion_code", Prefix: "promo", Digits: 24},
	Key:  func(c *PromotionCode) string { return c.ID },
	Terms: func(c *PromotionCode) []string {
		terms := []string{"code=" + strings.ToLower(c.Code), "coupon=" + c.Promotion.Coupon, boolTerm("active", c.Active)}
		if c.Customer != nil {
			terms = append(terms, "customer="+*c.Customer)
		}
		return terms
	},
	Due: func(c *PromotionCode) int64 {
		if c.Active && c.ExpiresAt != nil {
			return int64(*c.ExpiresAt)
		}
		return 0
	},
}

func promotionCodeAPI() twin.API {
	return twin.API{
		Kind: promotionCodes.Kind,
		Routes: []twin.Route{
			twin.On("POST /v1/promotion_codes", createPromotionCode),
			twin.On("GET /v1/promotion_codes", listPromotionCodes),
			twin.On("GET /v1/promotion_codes/{promotion_code}", retrievePromotionCode),
			twin.On("POST /v1/promotion_codes/{promotion_code}", updatePromotionCode),
		},
		Expand: map[string]string{"customer": customers.Object, "promotion.coupon": coupons.Object},
		Fire:   firePromotionCode,
	}
}

type createPromotionCodeParams struct {
	Active         twin.Opt[bool]               `param:"active"`
	Code           twin.Opt[string]             `param:"code" rule:"len=500"`
	Customer       twin.Opt[string]             `param:"customer"`
	ExpiresAt      twin.Opt[twin.Time]          `param:"expires_at" rule:"min=0,max=7258118400"`
	MaxRedemptions twin.Opt[int64]              `param:"max_redemptions" rule:"min=1,max=1000000000"`
	Metadata       twin.Opt[twin.Metadata]      `param:"metadata"`
	Promotion      twin.Opt[promotionParams]    `param:"promotion" rule:"required"`
	Restrictions   twin.Opt[restrictionsParams] `param:"restrictions"`
}

type promotionParams struct {
	Coupon twin.Opt[string] `param:"coupon"`
	Type   twin.Opt[string] `param:"type" rule:"required,enum=coupon"`
}

type restrictionsParams struct {
	FirstTimeTransaction twin.Opt[bool] `param:"first_time_transaction"`
}

// Check wants a word that can be typed, and a coupon.
func (p *createPromotionCodeParams) Check() *twin.Error {
	if !p.Promotion.V.Coupon.Given() {
		return errMissing("promotion[coupon]")
	}
	for i := range len(p.Code.V) {
		if c := p.Code.V[i]; c != '-' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return invalid("code", "Invalid code: a promotion code may only contain the characters a-z, A-Z, 0-9 and -")
		}
	}
	return nil
}

func createPromotionCode(tx *twin.Tx, p *createPromotionCodeParams) (twin.Doc, *twin.Error) {
	if p.Customer.Given() {
		if _, ok := liveCustomer(tx, p.Customer.V); !ok {
			return twin.Doc{}, errNoSuchRef(customers.Object, "customer", p.Customer.V)
		}
	}
	coupon, ok := coupons.Get(tx, p.Promotion.V.Coupon.V)
	switch {
	case !ok:
		return twin.Doc{}, errNoSuchRef(coupons.Object, "promotion[coupon]", p.Promotion.V.Coupon.V)
	case !coupon.Valid:
		return twin.Doc{}, errCouponExpired(coupon.ID, "promotion[coupon]")
	case p.ExpiresAt.Given() && p.ExpiresAt.V <= tx.Now():
		return twin.Doc{}, errPast("expires_at")
	case p.ExpiresAt.Given() && p.ExpiresAt.V > tx.Now()+outlook:
		return twin.Doc{}, errFar("expires_at")
	case p.ExpiresAt.Given() && coupon.RedeemBy != nil && p.ExpiresAt.V > *coupon.RedeemBy:
		return twin.Doc{}, invalid("expires_at", "Promotion code cannot expire after its coupon (redeem_by %d).", *coupon.RedeemBy)
	}
	c := PromotionCode{
		Object: promotionCodes.Object, Created: tx.Now(), Active: p.Active.Or(true),
		Promotion:    Promotion{Coupon: coupon.ID, Type: coupons.Object},
		Restrictions: Restrictions{FirstTimeTransaction: p.Restrictions.V.FirstTimeTransaction.Or(false)},
	}
	p.Customer.Apply(&c.Customer)
	p.ExpiresAt.Apply(&c.ExpiresAt)
	p.MaxRedemptions.Apply(&c.MaxRedemptions)
	var err *twin.Error
	if c.Metadata, err = applyMetadata(map[string]string{}, p.Metadata); err != nil {
		return twin.Doc{}, err
	}
	if c.Code = p.Code.V; c.Code == "" {
		c.Code = shortCode(tx)
	}
	if c.Active && c.taken(tx) {
		return twin.Doc{}, errCodeTaken(c.Code)
	}
	c.ID = promotionCodes.NewID(tx)
	doc := promotionCodes.Put(tx, &c)
	tx.Emit("promotion_code.created", doc, nil)
	return doc, nil
}

// taken reports whether another active promotion code has the word; case does not
// count.
func (c *PromotionCode) taken(tx *twin.Tx) bool {
	for other := range promotionCodes.With(tx, "code="+strings.ToLower(c.Code)) {
		if other.Active && other.ID != c.ID {
			return true
		}
	}
	return false
}

type listPromotionCodesParams struct {
	page
	Active   twin.Opt[bool]       `param:"active"`
	Code     twin.Opt[string]     `param:"code"`
	Coupon   twin.Opt[string]     `param:"coupon"`
	Created  twin.Opt[twin.Range] `param:"created"`
	Customer twin.Opt[string]     `param:"customer"`
}

func listPromotionCodes(tx *twin.Tx, p *listPromotionCodesParams) (twin.Doc, *twin.Error) {
	if err := known(tx, customers.Kind, "customer", p.Customer); err != nil {
		return twin.Doc{}, err
	}
	if err := known(tx, coupons.Kind, "coupon", p.Coupon); err != nil {
		return twin.Doc{}, err
	}
	var f filter
	p.Code.V = strings.ToLower(p.Code.V)
	f.with("code", p.Code)
	f.with("coupon", p.Coupon)
	f.with("customer", p.Customer)
	f.withBool("active", p.Active)
	f.within("created", p.Created)
	return list(tx, promotionCodes.Kind, promotionCodes.Object, "/v1/promotion_codes", p.page, f)
}

type promotionCodePath struct {
	PromotionCode string `path:"promotion_code"`
}

func retrievePromotionCode(tx *twin.Tx, p *promotionCodePath) (twin.Doc, *twin.Error) {
	doc, ok := promotionCodes.Doc(tx, p.PromotionCode)
	if !ok {
		return twin.Doc{}, errNoSuch("promotion code", "promotion_code", p.PromotionCode)
	}
	return doc, nil
}

type updatePromotionCodeParams struct {
	promotionCodePath
	Active   twin.Opt[bool]          `param:"active"`
	Metadata twin.Opt[twin.Metadata] `param:"metadata"`
}

// updatePromotionCode switches a code on or off; one that is used up or expired
// stays off.
func updatePromotionCode(tx *twin.Tx, p *updatePromotionCodeParams) (twin.Doc, *twin.Error) {
	old, ok := promotionCodes.Get(tx, p.PromotionCode)
	if !ok {
		return twin.Doc{}, errNoSuch("promotion code", "promotion_code", p.PromotionCode)
	}
	c := *old
	c.Active = p.Active.Or(c.Active)
	coupon := couponNamed(tx, c.Promotion.Coupon)
	switch {
	case !c.Active || old.Active:
	case c.usedUp() || c.ExpiresAt != nil && *c.ExpiresAt <= tx.Now() || !coupon.Valid:
		return twin.Doc{}, invalid("active", "This promotion code cannot be activated: it or its coupon has expired or is used up.")
	case c.taken(tx):
		return twin.Doc{}, errCodeTaken(c.Code)
	}
	var err *twin.Error
	if c.Metadata, err = applyMetadata(c.Metadata, p.Metadata); err != nil {
		return twin.Doc{}, err
	}
	doc, previous, changed := promotionCodes.Replace(tx, &c)
	if changed {
		tx.Emit("promotion_code.updated", doc, previous)
	}
	return doc, nil
}

func (c *PromotionCode) usedUp() bool {
	return c.MaxRedemptions != nil && c.TimesRedeemed >= *c.MaxRedemptions
}

// redeem counts one more use of a code; after the last one it is off.
func (c PromotionCode) redeem(tx *twin.Tx) {
	c.TimesRedeemed++
	c.Active = c.Active && !c.usedUp()
	promotionCodes.Put(tx, &c)
}

// refuses is why a customer cannot redeem the code, nil when it can be.
func (c *PromotionCode) refuses(tx *twin.Tx, customer, param string) *twin.Error {
	switch {
	case !c.Active:
		return invalid(param, "This promotion code is no longer active: %s", c.Code)
	case c.Customer != nil && *c.Customer != customer:
		return invalid(param, "This promotion code cannot be redeemed because it is restricted to another customer.")
	case !c.Restrictions.FirstTimeTransaction:
		return nil
	}
	for inv := range invoices.With(tx, "customer="+customer) {
		if inv.AmountPaid > 0 {
			return invalid(param, "This promotion code cannot be redeemed because the associated customer has prior transactions.")
		}
	}
	return nil
}

// firePromotionCode switches a code off that has expired.
func firePromotionCode(tx *twin.Tx, id string) error {
	old, _ := promotionCodes.Get(tx, id)
	c := *old
	c.Active = false
	doc, previous, _ := promotionCodes.Replace(tx, &c)
	tx.Emit("promotion_code.updated", doc, previous)
	return nil
}
