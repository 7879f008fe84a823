package world_test

import (
	"bytes"
	"fmt"
	"testing"

	"worlds/journal"
	"worlds/twin/world"
)

// tampered changes a copy of an entry; sealed means that its hash is made to fit.
type tampered struct {
	name   string
	change func(e *journal.Entry)
	reason string // of the fault, "" for none
}

// flip changes one bit of the body's byte i.
func flip(i func(f *journal.Frame) int) func(*journal.Entry) {
	return func(e *journal.Entry) {
		f, _ := journal.ParseBody(e.Body)
		e.Body = bytes.Clone(e.Body)
		e.Body[i(&f)] ^= 1
	}
}

// The parts of a body, by docs/format.md.
const (
	atStart      = 1
	countStart   = atStart + 8
	commandStart = countStart + 4
)

// inFacts is a byte of the first fact, inReply one of the reply.
func inFacts(f *journal.Frame) int { return commandStart + 4 + len(f.Command) + 4 + 2 }

func inReply(f *journal.Frame) int {
	n := commandStart + 4 + len(f.Command)
	for _, fact := range f.Facts {
		n += 4 + len(fact)
	}
	return n + 4 + 2
}

func fixed(n int) func(*journal.Frame) int { return func(*journal.Frame) int { return n } }

var tamperings = []tampered{
	{"the format", flip(fixed(0)), "hash-differs"},
	{"the clock", flip(fixed(atStart)), "hash-differs"},
	{"the number of facts", flip(fixed(countStart)), "hash-differs"},
	{"the command's length", flip(fixed(commandStart)), "hash-differs"},
	{"the command", flip(fixed(commandStart + 4 + 2)), "hash-differs"},
	{"a fact's length", flip(func(f *journal.Frame) int { return inFacts(f) - 4 }), "hash-differs"},
	{"a fact", flip(inFacts), "hash-differs"},
	{"the reply's length", flip(func(f *journal.Frame) int { return inReply(f) - 4 }), "hash-differs"},
	{"the reply", flip(inReply), "hash-differs"},
	{"the hash before", func(e *journal.Entry) { e.Prev[7] ^= 1 }, "chain-broken"},
	{"the hash", func(e *journal.Entry) { e.Hash[7] ^= 1 }, "hash-differs"},
	{"the number", func(e *journal.Entry) { e.Seq += 100 }, "not-contiguous"},
	{"the body for another whole", func(e *journal.Entry) {
		f, _ := journal.ParseBody(e.Body)
		f.At++
		e.Body = f.AppendBody(nil)
	}, "hash-differs"},
	{"the side, which no hash covers", func(e *journal.Entry) { e.Side = []byte("another key") }, ""},
}

// joint is the line at which the fork of the test joins its past.
const joint = 2

// found checks that a report names the fault of a line, which holds entry seq.
func (how *tampered) found(t *testing.T, line int, seq journal.Seq, report *world.Report) {
	t.Helper()
	switch {
	case how.reason == "":
		if !report.Valid {
			t.Errorf("%s of line %d: %+v", how.name, line+1, report)
		}
	case report.Failure != world.FailChain || len(report.Faults) == 0:
		t.Errorf("%s of line %d: %+v", how.name, line+1, report)
	case line == joint: // once it no longer says that it is one, the next number belongs there
		if report.Seq != int64(seq) && report.Seq != int64(seq)+1 {
			t.Errorf("%s of the joint: entry %d is blamed", how.name, report.Seq)
		}
	case report.Seq != int64(seq) || report.Faults[0] != (world.Fault{Seq: int64(seq), Reason: how.reason}):
		t.Errorf("%s of line %d: %+v; want %s at %d", how.name, line+1, report, how.reason, seq)
	}
}

// Whatever byte of an entry is changed is found, and it is said where. The side is
// outside the chain: on disk a checksum covers it, in an export nothing does.
func TestTampering(t *testing.T) {
	r := newRig(t, "saas-billing-small", nil)
	for i := range 3 {
		r.ok("POST", "/v1/customers", fmt.Sprintf("name=N%d", i), fmt.Sprintf("key-%d", i))
	}
	f := r.fork(2, 2)
	for i := range 2 {
		f.ok("POST", "/v1/customers", fmt.Sprintf("name=M%d", i), fmt.Sprintf("other-%d", i))
	}
	var list []*journal.Entry // 1, 2, the joint at 2, 3, 4
	for e, err := range f.history() {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, e)
	}
	g, err := f.world.Genesis()
	if err != nil {
		t.Fatal(err)
	}
	replay := func(mode world.Mode, victims map[int]func(*journal.Entry)) *world.Report {
		report, _ := world.Replay(mode, g, func(yield func(*journal.Entry, error) bool) {
			for i, e := range list {
				copied := *e
				if change := victims[i]; change != nil {
					change(&copied)
				}
				if !yield(&copied, nil) {
					return
				}
			}
		}, r.catalogs, nil)
		return report
	}
	for i, e := range list {
		for _, how := range tamperings {
			if i == joint && (how.name == "a fact" || how.name == "a fact's length") {
				continue // it has none
			}
			victims := map[int]func(*journal.Entry){i: how.change}
			for _, mode := range []world.Mode{world.Fold, world.Redecide} {
				how.found(t, i, e.Seq, replay(mode, victims))
			}
		}
	}
	all := replay(world.Fold, map[int]func(*journal.Entry){0: tamperings[4].change, 3: tamperings[8].change, 4: tamperings[9].change})
	if fmt.Sprint(all.Faults) != "[{1 hash-differs} {3 hash-differs} {4 chain-broken}]" {
		t.Errorf("three faults: %+v", all.Faults)
	}
	if all := replay(world.Fold, map[int]func(*journal.Entry){3: tamperings[10].change}); fmt.Sprint(all.Faults) != "[{3 hash-differs} {4 chain-broken}]" {
		t.Errorf("a changed hash: %+v", all.Faults)
	}
}

// Who changes an entry and makes all hashes after it fit is found by deciding again
// and by the head, not by the chain.
func TestForgedAndRehashed(t *testing.T) {
	r := newRig(t, "saas-billing-small", nil)
	for i := range 3 {
		r.ok("POST", "/v1/customers", fmt.Sprintf("name=N%d", i), "")
	}
	g, err := r.world.Genesis()
	if err != nil {
		t.Fatal(err)
	}
	for what, forge := range map[string]func(f *journal.Frame){
		world.FailFacts: func(f *journal.Frame) { f.Facts = f.Facts[:len(f.Facts)-1] },
		world.FailReply: func(f *journal.Frame) { f.Reply = bytes.Replace(f.Reply, []byte("200"), []byte("201"), 1) },
		world.FailClock: func(f *journal.Frame) { f.At++ },
	} {
		prev := g.Entry.Hash
		report, _ := world.Replay(world.Redecide, g, func(yield func(*journal.Entry, error) bool) {
			for e := range r.entries() {
				f, _ := journal.ParseBody(e.Body)
				if e.Seq == 2 {
					forge(&f)
				}
				forged := journal.Entry{Seq: e.Seq, Prev: prev, Body: f.AppendBody(nil)}
				forged.Hash = journal.Link(prev, e.Seq, forged.Body)
				prev = forged.Hash
				if !yield(&forged, nil) {
					return
				}
			}
		}, r.catalogs, nil)
		if report.Failure != what || report.Seq != 2 {
			t.Errorf("forged %s: %+v", what, report)
		}
	}
}
