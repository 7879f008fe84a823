package linear

import (
	"math"
	"testing"

	"github.com/anishathalye/porcupine"
)

// Histories of which it is known whether they can have happened.
func TestKinds(t *testing.T) {
	at := func(client int, from, to int64, c call, o outcome) porcupine.Operation {
		return porcupine.Operation{ClientId: client, Input: c, Call: from, Output: o, Return: to}
	}
	never := int64(math.MaxInt64)
	write := func(s string) call { return call{verb: "write", text: s} }
	add := func(n int64) call { return call{verb: "add", n: n} }
	refund := func(n int64) call { return call{verb: "refund", n: n} }
	read, create := call{verb: "read"}, call{verb: "create"}
	text := func(s string) outcome { return outcome{text: s} }
	n := func(n int64) outcome { return outcome{n: n} }
	for _, row := range []struct {
		name, kind string
		can        bool
		history    []porcupine.Operation
	}{
		{"a read beside a write sees either", "register", true, []porcupine.Operation{at(0, 0, 9, write("a"), outcome{}), at(1, 1, 2, read, text("")), at(1, 3, 4, read, text("a"))}},
		{"a read sees what was overwritten", "register", false, []porcupine.Operation{at(0, 0, 1, write("a"), outcome{}), at(0, 2, 3, write("b"), outcome{}), at(1, 4, 5, read, text("a"))}},
		{"a read goes back", "register", false, []porcupine.Operation{at(0, 0, 9, write("a"), outcome{}), at(1, 1, 2, read, text("a")), at(1, 3, 4, read, text(""))}},
		{"an open write happens late", "register", true, []porcupine.Operation{at(0, 0, never, write("a"), outcome{open: true}), at(1, 1, 2, read, text("")), at(1, 3, 4, read, text("a"))}},
		{"an open write never happens", "register", true, []porcupine.Operation{at(0, 0, never, write("a"), outcome{open: true}), at(1, 1, 2, read, text(""))}},
		{"an answered write is lost", "register", false, []porcupine.Operation{at(0, 0, 1, write("a"), outcome{}), at(1, 2, 3, read, text(""))}},
		{"an update is lost", "balance", false, []porcupine.Operation{at(0, 0, 5, add(1), n(1)), at(1, 0, 5, add(1), n(1))}},
		{"sums add up", "balance", true, []porcupine.Operation{at(0, 0, 5, add(1), n(3)), at(1, 0, 5, add(2), n(2)), at(1, 6, 7, read, n(3))}},
		{"a refund too much", "refunds", false, []porcupine.Operation{at(0, 0, 5, refund(600), outcome{}), at(1, 0, 5, refund(600), outcome{})}},
		{"one of two is refused", "refunds", true, []porcupine.Operation{at(0, 0, 5, refund(600), outcome{refused: true}), at(1, 0, 5, refund(600), outcome{})}},
		{"a refusal without a reason", "refunds", false, []porcupine.Operation{at(0, 0, 1, refund(600), outcome{refused: true})}},
		{"one key, one answer", "key", true, []porcupine.Operation{at(0, 0, 5, create, text("x")), at(1, 0, 5, create, text("x")), at(1, 6, 7, read, n(1))}},
		{"one key, two answers", "key", false, []porcupine.Operation{at(0, 0, 5, create, text("x")), at(1, 0, 5, create, text("y"))}},
		{"one key, two effects", "key", false, []porcupine.Operation{at(0, 0, 5, create, text("x")), at(1, 6, 7, read, n(2))}},
		{"a key that was open", "key", true, []porcupine.Operation{at(0, 0, never, create, outcome{open: true}), at(1, 6, 7, create, text("x")), at(1, 8, 9, read, n(1))}},
		{"a list without what was made", "list", false, []porcupine.Operation{at(0, 0, 1, create, text("x")), at(1, 2, 3, read, text(""))}},
		{"a list with what was open", "list", true, []porcupine.Operation{at(0, 0, never, create, outcome{open: true}), at(1, 2, 3, create, text("y")), at(1, 4, 5, read, text("x y"))}},
	} {
		if got := porcupine.CheckOperations(model(kinds[row.kind]), row.history); got != row.can {
			t.Errorf("%s: %v", row.name, got)
		}
	}
}
