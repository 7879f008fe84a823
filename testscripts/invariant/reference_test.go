package invariant

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"worlds/journal"
	"worlds/journal/canon"
)

// loose are members that hold the id of an object and are no reference: copies of
// what an object was, and names that outlive it.
var loose = map[string]bool{
	"stripe.payment_intent last_payment_error.payment_method.id":       true,
	"stripe.payment_intent last_payment_error.payment_method.customer": true,
	"stripe.setup_intent last_setup_error.payment_method.id":           true,
	"stripe.discount invoice":                                          true, // of a draft, which can be deleted
	"stripe.discount invoice_item":                                     true,
	"stripe.invoice_item invoice":                                      true,
	"stripe.invoice test_clock":                                        true, // which can be deleted
	"stripe.subscription test_clock":                                   true,
	"stripe.customer test_clock":                                       true,
	"stripe.dispute balance_transactions[].source":                     true, // itself
	"stripe.coupon_reach products[]":                                   true, // which can be deleted
}

// TestGraphIsWhole looks into every object of the kept journals for ids of other
// objects, and expects each to be in the graph.
func TestGraphIsWhole(t *testing.T) {
	files, err := filepath.Glob("../testdata/rules-*/*.jsonl.zst")
	if err != nil || len(files) == 0 {
		t.Fatalf("there are no kept journals (%v)", err)
	}
	missing, followed := map[string]string{}, 0
	for _, file := range files {
		c := walkFile(t, file)
		for _, table := range c.tables() {
			if table == "stripe.event_links" { // copies of what an event showed
				continue
			}
			known := map[string]bool{}
			if tree := trees[table]; tree != nil {
				for _, r := range c.fold.rows(table) {
					tree.walk(r.body, "", func(path, id string, _ []string) {
						known[id] = true
						followed++
					})
				}
			}
			for _, r := range c.fold.rows(table) {
				textsIn(r.body, "", func(path, value string) {
					if path != "id" && strings.Trim(value, "0123456789") != "" && c.fold.known[value] && value != r.id && !known[value] && !loose[table+" "+path] {
						missing[table+" "+path] = value + " in " + filepath.Base(file)
					}
				})
			}
		}
	}
	for where, what := range missing {
		t.Errorf("%s names %s: add it to the graph, or say why it is loose", where, what)
	}
	if followed < 1000 {
		t.Errorf("only %d references were followed", followed)
	}
}

func walkFile(t *testing.T, file string) *Checker {
	t.Helper()
	packed, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	z, err := zstd.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	var c *Checker
	for e, err := range journal.ReadLines(z, 1<<30) {
		switch {
		case err != nil:
			t.Fatal(err)
		case c == nil:
			c = New(e)
		default:
			c.Next(e)
		}
	}
	return c
}

// textsIn yields the texts within a value, but for what callers wrote.
func textsIn(v canon.Raw, path string, yield func(path, value string)) {
	switch {
	case len(v) == 0:
	case v[0] == '"':
		s, _ := canon.Unquote(v)
		yield(path, s)
	case v[0] == '[':
		for e := range canon.Elements(v) {
			textsIn(e, path+"[]", yield)
		}
	case v[0] == '{':
		for k, w := range canon.Members(v) {
			if k != "metadata" && k != "custom_fields" {
				textsIn(w, strings.TrimPrefix(path+"."+k, "."), yield)
			}
		}
	}
}
