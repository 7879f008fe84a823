package projection

import (
	"fmt"

	"worlds/journal/canon"
)

// kinds are the facts there are. A new kind is a type in fact.go, its apply and
// its undo, a line here, a row in docs/format.md and a new golden journal.
var kinds = [...]struct {
	name  string
	keeps bool // a State keeps texts or bytes of it
	make  func() Fact
}{
	{"put", true, func() Fact { return new(Put) }},
	{"event", true, func() Fact { return new(Event) }},
	{"idem", true, func() Fact { return new(Idem) }},
	{"log", false, func() Fact { return new(Log) }},
	{"minted", false, func() Fact { return new(Minted) }},
	{"counter", true, func() Fact { return new(Counter) }},
	{"clock", false, func() Fact { return new(Clock) }},
	{"delete", false, func() Fact { return new(Delete) }},
	{"mark", true, func() Fact { return new(Mark) }},
	{"delivery", true, func() Fact { return new(Delivery) }},
	{"rule", true, func() Fact { return new(Rule) }},
}

// ParseFact reads one encoded fact, which need not be trusted: it accepts just
// the canonical bytes that Append writes. prior are the facts of the same entry
// that stand before it, which a reference may name. The fact aliases data. Every
// error wraps ErrFact.
func ParseFact(data canon.Raw, prior []Fact) (Fact, error) {
	if err := canon.Valid(data); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFact, err)
	}
	r := reader{strict: true, bodies: make([]canon.Raw, len(prior))}
	for i, f := range prior {
		r.bodies[i] = f.body()
	}
	kind, ok := r.open(data)
	if !ok {
		return nil, r.err
	}
	f := kinds[kind].make()
	f.parse(&r)
	if err := r.close(); err != nil {
		return nil, err
	}
	return f, nil
}

func (f *Put) parse(r *reader) {
	f.Table, f.ID, f.Terms, f.Due, f.Body = r.text(), r.text(), r.texts(), r.number(), r.body()
}

func (f *Delete) parse(r *reader) { f.Table, f.ID = r.text(), r.text() }

func (f *Event) parse(r *reader) {
	f.ID, f.API, f.Type, f.Created, f.Meta = r.text(), r.text(), r.text(), r.number(), r.value()
	f.Ref, f.Object = r.ref()
}

func (f *Clock) parse(r *reader)   { f.Now = r.number() }
func (f *Minted) parse(r *reader)  { f.Count = r.number() }
func (f *Counter) parse(r *reader) { f.Name, f.Value = r.text(), r.number() }
func (f *Mark) parse(r *reader)    { f.Name = r.text() }

func (f *Idem) parse(r *reader) {
	f.Key, f.API, f.Target, f.Fingerprint = r.text(), r.text(), r.text(), r.text()
	f.Request, f.Version, f.Status = r.text(), r.text(), r.number()
	f.Ref, f.Reply = r.ref()
}

func (f *Log) parse(r *reader) { f.Count = r.number() }
