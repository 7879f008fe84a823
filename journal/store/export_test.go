package store

import "fmt"

// ScanSegment returns the bodies of the batches that hold in a segment.
func ScanSegment(data []byte) ([]string, error) {
	s, err := scanSegment("", data)
	if err != nil {
		return nil, err
	}
	bodies := []string{}
	for _, b := range s.batches {
		bodies = append(bodies, string(data[b.at+batchHeaderBytes:][:b.bytes]))
	}
	return bodies, nil
}

// EachRecord returns the keys of the records in a batch's body, false if it is
// not made of records.
func EachRecord(body []byte, count uint32) (keys []string, ok bool) {
	ok = eachRecord(body, count, func(r tailRecord) bool {
		keys = append(keys, fmt.Sprint(r.key))
		return true
	})
	return keys, ok
}

// AppendRecords is the body of a batch of records.
func AppendRecords(records ...Record) []byte {
	var body []byte
	for i := range records {
		body, _ = appendRecord(body, &records[i])
	}
	return body
}

// AwaitTurnOfSettled hands the pen to the claimer of a batch that is settled before
// it looks, and takes it again.
func AwaitTurnOfSettled(s *Store) {
	s.takePen()
	b := &batch{turn: make(chan struct{}, 1), done: make(chan struct{})}
	b.turn <- struct{}{}
	close(b.done)
	if !s.awaitTurn(b) {
		s.takePen()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.passPen()
}
