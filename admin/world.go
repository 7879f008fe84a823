package admin

import (
	"cmp"
	"context"
	"net/http"
	"slices"

	"worlds/journal/canon"
	"worlds/seed"
	"worlds/twin"
	"worlds/twin/world"
)

// createRequest is the body of POST /admin/worlds.
type createRequest struct {
	Seed       canon.Raw        `json:"seed"` // a name, a hash or a whole document
	Name       string           `json:"name,omitempty"`
	ClockMode  string           `json:"clock_mode,omitempty"` // instead of the seed's
	Keys       []keyRequest     `json:"keys,omitempty"`
	AdminToken string           `json:"admin_token,omitempty"`
	Endpoint   *EndpointRequest `json:"endpoint,omitempty"`
	Scenarios  []canon.Raw      `json:"scenarios,omitempty"` // fault rules
	Zendesk    *Login           `json:"zendesk,omitempty"`   // tokens to give, made where left out
}

// keyRequest asks for an API key; what is left out is made.
type keyRequest struct {
	Label  string `json:"label,omitempty"`
	Secret string `json:"secret,omitempty"`
	// ExpiresAfter is how many requests the key lasts for in one life of the world,
	// 0 for ever.
	ExpiresAfter int64 `json:"expires_after,omitempty"`
}

// SeedInfo names a seed.
type SeedInfo struct {
	Name   string `json:"name"`
	Hash   string `json:"hash"`
	Source string `json:"source,omitempty"`
}

// KeyInfo is an API key; the secret is shown once.
type KeyInfo struct {
	Label        string `json:"label"`
	Secret       string `json:"secret,omitempty"`
	ExpiresAfter int64  `json:"expires_after,omitempty"`
}

// URLs are where a world is reached.
type URLs struct {
	Admin   string `json:"admin"`
	Stripe  string `json:"stripe"`
	Zendesk string `json:"zendesk"`
}

// CreatedWorld is the answer to creating one, the only one that shows secrets.
type CreatedWorld struct {
	Endpoint   *EndpointInfo `json:"endpoint,omitempty"`
	ID         string        `json:"id"`
	Name       string        `json:"name,omitempty"`
	Seed       SeedInfo      `json:"seed"`
	Rules      int64         `json:"rules"`
	AdminToken string        `json:"admin_token"`
	Keys       []KeyInfo     `json:"keys"`
	Zendesk    *Login        `json:"zendesk,omitempty"`
	URLs       URLs          `json:"urls"`
	Clock      int64         `json:"clock"`
	Fork       *LineageInfo  `json:"fork,omitempty"`
}

// WorldInfo is a world as lists and show answer it. Seq, Head and Clock are only
// in show: a list wakes no world.
type WorldInfo struct {
	ID    string    `json:"id"`
	Name  string    `json:"name,omitempty"`
	Seed  SeedInfo  `json:"seed"`
	Rules int64     `json:"rules"`
	Keys  []KeyInfo `json:"keys"`
	Seq   *int64    `json:"seq,omitempty"`
	Head  string    `json:"head,omitempty"`
	Clock int64     `json:"clock,omitempty"`
	// Pending is how many renewals are due still.
	Pending int64        `json:"renewals_pending,omitempty"`
	Fork    *LineageInfo `json:"fork,omitempty"`
}

type worldList struct {
	Worlds []WorldInfo `json:"worlds"`
}

// CreateOptions are for Create.
type CreateOptions struct {
	Name       string
	Keys       []KeyInfo        // an empty Label or Secret is made; no keys: one is made
	AdminToken string           // "" is made
	Endpoint   *EndpointRequest // nil for none
	Scenarios  []canon.Raw      // fault rules
	Zendesk    Login            // tokens; "" is made, the address is the seed's
}

func createWorld(c *call) error {
	var req createRequest
	if err := body(c, &req); err != nil {
		return err
	}
	s, err := c.s.findSeed(req.Seed)
	if err != nil {
		return err
	}
	if s, err = withClock(s, req.ClockMode); err != nil {
		return err
	}
	opt := CreateOptions{Name: req.Name, AdminToken: req.AdminToken, Endpoint: req.Endpoint, Scenarios: req.Scenarios}
	if req.Zendesk != nil {
		opt.Zendesk = *req.Zendesk
	}
	for _, k := range req.Keys {
		opt.Keys = append(opt.Keys, KeyInfo(k))
	}
	created, err := c.s.Create(s, opt)
	if err != nil {
		return err
	}
	return reply(c, http.StatusCreated, created)
}

