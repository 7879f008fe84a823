package admin

import (
	"net/http"
	"slices"

	"worlds/journal"
	"worlds/journal/canon"
	"worlds/twin/world"
)

// Limits of forks.
const (
	forksMaxDefault = 1000 // live forks of one world
	forkKeyMax      = 128  // bytes of a fork's key
)

// forkRecord is where a fork comes from: its parent's id, the key it was asked for
// under, and the positions it descends through, the oldest first.
type forkRecord struct {
	Parent  string       `json:"parent"`
	Key     string       `json:"key,omitempty"`
	Lineage []baseRecord `json:"lineage"`
}

// baseRecord is a world.Base.
type baseRecord struct {
	World int64  `json:"world"`
	Inc   int64  `json:"inc"`
	Seq   int64  `json:"seq"`
	Head  string `json:"head"`
}

func (f *forkRecord) base() *world.Base {
	var b *world.Base
	for _, r := range f.Lineage {
		hash, err := journal.ParseHash(r.Head)
		if err != nil {
			panic("admin: a fork's record: " + err.Error())
		}
		b = &world.Base{ID: world.ID(r.World), Inc: world.Incarnation(r.Inc), Seq: journal.Seq(r.Seq), Hash: hash, Of: b}
	}
	return b
}

func lineage(b *world.Base) []baseRecord {
	if b == nil {
		return nil
	}
	return append(lineage(b.Of), baseRecord{World: int64(b.ID), Inc: int64(b.Inc), Seq: int64(b.Seq), Head: b.Hash.String()})
}

// last is the position the fork left its parent at.
func (f *forkRecord) last() baseRecord { return f.Lineage[len(f.Lineage)-1] }

// LineageInfo is where a fork left its parent.
type LineageInfo struct {
	Parent string `json:"parent"`
	Seq    int64  `json:"seq"`
	Head   string `json:"head"`
	Key    string `json:"key,omitempty"`
}

func (e *entry) lineage() *LineageInfo {
	if e.fork == nil {
		return nil
	}
	last := e.fork.last()
	return &LineageInfo{Parent: e.fork.Parent, Seq: last.Seq, Head: last.Head, Key: e.fork.Key}
}

// holds reports whether a position is in the present life of the world, or in the
// past that it was forked with.
func (e *entry) holds(b baseRecord) bool {
	return b.World == int64(e.number) ||
		e.fork != nil && slices.ContainsFunc(e.fork.Lineage, func(l baseRecord) bool { return l.World == b.World && b.Seq <= l.Seq })
}

// reads reports whether a live fork reads the entries of world number n.
func (r *registry) reads(n world.ID) bool {
	return slices.ContainsFunc(r.order, func(e *entry) bool {
		return e.fork != nil && slices.ContainsFunc(e.fork.Lineage, func(b baseRecord) bool { return b.World == int64(n) })
	})
}

// forkRequest is the body of POST …/fork.
type forkRequest struct {
	At   canon.Raw `json:"at,omitempty"`  // a mark or a number; the present by default
	Key  string    `json:"key,omitempty"` // the same key gives the same fork
	Name string    `json:"name,omitempty"`
}

// forkWorld makes a branch of the world. It has the parent's past and state, the
// same key labels with secrets of its own, and no endpoint.
func forkWorld(c *call) error {
	var req forkRequest
	if err := body(c, &req); err != nil {
		return err
	}
	v, err := c.world.View(c.r.Context())
	if err != nil {
		return err
	}
	at, err := positionIn(&v, req.At, "$.at")
	if err != nil {
		return err
	}
	if len(req.Key) > forkKeyMax {
		return problem(http.StatusBadRequest, "invalid-key", "a fork's key has at most %d bytes", forkKeyMax).at("$.key")
	}
	if p := checkName("a world's name", req.Name); p != nil {
		return p.at("$.name")
	}
	// Before changing is held: a reset holds the world while it waits for that.
	branch, err := c.world.Branch(c.r.Context(), v, at.seq)
	if err != nil {
		return err
	}
	r := c.s.registry
	r.changing.Lock()
	defer r.changing.Unlock()
	if r.byID[c.entry.id] != c.entry {
		return problem(http.StatusNotFound, "no-such-world", "the world was deleted")
	}
	if old, err := c.forked(req, at, &v); old != nil || err != nil {
		if err != nil {
			return err
		}
		info := c.s.info(old)
		return reply(c, http.StatusOK, &info)
	}
	created, err := c.s.fork(c.entry, req, &v, branch)
	if err != nil {
		return err
	}
	return reply(c, http.StatusCreated, created)
}

