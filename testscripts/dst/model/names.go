package model

import (
	"fmt"
	"strconv"
	"strings"
)

// The marks around a symbol.
const (
	symbolOpen  = "⟨"
	symbolClose = "⟩"
)

// Symbol is the n-th id of a kind, for a model to use as if it were the id.
func Symbol(kind string, n int) string {
	return symbolOpen + kind + "#" + strconv.Itoa(n) + symbolClose
}

// SymbolKind is the kind of a symbol.
func SymbolKind(s string) string {
	kind, _, _ := strings.Cut(strings.TrimPrefix(s, symbolOpen), "#")
	return kind
}

// Names is which symbol is which id, one to one.
type Names struct {
	fits   func(kind, id string) bool
	ids    map[string]string // by symbol
	symbol map[string]string // by kind and id
	learnt []string          // symbols, in the order in which they were bound
}

// NewNames makes empty names. fits reports whether an id can be one of a kind.
func NewNames(fits func(kind, id string) bool) *Names {
	return &Names{fits: fits, ids: map[string]string{}, symbol: map[string]string{}}
}

// Try does something and forgets what the names learn by it.
func (n *Names) Try(f func()) {
	known := len(n.learnt)
	f()
	for _, symbol := range n.learnt[known:] {
		delete(n.symbol, SymbolKind(symbol)+"/"+n.ids[symbol])
		delete(n.ids, symbol)
	}
	n.learnt = n.learnt[:known]
}

// ID is the id of a symbol, if it is known.
func (n *Names) ID(symbol string) (string, bool) {
	id, ok := n.ids[symbol]
	return id, ok
}

// Symbol is the symbol of an id of a kind; an id that is not known is its own.
func (n *Names) Symbol(kind, id string) string {
	if s, ok := n.symbol[kind+"/"+id]; ok {
		return s
	}
	return id
}

// Bind learns that a symbol is an id, or says why it cannot be.
func (n *Names) Bind(symbol, id string) error {
	kind := SymbolKind(symbol)
	if old, ok := n.ids[symbol]; ok {
		if old != id {
			return fmt.Errorf("%s is %s", symbol, old)
		}
		return nil
	}
	if other, ok := n.symbol[kind+"/"+id]; ok {
		return fmt.Errorf("%s is %s already", id, other)
	}
	if !n.fits(kind, id) {
		return fmt.Errorf("%q is no id of kind %s", id, kind)
	}
	n.ids[symbol], n.symbol[kind+"/"+id] = id, symbol
	n.learnt = append(n.learnt, symbol)
	return nil
}

// match compares a text that may hold symbols with one that does not.
func (n *Names) match(want, got string) error {
	for {
		before, rest, ok := strings.Cut(want, symbolOpen)
		if !strings.HasPrefix(got, before) || !ok && got != before {
			return fmt.Errorf("texts differ")
		}
		if !ok {
			return nil
		}
		name, after, _ := strings.Cut(rest, symbolClose)
		symbol, id := symbolOpen+name+symbolClose, ""
		got = got[len(before):]
		if known, ok := n.ids[symbol]; ok {
			id = known
			if !strings.HasPrefix(got, id) {
				return fmt.Errorf("%s is %s", symbol, id)
			}
		} else {
			id = got[:idEnd(got, after)]
			if err := n.Bind(symbol, id); err != nil {
				return err
			}
		}
		want, got = after, got[len(id):]
	}
}

// idEnd is where an id at the front of got ends, if after follows it.
func idEnd(got, after string) int {
	next, _, symbol := strings.Cut(after, symbolOpen)
	if next == "" && !symbol {
		return len(got)
	}
	if at := strings.Index(got, next); at >= 0 && next != "" {
		return at
	}
	return len(got)
}
