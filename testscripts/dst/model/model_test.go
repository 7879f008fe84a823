package model_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"worlds/testscripts/dst/model"
)

func names() *model.Names {
	return model.NewNames(func(kind, id string) bool { return strings.HasPrefix(id, kind+"_") })
}

func value(t *testing.T, text string) model.Value {
	t.Helper()
	v, err := model.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestCompareSaysWhere(t *testing.T) {
	one, two := model.Symbol("in", 1), model.Symbol("in", 2)
	for _, c := range []struct {
		want model.Value
		got  string
		diff string
	}{
		{model.Obj("id", one, "n", 3, "gone", model.Value{}), `{"n":3,"id":"in_a"}`, ""},
		{model.Obj("id", one, "n", 3), `{"n":4,"id":"in_a"}`, ".n: got 4, want 3"},
		{model.Obj("id", one), `{"id":"cus_a"}`, `.id: got "cus_a", want "⟨in#1⟩" ("cus_a" is no id of kind in)`},
		{model.Obj("a", one, "b", two), `{"a":"in_a","b":"in_a"}`, `.b: got "in_a", want "⟨in#2⟩" (in_a is ⟨in#1⟩ already)`},
		{model.Obj("a", one, "b", one), `{"a":"in_a","b":"in_b"}`, `.b: got "in_b", want "⟨in#1⟩" (⟨in#1⟩ is in_a)`},
		{model.Obj("url", "/v1/invoices/"+one+"/lines", "id", one), `{"url":"/v1/invoices/in_a/lines","id":"in_a"}`, ""},
		{model.Obj("url", "/v1/invoices/"+one+"/lines"), `{"url":"/v1/invoices/in_a/line"}`,
			`.url: got "/v1/invoices/in_a/line", want "/v1/invoices/⟨in#1⟩/lines" (texts differ)`},
		{model.Obj("a", model.Any, "b", model.Free), `{"a":null}`, ""},
		{model.Obj("a", model.Any), `{}`, ".a: got (absent), want (anything)"},
		{model.Obj(), `{"a":1}`, ".a: got 1, want (absent)"},
		{model.Seq(model.Int(1)), `[1,2]`, ": got [1,2], want [1] (1 elements)"},
		{model.Seq(model.Obj("x", model.Str("1"))), `[{"x":1}]`, `[0].x: got 1, want "1"`},
		{model.Decimal("12.5"), `12.5`, ""},
	} {
		got := ""
		for _, d := range model.Compare(c.want, value(t, c.got), names()) {
			got += d.String()
		}
		if got != c.diff {
			t.Errorf("%s against %s:\n got %s\nwant %s", c.got, c.want, got, c.diff)
		}
	}
}

func TestNamesAreOneToOne(t *testing.T) {
	n := names()
	one := model.Symbol("in", 1)
	if err := n.Bind(one, "in_a"); err != nil {
		t.Fatal(err)
	}
	if id, _ := n.ID(one); id != "in_a" || n.Symbol("in", "in_a") != one || n.Symbol("in", "in_b") != "in_b" {
		t.Errorf("%s is %s and back %s", one, id, n.Symbol("in", "in_a"))
	}
	if n.Bind(one, "in_b") == nil || n.Bind(model.Symbol("in", 2), "in_a") == nil {
		t.Error("a second binding was accepted")
	}
}

func TestParseRefusesTrailingText(t *testing.T) {
	for _, text := range []string{`{} x`, `{`, ``, `[1,]`} {
		if v, err := model.Parse([]byte(text)); err == nil {
			t.Errorf("%q was read as %s", text, v)
		}
	}
}

// TestParseReadsAsAnyReaderDoes: what Parse makes of a text is what encoding/json does.
func TestParseReadsAsAnyReaderDoes(t *testing.T) {
	for _, text := range []string{
		`null`, ` true `, `-1.5e+3`, `[]`, `{}`, `"a"`, `[1, [2 ,{}] , "x"]`, "{\n\t\"a\" : { \"b\" :\r [ ] } }",
		`"\u00e9\n\"\\\/ é 👩‍🚀 \ud83d\ude00"`, `{"a\"}":"]}\\","":0,"a":[{"b":null},false]}`, "\"\xff\\\\\"",
	} {
		var want any
		d := json.NewDecoder(strings.NewReader(text))
		d.UseNumber()
		if err := d.Decode(&want); err != nil {
			t.Fatal(err)
		}
		if got := plain(value(t, text)); !reflect.DeepEqual(got, want) {
			t.Errorf("%s is read as %#v, not %#v", text, got, want)
		}
	}
}

// plain is a value as encoding/json has it.
func plain(v model.Value) any {
	switch v.Kind {
	case model.True, model.False:
		return v.Kind == model.True
	case model.Number:
		return json.Number(v.Text)
	case model.String:
		return v.Text
	case model.Array:
		list := []any{}
		for _, e := range v.List {
			list = append(list, plain(e))
		}
		return list
	case model.Object:
		object := map[string]any{}
		for _, m := range v.Members {
			object[m.Name] = plain(m.Value)
		}
		return object
	}
	return nil
}

func TestNamesForgetWhatWasTried(t *testing.T) {
	n := names()
	kept, tried := model.Symbol("in", 1), model.Symbol("in", 2)
	if err := n.Bind(kept, "in_a"); err != nil {
		t.Fatal(err)
	}
	n.Try(func() {
		if err := n.Bind(tried, "in_b"); err != nil || n.Symbol("in", "in_b") != tried {
			t.Errorf("nothing is learnt meanwhile: %v", err)
		}
	})
	if _, ok := n.ID(tried); ok || n.Symbol("in", "in_b") != "in_b" || n.Symbol("in", "in_a") != kept {
		t.Error("more or less was forgotten than was tried")
	}
}
