package twin_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"worlds/journal/canon"
	"worlds/projection"
	"worlds/twin"
)

// The toy API: owners and the things they have. Its refusals say what the kernel
// told it, in plain words, so that tests read them.

type owner struct {
	Boss   *string `json:"boss"`
	ID     string  `json:"id"`
	Object string  `json:"object"`
}

type thing struct {
	Friends []string   `json:"friends"`
	ID      string     `json:"id"`
	Name    string     `json:"name"`
	Object  string     `json:"object"`
	Owner   *string    `json:"owner"`
	Parts   *partsList `json:"parts"`
	Place   place      `json:"place"`
	Sub     []piece    `json:"sub"`
}

// place is a nested object without a kind.
type place struct {
	Keeper *string `json:"keeper"`
}

// piece is an element with an id to expand.
type piece struct {
	Object string  `json:"object"`
	Owner  *string `json:"owner"`
}

type partsList struct {
	Data   []piece `json:"data"`
	Object string  `json:"object"`
}

var owners = twin.Resource[owner]{
	Kind: twin.Kind{Table: "toy.owner", Object: "owner", Prefix: "own", Digits: 8},
	Key:  func(o *owner) string { return o.ID },
}

var things = twin.Resource[thing]{
	Kind: twin.Kind{Table: "toy.thing", Object: "thing", Prefix: "thg", Digits: 8},
	Key:  func(x *thing) string { return x.ID },
}

func toyCatalog() *twin.Catalog {
	return twin.NewCatalog("toy", toyDialect(), twin.Wire{},
		twin.API{
			Kind: owners.Kind,
			Routes: []twin.Route{
				twin.On("POST /owners", createOwner),
				twin.On("DELETE /owners/{id}", deleteOwner),
			},
			Expand: map[string]string{"boss": "owner"},
		},
		twin.API{
			Kind: things.Kind,
			Routes: []twin.Route{
				twin.On("POST /things", createThing),
				twin.On("GET /things", listThings),
				twin.On("GET /things/{id}", retrieveThing),
				twin.On("POST /things/{id}/{how}", tryThing),
			},
			Expand: map[string]string{
				"friends": "owner", "owner": "owner", "place.keeper": "owner", "parts": "", "sub": "", "ghost": "ghost",
			},
			Include: map[string]twin.Include{
				"count": func(tx *twin.Tx, x canon.Raw) canon.Raw {
					return canon.AppendInt(nil, int64(tx.State().Len(things.Table)))
				},
				"first": func(tx *twin.Tx, x canon.Raw) canon.Raw {
					for row := range tx.State().Oldest(owners.Table, 0) {
						return row.Body
					}
					return canon.Raw("null")
				},
			},
		},
		twin.API{Kind: twin.Kind{Object: "piece"}, Expand: map[string]string{"owner": "owner"}},
		twin.API{Routes: []twin.Route{twin.On("POST /params", echo), twin.On("GET /params", echo)}},
	)
}

// plainly is a refusal in words.
func plainly(status int64, format string, args ...any) *twin.Error {
	body := append(canon.AppendString([]byte(`{"error":`), fmt.Sprintf(format, args...)), '}')
	return &twin.Error{Status: status, Body: body}
}

var kindNames = [...]string{"malformed", "too many", "unknown", "bad type", "bad integer", "below", "above", "too long", "not one of", "no email", "empty", "missing"}

func toyDialect() twin.Dialect {
	return twin.Dialect{
		EventPrefix: "evt", EventDigits: 8, ExpandParam: "expand", DefaultVersion: "1",
		Version: func(asked string) *twin.Error {
			if asked != "1" && asked != "2" {
				return plainly(400, "version %s", asked)
			}
			return nil
		},
		Refuse: func(r *twin.Route, v *twin.Violation) *twin.Error {
			words := []string{kindNames[v.Kind]}
			if v.Want != "" {
				words = append(words, v.Want)
			}
			if v.Names != nil {
				words = append(words, strings.Join(v.Names, ","))
			} else if v.Param != "" {
				words = append(words, v.Param)
			}
			if v.Value != "" && v.Kind != twin.TooLong {
				words = append(words, "'"+v.Value+"'")
			}
			if v.Limit != 0 {
				words = append(words, fmt.Sprint(v.Limit))
			}
			if v.Options != nil {
				words = append(words, strings.Join(v.Options, "|"))
			}
			return plainly(400, "%s", strings.Join(words, " "))
		},
		NoRoute: func(method, path string) *twin.Error { return plainly(404, "no route %s %s", method, path) },
		NotExpandable: func(path string, hint bool) *twin.Error {
			if hint {
				return plainly(400, "cannot expand %s, try data.%s", path, path)
			}
			return plainly(400, "cannot expand %s", path)
		},
		TooDeep: func(path string) *twin.Error { return plainly(400, "too deep %s", path) },
		KeyReused: func(same bool, first, now string) *twin.Error {
			if same {
				return plainly(400, "key reused for other parameters")
			}
			return plainly(400, "key reused: %s, %s", first, now)
		},
		KeyTooLong:  func() *twin.Error { return plainly(400, "key too long") },
		Unserved:    func(what string) *twin.Error { return plainly(501, "%s is not served", what) },
		TickRefused: func(why string) *twin.Error { return plainly(500, "no tick: %s", why) },
		Internal:    func() *twin.Error { return plainly(500, "internal") },
		Meta: func(tx *twin.Tx, previous canon.Raw) canon.Raw {
			if previous != nil {
				return previous
			}
			return canon.Raw("{}")
		},
		Event: func(e *projection.EventRow) canon.Raw { return e.Object },
	}
}

