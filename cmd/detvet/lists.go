package main

import (
	"path/filepath"
	"slices"
	"strings"
)

// purePackages are the packages below the line: same inputs, same bytes, on
// every machine and in every run.
var purePackages = []string{
	"worlds/journal",
	"worlds/journal/canon",
	"worlds/projection",
	"worlds/seed",
	"worlds/seed/gen",
	"worlds/twin",
	"worlds/twin/stripe",
	"worlds/twin/stripe/spec",
	"worlds/twin/zendesk",
}

// kind is what a forbidden name lets into the program.
type kind string

const (
	clock  kind = "clock"  // reads the machine's time
	wait   kind = "wait"   // lets the machine's time pass
	random kind = "random" // differs from run to run
)

// boundaries are the places that may do what no other place may. A place is a
// package path, a file in one, or a subtree ("/..."). Whoever adds one says so
// in docs/determinism.md.
var boundaries = map[kind][]string{
	clock:  {"worlds/twin/serve", "worlds/twin/webhook", "worlds/cmd/...", "worlds/testscripts"},
	wait:   {"worlds/twin/serve", "worlds/twin/webhook", "worlds/cmd/...", "worlds/testscripts", "worlds/twin/world", "worlds/journal/store"},
	random: {"worlds/admin/identity.go"},
}

// allowed reports whether the file of package pkg may hold something of kind k.
func allowed(k kind, pkg, file string) bool {
	return slices.ContainsFunc(boundaries[k], func(place string) bool {
		if tree, ok := strings.CutSuffix(place, "/..."); ok {
			return pkg == tree || strings.HasPrefix(pkg, tree+"/")
		}
		return place == pkg || place == pkg+"/"+filepath.Base(file)
	})
}

// A ban forbids a name, and says what to use instead.
type ban struct {
	kind    kind // also forbidden outside the boundaries of this kind
	order   bool // harmless where the order cannot be seen
	instead string
}

const (
	useTxNow  = "use tx.Now(), the world's clock"
	useTimers = "waiting belongs in twin/world; in pure code time passes by Due and Fire"
	useUTC    = "times are UTC: call .UTC() on it at once"
	useNewID  = "use tx.NewID, or admin/identity.go for harness identity"
	useSorted = "range over slices.Sorted(maps.Keys(m))"
	useBytes  = "return bytes and let the caller do the input and output"
)

// bannedNames are functions, methods ("Type.Method"), types and variables, by
// "import path.name".
var bannedNames = map[string]ban{
	"time.Now":   {kind: clock, instead: useTxNow},
	"time.Since": {kind: clock, instead: useTxNow + ", and subtract"},
	"time.Until": {kind: clock, instead: useTxNow + ", and subtract"},

	"time.After":           {kind: wait, instead: useTimers},
	"time.AfterFunc":       {kind: wait, instead: useTimers},
	"time.NewTicker":       {kind: wait, instead: useTimers},
	"time.NewTimer":        {kind: wait, instead: useTimers},
	"time.Sleep":           {kind: wait, instead: useTimers},
	"time.Tick":            {kind: wait, instead: useTimers},
	"context.WithDeadline": {kind: wait, instead: useTimers},
	"context.WithTimeout":  {kind: wait, instead: useTimers},

	"time.Local":        {instead: "use time.UTC"},
	"time.Time.Local":   {instead: "use UTC()"},
	"time.LoadLocation": {instead: "use time.UTC; zone files differ between machines"},
	"time.Parse":        {instead: "use time.ParseInLocation with time.UTC; Parse looks at the local zone"},
	"time.Unix":         {instead: useUTC},
	"time.UnixMicro":    {instead: useUTC},
	"time.UnixMilli":    {instead: useUTC},

	"reflect.Value.MapKeys":  {order: true, instead: "sort the keys"},
	"reflect.Value.MapRange": {order: true, instead: "sort the keys"},
	"reflect.Value.Seq":      {order: true, instead: useSorted},
	"reflect.Value.Seq2":     {order: true, instead: useSorted},
	"sync.Map.Range":         {order: true, instead: "a cache is looked up by key, never walked"},
	"maps.All":               {order: true, instead: useSorted},
	"maps.Keys":              {order: true, instead: useSorted},
	"maps.Values":            {order: true, instead: useSorted},

	"sync.Cond":      {instead: useLock},
	"sync.Mutex":     {instead: useLock},
	"sync.RWMutex":   {instead: useLock},
	"sync.WaitGroup": {instead: useLock},

	"fmt.Print":   {instead: useBytes},
	"fmt.Printf":  {instead: useBytes},
	"fmt.Println": {instead: useBytes},
	"fmt.Scan":    {instead: useBytes},
	"fmt.Scanf":   {instead: useBytes},
	"fmt.Scanln":  {instead: useBytes},
}

const useLock = "twin/world holds the world's one lock; only sync.Map, sync.Once*, sync.Pool serve compile-once caches and scratch memory"

// bannedImports are whole packages; "net/..." stands for a subtree.
var bannedImports = map[string]ban{
	"crypto/rand":  {kind: random, instead: useNewID},
	"hash/maphash": {kind: random, instead: "use crypto/sha256"},
	"math/rand":    {kind: random, instead: useNewID},
	"math/rand/v2": {kind: random, instead: useNewID},

	"context":       {instead: "ctx stops at world.Do"},
	"flag":          {instead: "take a parameter"},
	"io/ioutil":     {instead: useBytes},
	"log/...":       {instead: "return an error"},
	"net/...":       {instead: "HTTP belongs in twin/serve, twin/webhook and admin"},
	"os/...":        {instead: "take what it would read as a parameter; " + useBytes},
	"path/filepath": {instead: "use path; filepath differs between systems"},
	"runtime/...":   {instead: "pure code does not ask about its machine"},
	"sync/atomic":   {instead: useLock},
	"syscall":       {instead: useBytes},
	"testing/...":   {instead: "move it to a _test.go file"},
}

// lookupImport finds the ban on an import path, if there is one.
func lookupImport(path string) (ban, bool) {
	if b, ok := bannedImports[path]; ok {
		return b, true
	}
	root, _, _ := strings.Cut(path, "/")
	b, ok := bannedImports[root+"/..."]
	return b, ok
}
