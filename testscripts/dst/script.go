package dst

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"worlds/seed"
	"worlds/testscripts/dst/model"
)

// script writes a history as a scenario file.
type script struct {
	b     strings.Builder
	files strings.Builder
	vars  map[string]string // by symbol
	now   int               // the world in use, -1 for none
	hooks map[int]bool      // worlds with a listener
	ends  map[string]string // how attempts to deliver fail
}

// Script writes a history as a scenario file, in the language of package testscripts,
// that fails as the history does: by what the file expects, or by the invariants and
// laws that every scenario is held to.
func Script(ctx context.Context, cfg Config, number uint64, story *Story, failure *Failure) (string, error) {
	e, err := openEngine(nil)
	if err != nil {
		return "", err
	}
	defer func() { _ = e.close() }()
	w := &script{vars: map[string]string{}, now: -1, hooks: map[int]bool{}}
	fmt.Fprintf(&w.b, "# %s\n# %s\n", failure.Property, cfg.Replay(number))
	w.ends = story.Ends
	_, r := perform(ctx, e, cfg, number, story, true, func(s *space, t *step) *Failure {
		w.step(s, t, story.Ops)
		return nil
	})
	for _, line := range failure.Expect {
		w.b.WriteString(line + "\n")
	}
	if err := w.seeds(cfg, number, len(r.spaces)); err != nil {
		return "", err
	}
	return w.b.String() + w.files.String(), nil
}

// seeds appends the worlds' seeds, for those that are not in the library.
func (w *script) seeds(cfg Config, number uint64, width int) error {
	for i := range width {
		doc, err := seedOf(cfg.profile(number), number, i)
		if err != nil {
			return err
		}
		if name := fmt.Sprintf("seed%d.json", i); strings.Contains(w.b.String(), " "+name+" ") {
			w.files.WriteString("-- " + name + " --\n" + string(doc.Canonical) + "\n")
		}
	}
	return nil
}

// step writes one operation of the history; those that the end of a run adds are left
// out.
func (w *script) step(s *space, t *step, ops []Op) {
	op := original(ops, t.op.N)
	if op == nil {
		return
	}
	w.use(s, op)
	line := w.command(op)
	if line == "" || op.Wire == wireCut {
		w.b.WriteString("# " + op.String() + "\n")
		return
	}
	if t.answer.cut || t.answer.status >= 400 {
		line = "! " + line
	}
	w.b.WriteString(line + "\n")
	w.save(s, t, op, ops)
}

// original is an operation as the history has it, with its symbols.
func original(ops []Op, n int) *Op {
	for i := range ops {
		if ops[i].N == n {
			return &ops[i]
		}
		if op := original(ops[i].Inject, n); op != nil {
			return op
		}
	}
	return nil
}

// use goes to a world, and makes it and its listener the first time.
func (w *script) use(s *space, op *Op) {
	name := "w" + strconv.Itoa(s.index)
	if !strings.Contains(w.b.String(), " "+name+"\n") {
		ref := s.info.Seed.Name
		if _, err := seed.Lookup(ref); err != nil {
			ref = fmt.Sprintf("seed%d.json", s.index)
		}
		w.b.WriteString("world new " + ref + " " + name + "\nkey second\n")
		w.now = s.index
	}
	if w.now != s.index {
		w.b.WriteString("world use " + name + "\n")
		w.now = s.index
	}
	if strings.Contains(op.Path, "/webhooks/") && !w.hooks[s.index] {
		w.b.WriteString("hook start -logical\n" + w.answers(s.mark))
		w.hooks[s.index] = true
	}
}

// answers is what the listener of a world answers, if it does not always answer well.
func (w *script) answers(mark string) string {
	words, last := []string{}, 0
	for n := range len(w.ends) + longestStory {
		word := "200"
		switch end := w.ends[attemptAt(mark+"/"+operatorBox, n)]; end {
		case "":
		case endTimeout:
			word, last = "hang", n+1
		case endReset, endLost, endRefused:
			word, last = "reset", n+1
		default:
			word, last = end, n+1
		}
		words = append(words, word)
	}
	if last == 0 {
		return ""
	}
	return "hook answer " + strings.Join(words[:last], " ") + " 200\n"
}

// longestStory is up to which attempt a scenario says how it ends.
const longestStory = 50

// command is the scenario command of an operation, "" where there is none.
func (w *script) command(op *Op) string {
	switch op.API {
	case apiStripe:
		return w.stripe(op)
	case apiZendesk:
		return w.zendesk(op)
	case apiAdmin:
		return w.operator(op)
	}
	return ""
}

func (w *script) stripe(op *Op) string {
	words := []string{"stripe"}
	for _, o := range []struct{ flag, value string }{{"-key", op.Key}, {"-idem", op.Idem}, {"-version", op.Version}} {
		if o.value != "" && o.value != keyLabels[0] {
			words = append(words, o.flag, o.value)
		}
	}
	words = append(words, op.Method, w.text(op.Path))
	for _, p := range op.Params {
		words = append(words, w.text(p.Name+"="+p.Value))
	}
	return strings.Join(words, " ")
}

