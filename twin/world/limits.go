package world

import "time"

// Limits of waiting and keeping.
const (
	ResetWait      = 5 * time.Second // how long a reset waits for requests in flight
	MarkStatesMax  = 64              // marks whose state is kept in memory; older ones are replayed
	ReopenInterval = time.Second     // least time between two tries to open a sealed journal
)
