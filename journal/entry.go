package journal

import "fmt"

// Seq numbers the entries of one world from 1 without a gap; a forked world
// starts where it left its parent.
type Seq uint64

// Entry is one operation at its place in the chain.
type Entry struct {
	Seq  Seq
	Prev Hash // names the entry before
	Hash Hash // Link(Prev, Seq, Body)
	// Body holds the frame, see ParseBody. Never changed once made.
	Body []byte
	// Side travels with the entry but is not hashed; usually nil.
	Side []byte
}

// Reason says how a chain is broken. The set is closed.
type Reason uint8

const (
	// NotContiguous: the sequence number is not the next one.
	NotContiguous Reason = iota + 1
	// ChainBroken: Prev is not the hash of the entry before.
	ChainBroken
	// HashDiffers: the hash is not that of the content.
	HashDiffers
	// BadFrame: the content is hashed rightly but is not a frame.
	BadFrame
)

// String returns the reason as reports spell it, like "hash-differs".
func (r Reason) String() string {
	switch r {
	case NotContiguous:
		return "not-contiguous"
	case ChainBroken:
		return "chain-broken"
	case HashDiffers:
		return "hash-differs"
	case BadFrame:
		return "bad-frame"
	}
	return fmt.Sprintf("reason-%d", uint8(r))
}

// ChainError is the first entry at which a chain does not hold.
type ChainError struct {
	Seq    Seq // of the offending entry, as it claims
	Reason Reason
}

// Error names the entry and the reason.
func (e *ChainError) Error() string {
	return fmt.Sprintf("journal: entry %d: %s", e.Seq, e.Reason)
}

// Verifier proves a chain entry by entry. It is for one goroutine.
type Verifier struct {
	prev   Hash
	next   Seq
	failed *ChainError
}

// NewVerifier returns a Verifier for a chain whose first entry is first and
// follows genesis.
func NewVerifier(genesis Hash, first Seq) *Verifier {
	return &Verifier{prev: genesis, next: first}
}

// Next checks e as the entry after the last one. A failure is a *ChainError
// and stays: every later call returns it again.
func (v *Verifier) Next(e *Entry) error {
	c := Check(*e)
	return v.NextChecked(&c)
}

// Checked is an entry with what its content alone says.
type Checked struct {
	Entry
	Frame  Frame
	reason Reason // why the entry is none whatever stands before it; 0: it is one
}

// Check looks at an entry by itself: at its hash, which is most of the work of
// proving a chain, and at its frame. Many may be looked at at once.
func Check(e Entry) Checked {
	var c Checked
	c.Check(e)
	return c
}

// Check makes c what Check returns. The list of facts is the one that c had, as far
// as that has room.
func (c *Checked) Check(e Entry) {
	c.Entry, c.reason = e, 0
	if c.Frame.parse(e.Body) != nil {
		c.Frame, c.reason = Frame{}, BadFrame
	}
	if e.Hash != Link(e.Prev, e.Seq, e.Body) {
		c.reason = HashDiffers
	}
}

// NextChecked is Next of an entry that was checked before.
func (v *Verifier) NextChecked(c *Checked) error {
	if v.failed != nil {
		return v.failed
	}
	if r := v.check(c); r != 0 {
		v.failed = &ChainError{Seq: c.Seq, Reason: r}
		return v.failed
	}
	v.prev, v.next = c.Hash, c.Seq+1
	return nil
}

// Whole reports whether the entry is one, whatever stands before it: its hash and
// its frame hold.
func (c *Checked) Whole() bool { return c.reason == 0 }

// Head returns the last entry that was accepted: its number and hash, or the
// number before the first and genesis.
func (v *Verifier) Head() (Seq, Hash) { return v.next - 1, v.prev }

func (v *Verifier) check(c *Checked) Reason {
	switch {
	case c.Seq != v.next:
		return NotContiguous
	case c.Prev != v.prev:
		return ChainBroken
	}
	return c.reason
}
