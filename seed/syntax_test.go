package seed_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"worlds/seed"
)

// Faults of the JSON itself: the first is reported, at a path that is or is
// below want, with its place in the file.
var syntaxFaults = []change{
	{`"version": 3`, `"version": 3, "version": 4`, `$.version`},
	{`"unit_amount":2000`, `"unit_amount":1,"unit_amount":2`, `$.data.prices[0].unit_amount`},
	{`"unit_amount":2000`, `"unit_amount":1,"unit_amo\u0075nt":1`, `$.data.prices[0].unit_amount`},
	{`{"tier":"gold"}`, `{"a":"1","a":"1"}`, `$.data.customers[0].metadata.a`},
	{`"unit_amount":2000`, `"unit_amount":2000.0`, `$.data.prices[0].unit_amount`},
	{`"unit_amount":2000`, `"unit_amount":1.0038e+06`, `$.data.prices[0].unit_amount`},
	{`"unit_amount":2000`, `"unit_amount":1e3`, `$.data.prices[0].unit_amount`},
	{`"unit_amount":2000`, `"unit_amount":9007199254740992`, `$.data.prices[0].unit_amount`},
	{`"unit_amount":2000`, `"unit_amount":12345678901234567890`, `$.data.prices[0].unit_amount`},
	{`"unit_amount":2000`, `"unit_amount":0x10`, `$.data.prices[0]`},
	{`"unit_amount":2000`, `"unit_amount":007`, `$.data.prices[0]`},
	{`"unit_amount":2000`, `"unit_amount":NaN`, `$.data.prices[0].unit_amount`},
	{`"Gold"}`, `"Gold",}`, `$.data.products[1]`},
	{`"Gold"}`, `"Gold"} // the good one`, `$.data.products`},
	{`"Gold"`, `'Gold'`, `$.data.products[1].name`},
	{`"Gold"`, "\"Go\nld\"", `$.data.products[1].name`},

	{`"Gold"`, `"\ud83d"`, `$.data.products[1].name`},
	{`"Gold"`, `"\ude00\ud83d"`, `$.data.products[1].name`},
	{`"Gold"`, "\"G\xffld\"", `$.data.products[1].name`},
	{`"tier"`, `"\ud83d"`, `$.data.customers[0].metadata`},
	{`"tier"`, `"\ude00\ud83d"`, `$.data.customers[0].metadata`},
	{`"tier"`, "\"t\xffer\"", `$.data.customers[0].metadata`},
}

func TestSyntaxFaultsNameTheirPlace(t *testing.T) {
	full := readFull(t)
	for _, c := range syntaxFaults {
		src := edit(t, full, c.from, c.to)
		_, err := seed.Parse(src)
		var invalid *seed.Invalid
		if !errors.As(err, &invalid) || len(invalid.Problems) != 1 {
			t.Errorf("%q: got %v", c.to, err)
			continue
		}
		p := invalid.Problems[0]
		at := int64(strings.Index(full, c.from))
		if p.Offset < at || p.Offset > at+int64(len(c.to)) {
			t.Errorf("%q: offset %d is outside of the edit at %d", c.to, p.Offset, at)
		}
		if lines := strings.Split(string(src[:p.Offset]), "\n"); p.Line != len(lines) || p.Column != len(lines[len(lines)-1])+1 {
			t.Errorf("%q: line %d, column %d, want %d, %d", c.to, p.Line, p.Column, len(lines), len(lines[len(lines)-1])+1)
		}
		if !strings.HasPrefix(p.Path, c.want) {
			t.Errorf("%q: path %s, want %s", c.to, p.Path, c.want)
		}
	}
}

// A fault of syntax hides nothing else, unless nothing behind it can be read.
func TestSyntaxFaultsHideNothing(t *testing.T) {
	const src = `{"name":"n","version":1,"epoch":1.5,"colour":"red","data":{"customers":[
		{"id":"x","id":"cus_a","balance":2.5},{"id":"cus_b","nome":"Ann\ud800"}]}}`
	_, err := seed.Parse([]byte(src))
	want := []string{
		"$.epoch (line 1, column 33): number 1.5",
		"$.data.customers[0].id (line 2, column 13): duplicate key",
		"$.data.customers[0].balance (line 2, column 36): number 2.5",
		"$.data.customers[1].nome (line 2, column 66): lone surrogate",
		"$.colour: unknown key",
	}
	got := strings.Split(problemsOf(t, err), "\n")
	if len(got) != len(want) {
		t.Fatalf("got %q", got)
	}
	for i := range want {
		if !strings.HasPrefix(got[i], want[i]) {
			t.Errorf("got %q, want %q", got[i], want[i])
		}
	}
	_, err = seed.Parse([]byte(src + "}"))
	if got := problemsOf(t, err); strings.Contains(got, "colour") || !strings.Contains(got, "text after the value") {
		t.Errorf("got %q", got)
	}
}

