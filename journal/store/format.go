package store

import (
	"encoding/binary"
	"hash/crc32"
	"slices"

	"worlds/journal"
)

// The byte layouts of docs/format.md. Integers are little-endian except in
// keys, which sort as bytes.

// Versions, as their headers say. That of a folder is raised when what is in its
// entries, too, is such that older programs must not open it: 2 may have bodies of
// frame format 2.
const (
	segmentVersion      = 1
	folderVersion       = 2
	folderVersionOldest = 1
)

const (
	segmentMagic       = "WORLDSEG"
	segmentHeaderBytes = 64
	batchMagic         = 0x54414257 // "WBAT"
	batchHeaderBytes   = 48
	batchAlign         = 8
	keyBytes           = 8 + 8 + 8
	valueHeadBytes     = 4 + 2*journal.HashBytes + 4 // crc, prev, hash, length of side
	controlBytes       = 1 + 8 + 8
	saltBytes          = 16
)

// Flags of a record.
const (
	flagLazy    = 1 << 0
	flagControl = 1 << 1
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func checksum(seed uint32, b []byte) uint32 { return crc32.Update(seed, castagnoli, b) }

// position is a place in the tail: an offset in a segment.
type position struct {
	segment uint64
	offset  int64
}

func (p position) before(q position) bool {
	return p.segment < q.segment || p.segment == q.segment && p.offset < q.offset
}

// segmentHead is the header of a segment file.
type segmentHead struct {
	salt       [saltBytes]byte // of the journal
	generation uint64          // of this use of the file
	number     uint64
	size       int64
}

// seed is mixed into every checksum of the segment, so that records from an
// earlier use of the file, or from another journal, do not pass.
func (h *segmentHead) seed() uint32 {
	return checksum(checksum(0, h.salt[:]), binary.LittleEndian.AppendUint64(nil, h.generation))
}

func (h *segmentHead) encode() []byte {
	b := make([]byte, segmentHeaderBytes)
	copy(b, segmentMagic)
	binary.LittleEndian.PutUint32(b[8:], segmentVersion)
	copy(b[16:], h.salt[:])
	binary.LittleEndian.PutUint64(b[32:], h.generation)
	binary.LittleEndian.PutUint64(b[40:], h.number)
	binary.LittleEndian.PutUint64(b[48:], uint64(h.size))
	binary.LittleEndian.PutUint32(b[12:], checksum(checksum(0, b[:12]), b[16:]))
	return b
}

func decodeSegmentHead(b []byte) (segmentHead, bool) {
	var h segmentHead
	if len(b) < segmentHeaderBytes || string(b[:8]) != segmentMagic {
		return h, false
	}
	b = b[:segmentHeaderBytes]
	if binary.LittleEndian.Uint32(b[8:]) != segmentVersion ||
		binary.LittleEndian.Uint32(b[12:]) != checksum(checksum(0, b[:12]), b[16:]) {
		return h, false
	}
	copy(h.salt[:], b[16:])
	h.generation = binary.LittleEndian.Uint64(b[32:])
	h.number = binary.LittleEndian.Uint64(b[40:])
	h.size = int64(binary.LittleEndian.Uint64(b[48:]))
	return h, true
}

// batchHead is the header of a batch.
type batchHead struct {
	number  uint64   // global, without gaps
	durable position // everything before it was synced when this was written
	bytes   uint32   // of the body
	records uint32
	bodyCRC uint32
}

// encode fills the first batchHeaderBytes of b.
func (h *batchHead) encode(b []byte, seed uint32) {
	binary.LittleEndian.PutUint32(b, batchMagic)
	binary.LittleEndian.PutUint64(b[8:], h.number)
	binary.LittleEndian.PutUint64(b[16:], h.durable.segment)
	binary.LittleEndian.PutUint64(b[24:], uint64(h.durable.offset))
	binary.LittleEndian.PutUint32(b[32:], h.bytes)
	binary.LittleEndian.PutUint32(b[36:], h.records)
	binary.LittleEndian.PutUint32(b[40:], h.bodyCRC)
	binary.LittleEndian.PutUint32(b[44:], 0)
	binary.LittleEndian.PutUint32(b[4:], checksum(seed, b[8:batchHeaderBytes]))
}

func decodeBatchHead(b []byte, seed uint32) (batchHead, bool) {
	var h batchHead
	if len(b) < batchHeaderBytes || binary.LittleEndian.Uint32(b) != batchMagic ||
		binary.LittleEndian.Uint32(b[4:]) != checksum(seed, b[8:batchHeaderBytes]) {
		return h, false
	}
	h.number = binary.LittleEndian.Uint64(b[8:])
	h.durable.segment = binary.LittleEndian.Uint64(b[16:])
	h.durable.offset = int64(binary.LittleEndian.Uint64(b[24:]))
	h.bytes = binary.LittleEndian.Uint32(b[32:])
	h.records = binary.LittleEndian.Uint32(b[36:])
	h.bodyCRC = binary.LittleEndian.Uint32(b[40:])
	return h, true
}

func aligned(n int64) int64 { return (n + batchAlign - 1) &^ (batchAlign - 1) }

// key is the name of an entry: in the tail, and as the shelf's key.
type key struct {
	world World
	inc   Incarnation
	seq   journal.Seq
}

func (k key) append(b []byte) []byte {
	b = binary.BigEndian.AppendUint64(b, uint64(k.world))
	b = binary.BigEndian.AppendUint64(b, uint64(k.inc))
	return binary.BigEndian.AppendUint64(b, uint64(k.seq))
}

func decodeKey(b []byte) (key, bool) {
	if len(b) != keyBytes {
		return key{}, false
	}
	return key{
		world: World(binary.BigEndian.Uint64(b)),
		inc:   Incarnation(binary.BigEndian.Uint64(b[8:])),
		seq:   journal.Seq(binary.BigEndian.Uint64(b[16:])),
	}, true
}

// recordBytes is the size of r in a batch.
func recordBytes(r *Record) int64 {
	n := int64(4 + 1 + keyBytes + valueHeadBytes + len(r.Entry.Side) + r.keptBytes())
	if r.Control != nil {
		n += controlBytes
	}
	return n
}

// appendRecord appends r; the key and value within it, which the shelf takes
// over byte for byte, start at dst[at].
func appendRecord(dst []byte, r *Record) (_ []byte, at int) {
	dst = slices.Grow(dst, int(recordBytes(r)))
	dst = binary.LittleEndian.AppendUint32(dst, uint32(recordBytes(r)-4))
	flags := byte(0)
	if r.Lazy {
		flags |= flagLazy
	}
	if r.Control != nil {
		flags |= flagControl
	}
	dst = append(dst, flags)
	if c := r.Control; c != nil {
		dst = append(dst, byte(c.Op))
		dst = binary.LittleEndian.AppendUint64(dst, uint64(c.World))
		dst = binary.LittleEndian.AppendUint64(dst, uint64(c.Inc))
	}
	at = len(dst)
	dst = key{r.World, r.Inc, r.Entry.Seq}.append(dst)
	dst = append(dst, 0, 0, 0, 0)
	dst = append(dst, r.Entry.Prev[:]...)
	dst = append(dst, r.Entry.Hash[:]...)
	dst = r.appendKept(appendSide(dst, r))
	binary.LittleEndian.PutUint32(dst[at+keyBytes:], valueChecksum(dst[at:at+keyBytes], dst[at+keyBytes:]))
	return dst, at
}

// valueChecksum is that of a key and of its value without the first 4 bytes.
func valueChecksum(k, v []byte) uint32 { return checksum(checksum(0, k), v[4:]) }

// decodeValue reads a shelf value. The entry aliases v, but for a body that was
// packed.
func decodeValue(k, v []byte) (key, journal.Entry, bool) {
	name, e, packed, ok := checkValue(k, v)
	if ok && packed {
		e.Body, ok = unpack(e.Body)
	}
	return name, e, ok
}

// checkValue is decodeValue for who does not look into the body: it stays as it
// is kept. The checksum is of that.
func checkValue(k, v []byte) (_ key, e journal.Entry, packed, ok bool) {
	name, ok := decodeKey(k)
	if !ok || len(v) < valueHeadBytes || binary.LittleEndian.Uint32(v) != valueChecksum(k, v) {
		return name, e, false, false
	}
	e.Seq = name.seq
	v = v[4:]
	v = v[copy(e.Prev[:], v):]
	v = v[copy(e.Hash[:], v):]
	n := uint64(binary.LittleEndian.Uint32(v))
	packed = n&packedBit != 0
	n &^= packedBit
	v = v[4:]
	if n > uint64(len(v)) {
		return name, e, packed, false
	}
	if n > 0 {
		e.Side = v[:n:n]
	}
	e.Body = v[n:]
	return name, e, packed, true
}

// tailRecord is a record as read from a batch.
type tailRecord struct {
	key     key
	hash    journal.Hash
	prev    journal.Hash
	control *Control
	at      int // of key and value in the batch's body
	bytes   int // of key and value
}

// eachRecord walks the body of a batch whose checksum holds. It is false if
// the body is not count records exactly.
func eachRecord(body []byte, count uint32, fn func(tailRecord) bool) bool {
	at := 0
	for ; count > 0; count-- {
		if len(body)-at < 4 {
			return false
		}
		n := int64(binary.LittleEndian.Uint32(body[at:]))
		at += 4
		if n < 1+keyBytes+valueHeadBytes || n > int64(len(body)-at) {
			return false
		}
		rec := body[at : at+int(n)]
		r := tailRecord{at: at + 1}
		if rec[0]&flagControl != 0 {
			if n < 1+controlBytes+keyBytes+valueHeadBytes {
				return false
			}
			r.control = &Control{
				Op:    ControlOp(rec[1]),
				World: World(binary.LittleEndian.Uint64(rec[2:])),
				Inc:   Incarnation(binary.LittleEndian.Uint64(rec[10:])),
			}
			r.at += controlBytes
		}
		r.bytes = at + int(n) - r.at
		name, e, _, ok := checkValue(body[r.at:r.at+keyBytes], body[r.at+keyBytes:r.at+r.bytes])
		if !ok {
			return false
		}
		r.key, r.hash, r.prev = name, e.Hash, e.Prev
		if !fn(r) {
			return false
		}
		at += int(n)
	}
	return at == len(body)
}

// row is a world's line in the table of worlds.
type row struct {
	world World
	head  Head
	there bool // false: the world is dropped; such a row is not stored
}

const rowBytes = 4 + 8 + 8 + journal.HashBytes

func (r *row) key() []byte { return binary.BigEndian.AppendUint64(nil, uint64(r.world)) }

func (r *row) encode() []byte {
	v := make([]byte, 4, rowBytes)
	v = binary.LittleEndian.AppendUint64(v, uint64(r.head.Inc))
	v = binary.LittleEndian.AppendUint64(v, uint64(r.head.Seq))
	v = append(v, r.head.Hash[:]...)
	binary.LittleEndian.PutUint32(v, valueChecksum(r.key(), v))
	return v
}

func decodeRow(k, v []byte) (row, bool) {
	if len(k) != 8 || len(v) != rowBytes || binary.LittleEndian.Uint32(v) != valueChecksum(k, v) {
		return row{}, false
	}
	r := row{world: World(binary.BigEndian.Uint64(k)), there: true}
	r.head.Inc = Incarnation(binary.LittleEndian.Uint64(v[4:]))
	r.head.Seq = journal.Seq(binary.LittleEndian.Uint64(v[12:]))
	copy(r.head.Hash[:], v[20:])
	return r, true
}

// watermark says what of the tail the shelf has: everything before at. It also
// holds what a journal is told apart by.
type watermark struct {
	version uint32 // of the folder, as it was read
	salt    [saltBytes]byte
	at      position
	batch   uint64 // the number of the first batch at or behind at
}

const watermarkBytes = 4 + 4 + saltBytes + 8 + 8 + 8

func (m *watermark) encode() []byte {
	v := make([]byte, 4, watermarkBytes)
	v = binary.LittleEndian.AppendUint32(v, folderVersion)
	v = append(v, m.salt[:]...)
	v = binary.LittleEndian.AppendUint64(v, m.at.segment)
	v = binary.LittleEndian.AppendUint64(v, uint64(m.at.offset))
	v = binary.LittleEndian.AppendUint64(v, m.batch)
	binary.LittleEndian.PutUint32(v, valueChecksum(nil, v))
	return v
}

// decodeWatermark reads a watermark. Of one that a later version wrote it knows the
// version alone, and says that it holds.
func decodeWatermark(v []byte) (watermark, bool) {
	var m watermark
	if len(v) < 8 || binary.LittleEndian.Uint32(v) != valueChecksum(nil, v) {
		return m, false
	}
	if m.version = binary.LittleEndian.Uint32(v[4:]); m.version > folderVersion {
		return m, true
	}
	if len(v) != watermarkBytes || m.version < folderVersionOldest {
		return m, false
	}
	copy(m.salt[:], v[8:])
	m.at.segment = binary.LittleEndian.Uint64(v[24:])
	m.at.offset = int64(binary.LittleEndian.Uint64(v[32:]))
	m.batch = binary.LittleEndian.Uint64(v[40:])
	return m, m.at.offset == segmentHeaderBytes
}
