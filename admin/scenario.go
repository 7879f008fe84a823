package admin

import (
	"context"
	"fmt"
	"net/http"

	"worlds/journal/canon"
	"worlds/twin"
	"worlds/twin/world"
)

type ruleList struct {
	Rules []twin.RuleInfo `json:"rules"`
}

// addRule adds a fault rule: the body is the rule. What it names must be there.
func addRule(c *call) error {
	var spec canon.Raw
	src, err := readBody(c)
	if err != nil {
		return err
	}
	if spec, err = canon.Canonicalize(src); err != nil {
		return err
	}
	c.s.registry.mu.RLock()
	p := checkRule(spec, c.entry.keys, "$", c.s.host.Catalogs())
	c.s.registry.mu.RUnlock()
	if p != nil {
		return p
	}
	answer, err := c.operate("scenario.add", spec)
	if err != nil {
		return err
	}
	return c.raw(http.StatusCreated, answer.Body)
}

// checkRule refuses a rule before anything is done: at is where it stands.
func checkRule(spec canon.Raw, keys []keyRecord, at string, catalogs []*twin.Catalog) *Problem {
	rule, err := twin.ParseRule(spec, catalogs)
	if err != nil {
		p := problemOf(err)
		if len(p.Path) > 0 {
			p.Path = at + p.Path[1:]
		}
		return p
	}
	if rule.Match.Key == "" {
		return nil
	}
	for _, k := range keys {
		if k.Label == rule.Match.Key {
			return nil
		}
	}
	return problem(http.StatusBadRequest, "invalid-rule", "the world has no key %q", rule.Match.Key).at(at + ".match.key")
}

// addRules adds the rules a world is created with, which were checked.
func addRules(ctx context.Context, w *world.World, specs []canon.Raw) error {
	for _, spec := range specs {
		answer, err := w.Do(ctx, world.Request{Command: operation("scenario.add", spec)})
		if err != nil {
			return err
		}
		if answer.Status != http.StatusOK {
			return refusalOf(answer)
		}
	}
	return nil
}

func listRules(c *call) error {
	v, err := c.view()
	if err != nil {
		return err
	}
	list := ruleList{Rules: []twin.RuleInfo{}}
	for _, f := range v.State.Rules() {
		list.Rules = append(list.Rules, twin.RuleInfoOf(f))
	}
	return reply(c, http.StatusOK, &list)
}

func removeRule(c *call) error {
	if _, err := c.operate("scenario.rm", twin.RuleArgs(c.path("rule"))); err != nil {
		return err
	}
	return c.none()
}

// beginnings checks what a world is created with beside its seed and keys, and
// fills in the answer.
func (s *Server) beginnings(out *CreatedWorld, opt *CreateOptions, keys []keyRecord) (*endpointRecord, error) {
	ids := map[string]bool{}
	for i, spec := range opt.Scenarios {
		at := fmt.Sprintf("$.scenarios[%d]", i)
		if p := checkRule(spec, keys, at, s.host.Catalogs()); p != nil {
			return nil, p
		}
		raw, _ := canon.Get(spec, "id")
		if id, ok := canon.Unquote(raw); ok && ids[id] {
			return nil, problem(http.StatusConflict, "rule-exists", "two rules are named %q", id).at(at + ".id")
		} else if ok {
			ids[id] = true
		}
	}
	if opt.Endpoint == nil {
		return nil, nil
	}
	record, p := opt.Endpoint.record(s, nil, "$.endpoint")
	if p != nil {
		return nil, p
	}
	out.Endpoint = record.info()
	out.Endpoint.Secret = record.Secret
	return record, nil
}
