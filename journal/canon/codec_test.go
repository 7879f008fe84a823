package canon_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"worlds/journal/canon"
)

const customerBytes = `{"address":{"city":"Zürich","country":"CH","line1":"Langstrasse 12","line2":null,"postal_code":"8004","state":"ZH"},` +
	`"balance":-4000,"created":1767225600,"currency":"usd","customer_account":null,"default_source":null,"delinquent":false,` +
	`"description":"Paid twice in March; \"please refund one\"","discount":null,"email":"dana.doublepay@example.com","id":"cus_Q2mXbZk81TnVwa",` +
	`"invoice_prefix":"7F3A91C2","invoice_settings":{"custom_fields":[],"default_payment_method":"pm_1PqRsTuVwXyZ","footer":null},` +
	`"livemode":false,"metadata":{"account_manager":"ines","crm_id":"0081-44","plan":"pro"},"name":"Dana Doublepay","next_invoice_sequence":14,` +
	`"object":"customer","phone":"+41 44 555 01 02","preferred_locales":["de-CH","en"],` +
	`"shipping":{"address":{"city":"Zürich","country":"CH","line1":"Langstrasse 12","line2":null,"postal_code":"8004","state":"ZH"},"name":"Dana Doublepay","phone":null},` +
	`"status":"active","tax_exempt":"none","test_clock":null,"version":3,"version_of_the_tax_rules":0}`

func TestCustomer(t *testing.T) {
	c := newCustomer()
	data := canon.Marshal(c)
	if string(data) != customerBytes {
		t.Fatalf("got  %s\nwant %s", data, customerBytes)
	}
	if got := canon.Append([]byte("> "), c); string(got) != "> "+customerBytes {
		t.Errorf("Append behind text: %s", got)
	}
	if err := canon.Valid(data); err != nil {
		t.Error(err)
	}
	var back customer
	if err := canon.Unmarshal(data, &back); err != nil || !reflect.DeepEqual(&back, c) {
		t.Errorf("Unmarshal: %v\n got %+v\nwant %+v", err, back, *c)
	}
}

// every holds each codec-able kind once with and once without omitempty.
type every struct {
	Bool     bool                     `json:"bool"`
	BoolO    bool                     `json:"bool_o,omitempty"`
	Int      int                      `json:"int"`
	Int8     int8                     `json:"int8"`
	Int16    int16                    `json:"int16"`
	Int32    int32                    `json:"int32"`
	Int64    int64                    `json:"int64"`
	IntO     int16                    `json:"int_o,omitempty"`
	Kind     status                   `json:"kind"`
	List     []customField            `json:"list"`
	ListO    []customField            `json:"list_o,omitempty"`
	Lists    [][]int64                `json:"lists"`
	Map      map[status]*customField  `json:"map"`
	MapO     map[string]int64         `json:"map_o,omitempty"`
	Maps     map[string]metadata      `json:"maps"`
	Meta     map[status]status        `json:"meta"`
	MetaO    metadata                 `json:"meta_o,omitempty"`
	Names    []status                 `json:"names"`
	NamesO   []status                 `json:"names_o,omitempty"`
	Ptr      *customField             `json:"ptr"`
	PtrBool  *bool                    `json:"ptr_bool"`
	PtrInt   *seconds                 `json:"ptr_int"`
	PtrMap   *map[string]string       `json:"ptr_map"`
	PtrO     *customField             `json:"ptr_o,omitempty"`
	PtrText  *status                  `json:"ptr_text"`
	PtrTextO *status                  `json:"ptr_text_o,omitempty"`
	Ptrs     []*customField           `json:"ptrs"`
	Raw      canon.Raw                `json:"raw"`
	RawO     canon.Raw                `json:"raw_o,omitempty"`
	Raws     []canon.Raw              `json:"raws"`
	RawMap   map[string]canon.Raw     `json:"raw_map"`
	Struct   customField              `json:"struct"`
	Text     string                   `json:"text"`
	TextO    string                   `json:"text_o,omitempty"`
	Odd      string                   `json:"o\"dd 😀"` //nolint:staticcheck // a key that must be escaped
	Dalet    string                   "json:\"\ufb33\""
	Emoji    string                   `json:"😀"`
	hidden   int                      // unexported fields are not members
	skipped  int                      `json:"-"`
	MapList  []map[string]customField `json:"map_list"`
}

