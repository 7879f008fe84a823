package twin_test

import (
	"bytes"
	"strings"
	"testing"

	"worlds/journal/canon"
	"worlds/projection"
	"worlds/twin"
)

// newShapedWorld has version 2 as an older shape of the toy: it calls a name a
// title, shows it in capitals, has no friends, and expands a place's keeper at its
// own name.
func newShapedWorld(t *testing.T) *world {
	c := toyCatalog()
	shape := &twin.Shape{
		Show: func(st *projection.State, body canon.Raw) canon.Raw {
			name, ok := canon.Get(body, "name")
			if !ok {
				return body
			}
			shown := bytes.Replace(body, name, bytes.ToUpper(name), 1)
			if st.Len(things.Table) > 1 {
				shown = bytes.Replace(shown, []byte(`"place"`), []byte(`"place of many"`), 1)
			}
			return shown
		},
		Routes: [][2]string{{"GET /objects/x", "GET /things/x"}, {"GET /objects", ""}},
		Aliases: []twin.Alias{
			{Route: "POST /things", Asked: "title", Name: "name"},
			{Route: "POST /things", Asked: "friend", Name: "friends[0]", With: "name=friendly"},
		},
		Blame: func(refusal canon.Raw, name, asked string) canon.Raw {
			return canon.Raw(strings.ReplaceAll(string(refusal), name, asked))
		},
		Expand: map[string]map[string]string{"thing": {"owner": twin.NotExpanded, "name": "owner"}},
	}
	c.Shape = func(version string) *twin.Shape {
		if version == "2" {
			return shape
		}
		return nil
	}
	return &world{t: t, machine: twin.NewMachine(projection.New(), twin.Spec{SeedHash: toySeedHash}, c)}
}

func (w *world) in(version, key, line string) twin.Outcome {
	method, rest, _ := strings.Cut(line, " ")
	path, form, _ := strings.Cut(rest, " ")
	cmd := &twin.Command{Actor: "key:1", API: "toy", Method: method, Path: path, Body: form, Idem: key, Version: version}
	if method == "GET" {
		cmd.Query, cmd.Body = form, ""
	}
	return w.run(cmd)
}

func TestShapes(t *testing.T) {
	w := newShapedWorld(t)
	const x = `"friends":[],"id":"x",`
	const rest = `,"object":"thing","owner":null,"parts":null,"place":{"keeper":null},"sub":[]}`
	for _, row := range []struct{ version, line, want string }{
		// Aliases are the older shape's alone, and refusals call them as they were sent.
		{"1", "POST /things id=x&title=one", "400 unknown title"},
		{"2", "POST /things id=x&title[a]=one", `400 bad type string title '{"a":"one"}'`},
		{"2", "POST /things id=x&title=one", `200 {` + x + `"name":"ONE"` + rest},
		// The stored shape is what is kept.
		{"1", "GET /things/x", `200 {` + x + `"name":"one"` + rest},
		{"2", "GET /things/x", `200 {` + x + `"name":"ONE"` + rest},
		// Routes.
		{"2", "GET /objects/x", `200 {` + x + `"name":"ONE"` + rest},
		{"1", "GET /objects/x", "404 no route GET /objects/x"},
		{"2", "GET /objects", "501 GET /objects is not served"},
		// Expansion.
		{"2", "GET /things/x expand[]=owner", "400 cannot expand owner"},
		{"2", "GET /things/x expand[]=name", `200 {` + x + `"name":"ONE"` + rest},
		{"1", "GET /things/x expand[]=name", "400 cannot expand name"},
		// An alias that brings another parameter along, and one that clears.
		{"2", "POST /things id=y&friend=o", `200 {"friends":["o"],"id":"y","name":"FRIENDLY","object":"thing","owner":null,"parts":null,"place of many":{"keeper":null},"sub":[]}`},
		{"2", "POST /things id=z&friend=", "400 empty friends"},
	} {
		if got := said(w.in(row.version, "", row.line)); got != row.want {
			t.Errorf("%s %s\n got %s\nwant %s", row.version, row.line, got, row.want)
		}
	}
}

// A repeat is the first answer, whatever has happened since and whatever version
// asks again.
func TestShapedRepeat(t *testing.T) {
	w := newShapedWorld(t)
	w.in("1", "", "POST /things id=x&name=one")
	first := w.in("2", "ik_1", "POST /things/x/fine name=two")
	w.in("1", "", "POST /things id=y") // from now on x is shown otherwise
	again := w.in("1", "ik_1", "POST /things/x/fine name=two")
	if !bytes.Equal(first.Body, again.Body) || again.Version != "2" || again.Replayed == "" {
		t.Errorf("first %s\nagain %s (%s)", first.Body, again.Body, again.Version)
	}
	if bytes.Equal(first.Body, w.in("2", "", "GET /things/x").Body) {
		t.Error("the repeat proves nothing")
	}
}
