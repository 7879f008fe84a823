package store

// SyncData is what Append's writes are made durable with.
var SyncData = syncData

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
