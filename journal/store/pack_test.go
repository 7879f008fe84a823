package store_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"worlds/journal"
	"worlds/journal/canon"
	"worlds/journal/store"
)

// TestPackedBodies: large bodies come back byte for byte from the tail and from the
// shelf, whether they could be packed or not, with their sides; they take less
// room than they have bytes, and the second reader finds them too.
func TestPackedBodies(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, store.Options{})
	control(t, s, store.Create, 1, 1)
	alike := func(bytes int) (facts []canon.Raw) {
		for n := 0; n < bytes; n += 100 {
			facts = append(facts, canon.Raw(fmt.Sprintf(`["put","stripe.invoice",{"amount":%d,"customer":"cus_%06d","status":"paid","currency":"usd"}]`, n, n)))
		}
		return facts
	}
	random := func(bytes int) []canon.Raw {
		text, sum := "", sha256.Sum256([]byte("start"))
		for len(text) < bytes {
			text += fmt.Sprintf("%x", sum)
			sum = sha256.Sum256(sum[:])
		}
		return []canon.Raw{canon.Raw(`["note","` + text + `"]`)}
	}
	for i, facts := range [][]canon.Raw{alike(1000), alike(64 << 10), alike(3 << 20), random(80 << 10), nil, alike(200 << 10)} {
		h, _ := s.Head(1)
		frame := journal.Frame{At: int64(i), Command: canon.Raw(`{}`), Facts: facts, Reply: canon.Raw(`{}`)}
		body := frame.AppendBody(nil)
		e := journal.Entry{Seq: h.Seq + 1, Prev: h.Hash, Hash: journal.Link(h.Hash, h.Seq+1, body), Body: body}
		if i%2 == 0 {
			e.Side = []byte("a side")
		}
		if err := add(t, s, store.Record{World: 1, Inc: h.Inc, Entry: e}).Wait(); err != nil {
			t.Fatal(err)
		}
	}
	want := export(t, s)
	if err := s.Shelve(); err != nil {
		t.Fatal(err)
	}
	if got := export(t, s); got != want {
		t.Errorf("the shelf holds something else than the tail")
	}
	if err := s.Compact(); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(dir, "journal.db"))
	if err != nil || info.Size() > int64(len(want))/2 {
		t.Errorf("%d bytes of journal take %d on the shelf, %v", len(want), info.Size(), err)
	}
	j, err := readSecond(dir)
	if err != nil {
		t.Fatal(err)
	}
	if j.export() != want {
		t.Errorf("the second reader reads something else")
	}
	if report, err := store.Verify(dir); err != nil || len(report.Damage) > 0 {
		t.Errorf("%v %v", err, report)
	}
	s = open(t, dir, store.Options{})
	if got := export(t, s); got != want {
		t.Errorf("reopened, it holds something else")
	}
}
