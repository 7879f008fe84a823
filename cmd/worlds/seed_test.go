package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"worlds/seed"
)

func TestSeedList(t *testing.T) {
	clean(t)
	var list seedList
	if err := json.Unmarshal([]byte(must(t, "seed", "list", "--json")), &list); err != nil {
		t.Fatal(err)
	}
	names := seed.Names()
	if len(list.Seeds) != len(names) {
		t.Fatalf("%+v, want %v", list, names)
	}
	text := must(t, "seed", "list")
	for i, s := range list.Seeds {
		if s.Name != names[i] || s.Source != "library" || !strings.Contains(text, s.Name) || !strings.Contains(text, s.Hash) {
			t.Errorf("%+v\n%s", s, text)
		}
	}
}

func TestSeedShow(t *testing.T) {
	clean(t)
	source, _ := seed.Source("empty")
	s, err := seed.Lookup("empty")
	if err != nil {
		t.Fatal(err)
	}
	if got := must(t, "seed", "show", "empty"); got != string(source) {
		t.Errorf("%q", got)
	}
	if got := must(t, "seed", "show", "empty", "--json"); got != string(s.Canonical)+"\n" {
		t.Errorf("%q", got)
	}
}

func TestSeedValidate(t *testing.T) {
	clean(t)
	const head = `{"name":"x","version":1,"epoch":1767225600`
	for _, row := range []struct {
		name, seed     string
		code           int
		stdout, stderr string // what they hold; "" for nothing at all
	}{
		{"valid", head + `}`, exitDone, "0 customers", ""},
		{"byte-order mark", "\ufeff" + head + `}`, exitDone, "0 customers", ""},
		{"syntax", head, exitNo, "", "$ (line 1, column 43)"},
		{"two problems", head + `,"data":{"customers":[{"id":"cus_a","nam":"A"}]},"x":1}`, exitNo, "", "$.data.customers[0].nam"},
	} {
		t.Run(row.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "s.json")
			os.WriteFile(path, []byte(row.seed), 0o600)
			for _, got := range []outcome{worlds(t, "seed", "validate", path), worldsIn(t, row.seed, "seed", "validate", "-")} {
				if got.code != row.code || !holds(got.stdout, row.stdout) || !holds(got.stderr, row.stderr) {
					t.Errorf("%+v", got)
				}
			}
			got := worlds(t, "seed", "validate", path, "--json")
			var v verdict
			if err := json.Unmarshal([]byte(got.stdout), &v); err != nil || got.code != row.code || got.stderr != "" {
				t.Fatalf("%+v %v", got, err)
			}
			if yes := v.Valid && len(v.Unserved) == 0; yes != (row.code == exitDone) {
				t.Errorf("%+v", v)
			}
		})
	}
}

// holds reports whether text contains part, or is empty where part is.
func holds(text, part string) bool {
	if part == "" {
		return text == ""
	}
	return strings.Contains(text, part)
}

// Every problem has its line.
func TestSeedValidateAll(t *testing.T) {
	clean(t)
	got := worldsIn(t, `{"name":"x","version":0,"epoch":1767225600,"x":1}`, "seed", "validate", "-")
	if got.code != exitNo || strings.Count(got.stderr, "\n") != 2 || !strings.Contains(got.stderr, "$.version") || !strings.Contains(got.stderr, "$.x") {
		t.Errorf("%+v", got)
	}
}

// What validate says is valid, a world can be made of: it knows the test instruments.
func TestValidateAsCreate(t *testing.T) {
	clean(t)
	s := start(t, t.TempDir())
	defer s.stop(t)
	t.Setenv("WORLDS_URL", s.URL)
	file := filepath.Join(t.TempDir(), "s.json")
	for method, says := range map[string]string{"pm_card_foo": "no test instrument pm_card_foo; one is pm_card_visa\n", "pm_card_viso": `did you mean "pm_card_visa"?`} {
		doc := `{"name":"s","version":1,"epoch":1767225600,"data":{"customers":[{"id":"cus_1","payment_method":"` + method + `"}]}}`
		if err := os.WriteFile(file, []byte(doc), 0o600); err != nil {
			t.Fatal(err)
		}
		const path = "$.data.customers[0].payment_method"
		for _, verb := range []string{"seed validate", "world create --seed"} {
			got := worlds(t, append(strings.Fields(verb), file)...)
			got.refuses(t, exitNo, says)
			if strings.Count(got.stderr, path) != 1 {
				t.Errorf("%s: the path is not told once: %s", verb, got.stderr)
			}
		}
	}
}
