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

// Keyring is a keyring as its test drives it.
type Keyring struct{ k *keyring }

func NewKeyring() Keyring                         { return Keyring{newKeyring()} }
func (k Keyring) Alias(raw string) (string, bool) { return k.k.alias(raw) }
func (k Keyring) Forget(raw string)               { k.k.forget(raw) }
func (k Keyring) Fork(count int) Keyring          { return Keyring{k.k.fork(count)} }

// HoldTurns takes the turns of all long operations until they are given back.
func HoldTurns(h *Host) (giveBack func()) {
	for range cap(h.turns) {
		h.turns <- struct{}{}
	}
	return func() {
		for range cap(h.turns) {
			<-h.turns
		}
	}
}
