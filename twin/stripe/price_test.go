package stripe_test

import "testing"

func TestPrices(t *testing.T) {
	r := newRig(t, qaBase)
	r.tell("POST /v1/prices product=prod_qa01 currency=usd unit_amount=0 recurring[interval]=year nickname=Free lookup_key=free")
	first := r.ok("GET /v1/prices limit=1").get("data.0.id")
	r.tell("POST /v1/prices product_data[name]=Gift currency=JPY unit_amount=500 lookup_key=free transfer_lookup_key=true")
	r.tell("POST /v1/prices/" + first + " active=false nickname= metadata[a]=1 tax_behavior=exclusive expand[]=product expand[]=currency_options expand[]=tiers")
	r.tell("POST /v1/prices/" + first + " active=false")
	r.golden("prices")
}

func TestPriceRefusals(t *testing.T) {
	r := newRig(t, qaBase)
	taken := r.ok("POST /v1/prices product=prod_qa01 currency=usd unit_amount=1 lookup_key=k tax_behavior=inclusive").get("id")
	preset := r.ok("POST /v1/products name=P default_price_data[currency]=usd default_price_data[unit_amount]=1").get("default_price")
	const ok = "POST /v1/prices product=prod_qa01 currency=usd "
	for _, row := range [][2]string{
		{"POST /v1/prices product=prod_qa01 unit_amount=1", "400 parameter_missing currency Missing required param: currency."},
		{"POST /v1/prices currency=usd unit_amount=1", "400 parameter_missing product Missing required param: product."},
		{"POST /v1/prices product=prod_nope currency=usd unit_amount=1", "400 resource_missing product No such product: 'prod_nope'"},
		{ok + "unit_amount=1 product_data[name]=x", "400 - product_data You may only specify one of these parameters: product, product_data."},
		{"POST /v1/prices product_data[active]=true currency=usd unit_amount=1", "400 parameter_missing product_data[name] Missing required param: product_data[name]."},
		{ok, "400 parameter_missing unit_amount Missing required param: unit_amount."},
		{ok + "unit_amount=-1", "400 parameter_invalid_integer unit_amount This value must be greater than or equal to 0."},
		{ok + "unit_amount=1.5", "400 parameter_invalid_integer unit_amount Invalid integer: 1.5"},
		{ok + "unit_amount=1 recurring=month", "400 - recurring Invalid object"},
		{ok + "unit_amount=1 recurring[interval_count]=2", "400 parameter_missing recurring[interval] Missing required param: recurring[interval]."},
		{ok + "unit_amount=1 recurring[interval]=quarter", "400 - recurring[interval] Invalid interval: must be one of day, month, week, or year"},
		{ok + "unit_amount=1 recurring[interval]=month recurring[interval_count]=37", "400 - recurring[interval_count] The maximum is 36 for the interval month: a price recurs at least once in three years."},
		{ok + "unit_amount=1 recurring[interval]=month recurring[usage_type]=metered", "501 - recurring[usage_type] This twin does not serve recurring[usage_type]=metered. The world is unchanged."},
		{ok + "unit_amount=1 billing_scheme=tiered", "501 - billing_scheme This twin does not serve billing_scheme=tiered. The world is unchanged."},
		{ok + "unit_amount=1 unit_amount_decimal=1.5", "400 - unit_amount_decimal You may only specify one of these parameters: unit_amount, unit_amount_decimal."},
		{ok + "unit_amount_decimal=-1.5", "400 - unit_amount_decimal Invalid decimal: -1.5"},
		{ok + "unit_amount_decimal=1.0000000000001", "400 - unit_amount_decimal Invalid decimal: 1.0000000000001"},
		{ok + "unit_amount=1 lookup_key=k", "400 - lookup_key A price (`" + taken + "`) already uses that lookup key."},
		{"POST /v1/prices/" + taken + " unit_amount=2", "400 parameter_unknown unit_amount Received unknown parameter: unit_amount"},
		{"POST /v1/prices/" + taken + " tax_behavior=exclusive", "400 - tax_behavior The tax behavior of a price cannot be changed once it is set (inclusive)."},
		{"POST /v1/prices/price_nope active=true", "404 resource_missing price No such price: 'price_nope'"},
		{"POST /v1/prices/" + preset + " active=false", "400 - active This price cannot be archived because it is the default price of its product."},
		{"GET /v1/prices/price_nope", "404 resource_missing price No such price: 'price_nope'"},
		{"DELETE /v1/prices/" + taken, "404 - - Unrecognized request URL (DELETE: /v1/prices/" + taken + "). Please see https://stripe.com/docs or we can help at https://support.stripe.com/."},
		{"GET /v1/prices product=prod_nope", "400 resource_missing product No such product: 'prod_nope'"},
		{"GET /v1/prices type=metered", "400 - type Invalid type: must be one of one_time or recurring"},
	} {
		r.refused(row[0], row[1])
	}
	got := r.do(ok[:len(ok)-len("currency=usd ")] + "currency=xyz unit_amount=1")
	if got.Status != 400 || got.get("error.param") != "currency" {
		t.Errorf("currency=xyz: %d %s", got.Status, got.Body)
	}
}

func TestPriceFilters(t *testing.T) {
	r := newRig(t, qaBase)
	r.ok("POST /v1/products id=prod_b name=B")
	b := r.ok("POST /v1/prices product=prod_b currency=usd unit_amount=1 lookup_key=kb").get("id")
	for query, want := range map[string]string{
		"":                                       b + " price_qa_jpy price_qa_2w price_qa_m",
		"product=prod_b":                         b,
		"product=prod_qa01":                      "price_qa_jpy price_qa_2w price_qa_m",
		"currency=jpy":                           "price_qa_jpy",
		"type=one_time":                          b + " price_qa_jpy",
		"type=recurring":                         "price_qa_2w price_qa_m",
		"recurring[interval]=week":               "price_qa_2w",
		"recurring[interval]=year":               "",
		"recurring[usage_type]=licensed limit=1": "price_qa_2w",
		"lookup_keys[]=kb lookup_keys[]=other":   b,
		"lookup_keys[]=kb":                       b,
		"lookup_keys[]=kb product=prod_qa01":     "",
		"lookup_keys[]=other":                    "",
		"active=false":                           "",
		"product=prod_qa01 type=one_time active=true currency=jpy": "price_qa_jpy",
		"created=1767225600 limit=2":                               b + " price_qa_jpy",
	} {
		if got := r.ok("GET /v1/prices " + query).each("id"); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
}