func TestTextAroundTheDocument(t *testing.T) {
	base := string(bytes.TrimSpace(readBase(t)))
	for _, row := range []struct {
		what, src string
		offset    int
		msg       string
	}{
		{"garbage behind", base + "garbage", len(base), "text after the value"},
		{"two seeds", base + "\n" + base, len(base) + 1, "text after the value"},
		{"garbage behind, with a byte-order mark", "\xef\xbb\xbf" + base + "garbage", len(base) + 3, "text after the value"},
		{"two byte-order marks", "\xef\xbb\xbf\xef\xbb\xbf" + base, 3, "the text starts with a byte-order mark"},
		{"nothing", "", 0, "empty input"},
		{"only a byte-order mark", "\xef\xbb\xbf", 3, "empty input"},
		{"cut off", base[:len(base)-1], len(base) - 1, "the text ends where ',' or '}' should stand"},
	} {
		_, err := seed.Parse([]byte(row.src))
		var invalid *seed.Invalid
		if !errors.As(err, &invalid) {
			t.Errorf("%s: got %v", row.what, err)
			continue
		}
		if p := invalid.Problems[0]; len(invalid.Problems) != 1 || p.Path != "$" || p.Offset != int64(row.offset) || p.Msg != row.msg {
			t.Errorf("%s: got %s, want byte %d: %s", row.what, p, row.offset, row.msg)
		}
	}
}

func TestNotAnObject(t *testing.T) {
	for _, src := range []string{`[]`, `7`, `"seed"`, `null`, `true`} {
		_, err := seed.Parse([]byte(src))
		if got := problemsOf(t, err); !strings.HasPrefix(got, "$: is a") && got != "$: is null; must be an object" {
			t.Errorf("%s: got %q", src, got)
		}
	}
}

func TestTooLongADocumentIsRefusedUnread(t *testing.T) {
	_, err := seed.Parse(bytes.Repeat([]byte(" "), seed.MaxDocumentBytes+1))
	if got := problemsOf(t, err); got != "$ (byte 33554432): is 33554433 bytes long; a seed may have 33554432" {
		t.Errorf("got %s", got)
	}
}

func hashOf(t testing.TB, src string) seed.Hash {
	t.Helper()
	s, err := seed.Parse([]byte(src))
	if err != nil {
		t.Fatalf("%v in %.200s", err, src)
	}
	return s.Hash
}

func named(name string) string {
	return `{"name":"hash","version":1,"epoch":1767225600,"data":{"products":[{"id":"prod_a","name":` + name + `}]}}`
}

func TestHashIsOfTheMeaningAsWritten(t *testing.T) {
	full := readFull(t)
	plain := hashOf(t, full)
	for what, same := range map[string]string{
		"a byte-order mark": "\xef\xbb\xbf" + full,
		"white space":       strings.ReplaceAll(full, "\n", "\r\n\t "),
		"other order":       strings.Replace(full, `"name": "full-house",`, ``, 1)[:strings.LastIndex(full, "}")-len(`"name": "full-house",`)] + `,"name":"full-house"}`,
		"escapes":           strings.Replace(full, `"Gold"`, `"\u0047ol\u0064"`, 1),
	} {
		if hashOf(t, same) != plain {
			t.Errorf("%s changes the hash", what)
		}
	}
	for what, other := range map[string]string{
		"a default written out": strings.Replace(full, `"name":"Gold"`, `"name":"Gold","active":true`, 1),
		"another version":       strings.Replace(full, `"version": 3`, `"version": 4`, 1),
		"order of objects":      strings.Replace(full, `["billing","urgent"]`, `["urgent","billing"]`, 1),
	} {
		if hashOf(t, other) == plain {
			t.Errorf("%s does not change the hash", what)
		}
	}
	if pair, replacement := hashOf(t, named(`"\ud83d\ude00"`)), hashOf(t, named(`"\ufffd"`)); pair == replacement {
		t.Error("an emoji and U+FFFD share a hash")
	}
	if hashOf(t, named(`"é"`)) == hashOf(t, named(`"e\u0301"`)) {
		t.Error("two spellings of é share a hash: Unicode must not be normalised")
	}
}

