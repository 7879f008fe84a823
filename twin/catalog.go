package twin

import (
	"fmt"
	"strings"

	"worlds/journal/canon"
	"worlds/projection"
	"worlds/seed"
)

// Catalog is one API as a table: its objects, its routes and how it words a
// refusal. A Catalog is immutable after NewCatalog and may be shared.
type Catalog struct {
	Name string // "stripe", "zendesk"
	Dialect
	Wire   Wire
	kinds  map[string]*API // by wire object name
	apis   []API
	fires  map[string]Fire // by table
	router router
}

// API is what one resource file contributes: its kind, its routes, what of it
// can be expanded, and how a seed fills it.
type API struct {
	Kind   Kind
	Routes []Route
	// Expand names, by dotted path within the object, the ids that expand to an
	// object of the named kind; "" names a member that holds whole objects or a
	// list of them, below which expansion goes on.
	Expand map[string]string
	// Include computes, by dotted path, members that are absent unless asked for.
	Include map[string]Include
	// Find is an object that has no row of its own, nil for none; nil if all have.
	Find func(tx *Tx, id string) canon.Raw
	// Fire is what time does to a row that is due; nil if no row ever is.
	Fire Fire
	// Seed turns the seed's section into rows, quietly.
	Seed func(*Tx, *seed.Document) error
}

// Include computes a member of object that only an expansion shows.
type Include func(tx *Tx, object canon.Raw) canon.Raw

// Dialect is how an API words what the kernel refuses, and what it adds to the
// events it emits. Every field is required but the first group, whose zero values
// are an API of forms that refuses what it does not know, and those that say what
// their being nil means.
type Dialect struct {
	// JSON says that bodies are JSON objects, not forms.
	JSON bool
	// Lenient says that parameters which a route does not have are ignored, and
	// named in the reply, instead of refused.
	Lenient bool
	// Canonical spells a method and path as the routes do.
	Canonical func(method, path string) (string, string)
	// Admit refuses a caller whom the credential does not vouch for, before the
	// route is looked up.
	Admit func(tx *Tx) *Error
	// Idempotent tells the routes that honour idempotency keys; nil is every write.
	Idempotent func(r *Route) bool

	// EventPrefix and EventDigits shape event ids.
	EventPrefix string
	EventDigits int
	// ExpandParam is the parameter that lists expansions, "" for none.
	ExpandParam string
	// DefaultVersion is the API version of requests that name none.
	DefaultVersion string
	// Version checks the version a request asks for.
	Version func(asked string) *Error
	// Shape is the older shape of an API version, nil for the stored one; a nil
	// Shape says that there is no other.
	Shape func(version string) *Shape
	// Refuse words a violation of a route's parameter table.
	Refuse func(r *Route, v *Violation) *Error
	// Reserved lists, as "METHOD /path", what the API has at fixed paths. Where the
	// catalog lacks one, NoRoute answers it, and no pattern that fits it by chance.
	Reserved []string
	// NoRoute words a path or method that the catalog does not have.
	NoRoute func(method, path string) *Error
	// NotExpandable words an expansion of something that cannot be expanded; on a
	// list, hint says that the path lacks its "data." prefix.
	NotExpandable func(path string, hint bool) *Error
	// TooDeep words an expansion of more than ExpandDepthMax levels.
	TooDeep func(path string) *Error
	// KeyReused words a key used before for other parameters (same target) or
	// for another target.
	KeyReused func(sameTarget bool, first, now string) *Error
	// KeyTooLong words an idempotency key over IdemKeyMax bytes.
	KeyTooLong func() *Error
	// Unserved words something that the API has and the twin does not serve.
	Unserved func(what string) *Error
	// TickRefused words a tick of an automatic clock that could not happen.
	TickRefused func(why string) *Error
	// Internal words a fault of ours.
	Internal func() *Error
	// Cover judges how near a route comes to the API; nil if nobody has.
	Cover func(r *Route, c *Coverage)
	// Lacks lists the operations of the API that the catalog does not serve, as
	// "METHOD /path"; nil if it cannot be told.
	Lacks func(c *Catalog) []string
	// Meta is what an event of this API carries beside its object.
	Meta func(tx *Tx, previous canon.Raw) canon.Raw
	// Event is an event of this API as its wire shows it, canonical.
	Event func(e *projection.EventRow) canon.Raw
	// Delivery is an event of a state as an endpoint of an API version receives it
	// ("" for the API's own), canonical; nil if the API delivers no events.
	Delivery func(st *projection.State, e *projection.EventRow, version string) canon.Raw
	// Keep puts what a version of an event takes from other rows where Delivery finds
	// it, so that every delivery of the event has the same bytes. It does nothing the
	// second time. Nil: an event is all there is.
	Keep func(tx *Tx, e *projection.EventRow, version string)
	// Hooks lists the endpoints in a state that requests of this API made and that
	// take events, oldest first; nil if it has no such thing.
	Hooks func(st *projection.State, spec Spec) []Hook
	// EventTypes lists the types of events it has; nil: they cannot be told.
	EventTypes func() []string
	// Export writes what a seed can hold of a state, and counts what it cannot; nil
	// if seeds hold nothing of the API.
	Export func(st *projection.State) ([]SeedMember, []Lost)
	// Fault words an answer that a fault rule asks for, nil if the API has no words
	// for it; a nil Fault has none at all.
	Fault func(a *RuleAnswer) *Error
	// FaultNames lists what a member of such an answer with the status may be, for
	// refusals; nil if it is not one of names.
	FaultNames func(member string, status int64) []string
}

