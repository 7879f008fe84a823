package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const nativeInput = `{"format":"worlds-zendesk-native-export","version":1,"epoch":1767571200,"zendesk":{"version":1,"principal_id":71,
 "users":[{"id":71,"name":"Real Admin","email":"real@corp.test","role":"admin","photo":"x"},{"id":72,"name":"Real Person"}],
 "tickets":[{"id":9,"subject":"Real subject","requester_id":72,"created_at":"2026-01-01T00:00:00Z"}],
 "comments":[{"id":5,"ticket_id":9,"author_id":72,"body":"Real words","created_at":"2026-01-01T00:00:00Z"}]}}`

// An import, joined with a billing seed, makes a seed that is served.
func TestSeedImportAndCompose(t *testing.T) {
	clean(t)
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	read := func(name string) string {
		b, err := os.ReadFile(in(name))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	os.WriteFile(in("input.json"), []byte(nativeInput), 0o600)
	got := worlds(t, "seed", "import", "--from-zendesk", "--input", in("input.json"), "--name", "desk", "--out", in("desk.json"),
		"--manifest", in("desk.manifest.json"), "--map", in("desk.map.json"), "--json")
	if got.code != exitDone || !strings.Contains(got.stdout, `"name":"desk","hash":"sha256:`) {
		t.Fatalf("%+v", got)
	}
	if strings.Contains(read("desk.json"), "Real") || !strings.Contains(read("desk.manifest.json"), `"users[].photo": 1`) || !strings.Contains(read("desk.map.json"), `"71"`) {
		t.Errorf("%s\n%s\n%s", read("desk.json"), read("desk.manifest.json"), read("desk.map.json"))
	}
	if info, err := os.Stat(in("desk.map.json")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the map is readable by others: %v %v", info, err)
	}
	again := worldsIn(t, nativeInput, "seed", "import", "--from-zendesk", "--input", "-", "--name", "desk", "--out", in("2.json"), "--manifest", in("2.manifest.json"))
	if again.code != exitDone || read("2.json") != read("desk.json") || read("2.manifest.json") != read("desk.manifest.json") {
		t.Errorf("two imports differ: %+v", again)
	}
	os.WriteFile(in("billing.json"), []byte(must(t, "seed", "show", "saas-billing-small")), 0o600)
	if got := worlds(t, "seed", "compose", "--stripe", in("billing.json"), "--zendesk", in("desk.json"), "--name", "both", "--out", in("both.json")); got.code != exitDone {
		t.Fatalf("%+v", got)
	}
	if got := worlds(t, "seed", "validate", in("both.json")); got.code != exitDone {
		t.Errorf("%+v", got)
	}
	if got := worlds(t, "seed", "compose", "--stripe", in("both.json"), "--zendesk", in("desk.json")); got.code != exitNo || !strings.Contains(got.stderr, "$.zendesk") {
		t.Errorf("%+v", got)
	}
	bad := strings.Replace(nativeInput, `"requester_id":72`, `"requester_id":73`, 1)
	if got := worldsIn(t, bad, "seed", "import", "--from-zendesk", "--input", "-", "--out", in("bad.json")); got.code != exitNo ||
		!strings.Contains(got.stderr, "$.zendesk.tickets[0].requester_id") {
		t.Errorf("%+v", got)
	}
	if _, err := os.Stat(in("bad.json")); err == nil {
		t.Error("a refused import wrote a file")
	}
}
