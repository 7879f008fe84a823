package store

import (
	"errors"
	"fmt"
	"runtime"

	"worlds/journal"
)

const (
	queueBytesMax  = 32 << 20 // appended and not yet written; above it Append writes
	batchBytesMax  = 2 << 20  // a batch takes no more records above it
	blanksMax      = 4
	spareBufBytes  = 4 << 20 // larger buffers are not kept
	firstBufBytes  = 16 << 10
	recordRoomWish = 16
)

var padding [batchAlign]byte

// Ticket is the promise that a record becomes durable. The zero Ticket is kept
// already.
type Ticket struct {
	store *Store
	batch *batch
}

// batch is what is written and synced together. Store.mu guards it until it is
// taken from the queue; then the pen owns buf.
type batch struct {
	buf     []byte // room for the header, then the records
	ahead   *ahead // where the record is, when it is not in buf
	records []pending
	claimed bool          // somebody who waits will write it
	turn    chan struct{} // its claimer waits here for the pen
	settled bool
	err     error
	done    chan struct{} // closed when settled
}

// pending is a record of a batch that is not settled.
type pending struct {
	world   *world
	inc     Incarnation
	seq     journal.Seq
	hash    journal.Hash
	at      uint32 // of key and value in buf
	bytes   uint32
	control *Control
}

// blank is what a settled batch leaves to the next.
type blank struct {
	buf     []byte
	records []pending
}

func newBatch(r blank) *batch {
	if r.buf == nil {
		r = blank{make([]byte, 0, firstBufBytes), make([]pending, 0, recordRoomWish)}
	}
	return &batch{buf: r.buf[:batchHeaderBytes], records: r.records, done: make(chan struct{})}
}

