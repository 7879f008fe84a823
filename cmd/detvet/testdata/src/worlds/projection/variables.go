package projection

import (
	"regexp"
	"strings"
	"sync"
)

var (
	count   int
	tables  = map[string]int{"customers": 1}
	limits  struct{ depth int }
	scratch strings.Builder
	word    = regexp.MustCompile(`\w+`)
	buffers = sync.Pool{New: func() any { return new([]byte) }}
	letters = func() (set [26]bool) {
		set[0] = true
		return set
	}()
)

func changes() *int {
	count++                      // want `assignment to package variable count in pure package .*keep it in the state`
	count, other := 1, 2         // a local of that name
	tables["products"] = 2       // want `assignment to package variable tables`
	limits.depth = 3             // want `assignment to package variable limits`
	delete(tables, "prices")     // want `delete on package variable tables`
	scratch.WriteString("x")     // want `pointer method WriteString on package variable scratch`
	for limits.depth = range 3 { // want `assignment to package variable limits`
	}
	_, _ = count, other
	return &limits.depth // want `address of package variable limits`
}

func reads(s string) bool {
	b := buffers.Get()
	defer buffers.Put(b)
	return word.MatchString(s) && letters[0] && tables[s] > 0
}
