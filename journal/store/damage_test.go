package store_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"worlds/journal"
	"worlds/journal/store"
)

// image is what a crash leaves of a store with some entries in the tail.
type image struct {
	files   map[string]string
	segment string // the newest one's name
	batches []span // in it; the first is the empty one
}

type span struct{ at, body, end int }

func (im *image) with(name, data string) map[string]string {
	files := maps.Clone(im.files)
	files[name] = data
	return files
}

// crashed makes an image: entries of world 0, one batch each.
func crashed(t *testing.T, opt store.Options, entries int) *image {
	t.Helper()
	dir := t.TempDir()
	s := open(t, dir, opt)
	for range entries {
		put(t, s, 0, 20)
	}
	im := &image{files: folder(t, dir)}
	for name, data := range im.files {
		if strings.HasSuffix(name, ".seg") && len(data) >= 68 && data[64:68] == "WBAT" && name > im.segment {
			im.segment = name
		}
	}
	im.batches = spans(im.files[im.segment])
	return im
}

func spans(data string) []span {
	var list []span
	for at := 64; at+48 < len(data) && data[at:at+4] == "WBAT"; {
		n := int(binary.LittleEndian.Uint32([]byte(data[at+32:])))
		list = append(list, span{at, at + 48, at + 48 + n})
		at += (48 + n + 7) / 8 * 8
	}
	return list
}

// changes are what may happen to the byte at i of what is written.
var changes = map[string]func(data string, i int) string{
	"truncated": func(data string, i int) string { return data[:i] },
	"zeroed":    func(data string, i int) string { return data[:i] + strings.Repeat("\x00", len(data)-i) },
	"flipped":   func(data string, i int) string { return data[:i] + string([]byte{data[i] ^ 0x10}) + data[i+1:] },
}

// Whatever becomes of the last batch, nothing after it says that it was
// durable: it is cut, and what came before is there.
func TestTornEnd(t *testing.T) {
	const entries = 3
	im := crashed(t, small, entries)
	last := im.batches[len(im.batches)-1]
	dir := filepath.Join(t.TempDir(), "data")
	restore(t, dir, im.files)
	for kind, change := range changes {
		for i := last.at; i < last.end; i++ {
			data := change(im.files[im.segment], i)
			if kind != "flipped" && strings.TrimRight(im.files[im.segment][i:last.end], "\x00") == "" {
				continue // the change is none
			}
			replace(t, dir, im.segment, data)
			if report, err := store.Verify(dir); err != nil || len(report.Damage) > 0 || report.Entries != entries-1 {
				t.Fatalf("%s at %d: %v %+v", kind, i, err, report)
			}
			if (i-last.at)%16 != 0 { // opening takes its time
				continue
			}
			s, err := store.Open(dir, small)
			if err != nil {
				t.Fatalf("%s at %d: %v", kind, i, err)
			}
			if h, _ := s.Head(0); h.Seq != entries-1 {
				t.Fatalf("%s at %d: head %d", kind, i, h.Seq)
			}
			put(t, s, 0, 20)
			check(t, s)
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			secondReaderAgrees(t, dir)
			restore(t, dir, im.files)
		}
	}
}

// What a later batch calls durable was acknowledged: if it does not hold, that
// is damage, named with its place, and nothing is changed.
func TestDamageBelowTheDurablePosition(t *testing.T) {
	im := crashed(t, small, 3)
	victim := im.batches[len(im.batches)-2]
	dir := filepath.Join(t.TempDir(), "data")
	restore(t, dir, im.files)
	for kind, change := range changes {
		if kind != "flipped" {
			continue // takes the later batch with it
		}
		for i := victim.at; i < victim.end; i++ {
			replace(t, dir, im.segment, change(im.files[im.segment], i))
			if report, err := store.Verify(dir); err != nil || len(report.Damage) != 1 || report.Damage[0].Offset != int64(victim.at) {
				t.Fatalf("byte %d of batch %+v: %v %v", i, victim, err, report.Damage)
			}
			if (i-victim.at)%8 == 0 && !refused(t, dir, filepath.Join(dir, im.segment), int64(victim.at)) {
				t.Fatalf("byte %d of batch %+v", i, victim)
			}
		}
	}
}

