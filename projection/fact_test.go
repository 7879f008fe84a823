package projection_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"worlds/journal/canon"
	"worlds/projection"
)

// encodings are one of each kind, and what is special about some.
var encodings = []struct {
	text string
	fact projection.Fact
}{
	{
		`["put","stripe.customer","cus_1",["email=a@b.c","live=true"],1700000000,{"id":"cus_1"}]`,
		&projection.Put{
			Table: "stripe.customer", ID: "cus_1", Terms: []string{"email=a@b.c", "live=true"},
			Due: 1_700_000_000, Body: canon.Raw(`{"id":"cus_1"}`),
		},
	},
	{`["put","","",[],0,null]`, &projection.Put{Body: canon.Raw(`null`)}},
	{`["put","t","\"\\\u0000ö😀",[""],-5,{"a":"]\""}]`, &projection.Put{
		Table: "t", ID: "\"\\\x00ö😀", Terms: []string{""}, Due: -5, Body: canon.Raw(`{"a":"]\""}`),
	}},
	{`["delete","t","id"]`, &projection.Delete{Table: "t", ID: "id"}},
	{`["event","evt_1","stripe","customer.created",7,{"request":null},2]`, &projection.Event{
		ID: "evt_1", API: "stripe", Type: "customer.created", Created: 7,
		Meta: canon.Raw(`{"request":null}`), Ref: 2, Object: canon.Raw(`{"prior":2}`),
	}},
	{`["event","evt_1","stripe","x",7,null,{"id":"x"}]`, &projection.Event{
		ID: "evt_1", API: "stripe", Type: "x", Created: 7, Meta: canon.Raw(`null`),
		Ref: projection.NoRef, Object: canon.Raw(`{"id":"x"}`),
	}},
	{`["clock",1700000000]`, &projection.Clock{Now: 1_700_000_000}},
	{`["minted",12]`, &projection.Minted{Count: 12}},
	{`["counter","zendesk.ticket",9007199254740991]`, &projection.Counter{Name: "zendesk.ticket", Value: canon.MaxInt}},
	{`["mark","before"]`, &projection.Mark{Name: "before"}},
	{`["idem","ik_1","stripe","POST /v1/customers","00ff","req_1","2026-08-26.dahlia",200,0]`, &projection.Idem{
		Key: "ik_1", API: "stripe", Target: "POST /v1/customers", Fingerprint: "00ff", Request: "req_1",
		Version: "2026-08-26.dahlia", Status: 200, Ref: 0, Reply: canon.Raw(`{"prior":0}`),
	}},
	{`["idem","","","","","","",402,{"error":{}}]`, &projection.Idem{
		Status: 402, Ref: projection.NoRef, Reply: canon.Raw(`{"error":{}}`),
	}},
	{`["log",3]`, &projection.Log{Count: 3}},
	{`["delivery",7,"evt_1","endpoint:1","2026-08-26.dahlia","pending",2,1700000120,7,"timeout"]`, &projection.Delivery{
		Number: 7, Event: "evt_1", Endpoint: "endpoint:1", Version: "2026-08-26.dahlia", Status: projection.Pending,
		Attempts: 2, Due: 1_700_000_120, Turn: 7, Outcome: "timeout",
	}},
	{`["delivery",1,"","","","",0,0,0,""]`, &projection.Delivery{Number: 1}},
	{`["rule","storm",4,1,{"effect":{"close":1}}]`, &projection.Rule{
		ID: "storm", Matched: 4, Acted: 1, Spec: canon.Raw(`{"effect":{"close":1}}`),
	}},
	{`["rule","storm",0,0,null]`, &projection.Rule{ID: "storm", Spec: canon.Raw(`null`)}},
}

// putsBefore are facts that references in encodings may name.
var putsBefore = []projection.Fact{
	&projection.Put{Body: canon.Raw(`{"prior":0}`)},
	&projection.Log{},
	&projection.Put{Body: canon.Raw(`{"prior":2}`)},
}

func TestEncoding(t *testing.T) {
	for _, row := range encodings {
		if got := string(row.fact.Append([]byte("<"))); got != "<"+row.text {
			t.Errorf("encoding\n got %s\nwant %s", got, row.text)
		}
		got, err := projection.ParseFact(canon.Raw(row.text), putsBefore)
		if err != nil {
			t.Errorf("%s: %v", row.text, err)
		} else if diff := cmp.Diff(row.fact, got); diff != "" {
			t.Errorf("%s:\n%s", row.text, diff)
		}
	}
}

