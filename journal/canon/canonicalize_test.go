package canon_test

import (
	"errors"
	"strings"
	"testing"

	"worlds/journal/canon"
)

func nested(depth int) string {
	return strings.Repeat("[", depth) + strings.Repeat("]", depth)
}

func TestCanonicalize(t *testing.T) {
	for _, row := range []struct{ name, text, want string }{
		{"null", "null", "null"},
		{"true", " true ", "true"},
		{"false", "\tfalse\r\n", "false"},
		{"zero", "0", "0"},
		{"negative", "-17", "-17"},
		{"largest integer", "9007199254740991", "9007199254740991"},
		{"smallest integer", "-9007199254740991", "-9007199254740991"},
		{"empty object", "{ }", "{}"},
		{"empty array", "[\n]", "[]"},
		{"empty string", `""`, `""`},
		{"empty key", `{"":1}`, `{"":1}`},
		{"white space goes", "{ \"a\" : [ 1 , 2 ] }", `{"a":[1,2]}`},
		{"keys are sorted", `{"b":1,"a":2,"aa":3,"B":4}`, `{"B":4,"a":2,"aa":3,"b":1}`},
		{"keys are sorted at every depth", `[{"b":{"d":1,"c":2},"a":[{"f":1,"e":2}]}]`, `[{"a":[{"e":2,"f":1}],"b":{"c":2,"d":1}}]`},
		{"arrays keep their order", `[3,1,2]`, `[3,1,2]`},
		{"keys are sorted unescaped", `{"1":0,"\r":0,"\u0000":0}`, `{"\u0000":0,"\r":0,"1":0}`},
		{"short escapes", `"\u0008\u0009\u000a\u000c\u000d\u0022\u005c"`, `"\b\t\n\f\r\"\\"`},
		{"other controls in lowercase", `"\u0000\u000B\u001F"`, `"\u0000\u000b\u001f"`},
		{"needless escapes go", `"\u0041\/\u003c\u00e9\u2028\u007f"`, "\"A/<é\u2028\x7f\""},
		{"nothing else is escaped", "\"<>&/\u2028\u2029\x7f'\"", "\"<>&/\u2028\u2029\x7f'\""},
		{"surrogate pair", `"\ud83d\uDE00"`, `"😀"`},
		{"last surrogate pair", `"\udbff\udfff"`, "\"\U0010ffff\""},
		{"U+FFFD escaped and plain", "\"\\ufffd\ufffd\"", "\"\ufffd\ufffd\""},
		{"noncharacters", "\"\\uffff\ufffe\U0001ffff\"", "\"\uffff\ufffe\U0001ffff\""},
		{"no normalisation", "\"e\u0301\u00e9\"", "\"e\u0301\u00e9\""},
		{"deepest nesting", nested(canon.MaxDepth), nested(canon.MaxDepth)},
		{"many side by side", "[" + strings.Repeat("[],{},", 100) + "0]", "[" + strings.Repeat("[],{},", 100) + "0]"},
		{"equal keys in different objects", `{"a":{"a":1},"b":{"a":1}}`, `{"a":{"a":1},"b":{"a":1}}`},
		{"key that is a prefix", `{"ab":1,"a":2}`, `{"a":2,"ab":1}`},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, err := canon.Canonicalize([]byte(row.text))
			if err != nil || string(got) != row.want {
				t.Errorf("Canonicalize(%q)\n got %q, %v\nwant %q", row.text, got, err, row.want)
			}
			if err := canon.Valid([]byte(row.want)); err != nil {
				t.Errorf("Valid(%q): %v", row.want, err)
			}
		})
	}
}

// refusal is a text and the error it is refused with.
type refusal struct{ name, text, want string }

func refused(t *testing.T, rows []refusal) {
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			out, err := canon.Canonicalize([]byte(row.text))
			var typed *canon.Error
			if !errors.As(err, &typed) || err.Error() != row.want {
				t.Errorf("Canonicalize(%q)\n got %q, %v\nwant %s", row.text, out, err, row.want)
			}
			if canon.Valid([]byte(row.text)) == nil {
				t.Errorf("Valid(%q) passes", row.text)
			}
		})
	}
}