// withClock is the seed with another clock_mode: another seed, with a hash of its
// own, unless it says so already.
func withClock(s *seed.Seed, mode string) (*seed.Seed, error) {
	switch mode {
	case "", s.Document.ClockMode:
		return s, nil
	case seed.ClockManual, seed.ClockAuto:
		return seed.Parse(seed.WithMembers(s.Canonical, map[string]canon.Raw{"clock_mode": canon.AppendString(nil, mode)}))
	}
	return nil, problem(http.StatusBadRequest, "invalid-clock-mode", "clock_mode is %q or %q", seed.ClockManual, seed.ClockAuto).at("$.clock_mode")
}

// Create makes a world of a seed: one entry of the server's own stream.
func (s *Server) Create(doc *seed.Seed, opt CreateOptions) (*CreatedWorld, error) {
	out, w, err := s.create(doc, opt)
	if err != nil {
		return nil, err
	}
	return out, addRules(context.Background(), w, opt.Scenarios)
}

// create makes the world; it has no rules yet.
func (s *Server) create(doc *seed.Seed, opt CreateOptions) (*CreatedWorld, *world.World, error) {
	if p := checkName("a world's name", opt.Name); p != nil {
		return nil, nil, p.at("$.name")
	}
	g, err := s.host.Publish(doc)
	if err != nil {
		return nil, nil, err
	}
	r := s.registry
	r.changing.Lock()
	defer r.changing.Unlock()
	if opt.Name != "" && slices.ContainsFunc(r.order, func(e *entry) bool { return e.name == opt.Name }) {
		return nil, nil, problem(http.StatusConflict, "name-taken", "there is a world named %q", opt.Name).at("$.name")
	}
	out := &CreatedWorld{
		ID: newWorldID(), Name: opt.Name, Seed: SeedInfo{Name: doc.Document.Name, Hash: doc.Hash.String()},
		Rules: twin.Rules, AdminToken: opt.AdminToken, Clock: g.State().Now(),
	}
	if out.AdminToken == "" {
		out.AdminToken = newAdminToken()
	} else if p := checkSecret(out.AdminToken); p != nil {
		return nil, nil, p.at("$.admin_token")
	}
	records, err := s.nameKeys(out, opt.Keys)
	if err != nil {
		return nil, nil, err
	}
	var logins []keyRecord
	if out.Zendesk, logins, err = s.login(g.State(), opt.Zendesk, records); err != nil {
		return nil, nil, err
	}
	records = append(records, logins...)
	endpoint, err := s.beginnings(out, &opt, records)
	if err != nil {
		return nil, nil, err
	}
	out.URLs = s.urls(out.ID)
	ch := change{Op: "create", World: int64(r.last + 1), ID: out.ID, Name: out.Name, Seed: out.Seed.Hash, SeedName: out.Seed.Name, Rules: out.Rules,
		Token: digest(out.AdminToken), Keys: records, Endpoint: endpoint}
	if err := s.host.Create(r.last+1, canon.Marshal(&ch)); err != nil {
		return nil, nil, err
	}
	r.take(&ch, s.host)
	return out, r.byNumber(r.last).world, nil
}

// urls are where the world with the id is reached.
func (s *Server) urls(id string) URLs {
	return URLs{Stripe: s.opt.BaseURL, Zendesk: s.opt.BaseURL + "/api/v2", Admin: cmp.Or(s.opt.AdminURL, s.opt.BaseURL) + "/admin/worlds/" + id}
}

// nameKeys fills in what the caller left out and returns what is recorded. The
// caller changes the registry.
func (s *Server) nameKeys(out *CreatedWorld, asked []KeyInfo) ([]keyRecord, error) {
	if len(asked) == 0 {
		asked = []KeyInfo{{}}
	}
	if len(asked) > keysMax {
		return nil, problem(http.StatusBadRequest, "too-many-keys", "a world has at most %d keys", keysMax).at("$.keys")
	}
	e := &entry{}
	for _, k := range asked {
		named, err := s.nameKey(e, k)
		if err != nil {
			return nil, err
		}
		e.keys = append(e.keys, keyRecord{Label: named.Label, Digest: digest(named.Secret), Expires: named.ExpiresAfter})
		out.Keys = append(out.Keys, named)
	}
	return e.keys, nil
}

// nameKey checks and completes one key of a world.
func (s *Server) nameKey(e *entry, k KeyInfo) (KeyInfo, error) {
	if k.Label == "" {
		k.Label = e.freeLabel()
	}
	if k.Secret == "" {
		k.Secret = newKey()
	}
	if p := checkName("a key's label", k.Label); p != nil {
		return k, p
	}
	if p := checkSecret(k.Secret); p != nil {
		return k, p
	}
	if k.ExpiresAfter < 0 || k.ExpiresAfter > canon.MaxInt {
		return k, problem(http.StatusBadRequest, "invalid-key", "expires_after is a number of requests")
	}
	if e.hasLabel(k.Label) {
		return k, problem(http.StatusConflict, "label-taken", "the world has a key %q already", k.Label)
	}
	d := digest(k.Secret)
	_, taken := s.registry.byKey[fingerprintOf(k.Secret)]
	if taken || slices.ContainsFunc(e.keys, func(o keyRecord) bool { return o.Digest == d }) {
		return k, problem(http.StatusConflict, "secret-taken", "another key has the same secret")
	}
	return k, nil
}