// forked finds the fork made under the same key, and refuses what cannot be made.
func (c *call) forked(req forkRequest, at position, v *world.View) (*entry, error) {
	count := 0
	for _, e := range c.s.registry.order {
		if e.fork == nil || e.fork.Parent != c.entry.id {
			continue
		}
		count++
		if req.Key == "" || e.fork.Key != req.Key || !c.entry.holds(e.fork.last()) {
			continue
		}
		if len(req.At) == 0 || e.fork.last().Seq == int64(at.seq) {
			return e, nil
		}
		return nil, problem(http.StatusConflict, "fork-exists", "the key %q made a fork at entry %d", req.Key, e.fork.last().Seq).at("$.key")
	}
	switch limit := c.s.forksMax(); {
	case count >= limit:
		return nil, problem(http.StatusConflict, "too-many-forks", "a world has at most %d forks", limit)
	case req.Name != "" && slices.ContainsFunc(c.s.registry.order, func(e *entry) bool { return e.name == req.Name }):
		return nil, problem(http.StatusConflict, "name-taken", "there is a world named %q", req.Name).at("$.name")
	}
	return nil, nil
}

func (s *Server) forksMax() int {
	if s.opt.ForksMax > 0 {
		return s.opt.ForksMax
	}
	return forksMaxDefault
}

// fork makes and records the branch. The caller holds the registry's changing.
func (s *Server) fork(parent *entry, req forkRequest, v *world.View, branch *world.Branch) (*CreatedWorld, error) {
	out := &CreatedWorld{
		ID: newWorldID(), Name: req.Name, AdminToken: newAdminToken(), Clock: branch.Clock, Rules: parent.world.Rules,
		Seed: SeedInfo{Name: parent.seedName, Hash: parent.seedHash},
	}
	var keys []KeyInfo
	for _, k := range parent.keys {
		if k.API == "" {
			keys = append(keys, KeyInfo{Label: k.Label, ExpiresAfter: k.Expires})
		}
	}
	records, err := s.nameKeys(out, keys)
	if err != nil {
		return nil, err
	}
	var logins []keyRecord
	if out.Zendesk, logins, err = s.login(v.State, Login{}, records); err != nil {
		return nil, err
	}
	records = append(records, logins...)
	out.URLs = s.urls(out.ID)
	ch := change{Op: "fork", World: int64(s.registry.last + 1), ID: out.ID, Name: out.Name, Seed: parent.seedHash, SeedName: parent.seedName, Rules: out.Rules,
		Token: digest(out.AdminToken), Keys: records,
		Fork: &forkRecord{Parent: parent.id, Key: req.Key, Lineage: lineage(branch.Base)}}
	if _, err := branch.Begin(s.registry.last+1, canon.Marshal(&ch)); err != nil {
		return nil, err
	}
	s.registry.take(&ch, s.host)
	last := ch.Fork.last()
	out.Fork = &LineageInfo{Parent: parent.id, Seq: last.Seq, Head: last.Head, Key: req.Key}
	return out, nil
}

// sweep gives up the entries that only forks read which are gone now. The caller
// holds the registry's changing.
func (s *Server) sweep() {
	r := s.registry
	for _, n := range slices.Clone(r.retired) {
		if r.reads(n) || slices.Contains(r.importing, n) {
			continue
		}
		ch := change{Op: "drop", World: int64(n)}
		if err := s.host.Drop(n, canon.Marshal(&ch)); err != nil {
			s.opt.Logger.Warn("entries that nobody reads are kept for now", "world", n, "cause", err)
			return
		}
		r.take(&ch, s.host)
	}
}
