package canon_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"pgregory.net/rapid"

	"worlds/journal/canon"
)

// value is a JSON value before it is spelled: nil, bool, int64, string,
// []value or map[string]value.
type value any

// anyRune leans towards the characters whose spelling or order is special.
func anyRune() *rapid.Generator[rune] {
	return rapid.OneOf(
		rapid.RuneFrom([]rune("\x00\b\t\n\f\r\x1f\"\\/<>&\x7f\u0080é€\u2028\ud7ff\ue000\ufb33\ufffd\uffff\U00010000😀\U0010ffff")),
		rapid.RuneFrom([]rune("abAB01 _")),
		rapid.Rune(),
	)
}

func anyText() *rapid.Generator[string] {
	return rapid.OneOf(rapid.StringOfN(anyRune(), 0, 20, -1), rapid.SampledFrom([]string{"id", "object", "metadata"}))
}

func anyInt() *rapid.Generator[int64] {
	return rapid.OneOf(rapid.Int64Range(-canon.MaxInt, canon.MaxInt), rapid.Int64Range(-20, 20))
}

func anyValue(depth int) *rapid.Generator[value] {
	return rapid.Custom(func(t *rapid.T) value {
		kinds := 6
		if depth == 0 {
			kinds = 4
		}
		switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
		case 0:
			return nil
		case 1:
			return rapid.Bool().Draw(t, "bool")
		case 2:
			return anyInt().Draw(t, "int")
		case 3:
			return anyText().Draw(t, "text")
		case 4:
			return rapid.SliceOfN(anyValue(depth-1), 0, 5).Draw(t, "array")
		default:
			return rapid.MapOfN(anyText(), anyValue(depth-1), 0, 8).Draw(t, "object")
		}
	})
}

// plainly spells v by the letter of RFC 8785, as slowly as that goes.
func plainly(v value) string {
	var parts []string
	switch v := v.(type) {
	case []value:
		for _, e := range v {
			parts = append(parts, plainly(e))
		}
		return "[" + strings.Join(parts, ",") + "]"
	case map[string]value:
		keys := make([]string, 0, len(v))
		for key := range v {
			keys = append(keys, key)
		}
		slices.SortFunc(keys, compareUnits)
		for _, key := range keys {
			parts = append(parts, plainly(key)+":"+plainly(v[key]))
		}
		return "{" + strings.Join(parts, ",") + "}"
	case string:
		short := map[rune]string{'\b': `\b`, '\t': `\t`, '\n': `\n`, '\f': `\f`, '\r': `\r`, '"': `\"`, '\\': `\\`}
		for _, r := range v {
			switch {
			case short[r] != "":
				parts = append(parts, short[r])
			case r < 0x20:
				parts = append(parts, fmt.Sprintf(`\u%04x`, r))
			default:
				parts = append(parts, string(r))
			}
		}
		return `"` + strings.Join(parts, "") + `"`
	case nil:
		return "null"
	default:
		return fmt.Sprint(v)
	}
}

func compareUnits(a, b string) int {
	return slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b)))
}

// freely spells v in one of the many ways JSON allows.
func freely(t *rapid.T, v value) string {
	space := func() string { return rapid.StringOfN(rapid.RuneFrom([]rune(" \t\r\n")), 0, 2, -1).Draw(t, "space") }
	var parts []string
	switch v := v.(type) {
	case []value:
		for _, e := range v {
			parts = append(parts, freely(t, e))
		}
		return space() + "[" + space() + strings.Join(parts, ",") + "]" + space()
	case map[string]value:
		keys := make([]string, 0, len(v))
		for key := range v {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		if len(keys) > 0 {
			keys = rapid.Permutation(keys).Draw(t, "order")
		}
		for _, key := range keys {
			parts = append(parts, freely(t, key)+":"+freely(t, v[key]))
		}
		return space() + "{" + space() + strings.Join(parts, ",") + "}" + space()
	case string:
		for _, r := range v {
			spelling := rapid.IntRange(0, 2).Draw(t, "spelling")
			switch units := utf16.Encode([]rune{r}); {
			case spelling == 0:
				for _, u := range units {
					parts = append(parts, fmt.Sprintf(`\u%04x`, u))
				}
			case spelling == 1:
				for _, u := range units {
					parts = append(parts, fmt.Sprintf(`\u%04X`, u))
				}
			case r == '/':
				parts = append(parts, `\/`)
			default:
				text := plainly(string(r))
				parts = append(parts, text[1:len(text)-1])
			}
		}
		return space() + `"` + strings.Join(parts, "") + `"` + space()
	default:
		return space() + plainly(v) + space()
	}
}

func TestEverySpellingHasOneForm(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := anyValue(3).Draw(t, "value")
		text, want := freely(t, v), plainly(v)
		got, err := canon.Canonicalize([]byte(text))
		if err != nil || string(got) != want {
			t.Fatalf("Canonicalize(%q)\n got %q, %v\nwant %q", text, got, err, want)
		}
		if err := canon.Valid(got); err != nil {
			t.Fatal(err)
		}
	})
}

