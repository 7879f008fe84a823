package canon_test

import (
	"fmt"
	"strings"
	"testing"

	"worlds/journal/canon"
)

const mixed = `{"":0,"\"q\"":"\\","a":[1,{"z":"]}"},[]],"a\\":"back","b":{"a":"inner","c":{}},"e":"","n":null,"neg":-12,"t":true,"ö":"\n"}`

func TestGet(t *testing.T) {
	for _, row := range []struct{ obj, key, want string }{
		{mixed, "", "0"},
		{mixed, `"q"`, `"\\"`},
		{mixed, "a", `[1,{"z":"]}"},[]]`},
		{mixed, `a\`, `"back"`},
		{mixed, "b", `{"a":"inner","c":{}}`},
		{mixed, "e", `""`},
		{mixed, "n", "null"},
		{mixed, "neg", "-12"},
		{mixed, "t", "true"},
		{mixed, "ö", `"\n"`},
		{mixed, "c", "none"},
		{mixed, "inner", "none"},
		{mixed, "z", "none"},
		{mixed, `a\\`, "none"},
		{mixed, "ab", "none"},
		{mixed, "tt", "none"},
		{`{"":"","a":1}`, `":`, "none"},
		{`{"a":{"b":1}}`, "b", "none"},
		{"{}", "", "none"},
		{"{}", "a", "none"},
		{`["a"]`, "a", "none"},
		{`"a"`, "a", "none"},
		{"null", "a", "none"},
		{"", "a", "none"},
	} {
		got := "none"
		if v, ok := canon.Get([]byte(row.obj), row.key); ok {
			got = string(v)
		}
		if got != row.want {
			t.Errorf("Get(%s, %q) = %s, want %s", row.obj, row.key, got, row.want)
		}
	}
}

func TestGetLeavesNoRoom(t *testing.T) {
	obj := []byte(`{"a":1,"b":2}`)
	v, _ := canon.Get(obj, "a")
	_ = append(v, "99"...)
	if string(obj) != `{"a":1,"b":2}` {
		t.Errorf("appending to a value changed its object: %s", obj)
	}
}

func TestMembers(t *testing.T) {
	for _, row := range []struct{ obj, want string }{
		{mixed, `""=0 "\"q\""="\\" "a"=[1,{"z":"]}"},[]] "a\\"="back" "b"={"a":"inner","c":{}} "e"="" "n"=null "neg"=-12 "t"=true "ö"="\n"`},
		{"{}", ""},
		{"[]", ""},
		{`["a"]`, ""},
		{"1", ""},
		{"", ""},
	} {
		var got []string
		for k, v := range canon.Members([]byte(row.obj)) {
			got = append(got, fmt.Sprintf("%q=%s", k, v))
		}
		if text := strings.Join(got, " "); text != row.want {
			t.Errorf("Members(%s)\n got %s\nwant %s", row.obj, text, row.want)
		}
	}
	for k := range canon.Members([]byte(`{"a":1,"b":2}`)) {
		if k != "a" {
			t.Errorf("Members goes on after a break: %s", k)
		}
		break
	}
}

func TestElements(t *testing.T) {
	for _, row := range []struct{ arr, want string }{
		{`[1,"a,b",[2,3],{"x":[4]},null,"\"]"]`, `1|"a,b"|[2,3]|{"x":[4]}|null|"\"]"`},
		{"[]", ""},
		{"[[]]", "[]"},
		{"{}", ""},
		{"", ""},
	} {
		var got []string
		for v := range canon.Elements([]byte(row.arr)) {
			got = append(got, string(v))
		}
		if text := strings.Join(got, "|"); text != row.want {
			t.Errorf("Elements(%s) = %s, want %s", row.arr, text, row.want)
		}
	}
	for v := range canon.Elements([]byte(`[1,2]`)) {
		if string(v) != "1" {
			t.Errorf("Elements goes on after a break: %s", v)
		}
		break
	}
}

func TestSkip(t *testing.T) {
	for _, row := range []struct{ data, want string }{
		{"12,3", "12"},
		{"true}", "true"},
		{"null]", "null"},
		{"-1", "-1"},
		{`"a\"b\\",1`, `"a\"b\\"`},
		{`"\\\\\"",1`, `"\\\\\""`},
		{`"",1`, `""`},
		{`{"a":["}"]},1`, `{"a":["}"]}`},
		{`[]`, `[]`},
		{`[[],{}]]`, `[[],{}]`},
		{"", ""},
	} {
		if n := canon.Skip([]byte(row.data)); row.data[:n] != row.want {
			t.Errorf("Skip(%s) = %s, want %s", row.data, row.data[:n], row.want)
		}
	}
}

func TestUnquote(t *testing.T) {
	for _, row := range []struct {
		raw, want string
		ok        bool
	}{
		{`""`, "", true},
		{`"usd"`, "usd", true},
		{`"\b\t\n\f\r\"\\\u0000\u001f"`, "\b\t\n\f\r\"\\\x00\x1f", true},
		{`"\\u0041"`, `\u0041`, true},
		{"\"ö😀\u2028\"", "ö😀\u2028", true},
		{"12", "", false},
		{"null", "", false},
		{`["a"]`, "", false},
		{`"`, "", false},
		{"", "", false},
	} {
		if got, ok := canon.Unquote([]byte(row.raw)); got != row.want || ok != row.ok {
			t.Errorf("Unquote(%s) = %q, %t", row.raw, got, ok)
		}
	}
}

func TestInt(t *testing.T) {
	for _, row := range []struct {
		raw  string
		want int64
		ok   bool
	}{
		{"0", 0, true},
		{"-1", -1, true},
		{"9007199254740991", canon.MaxInt, true},
		{"-9007199254740991", -canon.MaxInt, true},
		{"9007199254740992", 0, false},
		{"1,2", 0, false},
		{`"1"`, 0, false},
		{"true", 0, false},
		{"", 0, false},
	} {
		got, ok := canon.Int([]byte(row.raw))
		if ok != row.ok || ok && got != row.want {
			t.Errorf("Int(%s) = %d, %t", row.raw, got, ok)
		}
	}
}
