package projection

import (
	"errors"

	"worlds/journal/canon"
)

// ErrFact is wrapped by every error about a fact that cannot be read.
var ErrFact = errors.New("bad fact")

// Fact is one change to a State. The set is closed: Put, Delete, Event, Clock,
// Minted, Counter, Mark, Idem, Log, Delivery, Rule. A fact is encoded as one canonical JSON
// array whose first element is its kind; docs/format.md lists the elements.
type Fact interface {
	// Append appends the fact's encoding to dst. It panics on text that is not
	// valid UTF-8 and on integers beyond canon.MaxInt.
	Append(dst []byte) []byte
	// parse reads the elements after the kind and sets every field.
	parse(r *reader)
	// apply changes st; seq is the sequence of the entry that carries the fact.
	apply(st *State, seq uint64)
	// body is what a later fact of the same entry may refer to, nil if nothing.
	body() canon.Raw
}

// NoRef says that a body stands in the fact itself.
const NoRef = -1

// Put makes or replaces the row ID of Table. Terms are the exact index terms of
// the row ("field=value"); Due is the logical second at which time next acts on
// it, 0 for never. Body is an object, or null.
type Put struct {
	Table string
	ID    string
	Terms []string
	Due   int64
	Body  canon.Raw
}

// Delete removes the row ID of Table.
type Delete struct {
	Table string
	ID    string
}

// Event appends one line to the event log. Object is the snapshot it carries:
// when Ref is not NoRef, the bytes of fact number Ref of the same entry, which is
// a Put; else an object, or null. Meta is whatever the API that made it needs to
// render it.
type Event struct {
	ID      string
	API     string
	Type    string
	Created int64
	Meta    canon.Raw
	Ref     int
	Object  canon.Raw
}

// Clock sets the logical clock, in unix seconds.
type Clock struct{ Now int64 }

// Minted sets the number of ids minted from the world counter.
type Minted struct{ Count int64 }

// Counter sets a named number counter.
type Counter struct {
	Name  string
	Value int64
}

// Mark names the entry that carries it.
type Mark struct{ Name string }

// Idem records the outcome of a request made under an idempotency key (its
// alias). Reply is the body answered, by reference as in Event when Ref is not
// NoRef, else an object, or null. Version is the API version it was answered in, Request the id of the
// request that produced it, Fingerprint what a repeat must match.
type Idem struct {
	Key         string
	API         string
	Target      string
	Fingerprint string
	Request     string
	Version     string
	Status      int64
	Ref         int
	Reply       canon.Raw
}

// Log sets the number of requests the request log has seen.
type Log struct{ Count int64 }

func (f *Put) body() canon.Raw     { return f.Body }
func (f *Delete) body() canon.Raw  { return nil }
func (f *Event) body() canon.Raw   { return nil }
func (f *Clock) body() canon.Raw   { return nil }
func (f *Minted) body() canon.Raw  { return nil }
func (f *Counter) body() canon.Raw { return nil }
func (f *Mark) body() canon.Raw    { return nil }
func (f *Idem) body() canon.Raw    { return nil }
func (f *Log) body() canon.Raw     { return nil }

// Append implements Fact: ["put",table,id,[terms],due,body].
func (f *Put) Append(dst []byte) []byte {
	dst = appendHead(dst, "put", f.Table, f.ID)
	dst = append(dst, ',', '[')
	for i, t := range f.Terms {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = canon.AppendString(dst, t)
	}
	dst = append(dst, ']', ',')
	dst = canon.AppendInt(dst, f.Due)
	dst = append(dst, ',')
	return append(appendRaw(dst, f.Body), ']')
}

// Append implements Fact: ["delete",table,id].
func (f *Delete) Append(dst []byte) []byte {
	return append(appendHead(dst, "delete", f.Table, f.ID), ']')
}

// Append implements Fact: ["event",id,api,type,created,meta,ref or object].
func (f *Event) Append(dst []byte) []byte {
	dst = appendHead(dst, "event", f.ID, f.API, f.Type)
	dst = append(dst, ',')
	dst = canon.AppendInt(dst, f.Created)
	dst = append(dst, ',')
	dst = appendRaw(dst, f.Meta)
	return appendRef(dst, f.Ref, f.Object)
}

// Append implements Fact: ["clock",now].
func (f *Clock) Append(dst []byte) []byte { return appendNumber(dst, f.Now, "clock") }

// Append implements Fact: ["minted",count].
func (f *Minted) Append(dst []byte) []byte { return appendNumber(dst, f.Count, "minted") }

// Append implements Fact: ["counter",name,value].
func (f *Counter) Append(dst []byte) []byte { return appendNumber(dst, f.Value, "counter", f.Name) }

// Append implements Fact: ["mark",name].
func (f *Mark) Append(dst []byte) []byte { return append(appendHead(dst, "mark", f.Name), ']') }

// Append implements Fact:
// ["idem",key,api,target,fingerprint,request,version,status,ref or reply].
func (f *Idem) Append(dst []byte) []byte {
	dst = appendHead(dst, "idem", f.Key, f.API, f.Target, f.Fingerprint, f.Request, f.Version)
	dst = append(dst, ',')
	dst = canon.AppendInt(dst, f.Status)
	return appendRef(dst, f.Ref, f.Reply)
}

// Append implements Fact: ["log",count].
func (f *Log) Append(dst []byte) []byte { return appendNumber(dst, f.Count, "log") }

func appendHead(dst []byte, words ...string) []byte {
	dst = append(dst, '[')
	for i, w := range words {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = canon.AppendString(dst, w)
	}
	return dst
}

func appendNumber(dst []byte, n int64, words ...string) []byte {
	dst = append(appendHead(dst, words...), ',')
	return append(canon.AppendInt(dst, n), ']')
}

func appendRef(dst []byte, ref int, body canon.Raw) []byte {
	dst = append(dst, ',')
	if ref != NoRef {
		dst = canon.AppendInt(dst, int64(ref))
	} else {
		dst = appendRaw(dst, body)
	}
	return append(dst, ']')
}

// appendRaw appends v; nothing is null.
func appendRaw(dst []byte, v canon.Raw) []byte {
	if len(v) == 0 {
		return append(dst, "null"...)
	}
	return append(dst, v...)
}
