package stripe

import (
	_ "crypto/rand"  // want `import of crypto/rand in pure package .*tx.NewID`
	_ "hash/maphash" // want `import of hash/maphash in pure package`
	_ "math/rand"    // want `import of math/rand in pure package`
	_ "math/rand/v2" // want `import of math/rand/v2 in pure package`

	"fmt"
	_ "log/slog"      // want `import of log/slog in pure package .*return an error`
	_ "net/http"      // want `import of net/http in pure package .*twin/serve`
	_ "os"            // want `import of os in pure package .*as a parameter`
	_ "os/exec"       // want `import of os/exec in pure package`
	_ "path/filepath" // want `import of path/filepath in pure package .*use path`
	_ "sync/atomic"   // want `import of sync/atomic in pure package`

	"sync"
)

type guarded struct {
	sync.Mutex // want `sync.Mutex in pure package .*twin/world`
}

var plans sync.Map // a compile-once cache

func cached(key string) any {
	plan, _ := plans.LoadOrStore(key, len(key))
	return plan
}

func walksTheCache() {
	plans.Range(func(any, any) bool { return true }) // want `sync.Map.Range in pure package .*by key`
}

func talks() {
	fmt.Println("hello") // want `fmt.Println in pure package .*return bytes`
	println("hello")     // want `builtin println in pure package`
}

func overlaps(work chan int) { // want `channel type in pure package .*one writer`
	go talks() // want `go statement in pure package .*one writer`
	work <- 1  // want `channel send in pure package`
	select {   // want `select in pure package`
	case <-work: // want `channel receive in pure package`
	}
}
