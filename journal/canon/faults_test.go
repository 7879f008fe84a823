package canon_test

import (
	"strings"
	"testing"

	"worlds/journal/canon"
)

// Faults reads on behind what is wrong with one number, string or key, and no further.
func TestFaults(t *testing.T) {
	for _, row := range []struct {
		text, mended string
		faults       []string
	}{
		{`{"a":1}`, `{"a":1}`, nil},
		{`{"a":1.5,"b":-2e3,"c":9007199254740992}`, `{"a":0,"b":0,"c":0}`, []string{"$.a: number 1.5 is", "$.b: number -2e3", "$.c: number 9007199254740992"}},
		{`{"a":1 , "a" : {"b":[1.5,"}"]}, "c":2.5}`, `{"a":1,"c":0}`, []string{"$.a.b[0]: number", "$.a: duplicate", "$.c: number 2.5"}},
		{`{"a":1,"\u0061":2}`, `{"a":1}`, []string{"$.a: duplicate"}},
		{`["\q","\ud800","\ux","a` + "\xff" + `","` + "\x01" + `",1.5]`, `["??","??d800","??x","a?","?",0]`,
			[]string{"$[0]: invalid escape", "$[1]: lone", "$[2]: \\u must", "$[3]: invalid UTF-8", "$[4]: control", "$[5]: number"}},
		{`{"a":1.5,"b":}`, "", []string{"$.a: number", "$.b: found '}'"}},
		{`[1.5,007,2.5]`, "", []string{"$[0]: number", "$[1]: number 007"}},
		{`[1.5 2]`, "", []string{"$[0]: number", "$: found '2'"}},
		{`[1.5`, "", []string{"$[0]: number", "$: the text ends"}},
		{"", "", []string{"$: empty"}},
	} {
		mended, faults := canon.Faults([]byte(row.text), 10)
		if string(mended) != row.mended || len(faults) != len(row.faults) {
			t.Errorf("%s: %s %v", row.text, mended, faults)
			continue
		}
		for i, f := range faults {
			if !strings.HasPrefix(f.Error(), row.faults[i]) {
				t.Errorf("%s: %s, want %s", row.text, f, row.faults[i])
			}
		}
	}
	if _, faults := canon.Faults([]byte("[1.5,1.5,1.5]"), 2); len(faults) != 2 {
		t.Error(faults)
	}
}
