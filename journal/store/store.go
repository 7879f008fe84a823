package store

import (
	"crypto/rand" //worlds:boundary the salt of a journal file, which no hash covers
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"

	bolt "go.etcd.io/bbolt"

	"worlds/journal"
)

const (
	readyMin        = 2  // segments headed and waiting, so that a full one never makes anybody wait
	readyMax        = 16 // as many as a shelving may leave ready for the next burst
	segmentBytesMin = 64 << 10
	segmentBytesMax = 1 << 30 // an offset fits a ref
	fileAlign       = 4096
	warmBytes       = 1 << 20 // read at a time
	warmBytesMax    = 2 << 30 // read ahead at most
)

// Store is the journal of one data folder. Its methods may be called from any
// goroutine, but not from Options.Hook.
//
// The design is one pen. Whoever holds it (leading) writes batches to the
// newest segment; a caller that waits for its batch takes the pen itself, so
// that a lone client pays one write and one sync and no switch of goroutines.
// What comes while it writes gathers in the next batch. Three goroutines stand
// behind: the flusher (what nobody waits for), the keeper (tail to shelf, dead
// entries) and the maker (segments ready in advance).
//
// Who takes several of its locks takes them in this order: shelving or the pen,
// making, files, mu.
type Store struct {
	dir   string
	opt   Options
	log   *slog.Logger
	lock  *os.File
	salt  [saltBytes]byte
	shelf *shelf

	readOnly bool // nothing is written, and there is no current segment

	// mu guards the fields of this group. It is held for memory work only.
	mu        sync.Mutex
	worlds    map[World]*world
	queue     []*batch // oldest first; the last one still gathers
	queued    int64    // bytes in queue
	writing   *batch   // taken from the queue, not yet settled
	leading   bool     // somebody holds the pen
	penQueue  []chan struct{}
	blanks    []blank // of settled batches
	sealed    error   // wraps ErrSealed and the cause
	shelfErr  error   // why shelving last failed, nil since it last worked
	closed    bool
	idle      bool       // the flusher sleeps until kicked
	current   *segment   // the newest; its file is written by the pen alone
	full      []*segment // older, not yet shelved, oldest first
	ready     []*segment // headed, their numbers follow current's
	dirty     []*world   // changed since current began
	end       position   // behind the last acknowledged batch
	synced    position   // not above end; what is before it is on disk
	nextBatch uint64     // number of the batch at end
	lag       int64      // bytes of entries not yet shelved
	room      *sync.Cond // lag has sunk, or never will: sealed, closed
	moved     uint64     // shelvings so far; a reader sees that entries moved
	stats     Stats

	// files is held for reading while segment files are read or synced, for
	// writing before one is given another use.
	files sync.RWMutex

	// making guards the making of segments: numbers are given out in order.
	making     sync.Mutex
	nextNumber uint64
	spares     []*segment // of no use now, to be headed anew
	readyGoal  int

	// shelving is held while the tail moves to the shelf or dead entries go.
	shelving sync.Mutex
	dead     []World // worlds that may have dead entries on the shelf

	large chan struct{} // one for each large record that is being written ahead

	kickFlusher, kickKeeper, kickMaker chan struct{}
	quit                               chan struct{}
	running                            sync.WaitGroup
}

// world is one stream; Store.mu guards it.
type world struct {
	id         World
	head       Head // of what is appended
	there      bool
	acked      Head // of what is acknowledged; head falls back to it when a write fails
	ackedThere bool
	last       *batch // has the last entry; nil if there was none
	change     *batch // has the last entry that is not lazy
	dirty      bool

	// The acknowledged entries of incarnation refsInc that are still in the
	// tail only; their numbers are first, first+1, ….
	refsInc Incarnation
	first   journal.Seq
	refs    []ref
}

// ref is the place of key and value of an entry in the tail.
type ref struct {
	segment uint64
	offset  uint32
	bytes   uint32
}

// Open opens the journal in dir, or makes one where there is none. It fails
// within Options.LockTimeout with ErrLocked if another has it, with ErrForeign
// if journal.db is something else, with ErrVersion if a later version of the
// program wrote it, and with a *DamageError if something that was durable is not
// there; nothing is changed then.
func Open(dir string, opt Options) (*Store, error) {
	opt, err := opt.filled()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	lock, err := lockFolder(dir, true, opt.LockTimeout)
	if err != nil {
		return nil, err
	}
	s := newStore(dir, opt, lock)
	if err := s.open(); err != nil {
		_ = s.release()
		return nil, err
	}
	for _, work := range []func(){s.flush, s.keep, s.make, s.warm} {
		s.running.Go(work)
	}
	return s, nil
}

