package store

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	bolt "go.etcd.io/bbolt"

	"worlds/journal"
)

const (
	shelveBytesMax = 64 << 20 // of segments in one transaction of the shelf
	flushTick      = LazyDelay / 2
	retryDelay     = time.Second      // after a shelving that failed
	clearPause     = time.Millisecond // between slices, for the other writers
	gatherDelay    = 5 * time.Second  // at most, from the first full segment to its shelving
	gatherShare    = 8                // of the lag at which appends wait: enough to shelve
)

// flush is the flusher: it writes what nobody waits for, and syncs what was
// written without.
func (s *Store) flush() {
	timer := time.NewTimer(flushTick)
	defer timer.Stop()
	for {
		select {
		case <-s.kickFlusher:
		case <-s.quit:
			return
		}
		for busy := true; busy; {
			s.mu.Lock()
			var waiting *batch
			if n := len(s.queue); n > 0 {
				waiting = s.queue[n-1]
			}
			s.mu.Unlock()
			timer.Reset(flushTick)
			select {
			case <-timer.C:
			case <-s.quit:
				return
			}
			if waiting != nil {
				_ = s.wait(waiting)
			}
			if s.opt.Durability == Relaxed {
				_ = s.syncTail()
			}
			s.mu.Lock()
			busy = s.sealed == nil && (len(s.queue) > 0 || s.writing != nil || s.synced.before(s.end))
			s.idle = !busy
			s.mu.Unlock()
		}
	}
}

// drain writes and syncs everything appended so far.
func (s *Store) drain() error {
	s.mu.Lock()
	b := s.writing
	if n := len(s.queue); n > 0 {
		b = s.queue[n-1]
	}
	err := s.sealed
	s.mu.Unlock()
	if b != nil {
		err = s.wait(b)
	}
	if err == nil && s.opt.Durability == Relaxed {
		err = s.syncTail()
	}
	return err
}

// Sync returns when everything appended so far is synced to disk, whatever the
// store's level.
func (s *Store) Sync() error {
	if s.isClosed() {
		return ErrClosed
	}
	return s.drain()
}

func (s *Store) isClosed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}

// Shelve moves everything appended so far to the shelf.
func (s *Store) Shelve() error {
	if s.readOnly {
		return ErrReadOnly
	}
	if s.isClosed() {
		return ErrClosed
	}
	if err := s.drain(); err != nil {
		return err
	}
	return s.shelveAll()
}

// shelveAll ends the current segment and moves all of the tail that is
// acknowledged. If that cannot be ended because the store is sealed, see Reopen.
func (s *Store) shelveAll() error {
	s.takePen()
	last := s.current.head.number
	var err error
	if s.current.end > segmentHeaderBytes {
		err = s.turn()
	}
	s.mu.Lock()
	s.passPen()
	s.mu.Unlock()
	if err != nil {
		return err
	}
	for s.unshelved(last) {
		if _, err := s.shelve(); err != nil {
			return err
		}
	}
	return nil
}

// unshelved reports whether a segment up to number last is not shelved.
func (s *Store) unshelved(last uint64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.full) > 0 && s.full[0].head.number <= last
}

// turn goes on in another segment, also when the store is sealed. The caller
// holds the pen.
func (s *Store) turn() error {
	s.mu.Lock()
	sealed := s.sealed != nil
	s.mu.Unlock()
	if !sealed {
		return s.roll(0)
	}
	next, err := s.takeReady(0)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.turnTo(next)
	return nil
}

