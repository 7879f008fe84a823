package canon_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/gowebpki/jcs"

	"worlds/journal/canon"
)

// seedTexts are inputs near the edges of every rule.
func seedTexts(f *testing.F) {
	for _, text := range []string{
		"", "null", " [1, 2 ] ", mixed, customerBytes, `{"b":1,"a":{"d":1,"c":2}}`, `{"a":1,"\u0061":2}`,
		`"\ud83d\ude00"`, `"\ud83d"`, "\"\xff\"", "\ufeff{}", "-0", "1e3", "9007199254740991", "9007199254740992",
		"\"\u2028\x7f\\u0000\\/\"", nested(64), nested(65), "{\"\ufb33\":1,\"😀\":2}", `{"id":1,"a":{"object":"x","id":"y"},"object":"z"}`,
		`{"bool":true,"list":[{"name":"a","value":"b"}],"map":{"a":null},"raw":{"x":[1]},"text":"é"}`,
	} {
		f.Add([]byte(text))
	}
}

// FuzzCanonicalize: the result is valid and a fixed point, an independent
// implementation agrees with it, and Valid accepts just the fixed points.
func FuzzCanonicalize(f *testing.F) {
	seedTexts(f)
	f.Fuzz(func(t *testing.T, src []byte) {
		before := bytes.Clone(src)
		out, err := canon.Canonicalize(src)
		if !bytes.Equal(src, before) {
			t.Fatalf("the input was changed: %q", before)
		}
		valid := canon.Valid(src)
		if valid == nil != (err == nil && bytes.Equal(src, out)) {
			t.Fatalf("Valid(%q) = %v, Canonicalize = %q, %v", src, valid, out, err)
		}
		if err != nil {
			checkRefusal(t, src, err)
			return
		}
		if err := canon.Valid(out); err != nil {
			t.Fatalf("Canonicalize(%q) = %q: %v", src, out, err)
		}
		again, err := canon.Canonicalize(out)
		if err != nil || !bytes.Equal(again, out) {
			t.Fatalf("not a fixed point: %q, then %q, %v", out, again, err)
		}
		other, err := jcs.Transform(src)
		if err != nil || !bytes.Equal(other, out) {
			t.Fatalf("Canonicalize(%q)\n    = %q\njcs = %q, %v", src, out, other, err)
		}
		if !json.Valid(src) {
			t.Fatalf("accepted %q, which is not JSON", src)
		}
	})
}

func checkRefusal(t *testing.T, src []byte, err error) {
	t.Helper()
	var refusal *canon.Error
	if !errors.As(err, &refusal) {
		t.Fatalf("refused with %T", err)
	}
	if refusal.Path[0] != '$' || refusal.Offset < 0 || refusal.Offset > int64(len(src)) || refusal.Msg == "" {
		t.Fatalf("Canonicalize(%q): %#v", src, refusal)
	}
}

// FuzzCodec: Unmarshal takes canonical bytes only, and what it decodes comes
// back from Append unchanged.
func FuzzCodec(f *testing.F) {
	seedTexts(f)
	f.Fuzz(func(t *testing.T, src []byte) {
		if out, err := canon.Canonicalize(src); err == nil {
			checkCodec[customer](t, out)
			checkCodec[every](t, out)
			checkCodec[map[string]metadata](t, out)
			checkCodec[[]canon.Raw](t, out)
			checkCodec[[]*customField](t, out)
			checkCodec[map[status]canon.Raw](t, out)
		}
		checkCodec[customer](t, src)
		checkCodec[every](t, src)
		checkCodec[canon.Raw](t, src)
	})
}

func checkCodec[T any](t *testing.T, data []byte) {
	t.Helper()
	var v, back T
	err := canon.Unmarshal(data, &v)
	if err != nil {
		if !reflect.ValueOf(v).IsZero() {
			t.Fatalf("Unmarshal(%q) = %v and leaves %+v", data, err, v)
		}
		return
	}
	if err := canon.Valid(data); err != nil {
		t.Fatalf("Unmarshal takes %q: %v", data, err)
	}
	out := canon.Marshal(&v)
	if err := canon.Valid(out); err != nil {
		t.Fatalf("Marshal = %q: %v", out, err)
	}
	if err := canon.Unmarshal(out, &back); err != nil || !reflect.DeepEqual(v, back) {
		t.Fatalf("%q\n    is %+v\nback %+v, %v", out, v, back, err)
	}
}

// FuzzPretty: the printed form is what encoding/json indents from the same
// members in the asked order.
func FuzzPretty(f *testing.F) {
	seedTexts(f)
	f.Fuzz(func(t *testing.T, src []byte) {
		canonical, err := canon.Canonicalize(src)
		if err != nil {
			return
		}
		for _, first := range [][]string{nil, {"id", "object"}, {"z", "b", "", "a"}} {
			var want bytes.Buffer
			if err := json.Indent(&want, reordered(canonical, first), "", "  "); err != nil {
				t.Fatal(err)
			}
			if got := canon.AppendPretty(nil, canonical, first...); !bytes.Equal(got, want.Bytes()) {
				t.Fatalf("first %q: got\n%s\nwant\n%s", first, got, want.Bytes())
			}
		}
	})
}

// reordered rebuilds a canonical value with the first keys first.
func reordered(data []byte, first []string) []byte {
	var parts []string
	member := func(key string, value canon.Raw) {
		text := append(canon.AppendString(nil, key), ':')
		parts = append(parts, string(append(text, reordered(value, first)...)))
	}
	switch data[0] {
	case '{':
		seen := map[string]bool{}
		for _, key := range first {
			if value, ok := canon.Get(data, key); ok {
				member(key, value)
				seen[key] = true
			}
		}
		for key, value := range canon.Members(data) {
			if !seen[key] {
				member(key, value)
			}
		}
		return []byte("{" + strings.Join(parts, ",") + "}")
	case '[':
		for value := range canon.Elements(data) {
			parts = append(parts, string(reordered(value, first)))
		}
		return []byte("[" + strings.Join(parts, ",") + "]")
	}
	return data
}

// FuzzRead: the readers take canonical bytes apart without loss, and come to
// an end on any bytes at all.
func FuzzRead(f *testing.F) {
	seedTexts(f)
	f.Add([]byte(`{"a":1,\\\"`))
	f.Add([]byte(`{"a":"\u00`))
	f.Add([]byte(`[,,{,"":"`))
	f.Fuzz(func(t *testing.T, src []byte) {
		readAll(src)
		data, err := canon.Canonicalize(src)
		if err != nil {
			return
		}
		if got := reordered(data, nil); !bytes.Equal(got, data) {
			t.Fatalf("%q taken apart is %q", data, got)
		}
		if n := canon.Skip(append(bytes.Clone(data), ",1]}"...)); n != len(data) {
			t.Fatalf("Skip(%q) = %d", data, n)
		}
		for key, value := range canon.Members(data) {
			if got, ok := canon.Get(data, key); !ok || !bytes.Equal(got, value) {
				t.Fatalf("Get(%q, %q) = %q, %t", data, key, got, ok)
			}
		}
		var text string
		if s, ok := canon.Unquote(data); ok != (json.Unmarshal(data, &text) == nil && data[0] == '"') || s != text {
			t.Fatalf("Unquote(%q) = %q, %t", data, s, ok)
		}
	})
}

func readAll(src []byte) {
	canon.Get(src, "a")
	canon.Get(src, "\n")
	for range canon.Members(src) {
	}
	for range canon.Elements(src) {
	}
	canon.Skip(src)
	canon.Unquote(src)
	canon.Int(src)
	canon.AppendPretty(nil, src, "id", "object")
}