// Append puts r behind everything that was appended before and returns at
// once; the ticket's Wait returns when r is durable. It waits itself only when
// too much is unwritten or the shelf lags, and while a large record is written.
// Its errors are ErrClosed, ErrSealed, ErrWorld, ErrIncarnation, ErrOrder,
// ErrTooLarge and, of a large record, ErrUnwritten; nothing is appended then.
func (s *Store) Append(r Record) (Ticket, error) {
	if r.bodyBytes()+len(r.Entry.Side) > EntryBytesMax {
		return Ticket{}, fmt.Errorf("store: world %d, entry %d: %w", r.World, r.Entry.Seq, ErrTooLarge)
	}
	if r.Packed == nil {
		r.Packed = pack(r.Entry.Body)
	}
	if r.Control != nil {
		c := *r.Control // the caller's may change
		r.Control = &c
	}
	if recordBytes(&r) >= aheadBytesMin {
		return s.appendAhead(&r)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	w, err := s.mayAppend(&r)
	if err != nil {
		return Ticket{}, err
	}
	b := s.gather(recordBytes(&r))
	before := len(b.buf)
	var at int
	b.buf, at = appendRecord(b.buf, &r)
	s.queued += int64(len(b.buf) - before)
	return s.enter(w, b, &r, at, len(b.buf)-at), nil
}

// mayAppend waits for room and returns the world of which r is the next entry. The
// caller holds mu.
func (s *Store) mayAppend(r *Record) (*world, error) {
	if err := s.admit(); err != nil {
		return nil, err
	}
	return s.check(r)
}

// enter notes that r is in b, its key and value at a place of so many bytes. The
// caller holds mu.
func (s *Store) enter(w *world, b *batch, r *Record, at, bytes int) Ticket {
	b.records = append(b.records, pending{
		world: w, inc: r.Inc, seq: r.Entry.Seq, hash: r.Entry.Hash,
		at: uint32(at), bytes: uint32(bytes), control: r.Control,
	})
	w.head.Seq, w.head.Hash, w.last = r.Entry.Seq, r.Entry.Hash, b
	if r.Control != nil {
		s.control(r.Control, b)
	}
	if s.idle {
		s.idle = false
		kick(s.kickFlusher)
	}
	if !r.Lazy {
		w.change = b
	} else if b = w.change; b == nil || b.settled && b.err == nil {
		return Ticket{}
	}
	return Ticket{s, b}
}

// admit waits for room.
func (s *Store) admit() error {
	for {
		switch {
		case s.closed:
			return ErrClosed
		case s.sealed != nil:
			return s.sealed
		case s.queued > queueBytesMax:
			b := s.queue[0]
			s.mu.Unlock()
			_ = s.wait(b)
			s.mu.Lock()
		case s.lag > s.opt.ShelveLagBytes && s.shelfErr != nil:
			return fmt.Errorf("store: %w: %w", ErrSealed, s.shelfErr)
		case s.lag > s.opt.ShelveLagBytes && len(s.full) > 0:
			kick(s.kickKeeper)
			s.room.Wait()
		default:
			return nil
		}
	}
}

// check finds r's world and proves that r is its next entry.
func (s *Store) check(r *Record) (*world, error) {
	w := s.worlds[r.World]
	if w == nil || !w.there {
		return nil, fmt.Errorf("store: world %d: %w", r.World, ErrWorld)
	}
	if w.head.Inc != r.Inc {
		return nil, fmt.Errorf("store: world %d, incarnation %d: %w %d", r.World, r.Inc, ErrIncarnation, w.head.Inc)
	}
	if r.Entry.Seq == 0 || w.head.Seq != 0 && (r.Entry.Seq != w.head.Seq+1 || r.Entry.Prev != w.head.Hash) {
		return nil, fmt.Errorf("store: world %d, entry %d: %w after %d", r.World, r.Entry.Seq, ErrOrder, w.head.Seq)
	}
	c := r.Control
	if c == nil {
		return w, nil
	}
	target := s.worlds[c.World]
	switch {
	case r.World != 0 || c.World == 0:
		return nil, fmt.Errorf("store: %s of world %d by world %d: %w", c.Op, c.World, r.World, ErrWorld)
	case c.Op == Create && target != nil:
		return nil, fmt.Errorf("store: create world %d: it is there: %w", c.World, ErrWorld)
	case c.Op != Create && c.Op != Reset && c.Op != Drop:
		return nil, fmt.Errorf("store: %s: %w", c.Op, ErrWorld)
	case c.Op != Create && (target == nil || !target.there):
		return nil, fmt.Errorf("store: %s world %d: %w", c.Op, c.World, ErrWorld)
	case c.Op == Reset && c.Inc <= target.head.Inc:
		return nil, fmt.Errorf("store: reset world %d to incarnation %d: %w %d", c.World, c.Inc, ErrIncarnation, target.head.Inc)
	}
	return w, nil
}

// control applies c to what is appended.
func (s *Store) control(c *Control, b *batch) {
	w := s.worlds[c.World]
	if w == nil {
		w = &world{id: c.World}
		s.worlds[c.World] = w
	}
	w.head, w.there = Head{Inc: c.Inc}, c.Op != Drop
	w.last, w.change = b, b
}

// gather returns the batch that takes the next record, of n bytes.
func (s *Store) gather(n int64) *batch {
	if len(s.queue) > 0 {
		b := s.queue[len(s.queue)-1]
		if have := int64(len(b.buf)); b.ahead == nil && (len(b.records) == 0 ||
			have < batchBytesMax && have+n <= s.opt.SegmentBytes-segmentHeaderBytes) {
			return b
		}
	}
	var r blank
	if last := len(s.blanks) - 1; last >= 0 {
		r, s.blanks = s.blanks[last], s.blanks[:last]
	}
	b := newBatch(r)
	s.queue = append(s.queue, b)
	return b
}

// Wait returns when the record is durable by the store's level, or with the
// reason why it never will be. It may do the writing itself.
func (t Ticket) Wait() error {
	if t.batch == nil {
		return nil
	}
	return t.store.wait(t.batch)
}

func (s *Store) wait(b *batch) error {
	s.mu.Lock()
	if b.settled {
		s.mu.Unlock()
		return b.err
	}
	if b.claimed || b == s.writing {
		s.mu.Unlock()
		<-b.done
		return b.err
	}
	b.claimed = true
	if s.leading {
		b.turn = make(chan struct{}, 1)
		s.mu.Unlock()
		if !s.awaitTurn(b) {
			return b.err
		}
		s.mu.Lock()
	}
	s.leading = true
	s.mu.Unlock()
	runtime.Gosched() // who is about to append may come along
	s.mu.Lock()
	for !b.settled {
		s.commit()
	}
	s.passPen()
	s.mu.Unlock()
	return b.err
}

// awaitTurn waits until the pen comes to b's claimer, or b is settled without it, as
// a seal does. Both may have happened: then the pen goes on, and is not lost.
func (s *Store) awaitTurn(b *batch) bool {
	select {
	case <-b.turn:
		return true
	case <-b.done:
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-b.turn:
		s.passPen()
	default:
	}
	return false
}

// takePen waits for the pen, before any client.
func (s *Store) takePen() {
	s.mu.Lock()
	if !s.leading {
		s.leading = true
		s.mu.Unlock()
		return
	}
	turn := make(chan struct{}, 1)
	s.penQueue = append(s.penQueue, turn)
	s.mu.Unlock()
	<-turn
}

// passPen gives the pen to who waits for it. The caller holds mu and the pen.
func (s *Store) passPen() {
	if len(s.penQueue) > 0 {
		turn := s.penQueue[0]
		s.penQueue = s.penQueue[1:]
		turn <- struct{}{}
		return
	}
	for _, b := range s.queue {
		if b.turn != nil {
			b.turn <- struct{}{}
			return
		}
	}
	s.leading = false
}

// commit writes the oldest batch. The caller holds the pen and mu, which is
// released meanwhile.
func (s *Store) commit() {
	b := s.queue[0]
	s.queue = s.queue[1:]
	s.queued -= int64(len(b.buf) - batchHeaderBytes)
	if s.sealed != nil {
		s.settle(b, position{}, s.sealed)
		return
	}
	s.writing = b
	s.mu.Unlock()
	at, err := s.write(b, s.opt.Durability == Sync)
	s.mu.Lock()
	if err == nil {
		err = s.sealed // by a sync that failed meanwhile
	}
	if err != nil {
		s.mu.Unlock()
		s.erase(at)
		s.mu.Lock()
		s.seal(err)
		err = s.sealed
	}
	s.writing = nil
	s.settle(b, at, err)
}

// write puts b at the end of the tail and returns where. The caller holds the
// pen. The position is valid if anything may have reached the file.
func (s *Store) write(b *batch, sync bool) (position, error) {
	if b.ahead != nil {
		return s.writeHeads(b)
	}
	records := int64(len(b.buf))
	b.buf = append(b.buf, padding[:aligned(records)-records]...)
	if s.current.end+int64(len(b.buf)) > s.current.head.size {
		if err := s.roll(int64(len(b.buf))); err != nil {
			return position{}, err
		}
	}
	s.mu.Lock()
	seg := s.current
	head := batchHead{
		number: s.nextBatch, durable: s.synced,
		bytes: uint32(records - batchHeaderBytes), records: uint32(len(b.records)),
	}
	at := position{seg.head.number, seg.end}
	s.mu.Unlock()
	head.bodyCRC = checksum(seg.seed, b.buf[batchHeaderBytes:records])
	head.encode(b.buf, seg.seed)
	if err := s.opt.Hook(PointWrite); err != nil {
		return at, err
	}
	if _, err := seg.file.WriteAt(b.buf, at.offset); err != nil {
		return at, err
	}
	if !sync {
		return at, nil
	}
	if err := s.opt.Hook(PointWritten); err != nil {
		return at, err
	}
	if err := seg.file.SyncData(); err != nil {
		return at, err
	}
	_ = s.opt.Hook(PointSynced)
	return at, nil
}

// settle makes b's outcome known. The caller holds mu, and the pen unless b fails.
func (s *Store) settle(b *batch, at position, err error) {
	if err == nil {
		for i := range b.records {
			p := &b.records[i]
			place := ref{at.segment, uint32(at.offset + int64(p.at)), p.bytes}
			s.acknowledge(p.world, p.seq, p.hash, place, p.control)
		}
		n := int64(len(b.buf))
		if b.ahead != nil {
			n = b.ahead.size
		}
		s.current.end += n
		s.end.segment, s.end.offset = at.segment, s.current.end
		s.nextBatch++
		s.lag += n
		s.stats.Batches++
		s.stats.Entries += uint64(len(b.records))
		if s.opt.Durability == Sync {
			s.synced = s.end
			s.stats.Syncs++
		}
	}
	switch {
	case b.ahead == nil && len(s.blanks) < blanksMax && cap(b.buf) <= spareBufBytes:
		clear(b.records)
		s.blanks = append(s.blanks, blank{b.buf[:0], b.records[:0]})
	case b.ahead != nil && b.ahead.file != nil:
		b.ahead.discard()
	}
	b.settled, b.err, b.buf, b.records, b.ahead = true, err, nil, nil, nil
	close(b.done)
}

// acknowledge moves w on by one entry that is where place says.
func (s *Store) acknowledge(w *world, seq journal.Seq, hash journal.Hash, place ref, c *Control) {
	w.acked.Seq, w.acked.Hash = seq, hash
	if len(w.refs) == 0 {
		w.refsInc, w.first = w.acked.Inc, seq
	}
	w.refs = append(w.refs, place)
	s.touch(w)
	if c == nil {
		return
	}
	target := s.worlds[c.World]
	if target == nil {
		target = &world{id: c.World}
		s.worlds[c.World] = target
	}
	target.acked, target.ackedThere = Head{Inc: c.Inc}, c.Op != Drop
	target.refs = nil
	s.touch(target)
	if c.Op == Drop {
		delete(s.worlds, c.World)
	}
}

func (s *Store) touch(w *world) {
	if !w.dirty {
		w.dirty = true
		s.dirty = append(s.dirty, w)
	}
}

// takeDirty returns the worlds as the segment that ends here leaves them.
func (s *Store) takeDirty() []dirtied {
	rows := make([]dirtied, len(s.dirty))
	for i, w := range s.dirty {
		w.dirty = false
		rows[i] = dirtied{w, row{world: w.id, head: w.acked, there: w.ackedThere}}
	}
	s.dirty = nil
	return rows
}

// roll goes on in another segment, with room for n bytes. The caller holds the
// pen. What the old one holds is durable before the new one is written to.
func (s *Store) roll(n int64) error {
	if s.opt.Durability == Relaxed {
		if err := s.syncTail(); err != nil {
			return err
		}
	}
	next, err := s.takeReady(n)
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.turnTo(next)
	s.mu.Unlock()
	kick(s.kickKeeper)
	return nil
}

// turnTo makes next the current segment. The caller holds mu.
func (s *Store) turnTo(next *segment) {
	s.current.rows, s.current.nextBatch = s.takeDirty(), s.nextBatch
	s.full = append(s.full, s.current)
	s.current = next
}

// syncTail makes durable what is acknowledged.
func (s *Store) syncTail() error {
	s.files.RLock()
	defer s.files.RUnlock()
	s.mu.Lock()
	end, seg := s.end, s.current
	if !s.synced.before(end) {
		s.mu.Unlock()
		return nil
	}
	s.mu.Unlock()
	err := s.opt.Hook(PointWritten)
	if err == nil {
		err = seg.file.SyncData()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		s.seal(err)
		return s.sealed
	}
	if s.synced.before(end) {
		s.synced = end
	}
	s.stats.Syncs++
	return nil
}

// seal refuses everything from now on; what is not acknowledged fails and is
// as if it had never been appended. The caller holds mu.
func (s *Store) seal(cause error) {
	if s.sealed == nil {
		if !errors.Is(cause, ErrSealed) {
			cause = fmt.Errorf("store: %w: %w", ErrSealed, cause)
		}
		s.sealed = cause
		s.log.Error("journal sealed", "err", cause)
	}
	for _, b := range s.queue {
		s.queued -= int64(len(b.buf) - batchHeaderBytes)
		s.settle(b, position{}, s.sealed)
	}
	s.queue = nil
	s.revert()
	s.room.Broadcast()
}

// revert takes the heads back to what is acknowledged. The caller holds mu.
func (s *Store) revert() {
	for id, w := range s.worlds {
		w.head, w.there = w.acked, w.ackedThere
		w.last, w.change = nil, nil
		if !w.ackedThere {
			delete(s.worlds, id)
		}
	}
}

// erase makes sure, as far as a failing disk lets it, that a batch whose write
// failed is not found by a later run. The caller holds the pen.
func (s *Store) erase(at position) {
	seg := s.current
	if at.segment != seg.head.number || at.offset == 0 {
		return
	}
	_, err := seg.file.WriteAt(make([]byte, batchHeaderBytes), at.offset)
	if err == nil {
		err = seg.file.SyncData()
	}
	if err != nil {
		err = errors.Join(seg.file.Truncate(at.offset), seg.file.Sync())
	}
	if err != nil {
		s.log.Error("a batch that failed could not be erased", "segment", seg.path, "err", err)
	}
}

func kick(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
