package dst

import (
	"fmt"
	"strconv"
	"strings"

	"worlds/testscripts/dst/model"
)

// Op is one operation of a history. It names objects that the history made by
// symbols, so that it still means the same when operations before it are left out.
type Op struct {
	N     int    `json:"n"`     // its number, which it keeps for ever
	Space int    `json:"space"` // the world it is on
	API   string `json:"api"`   // stripe, zendesk, admin, or act: something of the harness itself
	// Route is the pattern that Path fits, or the name of an act.
	Route  string       `json:"route"`
	Method string       `json:"method,omitempty"`
	Path   string       `json:"path,omitempty"` // of an admin operation: below the world
	Params []model.Pair `json:"params,omitempty"`
	Body   string       `json:"body,omitempty"`
	Key    string       `json:"key,omitempty"` // label; "" is the first
	As     string       `json:"as,omitempty"`
	Idem   string       `json:"idem,omitempty"`
	// Version is the Stripe-Version, "" for none.
	Version string `json:"version,omitempty"`
	Wire    string `json:"wire,omitempty"` // how the body comes, "" for at once
	Aim     string `json:"aim,omitempty"`  // sound, or how it was broken
	Count   int    `json:"count,omitempty"`
	Round   int    `json:"round,omitempty"` // in which it happens
	// Inject are operations that happen in the middle of this one.
	Inject []Op `json:"inject,omitempty"`
}

// Params of this package are the model's.
type pair = model.Pair

// The APIs of operations beside the twins'.
const (
	apiAdmin = "admin"
	apiAct   = "act"
)

func (o *Op) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "#%d w%d %s %s %s", o.N, o.Space, o.API, o.Method, o.Path)
	if o.API == apiAct {
		b.Reset()
		fmt.Fprintf(&b, "#%d w%d %s", o.N, o.Space, o.Route)
	}
	for _, p := range o.Params {
		b.WriteString(" " + p.Name + "=" + strconv.Quote(p.Value))
	}
	for _, f := range []struct{ name, value string }{{"body", o.Body}, {"key", o.Key}, {"as", o.As}, {"idem", o.Idem}, {"version", o.Version}, {"wire", o.Wire}} {
		if f.value != "" {
			b.WriteString(" " + f.name + ":" + f.value)
		}
	}
	if o.Count != 0 {
		fmt.Fprintf(&b, " count:%d", o.Count)
	}
	for i := range o.Inject {
		b.WriteString(" [" + o.Inject[i].String() + "]")
	}
	return b.String()
}

// The marks of a symbol: the k-th row that operation n made.
const (
	symbolOpen  = "⟦"
	symbolClose = "⟧"
)

func symbol(n, k int) string {
	return symbolOpen + strconv.Itoa(n) + "." + strconv.Itoa(k) + symbolClose
}

// gone stands for what a symbol names when the history has not made it.
const gone = "999999999"

// resolve replaces the symbols in a text.
func (s *space) resolve(text string) string {
	for {
		before, rest, ok := strings.Cut(text, symbolOpen)
		if !ok {
			return text
		}
		name, after, _ := strings.Cut(rest, symbolClose)
		id := gone
		n, k, _ := strings.Cut(name, ".")
		op, _ := strconv.Atoi(n)
		at, _ := strconv.Atoi(k)
		if list := s.made[op]; at < len(list) {
			id = list[at].id
		}
		text = before + id + after
	}
}

// resolved is the operation as it is sent.
func (s *space) resolved(o Op) Op {
	o.Path, o.Body, o.As = s.resolve(o.Path), s.resolve(o.Body), s.resolve(o.As)
	params := make([]pair, len(o.Params))
	for i, p := range o.Params {
		params[i] = pair{Name: p.Name, Value: s.resolve(p.Value)}
	}
	o.Params = params
	return o
}
