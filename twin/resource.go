package twin

import (
	"fmt"
	"iter"

	"worlds/journal/canon"
	"worlds/journal/mutant"
	"worlds/projection"
)

// Kind is the identity of an object type: where its rows are, what the wire
// calls it, and the shape of its ids (prefix_ and so many base-62 digits).
type Kind struct {
	Table  string // "stripe.customer"; "" for kinds that are only embedded
	Object string // "customer"
	Prefix string // "cus"
	Digits int
}

// Resource is a Kind with its Go type. Key, Terms and Due are pure; Terms and Due
// may be nil.
type Resource[T any] struct {
	Kind
	Key func(*T) string
	// Terms are the exact index terms of an object, "field=value".
	Terms func(*T) []string
	// Due is when time next acts on an object, 0 for never.
	Due func(*T) int64
}

// Doc is one answer or stored object as canonical bytes.
type Doc struct {
	Body canon.Raw
	// Status is the answer's status, 0 for 200.
	Status int64
	// Headers to add to the answer: name, value pairs.
	Headers []string
	// Rows is, of a list, the kind of its rows ("charge"), "" when they are of several.
	// What cannot be expanded of them is refused of an empty list, too.
	Rows string
	// ref is the number of the fact that put it, plus one; 0 when there is none.
	ref int
}

// Get returns the object id. It is read-only: copy, change, Put.
func (r Resource[T]) Get(tx *Tx, id string) (*T, bool) {
	row := tx.st.Get(r.Table, id)
	if row == nil {
		return nil, false
	}
	return r.Decode(row), true
}

// Doc returns the stored bytes of object id.
func (r Resource[T]) Doc(tx *Tx, id string) (Doc, bool) {
	row := tx.st.Get(r.Table, id)
	if row == nil {
		return Doc{}, false
	}
	return Doc{Body: row.Body}, true
}

// Decode reads a row of this resource.
func (r Resource[T]) Decode(row *projection.Row) *T {
	v := new(T)
	if err := canon.Unmarshal(row.Body, v); err != nil {
		panic(fmt.Sprintf("twin: %s %s: %v", r.Table, row.ID, err))
	}
	return v
}

// Put makes or replaces the object and returns what was stored.
func (r Resource[T]) Put(tx *Tx, v *T) Doc { return r.put(tx, v, canon.Marshal(v)) }

func (r Resource[T]) put(tx *Tx, v *T, body canon.Raw) Doc {
	f := &projection.Put{Table: r.Table, ID: r.Key(v), Body: body}
	if r.Terms != nil {
		f.Terms = r.Terms(v)
	}
	if r.Due != nil {
		f.Due = r.Due(v)
	}
	tx.bytes += len(f.Body)
	tx.record(f)
	return Doc{Body: f.Body, ref: tx.spilled + len(tx.facts)}
}

// Replace puts v and returns what was stored, what changed (the previous values,
// in the shape of an event's previous_attributes) and whether anything did. When
// nothing changed, nothing is written.
func (r Resource[T]) Replace(tx *Tx, v *T) (doc Doc, previous canon.Raw, changed bool) {
	id := r.Key(v)
	row := tx.st.Get(r.Table, id)
	if row == nil {
		return r.Put(tx, v), canon.Raw("{}"), true
	}
	body := canon.Marshal(v)
	previous, changed = Changes(row.Body, body)
	if !changed {
		return Doc{Body: row.Body}, nil, false
	}
	if mutant.Is("previous-is-present") {
		previous, _ = Changes(body, row.Body)
	}
	return r.put(tx, v, body), previous, true
}

// Bury replaces the object by a stub that only says it was deleted.
func (r Resource[T]) Bury(tx *Tx, id string, stub canon.Raw) Doc {
	tx.record(&projection.Put{Table: r.Table, ID: id, Body: stub})
	return Doc{Body: stub, ref: tx.spilled + len(tx.facts)}
}

// Delete removes the object.
func (r Resource[T]) Delete(tx *Tx, id string) {
	tx.record(&projection.Delete{Table: r.Table, ID: id})
}

// NewID mints the next id of this kind; an id that a seeded object holds is
// skipped.
func (r Resource[T]) NewID(tx *Tx) string {
	for {
		id := tx.NewID(r.Prefix, r.Digits)
		if tx.st.Get(r.Table, id) == nil {
			return id
		}
	}
}

// Derive is the id of this kind that parent implies under label. It moves no
// counter.
func (r Resource[T]) Derive(tx *Tx, parent, label string) string {
	return derivedID(r.Prefix, tx.m.Spec.SeedHash, parent, label, r.Digits)
}

// With yields the objects that carry the index term, oldest first. Collect
// before putting into the same table.
func (r Resource[T]) With(tx *Tx, term string) iter.Seq[*T] {
	return func(yield func(*T) bool) {
		for row := range tx.st.OldestWith(r.Table, term, 0) {
			if !yield(r.Decode(row)) {
				return
			}
		}
	}
}
