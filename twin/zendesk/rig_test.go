package zendesk_test

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"worlds/journal/canon"
	"worlds/projection"
	"worlds/seed"
	"worlds/twin"
	"worlds/twin/zendesk"
	"worlds/twin/zendesk/oracle"
)

// rig is a help desk to test in: requests go through a Machine, every answer is
// judged by the oracle, and at the end of the test the world must obey the law
// (see law).
type rig struct {
	t       testing.TB
	seed    *seed.Seed
	machine *twin.Machine
	wire    twin.Wire
	ran     []ran
	seen    uint64 // events already shown
	as      string // who the credential says the caller is
	behalf  string
	idem    string
}

// ran is one executed command with its outcome.
type ran struct {
	cmd twin.Command
	out twin.Outcome
}

// answer is the status and body of one answer, links and all.
type answer struct {
	Status int64
	Body   canon.Raw
	out    *twin.Outcome
}

func newRig(t testing.TB, document string) *rig {
	t.Helper()
	s, err := seed.Parse([]byte(document))
	if err != nil {
		t.Fatalf("seed: %v", err)
	}
	r := &rig{t: t, seed: s, machine: freshMachine(t, s), wire: zendesk.Catalog().Wire}
	t.Cleanup(r.law)
	return r
}

func freshMachine(t testing.TB, s *seed.Seed) *twin.Machine {
	t.Helper()
	catalog := zendesk.Catalog()
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
	m.Fault = func(cmd *twin.Command, panicked any) {
		t.Errorf("%s %s %s panicked: %v", cmd.Method, cmd.Path, cmd.Body, panicked)
	}
	return m
}

// origin is where the rig's server would be.
const origin = "http://desk.example:7357"

func (r *rig) execute(cmd *twin.Command) *twin.Outcome {
	out := r.machine.Execute(uint64(len(r.ran))+1, cmd)
	r.ran = append(r.ran, ran{*cmd, out})
	return &out
}

// do executes "METHOD /path[?query] [JSON]"; a path without a prefix is below
// /api/v2.
func (r *rig) do(line string) answer {
	r.t.Helper()
	method, rest, _ := strings.Cut(line, " ")
	target, body, _ := strings.Cut(rest, " ")
	cmd := twin.Command{Actor: "zendesk:api_token", API: zendesk.Name, Method: method, Body: body, As: r.as, Behalf: r.behalf, Idem: r.idem}
	cmd.Path, cmd.Query, _ = strings.Cut(target, "?")
	if !strings.HasPrefix(cmd.Path, "/api/") {
		cmd.Path = "/api/v2" + cmd.Path
	}
	out := r.execute(&cmd)
	shown := answer{Status: out.Status, out: out}
	if out.Body != nil {
		shown.Body = r.wire.Render(nil, out.Body, origin)
	}
	if err := oracle.Response(cmd.Method, cmd.Path, int(out.Status), shown.Body); err != nil {
		r.t.Errorf("%s → %d\n%v\n%s", line, out.Status, err, shown.Body)
	}
	if cmd.Method == "GET" && out.Changed && r.machine.Spec.AutoTickSeconds == 0 {
		r.t.Errorf("%s changed the world", line)
	}
	return shown
}

// ok is do for what must succeed.
func (r *rig) ok(line string) answer {
	r.t.Helper()
	a := r.do(line)
	if a.Status >= 400 {
		r.t.Fatalf("%s → %d %s", line, a.Status, a.Body)
	}
	return a
}

// refused checks that line is answered so, with nothing changed; want is "status
// words", where the words stand somewhere in the body.
func (r *rig) refused(line, want string) {
	r.t.Helper()
	before := r.dump()
	a := r.do(line)
	status, words, _ := strings.Cut(want, " ")
	if strconv.FormatInt(a.Status, 10) != status || !strings.Contains(string(a.Body), words) {
		r.t.Errorf("%s\n got %d %s\nwant %s", line, a.Status, a.Body, want)
	}
	if r.dump() != before {
		r.t.Errorf("%s changed the world", line)
	}
}

// advance moves the clock by seconds.
func (r *rig) advance(seconds int64) {
	r.t.Helper()
	out := r.execute(&twin.Command{Actor: "admin", API: "admin", Op: "advance", Args: twin.AdvanceBy(seconds)})
	if out.Status != 200 {
		r.t.Fatalf("advance by %d: %s", seconds, out.Body)
	}
}

