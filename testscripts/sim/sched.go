package sim

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"worlds/testscripts"
	"worlds/twin/world"
)

// sched gives out permits, one at a time. A permit to an item leads to exactly one
// of: it stands at its next point, it has ended, it waits for somebody; the item
// itself reports which, so that nothing is guessed.
type sched struct {
	play   *play
	report chan *item
	open   chan struct{} // closed: everything goes on by itself
	live   sync.WaitGroup

	items   []*item          // not ended, in the order of enqueueing
	ended   map[string]*item // the last of each writer
	made    int              // items so far
	places  []*place
	current *item    // goes on before others
	selects []string // who is to be picked next, whatever the order
	letters []string // writers as schedules name them
	choose  func([]*item) int
	taken   []choice // permits given in an exploration

	progress int // permits that led somewhere
	synced   int // the progress at which deliveries were last looked for
	syncing  bool
	millis   int64 // that latency rules have slept
	attempts int
	stopped  error // a budget that ran out
}

func newSched(p *play) *sched {
	return &sched{play: p, report: make(chan *item), open: make(chan struct{}), ended: map[string]*item{}, synced: -1}
}

// seam is the Hook of every server that scenarios are played on. Whoever does not
// belong to an item, a judge for one, passes.
func seam(ctx context.Context, at *world.Passing) error {
	it := itemOf(ctx)
	switch {
	case it == nil:
		return nil
	case it.writer == scriptWriter:
		return it.sched.scripted(it, at)
	}
	return it.sched.arrive(it, at)
}

// arrive lets an item stand at a point until it gets a permit. It runs in the item's
// goroutine.
func (s *sched) arrive(it *item, at *world.Passing) error {
	select {
	case <-s.open:
		return letGo(at)
	default:
	}
	it.at, it.state = *at, parked
	if at.Point == world.Waiting {
		it.state = waiting
	}
	select {
	case s.report <- it:
	case <-s.open:
		return letGo(at)
	}
	select {
	case verdict := <-it.permit:
		return verdict
	case <-s.open:
		return letGo(at)
	}
}

// letGo is the verdict for everybody once the scheduler has given up.
func letGo(at *world.Passing) error {
	if at.Point != world.Waiting {
		return nil
	}
	switch at.For {
	case world.ForLatency:
		return world.ErrAgain
	case world.ForFlight:
		return errBound
	}
	return nil
}

// scripted is the seam for what the script does itself, in its own goroutine: it
// stands nowhere, and what it waits for is made to happen.
func (s *sched) scripted(it *item, at *world.Passing) error {
	it.at = *at
	if at.Point != world.Waiting {
		s.play.passed(it, at)
		return nil
	}
	if s.syncing {
		return errAborted
	}
	switch at.For {
	case world.ForLatency:
		s.millis += at.Millis
		return world.ErrAgain
	case world.ForLock, world.ForLane, world.ForFlush:
		if holder := s.holder(it); holder != nil {
			return &BlockedByLockError{Writer: it.writer, Holder: holder.writer, At: holder.at.Point, For: at.For}
		}
	}
	next, verdict := s.pick("")
	if next == nil {
		return errBound
	}
	if err := s.step(next, verdict); err != nil {
		return err
	}
	return world.ErrAgain
}

// enqueue makes an item. Nothing of it happens before it is picked.
func (s *sched) enqueue(it *item) *item {
	s.made++
	it.sched, it.id, it.permit = s, s.made, make(chan error, 1)
	if !slices.ContainsFunc(s.items, func(o *item) bool { return o.writer == it.writer }) {
		s.play.watermark(it.writer)
	}
	s.items = append(s.items, it)
	s.progress++
	return it
}

// grant lets an item go on and returns once it stands still again.
func (s *sched) grant(it *item, verdict error) error {
	if it.state == queued {
		it.state = running
		s.live.Add(1)
		go s.begin(it)
	} else {
		it.state = running
		it.permit <- verdict
	}
	limit := s.play.limits.Hold
	timer := bound(limit)
	defer timer.Stop()
	select {
	case <-s.report:
	case <-s.open:
		return errAborted
	case <-timer.C:
		return s.stop(&BudgetError{Budget: "max-hold", Limit: limit.String(), Where: it.writer})
	}
	if it.state != waiting {
		s.progress++
	}
	it.since = s.progress
	return nil
}