// refused opens a folder that must be refused with a *DamageError, unchanged.
func refused(t *testing.T, dir, path string, offset int64) bool {
	t.Helper()
	before := folder(t, dir)
	_, err := store.Open(dir, small)
	var damage *store.DamageError
	if !errors.As(err, &damage) || damage.Path != path || damage.Offset != offset {
		t.Errorf("%v, want damage of %s at %d", err, path, offset)
		return false
	}
	if !maps.Equal(folder(t, dir), before) {
		t.Fatal("the folder was changed")
	}
	if report, err := store.Verify(dir); err != nil || len(report.Damage) == 0 || report.Damage[0].Path != path {
		t.Fatal(err, report)
	}
	if _, err := readSecond(dir); err == nil {
		t.Fatal("the second reader finds nothing wrong")
	}
	return true
}

// Older segments are whole, or the folder is damaged.
func TestDamagedOldSegment(t *testing.T) {
	opt := small
	opt.Hook = func(p store.Point) error { // keeps everything in the tail
		if p == store.PointShelve {
			return errors.New("not now")
		}
		return nil
	}
	dir := t.TempDir()
	s := open(t, dir, opt)
	for range 300 {
		put(t, s, 0, 700)
	}
	im := &image{files: folder(t, dir)}
	var used []string
	for _, name := range slices.Sorted(maps.Keys(im.files)) {
		if data := im.files[name]; strings.HasSuffix(name, ".seg") && len(spans(data)) > 0 {
			used = append(used, name)
		}
	}
	if len(used) < 4 {
		t.Fatal(used)
	}
	old := used[1]
	data := im.files[old]
	list := spans(data)
	victim, end := list[5], list[len(list)-1]
	dir = filepath.Join(t.TempDir(), "data")
	path := filepath.Join(dir, old)
	rows := []struct {
		name   string
		data   string
		offset int
	}{
		{"a flipped bit in a body", changes["flipped"](data, victim.body+30), victim.at},
		{"a flipped bit in a header", changes["flipped"](data, victim.at+9), victim.at},
		{"a flipped bit in the last batch", changes["flipped"](data, end.body), end.at},
		{"cut in the middle", data[:victim.body], victim.at},
		{"zeros from the middle on", changes["zeroed"](data, victim.at), victim.at},
		{"the segment's header", changes["flipped"](data, 20), 0},
		{"empty", "", 0},
		{"another segment in its place", im.files[used[2]], 0},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			restore(t, dir, im.with(old, row.data))
			refused(t, dir, path, int64(row.offset))
		})
	}
	t.Run("missing", func(t *testing.T) {
		files := maps.Clone(im.files)
		delete(files, old)
		restore(t, dir, files)
		refused(t, dir, path, -1)
	})
	t.Run("missing, the first", func(t *testing.T) {
		files := maps.Clone(im.files)
		delete(files, used[0])
		restore(t, dir, files)
		refused(t, dir, filepath.Join(dir, used[0]), -1)
	})
	t.Run("no damage", func(t *testing.T) {
		restore(t, dir, im.files)
		s := open(t, dir, small)
		if h, _ := s.Head(0); h.Seq != 300 {
			t.Fatal(h.Seq)
		}
		check(t, s)
	})
}

