package stripe

import (
	"bytes"
	"slices"

	"worlds/journal/canon"
	"worlds/projection"
	"worlds/seed"
	"worlds/twin"
)

// Product is what is sold.
type Product struct {
	Active              bool              `json:"active"`
	Created             twin.Time         `json:"created"`
	DefaultPrice        *string           `json:"default_price"`
	Description         *string           `json:"description"`
	ID                  string            `json:"id"`
	Images              []string          `json:"images"`
	Livemode            bool              `json:"livemode"`
	MarketingFeatures   []Feat            `json:"marketing_features"`
	Metadata            map[string]string `json:"metadata"`
	Name                string            `json:"name"`
	Object              string            `json:"object"`
	PackageDimensions   canon.Raw         `json:"package_dimensions"`
	Shippable           *bool             `json:"shippable"`
	StatementDescriptor *string           `json:"statement_descriptor"`
	TaxCode             canon.Raw         `json:"tax_code"`
	Type                string            `json:"type"`
	UnitLabel           *string           `json:"unit_label"`
	Updated             twin.Time         `json:"updated"`
	URL                 *string           `json:"url"`
}

// Feat is one thing a product is advertised with.
type Feat struct {
	Name string `json:"name"`
}

var products = twin.Resource[Product]{
	Kind: twin.Kind{Table: "stripe.product", Object: "product", Prefix: "prod", Digits: 14},
	Key:  func(p *Product) string { return p.ID },
	Terms: func(p *Product) []string {
		terms := []string{boolTerm("active", p.Active)}
		if p.Shippable != nil {
			terms = append(terms, boolTerm("shippable", *p.Shippable))
		}
		if p.URL != nil {
			terms = append(terms, "url="+*p.URL)
		}
		return terms
	},
}

func productAPI() twin.API {
	return twin.API{
		Kind: products.Kind,
		Routes: []twin.Route{
			twin.On("POST /v1/products", createProduct),
			twin.On("GET /v1/products", listProducts),
			twin.On("GET /v1/products/{id}", retrieveProduct),
			twin.On("POST /v1/products/{id}", updateProduct),
			twin.On("DELETE /v1/products/{id}", deleteProduct),
		},
		Expand: map[string]string{
			"default_price": prices.Object,
			"tax_code":      "tax_code",
		},
		Seed: seedProducts,
	}
}

// productParams are what both creation and update may set.
type productParams struct {
	Active              twin.Opt[bool]          `param:"active"`
	Images              twin.Opt[[]string]      `param:"images" rule:"empty"`
	MarketingFeatures   twin.Opt[[]featParams]  `param:"marketing_features" rule:"empty"`
	Metadata            twin.Opt[twin.Metadata] `param:"metadata"`
	Shippable           twin.Opt[bool]          `param:"shippable"`
	StatementDescriptor twin.Opt[string]        `param:"statement_descriptor" rule:"len=22"`
	URL                 twin.Opt[string]        `param:"url" rule:"empty"`
}

type featParams struct {
	Name twin.Opt[string] `param:"name" rule:"required,len=80"`
}

// imagesMax and featuresMax are how many of each a product may have.
const (
	imagesMax   = 8
	featuresMax = 15
)

func (p *productParams) Check() *twin.Error {
	switch {
	case len(p.Images.V) > imagesMax:
		return invalid("images", "A product can have at most %d images.", imagesMax)
	case len(p.MarketingFeatures.V) > featuresMax:
		return invalid("marketing_features", "A product can have at most %d marketing features.", featuresMax)
	}
	return nil
}

func (p *productParams) apply(to *Product) (err *twin.Error) {
	to.Active = p.Active.Or(to.Active)
	p.Shippable.Apply(&to.Shippable)
	p.StatementDescriptor.Apply(&to.StatementDescriptor)
	p.URL.Apply(&to.URL)
	if p.Images.Sent() {
		to.Images = p.Images.V
	}
	if p.MarketingFeatures.Sent() {
		to.MarketingFeatures = nil
		for _, f := range p.MarketingFeatures.V {
			to.MarketingFeatures = append(to.MarketingFeatures, Feat{f.Name.V})
		}
	}
	to.Metadata, err = applyMetadata(to.Metadata, p.Metadata)
	return err
}