// record appends a change to the server's own stream and folds it. The caller
// changes the registry.
func (s *Server) record(ch *change) error {
	if err := s.host.Record(canon.Marshal(ch)); err != nil {
		return err
	}
	s.registry.take(ch, s.host)
	return nil
}

// info is a world as a list shows it. The caller holds the registry.
func (s *Server) info(e *entry) WorldInfo {
	w := WorldInfo{ID: e.id, Name: e.name, Rules: e.world.Rules, Seed: SeedInfo{Name: e.seedName, Hash: e.seedHash}, Keys: []KeyInfo{}, Fork: e.lineage()}
	for _, k := range e.own() {
		w.Keys = append(w.Keys, KeyInfo{Label: k.Label})
	}
	return w
}

func listWorlds(c *call) error {
	r := c.s.registry
	list := worldList{Worlds: []WorldInfo{}}
	r.mu.RLock()
	for _, e := range r.order {
		list.Worlds = append(list.Worlds, c.s.info(e))
	}
	r.mu.RUnlock()
	return reply(c, http.StatusOK, &list)
}

func showWorld(c *call) error {
	v, err := c.view()
	if err != nil {
		return err
	}
	return c.show(v)
}

func (c *call) show(v world.View) error {
	c.s.registry.mu.RLock()
	info := c.s.info(c.entry)
	c.s.registry.mu.RUnlock()
	if g, err := c.world.Genesis(); err == nil {
		info.Seed.Name = g.Seed.Document.Name
	}
	seq := int64(v.Seq)
	info.Seq, info.Head, info.Clock = &seq, v.Hash.String(), v.State.Now()
	info.Pending = v.State.CountDue(v.State.Now())
	return reply(c, http.StatusOK, &info)
}

func deleteWorld(c *call) error {
	r := c.s.registry
	err := c.world.Delete(c.r.Context(), func(record func(canon.Raw, world.ID) error) error {
		r.changing.Lock()
		defer r.changing.Unlock()
		ch := change{Op: "delete", World: int64(c.entry.number)}
		if r.reads(c.entry.number) {
			ch.Moved = 1
		}
		if err := record(canon.Marshal(&ch), world.ID(ch.Moved)); err != nil {
			return err
		}
		r.take(&ch, c.s.host)
		return nil
	})
	if err != nil {
		return err
	}
	r.changing.Lock()
	defer r.changing.Unlock()
	c.s.sweep()
	return c.none()
}

func resetWorld(c *call) error {
	if err := c.s.reset(c.r.Context(), c.entry); err != nil {
		return err
	}
	return showWorld(c)
}

// Reset takes the world back to its beginning.
func (s *Server) Reset(ctx context.Context, ref string) error {
	e, p := s.registry.find(ref)
	if p != nil {
		return p
	}
	return s.reset(ctx, e)
}

// reset resets a world. Whether forks read from it is asked and recorded in one, so
// that none can begin in between.
func (s *Server) reset(ctx context.Context, e *entry) error {
	r := s.registry
	return e.world.Reset(ctx, func(record func(canon.Raw, world.ID) error) error {
		r.changing.Lock()
		defer r.changing.Unlock()
		ch := change{Op: "reset", World: int64(e.number)}
		if r.reads(e.number) {
			ch.Moved = int64(r.last + 1)
		}
		if err := record(canon.Marshal(&ch), world.ID(ch.Moved)); err != nil {
			return err
		}
		r.take(&ch, s.host)
		return nil
	})
}

// Ensure returns the world of that name, or creates it from the seed. A world
// that is there keeps what it holds; key, if not "", is made one of its keys. The
// created world's secrets are in the answer only when it was created.
func (s *Server) Ensure(name string, doc *seed.Seed, key string) (created *CreatedWorld, existing *WorldInfo, err error) {
	if e, _ := s.registry.find(name); e != nil {
		if key != "" {
			if err := s.ensureKey(e, key); err != nil {
				return nil, nil, err
			}
		}
		s.registry.mu.RLock()
		defer s.registry.mu.RUnlock()
		info := s.info(e)
		for i, k := range e.own() {
			if key != "" && k.Digest == digest(key) {
				info.Keys[i].Secret = key
			}
		}
		return nil, &info, nil
	}
	opt := CreateOptions{Name: name}
	if key != "" {
		opt.Keys = []KeyInfo{{Secret: key}}
	}
	created, err = s.Create(doc, opt)
	return created, nil, err
}
