package store

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"worlds/journal"
)

// Salvaged is what Salvage hands out.
type Salvaged struct {
	World World
	Head  Head
	// Entries are all of the world's present incarnation, in order, each
	// linked to the one before; the hashes are not checked. Nil if Lost.
	Entries []journal.Entry
	// Lost says why the world is not whole; "" if it is.
	Lost string
}

// Salvage reads what can still be read of a damaged folder, without bbolt and
// without changing anything, and calls fn for every world, ascending. Blobs
// come first. Where the table of worlds itself is damaged, a world that was
// dropped not long ago may come up again.
func Salvage(dir string, blob func(key string, data []byte) error, fn func(*Salvaged) error) error {
	lock, err := lockFolder(dir, false, LockTimeoutDefault)
	if err != nil {
		return err
	}
	defer func() { _ = lock.Close() }()
	sv := salvage{places: map[key]place{}, rows: map[World]row{}, blobs: map[string][]byte{}}
	if err := sv.shelf(filepath.Join(dir, shelfName)); err != nil {
		return err
	}
	sv.trustTable(dir)
	if err := sv.tail(dir); err != nil {
		return err
	}
	for _, k := range slices.Sorted(maps.Keys(sv.blobs)) {
		if err := blob(k, sv.blobs[k]); err != nil {
			return err
		}
	}
	for _, w := range slices.Sorted(maps.Keys(sv.rows)) {
		found, err := sv.world(w)
		if err == nil {
			err = fn(found)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

type salvage struct {
	places map[key]place
	rows   map[World]row
	blobs  map[string][]byte
	mark   watermark
}

// place is where a value is in a file.
type place struct {
	path string
	at   int64
	n    int
}

// shelf takes every leaf page for what it says it is. Old versions of pages
// come up too; entries never change, and of rows the newest counts.
func (sv *salvage) shelf(path string) error {
	data, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("store: salvage: %w", err)
	}
	meta, _, err := readMeta(bytes.NewReader(data))
	if err != nil {
		return fmt.Errorf("store: salvage: %w", err)
	}
	size := int64(meta.pageBytes)
	if size == 0 {
		size = int64(os.Getpagesize())
	}
	for at := int64(0); at+size <= int64(len(data)); at += size {
		page := data[at:]
		if binary.NativeEndian.Uint64(page) != uint64(at/size) || binary.NativeEndian.Uint16(page[8:]) != boltLeaf {
			continue
		}
		whole := size * (1 + int64(binary.NativeEndian.Uint32(page[12:])))
		sv.leaf(path, at, page[:min(whole, int64(len(page)))])
	}
	return nil
}

// leaf takes the elements of a leaf page that starts at offset at.
func (sv *salvage) leaf(path string, at int64, page []byte) {
	count := int(binary.NativeEndian.Uint16(page[10:]))
	for i := range count {
		e := boltPageHead + i*boltElement
		if e+boltElement > len(page) {
			return
		}
		flags, start := binary.NativeEndian.Uint32(page[e:]), int64(e)+int64(binary.NativeEndian.Uint32(page[e+4:]))
		mid := start + int64(binary.NativeEndian.Uint32(page[e+8:]))
		end := mid + int64(binary.NativeEndian.Uint32(page[e+12:]))
		if end > int64(len(page)) {
			continue
		}
		k, v := page[start:mid], page[mid:end]
		if flags&boltBucketFlag == 0 {
			sv.element(path, at+mid, k, v)
		} else if len(v) >= boltBucketValue+boltPageHead {
			sv.leaf(path, at+mid+boltBucketValue, v[boltBucketValue:]) // within its parent
		}
	}
}

// element takes a key and value for what their checksum proves them to be.
func (sv *salvage) element(path string, at int64, k, v []byte) {
	if name, _, ok := decodeValue(k, v); ok {
		sv.places[name] = place{path, at, len(v)}
		return
	}
	if r, ok := decodeRow(k, v); ok {
		old := sv.rows[r.world].head
		if !sv.rows[r.world].there || cmp.Or(cmp.Compare(r.head.Inc, old.Inc), cmp.Compare(r.head.Seq, old.Seq)) > 0 {
			sv.rows[r.world] = r
		}
		return
	}
	if m, ok := decodeWatermark(v); ok && m.version <= folderVersion && bytes.Equal(k, markKey) {
		if m.batch > sv.mark.batch {
			sv.mark = m
		}
		return
	}
	if len(v) >= 4 && binary.LittleEndian.Uint32(v) == valueChecksum(k, v) {
		sv.blobs[string(k)] = bytes.Clone(v[4:])
	}
}

// trustTable prefers what bbolt itself still reads.
func (sv *salvage) trustTable(dir string) {
	sh, mark, err := openShelf(dir, true)
	if err != nil {
		return
	}
	defer func() { _ = sh.close() }()
	rows, err := sh.rows()
	if err != nil {
		return
	}
	sv.mark = mark
	sv.rows = map[World]row{}
	for _, r := range rows {
		sv.rows[r.world] = r
	}
}

// tail takes every batch that holds, and follows those behind the watermark.
func (sv *salvage) tail(dir string) error {
	files, err := listTail(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	now := table{}
	for w, r := range sv.rows {
		now[w] = r.head
	}
	for _, number := range files.segments {
		path := segmentPath(dir, number)
		data, err := os.ReadFile(path)
		if err != nil {
			return fmt.Errorf("store: salvage: %w", err)
		}
		s, err := scanSegment(path, data)
		if err != nil {
			continue
		}
		sv.segment(s, now)
	}
	sv.rows = map[World]row{}
	for w, h := range now {
		sv.rows[w] = row{world: w, head: h, there: true}
	}
	return nil
}

func (sv *salvage) segment(s *scanned, now table) {
	for _, b := range s.batches {
		start := b.at + batchHeaderBytes
		eachRecord(s.data[start:][:b.bytes], b.records, func(r tailRecord) bool {
			at := start + int64(r.at) + keyBytes
			if _, known := sv.places[r.key]; !known {
				sv.places[r.key] = place{s.path, at, r.bytes - keyBytes}
			}
			if b.number >= sv.mark.batch {
				now.apply(&r)
			}
			return true
		})
	}
}

// world reads the entries of w's incarnation, if they are all there.
func (sv *salvage) world(w World) (*Salvaged, error) {
	head := sv.rows[w].head
	out := &Salvaged{World: w, Head: head}
	files := map[string]*os.File{}
	defer func() {
		for _, f := range files {
			_ = f.Close()
		}
	}()
	for seq := head.Seq; seq > 0; seq-- {
		name := key{w, head.Inc, seq}
		p, ok := sv.places[name]
		if !ok {
			// A forked world starts above 1; nothing tells it from a loss here
			// but that nothing at all is left below.
			if sv.anyBelow(name) || seq == head.Seq {
				out.Lost = fmt.Sprintf("entry %d is missing", seq)
			}
			break
		}
		e, err := readPlace(files, name, p)
		if err != nil {
			return nil, err
		}
		if n := len(out.Entries); seq == head.Seq && e.Hash != head.Hash || n > 0 && out.Entries[n-1].Prev != e.Hash {
			out.Lost = fmt.Sprintf("entry %d is not what the next one continues", seq)
			break
		}
		out.Entries = append(out.Entries, e)
	}
	if out.Lost != "" {
		out.Entries = nil
	}
	slices.Reverse(out.Entries)
	return out, nil
}

func (sv *salvage) anyBelow(name key) bool {
	for k := range sv.places {
		if k.world == name.world && k.inc == name.inc && k.seq < name.seq {
			return true
		}
	}
	return false
}

func readPlace(files map[string]*os.File, name key, p place) (journal.Entry, error) {
	f := files[p.path]
	if f == nil {
		var err error
		if f, err = os.Open(p.path); err != nil {
			return journal.Entry{}, fmt.Errorf("store: salvage: %w", err)
		}
		files[p.path] = f
	}
	v := make([]byte, p.n)
	if _, err := f.ReadAt(v, p.at); err != nil {
		return journal.Entry{}, fmt.Errorf("store: salvage: %s: %w", p.path, err)
	}
	_, e, ok := decodeValue(name.append(nil), v)
	if !ok {
		return e, &DamageError{Path: p.path, Offset: p.at, What: "changed while it was read"}
	}
	return e, nil
}
