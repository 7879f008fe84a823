package world

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"worlds/journal"
	"worlds/journal/canon"
	"worlds/projection"
	"worlds/twin"
)

// Mode is how a replay re-makes a world.
type Mode string

// The two replays.
const (
	Fold     Mode = "fold"      // prove the chain and fold the facts
	Redecide Mode = "re-decide" // execute every command again from the seed
)

// The ways a replay can fail.
const (
	FailChain   = "chain"          // an entry does not follow from the one before
	FailGenesis = "genesis-differ" // the seed no longer gives the recorded genesis
	FailFacts   = "facts-differ"   // the same command caused other facts
	FailReply   = "reply-differs"  // the same command was answered otherwise
	FailClock   = "clock-differs"  // the logical clock stands elsewhere
	FailState   = "state-differs"  // the replayed state is not the live one
	FailHead    = "head-differs"   // the replayed journal ends in another hash
	FailRules   = "version-refused"
	FailFrame   = "unreadable"
	FailShort   = "short" // it ends before the position asked for
)

// Report is what a replay found. It is the result of `worlds replay`.
type Report struct {
	Mode     Mode         `json:"mode"`
	Valid    bool         `json:"valid"`
	Entries  int64        `json:"entries"`
	Head     string       `json:"head"`
	DumpHash string       `json:"dump_hash"`
	Rules    int64        `json:"rules"`
	Failure  string       `json:"failure,omitempty"` // one of the Fail constants
	Seq      int64        `json:"seq,omitempty"`     // first entry that differs
	Detail   string       `json:"detail,omitempty"`
	Command  canon.Raw    `json:"command,omitempty"`
	Changes  []Difference `json:"changes,omitempty"`
	// Faults are, of a fold, all places at which the chain does not hold, at most
	// FaultsMax of them; the first is Seq and Detail.
	Faults []Fault `json:"faults,omitempty"`
}

// FaultsMax is how many faults of a chain a report lists.
const FaultsMax = 100

// Fault is a place at which a chain does not hold.
type Fault struct {
	Seq    int64  `json:"seq"` // the entry's number; where that is the fault, the one that belongs there
	Reason string `json:"reason"`
}

// Difference is one place where two JSON values part.
type Difference struct {
	Part     string `json:"part"` // "facts[2].body", "reply.status"
	Recorded string `json:"recorded"`
	Replayed string `json:"replayed"`
}

// Entries is a journal from entry 1 on; an error ends it. An entry is good until the
// next one.
type Entries = iter.Seq2[*journal.Entry, error]

// Until ends a journal after the entry at a position: a mark, or a number with or
// without "#". Whoever walks it gets ErrNoSuchSeq or ErrNoSuchMark at the end if
// there is no such position.
func Until(entries Entries, position string) Entries {
	digits := strings.TrimPrefix(position, "#")
	to, err := strconv.ParseUint(digits, 10, 53)
	numbered := digits != "" && digits[0] >= '0' && digits[0] <= '9'
	return func(yield func(*journal.Entry, error) bool) {
		last := uint64(0)
		for e, failed := range entries {
			if failed == nil && numbered && (err != nil || uint64(e.Seq) > to) {
				break
			}
			if !yield(e, failed) || failed != nil {
				return
			}
			last = uint64(e.Seq)
			if !numbered && marks(e, position) {
				numbered, to, err = true, last, nil
			}
		}
		switch {
		case !numbered:
			yield(nil, fmt.Errorf("%w: %q", ErrNoSuchMark, position))
		case err != nil || to > last:
			yield(nil, fmt.Errorf("%w: %s, the last is %d", ErrNoSuchSeq, position, last))
		}
	}
}

// marks reports whether the entry sets the mark.
func marks(e *journal.Entry, name string) bool {
	frame, err := journal.ParseBody(e.Body)
	if err != nil {
		return false
	}
	want := canon.AppendString([]byte(`["mark",`), name)
	return slices.ContainsFunc(frame.Facts, func(f canon.Raw) bool { return bytes.HasPrefix(f, want) })
}

// Replay re-makes a world from its genesis and its entries and reports the first
// entry that does not come out the same. Progress, if not nil, is told the number
// of entries done now and then. The state it ends in is returned for comparison.
func Replay(mode Mode, g *Genesis, entries Entries, catalogs []*twin.Catalog, progress func(int64)) (*Report, *projection.State) {
	r := &replay{
		report: Report{Mode: mode, Rules: g.Rules}, head: g.Entry.Hash,
		links: NewLinks(g.Entry.Hash), machine: g.Machine(catalogs), hash: g.Entry.Hash,
	}
	if mode == Redecide {
		r.genesis(g, catalogs)
	}
	var fold *projection.Keeper
	if mode == Fold {
		fold = new(projection.Keeper)
	}
	for e, err := range ahead(entries, fold) {
		failed := r.report.Failure != ""
		switch {
		case failed && (mode == Redecide || err != nil):
		case failed:
			r.look(e)
			continue
		case err != nil:
			r.fail(failureOf(err), 0, err.Error())
		default:
			r.step(e)
			if progress != nil && r.report.Entries%progressEvery == 0 {
				progress(r.report.Entries)
			}
			continue
		}
		break
	}
	r.report.Head = r.head.String()
	r.report.Valid = r.report.Failure == ""
	r.report.DumpHash = DumpHash(r.machine.State)
	return &r.report, r.machine.State
}

