package store

import (
	"crypto/rand" //worlds:boundary the salt of a segment, which no hash covers
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
)

const (
	// aheadBytesMin is the least size of a record that is written ahead: it would
	// keep everybody waiting whose batch stands behind it.
	aheadBytesMin = 256 << 10
	// aheadPiece is how much of it goes to the disk at a time.
	aheadPiece = 256 << 10
	// aheadMax is how many are written at once: each is in memory as a whole
	// meanwhile, and all of them stand in the way of everybody else's syncs.
	aheadMax = 2
)

// ahead is a segment of one batch of one large record. Its file is written and
// synced by who appends the record, beside everybody else's batches; in its turn
// it gets its headers, which are what makes a batch of it, and its name.
type ahead struct {
	file File
	path string
	head segmentHead // its number comes with its turn
	size int64       // of the batch
	body uint32      // bytes of the record
	crc  uint32      // of the record
	at   int         // of key and value, in the batch
}

// writeAhead writes r to a file of its own. It does not return before all of it is
// on disk.
func (s *Store) writeAhead(r *Record) (*ahead, error) {
	buf := make([]byte, batchHeaderBytes, aligned(batchHeaderBytes+recordBytes(r)))
	buf, at := appendRecord(buf, r)
	a := &ahead{body: uint32(len(buf) - batchHeaderBytes), at: at, size: aligned(int64(len(buf)))}
	var generation [8]byte
	_, _ = rand.Read(generation[:])
	a.head = segmentHead{salt: s.salt, generation: binary.LittleEndian.Uint64(generation[:]), size: segmentHeaderBytes + a.size}
	a.crc = checksum(a.head.seed(), buf[batchHeaderBytes:])
	a.path = filepath.Join(s.dir, tailName, fmt.Sprintf("ahead-%016x%s%s", a.head.generation, segmentSuffix, newSuffix))
	var err error
	if a.file, err = s.opt.OpenFile(a.path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o644); err != nil {
		return nil, fmt.Errorf("store: segment: %w", err)
	}
	for from := 0; from < int(a.size) && err == nil; from += aheadPiece {
		piece := buf[:a.size][from:min(from+aheadPiece, int(a.size))]
		if _, err = a.file.WriteAt(piece, int64(segmentHeaderBytes+from)); err == nil {
			err = a.file.StartWriting(int64(segmentHeaderBytes+from), int64(len(piece)))
		}
	}
	if err == nil {
		err = a.file.Sync()
	}
	if err != nil {
		a.discard()
		return nil, fmt.Errorf("store: segment: %w", err)
	}
	return a, nil
}

func (a *ahead) discard() {
	_ = a.file.Close()
	_ = os.Remove(a.path)
}

// appendAhead is Append for a large record. That it could not be written is no
// reason to seal: nothing stands behind it, and without headers its file is nothing.
func (s *Store) appendAhead(r *Record) (Ticket, error) {
	s.large <- struct{}{}
	defer func() { <-s.large }()
	s.mu.Lock()
	_, err := s.mayAppend(r)
	s.mu.Unlock()
	if err != nil {
		return Ticket{}, err
	}
	a, err := s.writeAhead(r)
	if err != nil {
		return Ticket{}, fmt.Errorf("store: world %d, entry %d: %w: %w", r.World, r.Entry.Seq, ErrUnwritten, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	w, err := s.mayAppend(r)
	if err != nil {
		a.discard()
		return Ticket{}, err
	}
	b := newBatch(blank{buf: make([]byte, 0, batchHeaderBytes)})
	b.ahead = a
	s.queue = append(s.queue, b)
	return s.enter(w, b, r, a.at, batchHeaderBytes+int(a.body)-a.at), nil
}

// writeHeads is write for a batch that is there but for its headers: they are made
// durable, and then the file takes the name of the next segment.
func (s *Store) writeHeads(b *batch) (position, error) {
	if s.opt.Durability == Relaxed {
		if err := s.syncTail(); err != nil {
			return position{}, err
		}
	}
	if err := s.opt.Hook(PointSegment); err != nil {
		return position{}, err
	}
	s.making.Lock()
	defer s.making.Unlock()
	a := b.ahead
	s.mu.Lock()
	a.head.number = s.nextNumber
	if len(s.ready) > 0 {
		a.head.number = s.ready[0].head.number
	}
	head := batchHead{number: s.nextBatch, durable: s.synced, bytes: a.body, records: uint32(len(b.records)), bodyCRC: a.crc}
	s.mu.Unlock()
	seed := a.head.seed()
	heads := append(a.head.encode(), make([]byte, batchHeaderBytes)...)
	head.encode(heads[segmentHeaderBytes:], seed)
	if err := s.opt.Hook(PointWrite); err != nil {
		return position{}, err
	}
	if _, err := a.file.WriteAt(heads, 0); err != nil {
		return position{}, err
	}
	if err := s.opt.Hook(PointWritten); err != nil {
		return position{}, err
	}
	if err := a.file.SyncData(); err != nil {
		return position{}, err
	}
	path := segmentPath(s.dir, a.head.number)
	if err := os.Rename(a.path, path); err != nil {
		return position{}, fmt.Errorf("store: segment: %w", err)
	}
	s.take(&segment{head: a.head, seed: seed, path: path, file: a.file, end: segmentHeaderBytes})
	b.ahead.file = nil // it is the segment's
	at := position{a.head.number, segmentHeaderBytes}
	if err := syncFolder(filepath.Join(s.dir, tailName)); err != nil {
		return at, err
	}
	_ = s.opt.Hook(PointSynced)
	return at, nil
}

// take makes seg, which has the next number, the current segment. It stands where a
// ready one stood, if one did. The caller holds the pen and making.
func (s *Store) take(seg *segment) {
	replaced := s.popReady()
	if replaced != nil {
		_ = replaced.file.Close()
	} else {
		s.nextNumber++
	}
	s.mu.Lock()
	s.turnTo(seg)
	s.mu.Unlock()
	kick(s.kickMaker)
	kick(s.kickKeeper)
}
