package canon_test

import (
	"testing"

	"worlds/journal/canon"
)

// Allocations per call. They are the contract that benchmarks only illustrate:
// unlike times, they are the same on a busy machine.
func TestAllocationBudgets(t *testing.T) {
	c := newCustomer()
	data := canon.Marshal(c)
	text := canon.AppendPretty(nil, data, "id", "object")
	flat := &customField{Name: "a name", Value: "a value"}
	nomap := c.Shipping
	buf := make([]byte, 0, 8<<10)
	var raw canon.Raw
	var n int
	for _, row := range []struct {
		name   string
		budget float64
		do     func()
	}{
		{"Append, fresh", 2, func() { canon.Append(nil, c) }},
		{"Marshal", 2, func() { canon.Marshal(c) }},
		{"Append, room, map", 0, func() { buf = canon.Append(buf[:0], c) }},
		{"Append, room, flat", 0, func() { buf = canon.Append(buf[:0], flat) }},
		{"Append, room, nested", 0, func() { buf = canon.Append(buf[:0], nomap) }},
		{"AppendString", 0, func() { buf = canon.AppendString(buf[:0], "a \"quoted\" ö") }},
		{"AppendInt", 0, func() { buf = canon.AppendInt(buf[:0], canon.MaxInt) }},
		{"Unmarshal", 10, func() {
			var back customer
			if err := canon.Unmarshal(data, &back); err != nil {
				t.Fatal(err)
			}
		}},
		{"Canonicalize", 4, func() {
			if _, err := canon.Canonicalize(text); err != nil {
				t.Fatal(err)
			}
		}},
		{"Valid", 0, func() {
			if err := canon.Valid(data); err != nil {
				t.Fatal(err)
			}
		}},
		{"Get", 0, func() { raw, _ = canon.Get(data, "version") }},
		{"Int", 0, func() { canon.Int(raw) }},
		{"Skip", 0, func() { n += canon.Skip(data) }},
		{"Elements", 0, func() {
			for v := range canon.Elements(data) {
				n += len(v)
			}
		}},
		{"AppendPretty, fresh", 1, func() { canon.AppendPretty(nil, data, "id", "object") }},
		{"AppendPretty, room", 0, func() { buf = canon.AppendPretty(buf[:0], data, "id", "object") }},
	} {
		if got := testing.AllocsPerRun(200, row.do); got > row.budget {
			t.Errorf("%s: %v allocations, budget %v", row.name, got, row.budget)
		}
	}
}
