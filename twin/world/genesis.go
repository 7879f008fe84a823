package world

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"worlds/journal"
	"worlds/journal/canon"
	"worlds/journal/mutant"
	"worlds/projection"
	"worlds/seed"
	"worlds/twin"
)

// Genesis is where every world of one seed under one set of rules begins: entry 0
// of their journals, and the state its facts fold to.
type Genesis struct {
	Seed  *seed.Seed
	Rules int64
	Entry journal.Entry

	mu    sync.Mutex // Copy changes bookkeeping of the copied trees
	state *projection.State
}

// genesisCommand is the command of entry 0. It holds the whole seed, so that a
// journal can be re-decided from nothing.
type genesisCommand struct {
	Op    string    `json:"op"`
	Rules int64     `json:"rules"`
	Seed  canon.Raw `json:"seed"`
}

// ErrRules says that a journal was decided under other rules than this engine's.
var ErrRules = errors.New("the journal was written under other rules")

// ErrUnserved says that a seed uses what this version does not serve.
var ErrUnserved = errors.New("the seed uses what this version does not serve")

// genesisFormat is the format of a genesis' body, which does not change: a seed has
// one genesis under the same rules.
const genesisFormat = 1

// NewGenesis decides the genesis of a seed under this engine's rules.
func NewGenesis(s *seed.Seed, catalogs []*twin.Catalog) (*Genesis, error) {
	if names := s.Unserved(); len(names) > 0 {
		return nil, fmt.Errorf("%w: %s", ErrUnserved, strings.Join(names, ", "))
	}
	facts, err := twin.Genesis(s, catalogs...)
	if err != nil {
		return nil, err
	}
	frame := journal.Frame{
		At:      s.Document.Epoch,
		Command: canon.Marshal(&genesisCommand{Op: "genesis", Rules: twin.Rules, Seed: s.Canonical}),
		Reply:   canon.Raw("null"),
		Format:  genesisFormat,
	}
	for _, f := range facts {
		frame.Facts = append(frame.Facts, f.Append(nil))
	}
	body := frame.AppendBody(nil)
	return foldGenesis(s, twin.Rules, body)
}

// ParseGenesis reads entry 0 of a journal. It folds the facts it finds and decides
// nothing, so it works for journals of other rules.
func ParseGenesis(body []byte) (*Genesis, error) {
	frame, err := journal.ParseBody(body)
	if err != nil {
		return nil, fmt.Errorf("genesis: %w", err)
	}
	var cmd genesisCommand
	if err := canon.Unmarshal(frame.Command, &cmd); err != nil || cmd.Op != "genesis" {
		return nil, fmt.Errorf("genesis: entry 0 is not a genesis entry")
	}
	s, err := seed.Parse(cmd.Seed)
	if err != nil {
		return nil, fmt.Errorf("genesis: %w", err)
	}
	return foldGenesis(s, cmd.Rules, body)
}

func foldGenesis(s *seed.Seed, rules int64, body []byte) (*Genesis, error) {
	frame, err := journal.ParseBody(body)
	if err != nil {
		return nil, err
	}
	g := &Genesis{Seed: s, Rules: rules, state: projection.New()}
	g.Entry = journal.Entry{Body: body, Hash: journal.Link(journal.Hash{}, 0, body)}
	if err := g.state.Fold(0, frame.Facts); err != nil {
		return nil, fmt.Errorf("genesis: %w", err)
	}
	return g, nil
}

// Current reports whether the genesis is of this engine's rules.
func (g *Genesis) Current() bool { return g.Rules == twin.Rules }

// State returns a fresh State at the genesis; it shares structure with the others.
func (g *Genesis) State() *projection.State {
	g.mu.Lock()
	defer g.mu.Unlock()
	if mutant.Is("worlds-share-state") {
		return g.state
	}
	return g.state.Copy()
}

// Machine returns a Machine at the genesis.
func (g *Genesis) Machine(catalogs []*twin.Catalog) *twin.Machine {
	return twin.NewMachine(g.State(), twin.SpecOf(g.Seed), catalogs...)
}
