package twin_test

import (
	"testing"

	"worlds/journal/canon"
	"worlds/twin"
)

func TestChanges(t *testing.T) {
	for _, row := range [][3]string{
		{`{"a":1}`, `{"a":1}`, "unchanged"},
		{`{}`, `{}`, "unchanged"},
		{`{"a":1,"b":2}`, `{"a":1,"b":3}`, `{"b":2}`},
		{`{"a":1}`, `{"a":1,"b":3}`, `{"b":null}`},
		{`{"a":1,"b":3}`, `{"a":1}`, `{"b":3}`},
		{`{"a":null}`, `{"a":1}`, `{"a":null}`},
		{`{"a":1}`, `{"a":null}`, `{"a":1}`},
		{`{"a":false,"b":"","c":0}`, `{"a":true,"b":"x","c":1}`, `{"a":false,"b":"","c":0}`},
		// A nested object shows its changed members only.
		{`{"m":{"a":"1","b":"2"}}`, `{"m":{"a":"1","b":"3","c":"4"}}`, `{"m":{"b":"2","c":null}}`},
		{`{"m":{"a":"1"}}`, `{"m":{}}`, `{"m":{"a":"1"}}`},
		{`{"m":{}}`, `{"m":{"a":"1"}}`, `{"m":{"a":null}}`},
		{`{"m":{"x":{"y":1,"z":2}}}`, `{"m":{"x":{"y":1,"z":3}}}`, `{"m":{"x":{"z":2}}}`},
		{`{"m":{"a":1}}`, `{"m":null}`, `{"m":{"a":1}}`},
		{`{"m":null}`, `{"m":{"a":1}}`, `{"m":null}`},
		{`{"m":{"a":1}}`, `{"m":[1]}`, `{"m":{"a":1}}`},
		// Arrays and lists show whole.
		{`{"l":[1,2]}`, `{"l":[1,3]}`, `{"l":[1,2]}`},
		{`{"l":{"data":[{"id":"a","n":1}],"object":"list"}}`, `{"l":{"data":[{"id":"a","n":2}],"object":"list"}}`,
			`{"l":{"data":[{"id":"a","n":1}],"object":"list"}}`},
		// A number is no other for beginning like it, and a last member ends.
		{`{"a":1,"b":2}`, `{"a":12,"b":2}`, `{"a":1}`},
		{`{"a":12,"b":2}`, `{"a":1,"b":2}`, `{"a":12}`},
		{`{"a":1,"b":2}`, `{"a":1,"b":21}`, `{"b":2}`},
		{`{"a":{"x":1}}`, `{"a":{"x":1},"b":[]}`, `{"b":null}`},
		{`{"\u0001":1,"\"":"\\"}`, `{"\u0001":2,"\"":"\\\""}`, `{"\u0001":1,"\"":"\\"}`},
		// Keys compare as they are ordered.
		{"{\"\U0001F600\":1,\"\uFF5E\":1}", "{\"\U0001F600\":2,\"\uFF5E\":2}", "{\"\U0001F600\":1,\"\uFF5E\":1}"},
	} {
		previous, changed := twin.Changes(canon.Raw(row[0]), canon.Raw(row[1]))
		got := "unchanged"
		if changed {
			got = string(previous)
		}
		if got != row[2] {
			t.Errorf("%s → %s\n got %s\nwant %s", row[0], row[1], got, row[2])
		}
		if changed && canon.Valid(previous) != nil {
			t.Errorf("%s → %s: %s is not canonical", row[0], row[1], previous)
		}
	}
}
