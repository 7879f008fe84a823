package twin

import (
	"fmt"
	"strings"

	"worlds/journal/canon"
	"worlds/journal/mutant"
	"worlds/projection"
)

// Rule is a fault on purpose: which requests or deliveries it is about, at which
// of them it acts, and what it does. It acts at match number From (default 1),
// then at every Every-th (default: each), Count times in all (default: for ever).
type Rule struct {
	ID     string     `json:"id,omitempty"` // made when left out
	Match  RuleMatch  `json:"match"`
	From   int64      `json:"from,omitempty"`
	Every  int64      `json:"every,omitempty"`
	Count  int64      `json:"count,omitempty"`
	Effect RuleEffect `json:"effect"`
}

// RuleMatch says what a rule is about; what is left out matches everything. API,
// Method, Path (with * within a segment and ** as the last one) and Key are about
// requests; API, Event (a type, invoice.* or *) and Endpoint about deliveries.
type RuleMatch struct {
	API      string `json:"api,omitempty"`
	Method   string `json:"method,omitempty"`
	Path     string `json:"path,omitempty"`
	Key      string `json:"key,omitempty"`
	Event    string `json:"event,omitempty"`
	Endpoint string `json:"endpoint,omitempty"`
}

// RuleEffect is what a rule does: just one of these.
type RuleEffect struct {
	// Answer is given instead of executing the request.
	Answer *RuleAnswer `json:"answer,omitempty"`
	// LatencyMS is how many milliseconds the request waits before it is executed.
	LatencyMS int64 `json:"latency_ms,omitempty"`
	// Close is how many attempts of the request (by its idempotency key) end in a
	// cut connection; attempts beyond the first do not count as matches.
	Close int64 `json:"close,omitempty"`
	// ExpireAfter is how many requests the key of the match lasts for.
	ExpireAfter int64 `json:"expire_after,omitempty"`
	// DropEveryNth makes every n-th attempt to deliver fail without being sent,
	// counted for each endpoint.
	DropEveryNth int64 `json:"drop_every_nth,omitempty"`
	// Reorder holds a delivery back until the endpoint's next one has gone.
	Reorder bool `json:"reorder,omitempty"`
	// Duplicate delivers an event twice.
	Duplicate bool `json:"duplicate,omitempty"`
	// DelaySeconds is how many logical seconds a delivery waits.
	DelaySeconds int64 `json:"delay_seconds,omitempty"`
}

// RuleAnswer is an answer that a rule gives. Its words are the API's, unless Body
// has them.
type RuleAnswer struct {
	Status      int64     `json:"status"`
	Code        string    `json:"code,omitempty"` // "" for the status's usual one
	DeclineCode string    `json:"decline_code,omitempty"`
	Body        canon.Raw `json:"body,omitempty"`
	ShouldRetry *bool     `json:"should_retry,omitempty"`
	RetryAfter  int64     `json:"retry_after,omitempty"` // seconds
}

// Limits of fault rules.
const (
	RulesMax        = 100
	RuleIDMax       = 100    // bytes of a rule's id
	RuleLatencyMax  = 60_000 // milliseconds
	RuleBodyMax     = 64 << 10
	RuleAttemptsMax = 100
	RuleNumberMax   = 1_000_000_000
)

// RuleInfo is a rule with its counts as operators see it.
type RuleInfo struct {
	Rule
	Matched int64 `json:"matched"`
	Acted   int64 `json:"acted"`
}

// RuleInfoOf reads a rule of a state.
func RuleInfoOf(f *projection.Rule) RuleInfo {
	return RuleInfo{Rule: readRule(f), Matched: f.Matched, Acted: f.Acted}
}

func readRule(f *projection.Rule) Rule {
	var r Rule
	if err := canon.Unmarshal(f.Spec, &r); err != nil {
		panic("twin: rule " + f.ID + ": " + err.Error())
	}
	r.ID = f.ID
	return r
}

// liveRule is a rule at work on one operation.
type liveRule struct {
	Rule
	matched, acted int64
	spec           canon.Raw
}

// rules reads the rules of the state, in order.
func (tx *Tx) rules() []*liveRule { return rulesOf(tx.st) }

func rulesOf(st *projection.State) []*liveRule {
	list := st.Rules()
	if len(list) == 0 {
		return nil
	}
	out := make([]*liveRule, len(list))
	for i, f := range list {
		out[i] = &liveRule{Rule: readRule(f), matched: f.Matched, acted: f.Acted, spec: f.Spec}
	}
	return out
}

// turn counts one match and reports whether the rule acts at it.
func (r *liveRule) turn() bool {
	r.matched++
	from, every := max(r.From, 1), max(r.Every, 1)
	if r.Effect.ExpireAfter != 0 {
		from = r.Effect.ExpireAfter + 1
	}
	return r.matched >= from && (r.matched-from)%every == 0 && (r.Count == 0 || r.acted < r.Count)
}

