package stripe_test

import (
	"fmt"
	"strings"
	"testing"
)

// holder is an object that has metadata and can be updated.
type holder struct{ create, url, updated string }

func holders(r *rig) []holder {
	refund := r.ok("POST /v1/refunds charge=ch_qa04 amount=1").get("id")
	return []holder{
		{"", "/v1/charges/ch_qa01", "charge.updated"},
		{"", "/v1/refunds/" + refund, "refund.updated"},
		{"", "/v1/products/prod_qa01", "product.updated"},
		{"", "/v1/prices/price_qa_m", "price.updated"},
		{"", "/v1/customers/cus_qa01", "customer.updated"},
	}
}

// A key sent empty goes, metadata sent empty goes altogether, what is not named
// stays; one event a change, showing only what changed.
func TestMetadataIsMergedByKey(t *testing.T) {
	r := newRig(t, qaBase)
	for _, h := range holders(r) {
		for _, step := range [][3]string{
			{"metadata[a]=1 metadata[b]=2", `{"a":"1","b":"2"}`, `{"a":null,"b":null}`},
			{"metadata[a]=", `{"b":"2"}`, `{"a":"1"}`},
			{"metadata[a]=", `{"b":"2"}`, ""},
			{"metadata[nope]=", `{"b":"2"}`, ""},
			{"", `{"b":"2"}`, ""},
			{"metadata[b]=3 metadata[c]=4", `{"b":"3","c":"4"}`, `{"b":"2","c":null}`},
			{"metadata=", `{}`, `{"b":"3","c":"4"}`},
			{"metadata=", `{}`, ""},
		} {
			r.events()
			got := r.ok("POST " + h.url + " " + step[0])
			if m := got.get("metadata"); m != step[1] {
				t.Errorf("%s %s: %s, want %s", h.url, step[0], m, step[1])
			}
			want := ""
			if step[2] != "" {
				want = h.updated + " " + got.get("id") + ` was {"metadata":` + step[2]
			}
			events := r.events()
			if !strings.HasPrefix(events, want) || want == "" && events != "" || strings.Count(events, "\n") > 1 {
				t.Errorf("%s %s: events %q, want %q", h.url, step[0], events, want)
			}
		}
	}
}

// Values stay the texts they were, whatever they look like.
func TestMetadataKeepsItsTexts(t *testing.T) {
	r := newRig(t, qaBase)
	const want = `{"active":"true","amount":"007","big":"12345678901234567890","note":"null","quantity":"1e3"}`
	for _, h := range holders(r) {
		r.events()
		got := r.ok("POST " + h.url + " metadata[amount]=007 metadata[quantity]=1e3 metadata[active]=true metadata[note]=null metadata[big]=12345678901234567890")
		event := r.ok("GET /v1/events limit=1")
		again := r.ok("GET " + h.url)
		for where, text := range map[string]string{
			"answer": got.get("metadata"), "read": again.get("metadata"), "event": event.get("data.0.data.object.metadata"),
		} {
			if text != want {
				t.Errorf("%s %s: %s, want %s", h.url, where, text, want)
			}
		}
	}
	if got := strings.Count(r.dump(), want); got < 5 {
		t.Errorf("the dump has it %d times", got)
	}
}

func TestMetadataRefusals(t *testing.T) {
	r := newRig(t, qaBase)
	var fifty []string
	for i := range 50 {
		fifty = append(fifty, fmt.Sprintf("metadata[k%d]=v", i))
	}
	for _, h := range holders(r) {
		for _, row := range [][2]string{
			{"metadata=x", "400 - metadata Invalid object"},
			{"metadata[a][b]=1", "400 - metadata[a] Invalid string: {\"b\":\"1\"}"},
			{"metadata[" + strings.Repeat("k", 41) + "]=1", "400 - metadata[" + strings.Repeat("k", 41) + "] Metadata keys can have up to 40 characters, but you passed in a key that is 41 characters. Invalid key: " + strings.Repeat("k", 41)},
			{"metadata[a]=" + strings.Repeat("v", 501), "400 - metadata[a] Metadata values can have up to 500 characters, but you passed in a value that is 501 characters. Invalid value: " + strings.Repeat("v", 501)},
			{strings.Join(fifty, " ") + " metadata[more]=1", "400 - metadata You can have up to 50 metadata keys. Please remove some."},
		} {
			r.refused("POST "+h.url+" "+row[0], row[1])
		}
		r.ok("POST " + h.url + " " + strings.Join(fifty, " ") + " metadata[k0]=" + strings.Repeat("😀", 500))
		r.ok("POST " + h.url + " metadata[k0]= metadata[" + strings.Repeat("k", 40) + "]=" + strings.Repeat("v", 500))
		r.refused("POST "+h.url+" metadata[one_more]=1", "400 - metadata You can have up to 50 metadata keys. Please remove some.")
	}
}
