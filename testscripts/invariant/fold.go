package invariant

import (
	"bytes"
	"slices"

	"worlds/journal/canon"
)

// row is one image of one object. It is not changed once made.
type row struct {
	table, id string
	seq, ord  uint64
	terms     []string
	due       int64
	body      canon.Raw // nil: the row is gone
	was       *row      // the image before, nil for the first
}

func (r *row) there() bool { return r != nil && r.body != nil }

type event struct {
	id, api, kind string
	seq           uint64
	created       int64
	meta, object  canon.Raw
}

type record struct {
	key, api, target, fingerprint, request, version string
	status                                          int64
	reply                                           canon.Raw
}

type delivery struct {
	number                                    int64
	event, endpoint, version, status, outcome string
	attempts, due, turn                       int64
	again                                     bool // an operator had the event sent once more
}

type rule struct {
	id             string
	matched, acted int64
	spec           canon.Raw
}

type mark struct {
	name string
	seq  uint64
}

// fold is the state that a second reader of docs/format.md makes of facts.
type fold struct {
	tables     map[string]map[string]*row // the last image of every row that ever was
	ords       uint64
	events     []*event
	eventByID  map[string]*event
	records    map[string]*record
	counters   map[string]int64
	marks      map[string]mark
	deliveries []*delivery
	rules      []*rule
	clock      int64
	minted     int64
	logged     int64

	children map[child][]string // ids, in order of creation
	open     map[attempt]int    // pending deliveries
	untried  map[string][]int64 // pending deliveries of an endpoint that were not tried yet
	known    map[string]bool    // ids of objects that are or were
}

// child names the objects of a table that belong to one parent.
type child struct{ table, parent string }

// attempt names what is delivered where.
type attempt struct{ event, endpoint string }

// parents are the members by which the sums of a parent find their parts.
var parents = map[string]string{
	"stripe.refund":                       "charge",
	"stripe.line":                         "invoice",
	"stripe.credit_note":                  "invoice",
	"stripe.customer_balance_transaction": "customer",
}

func newFold() *fold {
	return &fold{
		tables: map[string]map[string]*row{}, eventByID: map[string]*event{}, records: map[string]*record{},
		counters: map[string]int64{}, marks: map[string]mark{}, children: map[child][]string{}, open: map[attempt]int{},
		untried: map[string][]int64{},
		known:   map[string]bool{},
	}
}

// last is the last image of a row, which may be that it is gone; nil if there
// never was one.
func (f *fold) last(table, id string) *row { return f.tables[table][id] }

// get is a row that is there, nil if there is none.
func (f *fold) get(table, id string) *row {
	if r := f.tables[table][id]; r.there() {
		return r
	}
	return nil
}

// put makes or replaces a row and returns its new image.
func (f *fold) put(seq uint64, table, id string, terms []string, due int64, body canon.Raw) *row {
	t := f.tables[table]
	if t == nil {
		t = map[string]*row{}
		f.tables[table] = t
	}
	old := t[id]
	r := &row{table: table, id: id, seq: seq, terms: terms, due: due, body: body, was: old}
	if old.there() {
		r.ord = old.ord
	} else {
		f.ords++
		r.ord = f.ords
		f.adopt(r)
	}
	t[id] = r
	f.known[id] = true
	return r
}

// adopt lists a new row under its parent.
func (f *fold) adopt(r *row) {
	member, ok := parents[r.table]
	if !ok {
		return
	}
	if parent := text(r.body, member); parent != "" {
		c := child{r.table, parent}
		f.children[c] = append(f.children[c], r.id)
	}
}

// remove marks a row as gone and returns that image, nil if there was no row.
func (f *fold) remove(seq uint64, table, id string) *row {
	old := f.get(table, id)
	if old == nil {
		return nil
	}
	if member, ok := parents[table]; ok {
		c := child{table, text(old.body, member)}
		f.children[c] = slices.DeleteFunc(f.children[c], func(other string) bool { return other == id })
	}
	r := &row{table: table, id: id, seq: seq, ord: old.ord, was: old}
	f.tables[table][id] = r
	return r
}

// of yields the rows that belong to a parent, oldest first.
func (f *fold) of(table, parent string) func(func(*row) bool) {
	return func(yield func(*row) bool) {
		for _, id := range f.children[child{table, parent}] {
			if r := f.get(table, id); r != nil && !yield(r) {
				return
			}
		}
	}
}

// at is the image of a row after an entry, nil if it was not there.
func (r *row) at(seq uint64) *row {
	for ; r != nil; r = r.was {
		if r.seq <= seq {
			if r.there() {
				return r
			}
			return nil
		}
	}
	return nil
}

// deliver makes or replaces a row of the ledger.
func (f *fold) deliver(d *delivery) (was *delivery) {
	if n := d.number; n >= 1 && n <= int64(len(f.deliveries)) {
		was = f.deliveries[n-1]
		f.deliveries[n-1] = d
		f.count(was, -1)
	} else {
		f.deliveries = append(f.deliveries, d)
	}
	f.count(d, 1)
	return was
}

func (f *fold) count(d *delivery, by int) {
	if d.status != statusPending {
		return
	}
	a := attempt{d.event, d.endpoint}
	if f.open[a] += by; f.open[a] == 0 {
		delete(f.open, a)
	}
	if d.attempts > 0 {
		return
	}
	list := f.untried[d.endpoint]
	if i, found := slices.BinarySearch(list, d.number); by > 0 && !found {
		f.untried[d.endpoint] = slices.Insert(list, i, d.number)
	} else if by < 0 && found {
		f.untried[d.endpoint] = slices.Delete(list, i, i+1)
	}
}

// setRule makes, replaces or removes a fault rule.
func (f *fold) setRule(r *rule) {
	i := slices.IndexFunc(f.rules, func(other *rule) bool { return other.id == r.id })
	switch {
	case isNull(r.spec) && i >= 0:
		f.rules = slices.Delete(f.rules, i, i+1)
	case isNull(r.spec):
	case i >= 0:
		f.rules[i] = r
	default:
		f.rules = append(f.rules, r)
	}
}

// rows yields the rows of a table that are there, in creation order.
func (f *fold) rows(table string) []*row {
	out := make([]*row, 0, len(f.tables[table]))
	for _, r := range f.tables[table] {
		if r.there() {
			out = append(out, r)
		}
	}
	slices.SortFunc(out, func(a, b *row) int {
		if a.ord < b.ord {
			return -1
		}
		return 1
	})
	return out
}

// The readers of canonical members; what is null, absent or of another type reads
// as nothing.

func text(object canon.Raw, name string) string {
	raw, _ := canon.Get(object, name)
	s, _ := canon.Unquote(raw)
	return s
}

func number(object canon.Raw, name string) int64 {
	raw, _ := canon.Get(object, name)
	n, _ := canon.Int(raw)
	return n
}

func member(object canon.Raw, path ...string) canon.Raw {
	for _, name := range path {
		object, _ = canon.Get(object, name)
	}
	return object
}

func isNull(v canon.Raw) bool { return len(v) == 0 || string(v) == "null" }

func equal(a, b canon.Raw) bool { return bytes.Equal(a, b) }