func TestEveryKind(t *testing.T) {
	field := customField{Name: "n", Value: "v\n"}
	full := every{
		Bool: true, BoolO: true, Int: 1, Int8: -128, Int16: 32767, Int32: -2147483648, Int64: canon.MaxInt, IntO: -1,
		Kind: "k", List: []customField{field, {}}, ListO: []customField{field}, Lists: [][]int64{{1, 2}, nil, {3}},
		Map: map[status]*customField{"b": &field, "a": nil}, MapO: map[string]int64{"2": 2, "10": 10},
		Maps: map[string]metadata{"y": nil, "x": {"\r": "cr", "😀": "e", "\ufb33": "d"}},
		Meta: map[status]status{"b": "2", "a": "1"}, MetaO: metadata{"": ""}, Names: []status{"z", ""}, NamesO: []status{""},
		Ptr: &field, PtrBool: ptr(false), PtrInt: ptr(seconds(0)), PtrMap: &map[string]string{"a": "b"}, PtrO: &customField{},
		PtrText: ptr(status("")), PtrTextO: ptr(status("t")), Ptrs: []*customField{nil, &field},
		Raw: canon.Raw(`{"a":[null]}`), RawO: canon.Raw(`""`), Raws: []canon.Raw{canon.Raw("1"), nil},
		RawMap: map[string]canon.Raw{"r": canon.Raw("[]")}, Struct: field, Text: "x", TextO: "y", Odd: "o", Dalet: "d", Emoji: "e",
		MapList: []map[string]customField{{"k": field}},
	}
	for _, row := range []struct {
		name  string
		value every
		want  string
	}{
		{"zero", every{}, `{"bool":false,"int":0,"int16":0,"int32":0,"int64":0,"int8":0,"kind":"","list":[],"lists":[],"map":{},"map_list":[],"maps":{},"meta":{},"names":[],"o\"dd 😀":"","ptr":null,"ptr_bool":null,"ptr_int":null,"ptr_map":null,"ptr_text":null,"ptrs":[],"raw":null,"raw_map":{},"raws":[],"struct":{"name":"","value":""},"text":"","😀":"","` + "\ufb33" + `":""}`},
		{"full", full, `{"bool":true,"bool_o":true,"int":1,"int16":32767,"int32":-2147483648,"int64":9007199254740991,"int8":-128,"int_o":-1,"kind":"k","list":[{"name":"n","value":"v\n"},{"name":"","value":""}],"list_o":[{"name":"n","value":"v\n"}],"lists":[[1,2],[],[3]],"map":{"a":null,"b":{"name":"n","value":"v\n"}},"map_list":[{"k":{"name":"n","value":"v\n"}}],"map_o":{"10":10,"2":2},"maps":{"x":{"\r":"cr","😀":"e","` + "\ufb33" + `":"d"},"y":{}},"meta":{"a":"1","b":"2"},"meta_o":{"":""},"names":["z",""],"names_o":[""],"o\"dd 😀":"o","ptr":{"name":"n","value":"v\n"},"ptr_bool":false,"ptr_int":0,"ptr_map":{"a":"b"},"ptr_o":{"name":"","value":""},"ptr_text":"","ptr_text_o":"t","ptrs":[null,{"name":"n","value":"v\n"}],"raw":{"a":[null]},"raw_map":{"r":[]},"raw_o":"","raws":[1,null],"struct":{"name":"n","value":"v\n"},"text":"x","text_o":"y","😀":"e","` + "\ufb33" + `":"d"}`},
		{"empty is nil, unexported is not there", every{
			List: []customField{}, ListO: []customField{}, Map: map[status]*customField{}, MapO: map[string]int64{}, MetaO: metadata{},
			NamesO: []status{}, Raw: canon.Raw{}, RawO: canon.Raw{}, hidden: 1, skipped: 1,
		}, `{"bool":false,"int":0,"int16":0,"int32":0,"int64":0,"int8":0,"kind":"","list":[],"lists":[],"map":{},"map_list":[],"maps":{},"meta":{},"names":[],"o\"dd 😀":"","ptr":null,"ptr_bool":null,"ptr_int":null,"ptr_map":null,"ptr_text":null,"ptrs":[],"raw":null,"raw_map":{},"raws":[],"struct":{"name":"","value":""},"text":"","😀":"","` + "\ufb33" + `":""}`},
	} {
		t.Run(row.name, func(t *testing.T) {
			data := canon.Marshal(&row.value)
			if string(data) != row.want {
				t.Fatalf("got  %s\nwant %s", data, row.want)
			}
			if err := canon.Valid(data); err != nil {
				t.Error(err)
			}
			var back every
			if err := canon.Unmarshal(data, &back); err != nil {
				t.Fatal(err)
			}
			if row.name != "empty is nil, unexported is not there" && !reflect.DeepEqual(back, row.value) {
				t.Errorf("Unmarshal\n got %+v\nwant %+v", back, row.value)
			}
			if again := canon.Marshal(&back); string(again) != row.want {
				t.Errorf("again %s", again)
			}
		})
	}
}