// NewCatalog builds the table; it panics on two routes or kinds of one name,
// which is our own mistake.
func NewCatalog(name string, d Dialect, w Wire, apis ...API) *Catalog {
	c := &Catalog{Name: name, Dialect: d, Wire: w, kinds: map[string]*API{}, fires: map[string]Fire{}, apis: apis}
	for i := range apis {
		a := &apis[i]
		if a.Kind.Object != "" {
			if c.kinds[a.Kind.Object] != nil {
				panic("twin: two kinds named " + a.Kind.Object)
			}
			c.kinds[a.Kind.Object] = a
		}
		if a.Fire != nil {
			c.fires[a.Kind.Table] = a.Fire
		}
		for j := range a.Routes {
			if err := c.router.add(&a.Routes[j]); err != nil {
				panic(fmt.Sprintf("twin: %s: %v", name, err))
			}
		}
	}
	for _, operation := range d.Reserved {
		method, path, _ := strings.Cut(operation, " ")
		// A path that is served already stays served.
		_ = c.router.add(&Route{Method: method, Pattern: path, segs: strings.Split(path[1:], "/")})
	}
	return c
}

// Routes lists every route, resource by resource.
func (c *Catalog) Routes() []*Route {
	var out []*Route
	for i := range c.apis {
		for j := range c.apis[i].Routes {
			out = append(out, &c.apis[i].Routes[j])
		}
	}
	return out
}

// Expands lists the dotted paths of a kind that expand or lead on in an API version,
// sorted; "" is the stored one.
func (c *Catalog) Expands(object, version string) []string {
	x := &expander{c: c}
	if c.Shape != nil && version != "" {
		x.shape = c.Shape(version)
	}
	return x.expandPaths(c.kinds[object])
}

// Kinds lists every kind, in catalog order.
func (c *Catalog) Kinds() []Kind {
	var out []Kind
	for i := range c.apis {
		if c.apis[i].Kind.Object != "" {
			out = append(out, c.apis[i].Kind)
		}
	}
	return out
}

// Genesis returns the facts a world of this seed begins with: the clock at the
// epoch and every seeded object, without events.
func Genesis(s *seed.Seed, catalogs ...*Catalog) ([]projection.Fact, error) {
	m := NewMachine(projection.New(), SpecOf(s), catalogs...)
	tx := &Tx{m: m, st: m.State, quiet: true, cmd: &Command{}}
	tx.record(&projection.Clock{Now: s.Document.Epoch})
	for _, c := range catalogs {
		tx.catalog = c
		for i := range c.apis {
			if fill := c.apis[i].Seed; fill != nil {
				if err := fill(tx, &s.Document); err != nil {
					return nil, fmt.Errorf("seed %s: %s: %w", s.Document.Name, c.apis[i].Kind.Object, err)
				}
			}
		}
	}
	return tx.facts, nil
}
