package serve

import (
	"math/rand" // want `import of math/rand in worlds/twin/serve: random belongs in worlds/admin/identity.go`
	"time"
)

func deadline() time.Time { return time.Now().Add(time.Duration(rand.Int())) }
