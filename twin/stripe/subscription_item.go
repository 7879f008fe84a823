package stripe

import (
	"fmt"

	"worlds/journal/canon"
	"worlds/seed"
	"worlds/twin"
)

// SubscriptionItem is one price in a subscription. Items have no rows of their
// own: they live in their subscription, whose index terms name them.
type SubscriptionItem struct {
	BillingThresholds  canon.Raw         `json:"billing_thresholds"`
	Created            twin.Time         `json:"created"`
	CurrentPeriodEnd   twin.Time         `json:"current_period_end"`
	CurrentPeriodStart twin.Time         `json:"current_period_start"`
	Discounts          []string          `json:"discounts"`
	ID                 string            `json:"id"`
	Metadata           map[string]string `json:"metadata"`
	Object             string            `json:"object"`
	Plan               Plan              `json:"plan"`
	Price              Price             `json:"price"`
	Quantity           int64             `json:"quantity"`
	Subscription       string            `json:"subscription"`
	TaxRates           []canon.Raw       `json:"tax_rates"`
}

// SubscriptionItems are the items of a subscription as a list.
type SubscriptionItems struct {
	Data       []SubscriptionItem `json:"data"`
	HasMore    bool               `json:"has_more"`
	Object     string             `json:"object"`
	TotalCount int64              `json:"total_count"`
	URL        string             `json:"url"`
}

const planObject = "plan"

// planAPI is of plans as they stand in other objects, for they have no rows.
func planAPI() twin.API {
	return twin.API{
		Kind:   twin.Kind{Object: planObject},
		Expand: map[string]string{"product": products.Object, "tiers": ""},
	}
}

// Plan is the older view of a recurring price.
type Plan struct {
	Active          bool              `json:"active"`
	Amount          *twin.Money       `json:"amount"`
	AmountDecimal   string            `json:"amount_decimal"`
	BillingScheme   string            `json:"billing_scheme"`
	Created         twin.Time         `json:"created"`
	Currency        string            `json:"currency"`
	ID              string            `json:"id"`
	Interval        string            `json:"interval"`
	IntervalCount   int64             `json:"interval_count"`
	Livemode        bool              `json:"livemode"`
	Metadata        map[string]string `json:"metadata"`
	Meter           canon.Raw         `json:"meter"`
	Nickname        *string           `json:"nickname"`
	Object          string            `json:"object"`
	Product         string            `json:"product"`
	TiersMode       canon.Raw         `json:"tiers_mode"`
	TransformUsage  canon.Raw         `json:"transform_usage"`
	TrialPeriodDays canon.Raw         `json:"trial_period_days"`
	UsageType       string            `json:"usage_type"`
}

// subscriptionItemsMax is how many items a subscription can have.
const subscriptionItemsMax = 20

// The identity of items, which have no rows.
const (
	itemObject = "subscription_item"
	itemPrefix = "si"
	itemDigits = 14
)

func subscriptionItemAPI() twin.API {
	return twin.API{
		Kind: twin.Kind{Object: itemObject, Prefix: itemPrefix, Digits: itemDigits},
		Routes: []twin.Route{
			twin.On("GET /v1/subscription_items", listSubscriptionItems),
			twin.On("GET /v1/subscription_items/{item}", retrieveSubscriptionItem),
			twin.On("POST /v1/subscription_items", createSubscriptionItem),
			twin.On("POST /v1/subscription_items/{item}", updateSubscriptionItem),
			twin.On("DELETE /v1/subscription_items/{item}", deleteSubscriptionItem),
		},
		Expand: map[string]string{
			"plan":  planObject,
			"price": "",
			// Never set here, and Stripe expands them.
			"discounts": discounts.Object,
		},
		Find: func(tx *twin.Tx, id string) canon.Raw {
			s, i := itemNamed(tx, id)
			if s == nil {
				return nil
			}
			return itemDoc(s, i).Body
		},
	}
}