type ownerParams struct {
	ID   twin.Opt[string] `param:"id"`
	Boss twin.Opt[string] `param:"boss"`
}

func createOwner(tx *twin.Tx, p *ownerParams) (twin.Doc, *twin.Error) {
	o := owner{ID: p.ID.V, Object: "owner"}
	if o.ID == "" {
		o.ID = owners.NewID(tx)
	}
	p.Boss.Apply(&o.Boss)
	doc := owners.Put(tx, &o)
	tx.Emit("owner.created", doc, nil)
	return doc, nil
}

type ownerPath struct {
	ID string `path:"id"`
}

func deleteOwner(tx *twin.Tx, p *ownerPath) (twin.Doc, *twin.Error) {
	if _, ok := owners.Get(tx, p.ID); !ok {
		return twin.Doc{}, plainly(404, "no owner %s", p.ID)
	}
	stub := canon.Raw(`{"deleted":true,"id":"` + p.ID + `","object":"owner"}`)
	return owners.Bury(tx, p.ID, stub), nil
}

type thingParams struct {
	ID      twin.Opt[string]   `param:"id"`
	Friends twin.Opt[[]string] `param:"friends"`
	Keeper  twin.Opt[string]   `param:"keeper"`
	Name    twin.Opt[string]   `param:"name"`
	Owner   twin.Opt[string]   `param:"owner"`
}

func createThing(tx *twin.Tx, p *thingParams) (twin.Doc, *twin.Error) {
	x := thing{ID: p.ID.V, Object: "thing", Friends: p.Friends.V, Name: p.Name.V}
	if x.ID == "" {
		x.ID = things.NewID(tx)
	}
	p.Owner.Apply(&x.Owner)
	p.Keeper.Apply(&x.Place.Keeper)
	if x.Owner != nil {
		x.Sub = []piece{{Object: "piece", Owner: x.Owner}, {Object: "piece"}}
		x.Parts = &partsList{Object: "list", Data: x.Sub}
	}
	doc := things.Put(tx, &x)
	tx.Emit("thing.created", doc, nil)
	return doc, nil
}

type listThingsParams struct {
	Limit twin.Opt[int64] `param:"limit"`
}

func listThings(tx *twin.Tx, _ *listThingsParams) (twin.Doc, *twin.Error) {
	var rows [][]byte
	for row := range tx.State().Newest(things.Table, 0) {
		rows = append(rows, row.Body)
	}
	return twin.Doc{Body: canon.Raw(`{"data":[` + string(bytes.Join(rows, []byte(","))) + `],"object":"list"}`)}, nil
}

type thingPath struct {
	ID string `path:"id"`
}

func retrieveThing(tx *twin.Tx, p *thingPath) (twin.Doc, *twin.Error) {
	doc, ok := things.Doc(tx, p.ID)
	if !ok {
		return twin.Doc{}, plainly(404, "no thing %s", p.ID)
	}
	return doc, nil
}

type tryParams struct {
	ID   string           `path:"id"`
	How  string           `path:"how"`
	Name twin.Opt[string] `param:"name"`
}

func (p *tryParams) Check() *twin.Error {
	if p.How == "check" {
		return plainly(400, "checked")
	}
	return nil
}

// tryThing renames a thing, emits an event, mints an id, and then ends as the
// path says.
func tryThing(tx *twin.Tx, p *tryParams) (twin.Doc, *twin.Error) {
	old, ok := things.Get(tx, p.ID)
	if !ok {
		return twin.Doc{}, plainly(404, "no thing %s", p.ID)
	}
	x := *old
	x.Name = p.Name.Or(x.Name) + "!"
	doc, previous, _ := things.Replace(tx, &x)
	tx.Emit("thing.updated", doc, previous)
	tx.Next("tries")
	switch p.How {
	case "refuse":
		return twin.Doc{}, plainly(409, "refused")
	case "keep":
		err := plainly(402, "refused, kept")
		err.Keep = true
		return twin.Doc{}, err
	case "unstored":
		err := plainly(409, "refused, unstored")
		err.Unstored = true
		return twin.Doc{}, err
	case "panic":
		panic("on purpose")
	}
	return doc, nil
}

// world is a machine of the toy API with a manual clock.
type world struct {
	t       testing.TB
	machine *twin.Machine
	seq     uint64
}

const toySeedHash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

func newWorld(t testing.TB) *world {
	return &world{t: t, machine: twin.NewMachine(projection.New(), twin.Spec{SeedHash: toySeedHash}, toyCatalog())}
}

// do executes "METHOD path form" with an idempotency key, "" for none.
func (w *world) do(key, line string) twin.Outcome {
	method, rest, _ := strings.Cut(line, " ")
	path, form, _ := strings.Cut(rest, " ")
	cmd := &twin.Command{Actor: "key:1", API: "toy", Method: method, Path: path, Body: form, Idem: key}
	if method == "GET" {
		cmd.Query, cmd.Body = form, ""
	}
	return w.run(cmd)
}

func (w *world) run(cmd *twin.Command) twin.Outcome {
	w.seq++
	return w.machine.Execute(w.seq, cmd)
}

// said is the status and body of an answer, a refusal in its plain words.
func said(o twin.Outcome) string {
	text, ok := canon.Get(o.Body, "error")
	if !ok {
		return fmt.Sprintf("%d %s", o.Status, o.Body)
	}
	words, _ := canon.Unquote(text)
	return fmt.Sprintf("%d %s", o.Status, words)
}

func (w *world) dump() string {
	w.t.Helper()
	var out bytes.Buffer
	if err := w.machine.State.WriteDump(&out); err != nil {
		w.t.Fatal(err)
	}
	return out.String()
}