// begin runs an item in a goroutine of its own.
func (s *sched) begin(it *item) {
	defer s.live.Done()
	defer func() {
		if p := recover(); p != nil {
			it.err = fmt.Errorf("panic: %v", p)
		}
		select {
		case <-s.open:
			return
		default:
		}
		it.state = done
		select {
		case s.report <- it:
		case <-s.open:
		}
	}()
	it.answer, it.err = it.run(it.context())
}

// stop ends the scenario for a budget; everything is let go.
func (s *sched) stop(err error) error {
	if s.stopped == nil {
		s.stopped = err
	}
	s.release()
	return s.stopped
}

// release lets everything go on by itself. It is safe to call again, and from the
// watchdog.
func (s *sched) release() {
	s.play.opening.Do(func() { close(s.open) })
}

// step gives an item permits until it stands where another could be picked.
func (s *sched) step(it *item, verdict error) error {
	if s.stopped != nil {
		return s.stopped
	}
	if err := s.play.within(); err != nil {
		return s.stop(err)
	}
	for {
		if it.state == parked && it.at.Point == world.Produced && it.agent {
			verdict = s.play.fenced(it)
		}
		if err := s.grant(it, verdict); err != nil {
			return err
		}
		switch it.state {
		case done:
			s.finish(it)
			return nil
		case waiting:
			if it.at.For == world.ForLatency {
				it.wake = s.millis + it.at.Millis
			}
			return nil
		}
		s.play.passed(it, &it.at)
		s.play.watched(it)
		if it.hold != nil || !through(it) {
			return nil
		}
		verdict = nil
	}
}

// through reports that nobody is asked who goes next at the point where an item
// stands: nothing that another could see has happened since the last one.
func through(it *item) bool {
	switch it.at.Point {
	case world.Decided, world.Claimed:
		return true
	case world.Produced, world.Committed:
		return it.row > 0
	}
	return false
}

// finish takes an ended item out.
func (s *sched) finish(it *item) {
	s.items = slices.DeleteFunc(s.items, func(o *item) bool { return o == it })
	s.ended[it.writer] = it
	if s.current == it {
		s.current = nil
	}
	s.play.finished(it)
}

// runOut lets an item go on until it ends, is held or waits.
func (s *sched) runOut(it *item) error {
	for it.state != done && it.hold == nil {
		if it.state == waiting && it.since >= s.progress {
			return nil
		}
		var verdict error
		if it.state == waiting {
			verdict = world.ErrAgain
		}
		if err := s.step(it, verdict); err != nil {
			return err
		}
	}
	return nil
}

// runnable lists the items that could go on, the least (due, enqueued) first.
func (s *sched) runnable() []*item {
	var out []*item
	busy := map[string]bool{}
	for _, it := range s.items {
		if busy[it.writer] && !it.lost {
			continue
		}
		ready := false
		switch it.state {
		case queued:
			ready = it.due <= s.place(it.world).now
			busy[it.writer] = busy[it.writer] || it.agent
		case parked:
			ready = it.hold == nil
			busy[it.writer] = busy[it.writer] || !it.lost
		case waiting:
			ready = it.at.For != world.ForLatency && it.since < s.progress
			busy[it.writer] = busy[it.writer] || !it.lost
		}
		if ready {
			out = append(out, it)
		}
	}
	slices.SortStableFunc(out, func(a, b *item) int { return cmp.Compare(a.due, b.due) })
	return out
}

// pick says who goes next and with what verdict; nil when nobody can. A writer that
// answers to prefer goes before others.
func (s *sched) pick(prefer string) (*item, error) {
	s.lookForDeliveries()
	list := s.runnable()
	if len(list) == 0 {
		return s.passTime()
	}
	if s.choose != nil {
		list = append(list, s.patient()...)
	}
	it := s.chosen(list, prefer)
	switch {
	case it.state == waiting && it.at.For == world.ForFlight && s.choose != nil && it.at.World.InFlight() > 0:
		return it, errBound
	case it.state == waiting:
		return it, world.ErrAgain
	}
	return it, nil
}

