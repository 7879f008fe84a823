//go:build !linux

package world

// unhurried does nothing: this system has no word for it.
func unhurried() (hurry func()) { return func() {} }