func TestHashSpelling(t *testing.T) {
	h := hashOf(t, named(`"Pro"`))
	const want = "sha256:ba0d278b0e276150686a6ef81afe359042aa53915fee358503441caf2fae3e61" // by another program
	if got := h.String(); got != want {
		t.Errorf("the hash of a fixed document is %s, want %s", got, want)
	}
	back, err := seed.ParseHash(h.String())
	if err != nil || back != h {
		t.Errorf("read back as %v, %v", back, err)
	}
	for _, bad := range []string{"", "sha256:", h.String() + "0", strings.ToUpper(h.String()), "sha256:" + strings.ToUpper(h.String()[7:]),
		"md5:" + h.String()[7:], "sha256:" + strings.Repeat("x", 64)} {
		if _, err := seed.ParseHash(bad); err == nil {
			t.Errorf("%q passes as a hash", bad)
		}
	}
}

// RFC 8785 orders keys by UTF-16 code units and escapes no more than it must.
func TestCanonicalKeyOrderAndEscapes(t *testing.T) {
	s, err := seed.Parse([]byte(`{"name":"order","version":1,"epoch":1767225600,"data":{"customers":[{"id":"cus_a","name":"<>&\/\u2028\u007f",` +
		`"metadata":{"\ufb33":"7","😀":"6","€":"5","1":"2","\u0080":"3","ö":"4","\r":"1"}}]}}`))
	if err != nil {
		t.Fatal(err)
	}
	want := "{\"data\":{\"customers\":[{\"id\":\"cus_a\",\"metadata\":{\"\\r\":\"1\",\"1\":\"2\",\"\u0080\":\"3\",\"ö\":\"4\",\"€\":\"5\",\"😀\":\"6\",\"\ufb33\":\"7\"}," +
		"\"name\":\"<>&/\u2028\u007f\"}]},\"epoch\":1767225600,\"name\":\"order\",\"version\":1}"
	if got := string(s.Canonical); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if got := s.Document.Data.Customers[0].Name; got != "<>&/\u2028\u007f" {
		t.Errorf("name %q", got)
	}
}

func TestAmountsAreExact(t *testing.T) {
	src := edit(t, readFull(t), `"amount":4500,`, `"amount":99999999,`)
	src = edit(t, string(src), `"unit_amount":2000`, `"unit_amount":1003800`)
	s, err := seed.Parse(src)
	if err != nil {
		t.Fatal(err)
	}
	d := s.Document.Data
	if d.Prices[0].UnitAmount != 1003800 || d.Invoices[0].Lines[0].Amount != 99999999 {
		t.Errorf("got %d and %d", d.Prices[0].UnitAmount, d.Invoices[0].Lines[0].Amount)
	}
	if !bytes.Contains(s.Canonical, []byte(`"unit_amount":1003800`)) || !bytes.Contains(s.Canonical, []byte(`"amount":99999999`)) {
		t.Error("the digits are not in the canonical form")
	}
}

// FuzzParse: no input panics, a refusal names at least one place, and an
// accepted document's canonical form is accepted with the same hash and is
// its own canonical form.
func FuzzParse(f *testing.F) {
	f.Add(readBase(f))
	f.Add([]byte(readFull(f)))
	for _, c := range append(changes, syntaxFaults...) {
		if len(c.to) < 200 {
			f.Add(edit(f, readFull(f), c.from, c.to))
		}
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		s, err := seed.Parse(src)
		if err != nil {
			if problemsOf(t, err) == "" {
				t.Fatal("an error without a problem")
			}
			return
		}
		s.Unserved()
		again, err := seed.Parse(s.Canonical)
		if err != nil {
			t.Fatalf("the canonical form is refused: %v", err)
		}
		if again.Hash != s.Hash || !bytes.Equal(again.Canonical, s.Canonical) {
			t.Fatal("the canonical form of the canonical form differs")
		}
	})
}
