package sdk_test

import (
	"bytes"
	"os"
	"testing"

	"worlds/seed"
)

// clockSeed lets agents use test clocks.
const clockSeed = `{"name":"test-clocks","version":1,"epoch":1769853600,"settings":{"test_clocks":true},"data":{
 "products":[{"id":"prod_pro","name":"Pro"}],
 "prices":[{"id":"price_month","product":"prod_pro","unit_amount":2000,"recurring":{"interval":"month"}}]}}`

// TestClockJob drives half a year of billing by stripe-node's test clocks, twice,
// without a sleep.
func TestClockJob(t *testing.T) {
	node := scripts[0]
	mustHave(t, node.name, node.present())
	doc, err := seed.Parse([]byte(clockSeed))
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("clock.want")
	if err != nil {
		t.Fatal(err)
	}
	command := []string{"node", "node/clock.js"}
	first, second := job(t, doc, command), job(t, doc, command)
	if !bytes.Equal(first.output, want) {
		t.Errorf("the script printed\n%s, not\n%s", first.output, want)
	}
	if first.head != second.head || first.dump != second.dump {
		t.Errorf("two runs end in %s, %s and %s, %s: %s",
			first.head, first.dump, second.head, second.dump, first.parts(second))
	}
	foreign(t, first)
}