func failureOf(err error) string {
	if errors.Is(err, ErrNoSuchSeq) || errors.Is(err, ErrNoSuchMark) {
		return FailShort
	}
	return FailFrame
}

// progressEvery is how many entries pass between two reports of progress.
const progressEvery = 1000

type replay struct {
	report  Report
	links   *Links
	machine *twin.Machine
	seq     journal.Seq // of the last entry, as recorded
	hash    journal.Hash
	head    journal.Hash // of the last entry that came out the same
}

func (r *replay) fail(failure string, seq journal.Seq, detail string) {
	r.report.Failure, r.report.Seq, r.report.Detail = failure, int64(seq), detail
}

// genesis decides the seed again and compares.
func (r *replay) genesis(g *Genesis, catalogs []*twin.Catalog) {
	if g.Rules != twin.Rules {
		r.fail(FailRules, 0, fmt.Sprintf("the journal has rules %d, this engine %d", g.Rules, twin.Rules))
		return
	}
	again, err := NewGenesis(g.Seed, catalogs)
	if err != nil {
		r.fail(FailGenesis, 0, err.Error())
		return
	}
	if again.Entry.Hash != g.Entry.Hash {
		r.fail(FailGenesis, 0, "the seed gives another genesis than the recorded one")
		r.report.Changes = compareBodies(g.Entry.Body, again.Entry.Body)
	}
}

// step replays one entry.
func (r *replay) step(e *journal.Checked) {
	seq, _ := r.links.Head()
	joint, err := r.links.next(e)
	if err != nil {
		r.look(e)
		r.fail(FailChain, seq+1, err.Error())
		return
	}
	r.seq, r.hash = e.Seq, e.Hash
	if joint { // the past is the parent's, and has just been replayed
		r.head = e.Hash
		return
	}
	frame := &e.Frame
	if r.report.Mode == Fold {
		if err := r.machine.State.FoldKept(uint64(e.Seq), frame.Facts); err != nil {
			r.fail(FailFrame, e.Seq, err.Error())
			return
		}
	} else if !r.redecide(e, frame) {
		return
	}
	if now := r.machine.State.Now(); now != frame.At {
		r.fail(FailClock, e.Seq, fmt.Sprintf("recorded %d, replayed %d", frame.At, now))
		return
	}
	r.report.Entries++
	r.head = e.Hash
}

// look holds an entry against the one before it as that is recorded, so that one
// fault does not hide the next.
func (r *replay) look(e *journal.Checked) {
	v := journal.NewVerifier(r.hash, r.seq+1)
	if e.Seq == r.seq && isFork(&e.Frame) {
		v = journal.NewVerifier(r.hash, r.seq)
	}
	var broken *journal.ChainError
	if errors.As(v.NextChecked(e), &broken) && len(r.report.Faults) < FaultsMax {
		at := e.Seq
		if broken.Reason == journal.NotContiguous {
			at = r.seq + 1
		}
		r.report.Faults = append(r.report.Faults, Fault{Seq: int64(at), Reason: broken.Reason.String()})
	}
	r.seq, r.hash = e.Seq, e.Hash
}

// redecide executes the entry's command and compares facts and reply.
func (r *replay) redecide(e *journal.Checked, frame *journal.Frame) bool {
	var cmd twin.Command
	if err := canon.Unmarshal(frame.Command, &cmd); err != nil {
		r.fail(FailFrame, e.Seq, err.Error())
		return false
	}
	out := r.machine.Execute(uint64(e.Seq), &cmd)
	again := journal.Frame{At: r.machine.State.Now(), Command: frame.Command, Facts: out.Facts, Reply: out.Reply}
	switch {
	case !equalFacts(frame.Facts, out.Facts):
		r.fail(FailFacts, e.Seq, fmt.Sprintf("%s %s%s caused other facts", cmd.Method, cmd.Path, cmd.Op))
	case !bytes.Equal(frame.Reply, out.Reply):
		r.fail(FailReply, e.Seq, fmt.Sprintf("%s %s%s was answered otherwise", cmd.Method, cmd.Path, cmd.Op))
	default:
		return true
	}
	r.report.Command = frame.Command
	r.report.Changes = compareFrames(frame, &again)
	return false
}

func equalFacts(a, b []canon.Raw) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !bytes.Equal(a[i], b[i]) {
			return false
		}
	}
	return true
}
