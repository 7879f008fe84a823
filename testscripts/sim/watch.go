package sim

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"worlds/journal/canon"
	"worlds/testscripts"
	"worlds/twin"
	"worlds/twin/world"
)

// watch waits for somebody to pass a point. Its fields are ANDed; a zero one matches
// everything.
type watch struct {
	label   string
	handle  string // the writers it means
	point   world.Point
	op      string // a route, a type of event or an operation of the operator's
	route   string
	object  string
	event   string // type of an event
	evt     string // id of an event
	status  int64
	failed  string // "true", "false"
	where   string // PATH=VALUE in the answer
	permits int    // how many may be given while it is awaited, 0 for the scenario's budget

	holds bool
	hit   *item
	from  int // ordinal after which it watches
}

// target words what the watch waits for.
func (w *watch) target() string {
	words := []string{string(w.point)}
	for _, f := range [][2]string{{"", w.op}, {"route=", w.route}, {"object=", w.object}, {"event=", w.event}, {"evt=", w.evt},
		{"failed=", w.failed}, {"where=", w.where}} {
		if f[1] != "" {
			words = append(words, f[0]+f[1])
		}
	}
	if w.status != 0 {
		words = append(words, fmt.Sprintf("status=%d", w.status))
	}
	return strings.TrimSpace(strings.Join(words, " "))
}

// points are all there are, in the order they are passed.
var points = []world.Point{world.Produced, world.Decided, world.Committed, world.Served, world.Claimed, world.Sent, world.Answered, world.Recorded}

// parse reads the words of a watch behind its writer and point.
func (w *watch) parse(words []string) error {
	for _, word := range words {
		name, value, ok := strings.Cut(word, "=")
		if !ok || strings.Contains(name, "/") {
			if w.op != "" {
				return fmt.Errorf("%q is not FIELD=VALUE", word)
			}
			w.op = word
			continue
		}
		if err := w.field(name, value); err != nil {
			return err
		}
	}
	if w.point != "" && !slices.Contains(points, w.point) {
		return fmt.Errorf("there is no point %q; there are %v", w.point, points)
	}
	for _, op := range []string{w.op, w.route, w.event} {
		if err := known(op); err != nil {
			return err
		}
	}
	return nil
}

func (w *watch) field(name, value string) (err error) {
	switch name {
	case "point":
		w.point = world.Point(value)
	case "writer":
		w.handle = value
		if !isWriter(value) {
			err = fmt.Errorf("%q is no writer", value)
		}
	case "route":
		w.route = value
	case "object":
		w.object = value
	case "event":
		w.event = value
	case "evt":
		w.evt = value
	case "status":
		w.status, err = strconv.ParseInt(value, 10, 64)
	case "failed":
		if w.failed = value; value != "true" && value != "false" {
			err = errors.New("failed is true or false")
		}
	case "where":
		if w.where = value; !strings.HasPrefix(value, ".") || !strings.Contains(value, "=") {
			err = errors.New("where is .PATH=VALUE")
		}
	case "label":
		w.label = value
	case "timeout":
		w.permits, err = strconv.Atoi(value)
	default:
		err = fmt.Errorf("there is no field %q; there are point, writer, route, object, event, evt, status, failed, where, label, timeout", name)
	}
	return err
}

// operations are those of the operator's and the deliverer's that stand at points.
var operations = []string{"advance", "deliver", "delay", "delete", "endpoint.remove", "endpoint.set", "fork", "key.add", "key.remove",
	"mark", "resend", "reset", "scenario.add", "scenario.rm"}

// known refuses what no operation and no event is called like, and lists what is.
func known(op string) error {
	switch {
	case op == "" || slices.Contains(operations, op):
		return nil
	case strings.Contains(op, "/"):
		if patterns := patternsLike(op); len(patterns) > 0 {
			return fmt.Errorf("there is no route %q; there are %s", op, strings.Join(patterns, ", "))
		}
		return nil
	case strings.Contains(op, "."):
		if twin.FitsEvents(op, "", testscripts.Catalogs()) {
			return nil
		}
		return fmt.Errorf("there is no type of event like %q", op)
	}
	return fmt.Errorf("there is no operation %q; there are %s, routes (METHOD /path) and types of events", op, strings.Join(operations, ", "))
}

