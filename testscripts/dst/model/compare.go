package model

import (
	"fmt"
	"strconv"
	"strings"
)

// Diff is one place where a prediction and what came differ.
type Diff struct {
	Path      string // .data[0].amount; "" is the whole
	Got, Want string
}

func (d Diff) String() string { return fmt.Sprintf("%s: got %s, want %s", d.Path, d.Got, d.Want) }

// Compare says where got differs from want. It learns the symbols that it meets.
func Compare(want, got Value, names *Names) []Diff {
	c := comparison{names: names}
	c.value("", want, got)
	return c.diffs
}

type comparison struct {
	names *Names
	diffs []Diff
}

func (c *comparison) differ(path string, want, got Value, why string) {
	w := want.String()
	if why != "" {
		w += " (" + why + ")"
	}
	c.diffs = append(c.diffs, Diff{path, clip(got.String()), clip(w)})
}

// clipAt keeps a Diff readable.
const clipAt = 600

func clip(s string) string {
	if len(s) <= clipAt {
		return s
	}
	return s[:clipAt] + "…"
}

func (c *comparison) value(path string, want, got Value) {
	switch {
	case want.Kind == unchecked, want.Kind == anything && got.Kind != Absent:
	case want.Kind != got.Kind:
		c.differ(path, want, got, "")
	case want.Kind == Number, want.Kind == String:
		if want.Text == got.Text {
			return
		}
		if !strings.Contains(want.Text, symbolOpen) {
			c.differ(path, want, got, "")
		} else if err := c.names.match(want.Text, got.Text); err != nil {
			c.differ(path, want, got, err.Error())
		}
	case want.Kind == Array:
		if len(want.List) != len(got.List) {
			c.differ(path, want, got, strconv.Itoa(len(want.List))+" elements")
			return
		}
		for i := range want.List {
			c.value(path+"["+strconv.Itoa(i)+"]", want.List[i], got.List[i])
		}
	case want.Kind == Object:
		c.object(path, want, got)
	}
}

func (c *comparison) object(path string, want, got Value) {
	for _, m := range want.Members {
		c.value(path+"."+m.Name, m.Value, got.Get(m.Name))
	}
	for _, m := range got.Members {
		if want.Get(m.Name).Kind == Absent {
			c.differ(path+"."+m.Name, Value{}, m.Value, "")
		}
	}
}
