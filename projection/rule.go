package projection

import (
	"bytes"
	"slices"

	"worlds/journal/canon"
)

// Rule makes or replaces a fault rule with its counts: how often it matched and
// how often it acted. Spec is the rule as it was added, an object; null removes
// it. Rules stand in the order in which they were first made.
type Rule struct {
	ID      string
	Matched int64
	Acted   int64
	Spec    canon.Raw
}

func (f *Rule) body() canon.Raw { return nil }

// Append implements Fact: ["rule",id,matched,acted,spec].
func (f *Rule) Append(dst []byte) []byte {
	dst = canon.AppendInt(append(appendHead(dst, "rule", f.ID), ','), f.Matched)
	dst = canon.AppendInt(append(dst, ','), f.Acted)
	return append(appendRaw(append(dst, ','), f.Spec), ']')
}

func (f *Rule) parse(r *reader) {
	f.ID, f.Matched, f.Acted, f.Spec = r.text(), r.number(), r.number(), r.body()
}

func (f *Rule) removes() bool { return len(f.Spec) == 0 || string(f.Spec) == "null" }

// apply replaces the list of rules: copies of the State keep theirs.
func (f *Rule) apply(s *State, _ uint64) {
	old := s.rules
	i := slices.IndexFunc(old, func(r *Rule) bool { return r.ID == f.ID })
	switch {
	case f.removes() && i < 0:
		return
	case f.removes():
		s.rules = slices.Delete(slices.Clone(old), i, i+1)
	default:
		kept := *f
		s.rules = slices.Clone(old)
		if i < 0 {
			s.rules = append(s.rules, &kept)
		} else {
			s.rules[i] = &kept
		}
	}
	if s.recording {
		s.record(undo{back: func(s *State, _ *undo) { s.rules = old }})
	}
}

// Rules lists the fault rules in the order in which they were made. The list and
// its rules are read-only.
func (s *State) Rules() []*Rule { return s.rules }

// Rule returns a fault rule by its id, nil if there is none.
func (s *State) Rule(id string) *Rule {
	for _, r := range s.rules {
		if r.ID == id {
			return r
		}
	}
	return nil
}

// appendDump appends the rule as it stands in a dump.
func (f *Rule) appendDump(dst []byte) []byte {
	dst = canon.AppendInt(append(dst, `{"acted":`...), f.Acted)
	dst = canon.AppendString(append(dst, `,"id":`...), f.ID)
	dst = canon.AppendInt(append(dst, `,"matched":`...), f.Matched)
	return append(appendRaw(append(dst, `,"rule":`...), f.Spec), '}')
}

// rules compares the rules of two states.
func (d *Diff) rules(from, to *State) {
	const table = "scenario.rule"
	for _, r := range to.rules {
		after := canon.Raw(r.appendDump(nil))
		was := from.Rule(r.ID)
		if was == nil {
			d.Created = append(d.Created, Change{Table: table, ID: r.ID, After: after})
		} else if before := was.appendDump(nil); !bytes.Equal(before, after) {
			d.Updated = append(d.Updated, Change{Table: table, ID: r.ID, Before: before, After: after})
		}
	}
	for _, r := range from.rules {
		if to.Rule(r.ID) == nil {
			d.Deleted = append(d.Deleted, Change{Table: table, ID: r.ID, Before: r.appendDump(nil)})
		}
	}
}