func (w *script) zendesk(op *Op) string {
	words := []string{"zendesk"}
	if op.Idem != "" {
		words = append(words, "-idem", op.Idem)
	}
	words = append(words, op.Method, w.text(op.Path+w.query(op.Params)))
	if op.Body != "" {
		words = append(words, w.text(op.Body))
	}
	return strings.Join(words, " ")
}

// query is the parameters of an address, with symbols as they are.
func (w *script) query(params []pair) string {
	out := ""
	for i, p := range params {
		out += string("?&"[min(i, 1)]) + p.Name + "="
		for rest := p.Value; ; {
			before, after, ok := strings.Cut(rest, symbolOpen)
			out += url.QueryEscape(before)
			if !ok {
				break
			}
			name, behind, _ := strings.Cut(after, symbolClose)
			out, rest = out+symbolOpen+name+symbolClose, behind
		}
	}
	return out
}

func (w *script) operator(op *Op) string {
	field := func(name string) string { return member([]byte(op.Body), name) }
	switch op.Method + " " + op.Path {
	case "POST /reset":
		return "reset"
	case "POST /webhooks/flush":
		return "flush"
	case "POST /quiesce":
		return "quiesce"
	case "POST /webhooks/resend":
		return "resend " + w.text(field("event"))
	case "POST /scenarios":
		return "fault add " + w.text(op.Body)
	case "POST /keys":
		return strings.TrimSpace("key " + field("label") + " " + field("expires_after"))
	case "POST /marks":
		if field("name") != "" {
			return "mark " + field("name")
		}
	case "GET /dump":
		return "dump"
	case "POST /replay":
		return "replay " + field("mode")
	case "POST /clock/advance":
		for _, u := range []struct{ name, prefix, suffix string }{{"days", "+", "d"}, {"seconds", "+", "s"}, {"to", "", ""}} {
			if n := field(u.name); n != "" {
				return "clock " + u.prefix + n + u.suffix
			}
		}
	}
	if rule, ok := strings.CutPrefix(op.Path, "/scenarios/"); ok && op.Method == "DELETE" {
		return "fault rm " + rule
	}
	return ""
}

// text is a word of a command: quoted where it must be, with variables for symbols.
func (w *script) text(s string) string {
	out := ""
	for {
		before, rest, ok := strings.Cut(s, symbolOpen)
		if before != "" {
			out += quote(before)
		}
		if !ok {
			if out == "" {
				return "''"
			}
			return out
		}
		name, after, _ := strings.Cut(rest, symbolClose)
		if v := w.vars[symbolOpen+name+symbolClose]; v != "" {
			out += v
		} else {
			out += gone
		}
		s = after
	}
}

// quote makes one word of a text for a script.
func quote(s string) string {
	if s != "" && !strings.ContainsAny(s, " \t'\"$#{}[]*?\\&|;<>") {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", "''") + "'"
}

// save keeps the ids that later operations name: by a variable where the answer shows
// them, as they are otherwise.
func (w *script) save(s *space, t *step, op *Op, ops []Op) {
	later, err := json.Marshal(ops)
	if err != nil {
		return
	}
	answer, err := model.Parse(t.answer.body)
	rows := newRows(s, t)
	for k, id := range rows {
		sym := symbol(op.N, k)
		if !strings.Contains(string(later), sym) {
			continue
		}
		w.vars[sym] = id
		if err != nil || op.API == apiAdmin {
			continue
		}
		if path := pathOf(answer, id); path != "" {
			name := fmt.Sprintf("ID_%d_%d", op.N, k)
			fmt.Fprintf(&w.b, "save %s %s\n", name, path)
			w.vars[sym] = "${" + name + "}"
		}
	}
}

// newRows are the ids of the rows that a step made, in the order of their symbols.
func newRows(s *space, t *step) []string {
	probe := &space{names: map[string]string{}, made: map[int][]made{}, nested: map[string]bool{}}
	for row := range t.before.State.Oldest(tableSubscription, 0) {
		for _, id := range itemsOf(row.Body) {
			probe.nested[id] = true
		}
	}
	probe.note(0, t.diff, s.view.State)
	var out []string
	for _, m := range probe.made[0] {
		out = append(out, m.id)
	}
	return out
}

// pathOf is where an answer shows an id, "" if nowhere.
func pathOf(v model.Value, id string) string {
	switch v.Kind {
	case model.String, model.Number:
		return ""
	case model.Array:
		for i, e := range v.List {
			if path := pathOf(e, id); path != "" {
				return "[" + strconv.Itoa(i) + "]" + path
			}
		}
	case model.Object:
		for _, m := range v.Members {
			if (m.Value.Kind == model.String || m.Value.Kind == model.Number) && m.Value.Text == id && m.Name != "url" {
				return "." + m.Name
			}
		}
		for _, m := range v.Members {
			if path := pathOf(m.Value, id); path != "" {
				return "." + m.Name + path
			}
		}
	}
	return ""
}