// record keeps the rule's counts.
func (r *liveRule) record(tx *Tx, acts bool) {
	if acts {
		r.acted++
	}
	tx.record(&projection.Rule{ID: r.ID, Matched: r.matched, Acted: r.acted, Spec: r.spec})
}

// wantsRequest reports whether the rule is about a request to the catalog.
func (r *liveRule) wantsRequest(c *Catalog, cmd *Command) bool {
	if r.Effect.ofDeliveries() {
		return false
	}
	m := &r.Match
	method, path := c.spelled(cmd)
	return (m.API == "" || m.API == c.Name) && (m.Method == "" || m.Method == method) &&
		(m.Key == "" || m.Key == cmd.Actor) && (m.Path == "" || matchPath(m.Path, path))
}

// spelled is a request's method and path as the routes spell them.
func (c *Catalog) spelled(cmd *Command) (method, path string) {
	if c.Canonical == nil {
		return cmd.Method, cmd.Path
	}
	return c.Canonical(cmd.Method, cmd.Path)
}

// wantsEvent reports whether the rule is about deliveries of a type to an endpoint.
func (r *liveRule) wantsEvent(api, typ, endpoint string) bool {
	m := &r.Match
	return r.Effect.ofDeliveries() && (m.API == "" || m.API == api) &&
		(m.Event == "" || MatchType(m.Event, typ)) && (m.Endpoint == "" || m.Endpoint == endpoint)
}

// ofDeliveries reports whether the effect is on deliveries, not on requests.
func (e *RuleEffect) ofDeliveries() bool {
	return e.DropEveryNth != 0 || e.Reorder || e.Duplicate || e.DelaySeconds != 0
}

// matchPath compares a path with a glob: * matches within a segment, a last **
// everything that is left, {name} one segment.
func matchPath(glob, path string) bool {
	for {
		g, restGlob, moreGlob := strings.Cut(glob, "/")
		if g == "**" && !moreGlob {
			return true
		}
		p, restPath, morePath := strings.Cut(path, "/")
		if !matchSegment(g, p) || moreGlob != morePath {
			return false
		}
		if !moreGlob {
			return true
		}
		glob, path = restGlob, restPath
	}
}

// matchSegment compares one segment, with stars.
func matchSegment(glob, s string) bool {
	if strings.HasPrefix(glob, "{") && strings.HasSuffix(glob, "}") {
		return s != ""
	}
	first, rest, starred := strings.Cut(glob, "*")
	if !starred {
		return glob == s
	}
	s, ok := strings.CutPrefix(s, first)
	if !ok {
		return false
	}
	for i := 0; i <= len(s); i++ {
		if matchSegment(rest, s[i:]) {
			return true
		}
	}
	return false
}

// applyRules lets the fault rules count the request. The first whose turn it is
// acts, and the request has its answer.
func (r *run) applyRules() bool {
	acted := false
	for _, rule := range r.tx.rules() {
		if !rule.wantsRequest(r.c, r.cmd) || rule.Effect.LatencyMS != 0 && r.cmd.After != 0 {
			continue
		}
		switch {
		case rule.Effect.Close != 0 && r.cmd.Idem != "":
			acted = r.closeOnce(rule, acted) || acted
		case !rule.turn() || acted:
			rule.record(r.tx, false)
		default:
			rule.record(r.tx, true)
			acted = r.act(rule)
		}
	}
	return acted
}

// act carries out a rule's effect and reports whether that answers the request.
func (r *run) act(rule *liveRule) bool {
	if rule.Effect.LatencyMS != 0 {
		return false // the wait was before
	}
	r.out.Rule, r.out.Match = rule.ID, rule.matched
	switch {
	case rule.Effect.Close != 0:
		r.out.Close = true
		return true
	case rule.Effect.ExpireAfter != 0:
		return r.refuse(r.c.fault(&RuleAnswer{Status: statusExpired}))
	}
	return r.refuse(r.c.fault(rule.Effect.Answer))
}

// fault words an answer; an API that has no words for it has a fault of ours.
func (c *Catalog) fault(a *RuleAnswer) *Error {
	if c.Fault != nil {
		if e := c.Fault(a); e != nil {
			return e
		}
	}
	return c.Internal()
}

// statusExpired is the status of an answer to an expired key.
const statusExpired = 401

// closeOnce counts a request with an idempotency key once, however often its
// client tries: what an attempt costs differs between clients.
func (r *run) closeOnce(rule *liveRule, acted bool) bool {
	counter := "fault." + rule.ID + "." + r.cmd.Idem
	tried := r.tx.st.Counter(counter)
	if tried == 0 { // the first attempt
		if !rule.turn() || acted {
			rule.record(r.tx, false)
			r.tx.record(&projection.Counter{Name: counter, Value: -1})
			return false
		}
		rule.record(r.tx, true)
	}
	if acted || tried < 0 || tried >= rule.Effect.Close {
		return false
	}
	r.tx.record(&projection.Counter{Name: counter, Value: tried + 1})
	return r.act(rule)
}

