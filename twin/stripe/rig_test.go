package stripe_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"worlds/journal/canon"
	"worlds/projection"
	"worlds/seed"
	"worlds/twin"
	"worlds/twin/stripe"
	"worlds/twin/stripe/oracle"
)

var update = flag.Bool("update", false, "write the golden files instead of comparing with them")

// rig is a world to test in: commands go through a Machine, every answer is
// judged by the oracle, and at the end of the test the world must obey the law
// (see law).
type rig struct {
	t       testing.TB
	seed    *seed.Seed
	machine *twin.Machine
	ran     []ran
	seen    uint64 // events already shown
	text    strings.Builder
}

// ran is one executed command with its outcome.
type ran struct {
	cmd twin.Command
	out twin.Outcome
}

// answer is the status and canonical body of one answer.
type answer struct {
	Status int64
	Body   canon.Raw
}

// newRig makes a world of a seed document.
func newRig(t testing.TB, document string) *rig {
	t.Helper()
	s, err := seed.Parse([]byte(document))
	if err != nil {
		t.Fatalf("seed: %v", err)
	}
	r := &rig{t: t, seed: s, machine: freshMachine(t, s)}
	t.Cleanup(r.law)
	return r
}

func freshMachine(t testing.TB, s *seed.Seed) *twin.Machine {
	t.Helper()
	catalog := stripe.Catalog()
	facts, err := twin.Genesis(s, catalog)
	if err != nil {
		t.Fatalf("genesis: %v", err)
	}
	st := projection.New()
	var raw []canon.Raw
	for _, f := range facts {
		raw = append(raw, f.Append(nil))
	}
	if err := st.Fold(0, raw); err != nil {
		t.Fatalf("folding the genesis: %v", err)
	}
	m := twin.NewMachine(st, twin.SpecOf(s), catalog)
	m.Fault = func(cmd *twin.Command, panicked any) { t.Errorf("%s %s panicked: %v", cmd.Method, cmd.Path, panicked) }
	return m
}

// do executes "METHOD /path[?query] piece piece…"; the pieces are form pairs as
// they stand in a body (of a GET, in the query).
func (r *rig) do(line string) answer {
	r.t.Helper()
	return r.doKey("", line)
}

// doKey is do with an idempotency key (its alias).
func (r *rig) doKey(key, line string) answer {
	r.t.Helper()
	words := strings.Fields(line)
	cmd := twin.Command{Actor: "key:1", API: stripe.Name, Method: words[0], Idem: key}
	cmd.Path, cmd.Query, _ = strings.Cut(words[1], "?")
	form := strings.Join(words[2:], "&")
	if cmd.Method == "POST" {
		cmd.Body = form
	} else if form != "" {
		cmd.Query = form
	}
	out := r.machine.Execute(uint64(len(r.ran))+1, &cmd)
	r.ran = append(r.ran, ran{cmd, out})
	pretty := onWire(out.Body)
	if err := oracle.Default().Response(cmd.Method, cmd.Path, int(out.Status), pretty); err != nil {
		r.t.Errorf("%s → %d\n%v\n%s", line, out.Status, err, pretty)
	}
	if cmd.Method == "GET" && out.Changed && r.machine.Spec.AutoTickSeconds == 0 && len(r.machine.State.Rules()) == 0 {
		r.t.Errorf("%s changed the world", line)
	}
	return answer{out.Status, out.Body}
}

// onWire prints a body as an answer shows it.
func onWire(body canon.Raw) []byte { return bytes.TrimSuffix(wire.Render(nil, body, ""), []byte("\n")) }

var wire = stripe.Catalog().Wire

// ok is do for what must succeed.
func (r *rig) ok(line string) answer {
	r.t.Helper()
	a := r.do(line)
	if a.Status != 200 {
		r.t.Fatalf("%s → %d %s", line, a.Status, a.Body)
	}
	return a
}

// refused checks that line is answered so, with nothing changed: want is
// "status code param message", with - for what is absent.
func (r *rig) refused(line, want string) {
	r.t.Helper()
	before := r.dump()
	a := r.do(line)
	if got := a.refusal(); got != want {
		r.t.Errorf("%s\n got %s\nwant %s", line, got, want)
	}
	if r.machine.Spec.AutoTickSeconds == 0 && r.dump() != before {
		r.t.Errorf("%s changed the world", line)
	}
}

// refusal is an error as one line: status code param message.
func (a answer) refusal() string {
	orDash := func(s string) string {
		if s == "" {
			return "-"
		}
		return s
	}
	return fmt.Sprintf("%d %s %s %s", a.Status, orDash(a.get("error.code")), orDash(a.get("error.param")), a.get("error.message"))
}

// get reads the value at a dotted path (numbers count array elements): a string
// bare, anything else as JSON, "" for what is absent.
func (a answer) get(path string) string {
	at := a.Body
	for _, seg := range strings.Split(path, ".") {
		if n, err := strconv.Atoi(seg); err == nil && len(at) > 0 && at[0] == '[' {
			var found canon.Raw
			for e := range canon.Elements(at) {
				if n == 0 {
					found = e
					break
				}
				n--
			}
			at = found
			continue
		}
		if len(at) == 0 || at[0] != '{' {
			return ""
		}
		at, _ = canon.Get(at, seg)
	}
	if s, ok := canon.Unquote(at); ok {
		return s
	}
	return string(at)
}

// each reads the value at path in every element of the answer's data.
func (a answer) each(path string) string {
	data, _ := canon.Get(a.Body, "data")
	var out []string
	for e := range canon.Elements(data) {
		out = append(out, answer{Body: e}.get(path))
	}
	return strings.Join(out, " ")
}

