package canon_test

import (
	"strings"
	"testing"

	"worlds/journal/canon"
)

func TestAppendPretty(t *testing.T) {
	const charge = `{"amount":4000,"customer":{"address":{},"id":"cus_1","object":"customer"},"id":"ch_1","lines":[],"list":[[],{"id":1},[1,"a"],{}],"object":"charge","refunds":{"data":[{"amount":1,"object":"refund"}],"object":"list"},"zip":"\"\\"}`
	for _, row := range []struct {
		name, data string
		first      []string
		want       string
	}{
		{"id and object first at every depth", charge, []string{"id", "object"}, `{
  "id": "ch_1",
  "object": "charge",
  "amount": 4000,
  "customer": {
    "id": "cus_1",
    "object": "customer",
    "address": {}
  },
  "lines": [],
  "list": [
    [],
    {
      "id": 1
    },
    [
      1,
      "a"
    ],
    {}
  ],
  "refunds": {
    "object": "list",
    "data": [
      {
        "object": "refund",
        "amount": 1
      }
    ]
  },
  "zip": "\"\\"
}`},
		{"stored order", `{"a":1,"id":{"b":[1]},"object":2}`, nil, `{
  "a": 1,
  "id": {
    "b": [
      1
    ]
  },
  "object": 2
}`},
		{"against the stored order", `{"a":1,"b":{"x":2},"c":3,"d":4}`, []string{"d", "b", "nope", "a"}, `{
  "d": 4,
  "b": {
    "x": 2
  },
  "a": 1,
  "c": 3
}`},
		{"later ones behind earlier ones", `{"a":1,"b":2,"c":3}`, []string{"b", "a", "c"}, `{
  "b": 2,
  "a": 1,
  "c": 3
}`},
		{"already first", `{"id":1,"z":2}`, []string{"id"}, `{
  "id": 1,
  "z": 2
}`},
		{"empty object", "{}", []string{"id"}, "{}"},
		{"empty array", "[]", nil, "[]"},
		{"scalar", `"a"`, nil, `"a"`},
		{"empty key", `{"":1,"a":2}`, []string{"a", ""}, "{\n  \"a\": 2,\n  \"\": 1\n}"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := canon.AppendPretty(nil, []byte(row.data), row.first...); string(got) != row.want {
				t.Errorf("got\n%s\nwant\n%s", got, row.want)
			}
			if got := canon.AppendPretty([]byte("{: "), []byte(row.data), row.first...); string(got) != "{: "+row.want {
				t.Errorf("behind text: got\n%s", got)
			}
		})
	}
}

func TestAppendPrettyDeepest(t *testing.T) {
	depth := canon.MaxDepth
	var want strings.Builder
	for i := range depth - 1 {
		want.WriteString(strings.Repeat("  ", i) + "[\n")
	}
	want.WriteString(strings.Repeat("  ", depth-1) + "[]")
	for i := depth - 2; i >= 0; i-- {
		want.WriteString("\n" + strings.Repeat("  ", i) + "]")
	}
	if got := canon.AppendPretty(nil, []byte(nested(depth))); string(got) != want.String() {
		t.Errorf("got\n%s", got)
	}
	inner := strings.Repeat("[", depth) + "1" + strings.Repeat("]", depth)
	lines := strings.Split(string(canon.AppendPretty(nil, []byte(inner))), "\n")
	if got := lines[depth]; got != strings.Repeat("  ", depth)+"1" {
		t.Errorf("innermost line %q", got)
	}
}

func TestAppendPrettyRefusesOddFirstKeys(t *testing.T) {
	for _, first := range [][]string{{`a"b`}, strings.Split("abcdefghi", "")} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("AppendPretty takes %q", first)
				}
			}()
			canon.AppendPretty(nil, []byte("{}"), first...)
		}()
	}
}
