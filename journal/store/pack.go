package store

import (
	"encoding/binary"

	"github.com/klauspost/compress/s2"
)

// Large bodies are kept packed. A body is large when one operation made much
// happen, like a year of renewals, and then its facts resemble each other:
// packed they take a sixteenth, which the disk writes twice. Hashes and
// checksums of entries are of what was packed; readers never see it.

const (
	// packBytesMin is the least size of a body that is packed.
	packBytesMin = 64 << 10
	// packedBit says, in the length of the side, that the body is packed.
	packedBit = 1 << 31
)

// pack returns a large body packed, in the Snappy block format, and nil for one
// that is kept as it is.
func pack(body []byte) []byte {
	if len(body) < packBytesMin {
		return nil
	}
	if packed := s2.EncodeSnappy(nil, body); len(packed) < len(body) {
		return packed
	}
	return nil
}

// unpack returns the body that was packed; false when it is not one of ours.
func unpack(packed []byte) ([]byte, bool) {
	if n, err := s2.DecodedLen(packed); err != nil || n > EntryBytesMax {
		return nil, false
	}
	body, err := s2.Decode(nil, packed)
	return body, err == nil
}

// kept is the body as it is kept.
func (r *Record) kept() []byte {
	if r.packed != nil {
		return r.packed
	}
	return r.Entry.Body
}

// appendSide appends the side of r with its length, which says whether the body
// behind it is packed.
func appendSide(dst []byte, r *Record) []byte {
	n := uint32(len(r.Entry.Side))
	if r.packed != nil {
		n |= packedBit
	}
	return append(binary.LittleEndian.AppendUint32(dst, n), r.Entry.Side...)
}
