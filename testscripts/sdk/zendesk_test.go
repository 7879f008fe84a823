package sdk_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"

	"worlds/admin"
	"worlds/projection"
	"worlds/seed"
	"worlds/testscripts"
	"worlds/twin/stripe/oracle"
	"worlds/twin/world"
	desk "worlds/twin/zendesk/oracle"
)

// helpDesk is the native block that the help desk's suite adds to the library's
// billing seed: who was charged twice says so.
const helpDesk = `,"zendesk":{"version":1,"principal_id":1,
 "users":[{"id":1,"name":"Ana Agent","email":"ana@support.example","role":"admin","default_group_id":11},
  {"id":2,"name":"Dana Doublepay","email":"dana@doublepay.example"}],
 "groups":[{"id":11,"name":"Support","default":true}],
 "group_memberships":[{"id":21,"user_id":1,"group_id":11,"default":true}],
 "tickets":[{"id":1001,"subject":"Charged twice","requester_id":2,"tags":["billing"]}],
 "comments":[{"id":5001,"ticket_id":1001,"author_id":2,"audit_id":4001,"body":"You charged me twice for one invoice. Please give me my money back."}],
 "audits":[{"id":4001,"ticket_id":1001,"author_id":2,"events":[{"id":5001,"type":"Comment"},
  {"id":5002,"type":"Create","field_name":"subject","value":"Charged twice"},{"id":5003,"type":"Create","field_name":"status","value":"new"},
  {"id":5004,"type":"Create","field_name":"requester_id","value":"2"},{"id":5005,"type":"Create","field_name":"tags","value":["billing"]}]}]}}`

// TestHelpDeskJob runs one job over both twins, twice on servers of their own: the
// ports and the SDKs' random keys must leave no trace.
func TestHelpDeskJob(t *testing.T) {
	mustHave(t, "node-zendesk", found("node") && exists("node/node_modules/stripe") && exists("node/node_modules/node-zendesk"))
	first, second := deskJob(t), deskJob(t)
	if !bytes.Equal(first.output, second.output) {
		t.Errorf("two runs printed\n%s and\n%s", first.output, second.output)
	}
	if first.head != second.head || first.dump != second.dump {
		t.Errorf("two runs end in the heads %s and %s, the dumps %s and %s: %s",
			first.head, second.head, first.dump, second.dump, first.parts(second))
	}
	for _, table := range []string{`"object":"charge"`, `"raw_subject":"Charged twice"`} {
		if !bytes.Contains(first.before, []byte(table)) {
			t.Errorf("the before-images lack %s", table)
		}
	}
	foreign(t, first)
}

// deskJob runs the script on a fresh world of a fresh server, every answer judged.
func deskJob(t *testing.T) outcome {
	t.Helper()
	server, err := testscripts.StartServer(testscripts.ServerOptions{
		Dir:  t.TempDir(),
		Wrap: func(h http.Handler) http.Handler { return desk.Wrap(t, oracle.Wrap(t, h)) },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Stop()
	source, ok := seed.Source("saas-billing-small")
	if !ok {
		t.Fatal("the library has no saas-billing-small")
	}
	doc, err := seed.Parse([]byte(strings.TrimSuffix(strings.TrimSpace(string(source)), "}") + helpDesk))
	if err != nil {
		t.Fatal(err)
	}
	created, err := server.Admin.Create(doc, admin.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("node", "node/zendesk.js")
	cmd.Env = append(os.Environ(), "WORLDS_URL="+server.URL, "STRIPE_KEY="+created.Keys[0].Secret,
		"ZENDESK_EMAIL="+created.Zendesk.Email, "ZENDESK_TOKEN="+created.Zendesk.APIToken)
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	out := outcome{}
	if out.output, err = cmd.Output(); err != nil {
		t.Fatalf("%v\n%s", err, complaints.Bytes())
	}
	origin, _ := server.Admin.Resolve("zendesk", created.Zendesk.APIToken)
	out.read(t, origin.World)
	oneDiff(t, origin.World)
	if err := testscripts.Law(origin.World, testscripts.Catalogs(), func(ctx context.Context) error { return server.Admin.Reset(ctx, created.ID) }); err != nil {
		t.Errorf("the law is broken: %v", err)
	}
	return out
}

// oneDiff checks that a single difference shows what happened in both APIs.
func oneDiff(t *testing.T, w *world.World) {
	t.Helper()
	g, err := w.Genesis()
	if err != nil {
		t.Fatal(err)
	}
	view, err := w.View(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	tables := map[string]bool{}
	d := projection.Compare(g.State(), view.State)
	for _, change := range append(d.Created, d.Updated...) {
		tables[change.Table] = true
	}
	for _, table := range []string{"stripe.refund", "stripe.charge", "zendesk.ticket", "zendesk.comment", "zendesk.audit"} {
		if !tables[table] {
			t.Errorf("the diff lacks %s: %s", table, fmt.Sprint(tables))
		}
	}
}