type createProductParams struct {
	productParams
	DefaultPriceData twin.Opt[defaultPriceParams] `param:"default_price_data"`
	Description      twin.Opt[string]             `param:"description" rule:"len=40000"`
	ID               twin.Opt[string]             `param:"id"`
	Name             twin.Opt[string]             `param:"name" rule:"required"`
	UnitLabel        twin.Opt[string]             `param:"unit_label" rule:"len=12"`
}

type defaultPriceParams struct {
	Currency    twin.Opt[string]                 `param:"currency" rule:"required"`
	Metadata    twin.Opt[twin.Metadata]          `param:"metadata"`
	Recurring   twin.Opt[defaultRecurringParams] `param:"recurring"`
	TaxBehavior twin.Opt[string]                 `param:"tax_behavior" rule:"enum=exclusive|inclusive|unspecified"`
	unitParams
}

type defaultRecurringParams struct {
	Interval      twin.Opt[string] `param:"interval" rule:"required,enum=day|month|week|year"`
	IntervalCount twin.Opt[int64]  `param:"interval_count" rule:"min=1"`
}

// Check refuses what no product can have, nor the price that comes with it.
func (p *createProductParams) Check() *twin.Error {
	const at = "default_price_data"
	if d := &p.DefaultPriceData.V; p.DefaultPriceData.Given() {
		if err := d.check(at); err != nil {
			return err
		}
		every := recurringParams{Interval: d.Recurring.V.Interval, IntervalCount: d.Recurring.V.IntervalCount}
		if err := every.check(at + "[recurring][interval_count]"); err != nil {
			return err
		}
	}
	return p.productParams.Check()
}

func createProduct(tx *twin.Tx, p *createProductParams) (twin.Doc, *twin.Error) {
	id := p.ID.V
	if !p.ID.Given() {
		id = products.NewID(tx)
	} else if _, taken := products.Doc(tx, id); taken {
		return twin.Doc{}, errExists("Product", "id")
	}
	made := newProduct(id, p.Name.V, tx.Now())
	p.Description.Apply(&made.Description)
	p.UnitLabel.Apply(&made.UnitLabel)
	if err := p.apply(made); err != nil {
		return twin.Doc{}, err
	}
	if !p.DefaultPriceData.Given() {
		doc := products.Put(tx, made)
		tx.Emit("product.created", doc, nil)
		return doc, nil
	}
	price, err := p.DefaultPriceData.V.price(tx, id)
	if err != nil {
		return twin.Doc{}, err
	}
	made.DefaultPrice = &price.ID
	doc := products.Put(tx, made)
	tx.Emit("product.created", doc, nil)
	tx.Emit("price.created", prices.Put(tx, price), nil)
	return doc, nil
}

// price is the default price of a new product, not yet stored.
func (p *defaultPriceParams) price(tx *twin.Tx, product string) (*Price, *twin.Error) {
	data := createPriceParams{Currency: p.Currency, unitParams: p.unitParams, Product: twin.Set(product)}
	data.Metadata, data.TaxBehavior = p.Metadata, p.TaxBehavior
	if r := p.Recurring; r.Given() {
		data.Recurring = twin.Set(recurringParams{Interval: r.V.Interval, IntervalCount: r.V.IntervalCount})
	}
	return data.price(tx, "default_price_data")
}

func newProduct(id, name string, created twin.Time) *Product {
	return &Product{
		ID: id, Object: products.Object, Created: created, Updated: created, Name: name, Active: true,
		Metadata: map[string]string{}, Type: "service",
	}
}

type listProductsParams struct {
	page
	Active    twin.Opt[bool]       `param:"active"`
	Created   twin.Opt[twin.Range] `param:"created"`
	IDs       twin.Opt[[]string]   `param:"ids"`
	Shippable twin.Opt[bool]       `param:"shippable"`
	URL       twin.Opt[string]     `param:"url"`
}

