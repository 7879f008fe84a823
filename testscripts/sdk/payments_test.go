package sdk_test

import (
	"bytes"
	"os"
	"testing"

	"worlds/seed"
)

// TestPaymentsJob lets stripe-node pay, hold, set up, dispute and search, in each
// shape of the API: the ids are the same in all, and so is the money.
func TestPaymentsJob(t *testing.T) {
	node := scripts[0]
	mustHave(t, node.name, node.present())
	doc, err := seed.Lookup("empty")
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("payments.want")
	if err != nil {
		t.Fatal(err)
	}
	command := []string{"node", "node/payments.js"}
	run := job(t, doc, command)
	for _, version := range []string{"", "2025-06-30.basil", "2024-06-20"} {
		if version != "" { // the judge knows the newest shape only
			t.Setenv("STRIPE_VERSION", version)
			run = judgedJob(t, doc, command, nil)
		}
		if !bytes.Equal(run.output, want) {
			t.Errorf("version %q: the script printed\n%s, not\n%s", version, run.output, want)
		}
	}
}
