package stripe

import (
	"bytes"
	"slices"
	"strings"

	"worlds/journal/canon"
	"worlds/projection"
	"worlds/twin"
)

// Everything is stored once, in the newest shape. Answers to older versions are
// turned by two tables of small steps, one a file: from the stored shape to
// basil's (shape_basil.go), and from that to the one of 2022-11-15 (shape_old.go).
// What an older shape shows of other objects (an invoice's charge, a line's price)
// is looked up when the answer is made; for an event, when it happens
// (event_links.go).
//
// Caveat: members that a version between two shapes had for a while are not shown.

// The first versions of each shape: the stored one, basil's, and the oldest.
const (
	versionStored = "2025-09-30.clover"
	versionBasil  = "2025-03-31.basil"
	versionOldest = "2022-11-15"
)

// shapeOf is the shape of a version that checkVersion accepts, nil for the stored
// one.
func shapeOf(version string) *twin.Shape {
	t := turnerOf(nil, version)
	if t == nil {
		return nil
	}
	shape := &twin.Shape{
		Show: func(st *projection.State, body canon.Raw) canon.Raw {
			return (&turner{st: st, tables: t.tables}).value(body)
		},
		Blame: blame, Aliases: basilAliases[:], Expand: basilExpand(),
	}
	if len(t.tables) > 1 {
		shape.Routes, shape.Aliases, shape.Expand = oldRoutes[:], oldAliases[:], oldExpand()
	}
	return shape
}

// turnerOf turns into a version's shape, nil for the stored one.
func turnerOf(st *projection.State, version string) *turner {
	switch day := version[:len(versionOldest)]; {
	case day >= versionStored[:len(day)]:
		return nil
	case day >= versionBasil[:len(day)]:
		return &turner{st: st, tables: [][]turn{basilTurns[:]}}
	}
	return &turner{st: st, tables: [][]turn{basilTurns[:], oldTurns[:]}}
}

// turnEvent turns what an event carries.
func turnEvent(t *turner, object canon.Raw, meta *eventMetaDoc) canon.Raw {
	if before := meta.PreviousAttributes; before != nil {
		meta.PreviousAttributes = t.previous(textAt(object, "object"), before)
		if len(t.tables) > 1 {
			meta.PreviousAttributes = oldPaid(object, before, meta.PreviousAttributes)
		}
	}
	return t.value(object)
}

// turn is what an older shape does otherwise with one kind of object.
type turn struct {
	object string
	drop   []string // dotted paths that it does not have
	null   []string // members that it has and the twin never fills
	// more makes what follows from other members; was is the object as stored.
	more func(t *turner, was canon.Raw, o *hash)
}

// turner turns whole answers. Objects are known by their member "object",
// however deep they stand; what a caller wrote (metadata) is passed over, and
// events are shown in the account's version to whoever asks.
type turner struct {
	st     *projection.State
	tables [][]turn
	links  *hash // what an event keeps of other objects; nil for an answer
}

// null is nothing, on the wire.
var null = canon.Raw("null")

// look is what is found of another object: as the event keeps it, if one is turned
// that does.
func (t *turner) look(what, of string, find func() canon.Raw) canon.Raw {
	if t.links == nil {
		return find()
	}
	key := what + ":" + of
	found := t.links.get(key)
	if found == nil {
		found = find()
		t.links.set(key, found)
	}
	return found
}

// lookText is look for an id, "" for none.
func (t *turner) lookText(what, of string, find func() string) string {
	text, _ := canon.Unquote(t.look(what, of, func() canon.Raw {
		if id := find(); id != "" {
			return canon.AppendString(nil, id)
		}
		return null
	}))
	return text
}

// objectKey is what tells an object of a table, and errorKey a refusal.
var objectKey, errorKey = []byte(`"object":`), []byte(`{"error":`)

// refusalObject is what refusals are called in the tables.
const refusalObject = "(refusal)"

func (t *turner) value(v canon.Raw) canon.Raw {
	if (v[0] == '{' || v[0] == '[') && !bytes.Contains(v, objectKey) && !bytes.HasPrefix(v, errorKey) {
		return v // nothing in it is an object of a table
	}
	switch v[0] {
	case '[':
		out := append(make([]byte, 0, len(v)+len(v)/4), '[')
		for e := range canon.Elements(v) {
			if len(out) > 1 {
				out = append(out, ',')
			}
			out = append(out, t.value(e)...)
		}
		return append(out, ']')
	case '{':
		return t.object(v)
	}
	return v
}

func (t *turner) object(v canon.Raw) canon.Raw {
	name := textAt(v, "object")
	if _, deleted := canon.Get(v, "deleted"); deleted && name != "discount" || name == "event" { // a deleted discount shows all of it
		return v
	}
	if _, is := canon.Get(v, "error"); is && name == "" {
		name = refusalObject
	}
	o := hashOf(v)
	for i := range o {
		if o[i].key != "metadata" {
			o[i].value = t.value(o[i].value)
		}
	}
	for _, table := range t.tables {
		for i := range table {
			if table[i].object == name {
				table[i].apply(t, v, &o)
			}
		}
	}
	return o.bytes()
}