// patient lists who waits with a bound and could be told now that it has passed: in
// an exploration that may happen at any time.
func (s *sched) patient() []*item {
	var out []*item
	for _, it := range s.items {
		if it.state == waiting && it.at.For == world.ForFlight && it.since >= s.progress {
			out = append(out, it)
		}
	}
	return out
}

func (s *sched) chosen(list []*item, prefer string) *item {
	if s.choose != nil {
		for _, it := range list {
			if it.state == queued && it.row == 0 {
				return it // to its first point, where the order begins to matter
			}
		}
		return list[s.choose(list)]
	}
	for len(s.selects) > 0 {
		name := s.selects[0]
		s.selects = s.selects[1:]
		for _, it := range list {
			if answersTo(it.writer, name) {
				s.current = it
				return it
			}
		}
		s.play.warn("%s is not pending; falling back to the default order", name)
	}
	if prefer != "" && prefer != anyWriter {
		for _, it := range list {
			if answersTo(it.writer, prefer) {
				return it
			}
		}
	}
	if !slices.Contains(list, s.current) {
		s.current = list[0]
	}
	return s.current
}

// passTime wakes who waits for time to pass: the sleep that ends first, then who
// waits with a bound.
func (s *sched) passTime() (*item, error) {
	var first *item
	for _, it := range s.items {
		if it.state == waiting && it.hold == nil && it.at.For == world.ForLatency && (first == nil || it.wake < first.wake) {
			first = it
		}
	}
	if first != nil {
		s.millis = max(s.millis, first.wake)
		return first, world.ErrAgain
	}
	for _, it := range s.items {
		if it.state == waiting && it.at.For == world.ForFlight {
			s.play.warn("%s stops waiting for what is in flight", it.writer)
			return it, errBound
		}
	}
	return nil, nil
}

// settle gives permits until nobody can go on without the clock moving.
func (s *sched) settle() error {
	for {
		it, verdict := s.pick("")
		if it == nil {
			return s.stopped
		}
		if err := s.step(it, verdict); err != nil {
			return err
		}
	}
}

// lookForDeliveries enqueues the attempt that is next on the way to each endpoint.
func (s *sched) lookForDeliveries() {
	if s.synced == s.progress {
		return
	}
	s.synced = s.progress
	for _, pl := range s.places {
		if pl.world == nil || pl.gone || s.inside(pl.world) != nil || !pl.automatic() {
			continue
		}
		for _, d := range s.dues(pl) {
			if d.Now && !s.onTheWay(pl.world, d.Endpoint) {
				s.enqueueAttempt(pl, d.Number, d.Endpoint, d.Event, d.Type, d.At)
			}
		}
	}
}

// loseClaims lets the deliverer lose its claims on all endpoints.
func (p *play) loseClaims() {
	s := p.sched
	for _, it := range s.items {
		if it.row > 0 && it.state != queued && !it.lost {
			it.lost, it.writer = true, it.writer+"/lost"
		}
	}
	for _, pl := range s.places {
		p.rig.Server().Admin.Deliverer.Forsake(pl.world)
	}
	s.progress++
	p.warn("the deliverer has lost its claims")
}

// inside is the item that has a world's lock, nil if none is held with it.
func (s *sched) inside(w *world.World) *item {
	for _, it := range s.items {
		if it.state == parked && it.at.Point == world.Decided && it.at.World == w {
			return it
		}
	}
	return nil
}

func (s *sched) onTheWay(w *world.World, endpoint string) bool {
	return slices.ContainsFunc(s.items, func(it *item) bool { return it.world == w && it.row > 0 && it.way == endpoint && !it.lost })
}