// With the relaxed level a power cut may lose a batch and keep a later one.
// Neither comes back, whatever is written after.
func TestBatchBehindTornOneStaysAway(t *testing.T) {
	opt := small
	opt.Durability = store.Relaxed
	hold := make(chan struct{})
	var syncs atomic.Int64
	opt.Hook = func(p store.Point) error {
		if p == store.PointWritten && syncs.Add(1) > 1 { // the first is that of the start
			<-hold
		}
		return nil
	}
	dir := t.TempDir()
	s := open(t, dir, opt)
	for range 4 {
		put(t, s, 0, 20)
	}
	files := folder(t, dir)
	close(hold)
	im := &image{files: files}
	for name, data := range files {
		if strings.HasSuffix(name, ".seg") && len(spans(data)) > 0 {
			im.segment = name
		}
	}
	list := spans(files[im.segment])
	if len(list) != 5 {
		t.Fatal(list)
	}
	dir = filepath.Join(t.TempDir(), "data")
	restore(t, dir, im.with(im.segment, changes["flipped"](files[im.segment], list[2].body)))
	for want := journal.Seq(1); want < 4; want++ {
		s, err := store.Open(dir, small)
		if err != nil {
			t.Fatal(err)
		}
		if h, _ := s.Head(0); h.Seq != want {
			t.Fatalf("head %d, want %d", h.Seq, want)
		}
		put(t, s, 0, 20)
		check(t, s)
		files := folder(t, dir) // as if killed
		_ = s.Close()
		restore(t, dir, files)
		secondReaderAgrees(t, dir)
	}
}

// shelved makes a closed folder with three worlds on the shelf.
func shelved(t *testing.T, dir string) {
	t.Helper()
	s := open(t, dir, small)
	for w := range store.World(3) {
		control(t, s, store.Create, w+1, 1)
	}
	for range 400 {
		for w := range store.World(3) {
			put(t, s, w+1, 300)
		}
	}
	if err := s.PutBlob("seed", []byte("content")); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// A damaged shelf is refused by name, never by a panic, and never replaced.
func TestDamagedShelf(t *testing.T) {
	origin := t.TempDir()
	shelved(t, origin)
	files := folder(t, origin)
	data := files["journal.db"]
	zeros := func(n int) string { return strings.Repeat("\x00", n) }
	rows := []struct{ name, data string }{
		{"empty", ""},
		{"half", data[:len(data)/2]},
		{"half, and not of a page", data[:len(data)/2+1234]},
		{"a page less", data[:len(data)-4096]},
		{"no meta pages", zeros(8192) + data[8192:]},
		{"zeros", zeros(len(data))},
		{"a text", "this is not a journal\n"},
		{"a long text", strings.Repeat("this is not a journal\n", 5000)},
	}
	const page, places = 4096, 40
	used := len(strings.TrimRight(data, "\x00")) / page
	for i := 0; i < used; i += max(1, used/places) {
		rows = append(rows, struct{ name, data string }{fmt.Sprintf("0xFF in page %d", i),
			data[:i*page] + strings.Repeat("\xff", page) + data[(i+1)*page:]})
	}
	dir := filepath.Join(t.TempDir(), "data")
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			damaged := maps.Clone(files)
			damaged["journal.db"] = row.data
			restore(t, dir, damaged)
			before := folder(t, dir)
			_, verr := store.Verify(dir)
			s, err := store.Open(dir, small)
			if err != nil {
				named(t, err)
				if verr != nil {
					named(t, verr)
				}
				if !maps.Equal(folder(t, dir), before) {
					t.Fatal("the folder was changed")
				}
			} else {
				scanAll(t, s)
			}
			salvageAll(t, dir)
			// The folder is free again.
			restore(t, dir, files)
			s, err = store.Open(dir, small)
			if err != nil {
				t.Fatal(err)
			}
			check(t, s)
			_ = s.Close()
		})
	}
}

func named(t *testing.T, err error) {
	t.Helper()
	var damage *store.DamageError
	if !errors.Is(err, store.ErrForeign) && !errors.As(err, &damage) {
		t.Fatalf("not a named error: %v", err)
	}
	// Behind a damaged meta page bbolt goes by the one before, and a segment which
	// that would need may be gone.
	if !strings.Contains(err.Error(), "journal.db") && !strings.Contains(err.Error(), "the segment is missing") {
		t.Fatalf("does not name the file: %v", err)
	}
}

