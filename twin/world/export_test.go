package world

import "time"

// SetWaits shortens how long a reset waits, and how often a sealed journal is tried.
func SetWaits(h *Host, reset, reopen time.Duration) { h.resetWait, h.reopenInterval = reset, reopen }

// Shut reports whether a reset has the gate.
func Shut(w *World) bool {
	w.gate.mu.Lock()
	defer w.gate.mu.Unlock()
	return w.gate.shut != nil
}