func TestNothingIsNull(t *testing.T) {
	for _, row := range []struct {
		fact projection.Fact
		want string
	}{
		{&projection.Put{Table: "t"}, `["put","t","",[],0,null]`},
		{&projection.Event{Ref: projection.NoRef}, `["event","","","",0,null,null]`},
		{&projection.Idem{Ref: projection.NoRef}, `["idem","","","","","","",0,null]`},
		{&projection.Rule{}, `["rule","",0,0,null]`},
	} {
		if got := string(row.fact.Append(nil)); got != row.want {
			t.Errorf("got %s, want %s", got, row.want)
		}
		s := projection.New()
		s.Apply(row.fact, 1)
		if err := canon.Valid([]byte(dumpOf(s))); err != nil {
			t.Errorf("%s: dump: %v", row.want, err)
		}
	}
}

func TestDecodeOfEncodeIsIdentity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		prior := drawEntry(t)
		f := drawFact(t, prior)
		got, err := projection.ParseFact(f.Append(nil), prior)
		if err != nil {
			t.Fatal(err)
		}
		if put, ok := f.(*projection.Put); ok && len(put.Terms) == 0 {
			put.Terms = nil
		}
		if diff := cmp.Diff(f, got); diff != "" {
			t.Fatal(diff)
		}
	})
}

// badFacts are canonical JSON or not, but no facts; folded says whether Fold,
// which trusts, lets one through.
var badFacts = []struct {
	text   string
	want   string
	folded bool
}{
	{``, "bad fact", false},
	{`[`, "bad fact", false},
	{`]`, "bad fact", false},
	{`{}`, "not an array", false},
	{`[]`, "too few elements", false},
	{`"log"`, "not an array", false},
	{`[1]`, "not a string", false},
	{`["log"`, "bad fact", false},
	{`["log]`, "bad fact", false},
	{`["logs",1]`, `unknown kind "logs"`, false},
	{`["log"]`, "too few elements", false},
	{`["log",]`, "bad fact", false},
	{`["log",,]`, "bad fact", false},
	{`["log",1,2]`, "too many elements", false},
	{`["log",1]]`, "bad fact", false},
	{`["log" 1]`, "bad fact", false},
	{`["log","1"]`, "not an integer", false},
	{`["log",1.5]`, "bad fact", false},
	{`["log",9007199254740992]`, "bad fact", false},
	{`["log",-]`, "bad fact", false},
	{`["mark",null]`, "not a string", false},
	{`["mark","\"]`, "bad fact", false},
	{"[\"mark\",\"\xff\"]", "bad fact", false},
	{"[\"mark\",\"\\n\xff\"]", "bad fact", false},
	{`["delete","t"]`, "too few elements", false},
	{`["put","t","id",["a",1],0,{}]`, "not a string", false},
	{`["put","t","id",["a",],0,{}]`, "bad fact", false},
	{`["put","t","id",["a"`, "bad fact", false},
	{`["put","t","id",[["a"]],0,{}]`, "not a string", false},
	{`["put","t","id",{},0,{}]`, "not an array", false},
	{`["put","t","id",[],0]`, "too few elements", false},
	{`["put","t","id",[],0,{},{}]`, "too many elements", true},
	{`["delivery",0,"","","","",0,0,0,""]`, "not a number from 1 on", false},
	{`["delivery",-1,"","","","",0,0,0,""]`, "not a number from 1 on", false},
	{`["delivery",1,"","","","",0,0,0]`, "too few elements", false},
	{`["delivery",1,"","","",null,0,0,0,""]`, "not a string", false},
	{`["rule","r",0,0]`, "too few elements", false},
	{`["rule","r",0,0,"x"]`, "neither an object nor null", true},
	{`["put","t","id",[],0,{]`, "bad fact", true},
	{`["put","t","id",[],0,5]`, "neither an object nor null", true},
	{`["put","t","id",[],0,"text"]`, "neither an object nor null", true},
	{`["event","e","a","t",0,{},"text"]`, "neither an object nor null", true},
	{`["event","e","a","t",0,{},-1]`, "a reference to no body", false},
	{`["event","e","a","t",0,{},1]`, "a reference to no body", false},
	{`["event","e","a","t",0,{},3]`, "a reference to no body", false},
	{`["event","e","a","t",0,{},00]`, "bad fact", false},
	{`["event","e","a","t",0,{},99999999999999999999]`, "bad fact", false},
	{`["idem","k","a","t","f","r","v",200]`, "too few elements", false},
	{`["idem","k","a","t","f","r","v",200,1]`, "a reference to no body", false},
	{` ["log",1]`, "bad fact", false},
	{`["log",1] `, "bad fact", false},
}

