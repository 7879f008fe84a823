package stripe

import (
	"math/big"

	"worlds/testscripts/dst/model"
)

type coupon struct {
	id, name, currency, duration     string
	off                              int64
	percent                          *big.Rat
	months, most, redeemed, redeemBy int64
	created                          int64
	metadata                         map[string]string
}

func couponBody(m *Model, k *coupon) model.Value { return model.Obj("id", k.id) }

type promotion struct{ id string }

func promotionBody(m *Model, p *promotion) model.Value { return model.Obj("id", p.id) }
