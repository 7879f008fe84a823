package store

import (
	"bytes"
	"encoding/binary"
	"slices"
	"sync"

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

// packPiece is how much is packed at a time. What is packed piece by piece is what
// a reader of the whole understands: no piece refers to another.
const packPiece = 256 << 10

// pack returns a large body packed, and nil for one that is kept as it is.
func pack(body []byte) *Packed {
	if len(body) < packBytesMin {
		return nil
	}
	p := new(Packed)
	for piece := range slices.Chunk(body, packPiece) {
		p.Write(piece)
	}
	if p.size() < len(body) {
		return p
	}
	return nil
}

// Packed is a body that is packed as it comes, for one too large to be held. The
// zero Packed is empty and ready. It is for one goroutine.
type Packed struct {
	elements [][]byte // of the Snappy block, without the length in front
	bytes    int      // of them
	n        int
}

// Write adds a piece of the body.
func (p *Packed) Write(piece []byte) {
	room, _ := packRooms.Get().(*[]byte)
	if room == nil {
		room = new([]byte)
	}
	if most := s2.MaxEncodedLen(len(piece)); len(*room) < most {
		*room = make([]byte, most)
	}
	block := s2.EncodeSnappy(*room, piece)
	_, head := binary.Uvarint(block)
	p.elements = append(p.elements, bytes.Clone(block[head:]))
	p.bytes += len(block) - head
	p.n += len(piece)
	packRooms.Put(room)
}

// packRooms are what pieces are packed in, to be used again.
var packRooms sync.Pool // of *[]byte

// Len is the length of the body.
func (p *Packed) Len() int { return p.n }

// size is how many bytes append appends.
func (p *Packed) size() int {
	var head [binary.MaxVarintLen64]byte
	return binary.PutUvarint(head[:], uint64(p.n)) + p.bytes
}

// append appends the body as it is kept.
func (p *Packed) append(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(p.n))
	for _, block := range p.elements {
		dst = append(dst, block...)
	}
	return dst
}

// unpack returns the body that was packed; false when it is not one of ours.
func unpack(packed []byte) ([]byte, bool) {
	if n, err := s2.DecodedLen(packed); err != nil || n > EntryBytesMax {
		return nil, false
	}
	body, err := s2.Decode(nil, packed)
	return body, err == nil
}

// keptBytes is how many bytes the body takes as it is kept.
func (r *Record) keptBytes() int {
	if r.Packed != nil {
		return r.Packed.size()
	}
	return len(r.Entry.Body)
}

// appendKept appends the body as it is kept.
func (r *Record) appendKept(dst []byte) []byte {
	if r.Packed != nil {
		return r.Packed.append(dst)
	}
	return append(dst, r.Entry.Body...)
}

// bodyBytes is the length of the body.
func (r *Record) bodyBytes() int {
	if r.Packed != nil {
		return r.Packed.Len()
	}
	return len(r.Entry.Body)
}

// appendSide appends the side of r with its length, which says whether the body
// behind it is packed.
func appendSide(dst []byte, r *Record) []byte {
	n := uint32(len(r.Entry.Side))
	if r.Packed != nil {
		n |= packedBit
	}
	return append(binary.LittleEndian.AppendUint32(dst, n), r.Entry.Side...)
}
