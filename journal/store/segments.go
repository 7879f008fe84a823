package store

import (
	"path/filepath"
)

// takeReady returns the next segment, headed and with room for a batch of n
// bytes. Usually one is waiting; else it is made here.
func (s *Store) takeReady(n int64) (*segment, error) {
	oversize := n > s.opt.SegmentBytes-segmentHeaderBytes
	if !oversize {
		if seg := s.popReady(); seg != nil {
			kick(s.kickMaker)
			return seg, nil
		}
	}
	s.making.Lock()
	defer s.making.Unlock()
	replaced := s.popReady()
	if replaced != nil && !oversize {
		return replaced, nil
	}
	if replaced == nil {
		seg, err := s.makeSegment(max(s.opt.SegmentBytes, aligned(n+segmentHeaderBytes)))
		if err != nil {
			return nil, err
		}
		return seg, syncFolder(filepath.Join(s.dir, tailName))
	}
	// The numbers must not leave a gap, so the large one takes the place of the
	// one that was next.
	if err := s.opt.Hook(PointSegment); err != nil {
		return nil, err
	}
	head := replaced.head
	head.generation++
	head.size = aligned(n + segmentHeaderBytes)
	seg, err := createSegment(s.opt.OpenFile, s.dir, head)
	if err != nil {
		return nil, err
	}
	_ = replaced.file.Close()
	kick(s.kickMaker)
	return seg, syncFolder(filepath.Join(s.dir, tailName))
}

func (s *Store) popReady() *segment {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.ready) == 0 {
		return nil
	}
	seg := s.ready[0]
	s.ready = s.ready[1:]
	return seg
}

// makeSegment heads a spare file or a new one. The caller holds making and
// syncs the folder before the segment is used.
func (s *Store) makeSegment(size int64) (*segment, error) {
	if err := s.opt.Hook(PointSegment); err != nil {
		return nil, err
	}
	head := s.nextHead(size)
	if last := len(s.spares) - 1; last >= 0 && size == s.opt.SegmentBytes {
		seg := s.spares[last]
		s.spares = s.spares[:last]
		if err := seg.reuse(s.dir, head); err != nil {
			_ = seg.file.Close()
			return nil, err
		}
		s.nextNumber++
		return seg, nil
	}
	seg, err := createSegment(s.opt.OpenFile, s.dir, head)
	if err == nil {
		s.nextNumber++
	}
	return seg, err
}

// spare keeps seg for another use, or removes it. What its name says must be
// below the watermark: while it is headed anew a crash may tear its header.
func (s *Store) spare(seg *segment) {
	s.mu.Lock()
	waiting := len(s.ready) + len(s.spares)
	s.mu.Unlock()
	if seg.head.size == s.opt.SegmentBytes && waiting <= s.readyGoal && seg.whole() {
		s.spares = append(s.spares, seg)
		return
	}
	s.discard(seg)
}

// whole reports whether the file has all its blocks, as writing over them in
// place needs.
func (s *segment) whole() bool {
	info, err := s.file.Stat()
	return err == nil && info.Size() == s.head.size
}

// make is the maker: it keeps segments ready.
func (s *Store) make() {
	for {
		if err := s.prepare(); err != nil {
			s.log.Warn("tail segment not made", "err", err)
		}
		select {
		case <-s.kickMaker:
		case <-s.quit:
			return
		}
	}
}

// prepare makes segments until there are enough.
func (s *Store) prepare() error {
	s.making.Lock()
	defer s.making.Unlock()
	for {
		s.mu.Lock()
		missing := s.readyGoal - len(s.ready)
		closed := s.closed
		s.mu.Unlock()
		if missing <= 0 || closed {
			return nil
		}
		// Spares are made in one go: they share the sync of the folder.
		var made []*segment
		var err error
		for range max(1, min(missing, len(s.spares))) {
			var seg *segment
			if seg, err = s.makeSegment(s.opt.SegmentBytes); err != nil {
				break
			}
			made = append(made, seg)
		}
		if e := syncFolder(filepath.Join(s.dir, tailName)); err == nil {
			err = e
		}
		s.mu.Lock()
		s.ready = append(s.ready, made...)
		s.mu.Unlock()
		if err != nil {
			return err
		}
	}
}

// retire takes segments that the shelf has out of use.
func (s *Store) retire(segs []*segment) {
	s.files.Lock()   // nobody reads them any more once this is granted
	s.files.Unlock() //nolint:staticcheck // the wait is the point
	s.making.Lock()
	defer s.making.Unlock()
	s.readyGoal = min(max(len(segs), readyMin), readyMax)
	for _, seg := range segs {
		s.spare(seg)
	}
	for len(s.spares) > s.readyGoal {
		last := len(s.spares) - 1
		s.discard(s.spares[last])
		s.spares = s.spares[:last]
	}
	kick(s.kickMaker)
}

// trim removes segments that only a burst would need.
func (s *Store) trim() {
	s.making.Lock()
	defer s.making.Unlock()
	s.readyGoal = readyMin
	unneeded := s.spares
	s.spares = nil
	s.mu.Lock()
	for len(s.ready) > readyMin {
		last := s.ready[len(s.ready)-1]
		s.ready = s.ready[:len(s.ready)-1]
		s.nextNumber = last.head.number
		unneeded = append(unneeded, last)
	}
	s.mu.Unlock()
	for _, seg := range unneeded {
		s.discard(seg)
	}
}

func (s *Store) discard(seg *segment) {
	if err := seg.discard(); err != nil {
		s.log.Warn("tail segment not removed", "segment", seg.path, "err", err)
	}
}
