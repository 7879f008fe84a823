package admin

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	"worlds/journal"
	"worlds/journal/canon"
	"worlds/twin/world"
)

// change is one entry of the server's own stream. The registry is the fold of
// these; secrets stand in them as digests only.
type change struct {
	Op    string `json:"op"` // create, fork, import.begin, import, reset, delete, drop, key.add, key.remove, publish
	World int64  `json:"world,omitempty"`
	ID    string `json:"id,omitempty"`
	Name  string `json:"name,omitempty"`
	Seed  string `json:"seed,omitempty"` // "sha256:…"
	// SeedName is what the seed of a "create" or a "fork" calls itself.
	SeedName string      `json:"seed_name,omitempty"`
	Rules    int64       `json:"rules,omitempty"`
	Token    string      `json:"token,omitempty"`
	Keys     []keyRecord `json:"keys,omitempty"`
	// Endpoint is the operator's endpoint from now on; nil in an "endpoint" change
	// is none.
	Endpoint *endpointRecord `json:"endpoint,omitempty"`
	Fork     *forkRecord     `json:"fork,omitempty"` // of a fork: where it comes from
	// Moved is, of a reset, the number the world goes on under; of a delete, 1 when
	// its entries stay for its forks.
	Moved int64 `json:"moved,omitempty"`
}

// keyRecord is an API key: the label that stands in journals, and its digest. A
// key with an API opens that one alone, one without opens all.
type keyRecord struct {
	Label  string `json:"label"`
	Digest string `json:"digest"`
	API    string `json:"api,omitempty"`
	// Expires is how many requests the key lasts for in one life of the world, 0 for
	// ever.
	Expires int64 `json:"expires,omitempty"`
}

// entry is one world in the registry.
type entry struct {
	number   world.ID
	id, name string
	seedHash string
	seedName string
	token    string // digest
	keys     []keyRecord
	world    *world.World
	endpoint *endpointRecord // nil for none
	fork     *forkRecord     // nil unless it is one
}

// registry knows the worlds of a server. It is a fold: everything in it can be
// had again from the server's own stream.
type registry struct {
	// changing orders the changes: it is held while one is recorded, so that mu,
	// which every request of a twin passes, is never held while waiting for the
	// disk. Who holds changing may read without mu.
	changing  sync.Mutex
	mu        sync.RWMutex
	last      world.ID
	byID      map[string]*entry
	byKey     map[fingerprint]owner
	published map[string]string
	order     []*entry
	retired   []world.ID // numbers whose entries are kept for forks alone
	importing []world.ID // of those, the ones that an import under way fills
}

// owner is whose a key is.
type owner struct {
	entry   *entry
	label   string
	api     string // the only one it opens, "" for all
	expires int64
}

func newRegistry() *registry {
	return &registry{byID: map[string]*entry{}, byKey: map[fingerprint]owner{}, published: map[string]string{}}
}

// load folds the server's own stream.
func (r *registry) load(h *world.Host) error {
	return h.ServerLog(func(seq journal.Seq, command canon.Raw) error {
		var c change
		if err := canon.Unmarshal(command, &c); err != nil {
			return fmt.Errorf("the server's own stream: entry %d: %w", seq, err)
		}
		r.apply(&c, h)
		return nil
	})
}

// take folds one change. The caller holds changing.
func (r *registry) take(c *change, h *world.Host) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.apply(c, h)
}

