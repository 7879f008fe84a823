package twin_test

import (
	"fmt"
	"strings"
	"testing"

	"worlds/journal/canon"
	"worlds/twin"
)

// echoParams has a field of every kind; echo says how each arrived.
type echoParams struct {
	pageParams
	Amount twin.Opt[twin.Money]    `param:"amount" rule:"min=1,max=100"`
	Color  twin.Opt[string]        `param:"color" rule:"enum=red|green|blue"`
	Count  twin.Opt[int64]         `param:"count"`
	Flag   twin.Opt[bool]          `param:"flag"`
	Gone   twin.Opt[string]        `param:"gone" rule:"empty,enum=yes|no"`
	Item   twin.Opt[itemParams]    `param:"item" rule:"empty"`
	Items  twin.Opt[[]itemParams]  `param:"items"`
	Meta   twin.Opt[twin.Metadata] `param:"meta"`
	Name   twin.Opt[string]        `param:"name" rule:"required,len=5"`
	Tags   twin.Opt[[]string]      `param:"tags" rule:"len=3"`
	When   twin.Opt[twin.Range]    `param:"when"`
}

// pageParams are embedded: their fields are the route's own.
type pageParams struct {
	Limit twin.Opt[int64] `param:"limit" rule:"min=1,max=10"`
}

type itemParams struct {
	Price twin.Opt[string] `param:"price" rule:"required"`
	Qty   twin.Opt[int64]  `param:"qty" rule:"min=0"`
}

func (p *echoParams) Check() *twin.Error {
	if p.Count.Given() && p.Amount.Given() {
		return plainly(400, "amount and count")
	}
	return nil
}

// tri writes an Opt: - absent, ~ sent empty, or the value.
func tri[T any](o twin.Opt[T]) string {
	switch {
	case !o.Sent():
		return "-"
	case o.Cleared():
		return "~"
	}
	return fmt.Sprint(o.V)
}

func (p itemParams) String() string { return tri(p.Price) + "x" + tri(p.Qty) }

func echo(_ *twin.Tx, p *echoParams) (twin.Doc, *twin.Error) {
	var out []string
	for _, f := range [][2]string{
		{"amount", tri(p.Amount)}, {"color", tri(p.Color)}, {"count", tri(p.Count)}, {"flag", tri(p.Flag)}, {"gone", tri(p.Gone)},
		{"item", tri(p.Item)}, {"items", tri(p.Items)}, {"limit", tri(p.Limit)}, {"meta", tri(p.Meta)}, {"tags", tri(p.Tags)},
		{"gt", tri(p.When.V.GT)}, {"gte", tri(p.When.V.GTE)}, {"lt", tri(p.When.V.LT)}, {"lte", tri(p.When.V.LTE)}, {"eq", tri(p.When.V.Eq)},
	} {
		if f[1] != "-" {
			out = append(out, f[0]+"="+f[1])
		}
	}
	return twin.Doc{Body: append(canon.AppendString([]byte(`{"error":`), strings.Join(out, " ")), '}')}, nil
}

func TestParamsBind(t *testing.T) {
	w := newWorld(t)
	for _, row := range [][2]string{
		{"", ""},
		{"&amount=5", "amount=5"},
		{"&amount=100", "amount=100"},
		{"&count=-9007199254740991", "count=-9007199254740991"},
		{"&count=007", "count=7"},
		{"&flag=true", "flag=true"},
		{"&flag=false", "flag=false"},
		{"&flag=True", "flag=true"},
		{"&flag=False", "flag=false"},
		{"&color=blue", "color=blue"},
		{"&gone=", "gone=~"},
		{"&gone=no", "gone=no"},
		{"&item=", "item=~"},
		{"&item[price]=p&item[qty]=0", "item=px0"},
		{"&items[][price]=p&items[][qty]=2&items[][price]=q", "items=[px2 qx-]"},
		{"&items[1][price]=q&items[0][price]=p", "items=[px- qx-]"},
		{"&items[7][price]=q&items[3][price]=p", "items=[px- qx-]"},
		{"&tags[]=a&tags[]=b", "tags=[a b]"},
		{"&tags[5]=a&tags[]=b", "tags=[a b]"},
		{"&limit=10", "limit=10"},
		{"&meta[a]=1&meta[b]=", "meta=map[a:1 b:]"},
		{"&meta=", "meta=~"},
		{"&meta[0]=x", "meta=map[0:x]"},
		{"&when=5", "eq=5"},
		{"&when[gte]=1&when[lt]=9", "gte=1 lt=9"},
		{"&when[gt]=1&when[lte]=-9", "gt=1 lte=-9"},
		{"&name=a&name=b", ""},
		{"&name=😀😀😀😀😀", ""},
	} {
		if got, want := said(w.do("", "POST /params name=x"+row[0])), "200 "+row[1]; got != want {
			t.Errorf("%s\n got %s\nwant %s", row[0], got, want)
		}
	}
}

