//go:build !linux

package heap

// keepHuge does nothing: this system chooses the size of its pages itself.
func keepHuge() {}