// scanAll reads every world of a store that may be damaged, and closes it: it
// may fail by name only.
func scanAll(t *testing.T, s *store.Store) {
	t.Helper()
	for _, w := range s.Worlds() {
		h, _ := s.Head(w)
		v := journal.NewVerifier(journal.Hash{}, 1)
		if err := s.Scan(w, h.Inc, 1, 0, v.Next); err != nil {
			named(t, err)
		}
	}
	if _, err := s.Blob("seed"); err != nil {
		named(t, err)
	}
	if err := s.Close(); err != nil {
		named(t, err)
	}
}

func salvageAll(t *testing.T, dir string) (whole []store.World, lost []string) {
	t.Helper()
	err := store.Salvage(dir, func(string, []byte) error { return nil }, func(w *store.Salvaged) error {
		if w.Lost != "" {
			lost = append(lost, fmt.Sprintf("world %d: %s", w.World, w.Lost))
			return nil
		}
		v := journal.NewVerifier(journal.Hash{}, 1)
		for i := range w.Entries {
			if err := v.Next(&w.Entries[i]); err != nil {
				lost = append(lost, fmt.Sprintf("world %d: %v", w.World, err))
				return nil
			}
		}
		whole = append(whole, w.World)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return whole, lost
}

// One changed byte in one world's entry costs that world alone.
func TestOneDamagedEntry(t *testing.T) {
	dir := t.TempDir()
	shelved(t, dir)
	s := open(t, dir, small)
	var hash journal.Hash
	err := s.Scan(2, 1, 17, 17, func(e *journal.Entry) error { hash = e.Hash; return nil })
	if err := errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
	k := make([]byte, 24)
	k[7], k[15], k[23] = 2, 1, 17
	changed := 0 // in old versions of pages and spare segments too, where salvage would find it
	for name, content := range folder(t, dir) {
		data := []byte(content)
		for at := 0; at >= 0; at += len(k) {
			n := bytes.Index(data[at:], k)
			if n < 0 {
				break
			}
			at += n
			if v := data[at+len(k):]; bytes.HasPrefix(v[4+32:], hash[:]) {
				v[100] ^= 1
				changed++
			}
		}
		replace(t, dir, name, string(data))
	}
	if changed == 0 {
		t.Fatal("the entry is nowhere")
	}
	whole, lost := salvageAll(t, dir)
	if !slices.Equal(whole, []store.World{0, 1, 3}) || !slices.Equal(lost, []string{"world 2: entry 17 is missing"}) {
		t.Fatal(whole, lost)
	}
	report, err := store.Verify(dir)
	if err != nil || len(report.Damage) == 0 || report.Damage[0].Offset < 0 {
		t.Fatal(err, report.Damage)
	}
	s = open(t, dir, small)
	for w := range store.World(4) {
		h, _ := s.Head(w)
		err := s.Scan(w, h.Inc, 1, 0, func(*journal.Entry) error { return nil })
		var damage *store.DamageError
		if w != 2 && err != nil || w == 2 && !errors.As(err, &damage) {
			t.Fatalf("world %d: %v", w, err)
		}
		if w == 2 && !strings.Contains(err.Error(), "world 2, incarnation 1, entry 17") {
			t.Fatal(err)
		}
	}
}

// Entries without a shelf are not taken for an empty folder.
func TestShelfIsMissing(t *testing.T) {
	im := crashed(t, small, 3)
	delete(im.files, "journal.db")
	dir := filepath.Join(t.TempDir(), "data")
	restore(t, dir, im.files)
	before := folder(t, dir)
	if _, err := store.Open(dir, small); err == nil {
		t.Fatal("opened")
	} else {
		named(t, err)
	}
	if !maps.Equal(folder(t, dir), before) {
		t.Fatal("the folder was changed")
	}
	if whole, lost := salvageAll(t, dir); !slices.Equal(whole, []store.World{0}) {
		t.Fatal(whole, lost)
	}
}
