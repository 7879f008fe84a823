package store_test

// A second reader of data folders, written from docs/format.md alone. This
// file imports only the standard library and bbolt.

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"go.etcd.io/bbolt"
)

// second is a journal as the second reader sees it.
type second struct {
	worlds map[uint64]*secondWorld
	blobs  map[string]string

	salt    [16]byte
	segment uint64
	batch   uint64
}

type secondWorld struct {
	inc, seq uint64
	hash     [32]byte
	entries  []secondEntry
}

type secondEntry struct {
	inc, seq   uint64
	prev, hash [32]byte
	side, body string
}

var secondCRC = crc32.MakeTable(crc32.Castagnoli)

func crcOf(parts ...[]byte) uint32 {
	return crc32.Checksum(bytes.Join(parts, nil), secondCRC)
}

func u32(b []byte) uint32 { return binary.LittleEndian.Uint32(b) }
func u64(b []byte) uint64 { return binary.LittleEndian.Uint64(b) }

// readSecond reads a stopped folder and proves every chain in it.
func readSecond(dir string) (*second, error) {
	j := &second{worlds: map[uint64]*secondWorld{}, blobs: map[string]string{}}
	db, err := bbolt.Open(filepath.Join(dir, "journal.db"), 0o644, &bbolt.Options{ReadOnly: true})
	if err != nil {
		return nil, err
	}
	defer db.Close()
	if err := db.View(j.shelf); err != nil {
		return nil, err
	}
	if err := j.tail(dir); err != nil {
		return nil, err
	}
	for number, w := range j.worlds {
		if err := w.prove(); err != nil {
			return nil, fmt.Errorf("world %d: %w", number, err)
		}
	}
	return j, nil
}