func TestUnmarshalStartsFromZero(t *testing.T) {
	v := customField{Name: "old", Value: "old"}
	if err := canon.Unmarshal([]byte(`{"value":"new"}`), &v); err != nil || v != (customField{Value: "new"}) {
		t.Errorf("missing member: %v, %+v", err, v)
	}
	if err := canon.Unmarshal([]byte(`{"name":"x","value":1}`), &v); err == nil || v != (customField{}) {
		t.Errorf("refused: %v, %+v", err, v)
	}
}

func TestUnmarshalCopiesStrings(t *testing.T) {
	data := canon.Marshal(newCustomer())
	var c customer
	if err := canon.Unmarshal(data, &c); err != nil {
		t.Fatal(err)
	}
	clear(data)
	if !reflect.DeepEqual(&c, newCustomer()) {
		t.Errorf("changed with its input: %+v", c)
	}
}

func TestUnmarshalLongStrings(t *testing.T) {
	want := []string{strings.Repeat("ü", 3000), "a", strings.Repeat("b", 300), strings.Repeat("\"", 1023), "c"}
	for range 4 {
		want = append(want, want...)
	}
	var got []string
	if err := canon.Unmarshal(canon.Marshal(&want), &got); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %d strings", err, len(got))
	}
}

func TestUnmarshalManyElements(t *testing.T) {
	want := make([]customField, 1000)
	for i := range want {
		want[i].Name = strings.Repeat("x", i%7)
	}
	var got []customField
	if err := canon.Unmarshal(canon.Marshal(&want), &got); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %d elements", err, len(got))
	}
}

