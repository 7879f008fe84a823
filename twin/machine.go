package twin

import (
	"fmt"
	"strings"

	"worlds/journal/canon"
	"worlds/projection"
	"worlds/seed"
)

// Spec is what of a seed goes on mattering after a world exists.
type Spec struct {
	SeedHash        string // 64 hexadecimal digits
	AutoTickSeconds int64  // 0: the clock is moved by hand
	RawKeys         bool   // idempotency keys are stable, and shown as sent
	TestClocks      bool   // agents may use the API's own test clocks
	Dunning         seed.Dunning
}

// SpecOf reads the Spec out of a seed.
func SpecOf(s *seed.Seed) Spec {
	spec := Spec{
		SeedHash: strings.TrimPrefix(s.Hash.String(), "sha256:"),
		RawKeys:  s.Document.Settings.IdempotencyKeys == seed.KeysRaw,

		TestClocks: s.Document.Settings.TestClocks,
		Dunning:    s.Document.Settings.Dunning,
	}
	if s.Document.ClockMode == seed.ClockAuto {
		spec.AutoTickSeconds = s.Document.AutoTickSeconds
	}
	return spec
}

// Machine executes commands on one State. It has one owner at a time.
type Machine struct {
	State    *projection.State
	Spec     Spec
	catalogs []*Catalog
	// Fault is told of a panic in a decide function, which has been answered and
	// rolled back; nil to ignore.
	Fault func(cmd *Command, panicked any)
	// Interrupt, if not nil, is asked now and then during a long operation; its
	// error takes the operation back, and its Outcome is Aborted.
	Interrupt func() error
	// Progress, if not nil, is told now and then how far an advance has come.
	Progress func(fired, at int64)
	// Spill, if not nil, is handed the facts of a long advance as they come, so that
	// they need not be held: some at a time, in order, before those of the Outcome,
	// which counts them. It must not keep them. What comes of an operation that
	// changes nothing in the end is void.
	Spill func(facts []canon.Raw)

	// Of the request under way.
	run   run
	tx    Tx
	facts []projection.Fact // room
}

// interrupted marks an operation that was given up: nothing of it is journaled.
type interrupted struct{ error }

// NewMachine returns a Machine that owns st.
func NewMachine(st *projection.State, spec Spec, catalogs ...*Catalog) *Machine {
	return &Machine{State: st, Spec: spec, catalogs: catalogs}
}

// Execute decides cmd as entry seq: it changes the State and returns the facts
// and the reply. It never fails: whatever is wrong with the command is an
// Outcome that refuses it.
func (m *Machine) Execute(seq uint64, cmd *Command) Outcome {
	for _, c := range m.catalogs {
		if c.Name == cmd.API && cmd.Op == "" {
			return m.request(seq, cmd, c)
		}
	}
	return m.operate(seq, cmd)
}

// faulted reports a panic. Our own faults must not take a world down.
func (m *Machine) faulted(cmd *Command, panicked any) {
	if m.Fault != nil {
		m.Fault(cmd, panicked)
	}
}

// Operation is an admin operation on a world, decided like a request: a pure
// function of the state and its canonical arguments.
type operation struct {
	name   string
	decide func(tx *Tx, args canon.Raw) (canon.Raw, error)
}

// operations lists the admin operations that change a world.
var operations = [...]operation{
	{"advance", advance},
	{DelayOp, delay},
	{"deliver", deliver},
	{"mark", mark},
	{"resend", resend},
	{"scenario.add", addRule},
	{"scenario.rm", removeRule},
}

// Refusal is why an admin operation was not done: a stable code, a sentence and,
// where there is one, the JSON path of what is wrong in the arguments.
type Refusal struct {
	Code string
	Text string
	Path string
}

// Error implements error.
func (r *Refusal) Error() string { return r.Text }

// operate executes one admin operation.
func (m *Machine) operate(seq uint64, cmd *Command) Outcome {
	m.State.Begin()
	defer m.State.Commit()
	tx := &Tx{m: m, st: m.State, cmd: cmd, seq: seq, minted: m.State.Minted(), spills: m.Spill != nil}
	body, err := m.operation(tx, cmd)
	out := Outcome{Status: 200, Body: body}
	if err != nil {
		tx.Rollback(Savepoint{minted: m.State.Minted()})
		tx.spilled = 0
		out.Status = 409
		if stopped, ok := err.(interrupted); ok {
			return Outcome{Aborted: stopped.error}
		}
		refusal, ok := err.(*Refusal)
		if !ok {
			refusal = &Refusal{Code: "internal", Text: err.Error()}
		}
		out.Body = append(canon.AppendString([]byte(`{"code":`), refusal.Code), `,"detail":`...)
		out.Body = canon.AppendString(out.Body, refusal.Text)
		if refusal.Path != "" {
			out.Body = canon.AppendString(append(out.Body, `,"path":`...), refusal.Path)
		}
		out.Body = append(out.Body, '}')
	}
	tx.keepEvents()
	if tx.minted != m.State.Minted() {
		tx.record(&projection.Minted{Count: tx.minted})
	}
	out.Changed = tx.spilled+len(tx.facts) > 0
	out.Facts, _ = tx.encode(nil)
	out.Spilled = tx.spilled
	out.Reply = canon.Marshal(&Reply{Status: out.Status, Body: out.Body})
	return out
}

func (m *Machine) operation(tx *Tx, cmd *Command) (body canon.Raw, err error) {
	defer func() {
		if p := recover(); p != nil {
			m.faulted(cmd, p)
			body, err = nil, &Refusal{Code: "internal", Text: "the operation failed; nothing was changed"}
		}
	}()
	for i := range operations {
		if operations[i].name == cmd.Op {
			return operations[i].decide(tx, cmd.Args)
		}
	}
	return nil, &Refusal{Code: "unknown-operation", Text: fmt.Sprintf("there is no operation %q", cmd.Op)}
}
