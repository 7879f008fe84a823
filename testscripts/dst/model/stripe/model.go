package stripe

import (
	"fmt"
	"strings"

	"worlds/testscripts/dst/model"
)

// Model is one world as the contract has it.
type Model struct {
	seed     *seedDoc
	now      int64
	names    *model.Names
	minted   map[string]int // symbols given, by kind
	seq      int            // objects made, in all tables
	places   map[string]int // of objects in the order of creation, by table and id
	undo     []func()       // takes the operation in hand back
	requests int            // operations seen: their symbols name no object
	request  requestInfo
	keys     map[string]*answered
	aliases  map[string]string // of idempotency keys, by order of first use

	customers  *table[customer]
	balanceTxs *table[balanceEntry] // of customers
	products   *table[product]
	prices     *table[price]
	coupons    *table[coupon]
	promos     *table[promotion]
	discounts  *table[discount]
	gone       map[string]*coupon // deleted coupons, which discounts still use
	methods    *table[method]
	intents    *table[intent]
	setups     *table[setup]
	charges    *table[charge]
	refunds    *table[refund]
	disputes   *table[dispute]
	txs        *table[transaction]
	invoices   *table[invoice]
	payments   *table[payment] // of invoices
	items      *table[invoiceItem]
	notes      *table[note]
	subs       *table[subscription]
	tables     []shelf

	events  []event
	checked checkedDump
	hints   hints  // of the dump in hand
	lost    string // why the model no longer knows what the world is like
}

// New is the model of a fresh world of a seed, in its JSON text.
func New(seed []byte) (*Model, error) {
	doc, err := readSeed(seed)
	if err != nil {
		return nil, err
	}
	m := &Model{seed: doc}
	m.Reset()
	return m, nil
}

// Reset is a reset of the world.
func (m *Model) Reset() {
	*m = Model{seed: m.seed, now: m.seed.Epoch, names: model.NewNames(fits), minted: map[string]int{}, places: map[string]int{},
		keys: map[string]*answered{}, aliases: map[string]string{}, checked: newCheckedDump()}
	m.customers = newTable(m, "customer", customerBody, readCustomer)
	m.balanceTxs = newTable(m, "customer_balance_transaction", balanceEntryBody, readBalanceEntry)
	m.products = newTable(m, "product", productBody, readProduct)
	m.prices = newTable(m, "price", priceBody, readPrice)
	m.coupons = newTable(m, "coupon", couponBody, readCoupon)
	m.promos = newTable(m, "promotion_code", promotionBody, readPromotion)
	m.discounts = newTable(m, "discount", discountBody, readDiscount)
	m.gone = map[string]*coupon{}
	m.methods = newTable(m, "payment_method", methodBody, readMethod)
	m.intents = newTable(m, "payment_intent", intentBody, readIntent)
	m.setups = newTable(m, "setup_intent", setupBody, readSetup)
	m.charges = newTable(m, "charge", chargeBody, readCharge)
	m.refunds = newTable(m, "refund", refundBody, readRefund)
	m.disputes = newTable(m, "dispute", disputeBody, readDispute)
	m.txs = newTable(m, "balance_transaction", transactionBody, readTransaction)
	m.invoices = newTable(m, "invoice", invoiceBody, readInvoice)
	m.payments = newTable(m, "invoice_payment", paymentBody, readPayment)
	m.items = newTable(m, "invoice_item", invoiceItemBody, readInvoiceItem)
	m.notes = newTable(m, "credit_note", noteBody, readNote)
	m.subs = newTable(m, "subscription", subscriptionBody, readSubscription)
	m.load()
	m.undo = nil
}

// Now is the world's clock.
func (m *Model) Now() int64 { return m.now }

// Lost says why the model no longer knows what the world is like, "" while it does.
func (m *Model) Lost() string { return m.lost }

// mint gives the next symbol of a kind of id.
func (m *Model) mint(kind string) string {
	m.minted[kind]++
	n := m.minted[kind]
	m.undo = append(m.undo, func() { m.minted[kind]-- })
	return model.Symbol(kind, n)
}

// rollback takes back what the operation in hand has changed.
func (m *Model) rollback() {
	for i := len(m.undo) - 1; i >= 0; i-- {
		m.undo[i]()
	}
	m.undo = nil
}

// Ids whose form is not "kind_letters": how they look.
var forms = map[string]func(string) bool{
	"coupon": capitals(8), "prefix": capitals(8), "promocode": capitals(8),
	"fingerprint": letters(16), "secret": letters(0), "line": letters(0),
	"dp":  func(id string) bool { return strings.HasPrefix(id, "dp_") || strings.HasPrefix(id, "du_") },
	"upc": func(id string) bool { return strings.HasPrefix(id, "upcoming_in_") },
}