func TestUnmarshalRefuses(t *testing.T) {
	for _, row := range []struct{ text, want string }{
		{``, "$: the text ends where an object should stand (at byte 0)"},
		{`null`, "$: found null where an object should stand (at byte 0)"},
		{`[]`, "$: found an array where an object should stand (at byte 0)"},
		{`{} `, "$: text after the value (at byte 2)"},
		{`{"kind":"a"}{}`, "$: text after the value (at byte 12)"},
		{`{ }`, "$: found ' ' where a key should stand (at byte 1)"},
		{`{"nope":1}`, "$.nope: unknown member (at byte 1)"},
		{`{"Kind":"k"}`, "$.Kind: unknown member (at byte 1)"},
		{`{"struct":{"name":"","note":1}}`, "$.struct.note: unknown member (at byte 21)"},
		{`{"text":"","kind":""}`, "$.kind: key repeated or out of order (at byte 11)"},
		{`{"text":"","text":""}`, "$.text: key repeated or out of order (at byte 11)"},
		{`{"\u0074ext":""}`, "$: escape is not canonical (at byte 2)"},
		{`{"text" :""}`, "$: found ' ' where ':' should stand (at byte 7)"},
		{`{"text": ""}`, "$.text: found ' ' where a string should stand (at byte 8)"},
		{`{"text":"a"`, "$: the text ends where ',' or '}' should stand (at byte 11)"},
		{`{"text":"\/"}`, "$.text: escape is not canonical (at byte 9)"},
		{`{"text":null}`, "$.text: found null where a string should stand (at byte 8)"},
		{`{"bool":"true"}`, "$.bool: found a string where true or false should stand (at byte 8)"},
		{`{"int":true}`, "$.int: found a boolean where an integer should stand (at byte 7)"},
		{`{"int":1.5}`, "$.int: number 1.5 is not an integer in plain decimal (at byte 7)"},
		{`{"int64":9007199254740992}`, "$.int64: number 9007199254740992 exceeds 2^53-1 in magnitude (at byte 9)"},
		{`{"int8":128}`, "$.int8: number does not fit in int8 (at byte 8)"},
		{`{"int16":-32769}`, "$.int16: number does not fit in int16 (at byte 9)"},
		{`{"int32":2147483648}`, "$.int32: number does not fit in int32 (at byte 9)"},
		{`{"list":{}}`, "$.list: found an object where an array should stand (at byte 8)"},
		{`{"list":[{"name":"a"},{"name":2}]}`, "$.list[1].name: found a number where a string should stand (at byte 30)"},
		{`{"list":[{},]}`, "$.list[1]: found ']' where an object should stand (at byte 12)"},
		{`{"names":["a" ,"b"]}`, "$.names: found ' ' where ',' or ']' should stand (at byte 13)"},
		{`{"names":["a",1]}`, "$.names[1]: found a number where a string should stand (at byte 14)"},
		{`{"meta":{"b":"","a":""}}`, "$.meta.a: key out of order (at byte 16)"},
		{`{"meta":{"a":"","a":""}}`, "$.meta.a: duplicate key (at byte 16)"},
		{`{"meta":{"a":1}}`, "$.meta.a: found a number where a string should stand (at byte 13)"},
		{`{"map":{"a":{"x":1}}}`, "$.map.a.x: unknown member (at byte 13)"},
		{`{"ptr":[]}`, "$.ptr: found an array where an object should stand (at byte 7)"},
		{`{"raw":{"b":1,"a":2}}`, "$.raw.a: key out of order (at byte 14)"},
		{`{"raw":[1.0]}`, "$.raw[0]: number 1.0 is not an integer in plain decimal (at byte 8)"},
		{`{"raw":` + nested(canon.MaxDepth) + `}`, "$.raw" + strings.Repeat("[0]", canon.MaxDepth-1) + ": nested deeper than 64 (at byte 70)"},
	} {
		var v every
		if err := canon.Unmarshal([]byte(row.text), &v); err == nil || err.Error() != row.want {
			t.Errorf("Unmarshal(%s)\n got %v\nwant %s", row.text, err, row.want)
		}
	}
}

type (
	floaty struct {
		F float64 `json:"f"`
	}
	deep struct {
		In []map[string]*floaty `json:"in"`
	}
	timed struct {
		At time.Time `json:"at"`
	}
	timedIn struct {
		time.Time
		A int `json:"a"`
	}
	anyed struct {
		V any `json:"v"`
	}
	bytesed struct {
		B []byte `json:"b"`
	}
	unsigned struct {
		U uint `json:"u"`
	}
	arrayed struct {
		A [2]int `json:"a"`
	}
	untagged struct{ A int }
	dashed   struct {
		A int `json:"-"`
	}
	optioned struct {
		A int `json:"a,string"`
	}
	privy struct {
		identity `json:"a"`
	}
	shadow struct {
		identity
		ID int `json:"id"`
	}
	recursive struct {
		Next *recursive `json:"next"`
	}
	embedded struct{ *identity }
	doubled  struct {
		P **int `json:"p"`
	}
	rawPtr struct {
		P *canon.Raw `json:"p"`
	}
	intKeys struct {
		M map[int]string `json:"m"`
	}
	omitting struct {
		S identity `json:"s,omitempty"`
	}
	eight[T any] [][][][][][][][]T
	deepest      = eight[eight[eight[eight[eight[eight[eight[eight[int]]]]]]]]
	chained      struct {
		C chan int `json:"c"`
	}
)