func TestOneByteOffIsNeverAnEqual(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data := []byte(plainly(anyValue(3).Draw(t, "value")))
		changed := slices.Clone(data)
		i := rapid.IntRange(0, len(data)-1).Draw(t, "place")
		changed[i] ^= rapid.ByteRange(1, 255).Draw(t, "change")
		if out, err := canon.Canonicalize(changed); err == nil && string(out) == string(data) && canon.Valid(changed) == nil {
			t.Fatalf("%q and %q are both canonical for one value", data, changed)
		}
	})
}

func TestCompareKeysIsUTF16Order(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := anyText().Draw(t, "a"), anyText().Draw(t, "b")
		if prefix := rapid.Bool().Draw(t, "common prefix"); prefix {
			b = a + b
		}
		if got, want := canon.CompareKeys(a, b), compareUnits(a, b); sign(got) != want {
			t.Fatalf("CompareKeys(%q, %q) = %d, want %d", a, b, got, want)
		}
	})
}

// record has members that encoding/json writes too, so that it can be a
// witness.
type record struct {
	Amount int64 `json:"amount"`
	identity
	Count   *int                   `json:"count"`
	Email   *status                `json:"email,omitempty"`
	Lines   []customField          `json:"lines"`
	Live    bool                   `json:"live"`
	Meta    metadata               `json:"meta"`
	Nested  map[string]customField `json:"nested"`
	Nick    string                 `json:"nick,omitempty"`
	Tags    []string               `json:"tags"`
	Ship    *customField           `json:"ship"`
	Written int16                  `json:"written,omitempty"`
}

func anyRecord() *rapid.Generator[record] {
	field := rapid.Custom(func(t *rapid.T) customField {
		return customField{Name: anyText().Draw(t, "name"), Value: anyText().Draw(t, "value")}
	})
	return rapid.Custom(func(t *rapid.T) record {
		r := record{
			identity: identity{ID: anyText().Draw(t, "id"), Object: anyText().Draw(t, "object")},
			Amount:   anyInt().Draw(t, "amount"),
			Lines:    rapid.SliceOfN(field, 1, 100).Draw(t, "lines"),
			Live:     rapid.Bool().Draw(t, "live"),
			Meta:     rapid.MapOfN(anyText(), anyText(), 1, 40).Draw(t, "meta"),
			Nested:   rapid.MapOfN(anyText(), field, 1, 5).Draw(t, "nested"),
			Nick:     anyText().Draw(t, "nick"),
			Tags:     rapid.SliceOfN(anyText(), 1, 100).Draw(t, "tags"),
			Written:  rapid.Int16().Draw(t, "written"),
		}
		r.Count = rapid.Ptr(rapid.IntRange(-canon.MaxInt, canon.MaxInt), true).Draw(t, "count")
		r.Ship = rapid.Ptr(field, true).Draw(t, "ship")
		if email := anyText().Draw(t, "email"); rapid.Bool().Draw(t, "has email") {
			r.Email = ptr(status(email))
		}
		return r
	})
}

func TestCodecAgreesWithCanonicalize(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := anyRecord().Draw(t, "record")
		got := canon.Marshal(&r)
		text, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		want, err := canon.Canonicalize(text)
		if err != nil || string(got) != string(want) {
			t.Fatalf("Marshal\n got %s\nwant %s, %v", got, want, err)
		}
		var back record
		if err := canon.Unmarshal(got, &back); err != nil || !reflect.DeepEqual(back, r) {
			t.Fatalf("Unmarshal(%s)\n got %+v, %v\nwant %+v", got, back, err, r)
		}
	})
}

func TestIntegersRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := anyInt().Draw(t, "n")
		text := canon.AppendInt(nil, n)
		if got, ok := canon.Int(text); !ok || got != n || string(text) != strconv.FormatInt(n, 10) {
			t.Fatalf("%d is %s is %d, %t", n, text, got, ok)
		}
	})
}