// newItemID mints the id of an item.
func newItemID(tx *twin.Tx) string {
	for {
		id := tx.NewID(itemPrefix, itemDigits)
		if s, _ := itemNamed(tx, id); s == nil {
			return id
		}
	}
}

// itemNamed finds an item and a copy of the subscription that holds it, nil when
// there is none.
func itemNamed(tx *twin.Tx, id string) (*Subscription, int) {
	for s := range subscriptions.With(tx, "item="+id) {
		return s.copy(), s.item(id)
	}
	return nil, -1
}

// item is the index of an item, -1 for none.
func (s *Subscription) item(id string) int {
	for i := range s.Items.Data {
		if s.Items.Data[i].ID == id {
			return i
		}
	}
	return -1
}

type listSubscriptionItemsParams struct {
	page
	Subscription twin.Opt[string] `param:"subscription" rule:"required"`
}

func listSubscriptionItems(tx *twin.Tx, p *listSubscriptionItemsParams) (twin.Doc, *twin.Error) {
	doc, ok := subscriptions.Doc(tx, p.Subscription.V)
	if !ok {
		return twin.Doc{}, errNoSuchRef(subscriptions.Object, "subscription", p.Subscription.V)
	}
	shown, err := within(elements(doc.Body, "items"), itemObject, "/v1/subscription_items", p.page)
	shown.Rows = itemObject
	return shown, err
}

type retrieveSubscriptionItemParams struct {
	Item string `path:"item"`
}

func retrieveSubscriptionItem(tx *twin.Tx, p *retrieveSubscriptionItemParams) (twin.Doc, *twin.Error) {
	s, i := itemNamed(tx, p.Item)
	if s == nil {
		return twin.Doc{}, errNoSuch(itemObject, "item", p.Item)
	}
	return itemDoc(s, i), nil
}

func itemDoc(s *Subscription, i int) twin.Doc {
	return twin.Doc{Body: canon.Marshal(&s.Items.Data[i])}
}

// join names a parameter within another, or at the top.
func join(at, name string) string {
	if at == "" {
		return name
	}
	return at + "[" + name + "]"
}

// add appends an item that is billed from now on, in the subscription's rhythm.
func (s *Subscription) add(tx *twin.Tx, p *newItemParams, at, id string) (*SubscriptionItem, *twin.Error) {
	if len(s.Items.Data) == subscriptionItemsMax {
		return nil, errItemsMany()
	}
	pr, err := s.priced(tx, p.Price.V, join(at, "price"), p.PriceData.Given())
	if err != nil {
		return nil, err
	}
	it := SubscriptionItem{
		ID: id, Object: itemObject, Created: tx.Now(), Subscription: s.ID, Price: *pr, Plan: planOf(pr),
		Quantity: p.Quantity.Or(1), CurrentPeriodStart: s.BillingCycleAnchor,
		CurrentPeriodEnd: twin.Time(rhythm(pr).Boundary(int64(s.BillingCycleAnchor), 1)),
	}
	switch {
	case s.TrialEnd != nil && *s.TrialEnd > tx.Now():
		it.CurrentPeriodStart, it.CurrentPeriodEnd = tx.Now(), *s.TrialEnd
	case s.BillingCycleAnchor > tx.Now(): // the end of a first part of a period
		it.CurrentPeriodStart, it.CurrentPeriodEnd = tx.Now(), s.BillingCycleAnchor
		if p.since != 0 { // which is one of those that are billed
			s.Items.Data = append(s.Items.Data, it) // whose rhythm the cycle has
			it.CurrentPeriodStart = max(p.since, min(tx.Now(), twin.Time(s.cycle().before(rhythm(pr)))))
			s.Items.Data = s.Items.Data[:len(s.Items.Data)-1]
		}
	}
	if len(s.Items.Data) > 0 {
		first := &s.Items.Data[0]
		it.CurrentPeriodStart, it.CurrentPeriodEnd = first.CurrentPeriodStart, first.CurrentPeriodEnd
	}
	if err := it.chargeable(join(at, "quantity")); err != nil {
		return nil, err
	}
	if it.Metadata, err = applyMetadata(map[string]string{}, p.Metadata); err != nil {
		return nil, err
	}
	if err := it.applyDiscounts(tx, s, p.Discounts, p.since, at); err != nil {
		return nil, err
	}
	s.Items.Data = append(s.Items.Data, it)
	return &s.Items.Data[len(s.Items.Data)-1], nil
}

