package projection

import (
	"errors"
	"fmt"
)

type node struct {
	name string
	next *node
}

type named struct{ name string }

func (n *named) String() string { return n.name }

func addresses(n *node, v *named, m map[string]int, e error, any any) {
	_ = fmt.Sprintf("%v", n)                 // want `printing a \*node in pure package .*print the fields`
	_ = fmt.Sprintf("%+v", *n)               // want `printing a node in pure package`
	_ = fmt.Sprint(m)                        // want `printing a map\[string\]int in pure package`
	_ = fmt.Errorf("%s: %v: %w", "a", m, e)  // want `printing a map\[string\]int`
	_ = fmt.Appendf(nil, "%*d %v", 3, 4, &m) // want `printing a \*map\[string\]int`

	_ = fmt.Sprintf("%T %v %s %v %d %x", n, v, e, any, 1, []byte("x"))
	_ = errors.New(n.name)
}