func TestCanonicalizeRefusesStructure(t *testing.T) {
	refused(t, []refusal{
		{"empty input", "", "$: empty input (at byte 0)"},
		{"white space only", " \n", "$: empty input (at byte 2)"},
		{"byte-order mark", "\ufeff{}", "$: the text starts with a byte-order mark (at byte 0)"},
		{"text behind", `{"a":1}garbage`, "$: text after the value (at byte 7)"},
		{"two values", "{} {}", "$: text after the value (at byte 3)"},
		{"duplicate key", `{"a":1,"a":2}`, "$.a: duplicate key (at byte 7)"},
		{"duplicate key far apart", `{"b":1,"a":2,"c":3,"b":4,"a":5}`, "$.b: duplicate key (at byte 19)"},
		{"duplicate key after unescaping", `{"x":{"a":1,"\u0061":2}}`, "$.x.a: duplicate key (at byte 12)"},
		{"unended string", `{"a":"b`, "$.a: the text ends inside a string (at byte 7)"},
		{"unended object", `{"a":1`, "$: the text ends where ',' or '}' should stand (at byte 6)"},
		{"unended array", `{"a":[1,`, "$.a[1]: the text ends where a value should stand (at byte 8)"},
		{"comma before a brace", `{"a":1,}`, "$: found '}' where a key should stand (at byte 7)"},
		{"comma before a bracket", `[1,]`, "$[1]: found ']' where a value should stand (at byte 3)"},
		{"no comma", `[1 2]`, "$: found '2' where ',' or ']' should stand (at byte 3)"},
		{"no colon", `{"a" 1}`, "$: found '1' where ':' should stand (at byte 5)"},
		{"key that is no string", `{a:1}`, "$: found 'a' where a key should stand (at byte 1)"},
		{"single quotes", `{'a':1}`, `$: found '\'' where a key should stand (at byte 1)`},
		{"comment", "[1,/*x*/2]", "$[1]: found '/' where a value should stand (at byte 3)"},
		{"misspelled word", "[nul]", "$[0]: found 'n' where a value should stand (at byte 1)"},
		{"other white space", "[\u00a01]", `$[0]: found '\u00a0' where a value should stand (at byte 1)`},
		{"zero byte behind", "{}\x00", "$: text after the value (at byte 2)"},
		{"too deep", nested(canon.MaxDepth + 1), "$" + strings.Repeat("[0]", canon.MaxDepth) + ": nested deeper than 64 (at byte 64)"},
		{"path with odd keys", `{"data":{"a b":[{"ö":{"9":1.5}}]}}`, `$.data["a b"][0]["ö"]["9"]: number 1.5 is not an integer in plain decimal (at byte 27)`},
	})
}

func TestCanonicalizeRefusesNumbers(t *testing.T) {
	refused(t, []refusal{
		{"fraction", `{"n":1.0}`, "$.n: number 1.0 is not an integer in plain decimal (at byte 5)"},
		{"exponent", "[1e3]", "$[0]: number 1e3 is not an integer in plain decimal (at byte 1)"},
		{"capital exponent", "[1E3]", "$[0]: number 1E3 is not an integer in plain decimal (at byte 1)"},
		{"negative zero", "[0,-0]", "$[1]: number -0 is not an integer in plain decimal (at byte 3)"},
		{"leading zero", "007", "$: number 007 is not an integer in plain decimal (at byte 0)"},
		{"negative with leading zero", "-01", "$: number -01 is not an integer in plain decimal (at byte 0)"},
		{"plus", "+1", "$: number +1 is not an integer in plain decimal (at byte 0)"},
		{"minus alone", "-", "$: number - is not an integer in plain decimal (at byte 0)"},
		{"no integer part", ".5", "$: number .5 is not an integer in plain decimal (at byte 0)"},
		{"too large", "9007199254740992", "$: number 9007199254740992 exceeds 2^53-1 in magnitude (at byte 0)"},
		{"too small", "-9007199254740992", "$: number -9007199254740992 exceeds 2^53-1 in magnitude (at byte 0)"},
		{"nineteen digits", "1000000000000000000", "$: number 1000000000000000000 exceeds 2^53-1 in magnitude (at byte 0)"},
		{"beyond 64 bits", strings.Repeat("9", 50), "$: number 99999999999999999999999999999999... exceeds 2^53-1 in magnitude (at byte 0)"},
		{"not a number", "NaN", "$: found 'N' where a value should stand (at byte 0)"},
		{"infinity", "-Infinity", "$: number - is not an integer in plain decimal (at byte 0)"},
	})
}