// Reopen lifts the seal after a failed write: it moves what is acknowledged to
// the shelf and goes on in a new segment, so that what failed stays away. The
// store stays sealed if it returns an error. It is nothing on a store that is
// not sealed.
func (s *Store) Reopen() error {
	if s.readOnly {
		return ErrReadOnly
	}
	s.mu.Lock()
	sealed, closed := s.sealed != nil, s.closed
	s.mu.Unlock()
	if closed {
		return ErrClosed
	}
	if !sealed {
		return nil
	}
	if err := s.shelveAll(); err != nil {
		return err
	}
	s.takePen()
	defer func() {
		s.mu.Lock()
		s.passPen()
		s.mu.Unlock()
	}()
	s.mu.Lock()
	b := newBatch(blank{})
	s.synced = s.end // by the shelf
	s.mu.Unlock()
	at, err := s.write(b, true)
	if err != nil {
		s.erase(at)
		return fmt.Errorf("store: %w: %w", ErrSealed, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settle(b, at, nil)
	s.synced, s.sealed, s.shelfErr = s.end, nil, nil
	return nil
}

// keep is the keeper: it shelves full segments and clears dead entries.
func (s *Store) keep() {
	for {
		pause := s.tidy()
		if pause < 0 {
			select {
			case <-s.kickKeeper:
			case <-s.quit:
				return
			}
			s.gatherTail()
			continue
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-s.quit:
			timer.Stop()
			return
		}
	}
}

// gatherTail waits until there is more to shelve, though not for long: what one
// transaction puts beside a large entry writes that entry again.
func (s *Store) gatherTail() {
	timer := time.NewTimer(gatherDelay)
	defer timer.Stop()
	for s.behind() < s.opt.ShelveLagBytes/gatherShare {
		select {
		case <-s.kickKeeper:
		case <-timer.C:
			return
		case <-s.quit:
			return
		}
	}
}

// behind is how many bytes of the tail are not shelved.
func (s *Store) behind() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lag
}

// tidy does one piece of work and returns how long to pause, below 0 if there
// is nothing more to do.
func (s *Store) tidy() time.Duration {
	n, err := s.shelve()
	if err != nil {
		s.log.Warn("the tail could not be shelved", "err", err)
		return retryDelay
	}
	if n > 0 {
		return 0
	}
	more, err := s.clearSome()
	if err != nil {
		s.log.Warn("dead entries could not be cleared", "err", err)
		return retryDelay
	}
	if more {
		return clearPause
	}
	return -1
}

// batchOfShelf is what one transaction of the shelf takes over.
type batchOfShelf struct {
	segs  []*segment
	bytes int64
	rows  map[World]row
	runs  []run
	mark  watermark
}

// run is what a world has in the segments.
type run struct {
	world *world
	inc   Incarnation
	refs  []ref
}

// shelve moves full segments to the shelf, as many as one transaction takes,
// and returns how many.
func (s *Store) shelve() (int, error) {
	s.shelving.Lock()
	defer s.shelving.Unlock()
	job := s.collect()
	if len(job.segs) == 0 {
		return 0, nil
	}
	err := s.syncDead()
	if err == nil {
		err = s.put(job)
	}
	s.mu.Lock()
	s.shelfErr = err
	if err != nil {
		s.room.Broadcast()
		s.mu.Unlock()
		return 0, err
	}
	for _, r := range job.runs {
		if w := r.world; w.refsInc == r.inc && len(w.refs) > 0 {
			w.refs = w.refs[len(r.refs):]
			w.first += journal.Seq(len(r.refs))
			if len(w.refs) == 0 {
				w.refs = nil
			}
		}
		s.stats.Shelved += uint64(len(r.refs))
	}
	s.full = s.full[len(job.segs):]
	s.lag -= job.bytes
	s.moved++
	s.room.Broadcast()
	s.mu.Unlock()
	s.retire(job.segs)
	return len(job.segs), nil
}

// collect picks full segments and what is alive in them.
func (s *Store) collect() *batchOfShelf {
	s.mu.Lock()
	defer s.mu.Unlock()
	job := &batchOfShelf{rows: map[World]row{}}
	seen := map[*world]bool{}
	var worlds []*world
	for _, seg := range s.full {
		if job.bytes > 0 && job.bytes+seg.end > shelveBytesMax {
			break
		}
		job.segs = append(job.segs, seg)
		job.bytes += seg.end
		for _, d := range seg.rows {
			job.rows[d.row.world] = d.row
			if !seen[d.world] {
				seen[d.world] = true
				worlds = append(worlds, d.world)
			}
		}
	}
	if len(job.segs) == 0 {
		return job
	}
	last := job.segs[len(job.segs)-1].head.number
	for _, w := range worlds {
		n, _ := slices.BinarySearchFunc(w.refs, last+1, func(r ref, number uint64) int {
			return cmp.Compare(r.segment, number)
		})
		if n > 0 {
			job.runs = append(job.runs, run{w, w.refsInc, w.refs[:n:n]})
		}
	}
	slices.SortFunc(job.runs, func(a, b run) int { return cmp.Compare(a.world.id, b.world.id) })
	return job
}

// syncDead makes durable what collect has seen: entries are left out because
// of a reset that may be in the unsynced part of the tail.
func (s *Store) syncDead() error {
	if s.opt.Durability == Sync {
		return nil
	}
	s.mu.Lock()
	sealed := s.sealed
	s.mu.Unlock()
	if sealed != nil {
		return nil // by Reopen, which shelves all there is
	}
	return s.syncTail()
}

// put writes job to the shelf.
func (s *Store) put(job *batchOfShelf) error {
	data := make(map[uint64][]byte, len(job.segs))
	for _, seg := range job.segs {
		b, err := readAll(seg.file, seg.end)
		if err != nil {
			return fmt.Errorf("store: %s: %w", seg.path, err)
		}
		data[seg.head.number] = b
	}
	last := job.segs[len(job.segs)-1]
	job.mark = watermark{salt: s.salt, at: position{last.head.number + 1, segmentHeaderBytes}}
	job.mark.batch = last.nextBatch
	var dead []World
	err := s.shelf.update(func(tx *bolt.Tx) error {
		entries := tx.Bucket(entriesBucket)
		entries.FillPercent = shelfFillPercent
		for _, r := range job.runs {
			if err := putRun(entries, r, data, s.dir); err != nil {
				return err
			}
		}
		var err error
		if dead, err = putRows(tx, job.rows); err != nil {
			return err
		}
		if err := tx.Bucket(metaBucket).Put(markKey, job.mark.encode()); err != nil {
			return err
		}
		return s.opt.Hook(PointShelve)
	})
	if err != nil {
		return err
	}
	_ = s.opt.Hook(PointShelved)
	for _, w := range dead {
		if !slices.Contains(s.dead, w) {
			s.dead = append(s.dead, w)
		}
	}
	return nil
}

func putRun(entries *bolt.Bucket, r run, data map[uint64][]byte, dir string) error {
	for _, at := range r.refs {
		b := data[at.segment]
		end := int64(at.offset) + int64(at.bytes)
		if end > int64(len(b)) {
			return &DamageError{Path: segmentPath(dir, at.segment), Offset: int64(len(b)), What: "cut short"}
		}
		b = b[at.offset:end:end]
		k, v := b[:keyBytes:keyBytes], b[keyBytes:]
		if name, _, _, ok := checkValue(k, v); !ok || name.world != r.world.id || name.inc != r.inc {
			return &DamageError{Path: segmentPath(dir, at.segment), Offset: int64(at.offset), What: "an entry does not hold its checksum"}
		}
		if err := entries.Put(k, v); err != nil {
			return err
		}
	}
	return nil
}

// putRows brings the table of worlds up to date and returns the worlds that
// may have dead entries now.
func putRows(tx *bolt.Tx, rows map[World]row) (dead []World, err error) {
	table := tx.Bucket(worldsBucket)
	list := make([]row, 0, len(rows))
	for _, r := range rows {
		list = append(list, r)
	}
	slices.SortFunc(list, func(a, b row) int { return cmp.Compare(a.world, b.world) })
	for _, r := range list {
		old := lookup(tx, r.world)
		if old.there && (!r.there || old.head.Inc != r.head.Inc) {
			dead = append(dead, r.world)
		}
		if r.there {
			err = table.Put(r.key(), r.encode())
		} else {
			err = table.Delete(r.key())
		}
		if err != nil {
			return nil, err
		}
	}
	return dead, nil
}

// clearSome deletes one slice of dead entries; more is whether there may be
// others.
func (s *Store) clearSome() (more bool, err error) {
	s.shelving.Lock()
	defer s.shelving.Unlock()
	if len(s.dead) == 0 {
		return false, nil
	}
	err = s.clearSlice()
	return len(s.dead) > 0, err
}

// clearSlice deletes a slice of the first dead world's entries. The caller
// holds shelving.
func (s *Store) clearSlice() error {
	if err := s.opt.Hook(PointClear); err != nil {
		return err
	}
	n, err := s.shelf.clear(s.dead[0])
	if err != nil {
		return err
	}
	_ = s.opt.Hook(PointCleared)
	s.mu.Lock()
	s.stats.Cleared += uint64(n)
	s.mu.Unlock()
	if n < clearSlice {
		s.dead = s.dead[1:]
	}
	return nil
}

// Compact shelves, clears all dead entries and writes journal.db anew, which
// gives unused space back. Reads and blobs wait meanwhile; appends go on until the
// shelf lags.
func (s *Store) Compact() error {
	if err := s.Shelve(); err != nil {
		return err
	}
	s.shelving.Lock()
	defer s.shelving.Unlock()
	for len(s.dead) > 0 {
		if err := s.clearSlice(); err != nil {
			return err
		}
	}
	s.trim()
	return s.shelf.compact(s.opt.Hook)
}
