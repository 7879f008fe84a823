package world

import (
	"fmt"

	"worlds/journal"
)

// Links proves a history entry by entry, across the joints of forks: at a joint
// the same number comes again, and follows the entry before it.
type Links struct {
	verifier *journal.Verifier
}

// NewLinks returns Links for a history that follows the genesis entry.
func NewLinks(genesis journal.Hash) *Links {
	return &Links{verifier: journal.NewVerifier(genesis, 1)}
}

// Next checks e as what follows; joint says that it joins a fork to its past.
func (l *Links) Next(e *journal.Entry) (joint bool, err error) {
	c := journal.Check(*e)
	return l.next(&c)
}

func (l *Links) next(e *journal.Checked) (joint bool, err error) {
	seq, head := l.verifier.Head()
	if e.Seq != seq || !isFork(&e.Frame) {
		return false, l.verifier.NextChecked(e)
	}
	if e.Prev != head || !e.Whole() {
		return true, fmt.Errorf("entry %d: the fork does not follow its parent", e.Seq)
	}
	l.verifier = journal.NewVerifier(e.Hash, e.Seq+1)
	return true, nil
}

// Head is the number and hash of the last entry that was accepted, the genesis at
// first.
func (l *Links) Head() (journal.Seq, journal.Hash) { return l.verifier.Head() }
