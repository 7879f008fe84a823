package admin

import (
	"net/http"
	"sort"
	"strings"

	"worlds/journal/canon"
	"worlds/seed"
)

type seedList struct {
	Seeds []SeedInfo `json:"seeds"`
}

// hashPrefix begins the name of a published seed.
const hashPrefix = "sha256:"

// findSeed finds the seed a request means: a library name, the hash of a
// published one, or the document itself.
func (s *Server) findSeed(ref canon.Raw) (*seed.Seed, error) {
	switch {
	case len(ref) == 0:
		return nil, problem(http.StatusBadRequest, "missing-seed", "a world needs a seed: a name, a hash or a document").at("$.seed")
	case ref[0] == '{' && s.opt.NoAuthoring:
		return nil, authoringOff().at("$.seed")
	case ref[0] == '{':
		return seed.Parse(ref)
	}
	name, ok := canon.Unquote(ref)
	if !ok {
		return nil, problem(http.StatusBadRequest, "invalid-seed", "a seed is a name, a hash or a document").at("$.seed")
	}
	doc, err := s.seedNamed(name)
	if err != nil {
		return nil, problemOf(err).at("$.seed")
	}
	return doc, nil
}

// seedNamed finds a seed by name or hash. Worlds share it: it is read-only.
func (s *Server) seedNamed(name string) (*seed.Seed, error) {
	if strings.HasPrefix(name, hashPrefix) {
		return s.host.Seed(name)
	}
	if doc, ok := s.parsed.Load(name); ok {
		return doc.(*seed.Seed), nil
	}
	doc, err := s.opt.Library(name)
	if err != nil {
		return nil, problem(http.StatusNotFound, "no-such-seed", "%v", err)
	}
	s.parsed.Store(name, doc)
	return doc, nil
}

func listSeeds(c *call) error {
	list := seedList{Seeds: []SeedInfo{}}
	for _, name := range seed.Names() {
		doc, err := seed.Lookup(name)
		if err != nil {
			return err
		}
		list.Seeds = append(list.Seeds, SeedInfo{Name: name, Hash: doc.Hash.String(), Source: "library"})
	}
	c.s.registry.mu.RLock()
	published := make([]SeedInfo, 0, len(c.s.registry.published))
	for hash, name := range c.s.registry.published {
		published = append(published, SeedInfo{Name: name, Hash: hash, Source: "published"})
	}
	c.s.registry.mu.RUnlock()
	sort.Slice(published, func(i, j int) bool {
		return published[i].Name+published[i].Hash < published[j].Name+published[j].Hash
	})
	list.Seeds = append(list.Seeds, published...)
	return reply(c, http.StatusOK, &list)
}

// authoringOff refuses a seed that somebody brings.
func authoringOff() *Problem {
	return problem(http.StatusForbidden, "authoring-off",
		"this server takes no new seeds: name one of the library, or the hash of one that was published")
}

// publishSeed keeps a seed under its hash; the same bytes again change nothing.
func publishSeed(c *call) error {
	if c.s.opt.NoAuthoring {
		return authoringOff()
	}
	src, err := readBody(c)
	if err != nil {
		return err
	}
	doc, err := seed.Parse(src)
	if err != nil {
		return err
	}
	if _, err := c.s.host.Publish(doc); err != nil {
		return err
	}
	info := SeedInfo{Name: doc.Document.Name, Hash: doc.Hash.String()}
	c.s.registry.changing.Lock()
	defer c.s.registry.changing.Unlock()
	if _, there := c.s.registry.published[info.Hash]; !there {
		if err := c.s.record(&change{Op: "publish", Seed: info.Hash, Name: info.Name}); err != nil {
			return err
		}
	}
	return reply(c, http.StatusCreated, &info)
}

func showSeed(c *call) error {
	doc, err := c.s.seedNamed(c.path("hash"))
	if err != nil {
		return err
	}
	return c.raw(http.StatusOK, doc.Canonical)
}
