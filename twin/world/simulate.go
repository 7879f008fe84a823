package world

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"worlds/journal"
	"worlds/journal/canon"
	"worlds/projection"
	"worlds/twin"
)

// SimulateMax is how many commands one simulation may have.
const SimulateMax = 250

// Simulated is what a list of commands would have done. Nothing of it happened.
type Simulated struct {
	Answers []twin.Outcome
	From    *projection.State
	To      *projection.State
	// Chain is the hash of the commands, facts and replies, one after the other.
	Chain string
}

// Simulate executes commands on a branch that only this call sees, after entry at
// of a view. The world is untouched, and the same commands give the same result.
func (w *World) Simulate(ctx context.Context, v View, at journal.Seq, commands []Request) (*Simulated, error) {
	st, err := w.At(ctx, v, at)
	if err != nil {
		return nil, err
	}
	g, err := w.Genesis()
	if err != nil {
		return nil, err
	}
	out := &Simulated{From: st.Copy()}
	m := twin.NewMachine(st, twin.SpecOf(g.Seed), w.host.catalogs...)
	m.Fault = w.fault
	m.Interrupt = ctx.Err
	chain := sha256.New()
	keys := newKeyring()
	for i := range commands {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		cmd := commands[i].Command
		if raw := commands[i].IdemKey; raw != "" && cmd.Method != "GET" {
			alias, _ := keys.alias(raw)
			cmd.Idem = "simulated_" + alias
		}
		o := m.Execute(uint64(at)+uint64(i)+1, &cmd)
		if o.Aborted != nil {
			return nil, o.Aborted
		}
		chain.Write(canon.Marshal(&cmd))
		for _, f := range o.Facts {
			chain.Write(f)
		}
		chain.Write(o.Reply)
		out.Answers = append(out.Answers, o)
	}
	out.To, out.Chain = st, hex.EncodeToString(chain.Sum(nil))
	return out, nil
}

// Peek answers a read as it would have been answered after entry at of a view. It
// is in no journal.
func (w *World) Peek(ctx context.Context, v View, at journal.Seq, cmd twin.Command) (*twin.Outcome, error) {
	s, err := w.Simulate(ctx, v, at, []Request{{Command: cmd}})
	if err != nil {
		return nil, err
	}
	return &s.Answers[0], nil
}
