package world

// Unload takes the worlds out of memory that nobody has used since the call before,
// and returns how many. They load again when they are next used, as if nothing had
// been: a world's memory is a reading of its journal. Worlds at work are left alone,
// and nobody waits for a call.
func (h *Host) Unload() (unloaded int) {
	last := h.round.Add(1) - 1
	h.mu.Lock()
	worlds := make([]*World, 0, len(h.worlds))
	for _, w := range h.worlds {
		worlds = append(worlds, w)
	}
	h.mu.Unlock()
	for _, w := range worlds {
		select {
		case w.lock <- struct{}{}:
		default:
			continue // somebody is using it
		}
		if w.machine != nil && w.used < last {
			w.forget()
			unloaded++
		}
		w.release()
	}
	return unloaded
}

// forget gives up what memory holds of the world. What is appended and not yet
// durable stays promised: who loads the world waits for it. The caller holds the lock.
func (w *World) forget() {
	w.genesis, w.machine, w.marks, w.keys = nil, nil, nil, nil
}
