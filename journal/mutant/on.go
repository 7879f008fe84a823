//go:build mutant

package mutant

import (
	"os"
	"slices"
	"sync"
	"sync/atomic"
)

// Variable is the environment variable that turns a mutant on in a process of its own.
const Variable = "WORLDS_MUTANT"

var (
	active  atomic.Pointer[string]
	reached atomic.Int64
	inherit = sync.OnceValue(func() string { return os.Getenv(Variable) }) //worlds:boundary a test build asks which bug it has
)

// Is reports whether the mutant is on.
func Is(name string) bool {
	on := active.Load()
	switch {
	case on == nil && inherit() != name, on != nil && *on != name:
		return false
	}
	reached.Add(1)
	return true
}

// Set turns a mutant on, and off what was on before; "" turns it off. It panics on a
// name that is not in the catalog. Reached counts from it.
func Set(name string) {
	if name != "" && !slices.ContainsFunc(All(), func(m Mutant) bool { return m.Name == name }) {
		panic("mutant: there is no " + name)
	}
	active.Store(&name)
	reached.Store(0)
}

// Reached is how often the site of the mutant was passed since it was set.
func Reached() int64 { return reached.Load() }