func TestCanonicalizeRefusesStrings(t *testing.T) {
	refused(t, []refusal{
		{"duplicate escaped key", `{"\n":1,"\u000a":2}`, `$["\n"]: duplicate key (at byte 8)`},
		{"lone high surrogate", `["\ud83d"]`, `$[0]: lone surrogate \ud83d (at byte 2)`},
		{"high surrogate and letter", `"\ud83dx"`, `$: lone surrogate \ud83d (at byte 1)`},
		{"high surrogate and other escape", `"\ud83d\n"`, `$: lone surrogate \ud83d (at byte 1)`},
		{"high surrogate and non-surrogate", `"\ud83d\u0041"`, `$: lone surrogate \ud83d (at byte 1)`},
		{"two high surrogates", `"\ud83d\ud83d"`, `$: lone surrogate \ud83d (at byte 1)`},
		{"lone low surrogate", `"\ude00"`, `$: lone surrogate \ude00 (at byte 1)`},
		{"reversed pair", `"\uDE00\uD83D"`, `$: lone surrogate \uDE00 (at byte 1)`},
		{"surrogate cut short", `"\ud83d\ude"`, `$: lone surrogate \ud83d (at byte 1)`},
		{"invalid UTF-8 in a value", "{\"a\":[\"ok\xffok\"]}", "$.a[0]: invalid UTF-8 (at byte 9)"},
		{"invalid UTF-8 in a key", "{\"a\":{\"b\xff\":1}}", "$.a: invalid UTF-8 (at byte 8)"},
		{"invalid UTF-8 behind valid", "\"\u00e9\u20ac\xe2\x82\"", "$: invalid UTF-8 (at byte 6)"},
		{"surrogate in UTF-8", "\"\xed\xa0\xbd\"", "$: invalid UTF-8 (at byte 1)"},
		{"overlong UTF-8", "\"\xc0\xaf\"", "$: invalid UTF-8 (at byte 1)"},
		{"beyond U+10FFFF", "\"\xf4\x90\x80\x80\"", "$: invalid UTF-8 (at byte 1)"},
		{"invalid UTF-8 outside strings", "[\xff]", "$[0]: invalid UTF-8 where a value should stand (at byte 1)"},
		{"raw control character", "\"a\nb\"", `$: control character '\n' must be escaped (at byte 2)`},
		{"raw control character far in", "\"0123456789\x00\"", `$: control character '\x00' must be escaped (at byte 11)`},
		{"unknown escape", `"\a"`, "$: invalid escape in a string (at byte 1)"},
		{"short escape", `"\u12"`, `$: \u must be followed by four hexadecimal digits (at byte 1)`},
		{"escape with signs", `"\u+123"`, `$: \u must be followed by four hexadecimal digits (at byte 1)`},
		{"unended escape", `"\`, "$: the text ends inside a string (at byte 2)"},
	})
}

// A seed whose text is broken is refused with the place, and no repair makes
// it equal to a sound one (RFC 8785 §3.2.2.2).
func TestBrokenUnicodeIsRefused(t *testing.T) {
	const (
		named  = `{"data":{"customers":[{"name":"?"}]}}`
		tagged = `{"data":{"customers":[{"metadata":{"?":"v"}}]}}`
	)
	for _, row := range []struct{ text, path string }{
		{`\ud83d`, "lone surrogate"},
		{`\ude00\ud83d`, "lone surrogate"},
		{"J\xffB", "invalid UTF-8"},
	} {
		for shape, path := range map[string]string{
			named:  "$.data.customers[0].name: ",
			tagged: "$.data.customers[0].metadata: ",
		} {
			text := strings.Replace(shape, "?", row.text, 1)
			out, err := canon.Canonicalize([]byte(text))
			if err == nil || !strings.HasPrefix(err.Error(), path+row.path) {
				t.Errorf("Canonicalize(%q) = %q, %v; want %s", text, out, err, path+row.path)
			}
		}
	}
	for _, shape := range []string{named, tagged} {
		pair, err1 := canon.Canonicalize([]byte(strings.Replace(shape, "?", `\ud83d\ude00`, 1)))
		mark, err2 := canon.Canonicalize([]byte(strings.Replace(shape, "?", "\ufffd", 1)))
		if err1 != nil || err2 != nil || string(pair) == string(mark) {
			t.Errorf("sound text: %q, %v and %q, %v", pair, err1, mark, err2)
		}
	}
}

// Key order and escapes, with the keys of RFC 8785 §3.2.3.
func TestCanonicalForm(t *testing.T) {
	const want = `{"metadata":{"\r":"Carriage Return","1":"One","` + "\u0080" + `":"Control","ö":"Latin Small Letter O With Diaeresis","€":"Euro Sign","😀":"Emoji: Grinning Face","` + "\ufb33" + `":"Hebrew Letter Dalet With Dagesh"},"name":"<b>&/` + "\u2028\x7f" + `"}`
	for _, text := range []string{
		want,
		`{"name":"<b>&/` + "\u2028\x7f" + `","metadata":{"` + "\ufb33" + `":"Hebrew Letter Dalet With Dagesh","😀":"Emoji: Grinning Face","€":"Euro Sign","1":"One","` + "\u0080" + `":"Control","ö":"Latin Small Letter O With Diaeresis","\r":"Carriage Return"}}`,
		`{ "metadata": {
			"\u20ac": "\u0045uro Sign", "\r": "Carriage Return",
			"\ufb33": "Hebrew Letter Dalet With Dagesh", "\u0031": "One",
			"\ud83d\ude00": "Emoji: Grinning Face", "\u0080": "Control",
			"\u00F6": "Latin Small Letter O With Diaeresis" },
		  "\u006eame": "\u003cb\u003E\u0026\/\u2028\u007F" }`,
	} {
		got, err := canon.Canonicalize([]byte(text))
		if err != nil || string(got) != want {
			t.Errorf("Canonicalize(%s)\n got %s, %v\nwant %s", text, got, err, want)
		}
	}
}

func TestCompareKeys(t *testing.T) {
	ordered := []string{
		"", "\x00", "\r", "1", "10", "A", "a", "a\x00", "ab", "\x7f", "\u0080", "ö", "\u07ff", "\u0800", "€",
		"\ud7ff", "\U00010000", "😀", "😀a", "😁", "\U0010ffff", "\ue000", "\ufb33", "\uffff",
	}
	for i, a := range ordered {
		for j, b := range ordered {
			if got := canon.CompareKeys(a, b); sign(got) != sign(i-j) {
				t.Errorf("CompareKeys(%q, %q) = %d", a, b, got)
			}
		}
	}
}

func sign(n int) int { return min(1, max(-1, n)) }

func TestValidRefuses(t *testing.T) {
	for _, row := range []struct{ name, text, want string }{
		{"empty", "", "$: the text ends where a canonical value should stand (at byte 0)"},
		{"white space inside", `{"a": 1}`, "$.a: found ' ' where a canonical value should stand (at byte 5)"},
		{"white space behind", "{}\n", "$: text after the value (at byte 2)"},
		{"white space before", " {}", "$: found ' ' where a canonical value should stand (at byte 0)"},
		{"keys out of order", `{"b":1,"a":2}`, "$.a: key out of order (at byte 7)"},
		{"keys in UTF-8 order", "{\"\ufb33\":1,\"😀\":2}", `$["😀"]: key out of order (at byte 9)`},
		{"duplicate key", `[{"a":1,"a":2}]`, "$[0].a: duplicate key (at byte 8)"},
		{"needless escape", `"\u0041"`, "$: escape is not canonical (at byte 1)"},
		{"escaped slash", `"\/"`, "$: escape is not canonical (at byte 1)"},
		{"capital hexadecimal digits", `"\u001F"`, "$: escape is not canonical (at byte 1)"},
		{"long form of a short escape", `"\u000a"`, "$: escape is not canonical (at byte 1)"},
		{"escaped space", `"\u0020"`, "$: escape is not canonical (at byte 1)"},
		{"escaped quote in long form", `"\u0022"`, "$: escape is not canonical (at byte 1)"},
		{"escaped pair", `"\ud83d\ude00"`, "$: escape is not canonical (at byte 1)"},
		{"unended escape", `"\`, "$: escape is not canonical (at byte 1)"},
		{"unended array", "[1", "$: the text ends where ',' or ']' should stand (at byte 2)"},
		{"too deep", nested(canon.MaxDepth + 1), "$" + strings.Repeat("[0]", canon.MaxDepth) + ": nested deeper than 64 (at byte 64)"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if err := canon.Valid([]byte(row.text)); err == nil || err.Error() != row.want {
				t.Errorf("Valid(%q)\n got %v\nwant %s", row.text, err, row.want)
			}
		})
	}
}