func (p *listProductsParams) Check() *twin.Error {
	switch {
	case p.IDs.Given() && p.StartingAfter.Given():
		return errExclusive("ids", "starting_after")
	case p.IDs.Given() && p.EndingBefore.Given():
		return errExclusive("ids", "ending_before")
	}
	return nil
}

func listProducts(tx *twin.Tx, p *listProductsParams) (twin.Doc, *twin.Error) {
	var f filter
	f.with("url", p.URL)
	f.withBool("shippable", p.Shippable)
	f.withBool("active", p.Active)
	if p.IDs.Given() {
		f.keep = func(row *projection.Row) bool { return slices.Contains(p.IDs.V, row.ID) }
	}
	f.within("created", p.Created)
	return list(tx, products.Kind, products.Object, "/v1/products", p.page, f)
}

type retrieveProductParams struct {
	ID string `path:"id"`
}

func retrieveProduct(tx *twin.Tx, p *retrieveProductParams) (twin.Doc, *twin.Error) {
	doc, ok := products.Doc(tx, p.ID)
	if !ok {
		return twin.Doc{}, errNoSuch(products.Object, "id", p.ID)
	}
	return doc, nil
}

type updateProductParams struct {
	ID string `path:"id"`
	productParams
	DefaultPrice twin.Opt[string] `param:"default_price"`
	Description  twin.Opt[string] `param:"description" rule:"empty,len=40000"`
	Name         twin.Opt[string] `param:"name"`
	UnitLabel    twin.Opt[string] `param:"unit_label" rule:"empty,len=12"`
}

func updateProduct(tx *twin.Tx, p *updateProductParams) (twin.Doc, *twin.Error) {
	old, ok := products.Get(tx, p.ID)
	if !ok {
		return twin.Doc{}, errNoSuch(products.Object, "id", p.ID)
	}
	to := *old
	if id := p.DefaultPrice; id.Given() {
		price, ok := prices.Get(tx, id.V)
		if !ok {
			return twin.Doc{}, errNoSuchRef(prices.Object, "default_price", id.V)
		}
		if price.Product != p.ID {
			return twin.Doc{}, errPriceOfOther(id.V, p.ID)
		}
	}
	p.DefaultPrice.Apply(&to.DefaultPrice)
	p.Description.Apply(&to.Description)
	p.UnitLabel.Apply(&to.UnitLabel)
	to.Name = p.Name.Or(to.Name)
	if err := p.apply(&to); err != nil {
		return twin.Doc{}, err
	}
	before, _ := products.Doc(tx, p.ID)
	if bytes.Equal(before.Body, canon.Marshal(&to)) {
		return before, nil
	}
	to.Updated = tx.Now()
	doc, previous, _ := products.Replace(tx, &to)
	tx.Emit("product.updated", doc, previous)
	return doc, nil
}

type deleteProductParams struct {
	ID string `path:"id"`
}

// deleteProduct refuses while there are prices of the product; nothing of it
// remains.
func deleteProduct(tx *twin.Tx, p *deleteProductParams) (twin.Doc, *twin.Error) {
	doc, ok := products.Doc(tx, p.ID)
	if !ok {
		return twin.Doc{}, errNoSuch(products.Object, "id", p.ID)
	}
	for range tx.State().NewestWith(prices.Table, "product="+p.ID, 0) {
		return twin.Doc{}, errProductHasPrices()
	}
	tx.Emit("product.deleted", doc, nil)
	products.Delete(tx, p.ID)
	return twin.Doc{Body: deletedStub(p.ID, products.Object)}, nil
}

func seedProducts(tx *twin.Tx, doc *seed.Document) error {
	for _, s := range byAge(doc.Data.Products, func(s seed.Product) int64 { return s.CreatedOffset }) {
		p := newProduct(s.ID, s.Name, twin.Time(doc.Epoch-s.CreatedOffset))
		p.Active, p.Description, p.Metadata = s.Active, textOrNull(s.Description), seedMetadata(s.Metadata)
		products.Put(tx, p)
	}
	return nil
}