// apply folds one change. The caller holds mu, or is alone. A change of a world
// that was deleted meanwhile is nothing.
func (r *registry) apply(c *change, h *world.Host) {
	switch c.Op {
	case "import.begin":
		r.last = max(r.last, world.ID(c.World))
		r.retired = append(r.retired, world.ID(c.World))
	case "create", "fork", "import":
		r.retired = slices.DeleteFunc(r.retired, func(n world.ID) bool { return n == world.ID(c.World) })
		e := &entry{number: world.ID(c.World), id: c.ID, name: c.Name, seedHash: c.Seed, seedName: c.SeedName, token: c.Token, fork: c.Fork}
		if c.Fork == nil {
			e.world = h.Attach(e.number, c.Seed, c.Rules)
		} else {
			e.world = h.AttachFork(e.number, c.Seed, c.Rules, c.Fork.base())
		}
		r.last = max(r.last, e.number)
		r.byID[e.id] = e
		r.order = append(r.order, e)
		for _, k := range c.Keys {
			r.addKey(e, k)
		}
		e.endpoint = c.Endpoint
		e.world.SetEndpoint(e.endpoint.live())
	case "endpoint":
		if e := r.byNumber(world.ID(c.World)); e != nil {
			e.endpoint = c.Endpoint
			e.world.SetEndpoint(e.endpoint.live())
		}
	case "reset":
		if e := r.byNumber(world.ID(c.World)); e != nil && c.Moved != 0 {
			r.retired = append(r.retired, e.number)
			e.number = world.ID(c.Moved)
			r.last = max(r.last, e.number)
			h.Moved(e.world, e.number)
		}
	case "drop":
		r.retired = slices.DeleteFunc(r.retired, func(n world.ID) bool { return n == world.ID(c.World) })
	case "delete":
		if e := r.byNumber(world.ID(c.World)); e != nil {
			if c.Moved != 0 {
				r.retired = append(r.retired, e.number)
			}
			for _, k := range e.keys {
				delete(r.byKey, k.fingerprint())
			}
			delete(r.byID, e.id)
			h.Forget(e.world)
			r.order = slices.DeleteFunc(r.order, func(o *entry) bool { return o == e })
		}
	case "key.add":
		if e := r.byNumber(world.ID(c.World)); e != nil {
			r.addKey(e, c.Keys[0])
		}
	case "key.remove":
		e := r.byNumber(world.ID(c.World))
		if e == nil {
			return
		}
		e.keys = slices.DeleteFunc(e.keys, func(k keyRecord) bool {
			if k.Label == c.Keys[0].Label {
				delete(r.byKey, k.fingerprint())
			}
			return k.Label == c.Keys[0].Label
		})
	case "publish":
		r.published[c.Seed] = c.Name
	}
}

func (r *registry) addKey(e *entry, k keyRecord) {
	e.keys = append(e.keys, k)
	r.byKey[k.fingerprint()] = owner{entry: e, label: k.Label, api: k.API, expires: k.Expires}
}

func (r *registry) byNumber(n world.ID) *entry {
	for _, e := range r.order {
		if e.number == n {
			return e
		}
	}
	return nil
}

// find returns a world by id, or by name when only one world has it.
func (r *registry) find(ref string) (*entry, *Problem) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if e := r.byID[ref]; e != nil {
		return e, nil
	}
	var found *entry
	for _, e := range r.order {
		if e.name == ref && ref != "" {
			if found != nil {
				return nil, problem(http.StatusConflict, "ambiguous-name", "several worlds are named %q; use the id", ref)
			}
			found = e
		}
	}
	if found == nil {
		return nil, problem(http.StatusNotFound, "no-such-world", "there is no world %q", ref)
	}
	return found, nil
}

// freeLabel is the first key:n that the world does not use.
func (e *entry) freeLabel() string {
	for n := len(e.own()) + 1; ; n++ {
		label := fmt.Sprintf("key:%d", n)
		if !e.hasLabel(label) {
			return label
		}
	}
}

// labels are those of all keys and logins of a world.
func (r *registry) labels(e *entry) []string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	out := make([]string, len(e.keys))
	for i, k := range e.keys {
		out[i] = k.Label
	}
	return out
}

// own lists the keys that open every API.
func (e *entry) own() []keyRecord {
	return slices.DeleteFunc(slices.Clone(e.keys), func(k keyRecord) bool { return k.API != "" })
}

func (e *entry) hasLabel(label string) bool {
	return slices.ContainsFunc(e.keys, func(k keyRecord) bool { return k.Label == label })
}

// Limits of names and keys.
const (
	nameLengthMax   = 100
	secretLengthMin = 8
	secretLengthMax = 200
	keysMax         = 100
)

func checkName(what, name string) *Problem {
	if len(name) > nameLengthMax || strings.ContainsFunc(name, func(c rune) bool { return c <= ' ' || c == 0x7f || c == '/' }) {
		return problem(http.StatusBadRequest, "invalid-name",
			"%s has at most %d bytes and no spaces, slashes or control characters", what, nameLengthMax)
	}
	return nil
}

// CheckRootToken holds a root token to what is asked of every secret.
func CheckRootToken(token string) error {
	if p := checkSecret(token); p != nil {
		return errors.New(p.Detail)
	}
	return nil
}

func checkSecret(secret string) *Problem {
	if len(secret) < secretLengthMin || len(secret) > secretLengthMax {
		return problem(http.StatusBadRequest, "invalid-secret", "a secret has %d to %d bytes", secretLengthMin, secretLengthMax)
	}
	for i := range len(secret) {
		if secret[i] <= ' ' || secret[i] > '~' || secret[i] == ':' {
			return problem(http.StatusBadRequest, "invalid-secret", "a secret has only visible ASCII characters, and no colon")
		}
	}
	return nil
}
