package store

import (
	"encoding/binary"
	"fmt"
)

// scanned is a segment as the reader finds it.
type scanned struct {
	head    segmentHead
	path    string
	batches []scannedBatch // from the start to the first that does not hold
	end     int64          // behind the last of them
	why     string         // the batch at end does not hold
	strays  []batchHead    // headers behind end that hold
	data    []byte
}

type scannedBatch struct {
	batchHead
	at int64
}

// used reports whether anything was ever written to the segment.
func (s *scanned) used() bool { return len(s.batches) > 0 || len(s.strays) > 0 }

// scanSegment reads the content of one segment file.
func scanSegment(path string, data []byte) (*scanned, error) {
	head, ok := decodeSegmentHead(data)
	if !ok {
		return nil, &DamageError{Path: path, Offset: 0, What: "the segment's header does not hold"}
	}
	s := &scanned{head: head, path: path, end: segmentHeaderBytes, data: data}
	seed := head.seed()
	for {
		b, why := scanBatch(data, s.end, seed)
		if why != "" {
			s.why = why
			break
		}
		s.batches = append(s.batches, scannedBatch{b, s.end})
		s.end += aligned(batchHeaderBytes + int64(b.bytes))
	}
	for at := s.end; at+batchHeaderBytes <= int64(len(data)); at += batchAlign {
		if binary.LittleEndian.Uint32(data[at:]) != batchMagic {
			continue
		}
		if b, ok := decodeBatchHead(data[at:], seed); ok {
			s.strays = append(s.strays, b)
		}
	}
	return s, nil
}

// scanBatch checks the batch at data[at]; why is "" if it holds.
func scanBatch(data []byte, at int64, seed uint32) (h batchHead, why string) {
	if at+batchHeaderBytes > int64(len(data)) {
		return h, "the file ends"
	}
	h, ok := decodeBatchHead(data[at:], seed)
	if !ok {
		return h, "a batch's header does not hold"
	}
	body := data[at+batchHeaderBytes:]
	if int64(h.bytes) > int64(len(body)) {
		return h, fmt.Sprintf("the file ends within batch %d", h.number)
	}
	body = body[:h.bytes]
	if checksum(seed, body) != h.bodyCRC {
		return h, fmt.Sprintf("batch %d does not hold its checksum", h.number)
	}
	if !eachRecord(body, h.records, func(tailRecord) bool { return true }) {
		return h, fmt.Sprintf("batch %d is not %d records", h.number, h.records)
	}
	return h, ""
}

// tail is what the segment files hold behind the watermark.
type tail struct {
	segments []*scanned // that were written to, ascending; each cut at its end
	unused   []uint64   // numbers above them: headed, never written to
	dead     []uint64   // numbers below the watermark
	files    tailFiles
	end      position // behind the last batch
	batch    uint64   // the number of the next batch
}

// readTail reads the tail and changes nothing. damage is called with whatever
// is damaged; if it returns an error that is the end, and readTail's error.
func readTail(open opener, dir string, mark watermark, damage func(*DamageError) error) (*tail, error) {
	files, err := listTail(dir)
	if err != nil {
		return nil, err
	}
	t := &tail{files: files, end: mark.at, batch: mark.batch}
	var found []*scanned
	for _, number := range files.segments {
		if number < mark.at.segment {
			t.dead = append(t.dead, number)
			continue
		}
		s, err := readSegment(open, dir, number, mark)
		if d, ok := err.(*DamageError); ok {
			if err := damage(d); err != nil {
				return nil, err
			}
			continue
		}
		if err != nil {
			return nil, err
		}
		found = append(found, s)
	}
	last := -1
	for i, s := range found {
		if s.used() {
			last = i
		}
	}
	for _, s := range found[last+1:] {
		t.unused = append(t.unused, s.head.number)
	}
	return t, t.join(dir, mark, found[:last+1], damage)
}

func readSegment(open opener, dir string, number uint64, mark watermark) (*scanned, error) {
	path := segmentPath(dir, number)
	data, err := readFile(open, path)
	if err != nil {
		return nil, fmt.Errorf("store: tail: %w", err)
	}
	s, err := scanSegment(path, data)
	if err != nil {
		return nil, err
	}
	if s.head.salt != mark.salt || s.head.number != number {
		return nil, &DamageError{Path: path, Offset: 0, What: "the segment is of another journal or has another number"}
	}
	return s, nil
}

// join proves that the segments follow each other from the watermark on and
// cuts each where what counts ends.
func (t *tail) join(dir string, mark watermark, used []*scanned, damage func(*DamageError) error) error {
	durable := mark.at
	for _, s := range used {
		for _, b := range s.batches {
			if durable.before(b.durable) {
				durable = b.durable
			}
		}
		for _, b := range s.strays {
			if durable.before(b.durable) {
				durable = b.durable
			}
		}
	}
	next := mark.at.segment
	for i, s := range used {
		for ; next < s.head.number; next++ {
			d := &DamageError{Path: segmentPath(dir, next), Offset: -1, What: "the segment is missing"}
			if err := damage(d); err != nil {
				return err
			}
		}
		next++
		limit := int64(-1) // where the next segment says that this one ends
		if i+1 < len(used) && len(used[i+1].batches) > 0 {
			if d := used[i+1].batches[0].durable; d.segment == s.head.number {
				limit = d.offset
			}
		}
		if err := t.take(s, durable, limit, damage); err != nil {
			return err
		}
	}
	if len(used) == 0 && (len(t.unused) == 0 || t.unused[0] != next) {
		return damage(&DamageError{Path: segmentPath(dir, next), Offset: -1, What: "the segment is missing"})
	}
	return nil
}

// take adds s, up to limit if that is not -1.
func (t *tail) take(s *scanned, durable position, limit int64, damage func(*DamageError) error) error {
	keep := 0
	end := int64(segmentHeaderBytes)
	why := s.why
	for _, b := range s.batches {
		if limit >= 0 && b.at >= limit {
			break
		}
		if b.number != t.batch {
			why = fmt.Sprintf("batch %d stands where %d belongs", b.number, t.batch)
			break
		}
		t.batch++
		keep++
		end = b.at + aligned(batchHeaderBytes+int64(b.bytes))
	}
	s.batches, s.end = s.batches[:keep], end
	t.segments = append(t.segments, s)
	t.end = position{s.head.number, end}
	needed := limit
	if limit < 0 && durable.segment == s.head.number {
		needed = durable.offset
	}
	if end < needed {
		return damage(&DamageError{Path: s.path, Offset: end, What: why})
	}
	return nil
}
