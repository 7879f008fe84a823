package webhook

import (
	"context"
	"slices"

	"worlds/journal/mutant"
	"worlds/projection"
	"worlds/twin"
	"worlds/twin/world"
)

// target is where the deliveries to an endpoint go.
type target struct {
	url     string
	secret  string
	logical bool // sign with the world's clock
}

// plan is what is due in a world at one position.
type plan struct {
	view     world.View
	catalogs []*twin.Catalog
	targets  map[string]target
	rows     []*projection.Delivery // in order; those held back last
}

// look plans what is due now. Rows of endpoints that are not there, or disabled,
// wait until they are.
func (d *Deliverer) look(ctx context.Context, w *world.World) (*plan, error) {
	v, err := w.View(ctx)
	if err != nil {
		return nil, err
	}
	p := &plan{view: v, catalogs: d.catalogs, targets: map[string]target{}}
	if !v.State.HasPending() {
		return p, nil
	}
	g, err := w.Genesis()
	if err != nil {
		return nil, err
	}
	e := w.Endpoint()
	if e != nil && e.URL != "" {
		p.targets[twin.EndpointLabel] = target{url: e.URL, secret: e.Secret, logical: e.Logical}
	}
	spec := twin.SpecOf(g.Seed)
	for _, c := range d.catalogs {
		if c.Hooks == nil {
			continue
		}
		for _, h := range c.Hooks(v.State, spec) {
			p.targets[h.Endpoint] = target{url: h.URL, secret: h.Secret, logical: e != nil && e.Logical}
		}
	}
	for _, row := range v.State.PendingDeliveries() {
		if _, known := p.targets[row.Endpoint]; known && row.Due <= v.State.Now() {
			p.rows = append(p.rows, row)
		}
	}
	if mutant.Is("delivered-backwards") {
		slices.Reverse(p.rows)
	}
	return p, nil
}

// endpoints lists the endpoints that something is due for, in the order of their
// first rows. Held rows count only for a flush.
func (p *plan) endpoints(held bool) []string {
	var out []string
	seen := map[string]bool{}
	for _, row := range p.rows {
		if !seen[row.Endpoint] && (held || row.Turn != 0) {
			seen[row.Endpoint] = true
			out = append(out, row.Endpoint)
		}
	}
	return out
}

// body is the bytes of an event as an endpoint gets them, the same at every
// attempt; nil if its API delivers none.
func (p *plan) body(row *projection.Delivery) []byte {
	e := p.view.State.EventByID(row.Event)
	if mutant.Is("body-at-present") && row.Attempts > 0 {
		e = p.newest()
	}
	for _, c := range p.catalogs {
		if e != nil && c.Name == e.API && c.Delivery != nil {
			return c.Wire.Render(nil, c.Delivery(p.view.State, e, row.Version), "")
		}
	}
	return nil
}

// typeOf is the type of the event of a row.
func (p *plan) typeOf(row *projection.Delivery) string {
	if e := p.view.State.EventByID(row.Event); e != nil {
		return e.Type
	}
	return ""
}

// stamp is the time a signature carries.
func (p *plan) stamp(t target) int64 {
	if t.logical {
		return p.view.State.Now()
	}
	return wallNow()
}

// newest is the last event of the log: the mutant body-at-present.
func (p *plan) newest() *projection.EventRow {
	for e := range p.view.State.NewestEvents(0) {
		return e
	}
	return nil
}