func TestBadFactsAreRefused(t *testing.T) {
	before := encoded(putsBefore)
	for _, row := range badFacts {
		f, err := projection.ParseFact(canon.Raw(row.text), putsBefore)
		if !errors.Is(err, projection.ErrFact) || !strings.Contains(err.Error(), row.want) {
			t.Errorf("ParseFact(%s) = %v, want %q", row.text, err, row.want)
		}
		if f != nil {
			t.Errorf("ParseFact(%s): a fact beside the error", row.text)
		}
		s := projection.New()
		err = s.Fold(3, append(before, canon.Raw(row.text)))
		if row.folded != (err == nil) {
			t.Errorf("Fold(%s) = %v", row.text, err)
		}
		if err != nil && (!errors.Is(err, projection.ErrFact) || !strings.HasPrefix(err.Error(), "entry 3: fact 3: ")) {
			t.Errorf("Fold(%s) = %v", row.text, err)
		}
		dumpOf(s)
	}
}

// TestFoldKeepsNothingBetweenFacts: a fact read after another of its kind has
// only its own fields, and references name facts of their own entry.
func TestFoldKeepsNothingBetweenFacts(t *testing.T) {
	s := projection.New()
	first := []projection.Fact{
		&projection.Put{Table: "t", ID: "a", Terms: []string{"x", "y"}, Due: 5, Body: canon.Raw(`{"a":1}`)},
		&projection.Event{ID: "e1", API: "x", Type: "t", Created: 3, Meta: canon.Raw(`{"m":1}`), Ref: 0},
		&projection.Put{Table: "t", ID: "b", Body: canon.Raw(`{"b":1}`)},
		&projection.Event{ID: "e2", Ref: projection.NoRef, Meta: canon.Raw(`{}`), Object: canon.Raw(`{}`)},
	}
	if err := s.Fold(1, encoded(first)); err != nil {
		t.Fatal(err)
	}
	want := []*projection.Row{
		{ID: "a", Ord: 1, Seq: 1, Terms: []string{"x", "y"}, Due: 5, Body: canon.Raw(`{"a":1}`)},
		{ID: "b", Ord: 2, Seq: 1, Body: canon.Raw(`{"b":1}`)},
	}
	for _, row := range want {
		if got := s.Get("t", row.ID); !reflect.DeepEqual(got, row) {
			t.Errorf("row %s: %+v", row.ID, got)
		}
	}
	events := []projection.EventRow{
		{Number: 1, Seq: 1, Event: projection.Event{ID: "e1", API: "x", Type: "t", Created: 3, Meta: canon.Raw(`{"m":1}`), Object: canon.Raw(`{"a":1}`)}},
		{Number: 2, Seq: 1, Event: projection.Event{ID: "e2", Meta: canon.Raw(`{}`), Ref: projection.NoRef, Object: canon.Raw(`{}`)}},
	}
	for e := range s.OldestEvents(0) {
		if !reflect.DeepEqual(*e, events[e.Number-1]) {
			t.Errorf("event %d: %+v", e.Number, e)
		}
	}
	err := s.Fold(2, []canon.Raw{canon.Raw(`["event","e3","","",0,{},0]`)})
	if !errors.Is(err, projection.ErrFact) {
		t.Errorf("a reference to the entry before: %v", err)
	}
}

// FuzzParseFact: what is accepted is what Append writes.
func FuzzParseFact(f *testing.F) {
	for _, row := range encodings {
		f.Add([]byte(row.text))
	}
	for _, row := range badFacts {
		f.Add([]byte(row.text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		fact, err := projection.ParseFact(data, putsBefore)
		switch {
		case err != nil && !errors.Is(err, projection.ErrFact):
			t.Fatalf("%q: %v", data, err)
		case err == nil && string(fact.Append(nil)) != string(data):
			t.Fatalf("%q is written %q", data, fact.Append(nil))
		}
	})
}

// FuzzFold: no bytes make Fold, or reading what it folded, panic; and what
// ParseFact accepts, Fold does, to a dump that is canonical.
func FuzzFold(f *testing.F) {
	for _, row := range encodings {
		f.Add([]byte(row.text), []byte(encodings[0].text))
	}
	for _, row := range badFacts {
		f.Add([]byte(row.text), []byte(`["put","t","id",["x"],1,{}]`))
	}
	f.Fuzz(func(t *testing.T, a, b []byte) {
		s := projection.New()
		errFold := s.Fold(1, []canon.Raw{a, b})
		first, err := projection.ParseFact(a, nil)
		if err == nil {
			_, err = projection.ParseFact(b, []projection.Fact{first})
		}
		if err == nil && errFold != nil {
			t.Fatalf("%q, %q: parsed but not folded: %v", a, b, errFold)
		}
		dump := dumpOf(s)
		if err == nil && canon.Valid([]byte(dump)) != nil {
			t.Fatalf("%q, %q: dump %s", a, b, dump)
		}
		projection.Compare(nil, s).Append(nil)
		for _, table := range s.Tables() {
			for r := range s.Newest(table, 0) {
				for _, term := range r.Terms {
					for range s.OldestWith(table, term, 0) {
					}
				}
			}
		}
	})
}