// get reads the value at a dotted path (numbers count array elements, # their
// number): a string bare, anything else as JSON, "" for what is absent.
func (a answer) get(path string) string {
	at := a.Body
	for _, seg := range strings.Split(path, ".") {
		if len(at) > 0 && at[0] == '[' {
			var list []canon.Raw
			for e := range canon.Elements(at) {
				list = append(list, e)
			}
			if seg == "#" {
				return strconv.Itoa(len(list))
			}
			n, err := strconv.Atoi(seg)
			if err != nil || n >= len(list) {
				return ""
			}
			at = list[n]
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

// want checks values: path, value, path, value…
func (a answer) want(t testing.TB, pairs ...string) answer {
	t.Helper()
	for i := 0; i+1 < len(pairs); i += 2 {
		if got := a.get(pairs[i]); got != pairs[i+1] {
			t.Errorf("%s is %s, want %s\n%s", pairs[i], got, pairs[i+1], a.Body)
		}
	}
	return a
}

// each reads the value at path in every record of a list.
func (a answer) each(list, path string) string {
	records, _ := canon.Get(a.Body, list)
	var out []string
	for e := range canon.Elements(records) {
		out = append(out, answer{Body: e}.get(path))
	}
	return strings.Join(out, " ")
}

// events lists the types of what was emitted since the last call.
func (r *rig) events() string {
	var out []string
	for e := range r.machine.State.OldestEvents(r.seen) {
		r.seen = e.Number
		if e.API != zendesk.Name || !bytes.HasPrefix(zendesk.RenderEvent(e), []byte("{")) {
			r.t.Errorf("event %s of %s", e.Type, e.API)
		}
		out = append(out, e.Type)
	}
	return strings.Join(out, " ")
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
// the same facts and replies, that the facts fold to the same state, that closed
// tickets have not changed and that the audits of every ticket rebuild it.
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
	if err := rebuild(r.machine.State); err != nil {
		r.t.Error(err)
	}
	exported(r.t, r.machine.State)
}

// exported checks that a help desk leaves as a valid seed, and that what is loaded
// from it leaves as the same.
func exported(t testing.TB, st *projection.State) {
	block, _ := zendesk.Export(st)
	if block == nil {
		return
	}
	first := block.JSON()
	doc := fmt.Sprintf(`{"name":"again","version":1,"epoch":%d,"zendesk":%s}`, st.Now(), first)
	s, err := seed.Parse([]byte(doc))
	if err != nil {
		t.Errorf("the export is no seed: %v\n%s", err, doc)
		return
	}
	again, lost := zendesk.Export(freshMachine(t, s).State)
	if second := again.JSON(); !bytes.Equal(first, second) || len(lost) > 0 {
		t.Errorf("exported, loaded and exported again, with %v lost\n%s\n%s", lost, first, second)
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

// rebuild plays the audits of every ticket back and compares what they tell with
// what the ticket says.
func rebuild(st *projection.State) error {
	for row := range st.Oldest("zendesk.ticket", 0) {
		told := map[string]string{}
		said := ""
		n := 0
		for a := range st.OldestWith("zendesk.audit", "ticket="+row.ID, 0) {
			n++
			events, _ := canon.Get(a.Body, "events")
			for e := range canon.Elements(events) {
				x := answer{Body: e}
				switch x.get("type") {
				case "Comment":
					if said == "" {
						said = x.get("body")
					}
				case "Create":
					told[x.get("field_name")] = x.get("value")
				case "Change":
					name := x.get("field_name")
					if was, ok := told[name]; ok && was != x.get("previous_value") || !ok && !nothing(x.get("previous_value")) {
						return fmt.Errorf("ticket %s: %s was %s, not %s", row.ID, name, was, x.get("previous_value"))
					}
					told[name] = x.get("value")
				}
			}
		}
		t := answer{Body: row.Body}
		if n == 0 || t.get("status") == "deleted" {
			continue
		}
		for _, name := range []string{"subject", "status", "priority", "type", "requester_id", "assignee_id", "group_id", "organization_id",
			"problem_id", "external_id", "recipient", "due_at", "tags", "collaborator_ids", "follower_ids", "email_cc_ids"} {
			if got, want := told[name], strings.ReplaceAll(t.get(name), `"`, ""); strings.ReplaceAll(got, `"`, "") != want && !(nothing(got) && nothing(want)) {
				return fmt.Errorf("ticket %s: the audits make %s %s, it is %s", row.ID, name, got, want)
			}
		}
		fields, _ := canon.Get(row.Body, "custom_fields")
		for f := range canon.Elements(fields) {
			x := answer{Body: f}
			if got := told[x.get("id")]; got != x.get("value") && !(nothing(got) && nothing(x.get("value"))) {
				return fmt.Errorf("ticket %s: the audits make field %s %s, it is %s", row.ID, x.get("id"), got, x.get("value"))
			}
		}
		if said != t.get("description") {
			return fmt.Errorf("ticket %s: its first comment is %q, its description %q", row.ID, said, t.get("description"))
		}
	}
	return nil
}

func nothing(s string) bool { return s == "" || s == "null" || s == "[]" }

// desk is a native help desk: an admin, two agents in two groups, three end users
// of two organizations, two tickets with their history, and a closure.
const desk = `{"name":"desk","version":1,"epoch":1767225600,"zendesk":{"version":1,"principal_id":1,
 "users":[
  {"id":1,"name":"Ana Admin","email":"ana@desk.example","role":"admin","default_group_id":11,"created_at":"2025-01-01T00:00:00Z"},
  {"id":2,"name":"Gus Agent","email":"gus@desk.example","role":"agent","default_group_id":11},
  {"id":3,"name":"Ivy Agent","email":"ivy@desk.example","role":"agent","default_group_id":12},
  {"id":4,"name":"Ada User","email":"ada@acme.example","organization_id":21},
  {"id":5,"name":"Bo User","email":"bo@acme.example","organization_id":21,"external_id":"crm-5"},
  {"id":6,"name":"Cy User","email":"cy@else.example"}],
 "groups":[{"id":11,"name":"Support","default":true},{"id":12,"name":"Billing"}],
 "organizations":[{"id":21,"name":"Acme"},{"id":22,"name":"Else"}],
 "group_memberships":[{"id":31,"user_id":1,"group_id":11,"default":true},{"id":32,"user_id":2,"group_id":11,"default":true},{"id":33,"user_id":3,"group_id":12,"default":true},{"id":34,"user_id":3,"group_id":11}],
 "organization_memberships":[{"id":41,"user_id":4,"organization_id":21,"default":true},{"id":42,"user_id":5,"organization_id":21,"default":true}],
 "tickets":[
  {"id":101,"subject":"Charged twice for INV-7","status":"open","priority":"high","requester_id":4,"assignee_id":2,"group_id":11,"organization_id":21,"tags":["billing"],"created_at":"2025-12-30T10:00:00Z","updated_at":"2025-12-30T11:00:00Z"},
  {"id":102,"subject":"Done","status":"solved","requester_id":5,"assignee_id":3,"group_id":12,"organization_id":21,"created_at":"2025-12-30T10:00:00Z","updated_at":"2025-12-31T10:00:00Z","solved_at":"2025-12-31T10:00:00Z"},
  {"id":103,"subject":"Old","status":"closed","requester_id":6,"created_at":"2025-12-01T10:00:00Z","updated_at":"2025-12-02T10:00:00Z"}],
 "comments":[
  {"id":201,"ticket_id":101,"author_id":4,"audit_id":301,"body":"I was charged twice.","created_at":"2025-12-30T10:00:00Z"},
  {"id":202,"ticket_id":101,"author_id":2,"audit_id":302,"body":"Looking into it.","public":false,"created_at":"2025-12-30T11:00:00Z"},
  {"id":203,"ticket_id":102,"author_id":5,"audit_id":303,"body":"Please help.","created_at":"2025-12-30T10:00:00Z"}],
 "audits":[
  {"id":301,"ticket_id":101,"author_id":4,"created_at":"2025-12-30T10:00:00Z","events":[{"id":201,"type":"Comment"},
   {"id":211,"type":"Create","field_name":"subject","value":"Charged twice for INV-7"},{"id":212,"type":"Create","field_name":"status","value":"new"},
   {"id":213,"type":"Create","field_name":"requester_id","value":"4"},{"id":214,"type":"Create","field_name":"organization_id","value":"21"},
   {"id":215,"type":"Create","field_name":"tags","value":["billing"]}]},
  {"id":302,"ticket_id":101,"author_id":2,"created_at":"2025-12-30T11:00:00Z","events":[{"id":202,"type":"Comment"},
   {"id":216,"type":"Change","field_name":"status","previous_value":"new","value":"open"},{"id":217,"type":"Change","field_name":"priority","previous_value":null,"value":"high"},
   {"id":218,"type":"Change","field_name":"assignee_id","previous_value":null,"value":"2"},{"id":219,"type":"Change","field_name":"group_id","previous_value":null,"value":"11"}]},
  {"id":303,"ticket_id":102,"author_id":5,"created_at":"2025-12-30T10:00:00Z","events":[{"id":203,"type":"Comment"},
   {"id":221,"type":"Create","field_name":"subject","value":"Done"},{"id":222,"type":"Create","field_name":"status","value":"solved"},
   {"id":223,"type":"Create","field_name":"requester_id","value":"5"},{"id":224,"type":"Create","field_name":"assignee_id","value":"3"},
   {"id":225,"type":"Create","field_name":"group_id","value":"12"},{"id":226,"type":"Create","field_name":"organization_id","value":"21"}]}],
 "lifecycle":{"closure":{"after_hours":96,"sweep_phase_seconds":900,"author_id":1}}}}`

// plain is a help desk that the seed says nothing of.
const plain = `{"name":"plain","version":1,"epoch":1767225600}`