// itemPriceParams are a price that an item brings along.
type itemPriceParams struct {
	priceDataParams
	Recurring twin.Opt[itemRecurringParams] `param:"recurring" rule:"required"`
}

type itemRecurringParams struct {
	Interval      twin.Opt[string] `param:"interval" rule:"required,enum=day|month|week|year"`
	IntervalCount twin.Opt[int64]  `param:"interval_count" rule:"min=1"`
}

// check wants one price of an item. at is where the request names the item.
func (p *newItemParams) check(at string) *twin.Error {
	if !p.Price.Given() && !p.Plan.Given() && !p.PriceData.Given() {
		return errMissing(join(at, "price"))
	}
	return p.checkData(at)
}

// checkData is what check says of a price that is brought along, or named a plan: the two
// names may say the same.
func (p *newItemParams) checkData(at string) *twin.Error {
	switch {
	case p.Plan.Given() && (p.PriceData.Given() || p.Price.Given() && p.Price.V != p.Plan.V):
		other := "price"
		if p.PriceData.Given() {
			other = "price_data"
		}
		return errExclusive(join(at, "plan"), join(at, other))
	case p.Plan.Given():
		p.Price = p.Plan
		return nil
	case !p.PriceData.Given():
		return nil
	case p.Price.Given():
		return errExclusive(join(at, "price"), join(at, "price_data"))
	}
	if err := p.PriceData.V.check(join(at, "price_data")); err != nil {
		return err
	}
	every := p.PriceData.V.Recurring.V
	return (&recurringParams{Interval: every.Interval, IntervalCount: every.IntervalCount}).check(join(join(at, "price_data"), "recurring"))
}

// bring makes the price that an item brings along, if it does: nothing else can have
// it. From then on the item names it.
func (p *newItemParams) bring(tx *twin.Tx, at string) *twin.Error {
	if !p.PriceData.Given() || p.Price.Given() {
		return nil
	}
	d := &p.PriceData.V
	pr, err := d.make(tx, join(at, "price_data"))
	if err != nil {
		return err
	}
	pr.recur(d.Recurring.V.Interval.V, d.Recurring.V.IntervalCount.Or(1))
	tx.Emit("price.created", prices.Put(tx, pr), nil)
	p.Price = twin.Set(pr.ID)
	return nil
}

// applyDiscounts makes the discounts of an item of s what a request says; new ones
// begin at since, 0 for now.
func (it *SubscriptionItem) applyDiscounts(tx *twin.Tx, s *Subscription, p discountList, since twin.Time, at string) *twin.Error {
	if !p.Sent() {
		return nil
	}
	had := it.Discounts
	model := Discount{Customer: &s.Customer, Subscription: &s.ID, SubscriptionItem: &it.ID, Start: since}
	kept, err := grantAt(tx, p, model, s.Currency, had, join(at, "discounts"))
	if err != nil {
		return err
	}
	it.Discounts = kept
	endDiscounts(tx, without(had, kept))
	return nil
}

// priced finds a price that an item of s can have; brought says that it came with it.
func (s *Subscription) priced(tx *twin.Tx, id, param string, brought bool) (*Price, *twin.Error) {
	pr, err := sellable(tx, id, param, brought)
	if err != nil {
		return nil, err
	}
	if pr.Currency != s.Currency {
		return nil, errPriceCurrency(param, s.Currency)
	}
	for i := range s.Items.Data {
		if s.Items.Data[i].Price.ID == pr.ID {
			return nil, errPriceTwice(param, pr.ID)
		}
	}
	return pr, nil
}

