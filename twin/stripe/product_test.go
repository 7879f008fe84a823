package stripe_test

import "testing"

func TestProducts(t *testing.T) {
	r := newRig(t, qaAuto(60))
	r.tell("POST /v1/products id=prod_pick name=Mug images[]=https://example.com/a.png marketing_features[][name]=Warm shippable=true " +
		"default_price_data[currency]=EUR default_price_data[unit_amount]=990 expand[]=default_price")
	r.tell("POST /v1/products/prod_pick name=Cup description= images= metadata[shelf]=3")
	r.tell("POST /v1/products/prod_pick name=Cup")
	r.tell("DELETE /v1/products/prod_pick")
	r.tell("POST /v1/products name=Bare")
	id := r.ok("GET /v1/products limit=1").get("data.0.id")
	r.tell("DELETE /v1/products/" + id)
	r.tell("GET /v1/products/" + id)
	r.golden("products")
}

func TestProductRefusals(t *testing.T) {
	r := newRig(t, qaBase)
	r.ok("POST /v1/products id=prod_other name=Other")
	for _, row := range [][2]string{
		{"POST /v1/products", "400 parameter_missing name Missing required param: name."},
		{"POST /v1/products name=", "400 parameter_invalid_empty name " + emptyNotAllowed("name")},
		{"POST /v1/products name=x id=prod_qa01", "400 resource_already_exists id Product already exists."},
		{"POST /v1/products name=x active=yes", "400 - active Invalid boolean: yes"},
		{"POST /v1/products name=x images=a", "400 - images Invalid array"},
		{"POST /v1/products name=x images[]=1&images[]=2&images[]=3&images[]=4&images[]=5&images[]=6&images[]=7&images[]=8&images[]=9", "400 - images A product can have at most 8 images."},
		{"POST /v1/products name=x statement_descriptor=12345678901234567890123", "400 - statement_descriptor Invalid string: 1234...0123; must be at most 22 characters"},
		{"POST /v1/products name=x default_price_data[unit_amount]=1", "400 parameter_missing default_price_data[currency] Missing required param: default_price_data[currency]."},
		{"POST /v1/products name=x default_price_data[currency]=usd", "400 parameter_missing default_price_data[unit_amount] Missing required param: default_price_data[unit_amount]."},
		{"POST /v1/products name=x tax_code=txcd_1", "501 - tax_code This twin does not serve the parameter tax_code of POST /v1/products. The world is unchanged."},
		{"POST /v1/products name=x color=red", "400 parameter_unknown color Received unknown parameter: color"},
		{"GET /v1/products/prod_nope", "404 resource_missing id No such product: 'prod_nope'"},
		{"POST /v1/products/prod_nope name=x", "404 resource_missing id No such product: 'prod_nope'"},
		{"DELETE /v1/products/prod_nope", "404 resource_missing id No such product: 'prod_nope'"},
		{"DELETE /v1/products/prod_qa01", "400 - - This product cannot be deleted because it has one or more user-created prices."},
		{"POST /v1/products/prod_qa01 default_price=price_nope", "400 resource_missing default_price No such price: 'price_nope'"},
		{"POST /v1/products/prod_other default_price=price_qa_m", "400 - default_price The price price_qa_m does not belong to the product prod_other."},
		{"GET /v1/products ids[]=prod_qa01 starting_after=prod_qa01", "400 - starting_after You may only specify one of these parameters: ids, starting_after."},
	} {
		r.refused(row[0], row[1])
	}
}

func TestProductFilters(t *testing.T) {
	r := newRig(t, qaBase)
	r.ok("POST /v1/products id=a name=A url=https://example.com/a shippable=true")
	r.ok("POST /v1/products id=b name=B active=false shippable=false")
	for query, want := range map[string]string{
		"":                                            "b a prod_qa01",
		"active=true":                                 "a prod_qa01",
		"active=false":                                "b",
		"shippable=true":                              "a",
		"shippable=false":                             "b",
		"shippable=false active=true":                 "",
		"url=https://example.com/a":                   "a",
		"ids[]=a ids[]=prod_qa01":                     "a prod_qa01",
		"ids[]=a ids[]=b active=false":                "b",
		"created[gte]=1767225600":                     "b a prod_qa01",
		"created[lt]=1767225600":                      "",
		"limit=1 starting_after=b":                    "a",
		"ending_before=prod_qa01":                     "b a",
		"limit=1 active=true ending_before=prod_qa01": "a",
	} {
		if got := r.ok("GET /v1/products " + query).each("id"); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
	r.ok("POST /v1/products/b active=true")
	if got := r.ok("GET /v1/products active=true").each("id"); got != "b a prod_qa01" {
		t.Errorf("after an update: %s", got)
	}
}