func newStore(dir string, opt Options, lock *os.File) *Store {
	s := &Store{
		dir: dir, opt: opt, log: opt.Logger, lock: lock,
		worlds:      map[World]*world{},
		large:       make(chan struct{}, aheadMax),
		kickFlusher: make(chan struct{}, 1),
		kickKeeper:  make(chan struct{}, 1),
		kickMaker:   make(chan struct{}, 1),
		quit:        make(chan struct{}),
		readyGoal:   readyMin,
		idle:        true,
	}
	s.room = sync.NewCond(&s.mu)
	return s
}

func (o Options) filled() (Options, error) {
	if o.LockTimeout == 0 {
		o.LockTimeout = LockTimeoutDefault
	}
	if o.SegmentBytes == 0 {
		o.SegmentBytes = SegmentBytesDefault
	}
	if o.ShelveLagBytes == 0 {
		o.ShelveLagBytes = ShelveLagBytesDefault
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.OpenFile == nil {
		o.OpenFile = OpenDisk
	}
	if o.Hook == nil {
		o.Hook = func(Point) error { return nil }
	}
	if o.SegmentBytes < segmentBytesMin || o.SegmentBytes > segmentBytesMax || o.SegmentBytes%fileAlign != 0 {
		return o, fmt.Errorf("store: segments of %d bytes: %d to %d and a multiple of %d", o.SegmentBytes, segmentBytesMin, segmentBytesMax, fileAlign)
	}
	return o, nil
}

// open reads what there is and begins a run: a segment of its own, sealed off
// from what came before by an empty batch.
func (s *Store) open() error {
	_, err := os.Lstat(filepath.Join(s.dir, shelfName))
	if errors.Is(err, os.ErrNotExist) {
		err = s.create()
	}
	if err != nil {
		return err
	}
	t, mark, err := s.load()
	if err != nil {
		return err
	}
	if s.dead, err = s.shelf.deadWorlds(); err != nil {
		return err
	}
	if err := s.adopt(t); err != nil {
		return err
	}
	if mark.version < folderVersion { // before anything is written that older programs cannot read
		err := s.shelf.update(func(tx *bolt.Tx) error { return tx.Bucket(metaBucket).Put(markKey, mark.encode()) })
		if err != nil {
			return fmt.Errorf("store: shelf: %w", err)
		}
	}
	s.end, s.synced, s.nextBatch = t.end, t.end, t.batch
	return s.begin()
}

// load reads the shelf and the tail, and changes neither.
func (s *Store) load() (t *tail, mark watermark, err error) {
	if s.shelf, mark, err = openShelf(s.dir, s.readOnly); err != nil {
		return nil, mark, err
	}
	s.salt = mark.salt
	rows, err := s.shelf.rows()
	if err != nil {
		return nil, mark, err
	}
	for _, r := range rows {
		s.worlds[r.world] = &world{id: r.world, head: r.head, there: true, acked: r.head, ackedThere: true}
	}
	if t, err = readTail(s.opt.OpenFile, s.dir, mark, func(d *DamageError) error { return d }); err != nil {
		return nil, mark, err
	}
	return t, mark, s.replay(t, mark.batch)
}

// create makes an empty journal in a folder that has none.
func (s *Store) create() error {
	if err := s.refuseOrphans(); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(s.dir, tailName), 0o755); err != nil {
		return fmt.Errorf("store: %w", err)
	}
	mark := watermark{at: position{1, segmentHeaderBytes}, batch: 1}
	_, _ = rand.Read(mark.salt[:])
	s.salt, s.nextNumber = mark.salt, 1
	seg, err := createSegment(s.opt.OpenFile, s.dir, s.nextHead(s.opt.SegmentBytes))
	if err != nil {
		return err
	}
	if err := seg.file.Close(); err != nil {
		return fmt.Errorf("store: %w", err)
	}
	if err := syncFolder(filepath.Join(s.dir, tailName)); err != nil {
		return err
	}
	if err := createShelf(s.dir, mark); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(s.dir)) // it may be new there
}

