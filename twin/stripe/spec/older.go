package spec

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed older.txt
var olderText string

// The first days of the shapes whose parameters older.txt lists, and of the one that
// the table is of.
const (
	dayBasil  = "2025-03-31"
	dayOldest = "2022-11-15"
	dayTable  = "2025-09-30"
)

var older = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{}
	for line := range strings.Lines(olderText) {
		set[strings.TrimSuffix(line, "\n")] = true
	}
	return set
})

// Older reports whether the operation, by its template, had a parameter in the API
// version of a day (YYYY-MM-DD) that the table has no more. The path is as for
// Operation.Param.
func Older(day, method, template string, path []string) bool {
	shape := dayOldest
	switch {
	case day >= dayTable:
		return false
	case day >= dayBasil:
		shape = dayBasil
	}
	name := ""
	for _, segment := range path {
		if isIndex(segment) {
			continue
		}
		if name != "" {
			name += "."
		}
		name += segment
		if older()[shape+" "+method+" "+template+" "+name] {
			return true
		}
	}
	return false
}