// violations are forms and what is wrong with them.
var violations = [][2]string{
	// Missing.
	{"", "missing name"},
	{"name=x&item[qty]=1", "missing item[price]"},
	{"name=x&items[0][price]=a&items[1][qty]=1", "missing items[1][price]"},
	// Empty, where it cannot be unset.
	{"name=", "empty name"},
	{"name=x&amount=", "empty amount"},
	{"name=x&flag=", "empty flag"},
	{"name=x&tags=", "empty tags"},
	{"name=x&items[0]=", "bad type object items[0]"},
	{"name=x&item[qty]=", "empty item[qty]"},
	{"name=x&when=", "empty when"},
	{"name=x&when[gt]=", "empty when[gt]"},
	// Integers.
	{"name=x&count=1.0", "bad integer count '1.0'"},
	{"name=x&count=1e3", "bad integer count '1e3'"},
	{"name=x&count=%2B1", "bad integer count '+1'"},
	{"name=x&count=0x1", "bad integer count '0x1'"},
	{"name=x&count=1_0", "bad integer count '1_0'"},
	{"name=x&count=+1", "bad integer count ' 1'"},
	{"name=x&count=1+", "bad integer count '1 '"},
	{"name=x&count=-", "bad integer count '-'"},
	{"name=x&count=--1", "bad integer count '--1'"},
	{"name=x&count=%D9%A3", "bad integer count '٣'"},
	{"name=x&count=9007199254740992", "bad integer count '9007199254740992'"},
	{"name=x&count=-9007199254740992", "bad integer count '-9007199254740992'"},
	{"name=x&count=18446744073709551617", "bad integer count '18446744073709551617'"},
	{"name=x&when=soon", "bad integer when 'soon'"},
	{"name=x&when[gt]=1.5", "bad integer when[gt] '1.5'"},
	// Bounds.
	{"name=x&amount=0", "below amount '0' 1"},
	{"name=x&amount=101", "above amount '101' 100"},
	{"name=x&limit=11", "above limit '11' 10"},
	{"name=x&items[0][price]=p&items[0][qty]=-1", "below items[0][qty] '-1'"},
	// Lengths, in characters.
	{"name=sixsix", "too long name 5"},
	{"name=éééééé", "too long name 5"}, // characters, not bytes
	{"name=😀😀😀😀😀😀", "too long name 5"},
	{"name=x&tags[]=four", "too long tags[0] 3"},
	{"name=x&item[price]=" + strings.Repeat("x", twin.StringMax+1), "too long item[price] 5000"},
	{"name=x&meta[" + strings.Repeat("k", 41) + "]=1", "too long key meta[" + strings.Repeat("k", 41) + "] 40"},
	{"name=x&meta[k]=" + strings.Repeat("v", 501), "too long value meta[k] 500"},
	// Enums.
	{"name=x&color=pink", "not one of color 'pink' red|green|blue"},
	{"name=x&color=RED", "not one of color 'RED' red|green|blue"},
	{"name=x&gone=maybe", "not one of gone 'maybe' yes|no"},
	// Types.
	{"name=x&flag=TRUE", "bad type boolean flag 'TRUE'"},
	{"name=x&flag=1", "bad type boolean flag '1'"},
	{"name=x&flag[a]=true", `bad type boolean flag '{"a":"true"}'`},
	{"name[a]=x", `bad type string name '{"a":"x"}'`},
	{"name[]=x", `bad type string name '["x"]'`},
	{"name[0]=x&name[1][b]=y", `bad type string name '{"0":"x","1":{"b":"y"}}'`},
	{"name=x&tags=a", "bad type array tags 'a'"},
	{"name=x&tags[a]=b", "bad type array tags"},
	{"name=x&tags[0][a]=b", `bad type string tags[0] '{"a":"b"}'`},
	{"name=x&items=a", "bad type array items 'a'"},
	{"name=x&items[0]=a", "bad type object items[0] 'a'"},
	{"name=x&item=a", "bad type object item 'a'"},
	{"name=x&meta=a", "bad type object meta 'a'"},
	{"name=x&meta[a][b]=1", `bad type string meta[a] '{"b":"1"}'`},
	// Unknown, at any depth, all of them, before anything else.
	{"nope=1", "unknown nope"},
	{"name=x&nope=1&also=2", "unknown nope,also"},
	{"name=x&item[price]=p&item[color]=red", "unknown item[color]"},
	{"name=x&items[0][price]=p&items[0][x]=1&items[1][y]=2", "unknown items[0][x],items[1][y]"},
	{"name=x&when[about]=1", "unknown when[about]"},
	{"name=x&Limit=1", "unknown Limit"},
	{"name=x&[]=1", "malformed [] 'the parameter name is not well formed'"},
	{"amount=zero&nope=1", "unknown nope"},
	// The first fault in the order they came; what is missing last.
	{"count=a&amount=b", "bad integer count 'a'"},
	{"amount=b&count=a", "bad integer amount 'b'"},
	{"amount=b", "bad integer amount 'b'"},
	// Across fields, once each field is good.
	{"name=x&amount=1&count=1", "amount and count"},
	{"name=x&amount=1&count=a", "bad integer count 'a'"},
	{"amount=1&count=1", "missing name"},
	// The text itself.
	{"name=%zz", "malformed name 'the value is not valid form encoding'"},
	{strings.Repeat("tags[]=a&", 1001) + "name=x", "too many 1000"},
}

