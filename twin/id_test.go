package twin_test

import (
	"crypto/sha256"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"worlds/journal/canon"
	"worlds/projection"
	"worlds/twin"
)

// plainID is the rule for ids as one would write it down: the SHA-256 of a text as
// one number in base 62, 43 digits, of which the first n count.
func plainID(prefix, text string, n int) string {
	const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	sum := sha256.Sum256([]byte(text))
	number, base, digit := new(big.Int).SetBytes(sum[:]), big.NewInt(62), new(big.Int)
	var out [43]byte
	for i := len(out) - 1; i >= 0; i-- {
		number.DivMod(number, base, digit)
		out[i] = digits[digit.Int64()]
	}
	return prefix + "_" + string(out[:n])
}

func idOf(t *testing.T, o twin.Outcome) string {
	t.Helper()
	raw, _ := canon.Get(o.Body, "id")
	id, ok := canon.Unquote(raw)
	if !ok {
		t.Fatalf("no id: %s", said(o))
	}
	return id
}

// Ids are functions of the seed and the count, and never change.
func TestIDs(t *testing.T) {
	w := newWorld(t)
	for n, want := range []string{"own_oABhKL7T", "own_tjWjs1ps", "own_eMqgkSyf"} {
		got := idOf(t, w.do("", "POST /owners"))
		// The event of each creation takes a number of its own.
		if plain := plainID("own", fmt.Sprintf("%s:%d", toySeedHash, 2*n+1), 8); got != plain || got != want {
			t.Errorf("owner %d is %s, by the rule %s, want %s", n, got, plain, want)
		}
	}
	for n, want := range map[int64]string{1: "req_oxGCiHrdtKQsv4", 2: "req_Oho13HiOkfx4hy", 1000000: "req_yFwcqYTKHVyXel"} {
		plain := plainID("req", fmt.Sprintf("%s:request:%d", toySeedHash, n), 14)
		if got := twin.RequestID(toySeedHash, n); got != plain || got != want {
			t.Errorf("request %d is %s, by the rule %s, want %s", n, got, plain, want)
		}
	}
}

// A hash with leading zeros keeps its 43 digits: every id has its full length.
func TestIDsHaveTheirLength(t *testing.T) {
	for n := range int64(20000) {
		id := twin.RequestID("seed", n)
		if plain := plainID("req", fmt.Sprintf("seed:request:%d", n), 14); id != plain {
			t.Fatalf("request %d is %s, by the rule %s", n, id, plain)
		}
	}
}

// A read and a refusal move no later id; what a caller chose is skipped.
func TestWhatMovesIDs(t *testing.T) {
	next := func(lines ...string) string {
		w := newWorld(t)
		w.do("", "POST /things id=x")
		for _, line := range lines {
			w.do("", line)
		}
		return idOf(t, w.do("", "POST /owners"))
	}
	first := next()
	for _, line := range []string{
		"GET /things/x", "GET /things", "GET /nowhere", "GET /things/nope", "POST /things nope=1", "POST /params name=toolong",
		"POST /things/x/refuse", "POST /things/x/unstored", "POST /things/x/panic", "POST /things/x/check", "POST /things expand[]=nonsense",
	} {
		if got := next(line); got != first {
			t.Errorf("after %s the next id is %s, not %s", line, got, first)
		}
	}
	for _, line := range []string{"POST /things id=y", "POST /things/x/fine", "POST /things/x/keep"} {
		if got := next(line); got == first {
			t.Errorf("after %s the next id is the same", line)
		}
	}
	if got := next("POST /owners id=" + first); got == first {
		t.Errorf("an id that was taken is given out again")
	}
}

// Another seed, other ids.
func TestIDsOfAnotherSeed(t *testing.T) {
	w := newWorld(t)
	other := &world{t: t, machine: twin.NewMachine(projection.New(), twin.Spec{SeedHash: strings.Repeat("0", 64)}, toyCatalog())}
	if a, b := idOf(t, w.do("", "POST /owners")), idOf(t, other.do("", "POST /owners")); a == b {
		t.Errorf("two seeds, one id: %s", a)
	}
}
