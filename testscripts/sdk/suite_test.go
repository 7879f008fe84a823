package sdk_test

import (
	"bytes"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"

	"worlds/admin"
	"worlds/journal/canon"
	"worlds/seed"
	"worlds/testscripts"
	"worlds/twin/stripe/oracle"
	"worlds/twin/stripe/spec"
)

var update = flag.Bool("update", false, "rewrite the list of what the suites call")

// suiteRows is how many seeded customers the suites page over.
const suiteRows = 260

// suiteVersions are the API versions that the suites speak: the SDK's own, and one
// of each older shape with the stripe-mock that judges it.
var suiteVersions = []struct{ version, mock string }{
	{"", ""},
	{"2025-06-30.basil", oracle.MockBasil},
	{"2024-06-20", oracle.MockOld},
}

// suiteSeed is a world with many customers and little else.
func suiteSeed(t *testing.T) *seed.Seed {
	t.Helper()
	var rows []string
	for i := range suiteRows {
		rows = append(rows, fmt.Sprintf(`{"id":"cus_paged%03d","name":"Row %d","email":"row%d@paged.example"}`, i, i, i))
	}
	doc, err := seed.Parse([]byte(`{"name":"suite","version":1,"epoch":1767225600,"data":{"customers":[` + strings.Join(rows, ",") + `]}}`))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// suiteRules are faults that the suites run into on purpose, by the coupon they ask
// for.
func suiteRules() []canon.Raw {
	var rules []canon.Raw
	for _, r := range [][2]string{
		{"rate", `{"answer":{"status":429}}`}, {"broken", `{"answer":{"status":500}}`},
		{"busy", `{"answer":{"status":409}}`}, {"cut", `{"close":100}`},
	} {
		rules = append(rules, canon.Raw(`{"effect":`+r[1]+`,"id":"`+r[0]+`","match":{"api":"stripe","method":"GET","path":"/v1/coupons/`+r[0]+`"}}`))
	}
	return rules
}

// suiteJudge judges answers by the document of a version's shape.
func suiteJudge(t *testing.T, mock string) func(http.Handler) http.Handler {
	t.Helper()
	judge := oracle.Default()
	if mock != "" {
		older, err := oracle.Older(mock)
		if err != nil {
			if os.Getenv("WORLDS_FORCE_SDK") != "" {
				t.Fatal(err)
			}
			t.Skipf("no document of that version: %v", err)
		}
		judge = older
	}
	return func(h http.Handler) http.Handler {
		judged := judge.Wrap(t, h)
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if op, _, ok := spec.Lookup(r.Method, r.URL.Path); ok {
				called.Store(op.Method+" "+op.Path, true)
			}
			judged.ServeHTTP(w, r)
		})
	}
}

// called are the operations that the suites have asked for.
var called sync.Map

// suite runs a script on a fresh world in a version of the API.
func suite(t *testing.T, version, mock string, command ...string) outcome {
	t.Helper()
	server, err := testscripts.StartServer(testscripts.ServerOptions{Dir: t.TempDir(), Wrap: suiteJudge(t, mock)})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Stop()
	created, err := server.Admin.Create(suiteSeed(t), admin.CreateOptions{Scenarios: suiteRules()})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Env = append(os.Environ(), "WORLDS_URL="+server.URL, "STRIPE_KEY="+created.Keys[0].Secret, "STRIPE_VERSION="+version)
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	output, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v in %s: %v\n%s", command, version, err, complaints.Bytes())
	}
	origin, _ := server.Admin.Resolve("stripe", created.Keys[0].Secret)
	out := outcome{output: output}
	out.read(t, origin.World)
	return out
}

// TestSuites lets each script's SDK use everything, in each version twice: the two
// runs end in equal heads, and every version prints the same.
func TestSuites(t *testing.T) {
	for _, s := range []struct {
		sdk     int // in scripts
		command []string
		want    string
	}{
		{0, []string{"node", "node/suite.js"}, "suite_node.want"},
		{2, []string{python, "python/suite.py"}, "suite_python.want"},
	} {
		t.Run(scripts[s.sdk].name, func(t *testing.T) {
			mustHave(t, scripts[s.sdk].name, scripts[s.sdk].present())
			want, err := os.ReadFile(s.want)
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range suiteVersions {
				first := suite(t, v.version, v.mock, s.command...)
				second := suite(t, v.version, v.mock, s.command...)
				if !bytes.Equal(first.output, want) {
					t.Errorf("version %q: the script printed\n%s, not\n%s", v.version, first.output, want)
				}
				if first.head != second.head || first.dump != second.dump {
					t.Errorf("version %q: two runs end in %s, %s and %s, %s", v.version, first.head, first.dump, second.head, second.dump)
				}
			}
		})
	}
}

// TestSDKProof says that the list of what the suites call is current, if all of
// them have run.
func TestSDKProof(t *testing.T) {
	const path = "../../twin/stripe/proof_sdk.txt"
	var lines []string
	called.Range(func(operation, _ any) bool {
		lines = append(lines, operation.(string))
		return true
	})
	if !scripts[0].present() || !scripts[2].present() || len(lines) == 0 {
		return // another test says what is not there
	}
	slices.Sort(lines)
	want := strings.Join(lines, "\n") + "\n"
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s is not what the suites call; run them all, -update writes it", path)
	}
}
