package webhook

import (
	"context"
	"errors"
	"slices"
	"time"

	"worlds/journal/canon"
	"worlds/projection"
	"worlds/twin"
	"worlds/twin/world"
)

// Batch is what a flush did: the rows it tried, as they stand now and in the order
// of the ledger, and how many due ones it did not reach.
type Batch struct {
	Deliveries []twin.DeliveryInfo `json:"deliveries"`
	Unreached  int64               `json:"unreached"`
}

// parcel is one row in a flush. ready is closed once its attempt was made, or will
// not be.
type parcel struct {
	row     *projection.Delivery
	outcome string // "" if it was not tried
	settled bool   // by somebody else, before its turn came
	ready   chan struct{}
}

// Flush tries everything that is due in a world now, rows held back included, and
// returns within FlushTimeout. Outcomes are taken down in the order of the ledger,
// so that two runs with the same listeners end in the same journal. With only, it
// tries those rows and no others.
func (d *Deliverer) Flush(ctx context.Context, w *world.World, only []int64) (*Batch, error) {
	ctx, cancel := context.WithTimeout(ctx, FlushTimeout)
	defer cancel()
	d.mu.Lock()
	o := d.office(w)
	d.mu.Unlock()
	if w.Take(ctx, world.ForFlush, o.flush) != nil {
		return &Batch{Unreached: d.due(ctx, w)}, nil // another flush took the time
	}
	defer func() { <-o.flush }()
	p, err := d.look(ctx, w)
	if err != nil {
		return nil, err
	}
	var parcels []*parcel
	for _, row := range p.rows {
		if only == nil || slices.Contains(only, row.Number) {
			parcels = append(parcels, &parcel{row: row, ready: make(chan struct{})})
		}
	}
	settled := make(chan struct{})
	defer close(settled)
	for _, endpoint := range p.endpoints(true) {
		var mine []*parcel
		for _, c := range parcels {
			if c.row.Endpoint == endpoint {
				mine = append(mine, c)
			}
		}
		if len(mine) == 0 {
			continue
		}
		d.mu.Lock()
		l := o.lane(laneKey{p.view.Inc, endpoint})
		d.mu.Unlock()
		if d.Queue == nil {
			go d.carry(ctx, w, l, mine, settled)
			continue
		}
		if w.Take(ctx, world.ForLane, l.slot) == nil {
			defer func() { <-l.slot }()
			mine = mine[d.tryAll(ctx, w, mine):]
		}
		for _, c := range mine {
			close(c.ready)
		}
	}
	return d.takeDown(ctx, w, p, parcels)
}

// carry makes the attempts of one endpoint and keeps the way to it until they are
// taken down.
func (d *Deliverer) carry(ctx context.Context, w *world.World, l *lane, parcels []*parcel, settled <-chan struct{}) {
	if w.Take(ctx, world.ForLane, l.slot) == nil {
		defer func() { <-l.slot }()
		parcels = parcels[d.tryAll(ctx, w, parcels):]
	}
	for _, c := range parcels {
		close(c.ready)
	}
	<-settled
}

// tryAll makes attempts in order while there is time, and returns how many parcels
// are ready.
func (d *Deliverer) tryAll(ctx context.Context, w *world.World, parcels []*parcel) (ready int) {
	p, err := d.look(ctx, w) // a worker may have been here meanwhile
	if err != nil {
		return 0
	}
	dropping := twin.Dropping(p.view.State, parcels[0].row.Endpoint)
	deadline, _ := ctx.Deadline()
	for _, c := range parcels {
		if time.Until(deadline) < AttemptTimeout || ctx.Err() != nil || d.ctx.Err() != nil {
			return ready
		}
		now := p.view.State.Delivery(c.row.Number)
		if now != nil && now.Status == projection.Pending && now.Attempts == c.row.Attempts {
			outcome := d.attempt(ctx, w, p, c.row, dropping(c.row.Event))
			if d.ctx.Err() != nil {
				return ready
			}
			c.outcome = outcome
		} else {
			c.settled = true
		}
		ready++
		close(c.ready)
	}
	return ready
}

// takeDown records the outcomes in order.
func (d *Deliverer) takeDown(ctx context.Context, w *world.World, p *plan, parcels []*parcel) (*Batch, error) {
	b := &Batch{}
	for _, c := range parcels {
		<-c.ready
		if c.outcome == "" {
			if !c.settled {
				b.Unreached++
			}
			continue
		}
		answer, err := d.record(context.WithoutCancel(ctx), w, p, c.row, c.outcome)
		if err != nil {
			return nil, err
		}
		if answer.Status != statusDone {
			continue // a rule came or went meanwhile: it is still due
		}
		var info twin.DeliveryInfo
		if err := canon.Unmarshal(answer.Body, &info); err != nil {
			return nil, err
		}
		info.Type = p.typeOf(c.row)
		b.Deliveries = append(b.Deliveries, info)
	}
	return b, nil
}

// Rest is what a quiesce found: whether the world came to rest in time, how many
// attempts that took, and what is still going on.
type Rest struct {
	Quiet    bool  `json:"quiet"`
	Attempts int64 `json:"attempts"`
	InFlight int64 `json:"in_flight"`
	Due      int64 `json:"due"`
}

// restPoll is how often a quiesce looks whether requests are in flight.
const restPoll = 2 * time.Millisecond

// Quiesce waits until no request is in flight in a world and a flush finds
// nothing due, at most FlushTimeout.
func (d *Deliverer) Quiesce(ctx context.Context, w *world.World) (*Rest, error) {
	ctx, cancel := context.WithTimeout(ctx, FlushTimeout)
	defer cancel()
	r := &Rest{}
	for {
		d.stillness(ctx, w)
		b, err := d.Flush(ctx, w, nil)
		if err == nil {
			r.Attempts += int64(len(b.Deliveries))
			if len(b.Deliveries) == 0 && b.Unreached == 0 && w.InFlight() == 0 {
				r.Quiet = true
				return r, nil
			}
		}
		if deadline, _ := ctx.Deadline(); time.Until(deadline) < AttemptTimeout { // too little for another attempt
			r.InFlight, r.Due = int64(w.InFlight()), d.due(ctx, w)
			return r, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// stillness waits until no request is in flight.
func (d *Deliverer) stillness(ctx context.Context, w *world.World) {
	for w.InFlight() > 0 && ctx.Err() == nil {
		switch err := w.Pass(ctx, world.Passing{Point: world.Waiting, For: world.ForFlight}); {
		case errors.Is(err, world.ErrAgain):
		case err != nil:
			return
		default:
			time.Sleep(restPoll)
		}
	}
}

// due is the number of rows due now, even when ctx has ended.
func (d *Deliverer) due(ctx context.Context, w *world.World) int64 {
	p, err := d.look(context.WithoutCancel(ctx), w)
	if err != nil {
		return 0
	}
	return int64(len(p.rows))
}
