package webhook

import (
	"context"
	"errors"
	"log/slog"
	"sync"

	"worlds/projection"
	"worlds/twin"
	"worlds/twin/world"
)

// Deliverer drains the ledgers of a server's worlds.
type Deliverer struct {
	sender   *Sender
	catalogs []*twin.Catalog
	log      *slog.Logger
	ctx      context.Context
	stop     context.CancelFunc
	workers  sync.WaitGroup

	// mu guards the maps and the flags in them, nothing else.
	mu      sync.Mutex
	ended   bool
	offices map[*world.World]*office
}

// office is the deliveries of one world.
type office struct {
	looking bool // someone looks for what is due
	again   bool // and must look again
	flush   chan struct{}
	lanes   map[laneKey]*lane
}

// laneKey names an endpoint in one life of a world.
type laneKey struct {
	inc      world.Incarnation
	endpoint string
}

// lane is the way to one endpoint; who holds slot may send.
type lane struct {
	slot    chan struct{}
	running bool // a worker drains it
	again   bool // and must look again before it ends
}

// NewDeliverer returns a Deliverer for worlds with these catalogs. Close ends it.
func NewDeliverer(sender *Sender, catalogs []*twin.Catalog, log *slog.Logger) *Deliverer {
	ctx, stop := context.WithCancel(context.Background())
	return &Deliverer{sender: sender, catalogs: catalogs, log: log, ctx: ctx, stop: stop, offices: map[*world.World]*office{}}
}

// Close cuts what is on its way, takes nothing of it down, and waits for the
// workers.
func (d *Deliverer) Close() {
	d.mu.Lock()
	d.ended = true
	d.mu.Unlock()
	d.stop()
	d.workers.Wait()
}

// office returns the office of a world. The caller holds mu.
func (d *Deliverer) office(w *world.World) *office {
	o := d.offices[w]
	if o == nil {
		o = &office{flush: make(chan struct{}, 1), lanes: map[laneKey]*lane{}}
		d.offices[w] = o
	}
	return o
}

// lane returns the way to an endpoint. The caller holds mu.
func (o *office) lane(key laneKey) *lane {
	l := o.lanes[key]
	if l == nil {
		for other, old := range o.lanes {
			if other.inc < key.inc && !old.running {
				delete(o.lanes, other)
			}
		}
		l = &lane{slot: make(chan struct{}, 1)}
		o.lanes[key] = l
	}
	return l
}

// Wake looks, in the background, for what is due in a world, unless its endpoint
// is delivered to only when told. It never blocks.
func (d *Deliverer) Wake(w *world.World) {
	if !automatic(w) {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.ended {
		return
	}
	o := d.office(w)
	if o.looking {
		o.again = true
		return
	}
	o.looking = true
	d.workers.Add(1)
	go d.dispatch(w, o)
}

// automatic reports whether a world delivers by itself. It does unless its
// operator says otherwise.
func automatic(w *world.World) bool {
	e := w.Endpoint()
	return e == nil || e.Auto
}

// dispatch starts a worker for each endpoint that something is due for.
func (d *Deliverer) dispatch(w *world.World, o *office) {
	defer d.workers.Done()
	for {
		p, err := d.look(d.ctx, w)
		d.mu.Lock()
		if errors.Is(err, world.ErrGone) {
			delete(d.offices, w)
		}
		if err == nil {
			for _, endpoint := range p.endpoints(false) {
				l := o.lane(laneKey{p.view.Inc, endpoint})
				if l.running {
					l.again = true
					continue
				}
				l.running = true
				d.workers.Add(1)
				go d.work(w, endpoint, l)
			}
		}
		if !o.again || err != nil {
			o.looking, o.again = false, false
			d.mu.Unlock()
			return
		}
		o.again = false
		d.mu.Unlock()
	}
}

// work drains the rows of one endpoint until none is due.
func (d *Deliverer) work(w *world.World, endpoint string, l *lane) {
	defer d.workers.Done()
	for {
		more := d.drain(w, endpoint, l)
		d.mu.Lock()
		if !more && !l.again {
			l.running = false
			d.mu.Unlock()
			return
		}
		l.again = false
		d.mu.Unlock()
	}
}

// drain sends what is due for an endpoint, once; more says that it is worth to
// look again.
func (d *Deliverer) drain(w *world.World, endpoint string, l *lane) (more bool) {
	select {
	case l.slot <- struct{}{}:
	case <-d.ctx.Done():
		return false
	}
	defer func() { <-l.slot }()
	p, err := d.look(d.ctx, w)
	if err != nil || !automatic(w) {
		return false
	}
	dropping := twin.Dropping(p.view.State, endpoint)
	for _, row := range p.rows {
		if row.Endpoint != endpoint || row.Turn == 0 {
			continue
		}
		outcome := d.attempt(p, row, dropping(row.Event))
		if d.ctx.Err() != nil {
			return false
		}
		answer, err := w.Deliver(d.ctx, p.view.Inc, twin.DeliverArgs(row.Number, row.Attempts+1, outcome))
		if err != nil {
			return false // another life of the world, or none
		}
		more = true
		if answer.Status != statusDone {
			return true // the world has changed: look again
		}
	}
	return more
}

// statusDone is the status of an operation that was done.
const statusDone = 200

// attempt makes one attempt to deliver, or not, if it is to be dropped.
func (d *Deliverer) attempt(p *plan, row *projection.Delivery, dropped bool) string {
	if dropped {
		return twin.OutcomeDropped
	}
	to := p.targets[row.Endpoint]
	body := p.body(row)
	return d.sender.Send(d.ctx, to.url, Signature(to.secret, p.stamp(to), body), body)
}
