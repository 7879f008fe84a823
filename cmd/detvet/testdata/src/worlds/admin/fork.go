package admin

import (
	. "crypto/rand" // want `import of crypto/rand in worlds/admin: random belongs in worlds/admin/identity.go`
	"time"
)

func fork() (string, time.Time) {
	return Text(), time.Now() // want `time.Now in worlds/admin: clock belongs in`
}

//worlds:sorted maps may be walked here // want `excuses nothing here`
func walk() {}
