package sim

import "testing"

// shown is a play with one line of each kind.
var shown = &Result{
	ID: "shown", Name: "A play", Outcome: Stalled, Replay: "ok", Events: 2, Deliveries: 1, Calls: 9, VirtualMS: 90061000, WallMS: 12,
	Problems: []string{"check: one refund (2)"}, Violations: []Violation{{ID: "log.dense-seq", Seq: 3, Object: "re@2", Detail: "it follows entry 1"}},
	Rejections: []Rejection{{Writer: "key:2", What: "POST /v1/refunds", Status: 400, Code: "charge_already_refunded", Seq: 4}},
	Pending:    []string{"delivery evt@2 charge.refunded to endpoint:1 due +1.0m"}, Bug: "known", Schedule: "ab",
	Writing: map[string]string{"a": "key:1", "b": "key:2"},
	Trace: []Line{
		{Seq: 2, Writer: "key:1", Kind: KindEntry, Text: "POST /v1/refunds 200  re@2  charge.refunded"},
		{Writer: "key:1", Kind: KindHold, Text: "held at committed: POST /v1/refunds"},
		{Writer: "script", Kind: KindChange, Text: "key.add", Indent: 1},
		{Writer: "deliverer", Kind: KindDelivery, Text: "sent evt@2 charge.refunded to endpoint:1", Indent: 1, Offset: 1500},
		{Kind: KindNote, Text: "it is late", Offset: 60000},
		{Kind: KindWarning, Text: "key:9 is not pending; falling back to the default order", Offset: 3600000},
		{Writer: "key:1", Kind: KindRelease, Text: "released", Offset: 90061000},
		{Writer: "key:1", Kind: KindLate, Text: "answer to #2, after that to #3"},
		{Writer: "key:2", Kind: KindRead, Text: "GET /v1/refunds 200  lagging read: cut at #1, 1 hidden", World: "two"},
		{Writer: "key:2", Kind: KindRefused, Text: "POST /v1/refunds precondition failed"},
		{Kind: KindOK, Text: "one refund"},
		{Kind: KindFail, Text: "one refund (2)"},
	},
}

const plainText = `FAIL shown: A play
     run=shown outcome=stalled events=2 deliveries=1 worldCalls=9 virtual=+1.0d wall=12ms replay=ok
#  2      +0s  key:1       POST /v1/refunds 200  re@2  charge.refunded
          +0s  key:1       >> held at committed: POST /v1/refunds
          +0s  script        key.add
      +1500ms  deliverer     -- sent evt@2 charge.refunded to endpoint:1
        +1.0m              // it is late
        +1.0h              !! key:9 is not pending; falling back to the default order
        +1.0d  key:1       << released
          +0s  key:1       ^^ answer to #2, after that to #3
          +0s  key:2       GET /v1/refunds 200  lagging read: cut at #1, 1 hidden  [two]
          +0s  key:2       -x POST /v1/refunds precondition failed
          +0s              ok one refund
          +0s              FAIL one refund (2)
     problem check: one refund (2)
     violation log.dense-seq #3 re@2 it follows entry 1
     rejection key:2 POST /v1/refunds 400 charge_already_refunded #4
     pending delivery evt@2 charge.refunded to endpoint:1 due +1.0m
     bug known
     schedule ab (a=key:1 b=key:2)
`

// A play is printed the same every time, in plain ASCII.
func TestRender(t *testing.T) {
	got := Render(shown, false)
	if got != plainText {
		t.Errorf("it is\n%s\nnot\n%s", got, plainText)
	}
	for i := range len(got) {
		if got[i] >= 0x80 {
			t.Fatalf("byte %d is not ASCII", i)
		}
	}
}

// In colour, an answer out of the order of the journal stands out, as do what is
// held, what is well and what is not.
func TestRenderInColour(t *testing.T) {
	got := renderTrace(shown.Trace, true)
	const want = "#  2      +0s  key:1       POST /v1/refunds 200  re@2  charge.refunded\n" +
		"\x1b[33m          +0s  key:1       >> held at committed: POST /v1/refunds\x1b[0m\n" +
		"          +0s  script        key.add\n" +
		"\x1b[2m      +1500ms  deliverer     -- sent evt@2 charge.refunded to endpoint:1\x1b[0m\n" +
		"\x1b[2m        +1.0m              // it is late\x1b[0m\n" +
		"\x1b[33m        +1.0h              !! key:9 is not pending; falling back to the default order\x1b[0m\n" +
		"\x1b[33m        +1.0d  key:1       << released\x1b[0m\n" +
		"\x1b[7m          +0s  key:1       ^^ answer to #2, after that to #3\x1b[0m\n" +
		"          +0s  key:2       GET /v1/refunds 200  lagging read: cut at #1, 1 hidden  [two]\n" +
		"\x1b[31m          +0s  key:2       -x POST /v1/refunds precondition failed\x1b[0m\n" +
		"\x1b[32m          +0s              ok one refund\x1b[0m\n" +
		"\x1b[31m          +0s              FAIL one refund (2)\x1b[0m\n"
	if got != want {
		t.Errorf("it is\n%q\nnot\n%q", got, want)
	}
}

// Ids of the seed are names already; others say which entry made them.
func TestNames(t *testing.T) {
	n := newNames()
	n.learn(5, "stripe.refund", "re_3Nabc")
	n.learn(5, "stripe.refund", "re_3Nxyz")
	n.learn(7, "zendesk.ticket", "41")
	for text, want := range map[string]string{
		"POST /v1/refunds/re_3Nabc":        "POST /v1/refunds/re@5",
		"re_3Nxyz, re_3Nabc_no, cus_seed1": "re@5.2, re_3Nabc_no, cus_seed1",
		"GET /api/v2/tickets/41 41":        "GET /api/v2/tickets/ticket@7 41",
	} {
		if got := n.text(text); got != want {
			t.Errorf("%q is %q, not %q", text, got, want)
		}
	}
}
