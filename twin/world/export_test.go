package world

import "time"

// SetWaits shortens how long a reset waits, and how often a sealed journal is tried.
func SetWaits(h *Host, reset, reopen time.Duration) { h.resetWait, h.reopenInterval = reset, reopen }
