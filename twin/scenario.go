package twin

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"worlds/journal/canon"
	"worlds/projection"
)

// addRule is the operation "scenario.add": its arguments are the rule.
func addRule(tx *Tx, args canon.Raw) (canon.Raw, error) {
	rule, err := ParseRule(args, tx.m.catalogs)
	if err != nil {
		return nil, err
	}
	switch {
	case len(tx.st.Rules()) >= RulesMax:
		return nil, invalidRule("$", "a world has at most %d rules", RulesMax)
	case rule.ID == "":
		rule.ID = tx.freeRuleID()
	case tx.st.Rule(rule.ID) != nil:
		return nil, &Refusal{Code: "rule-exists", Text: "there is a rule " + rule.ID + " already", Path: "$.id"}
	}
	f := projection.Rule{ID: rule.ID, Spec: canon.Marshal(rule)}
	tx.record(&f)
	info := RuleInfoOf(&f)
	return canon.Marshal(&info), nil
}

// freeRuleID is the first rule:n that is not in use.
func (tx *Tx) freeRuleID() string {
	for {
		id := "rule:" + string(canon.AppendInt(nil, tx.Next("scenario.rules")))
		if tx.st.Rule(id) == nil {
			return id
		}
	}
}

// ruleArgs are the arguments of the operation "scenario.rm".
type ruleArgs struct {
	ID string `json:"id"`
}

// RuleArgs returns the arguments of the operation "scenario.rm".
func RuleArgs(id string) canon.Raw { return canon.Marshal(&ruleArgs{ID: id}) }

// removeRule is the operation "scenario.rm".
func removeRule(tx *Tx, args canon.Raw) (canon.Raw, error) {
	var a ruleArgs
	if err := canon.Unmarshal(args, &a); err != nil {
		return nil, &Refusal{Code: "invalid-arguments", Text: err.Error()}
	}
	f := tx.st.Rule(a.ID)
	if f == nil {
		return nil, &Refusal{Code: "no-such-rule", Text: "there is no rule " + a.ID}
	}
	info := RuleInfoOf(f)
	tx.record(&projection.Rule{ID: a.ID, Spec: canon.Raw("null")})
	return canon.Marshal(&info), nil
}

// ParseRule reads and checks a rule for worlds with these catalogs. The error is
// a *Refusal that names the place in the rule.
func ParseRule(spec canon.Raw, catalogs []*Catalog) (*Rule, error) {
	var r Rule
	if err := canon.Unmarshal(spec, &r); err != nil {
		var syntax *canon.Error
		if errors.As(err, &syntax) {
			return nil, invalidRule(syntax.Path, "%s", syntax.Msg)
		}
		return nil, invalidRule("$", "%v", err)
	}
	if err := noZeros(spec); err != nil {
		return nil, err
	}
	if err := r.check(catalogs); err != nil {
		return nil, err
	}
	return &r, nil
}

// noZeros refuses an effect of the number 0, which would be one left out.
func noZeros(spec canon.Raw) *Refusal {
	effect, ok := canon.Get(spec, "effect")
	if !ok || effect[0] != '{' {
		return nil
	}
	for name, v := range canon.Members(effect) {
		if string(v) == "0" {
			return invalidRule("$.effect."+name, "it is a number from 1 on; leave it out for no such effect")
		}
	}
	return nil
}