// warm reads the shelf once, in order: what bbolt reads through its map comes
// page by page, tens of times slower if the disk is asked for each.
func (s *Store) warm() {
	f, err := os.Open(s.shelf.path)
	if err != nil {
		return
	}
	defer func() { _ = f.Close() }()
	b := make([]byte, warmBytes)
	for at := int64(0); at < warmBytesMax; at += warmBytes {
		select {
		case <-s.quit:
			return
		default:
		}
		if n, err := f.ReadAt(b, at); n == 0 || err != nil {
			return
		}
	}
}

// refuseOrphans fails if there are entries without a shelf, and removes what a
// creation left behind that was cut short.
func (s *Store) refuseOrphans() error {
	segments, err := s.orphans()
	if err != nil {
		return err
	}
	for _, number := range segments {
		if err := os.Remove(segmentPath(s.dir, number)); err != nil {
			return fmt.Errorf("store: %w", err)
		}
	}
	return nil
}

// orphans are the segments of a folder without a shelf; it is an error if they have
// entries.
func (s *Store) orphans() ([]uint64, error) {
	files, err := listTail(s.dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for _, number := range files.segments {
		path := segmentPath(s.dir, number)
		data, err := readFile(s.opt.OpenFile, path)
		if err != nil {
			return nil, fmt.Errorf("store: %w", err)
		}
		if found, err := scanSegment(path, data); err != nil || found.used() {
			return nil, &DamageError{Path: filepath.Join(s.dir, shelfName), Offset: -1, What: "the file is missing, but the tail has entries"}
		}
	}
	return files.segments, nil
}

// replay brings the worlds to where the tail ends and keeps the places of the
// entries. The segments count as full; next is the number of their first batch.
func (s *Store) replay(t *tail, next uint64) error {
	for _, found := range t.segments {
		f, err := s.opt.OpenFile(found.path, s.access(), 0)
		if err != nil {
			return fmt.Errorf("store: %w", err)
		}
		seg := &segment{head: found.head, seed: found.head.seed(), path: found.path, file: f, end: found.end}
		s.full = append(s.full, seg)
		for _, b := range found.batches {
			body := found.data[b.at+batchHeaderBytes:][:b.bytes]
			ok := eachRecord(body, b.records, func(r tailRecord) bool {
				w := s.worlds[r.key.world]
				if w == nil || w.acked.Inc != r.key.inc ||
					w.acked.Seq != 0 && (w.acked.Seq+1 != r.key.seq || w.acked.Hash != r.prev) {
					return false
				}
				at := b.at + batchHeaderBytes + int64(r.at)
				s.acknowledge(w, r.key.seq, r.hash, ref{found.head.number, uint32(at), uint32(r.bytes)}, r.control)
				return true
			})
			if !ok {
				return &DamageError{Path: found.path, Offset: b.at, What: fmt.Sprintf("batch %d does not continue its worlds", b.number)}
			}
		}
		s.lag += found.end
		seg.rows = s.takeDirty()
		if n := len(found.batches); n > 0 {
			next = found.batches[n-1].number + 1
		}
		seg.nextBatch = next
	}
	s.revert()
	return nil
}

// access is how files are opened.
func (s *Store) access() int {
	if s.readOnly {
		return os.O_RDONLY
	}
	return os.O_RDWR
}

// adopt opens the segments that wait for use and notes the rest as spare.
func (s *Store) adopt(t *tail) error {
	s.nextNumber = t.end.segment
	if len(t.segments) > 0 {
		s.nextNumber++
	}
	for _, number := range t.unused {
		path := segmentPath(s.dir, number)
		info, err := os.Stat(path)
		if err != nil {
			return fmt.Errorf("store: %w", err)
		}
		if number != s.nextNumber || info.Size() != s.opt.SegmentBytes {
			continue // made anew, under this name, when its turn comes
		}
		seg, err := openSegment(s.opt.OpenFile, path)
		if err != nil {
			return err
		}
		if seg.head.size != info.Size() {
			_ = seg.file.Close()
			continue
		}
		s.ready = append(s.ready, seg)
		s.nextNumber++
	}
	for _, number := range t.dead {
		seg, err := openSegment(s.opt.OpenFile, segmentPath(s.dir, number))
		if err != nil {
			if err := os.Remove(segmentPath(s.dir, number)); err != nil {
				return fmt.Errorf("store: %w", err)
			}
			continue
		}
		s.spare(seg)
	}
	for _, path := range append(t.files.others, filepath.Join(s.dir, shelfName+".tmp")) {
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("store: %w", err)
		}
	}
	return nil
}

