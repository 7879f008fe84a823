package twin

import (
	"worlds/journal/canon"
	"worlds/projection"
	"worlds/seed"
)

// SeedMember is a member of a seed document as an API writes it.
type SeedMember struct {
	Name  string // "data", "zendesk"
	Value canon.Raw
}

// Lost is what a seed cannot say of a state: so many of a kind.
type Lost struct {
	What  string `json:"what"`
	Count int64  `json:"count"`
}

// ExportSeed makes a seed called name of a state: its epoch is the state's clock,
// its settings are those of spec. lost counts what the seed does not hold. The
// error is a *seed.Invalid, about the name or a clock beyond the format's epochs.
func ExportSeed(st *projection.State, spec Spec, name string, catalogs ...*Catalog) (made *seed.Seed, lost []Lost, err error) {
	head := seed.Document{Name: name, Version: 1, Epoch: st.Now(), AutoTickSeconds: spec.AutoTickSeconds,
		Settings: seed.Settings{TestClocks: spec.TestClocks, Dunning: spec.Dunning}}
	if spec.AutoTickSeconds > 0 {
		head.ClockMode = seed.ClockAuto
	}
	if spec.RawKeys {
		head.Settings.IdempotencyKeys = seed.KeysRaw
	}
	members := map[string]canon.Raw{}
	for _, c := range catalogs {
		if c.Export == nil {
			continue
		}
		written, missing := c.Export(st)
		lost = append(lost, missing...)
		for _, m := range written {
			members[m.Name] = m.Value
		}
	}
	if n := int64(st.Events()); n > 0 {
		lost = append(lost, Lost{What: "events", Count: n})
	}
	made, err = seed.Parse(seed.WithMembers(head.JSON(), members))
	return made, lost, err
}
