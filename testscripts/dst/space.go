package dst

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"worlds/admin"
	"worlds/journal"
	"worlds/journal/canon"
	"worlds/journal/store"
	"worlds/projection"
	"worlds/seed"
	"worlds/testscripts/invariant"
	"worlds/twin"
	"worlds/twin/world"
)

// space is one world of a run, with what the harness knows of it from outside.
type space struct {
	index  int
	mark   string // in every text that the harness writes there, and nowhere else
	engine *engine
	seed   *seed.Seed
	info   *admin.CreatedWorld
	world  *world.World
	keys   map[string]string // secrets by label
	view   world.View        // after the last operation

	made   map[int][]made    // rows by the operation that made them
	names  map[string]string // symbols by table/id
	nested map[string]bool   // ids of objects within rows

	post   *post // what its endpoints got
	delta  *reader
	ledger map[string]*acked
	theory map[string]theory
	asked  string            // the models that hold it, until they lose it
	told   map[string]bool   // ids that the seed or an answer has shown
	logged eventLog          // of the world's present life
	sole   map[string]string // rows by what no other may have: see soleBy
	forks  int

	checker *invariant.Checker // of the world's present life
	judged  journal.Seq        // up to where it has come
	rule    string             // the fault rule that answered the last entry

	past    []*journal.Entry // as it was last read
	pastInc store.Incarnation
}

// made is a row that an operation made.
type made struct{ table, id string }

// keyLabels are the API keys of a space; the second expires and is made anew.
var keyLabels = [...]string{"first", "second"}

// newSpace makes a world of a seed, whose deliveries wait for a flush.
func newSpace(e *engine, index int, doc *seed.Seed, post *post) (*space, error) {
	s := &space{index: index, mark: markOf(index), engine: e, seed: doc, keys: map[string]string{}, post: post,
		made: map[int][]made{}, names: map[string]string{}, nested: map[string]bool{}, ledger: map[string]*acked{}, told: map[string]bool{}, sole: map[string]string{}}
	opt := admin.CreateOptions{Endpoint: s.endpoint(post.url(s.mark, operatorBox), "*")}
	for _, label := range keyLabels {
		opt.Keys = append(opt.Keys, admin.KeyInfo{Label: label})
	}
	s.shown(doc.Canonical)
	var err error
	if s.info, err = e.admin.Create(doc, opt); err != nil {
		return nil, err
	}
	for _, k := range s.info.Keys {
		s.keys[k.Label] = k.Secret
	}
	o, ok := e.admin.Resolve(apiStripe, s.info.Keys[0].Secret)
	if !ok {
		return nil, fmt.Errorf("the world that was made is not there")
	}
	s.world = o.World
	s.delta = newReader(s)
	s.view, err = s.world.View(context.Background())
	s.note(0, nil, s.view.State)
	return s, err
}

// markOf is the word that tells the texts of one space from another's. No id holds it.
func markOf(index int) string { return fmt.Sprintf("w%d-z", index) }

func (s *space) endpoint(url string, events ...string) *admin.EndpointRequest {
	auto := false
	return &admin.EndpointRequest{URL: url, Secret: "whsec_dst" + s.mark, EnabledEvents: events, AutoDeliver: &auto, SignatureTime: "logical"}
}

// The catalogs' names.
const (
	apiStripe  = "stripe"
	apiZendesk = "zendesk"
)

// send sends a resolved operation.
func (s *space) send(o *Op) response {
	r := request{method: o.Method, path: o.Path, body: o.Body, header: http.Header{}, wire: o.Wire}
	switch o.API {
	case apiStripe:
		s.sendStripe(o, &r)
	case apiZendesk:
		s.sendZendesk(o, &r)
	default:
		r.path = "/admin/worlds/" + s.info.ID + o.Path
		r.query = formOf(o.Params)
		r.header.Set("Authorization", "Bearer "+s.info.AdminToken)
		r.header.Set("Content-Type", "application/json")
	}
	return s.engine.call(r)
}

func (s *space) sendStripe(o *Op, r *request) {
	label := o.Key
	if label == "" {
		label = keyLabels[0]
	}
	secret := s.keys[label]
	if secret == "" {
		secret = "sk_test_revoked" + s.mark
	}
	r.header.Set("Authorization", "Bearer "+secret)
	if o.Idem != "" {
		r.header.Set("Idempotency-Key", o.Idem)
	}
	if o.Version != "" {
		r.header.Set("Stripe-Version", o.Version)
	}
	form := formOf(o.Params)
	if o.Method == http.MethodGet || o.Method == http.MethodDelete {
		r.query = form
		return
	}
	if o.Body == "" {
		r.body = form
	}
	r.header.Set("Content-Type", "application/x-www-form-urlencoded")
}