// sellable finds a price that recurs and is sold, or was brought along.
func sellable(tx *twin.Tx, id, param string, brought bool) (*Price, *twin.Error) {
	pr, ok := prices.Get(tx, id)
	switch {
	case !ok:
		return nil, errNoSuchRef(prices.Object, param, id)
	case pr.Recurring == nil:
		return nil, errNotRecurring(param)
	case pr.Recurring.UsageType != "licensed":
		return nil, errUnserved("subscriptions to metered prices", param)
	case !pr.Active && !brought:
		return nil, errPriceInactive(param)
	}
	return pr, nil
}

// mirror copies onto the subscription what a subscription with one item shows of
// it.
func (s *Subscription) mirror() {
	s.Items.TotalCount = int64(len(s.Items.Data))
	s.Plan, s.Quantity = nil, nil
	if len(s.Items.Data) == 1 {
		plan, quantity := s.Items.Data[0].Plan, s.Items.Data[0].Quantity
		s.Plan, s.Quantity = &plan, &quantity
	}
}

// amount is what the item costs a period.
func (it *SubscriptionItem) amount() twin.Money {
	amount, _ := lineCost(it.Price.UnitAmountDecimal, it.Quantity)
	return amount
}

// chargeable refuses an item that costs more than an amount can be.
func (it *SubscriptionItem) chargeable(param string) *twin.Error {
	if _, ok := lineCost(it.Price.UnitAmountDecimal, it.Quantity); !ok {
		return errAmountLarge(param, amountMax, it.Price.Currency)
	}
	return nil
}

// name is what the item sells.
func (it *SubscriptionItem) name(tx *twin.Tx) string {
	if name := peek(tx, products.Table, it.Price.Product, "name"); name != "" {
		return name
	}
	return it.Price.ID
}

// text describes what the item bills, as its lines do.
func (it *SubscriptionItem) text(tx *twin.Tx) string {
	every := "/ " + it.Price.Recurring.Interval
	if n := it.Price.Recurring.IntervalCount; n > 1 {
		every = fmt.Sprintf("/ every %d %ss", n, it.Price.Recurring.Interval)
	}
	return fmt.Sprintf("%d × %s (at %s %s)", it.Quantity, it.name(tx), unitSum(it.Price.UnitAmountDecimal, it.Price.Currency), every)
}

// rhythm is the calendar of a recurring price.
func rhythm(pr *Price) seed.Recurring {
	return seed.Recurring{Interval: pr.Recurring.Interval, IntervalCount: pr.Recurring.IntervalCount}
}

// planOf is a recurring price as the older API showed it.
func planOf(pr *Price) Plan {
	return Plan{
		Active: pr.Active, Amount: pr.UnitAmount, AmountDecimal: pr.UnitAmountDecimal, BillingScheme: pr.BillingScheme,
		Created: pr.Created, Currency: pr.Currency, ID: pr.ID, Interval: pr.Recurring.Interval,
		IntervalCount: pr.Recurring.IntervalCount, Metadata: pr.Metadata, Nickname: pr.Nickname, Object: planObject,
		Product: pr.Product, UsageType: pr.Recurring.UsageType,
	}
}

// reprice shows a price as it now is in the subscriptions that bill it. Nothing
// of a subscription's own changes, so no event says so.
func reprice(tx *twin.Tx, pr *Price) {
	if pr.Recurring == nil {
		return
	}
	var holders []*Subscription
	for s := range subscriptions.With(tx, "price="+pr.ID) {
		holders = append(holders, s.copy())
	}
	for _, s := range holders {
		for i := range s.Items.Data {
			if it := &s.Items.Data[i]; it.Price.ID == pr.ID {
				it.Price, it.Plan = *pr, planOf(pr)
			}
		}
		s.mirror()
		subscriptions.Put(tx, s)
	}
}