func (r *Rule) check(catalogs []*Catalog) *Refusal {
	if err := checkRuleID(r.ID); err != nil {
		return err
	}
	for _, n := range []struct {
		path  string
		value int64
		most  int64
	}{
		{"$.from", r.From, RuleNumberMax},
		{"$.every", r.Every, RuleNumberMax},
		{"$.count", r.Count, RuleNumberMax},
		{"$.effect.latency_ms", r.Effect.LatencyMS, RuleLatencyMax},
		{"$.effect.close", r.Effect.Close, RuleAttemptsMax},
		{"$.effect.expire_after", r.Effect.ExpireAfter, RuleNumberMax},
		{"$.effect.drop_every_nth", r.Effect.DropEveryNth, RuleNumberMax},
		{"$.effect.delay_seconds", r.Effect.DelaySeconds, RuleNumberMax},
	} {
		if n.value < 0 || n.value > n.most {
			return invalidRule(n.path, "it is a number from 1 to %d", n.most)
		}
	}
	if n := r.Effect.number(); n != 1 {
		return invalidRule("$.effect", "a rule has one effect: answer, latency_ms, close, expire_after, drop_every_nth, reorder, duplicate or delay_seconds")
	}
	if (r.Effect.DropEveryNth != 0 || r.Effect.ExpireAfter != 0) && r.From+r.Every != 0 {
		return invalidRule("$.effect", "this effect does its own counting: it goes without from and every")
	}
	if r.Effect.ofDeliveries() {
		return r.Match.checkDeliveries(catalogs)
	}
	return r.checkRequests(catalogs)
}

func checkRuleID(id string) *Refusal {
	if len(id) > RuleIDMax {
		return invalidRule("$.id", "an id has at most %d bytes", RuleIDMax)
	}
	for i := range len(id) {
		c := id[i]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && !strings.ContainsRune("_-:.", rune(c)) {
			return invalidRule("$.id", "an id has letters, digits and _ - : . only")
		}
	}
	return nil
}

// number is how many effects are set.
func (e *RuleEffect) number() int {
	n := 0
	for _, set := range []bool{e.Answer != nil, e.LatencyMS != 0, e.Close != 0, e.ExpireAfter != 0,
		e.DropEveryNth != 0, e.Reorder, e.Duplicate, e.DelaySeconds != 0} {
		if set {
			n++
		}
	}
	return n
}

func (m *RuleMatch) checkDeliveries(catalogs []*Catalog) *Refusal {
	for _, f := range []struct{ path, value string }{
		{"$.match.method", m.Method}, {"$.match.path", m.Path}, {"$.match.key", m.Key},
	} {
		if f.value != "" {
			return invalidRule(f.path, "a rule about deliveries matches api, event and endpoint only")
		}
	}
	if m.Event != "" && !FitsEvents(m.Event, m.API, catalogs) {
		return invalidRule("$.match.event", "no event delivered has a type like %q", m.Event)
	}
	found := false
	for _, c := range catalogs {
		found = found || (m.API == "" || m.API == c.Name) && c.Delivery != nil
	}
	if !found {
		return invalidRule("$.match.api", "there is no API %q that delivers events", m.API)
	}
	return nil
}

// checkRequests refuses a rule that could match no request, or whose answer an
// API has no words for.
func (r *Rule) checkRequests(catalogs []*Catalog) *Refusal {
	m := &r.Match
	switch {
	case m.Event != "":
		return invalidRule("$.match.event", "a rule about requests does not match events")
	case m.Endpoint != "":
		return invalidRule("$.match.endpoint", "a rule about requests does not match endpoints")
	case m.Path != "" && !strings.HasPrefix(m.Path, "/"):
		return invalidRule("$.match.path", "a path begins with a slash")
	}
	if err := r.Effect.Answer.check(); err != nil {
		return err
	}
	api, method, path := false, false, false
	for _, c := range catalogs {
		if m.API != "" && m.API != c.Name {
			continue
		}
		api = true
		touched := false
		for _, route := range c.Routes() {
			fits := m.Method == "" || m.Method == route.Method
			method = method || fits
			touched = touched || fits && (m.Path == "" || meet(m.Path, route.Pattern))
		}
		path = path || touched
		if touched && !c.words(&r.Effect) {
			refused := c.wordless(&r.Effect)
			if m.API == "" && m.Path == "" {
				refused.Text += "; a rule for another API names it in match.api"
			}
			return refused
		}
	}
	switch {
	case !api:
		return invalidRule("$.match.api", "there is no API %q", m.API)
	case !method:
		return invalidRule("$.match.method", "no route has the method %q", m.Method)
	case !path:
		return invalidRule("$.match.path", "no route served fits %s", strings.TrimSpace(m.Method+" "+m.Path))
	}
	return nil
}