func TestParamsViolations(t *testing.T) {
	w := newWorld(t)
	before := w.dump()
	for _, row := range violations {
		for _, method := range []string{"POST", "GET"} {
			out := w.do("", method+" /params "+row[0])
			if got, want := said(out), "400 "+row[1]; got != want {
				t.Errorf("%s %.60s\n got %s\nwant %s", method, row[0], got, want)
			}
			if out.Changed || w.dump() != before {
				t.Errorf("%s %.60s changed the world", method, row[0])
			}
		}
	}
}

// A struct that breaks the rules is our own mistake, told at once.
func TestParamsThatCannotBe(t *testing.T) {
	type noOpt struct {
		Name string `param:"name"`
	}
	type noTag struct{ Name twin.Opt[string] }
	type badRule struct {
		Name twin.Opt[string] `param:"name" rule:"optional"`
	}
	type badNumber struct {
		Name twin.Opt[string] `param:"name" rule:"len=many"`
	}
	type path struct {
		ID string `path:"id"`
	}
	for name, declare := range map[string]func(){
		"noOpt":                func() { twin.On("GET /a", endpoint[noOpt]) },
		"noTag":                func() { twin.On("GET /a", endpoint[noTag]) },
		"badRule":              func() { twin.On("GET /a", endpoint[badRule]) },
		"badNumber":            func() { twin.On("GET /a", endpoint[badNumber]) },
		"no such segment":      func() { twin.On("GET /a", endpoint[path]) },
		"segment without path": func() { twin.On("GET /a/{id}", endpoint[struct{}]) },
		"no method":            func() { twin.On("/a", endpoint[struct{}]) },
		"no slash":             func() { twin.On("GET a", endpoint[struct{}]) },
		"a route twice": func() {
			twin.NewCatalog("x", twin.Dialect{}, twin.Wire{}, twin.API{Routes: []twin.Route{
				twin.On("GET /a/{id}", endpoint[path]), twin.On("GET /a/{id}", endpoint[path])}})
		},
		"a kind twice": func() {
			twin.NewCatalog("x", twin.Dialect{}, twin.Wire{}, twin.API{Kind: things.Kind}, twin.API{Kind: things.Kind})
		},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s is accepted", name)
				}
			}()
			declare()
		}()
	}
}

func endpoint[P any](*twin.Tx, *P) (twin.Doc, *twin.Error) { return twin.Doc{}, nil }

func TestRouteParams(t *testing.T) {
	want := "limit amount color count flag gone item[price] item[qty] items[][price] items[][qty] meta name tags[] when"
	r := twin.On("POST /params", echo)
	if got := strings.Join(r.Params(), " "); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestRange(t *testing.T) {
	for _, row := range []struct {
		r    twin.Range
		want string
	}{
		{twin.Range{}, "1 2 3"},
		{twin.Range{GT: twin.Set(int64(1))}, "2 3"},
		{twin.Range{GTE: twin.Set(int64(2)), LTE: twin.Set(int64(2))}, "2"},
		{twin.Range{LT: twin.Set(int64(2))}, "1"},
		{twin.Range{Eq: twin.Set(int64(3))}, "3"},
		{twin.Range{GT: twin.Set(int64(2)), LT: twin.Set(int64(2))}, ""},
	} {
		var got []string
		for n := int64(1); n <= 3; n++ {
			if row.r.Has(n) {
				got = append(got, fmt.Sprint(n))
			}
		}
		if strings.Join(got, " ") != row.want {
			t.Errorf("%+v has %v, want %s", row.r, got, row.want)
		}
	}
}

func TestOpt(t *testing.T) {
	var field *string
	twin.Set("a").Apply(&field)
	if field == nil || *field != "a" {
		t.Fatalf("given: %v", field)
	}
	twin.Opt[string]{}.Apply(&field)
	if field == nil || *field != "a" {
		t.Errorf("absent: %v", field)
	}
	if got := (twin.Opt[string]{}).Or("b"); got != "b" {
		t.Errorf("Or: %s", got)
	}
	if got := twin.Set("a").Or("b"); got != "a" {
		t.Errorf("Or: %s", got)
	}
}