func (s *sched) enqueueAttempt(pl *place, row int64, endpoint, event, kind string, due int64) *item {
	writer := deliverWriter
	if endpoint != operatorEndpoint {
		writer += "/" + pl.names.text(endpoint)
	}
	it := &item{writer: writer, world: pl.world, due: due, row: row, way: endpoint}
	it.title = "deliver " + pl.names.text(event) + " " + kind
	server := s.play.rig.Server()
	it.run = func(ctx context.Context) (testscripts.Answer, error) {
		_, err := server.Admin.Deliverer.Next(ctx, pl.world, endpoint, row)
		return testscripts.Answer{}, err
	}
	return s.enqueue(it)
}

// holder is the held item that has what another waits for, nil if there is none.
func (s *sched) holder(it *item) *item {
	for _, o := range s.items {
		if o == it || o.hold == nil || o.at.World != it.at.World {
			continue
		}
		switch it.at.For {
		case world.ForLock:
			if o.at.Point == world.Decided {
				return o
			}
		case world.ForLane:
			if o.row > 0 && !o.lost || o.title == "POST /webhooks/flush" {
				return o
			}
		case world.ForFlush:
			if o.title == "POST /webhooks/flush" {
				return o
			}
		}
	}
	return nil
}

// blocked is the error for a writer that cannot go on because of a held one.
func (s *sched) blocked(handle string) error {
	for _, it := range s.items {
		if it.state != waiting || !answersTo(it.writer, handle) {
			continue
		}
		if holder := s.holder(it); holder != nil {
			return &BlockedByLockError{Writer: it.writer, Holder: holder.writer, At: holder.at.Point, For: it.at.For}
		}
	}
	return nil
}

// unhold ends the hold of an item.
func (s *sched) unhold(it *item) {
	it.hold = nil
	s.play.line(Line{Writer: it.writer, Kind: KindRelease, Text: "released"}, it.world)
}

// standings says where everybody is, the ended ones last.
func (s *sched) standings() []Standing {
	var out []Standing
	for _, it := range s.items {
		out = append(out, it.standing())
	}
	return out
}

// waiter finds the last item of a writer that is not done.
func (s *sched) last(writer string) *item {
	for _, it := range slices.Backward(s.items) {
		if answersTo(it.writer, writer) {
			return it
		}
	}
	return s.ended[writer]
}

// errNobody says that a writer has done nothing.
func errNobody(writer string) error { return fmt.Errorf("%s has nothing under way", writer) }

// answer runs until the last item of a writer has ended.
func (s *sched) answer(writer string) (*item, error) {
	it := s.last(writer)
	if it == nil {
		return nil, errNobody(writer)
	}
	for it.state != done {
		if it.hold != nil {
			return nil, fmt.Errorf("%s is held at %s; release it first", it.writer, it.at.Point)
		}
		if err := s.blocked(writer); err != nil {
			return nil, err
		}
		next, verdict := s.pick(writer)
		if next == nil {
			return nil, fmt.Errorf("%s cannot end: %s", writer, standingText(s.standings()))
		}
		if err := s.step(next, verdict); err != nil {
			return nil, err
		}
	}
	return it, nil
}

// joined waits until every item has ended, once everything was let go.
func (s *sched) joined() bool {
	all := make(chan struct{})
	go func() { s.live.Wait(); close(all) }()
	select {
	case <-all:
		return true
	case <-bound(unwindWait).C:
		return false
	}
}

// unwindWait is how long items that were let go may take to end.
const unwindWait = 10 * time.Second

// choice is one permit of an exploration.
type choice struct {
	among []string // the letters of who could have gone, the taken one first to last in order
	taken int
}

// letter is how schedules name a writer: a, b, c in the order they came.
func (s *sched) letter(writer string) string {
	i := slices.Index(s.letters, writer)
	if i < 0 {
		i = len(s.letters)
		s.letters = append(s.letters, writer)
	}
	if i < lettersMax {
		return string(rune('a' + i))
	}
	return "(" + strconv.Itoa(i) + ")"
}

const lettersMax = 26

// isBudget reports whether an error is a budget that ran out.
func isBudget(err error) bool {
	var b *BudgetError
	return errors.As(err, &b)
}