func (a *RuleAnswer) check() *Refusal {
	switch {
	case a == nil:
		return nil
	case a.Status < 200 || a.Status > 599:
		return invalidRule("$.effect.answer.status", "a status is a number from 200 to 599")
	case len(a.Body) > RuleBodyMax:
		return invalidRule("$.effect.answer.body", "a body has at most %d bytes", RuleBodyMax)
	case len(a.Body) > 0 && a.Body[0] != '{':
		return invalidRule("$.effect.answer.body", "a body is an object; without one it is left out")
	case len(a.Body) > 0 && a.Code+a.DeclineCode != "":
		return invalidRule("$.effect.answer.body", "an answer has a body, or a code whose words the API has")
	case a.RetryAfter < 0 || a.RetryAfter > RuleNumberMax:
		return invalidRule("$.effect.answer.retry_after", "it is a number of seconds")
	}
	return nil
}

// words reports whether the API can answer what an effect asks for.
func (c *Catalog) words(e *RuleEffect) bool {
	switch {
	case e.Answer != nil:
		return c.Fault != nil && c.Fault(e.Answer) != nil
	case e.ExpireAfter != 0:
		return c.Fault != nil && c.Fault(&RuleAnswer{Status: statusExpired}) != nil
	}
	return true
}

// wordless names the member of an effect that the API has no words for, and what it
// has words for.
func (c *Catalog) wordless(e *RuleEffect) *Refusal {
	a := e.Answer
	if a == nil || c.Fault == nil {
		return invalidRule("$.effect", "%s has no words for such an effect", c.Name)
	}
	bare := RuleAnswer{Status: a.Status, Body: a.Body}
	if c.Fault(&bare) == nil {
		known := []string{}
		for status := int64(200); status < 600; status++ {
			if c.Fault(&RuleAnswer{Status: status}) != nil {
				known = append(known, strconv.FormatInt(status, 10))
			}
		}
		return invalidRule("$.effect.answer.status", "%s has no words for a %d without a body; it has for %s", c.Name, a.Status, strings.Join(known, ", "))
	}
	for _, m := range []struct {
		name, value string
		alone       RuleAnswer
	}{
		{"code", a.Code, RuleAnswer{Status: a.Status, Code: a.Code}},
		{"decline_code", a.DeclineCode, RuleAnswer{Status: a.Status, DeclineCode: a.DeclineCode}},
		{"should_retry", "", RuleAnswer{Status: a.Status, Body: a.Body, ShouldRetry: a.ShouldRetry}},
		{"retry_after", "", RuleAnswer{Status: a.Status, Body: a.Body, RetryAfter: a.RetryAfter}},
	} {
		if c.Fault(&m.alone) != nil {
			continue
		}
		text := fmt.Sprintf("%s has no such member in a %d", c.Name, a.Status)
		var known []string
		if c.FaultNames != nil {
			known = c.FaultNames(m.name, a.Status)
		}
		if len(known) > 0 {
			text = fmt.Sprintf("%s has no %q in a %d; it has %s", c.Name, m.value, a.Status, strings.Join(known, ", "))
		}
		return invalidRule("$.effect.answer."+m.name, "%s", text)
	}
	return invalidRule("$.effect.answer", "%s has no answer that says all of this", c.Name)
}

// meet reports whether some path fits both a glob and a route's pattern. A
// segment that the pattern names fits any segment of the glob.
func meet(glob, pattern string) bool {
	for {
		g, restGlob, moreGlob := strings.Cut(glob, "/")
		if g == "**" && !moreGlob {
			return true
		}
		p, restPattern, morePattern := strings.Cut(pattern, "/")
		if !strings.HasPrefix(p, "{") && !matchSegment(g, p) || moreGlob != morePattern {
			return false
		}
		if !moreGlob {
			return true
		}
		glob, pattern = restGlob, restPattern
	}
}