func openSegment(open opener, path string) (*segment, error) {
	f, err := open(path, os.O_RDWR, 0)
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	b, err := readAll(f, segmentHeaderBytes)
	head, ok := decodeSegmentHead(b)
	if err == nil && !ok {
		_ = f.Close()
		return nil, &DamageError{Path: path, Offset: 0, What: "the segment's header does not hold"}
	}
	if err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("store: %s: %w", path, err)
	}
	return &segment{head: head, seed: head.seed(), path: path, file: f, end: segmentHeaderBytes}, nil
}

// begin starts a run in the next segment: an empty batch, synced, says where
// the last run ended, so that nothing behind that place can come back.
func (s *Store) begin() error {
	seg, err := s.takeReady(0)
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.current = seg
	b := newBatch(blank{})
	s.mu.Unlock()
	at, err := s.write(b, true)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		return err
	}
	s.settle(b, at, nil)
	s.synced = s.end
	return nil
}

// nextHead is the header of the segment that is made next.
func (s *Store) nextHead(size int64) segmentHead {
	var generation [8]byte
	_, _ = rand.Read(generation[:])
	return segmentHead{salt: s.salt, generation: binary.LittleEndian.Uint64(generation[:]), number: s.nextNumber, size: size}
}

// Head returns the last entry of w, durable or not; false if there is no such
// world.
func (s *Store) Head(w World) (Head, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if found := s.worlds[w]; found != nil && found.there {
		return found.head, true
	}
	return Head{}, false
}

// Worlds returns the worlds there are, ascending, 0 included.
func (s *Store) Worlds() []World {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]World, 0, len(s.worlds))
	for _, id := range slices.Sorted(maps.Keys(s.worlds)) {
		if s.worlds[id].there {
			list = append(list, id)
		}
	}
	return list
}

// PutBlob keeps data under key for good; it is durable on return. Doing it
// again with the same bytes is nothing, with others ErrBlobDiffers.
func (s *Store) PutBlob(key string, data []byte) error {
	if s.readOnly {
		return ErrReadOnly
	}
	return s.shelf.putBlob(key, data)
}

// Blobs calls fn for every blob that is there, by key. Its error ends the walk and is
// returned.
func (s *Store) Blobs(fn func(key string, data []byte) error) error {
	keys, err := s.shelf.blobKeys()
	for _, k := range keys {
		data, missed := s.shelf.blob(k)
		if missed == nil {
			missed = fn(k, data)
		}
		if missed != nil {
			return missed
		}
	}
	return err
}

// Blob returns a copy of the data under key, ErrBlob if there is none.
func (s *Store) Blob(key string) ([]byte, error) { return s.shelf.blob(key) }

// Stats returns figures as of now.
func (s *Store) Stats() Stats {
	s.mu.Lock()
	st := s.stats
	st.TailBytes = s.lag
	s.mu.Unlock()
	st.ShelfBytes = s.shelf.bytes()
	if files, err := os.ReadDir(filepath.Join(s.dir, tailName)); err == nil {
		for _, f := range files {
			if info, err := f.Info(); err == nil {
				st.TailFiles++
				st.TailFileBytes += info.Size()
			}
		}
	}
	return st
}

// Close writes what is queued, moves the tail to the shelf and closes. It
// returns the first thing that went wrong; the folder is free in any case.
func (s *Store) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	s.room.Broadcast()
	s.mu.Unlock()
	close(s.quit)
	if s.readOnly {
		s.running.Wait()
		return s.release()
	}
	err := s.drain()
	s.running.Wait()
	if e := s.shelveAll(); err == nil {
		err = e
	}
	if e := s.release(); err == nil {
		err = e
	}
	return err
}

// release closes every file; the lock goes last.
func (s *Store) release() error {
	var err error
	if s.shelf != nil {
		err = s.shelf.close()
	}
	s.files.Lock()
	defer s.files.Unlock()
	for _, list := range [][]*segment{s.full, s.ready, s.spares, {s.current}} {
		for _, seg := range list {
			if seg != nil {
				_ = seg.file.Close()
			}
		}
	}
	_ = s.lock.Close()
	return err
}