// expireKey counts a request of a key that lasts for so many, and refuses those
// beyond.
func (r *run) expireKey() bool {
	if r.cmd.Expires == 0 {
		return false
	}
	if mutant.Is("key-use-missed") && r.m.State.Counter("key.uses."+r.cmd.Actor) == 1 {
		return false
	}
	used := r.tx.Next("key.uses." + r.cmd.Actor)
	if used <= r.cmd.Expires {
		return false
	}
	r.out.Version = r.c.DefaultVersion
	r.out.Rule, r.out.Match = "expires_after", used
	return r.refuse(r.c.fault(&RuleAnswer{Status: statusExpired}))
}

// LatencyOf is how many milliseconds the request would wait if it were executed
// now, 0 for none.
func (m *Machine) LatencyOf(cmd *Command) int64 {
	rules := rulesOf(m.State)
	if len(rules) == 0 {
		return 0
	}
	c := m.catalogOf(cmd)
	if c == nil || !c.serves(cmd) {
		return 0
	}
	for _, rule := range rules {
		if rule.Effect.LatencyMS != 0 && rule.wantsRequest(c, cmd) && rule.turn() {
			return rule.Effect.LatencyMS
		}
	}
	return 0
}

func (m *Machine) catalogOf(cmd *Command) *Catalog {
	for _, c := range m.catalogs {
		if c.Name == cmd.API {
			return c
		}
	}
	return nil
}

// serves reports whether a request has a route.
func (c *Catalog) serves(cmd *Command) bool { return c.Pattern(cmd.Method, cmd.Path) != "" }

// Pattern is the pattern of the route that a request takes, "" for none.
func (c *Catalog) Pattern(method, path string) string {
	method, path = c.spelled(&Command{Method: method, Path: path})
	m, ok := c.router.find(method, path)
	if !ok || m.route.decide == nil {
		return ""
	}
	return m.route.Pattern
}

// DelayOp is the operation by which a latency rule counts a request that then
// waits; it carries the request's actor, API, method and path.
const DelayOp = "delay"

// Delayed is what a delay says.
type Delayed struct {
	LatencyMS int64  `json:"latency_ms"`
	Rule      string `json:"rule"`
}

// delay counts the request for the latency rules.
func delay(tx *Tx, _ canon.Raw) (canon.Raw, error) {
	var out Delayed
	c := tx.m.catalogOf(tx.cmd)
	if c == nil {
		return nil, &Refusal{Code: "invalid-arguments", Text: "there is no API " + tx.cmd.API}
	}
	for _, rule := range tx.rules() {
		if rule.Effect.LatencyMS == 0 || !rule.wantsRequest(c, tx.cmd) {
			continue
		}
		acts := rule.turn() && out.Rule == ""
		if rule.record(tx, acts); acts {
			out = Delayed{LatencyMS: rule.Effect.LatencyMS, Rule: rule.ID}
		}
	}
	return canon.Marshal(&out), nil
}

// countAttempt counts an attempt to deliver and reports whether it is dropped.
func (tx *Tx) countAttempt(d *projection.Delivery) bool {
	dropped := false
	e := tx.Event(d.Event)
	for _, rule := range tx.rules() {
		if rule.Effect.DropEveryNth == 0 || !rule.wantsEvent(e.API, e.Type, d.Endpoint) {
			continue
		}
		n := tx.Next("fault." + rule.ID + "." + d.Endpoint)
		acts := rule.drops(n)
		rule.matched++
		rule.record(tx, acts)
		dropped = dropped || acts
	}
	return dropped
}

// drops reports whether attempt n to an endpoint is one of those dropped.
func (r *liveRule) drops(n int64) bool {
	every := r.Effect.DropEveryNth
	return n%every == 0 && (r.Count == 0 || n/every <= r.Count)
}

// Dropping tells for an endpoint which of the attempts that come next are dropped:
// ask it once an attempt, in order.
func Dropping(st *projection.State, endpoint string) func(event string) bool {
	rules := rulesOf(st)
	counts := make([]int64, len(rules))
	for i, rule := range rules {
		counts[i] = st.Counter("fault." + rule.ID + "." + endpoint)
	}
	return func(event string) bool {
		e, dropped := st.EventByID(event), false
		for i, rule := range rules {
			if rule.Effect.DropEveryNth == 0 || !rule.wantsEvent(e.API, e.Type, endpoint) {
				continue
			}
			counts[i]++
			dropped = dropped || rule.drops(counts[i])
		}
		return dropped
	}
}

func invalidRule(path, format string, args ...any) *Refusal {
	return &Refusal{Code: "invalid-rule", Text: fmt.Sprintf(format, args...), Path: path}
}
