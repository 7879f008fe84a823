//go:build !linux

package heap

import "sync"

var hugeOnce sync.Once

// keepHuge does nothing: this system chooses the size of its pages itself.
func keepHuge() {}
