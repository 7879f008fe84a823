package admin

import (
	"context"
	"io"
	"iter"
	"net/http"
	"slices"
	"time"

	"worlds/journal"
	"worlds/journal/canon"
	"worlds/seed"
	"worlds/twin/world"
)

// importJournal makes an exported journal a world of this server. Every command of
// it is decided again first in passing; what does not come out the same is refused.
func importJournal(c *call) error {
	_ = http.NewResponseController(c.w).SetReadDeadline(time.Time{}) // a long journal takes its time
	created, err := c.s.importWorld(c.r.Context(), c.r.URL.Query().Get("name"), c.r.Body)
	if err != nil {
		return err
	}
	return reply(c, http.StatusCreated, created)
}

func (s *Server) importWorld(ctx context.Context, name string, r io.Reader) (*CreatedWorld, error) {
	if p := checkName("a world's name", name); p != nil {
		return nil, p.at("?name")
	}
	next, stop := iter.Pull2(journal.ReadLines(r, world.LineBytesMax))
	defer stop()
	g, err := s.importedGenesis(next)
	if err != nil {
		return nil, err
	}
	var begun []world.ID
	in, err := s.host.Import(ctx, g, func(yield func(*journal.Entry, error) bool) {
		for e, err, ok := next(); ok; e, err, ok = next() {
			if !yield(e, err) {
				return
			}
		}
	}, func() (world.ID, error) {
		id, err := s.beginImport()
		if err == nil {
			begun = append(begun, id)
		}
		return id, err
	})
	if err == nil && !in.Report.Valid {
		err = notProved(in.Report)
	}
	var out *CreatedWorld
	if err == nil {
		out, err = s.finishImport(name, g, in)
	}
	s.endImport(begun)
	return out, err
}

// importedGenesis reads the first line. The genesis must be what this engine makes
// of the seed: other worlds of the seed begin there too.
func (s *Server) importedGenesis(next func() (*journal.Entry, error, bool)) (*world.Genesis, error) {
	e, err, ok := next()
	switch {
	case !ok:
		return nil, problem(http.StatusBadRequest, "invalid-journal", "the journal is empty")
	case err != nil:
		return nil, problem(http.StatusBadRequest, "invalid-journal", "%v", err)
	case e.Seq != 0:
		return nil, problem(http.StatusBadRequest, "invalid-journal", "line 1: entry %d stands where the genesis belongs", e.Seq)
	}
	told, err := world.ParseGenesis(e.Body)
	switch {
	case err != nil:
		return nil, problem(http.StatusBadRequest, "invalid-journal", "line 1: %v", err)
	case told.Entry.Hash != e.Hash:
		return nil, problem(http.StatusBadRequest, "invalid-journal", "line 1: the hash is not that of the genesis")
	case !told.Current():
		return nil, world.ErrRules
	case s.opt.NoAuthoring && !s.knows(told.Seed):
		return nil, authoringOff()
	}
	g, err := s.host.Publish(told.Seed)
	if err != nil {
		return nil, err
	}
	if g.Entry.Hash != e.Hash {
		return nil, problem(http.StatusUnprocessableEntity, "journal-refused", "%s: the seed gives another genesis than the journal's", world.FailGenesis)
	}
	return g, nil
}

// knows reports whether worlds of the seed can be made without anybody bringing it.
func (s *Server) knows(doc *seed.Seed) bool {
	if _, err := s.host.Seed(doc.Hash.String()); err == nil {
		return true
	}
	own, err := s.opt.Library(doc.Document.Name)
	return err == nil && own.Hash == doc.Hash
}

func notProved(r *world.Report) error {
	if r.Failure == world.FailRules {
		return world.ErrRules
	}
	return problem(http.StatusUnprocessableEntity, "journal-refused", "%s at entry %d: %s", r.Failure, r.Seq, r.Detail)
}

// beginImport begins a stream that has no name yet.
func (s *Server) beginImport() (world.ID, error) {
	r := s.registry
	r.changing.Lock()
	defer r.changing.Unlock()
	ch := change{Op: "import.begin", World: int64(r.last + 1)}
	if err := s.host.Create(r.last+1, canon.Marshal(&ch)); err != nil {
		return 0, err
	}
	r.take(&ch, s.host)
	r.importing = append(r.importing, r.last)
	return r.last, nil
}

// finishImport gives the imported journal its name and keys.
func (s *Server) finishImport(name string, g *world.Genesis, in *world.Imported) (*CreatedWorld, error) {
	r := s.registry
	r.changing.Lock()
	defer r.changing.Unlock()
	if name != "" && slices.ContainsFunc(r.order, func(e *entry) bool { return e.name == name }) {
		return nil, problem(http.StatusConflict, "name-taken", "there is a world named %q", name).at("?name")
	}
	out := &CreatedWorld{
		ID: newWorldID(), Name: name, AdminToken: newAdminToken(), Clock: in.State.Now(), Rules: g.Rules,
		Seed: SeedInfo{Name: g.Seed.Document.Name, Hash: g.Seed.Hash.String()},
	}
	records, err := s.nameKeys(out, s.importedKeys(in))
	if err != nil {
		return nil, err
	}
	var logins []keyRecord
	if out.Zendesk, logins, err = s.login(in.State, Login{}, records); err != nil {
		return nil, err
	}
	out.URLs = s.urls(out.ID)
	ch := change{Op: "import", World: int64(in.ID), ID: out.ID, Name: name, Seed: out.Seed.Hash, SeedName: out.Seed.Name, Rules: out.Rules,
		Token: digest(out.AdminToken), Keys: append(records, logins...)}
	if in.Base != nil {
		ch.Fork = &forkRecord{Lineage: lineage(in.Base)}
		out.Fork = &LineageInfo{Seq: ch.Fork.last().Seq, Head: ch.Fork.last().Head}
	}
	if err := s.record(&ch); err != nil {
		return nil, err
	}
	return out, nil
}

// importedKeys are the labels that the journal's requests came under, but for those
// that every world has.
func (s *Server) importedKeys(in *world.Imported) (keys []KeyInfo) {
	for _, label := range in.Actors {
		own := true
		for _, c := range s.host.Catalogs() {
			own = own && label != c.Name+apiTokenLabel && label != c.Name+oauthTokenLabel
		}
		if own {
			keys = append(keys, KeyInfo{Label: label, ExpiresAfter: in.Expires[label]})
		}
	}
	return keys
}

// endImport gives up the streams of an import that came to nothing.
func (s *Server) endImport(begun []world.ID) {
	r := s.registry
	r.changing.Lock()
	defer r.changing.Unlock()
	r.importing = slices.DeleteFunc(r.importing, func(n world.ID) bool { return slices.Contains(begun, n) })
	s.sweep()
}