func checkOf[T any](t *testing.T, want string) {
	t.Helper()
	err := canon.Check[T]()
	if got := errorText(err); got != want {
		t.Errorf("Check\n got %s\nwant %s", got, want)
	}
	if want == "" {
		return
	}
	defer func() {
		if p := recover(); p != want {
			t.Errorf("Marshal\n panics with %v\n        want %s", p, want)
		}
	}()
	canon.Marshal(new(T))
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestCheck(t *testing.T) {
	checkOf[customer](t, "")
	checkOf[every](t, "")
	checkOf[canon.Raw](t, "")
	checkOf[string](t, "")
	checkOf[map[status][]*[]int8](t, "")
	checkOf[struct{}](t, "")

	checkOf[deepest](t, "")
	if err := canon.Check[[]deepest](); err == nil || !strings.HasSuffix(err.Error(), "nests deeper than 64") {
		t.Errorf("Check of 65 slices in each other: %v", err)
	}

	checkOf[float64](t, "canon: float64 is not codec-able")
	checkOf[any](t, "canon: interface {} is not codec-able")
	checkOf[floaty](t, "canon: canon_test.floaty.F: float64 is not codec-able")
	checkOf[deep](t, "canon: canon_test.deep.In: []map[string]*canon_test.floaty: map[string]*canon_test.floaty: *canon_test.floaty: canon_test.floaty.F: float64 is not codec-able")
	checkOf[timed](t, "canon: canon_test.timed.At: time.Time has no exported field")
	checkOf[timedIn](t, "canon: canon_test.timedIn.Time: time.Time has no exported field")
	checkOf[anyed](t, "canon: canon_test.anyed.V: interface {} is not codec-able")
	checkOf[bytesed](t, "canon: canon_test.bytesed.B: []uint8: uint8 is not codec-able")
	checkOf[unsigned](t, "canon: canon_test.unsigned.U: uint is not codec-able")
	checkOf[arrayed](t, "canon: canon_test.arrayed.A: [2]int is not codec-able")
	checkOf[untagged](t, "canon: canon_test.untagged.A: exported field has no json name")
	checkOf[dashed](t, `canon: canon_test.dashed.A: json:"-" on an exported field`)
	checkOf[optioned](t, `canon: canon_test.optioned.A: json option "string" is not supported`)
	checkOf[privy](t, "canon: canon_test.privy.identity: unexported field has a json tag")
	checkOf[shadow](t, `canon: canon_test.shadow has two fields named "id"`)
	checkOf[recursive](t, "canon: canon_test.recursive.Next: *canon_test.recursive: canon_test.recursive is recursive")
	checkOf[embedded](t, "canon: canon_test.embedded.identity: embedded pointer, embed the struct itself")
	checkOf[doubled](t, "canon: canon_test.doubled.P: **int has two ways to be null")
	checkOf[rawPtr](t, "canon: canon_test.rawPtr.P: *canon.Raw has two ways to be null")
	checkOf[intKeys](t, "canon: canon_test.intKeys.M: map[int]string has keys that are not strings")
	checkOf[omitting](t, "canon: canon_test.omitting.S: omitempty on a struct, use a pointer")
	checkOf[chained](t, "canon: canon_test.chained.C: chan int is not codec-able")
}

func TestAppendPanics(t *testing.T) {
	for _, row := range []struct {
		name, want string
		do         func()
	}{
		{"string", `canon: string is not valid UTF-8: "long enough \xff"`, func() { canon.AppendString(nil, "long enough \xff") }},
		{"cut sequence", `canon: string is not valid UTF-8: "é\xc3"`, func() { canon.AppendString(nil, "é\xc3") }},
		{"sequence cut by ASCII", `canon: string is not valid UTF-8: "\xc3a\xa9"`, func() { canon.AppendString(nil, "\xc3a\xa9") }},
		{"field", `canon: string is not valid UTF-8: "\xff"`, func() { canon.Marshal(&customField{Name: "\xff"}) }},
		{"key", `canon: string is not valid UTF-8: "\xff"`, func() { canon.Marshal(&metadata{"\xff": ""}) }},
		{"integer", "canon: integer beyond 2^53-1: 9007199254740992", func() { canon.AppendInt(nil, canon.MaxInt+1) }},
		{"negative integer", "canon: integer beyond 2^53-1: -9007199254740992", func() { canon.AppendInt(nil, -canon.MaxInt-1) }},
		{"integer field", "canon: integer beyond 2^53-1: 9223372036854775807", func() { canon.Marshal(ptr(int64(1<<63 - 1))) }},
	} {
		t.Run(row.name, func(t *testing.T) {
			defer func() {
				if p := recover(); p != row.want {
					t.Errorf("panics with %v\n        want %s", p, row.want)
				}
			}()
			row.do()
		})
	}
}
