package store

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"

	bolt "go.etcd.io/bbolt"

	"worlds/journal"
)

// damageMax bounds a Report: a folder with more is not examined further.
const damageMax = 1000

// Report is what Verify found.
type Report struct {
	Worlds  []World // there are, ascending
	Entries uint64  // that hold, dead ones that are not cleared yet included
	Blobs   int
	Damage  []*DamageError // in the order found; none: all is well
}

func (r *Report) damage(d *DamageError) error {
	if len(r.Damage) == damageMax {
		return d
	}
	r.Damage = append(r.Damage, d)
	return nil
}

// Verify examines the folder of a stopped server, changes nothing and lists
// all damage. It checks what the store answers for: files, checksums, that the
// entries of each world are all there and follow each other. The hashes are
// for Scan and journal.Verifier. The error is ErrLocked, ErrForeign,
// ErrVersion, or one of reading.
func Verify(dir string) (Report, error) {
	var report Report
	lock, err := lockFolder(dir, false, LockTimeoutDefault)
	if err != nil {
		return report, err
	}
	defer func() { _ = lock.Close() }()
	sh, mark, err := openShelf(dir, true)
	if err != nil {
		return report, report.note(err)
	}
	defer func() { _ = sh.close() }()
	rows, err := sh.rows()
	if err != nil {
		return report, report.note(err)
	}
	t, err := readTail(OpenDisk, dir, mark, report.damage)
	if err != nil {
		return report, report.note(err)
	}
	now := tableOf(rows)
	report.Entries = now.follow(t, report.damage)
	report.Worlds = slices.Sorted(maps.Keys(now))
	alive := map[World]Head{}
	for _, r := range rows {
		if h, ok := now[r.world]; ok && h.Inc == r.head.Inc {
			alive[r.world] = r.head
		}
	}
	if err := report.entries(sh, alive); err != nil {
		return report, report.note(err)
	}
	return report, report.note(report.blobs(sh))
}

// note adds err to the report if it is damage, else returns it.
func (r *Report) note(err error) error {
	var d *DamageError
	if !errors.As(err, &d) {
		return err
	}
	if !slices.Contains(r.Damage, d) {
		_ = r.damage(d)
	}
	return nil
}

// table is what worlds there are, with their heads.
type table map[World]Head

func tableOf(rows []row) table {
	t := table{}
	for _, r := range rows {
		t[r.world] = r.head
	}
	return t
}

// follow brings the table to where the tail ends.
func (now table) follow(t *tail, damage func(*DamageError) error) (entries uint64) {
	for _, s := range t.segments {
		for _, b := range s.batches {
			body := s.data[b.at+batchHeaderBytes:][:b.bytes]
			eachRecord(body, b.records, func(r tailRecord) bool {
				if !now.apply(&r) {
					_ = damage(&DamageError{Path: s.path, Offset: b.at + batchHeaderBytes + int64(r.at),
						What: fmt.Sprintf("world %d, incarnation %d: entry %d does not continue its world", r.key.world, r.key.inc, r.key.seq)})
				}
				entries++
				return true
			})
		}
	}
	return entries
}

// apply moves the table on by one record; false if the record is not next.
func (now table) apply(r *tailRecord) bool {
	h, ok := now[r.key.world]
	ok = ok && h.Inc == r.key.inc && (h.Seq == 0 || h.Seq+1 == r.key.seq && h.Hash == r.prev)
	now[r.key.world] = Head{r.key.inc, r.key.seq, r.hash}
	if c := r.control; c != nil {
		if c.Op == Drop {
			delete(now, c.World)
		} else {
			now[c.World] = Head{Inc: c.Inc}
		}
	}
	return ok
}

// entries checks the entries of the shelf, those of alive for completeness.
func (r *Report) entries(sh *shelf, alive map[World]Head) error {
	last := map[World]journal.Entry{}
	var previous []byte
	err := sh.view(func(tx *bolt.Tx) error {
		return tx.Bucket(entriesBucket).ForEach(func(k, v []byte) error {
			if previous != nil && bytes.Compare(previous, k) >= 0 { // a damaged tree may lead in circles
				return sh.damagedEntry(tx, k, nil)
			}
			previous = bytes.Clone(k)
			name, e, ok := decodeValue(k, v)
			if !ok {
				err := sh.damagedEntry(tx, k, v)
				return r.note(err)
			}
			r.Entries++
			if head, ok := alive[name.world]; !ok || head.Inc != name.inc {
				return nil
			}
			before, any := last[name.world]
			if any && (before.Seq+1 != e.Seq || before.Hash != e.Prev) {
				return r.note(missing(sh.path, name.world, name.inc, before.Seq+1))
			}
			e.Body, e.Side = nil, nil // of the transaction
			last[name.world] = e
			return nil
		})
	})
	if err != nil {
		return err
	}
	for _, w := range slices.Sorted(maps.Keys(alive)) {
		head := alive[w]
		if e := last[w]; e.Seq != head.Seq || e.Hash != head.Hash {
			if err := r.note(missing(sh.path, w, head.Inc, e.Seq+1)); err != nil {
				return err
			}
		}
	}
	return nil
}

func missing(path string, w World, inc Incarnation, seq journal.Seq) error {
	return &DamageError{Path: path, Offset: -1,
		What: fmt.Sprintf("world %d, incarnation %d: entry %d is missing or does not continue its world", w, inc, seq)}
}

func (r *Report) blobs(sh *shelf) error {
	keys, err := sh.blobKeys()
	for _, k := range keys {
		if _, err := sh.blob(k); err != nil {
			if err := r.note(err); err != nil {
				return err
			}
			continue
		}
		r.Blobs++
	}
	return err
}