func (s *space) sendZendesk(o *Op, r *request) {
	as := o.As
	if as == "" {
		as = s.info.Zendesk.Email
	}
	r.header.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(as+"/token:"+s.info.Zendesk.APIToken)))
	r.header.Set("Content-Type", "application/json")
	if o.Idem != "" {
		r.header.Set("Idempotency-Key", o.Idem)
	}
	r.query = formOf(o.Params)
}

// formOf form-encodes values; names stay as they are.
func formOf(params []pair) string {
	words := make([]string, len(params))
	for i, p := range params {
		words[i] = p.Name + "=" + url.QueryEscape(p.Value)
	}
	return strings.Join(words, "&")
}

// look reads the world again and returns what the last operation changed.
func (s *space) look() (before world.View, diff *projection.Diff, err error) {
	before = s.view
	if s.view, err = s.world.View(context.Background()); err != nil {
		return before, nil, err
	}
	from := before.State
	if before.Inc != s.view.Inc {
		from = nil
	}
	return before, projection.Compare(from, s.view.State), nil
}

// note names the rows that operation n made.
func (s *space) note(n int, diff *projection.Diff, st *projection.State) {
	if diff == nil { // the beginning: what the seed made has its own names
		for row := range st.Oldest(tableSubscription, 0) {
			for _, id := range itemsOf(row.Body) {
				s.nested[id] = true
			}
		}
		for _, table := range sortedKeys(unique) {
			for row := range st.Oldest(table, 0) {
				s.sole[soleBy(table, row.Body)] = row.ID
			}
		}
		return
	}
	add := func(table, id string) {
		s.names[table+"/"+id] = symbol(n, len(s.made[n]))
		s.made[n] = append(s.made[n], made{table, id})
	}
	for _, c := range diff.Created {
		add(c.Table, c.ID)
	}
	for _, list := range [][]projection.Change{diff.Created, diff.Updated} {
		for _, c := range list {
			if c.Table != tableSubscription {
				continue
			}
			for _, id := range itemsOf(c.After) {
				if !s.nested[id] {
					s.nested[id] = true
					add(tableItem, id)
				}
			}
		}
	}
	for _, e := range diff.Events {
		add(tableEvent, e.ID)
	}
}

// Tables that the harness knows by name; items and events are in none of their own.
const (
	tableSubscription = "stripe.subscription"
	tableItem         = "stripe.subscription_item"
	tableEvent        = "event"
)

// itemsOf lists the ids of a subscription's items.
func itemsOf(body canon.Raw) (ids []string) {
	items, _ := canon.Get(body, "items")
	data, _ := canon.Get(items, "data")
	for item := range canon.Elements(data) {
		ids = append(ids, textOf(item, "id"))
	}
	return ids
}

// textOf is a member as text: strings without quotes, anything else as it is
// written, "" where there is none.
func textOf(body canon.Raw, name string) string {
	raw, ok := canon.Get(body, name)
	if !ok {
		return ""
	}
	if s, ok := canon.Unquote(raw); ok {
		return s
	}
	return string(raw)
}

// name is the symbol of a row, or its id where the history did not make it.
func (s *space) name(table, id string) string {
	if sym := s.names[table+"/"+id]; sym != "" {
		return sym
	}
	return id
}

// restart forgets what the world lost by a reset.
func (s *space) restart() *Failure {
	s.post.forget(s.mark)
	s.told = map[string]bool{}
	s.shown(s.seed.Canonical)
	s.made, s.names, s.nested, s.ledger = map[int][]made{}, map[string]string{}, map[string]bool{}, map[string]*acked{}
	s.note(0, nil, s.view.State)
	s.delta, s.logged = newReader(s), eventLog{}
	var err error
	if s.theory, err = theories(s.seed, s.asked); err != nil {
		return failed("harness.model", "%v", err)
	}
	return violated(s.checker.Reset(invariant.Life{Seq: s.view.Seq, Hash: s.view.Hash, State: s.view.State}))
}

// catalog is the twin of an API.
func (s *space) catalog(api string) *twin.Catalog {
	for _, c := range s.engine.host.Catalogs() {
		if c.Name == api {
			return c
		}
	}
	return nil
}
