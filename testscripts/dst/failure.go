package dst

import "fmt"

// Failure is a property that did not hold.
type Failure struct {
	Property string // dotted, stable
	Detail   string
	Op       *Op // after which it was found, nil at rest
	// Expect are commands of a scenario that say what ought to have been.
	Expect []string
}

func (f *Failure) Error() string {
	if f.Op == nil {
		return f.Property + ": " + f.Detail
	}
	return fmt.Sprintf("%s: %s\n  after %s", f.Property, f.Detail, f.Op)
}

func failed(property, format string, args ...any) *Failure {
	return &Failure{Property: property, Detail: clip(fmt.Sprintf(format, args...))}
}

// clipAt keeps a report readable.
const clipAt = 3000

func clip(s string) string {
	if len(s) <= clipAt {
		return s
	}
	return s[:clipAt] + "…"
}
