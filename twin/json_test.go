package twin_test

import (
	"strings"
	"testing"

	"worlds/projection"
	"worlds/twin"
)

// jsonWorld is a machine of one API whose bodies are JSON, which ignores what it
// does not know.
func jsonWorld() *twin.Machine {
	d := toyDialect()
	d.JSON, d.Lenient = true, true
	d.Canonical = func(method, path string) (string, string) { return method, strings.TrimSuffix(path, ".json") }
	d.Admit = func(tx *twin.Tx) *twin.Error {
		if as, behalf := tx.Caller(); as == "stranger" || behalf == "stranger" {
			return plainly(401, "who")
		}
		return nil
	}
	c := twin.NewCatalog("json", d, twin.Wire{}, twin.API{Routes: []twin.Route{twin.On("POST /params", echo)}})
	return twin.NewMachine(projection.New(), twin.Spec{SeedHash: strings.Repeat("0", 64)}, c)
}

func TestJSONBodies(t *testing.T) {
	for _, row := range [][3]string{
		{`{"name":"x"}`, "200 ", ""},
		{` {"name":"x","amount":5,"flag":true} `, "200 amount=5 flag=true", ""},
		{`{"name":"x","gone":null,"item":null}`, "200 gone=~ item=~", ""},
		{`{"name":"x","amount":null,"flag":null,"items":null}`, "200 ", ""}, // null says nothing where there is nothing to clear
		{`{"name":""}`, "200 ", ""}, // "" is a value
		{`{"name":"x","item":{"price":"p","qty":0}}`, "200 item=px0", ""},
		{`{"name":"x","items":[{"price":"p"},{"price":"q","qty":2}]}`, "200 items=[px- qx2]", ""},
		{`{"name":"x","items":[]}`, "200 items=[]", ""},
		{`{"name":"x","tags":["a","b"]}`, "200 tags=[a b]", ""},
		{`{"name":"x","when":5}`, "200 eq=5", ""},
		{`{"name":"x","when":{"gte":1}}`, "200 gte=1", ""},
		{`{"name":"x","more":1,"item":{"price":"p","less":{"a":[]}},"items":[{"price":"q","z":0}]}`, "200 item=px- items=[qx-]",
			`"ignored":["item[less]","items[0][z]","more"]`},
		{`{"name":null}`, "400 missing name", ""},
		{`{}`, "400 missing name", ""},
		{``, "400 missing name", ""},
		{`{"name":5}`, "400 bad type string name '5'", ""},
		{`{"name":"x","flag":"true"}`, `400 bad type boolean flag '"true"'`, ""},
		{`{"name":"x","count":"5"}`, "200 count=5", ""},
		{`{"name":"x","count":"5x"}`, `400 bad type integer count '"5x"'`, ""},
		{`{"name":"x","count":"7-5"}`, "400 bad integer count", ""},
		{`{"name":"x","amount":101}`, "400 above amount '101' 100", ""},
		{`{"name":"x","items":{"0":{}}}`, "400 bad type array items", ""},
		{`{"name":"x","items":[5]}`, "400 bad type object items[0] '5'", ""},
		{`{"name":"x","item":[]}`, "400 bad type object item", ""},
		{`{"name":"x","tags":[null]}`, "400 bad type string tags[0] 'null'", ""},
		{`[]`, "400 malformed", ""},
		{`{"name":"x"`, "400 malformed", ""},
		{`{"name":"x","name":"y"}`, "400 malformed", ""},
		{`{"name":"x","count":1.5}`, "400 malformed", ""},
	} {
		o := jsonWorld().Execute(1, &twin.Command{Actor: "key:1", API: "json", Method: "POST", Path: "/params.json", Body: row[0]})
		if got := said(o); !strings.HasPrefix(got, row[1]) || row[1] == "200 " && got != "200 " {
			t.Errorf("%s\n got %s\nwant %s", row[0], got, row[1])
		}
		if row[2] != "" && !strings.Contains(string(o.Reply), row[2]) || row[2] == "" && strings.Contains(string(o.Reply), "ignored") {
			t.Errorf("%s\n got %s\nwant %s", row[0], o.Reply, row[2])
		}
	}
}

// The query stays a form; a caller who is not admitted learns nothing of routes.
func TestJSONQueryAndCallers(t *testing.T) {
	run := func(cmd twin.Command) string {
		cmd.Actor, cmd.API, cmd.Method = "key:1", "json", "POST"
		out := jsonWorld().Execute(1, &cmd)
		return said(out)
	}
	if got := run(twin.Command{Path: "/params", Query: "count=7&when[gt]=1", Body: `{"name":"x"}`}); got != "200 count=7 gt=1" {
		t.Error(got)
	}
	for _, cmd := range []twin.Command{{Path: "/nothing", As: "stranger"}, {Path: "/params", Behalf: "stranger", Body: "{"}} {
		if got := run(cmd); got != "401 who" {
			t.Error(got)
		}
	}
}