// patternsLike is nil when a route is there, and otherwise lists those that begin
// like it.
func patternsLike(op string) []string {
	if strings.Contains(op, "/admin/") || strings.Contains(op, " /webhooks/") || strings.Contains(op, "/worlds/") {
		return nil
	}
	method, route := splitRoute(op)
	var alike, all []string
	for _, c := range testscripts.Catalogs() {
		if method != "" && c.Pattern(method, route) != "" {
			return nil
		}
		for _, r := range c.Routes() {
			if method != "" && method != r.Method {
				continue
			}
			fits, _ := path.Match(route, r.Pattern)
			if fits || method == "" && c.Pattern(r.Method, route) != "" {
				return nil
			}
			name := r.Method + " " + r.Pattern
			all = append(all, name)
			if segments(r.Pattern) == segments(route) {
				alike = append(alike, name)
			}
		}
	}
	if alike != nil {
		return alike
	}
	return all
}

// segments is the first part of a path, enough to find its neighbours.
func segments(p string) string {
	parts := strings.SplitN(p, "/", 4)
	return strings.Join(parts[:min(3, len(parts))], "/")
}

func splitRoute(op string) (method, route string) {
	if m, r, ok := strings.Cut(op, " "); ok {
		return m, r
	}
	return "", op
}

// passing is a point that was passed.
type passing struct {
	ordinal int
	writer  string
	title   string
	seq     int64
	at      world.Passing
}

// matches reports whether the watch means a passing. An error is one of its where.
func (w *watch) matches(p *passing) (bool, error) {
	at := &p.at
	if !answersTo(p.writer, w.handle) || w.point != "" && at.Point != w.point {
		return false, nil
	}
	if w.op != "" && !isOp(p, w.op) || w.route != "" && !isRoute(p, w.route) ||
		w.event != "" && !hasEvent(at, w.event) || w.evt != "" && (at.Row == nil || at.Row.Event != w.evt) {
		return false, nil
	}
	if w.status != 0 && (at.Answer == nil || at.Answer.Status != w.status) {
		return false, nil
	}
	if w.failed != "" && (at.Answer == nil || (at.Answer.Status >= firstRefusal) != (w.failed == "true")) {
		return false, nil
	}
	if w.object != "" && !mentions(at, w.object) {
		return false, nil
	}
	if w.where == "" {
		return true, nil
	}
	if at.Answer == nil {
		return false, fmt.Errorf("where=%s: there is no answer at %s", w.where, at.Point)
	}
	name, value, _ := strings.Cut(w.where, "=")
	answer := testscripts.Answer{Body: at.Answer.Body}
	ok, got := answer.Holds(name, value)
	if !ok && got == "(absent)" {
		return false, fmt.Errorf("where=%s: the answer has no %s", w.where, name)
	}
	return ok, nil
}

const firstRefusal = 400

func isOp(p *passing, op string) bool {
	switch {
	case strings.Contains(op, "/"):
		return isRoute(p, op)
	case strings.Contains(op, "."):
		return hasEvent(&p.at, op)
	}
	return p.at.Command != nil && p.at.Command.Op == op || op == "deliver" && p.at.Row != nil
}

func isRoute(p *passing, route string) bool {
	if p.at.Command == nil {
		return false
	}
	method, glob := splitRoute(route)
	if at := strings.Index(p.title, " "); at > 0 && method != "" && p.title[:at] != method {
		return false
	}
	_, at := splitRoute(p.title)
	if ok, _ := path.Match(glob, at); ok || glob == at {
		return true
	}
	for _, c := range testscripts.Catalogs() {
		if pattern := c.Pattern(p.at.Command.Method, at); pattern != "" && pattern == glob {
			return true
		}
	}
	return false
}

func hasEvent(at *world.Passing, kind string) bool {
	if at.Row != nil {
		return twin.MatchType(kind, at.Type)
	}
	return slices.ContainsFunc(eventsOf(at), func(t string) bool { return twin.MatchType(kind, t) })
}

func eventsOf(at *world.Passing) []string {
	if at.Answer == nil {
		return nil
	}
	var out []string
	for _, f := range at.Answer.Facts {
		if words := elements(f, 4); len(words) == 4 && words[0] == "event" {
			out = append(out, words[3])
		}
	}
	return out
}

// mentions reports whether a passing is about an object.
func mentions(at *world.Passing, id string) bool {
	if cmd := at.Command; cmd != nil &&
		(strings.Contains(cmd.Path, id) || strings.Contains(cmd.Body, id) || strings.Contains(string(cmd.Args), id) || strings.Contains(cmd.Query, id)) {
		return true
	}
	if at.Answer == nil {
		return false
	}
	return slices.ContainsFunc(at.Answer.Facts, func(f canon.Raw) bool { return strings.Contains(string(f), strconv.Quote(id)) })
}

// historyMax is how many passings are kept.
const historyMax = 20000

