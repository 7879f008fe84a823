package main

import "math"

// benchTarget is what the product is held to: at least so much, or at most, where the
// floor must be met and the aim is where it should be.
type benchTarget struct {
	name       string
	floor, aim float64 // aim 0: the floor is all there is
	atMost     bool
	value      func(*benchReport) (float64, bool)
}

// benchVerdict is a target and what was measured.
type benchVerdict struct {
	Name    string  `json:"name"`
	Value   float64 `json:"value"`
	Floor   float64 `json:"floor"`
	Aim     float64 `json:"aim,omitempty"`
	AtMost  bool    `json:"at_most,omitempty"`
	Verdict string  `json:"verdict"`
}

// The verdicts.
const (
	unmeasured = "not measured"
	missed     = "missed"
	met        = "met"
	aimed      = "aim met"
)

// Names of the servers of the comparison, as its script gives them.
const (
	peerMock    = "stripe-mock"
	peerEmulate = "emulate"
	peerNormal  = "sqlite-normal"
	peerFull    = "sqlite-full"
)

// benchTargets are those of the product. Ratios are of one run.
func benchTargets() []benchTarget {
	const sync, relaxed = "worlds sync", "worlds relaxed"
	return []benchTarget{
		{name: "create, 100 worlds, 32 clients, sync, x stripe-mock", floor: 1.2, aim: 2, value: ratio("create", sync, 32, 100, peerMock)},
		{name: "create, 100 worlds, 32 clients, sync, x emulate", floor: 2, aim: 3, value: ratio("create", sync, 32, 100, peerEmulate)},
		{name: "create, 100 worlds, 32 clients, sync, x SQLite NORMAL", floor: 3, aim: 5, value: ratio("create", sync, 32, 100, peerNormal)},
		{name: "create, 100 worlds, 32 clients, sync, x SQLite FULL", floor: 8, aim: 15, value: ratio("create", sync, 32, 100, peerFull)},
		{name: "create, 100 worlds, 32 clients, relaxed, x SQLite NORMAL", floor: 6, aim: 9, value: ratio("create", relaxed, 32, 100, peerNormal)},
		{name: "create, 1 client, sync, x SQLite FULL", floor: 1.3, aim: 1.7, value: ratio("create", sync, 1, 1, peerFull)},
		{name: "create, 1 client, relaxed, x SQLite NORMAL", floor: 2, aim: 3, value: ratio("create", relaxed, 1, 1, peerNormal)},
		{name: "retrieve, 1 client, x floor", floor: .55, value: ratio("retrieve", sync, 1, 1, "floor")},
		{name: "retrieve, 32 clients, x floor", floor: .55, value: ratio("retrieve", sync, 32, 100, "floor")},
		{name: "list 10, 1 client, x floor", floor: .4, value: ratio("list 10", sync, 1, 1, "floor")},
		{name: "list 10, 32 clients, x floor", floor: .4, value: ratio("list 10", sync, 32, 100, "floor")},
		{name: figureFlat, floor: 1.2, atMost: true, value: figure(figureFlat)},
		{name: figureDurable, floor: 1.3, atMost: true, value: figure(figureDurable)},
		{name: "dump of 10000 customers, x sqlite-normal", floor: 5, value: figure("dump of 10000 customers, x sqlite-normal")},
		{name: figureStartEmpty + ", ms", floor: 50, atMost: true, value: figure(figureStartEmpty)},
		{name: "start to first answer, 1000 worlds, ms", floor: 150, atMost: true, value: figure("start to first answer, 1000 worlds")},
		{name: figureIdle + ", MiB", floor: 25, atMost: true, value: figure(figureIdle)},
		{name: "memory of a customer among 100000, KiB", floor: 2.2, atMost: true, value: figure("memory of a customer among 100000")},
		{name: "1000 worlds over one, MiB", floor: 60, atMost: true, value: figure("1000 worlds over one")},
		{name: "world create, x customer create", floor: 2, atMost: true, value: figure("world create, x customer create")},
		{name: "world reset, x customer create", floor: 2, atMost: true, value: figure("world reset, x customer create")},
		{name: "world fork, x customer create", floor: 2, atMost: true, value: figure("world fork, x customer create")},
		{name: "world delete, x customer create", floor: 2, atMost: true, value: figure("world delete, x customer create")},
		{name: figureFold + ", entries/s", floor: 400_000, value: figure(figureFold)},
		{name: figureRedecide + ", entries/s", floor: 30_000, value: figure(figureRedecide)},
	}
}

// ratio finds how often another server's speed one of ours has.
func ratio(job, server string, clients, worlds int, other string) func(*benchReport) (float64, bool) {
	want := benchCell{Job: job, Server: server, Clients: clients, Worlds: worlds}
	return func(r *benchReport) (float64, bool) {
		for i := range r.Cells {
			if r.Cells[i].same(&want) {
				v, ok := r.Cells[i].Times[other]
				return v, ok
			}
		}
		return 0, false
	}
}

func figure(name string) func(*benchReport) (float64, bool) {
	return func(r *benchReport) (float64, bool) { return r.figure(name) }
}

// judge holds the report against the targets.
func (r *benchReport) judge() {
	for _, t := range benchTargets() {
		v := benchVerdict{Name: t.name, Floor: t.floor, Aim: t.aim, AtMost: t.atMost, Verdict: unmeasured}
		if value, ok := t.value(r); ok {
			v.Value = value
			v.Verdict = t.verdict(value)
		}
		r.Targets = append(r.Targets, v)
	}
}

func (t *benchTarget) verdict(value float64) string {
	reaches := func(bound float64) bool {
		if t.atMost {
			return value <= bound
		}
		return value >= bound
	}
	switch {
	case math.IsNaN(value) || !reaches(t.floor):
		return missed
	case t.aim != 0 && reaches(t.aim):
		return aimed
	}
	return met
}

// bound prints a bound of the target, "" if there is none.
func (v *benchVerdict) bound(value float64) string {
	switch {
	case value == 0:
		return ""
	case v.AtMost:
		return "<= " + brief(value)
	}
	return ">= " + brief(value)
}