func capitals(n int) func(string) bool {
	return func(id string) bool {
		return len(id) == n && strings.Trim(id, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") == ""
	}
}

func letters(n int) func(string) bool {
	return func(id string) bool {
		return (n == 0 && id != "" || len(id) == n) && !strings.ContainsFunc(id, func(r rune) bool {
			return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
		})
	}
}

// fits reports whether an id can be one of a kind.
func fits(kind, id string) bool {
	if form, ok := forms[kind]; ok {
		return form(id)
	}
	rest, ok := strings.CutPrefix(id, kind+"_")
	return ok && letters(0)(strings.ReplaceAll(rest, "_", ""))
}

// symbolOf is the model's word for an id that came from outside: a symbol where one
// is known, else the text itself.
func (m *Model) symbolOf(text string) string {
	kind, _, ok := strings.Cut(text, "_")
	if !ok {
		kind = "coupon"
		if s := m.names.Symbol(kind, text); s != text {
			return s
		}
		return m.names.Symbol("promocode", text)
	}
	switch kind {
	case "du":
		kind = "dp"
	case "upcoming":
		kind = "upc"
	}
	if strings.Contains(text, "_secret_") {
		return text
	}
	return m.names.Symbol(kind, text)
}

// table holds the objects of one type, in order of creation.
type table[T any] struct {
	m     *Model
	name  string
	rows  map[string]*T
	order []string
	body  func(*Model, *T) model.Value
	from  func(*source, *T)
	dirty map[string]bool

	opaque map[string]model.Value // objects that the model only shows
	read   map[string]model.Value // objects that the last Adopt read
}

// shelf is a table of any type.
type shelf struct {
	name  string
	order func() []string
	body  func(id string) model.Value
	dirty map[string]bool

	has    func(id string) bool
	adopt  func([]Row)
	settle func() bool
}

func newTable[T any](m *Model, name string, body func(*Model, *T) model.Value, from func(*source, *T)) *table[T] {
	t := &table[T]{m: m, name: name, rows: map[string]*T{}, body: body, from: from, dirty: map[string]bool{}}
	m.tables = append(m.tables, shelf{name, func() []string { return t.order }, t.shown, t.dirty, t.has, t.adopt, t.settle})
	return t
}

func (t *table[T]) has(id string) bool { return t.rows[id] != nil }

// shown is an object as the world holds it.
func (t *table[T]) shown(id string) model.Value {
	if v, ok := t.opaque[id]; ok {
		return v
	}
	return t.body(t.m, t.rows[id])
}

// get is an object to read, or nil. Of an opaque one there is no opinion.
func (t *table[T]) get(id string) *T {
	if _, ok := t.opaque[id]; ok {
		panic(noOpinion("an object of an unusual kind"))
	}
	return t.rows[id]
}

// must is an object that the model itself refers to.
func (t *table[T]) must(id string) *T {
	row := t.get(id)
	if row == nil {
		panic(fmt.Sprintf("model: there is no %s %q", t.name, id))
	}
	return row
}

// add makes an object.
func (t *table[T]) add(id string, row *T) *T {
	if t.rows[id] != nil {
		panic(fmt.Sprintf("model: a second %s %q", t.name, id))
	}
	t.rows[id], t.dirty[id] = row, true
	t.order = append(t.order, id)
	t.m.places[t.name+"/"+id] = t.m.nextSeq()
	t.m.undo = append(t.m.undo, func() {
		delete(t.rows, id)
		t.order = t.order[:len(t.order)-1]
	})
	return row
}

// edit is an object to change: a copy that has taken its place. What it refers to
// must be replaced, not changed.
func (t *table[T]) edit(id string) *T {
	old := t.must(id)
	row := *old
	t.rows[id], t.dirty[id] = &row, true
	t.m.undo = append(t.m.undo, func() { t.rows[id], t.dirty[id] = old, true })
	return &row
}

// remove deletes an object.
func (t *table[T]) remove(id string) {
	old, order := t.must(id), t.order
	delete(t.rows, id)
	t.order = nil
	for _, other := range order {
		if other != id {
			t.order = append(t.order, other)
		}
	}
	t.m.undo = append(t.m.undo, func() { t.rows[id], t.dirty[id], t.order = old, true, order })
}

// find is the ids of the objects that a test holds for, oldest first.
func (t *table[T]) find(holds func(*T) bool) (ids []string) {
	for _, id := range t.order {
		if holds(t.rows[id]) {
			ids = append(ids, id)
		}
	}
	return ids
}

// value is an object as it is shown.
func (t *table[T]) value(id string) model.Value {
	if t.rows[id] == nil {
		t.must(id)
	}
	return t.shown(id)
}