// events lists what was emitted since the last call, a line each: the type, the
// object's id and what changed.
func (r *rig) events() string {
	var out strings.Builder
	for e := range r.machine.State.OldestEvents(r.seen) {
		r.seen = e.Number
		event := answer{Body: stripe.RenderEvent(e)}
		fmt.Fprintf(&out, "%s %s", e.Type, event.get("data.object.id"))
		if previous := event.get("data.previous_attributes"); previous != "" {
			fmt.Fprintf(&out, " was %s", previous)
		}
		out.WriteByte('\n')
	}
	return out.String()
}

// tell executes line as do does and adds it, the answer and the events to the
// transcript.
func (r *rig) tell(line string) answer {
	r.t.Helper()
	a := r.do(line)
	fmt.Fprintf(&r.text, "> %s\n%d %s\n", line, a.Status, onWire(a.Body))
	for line := range strings.Lines(r.events()) {
		r.text.WriteString("! " + line)
	}
	r.text.WriteByte('\n')
	return a
}

// tellFacts adds the facts of the last command to the transcript.
func (r *rig) tellFacts() {
	for _, f := range r.ran[len(r.ran)-1].out.Facts {
		fmt.Fprintf(&r.text, "  %s\n", f)
	}
	r.text.WriteByte('\n')
}

// golden compares the transcript with testdata/name.golden.
func (r *rig) golden(name string) {
	r.t.Helper()
	golden(r.t, name, r.text.String())
}

func golden(t testing.TB, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs (-update writes it)\n got %s", path, firstDifference(got, string(want)))
	}
}

// firstDifference shows the first lines that differ.
func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return fmt.Sprintf("line %d: %s\nwant line %d: %s", i+1, g[i], i+1, w[i])
		}
	}
	return fmt.Sprintf("%d lines\nwant %d lines", len(g), len(w))
}

func (r *rig) dump() string { return dumpOf(r.t, r.machine.State) }

func dumpOf(t testing.TB, st *projection.State) string {
	t.Helper()
	var out bytes.Buffer
	if err := st.WriteDump(&out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// law checks, at the end of a test, that the same commands on a fresh world give
// the same facts and replies, that the facts fold to the same state, and that
// every event is one that Stripe could have sent.
func (r *rig) law() {
	again, folded := freshMachine(r.t, r.seed), freshMachine(r.t, r.seed).State
	for i := range r.ran {
		seq, was := uint64(i)+1, &r.ran[i]
		cmd := was.cmd
		now := again.Execute(seq, &cmd)
		if !bytes.Equal(now.Reply, was.out.Reply) || !sameFacts(now.Facts, was.out.Facts) {
			r.t.Errorf("%s %s: executed again, it was decided differently", cmd.Method, cmd.Path)
		}
		if err := folded.Fold(seq, was.out.Facts); err != nil {
			r.t.Errorf("%s %s: folding: %v", cmd.Method, cmd.Path, err)
		}
	}
	if dumpOf(r.t, folded) != r.dump() {
		r.t.Errorf("the facts do not fold to the state")
	}
	r.books()
	r.older()
	for e := range r.machine.State.OldestEvents(0) {
		if err := oracle.Default().Object("event", onWire(stripe.RenderEvent(e))); err != nil {
			r.t.Errorf("event %s: %v", e.Type, err)
		}
	}
}

func sameFacts(a, b []canon.Raw) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !bytes.Equal(a[i], b[i]) {
			return false
		}
	}
	return true
}

// qaBase is a small world: two customers, a paid invoice in dollars, one in yen,
// an open one and a draft.
const qaBase = `{"name":"qa-base","version":1,"epoch":1767225600,"clock_mode":"manual","data":{
 "customers":[{"id":"cus_qa01","name":"Ada Example","email":"ada@example.com"},{"id":"cus_qa02","name":"Bo Example","email":"bo@example.com"}],
 "products":[{"id":"prod_qa01","name":"Pro"}],
 "prices":[{"id":"price_qa_m","product":"prod_qa01","unit_amount":2000,"currency":"usd","recurring":{"interval":"month","interval_count":1}},
           {"id":"price_qa_2w","product":"prod_qa01","unit_amount":700,"currency":"usd","recurring":{"interval":"week","interval_count":2}},
           {"id":"price_qa_jpy","product":"prod_qa01","unit_amount":9899,"currency":"jpy","recurring":null}],
 "invoices":[
  {"id":"in_qa01","customer":"cus_qa01","status":"paid","currency":"usd","created_offset":86400,"lines":[{"description":"Pro","amount":4000,"quantity":1,"price":"price_qa_m"}],"charges":[{"id":"ch_qa01","amount":4000}]},
  {"id":"in_qa02","customer":"cus_qa02","status":"open","currency":"usd","created_offset":7200,"lines":[{"description":"Setup","amount":1500,"quantity":1}]},
  {"id":"in_qa03","customer":"cus_qa02","status":"draft","currency":"usd","created_offset":3600,"lines":[{"description":"Draft","amount":900,"quantity":1}]},
  {"id":"in_qa04","customer":"cus_qa01","status":"paid","currency":"jpy","created_offset":86400,"lines":[{"description":"Yen","amount":9899,"quantity":1}],"charges":[{"id":"ch_qa04","amount":9899}]}],
 "subscriptions":[],"tickets":[]}}`

// qaAuto is qaBase with a clock that moves so many seconds a request.
func qaAuto(seconds int) string {
	return strings.Replace(qaBase, `"clock_mode":"manual"`, fmt.Sprintf(`"clock_mode":"auto","auto_tick_seconds":%d`, seconds), 1)
}