func (j *second) shelf(tx *bbolt.Tx) error {
	m := tx.Bucket([]byte("meta")).Get([]byte("watermark"))
	if len(m) != 48 || u32(m) != crcOf(m[4:]) || (u32(m[4:]) != 1 && u32(m[4:]) != 2) || u64(m[32:]) != 64 {
		return fmt.Errorf("watermark %x", m)
	}
	copy(j.salt[:], m[8:])
	j.segment, j.batch = u64(m[24:]), u64(m[40:])
	err := tx.Bucket([]byte("worlds")).ForEach(func(k, v []byte) error {
		if len(v) != 52 || u32(v) != crcOf(k, v[4:]) {
			return fmt.Errorf("row %x", k)
		}
		w := &secondWorld{inc: u64(v[4:]), seq: u64(v[12:])}
		copy(w.hash[:], v[20:])
		j.worlds[binary.BigEndian.Uint64(k)] = w
		return nil
	})
	if err != nil {
		return err
	}
	err = tx.Bucket([]byte("entries")).ForEach(func(k, v []byte) error {
		number, e, err := secondValue(k, v)
		if err != nil {
			return err
		}
		if w := j.worlds[number]; w != nil && w.inc == e.inc {
			w.entries = append(w.entries, e)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return tx.Bucket([]byte("blobs")).ForEach(func(k, v []byte) error {
		if u32(v) != crcOf(k, v[4:]) {
			return fmt.Errorf("blob %q", k)
		}
		j.blobs[string(k)] = string(v[4:])
		return nil
	})
}

func secondValue(k, v []byte) (world uint64, e secondEntry, err error) {
	if len(k) != 24 || len(v) < 72 || u32(v) != crcOf(k, v[4:]) {
		return 0, e, fmt.Errorf("entry %x", k)
	}
	e.inc, e.seq = binary.BigEndian.Uint64(k[8:]), binary.BigEndian.Uint64(k[16:])
	copy(e.prev[:], v[4:])
	copy(e.hash[:], v[36:])
	n := u32(v[68:]) &^ (1 << 31)
	e.side, e.body = string(v[72:72+n]), string(v[72+n:])
	if u32(v[68:])>>31 == 1 {
		body, err := secondUnpack(v[72+n:])
		if err != nil {
			return 0, e, fmt.Errorf("entry %x: %w", k, err)
		}
		e.body = string(body)
	}
	return binary.BigEndian.Uint64(k), e, nil
}

// secondUnpack reads the Snappy block format: the length, then literals and
// copies of what came before.
func secondUnpack(b []byte) ([]byte, error) {
	size, at := binary.Uvarint(b)
	out := make([]byte, 0, size)
	for at < len(b) {
		tag := b[at]
		at++
		n, back := int(tag>>2)+1, 0
		switch tag & 3 {
		case 0:
			if more := n - 60; more > 0 { // the length follows, in so many bytes
				n = 0
				for i := range more {
					n |= int(b[at+i]) << (8 * i)
				}
				at, n = at+more, n+1
			}
			out, at = append(out, b[at:at+n]...), at+n
			continue
		case 1:
			n, back, at = int(tag>>2&7)+4, int(tag>>5)<<8|int(b[at]), at+1
		case 2:
			back, at = int(binary.LittleEndian.Uint16(b[at:])), at+2
		case 3:
			back, at = int(u32(b[at:])), at+4
		}
		if back == 0 || back > len(out) {
			return nil, fmt.Errorf("a copy from %d back at %d", back, len(out))
		}
		for range n { // it may reach into what it makes
			out = append(out, out[len(out)-back])
		}
	}
	if uint64(len(out)) != size {
		return nil, fmt.Errorf("%d bytes unpacked, not %d", len(out), size)
	}
	return out, nil
}

type secondSegment struct {
	name   string
	number uint64
	data   []byte
	seed   []byte // both salts
}

// header reads a batch's header at an offset; nil if it does not hold.
func (s *secondSegment) header(at int) []byte {
	if at+48 > len(s.data) {
		return nil
	}
	h := s.data[at : at+48]
	if string(h[:4]) != "WBAT" || u32(h[4:]) != crcOf(s.seed, h[8:]) {
		return nil
	}
	return h
}

// body reads a batch's body; nil if it does not hold.
func (s *secondSegment) body(at int) []byte {
	h := s.header(at)
	if h == nil || at+48+int(u32(h[32:])) > len(s.data) {
		return nil
	}
	b := s.data[at+48 : at+48+int(u32(h[32:]))]
	if u32(h[40:]) != crcOf(s.seed, b) {
		return nil
	}
	return b
}

type secondPosition struct {
	segment uint64
	offset  int
}

func (j *second) tail(dir string) error {
	segments, err := j.segments(dir)
	if err != nil {
		return err
	}
	// What of them has batches, and how far anything is promised.
	var promised secondPosition
	used := 0
	for i, s := range segments {
		for at := 64; at < len(s.data); at += 8 {
			h := s.header(at)
			if h == nil {
				continue
			}
			used = i + 1
			if p := (secondPosition{u64(h[16:]), int(u64(h[24:]))}); p.segment > promised.segment ||
				p.segment == promised.segment && p.offset > promised.offset {
				promised = p
			}
		}
	}
	for i, s := range segments[:used] {
		if s.number != j.segment+uint64(i) {
			return fmt.Errorf("%s: %x is missing", s.name, j.segment+uint64(i))
		}
		limit := -1
		if i+1 < used {
			if h := segments[i+1].header(64); segments[i+1].body(64) != nil && u64(h[16:]) == s.number {
				limit = int(u64(h[24:]))
			}
		}
		at, err := j.follow(s, limit)
		if err != nil {
			return err
		}
		if limit < 0 && promised.segment == s.number {
			limit = promised.offset
		}
		if at < limit {
			return fmt.Errorf("%s: damaged at %d", s.name, at)
		}
	}
	if used == 0 && (len(segments) == 0 || segments[0].number != j.segment) {
		return fmt.Errorf("segment %x is missing", j.segment)
	}
	return nil
}

func (j *second) segments(dir string) ([]*secondSegment, error) {
	names, err := filepath.Glob(filepath.Join(dir, "tail", "*.seg"))
	if err != nil {
		return nil, err
	}
	sort.Strings(names)
	var list []*secondSegment
	for _, name := range names {
		s := &secondSegment{name: name}
		if _, err := fmt.Sscanf(strings.TrimSuffix(filepath.Base(name), ".seg"), "%x", &s.number); err != nil {
			return nil, err
		}
		if s.number < j.segment {
			continue
		}
		if s.data, err = os.ReadFile(name); err != nil {
			return nil, err
		}
		d := s.data
		if len(d) < 64 || string(d[:8]) != "WORLDSEG" || u32(d[8:]) != 1 || u32(d[12:]) != crcOf(d[:12], d[16:64]) ||
			!bytes.Equal(d[16:32], j.salt[:]) || u64(d[40:]) != s.number {
			return nil, fmt.Errorf("%s: header", name)
		}
		s.seed = d[16:40]
		list = append(list, s)
	}
	return list, nil
}

// follow reads batches up to limit and returns where reading stopped.
func (j *second) follow(s *secondSegment, limit int) (int, error) {
	at := 64
	for limit < 0 || at < limit {
		b := s.body(at)
		h := s.header(at)
		if b == nil || u64(h[8:]) != j.batch {
			break
		}
		for range u32(h[36:]) {
			n := u32(b)
			if err := j.record(b[4 : 4+n]); err != nil {
				return at, fmt.Errorf("%s: batch %d: %w", s.name, j.batch, err)
			}
			b = b[4+n:]
		}
		if len(b) != 0 {
			return at, fmt.Errorf("%s: batch %d: %d bytes too many", s.name, j.batch, len(b))
		}
		j.batch++
		at += (48 + int(u32(h[32:])) + 7) / 8 * 8
	}
	return at, nil
}

func (j *second) record(b []byte) error {
	flags, b := b[0], b[1:]
	var control []byte
	if flags&2 != 0 {
		control, b = b[:17], b[17:]
	}
	number, e, err := secondValue(b[:24], b[24:])
	if err != nil {
		return err
	}
	w := j.worlds[number]
	if w == nil || w.inc != e.inc {
		return fmt.Errorf("world %d is not there in incarnation %d", number, e.inc)
	}
	w.entries = append(w.entries, e)
	w.seq, w.hash = e.seq, e.hash
	if control == nil {
		return nil
	}
	target := u64(control[1:])
	switch control[0] {
	case 1, 2:
		j.worlds[target] = &secondWorld{inc: u64(control[9:])}
	case 3:
		delete(j.worlds, target)
	default:
		return fmt.Errorf("control %d", control[0])
	}
	return nil
}

// prove checks numbers, links, hashes and frames of a world.
func (w *secondWorld) prove() error {
	var prev [32]byte
	for i, e := range w.entries {
		if e.seq != uint64(i)+1 || e.prev != prev {
			return fmt.Errorf("entry %d stands at %d", e.seq, i+1)
		}
		h := sha256.New()
		h.Write(e.prev[:])
		_ = binary.Write(h, binary.BigEndian, e.seq)
		h.Write([]byte(e.body))
		if !bytes.Equal(h.Sum(nil), e.hash[:]) {
			return fmt.Errorf("entry %d: hash", e.seq)
		}
		if err := secondFrame([]byte(e.body)); err != nil {
			return fmt.Errorf("entry %d: %w", e.seq, err)
		}
		prev = e.hash
	}
	if w.seq != uint64(len(w.entries)) || w.hash != prev {
		return fmt.Errorf("the table says %d, there are %d", w.seq, len(w.entries))
	}
	return nil
}

func secondFrame(whole []byte) error {
	b := whole
	if len(b) < 13 || b[0] != 1 && b[0] != 2 {
		return fmt.Errorf("frame %x", b)
	}
	parts, b := int(u32(b[9:]))+2, b[13:]
	if end := len(whole) - 12; whole[0] == 2 {
		parts, b = int(u32(whole[end+8:]))+2, whole[1:end]
	}
	for range parts {
		if len(b) < 4 || len(b)-4 < int(u32(b)) {
			return fmt.Errorf("cut short")
		}
		b = b[4+u32(b):]
	}
	if len(b) > 0 {
		return fmt.Errorf("%d bytes too many", len(b))
	}
	return nil
}
