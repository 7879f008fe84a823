package twin

// presence is what a request said about a parameter.
type presence uint8

const (
	absent presence = iota
	cleared
	given
)

// Opt is a parameter that may be absent, sent empty (cleared) or given. The zero
// Opt is absent.
type Opt[T any] struct {
	V     T
	state presence
}

// Set returns a given Opt.
func Set[T any](v T) Opt[T] { return Opt[T]{V: v, state: given} }

// Clear returns a cleared Opt.
func Clear[T any]() Opt[T] { return Opt[T]{state: cleared} }

// Given reports that the parameter has a value.
func (o Opt[T]) Given() bool { return o.state == given }

// Cleared reports that the parameter was sent empty, to unset the field.
func (o Opt[T]) Cleared() bool { return o.state == cleared }

// Sent reports that the parameter was given or cleared.
func (o Opt[T]) Sent() bool { return o.state != absent }

// Or returns the value, or def when none was given.
func (o Opt[T]) Or(def T) T {
	if o.state == given {
		return o.V
	}
	return def
}

// Apply changes *field as the request says: absent leaves it, cleared sets it to
// nil, given sets it.
func (o Opt[T]) Apply(field **T) {
	switch o.state {
	case cleared:
		*field = nil
	case given:
		v := o.V
		*field = &v
	}
}

// Money is an amount in the minor unit of its currency.
type Money int64

// Decimal is a decimal number as text, without leading or trailing zeros: 12.5.
// It is kept as a string and shown as its API wants it.
type Decimal string

// Time is a logical instant in unix seconds.
type Time int64

// Metadata is what a request says about a metadata map: an empty value deletes
// its key.
type Metadata map[string]string

// Range filters a number: equal to, or between bounds.
type Range struct {
	GT  Opt[int64] `param:"gt"`
	GTE Opt[int64] `param:"gte"`
	LT  Opt[int64] `param:"lt"`
	LTE Opt[int64] `param:"lte"`
	Eq  Opt[int64] `param:"-"`
}

// Has reports whether n lies in the range. The zero Range has everything.
func (r Range) Has(n int64) bool {
	return (!r.GT.Given() || n > r.GT.V) && (!r.GTE.Given() || n >= r.GTE.V) &&
		(!r.LT.Given() || n < r.LT.V) && (!r.LTE.Given() || n <= r.LTE.V) &&
		(!r.Eq.Given() || n == r.Eq.V)
}