// remember notes a passing and returns it.
func (p *play) remember(it *item, at *world.Passing) *passing {
	p.ordinal++
	e := passing{ordinal: p.ordinal, writer: it.writer, title: it.title, at: *at}
	if at.Answer != nil {
		e.seq = int64(at.Answer.Seq)
	}
	if !slices.Contains(p.writers, it.writer) {
		p.writers = append(p.writers, it.writer)
	}
	if len(p.history) == historyMax {
		if !p.overflown {
			p.overflown = true
			p.warn("the history is full: only its last %d points are kept", historyMax)
		}
		p.history = p.history[1:]
	}
	p.history = append(p.history, e)
	return &p.history[len(p.history)-1]
}

// arm begins a watch. What its writer has passed since the handle's last hold, or
// since its present request began, is an error.
func (p *play) arm(w *watch) error {
	if w.label == "" {
		w.label = w.handle
	}
	w.from = p.ordinal
	if w.where == "" && w.handle != anyWriter && w.handle != anyAgent && w.handle != "" {
		for i := range p.history {
			e := &p.history[i]
			if e.ordinal <= p.marks[w.handle] {
				continue
			}
			if ok, _ := w.matches(e); ok {
				err := &AlreadyPassedError{Target: w.target(), Writer: e.writer, Ordinal: e.ordinal, Seq: e.seq, Now: "gone"}
				if it := p.sched.last(e.writer); it != nil {
					err.Now = it.standing().State
				}
				return err
			}
		}
	}
	p.watches = append(p.watches, w)
	return nil
}

// watermark says that what a writer has passed so far is no longer asked about.
func (p *play) watermark(handle string) {
	p.marks[handle] = p.ordinal
	if head, _, ok := strings.Cut(handle, "/"); ok && head != "" {
		p.marks[head] = max(p.marks[head], p.marks[handle])
	}
}

// watched shows a passing of an item to the watches; the first that holds and
// matches holds it.
func (p *play) watched(it *item) {
	e := p.remember(it, &it.at)
	for _, w := range p.watches {
		if w.hit != nil || w.holds && it.hold != nil {
			continue
		}
		ok, err := w.matches(e)
		if err != nil {
			p.problem("%v", err)
		}
		if !ok {
			continue
		}
		w.hit = it
		p.marks[w.handle] = p.ordinal
		if w.holds {
			it.hold = w
			p.line(Line{Writer: it.writer, Kind: KindHold, Text: "held at " + string(it.at.Point) + ": " + it.shown()}, it.world)
		}
	}
	p.watches = slices.DeleteFunc(p.watches, func(w *watch) bool { return w.hit != nil && !w.holds })
}

// await runs until a watch has come true. One that fails is watched no longer.
func (p *play) await(w *watch) error {
	err := p.runTo(w)
	if err != nil {
		p.watches = slices.DeleteFunc(p.watches, func(o *watch) bool { return o == w && w.hit == nil })
	}
	return err
}

func (p *play) runTo(w *watch) error {
	s := p.sched
	for _, it := range s.items {
		if w.hit == nil && it.hold != nil && w.holds && w.handle != "" && answersTo(it.writer, w.handle) {
			s.unhold(it)
		}
	}
	for permits := 0; w.hit == nil; permits++ {
		if err := s.blocked(w.handle); err != nil && w.handle != anyWriter && w.handle != "" {
			return err
		}
		if w.permits > 0 && permits == w.permits {
			return p.notReached(w, fmt.Sprintf("%d permits were given", permits))
		}
		it, verdict := s.pick(w.handle)
		if it == nil {
			if err := s.blocked(""); err != nil {
				return err
			}
			return p.notReached(w, "nobody can go on")
		}
		if err := s.step(it, verdict); err != nil {
			return err
		}
	}
	return nil
}

// lastShown is how many points an error lists.
const lastShown = 4

func (p *play) notReached(w *watch, budget string) error {
	err := &RunToTimeoutError{Target: strings.TrimSpace(w.handle + " " + w.target()), Budget: budget, Standings: p.sched.standings()}
	for _, e := range p.history[max(0, len(p.history)-lastShown):] {
		err.Last = append(err.Last, fmt.Sprintf("%s %s (%s)", e.writer, e.at.Point, e.title))
	}
	return err
}

// watchOf finds the watch of a label, or the newest of a writer.
func (p *play) watchOf(name string) *watch {
	for _, w := range slices.Backward(p.watches) {
		if w.label == name || w.handle == name {
			return w
		}
	}
	return nil
}

// heldBy finds the held item of a label or a writer.
func (p *play) heldBy(name string) *item {
	for _, it := range p.sched.items {
		if it.hold != nil && (it.hold.label == name || answersTo(it.writer, name)) {
			return it
		}
	}
	return nil
}