func (step *turn) apply(t *turner, was canon.Raw, o *hash) {
	for _, path := range step.drop {
		o.drop(path)
	}
	for _, key := range step.null {
		o.set(key, null)
	}
	if step.more != nil {
		step.more(t, was, o)
	}
}

// previous turns the previous_attributes of an event about a kind of object: a
// part of an object, of which nothing follows.
func (t *turner) previous(name string, v canon.Raw) canon.Raw {
	o := hashOf(v)
	for i := range o {
		if o[i].key != "metadata" {
			o[i].value = t.value(o[i].value)
		}
	}
	for _, table := range t.tables {
		for i := range table {
			if table[i].object != name {
				continue
			}
			for _, path := range table[i].drop {
				o.drop(path)
			}
		}
	}
	return o.bytes()
}

// row is a stored object, not turned; null when there is none.
func (t *turner) row(what, id string, tables ...string) canon.Raw {
	return t.look(what, id, func() canon.Raw {
		for _, table := range tables {
			if row := t.st.Get(table, id); row != nil {
				return row.Body
			}
		}
		return null
	})
}

// blame puts what the request called a parameter into a refusal of what the twin
// calls it.
func blame(refusal canon.Raw, name, asked string) canon.Raw {
	inner, ok := canon.Get(refusal, "error")
	if !ok {
		return refusal
	}
	e := hashOf(inner)
	for i := range e {
		switch e[i].key {
		case "param":
			if at, _ := canon.Unquote(e[i].value); at == name || strings.HasPrefix(at, name+"[") {
				e[i].value = canon.AppendString(nil, asked+strings.TrimPrefix(at, name))
			}
		case "message":
			text, _ := canon.Unquote(e[i].value)
			e[i].value = canon.AppendString(nil, strings.ReplaceAll(text, name, asked))
		}
	}
	o := hashOf(refusal)
	o.set("error", e.bytes())
	return o.bytes()
}

// textAt is the text of a member, "" when it is absent or no text.
func textAt(obj canon.Raw, key string) string {
	raw, _ := canon.Get(obj, key)
	text, _ := canon.Unquote(raw)
	return text
}

// textUnder is textAt of a member of members.
func textUnder(obj canon.Raw, path ...string) string {
	for _, key := range path[:len(path)-1] {
		if len(obj) == 0 || obj[0] != '{' {
			return ""
		}
		obj, _ = canon.Get(obj, key)
	}
	if len(obj) == 0 || obj[0] != '{' {
		return ""
	}
	return textAt(obj, path[len(path)-1])
}

// hash is a canonical object being changed: its members in key order.
type hash []hashMember

type hashMember struct {
	key   string
	value canon.Raw
}

// hashUsual is room for the members of most objects.
const hashUsual = 48

func hashOf(obj canon.Raw) hash {
	h := make(hash, 0, hashUsual)
	for k, v := range canon.Members(obj) {
		h = append(h, hashMember{k, v})
	}
	return h
}

func (h hash) find(key string) (int, bool) {
	return slices.BinarySearchFunc(h, key, func(m hashMember, k string) int { return canon.CompareKeys(m.key, k) })
}

// get is the value of a member, nil when it is absent.
func (h hash) get(key string) canon.Raw {
	if i, ok := h.find(key); ok {
		return h[i].value
	}
	return nil
}

func (h *hash) set(key string, value canon.Raw) {
	i, ok := h.find(key)
	if !ok {
		*h = slices.Insert(*h, i, hashMember{key: key})
	}
	(*h)[i].value = value
}

func (h *hash) setText(key, text string) {
	if text == "" {
		h.set(key, null)
		return
	}
	h.set(key, canon.AppendString(nil, text))
}

func (h *hash) setBool(key string, v bool) {
	if v {
		h.set(key, canon.Raw("true"))
		return
	}
	h.set(key, canon.Raw("false"))
}

// drop takes away the member at a dotted path, in every element of the lists that
// it leads through.
func (h *hash) drop(path string) {
	key, rest, deeper := strings.Cut(path, ".")
	i, ok := h.find(key)
	switch {
	case !ok:
	case deeper:
		(*h)[i].value = dropFrom((*h)[i].value, rest)
	default:
		*h = slices.Delete(*h, i, i+1)
	}
}

func dropFrom(v canon.Raw, path string) canon.Raw {
	switch v[0] {
	case '{':
		o := hashOf(v)
		o.drop(path)
		return o.bytes()
	case '[':
		out := canon.Raw{'['}
		for e := range canon.Elements(v) {
			if len(out) > 1 {
				out = append(out, ',')
			}
			out = append(out, dropFrom(e, path)...)
		}
		return append(out, ']')
	}
	return v
}

func (h hash) bytes() canon.Raw {
	size := 2
	for i := range h {
		size += len(h[i].key) + len(h[i].value) + 4
	}
	out := append(make([]byte, 0, size), '{')
	for i := range h {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(canon.AppendString(out, h[i].key), ':'), h[i].value...)
	}
	return append(out, '}')
}
