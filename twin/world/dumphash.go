package world

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"

	"worlds/projection"
)

// DumpHash is the SHA-256 of a state's dump, in hex.
func DumpHash(st *projection.State) string {
	h := dumpHasher{sum: sha256.New()}
	_ = st.WriteDump(&h) // a hash never fails
	return hex.EncodeToString(h.finish())
}

const (
	// hashAlone is how many bytes of a dump are worth no other goroutine.
	hashAlone = 1 << 20
	// hashRoom is how many chunks there are at most at a time.
	hashRoom = 4
)

// dumpHasher hashes what is written to it: by another goroutine, while the next is
// gathered, when there is much.
type dumpHasher struct {
	sum         hash.Hash
	n           int
	full, empty chan []byte // nil until there is another goroutine
	done        chan struct{}
}

func (h *dumpHasher) Write(p []byte) (int, error) {
	if h.n += len(p); h.n <= hashAlone {
		return h.sum.Write(p)
	}
	if h.full == nil {
		h.start()
	}
	h.full <- append((<-h.empty)[:0], p...)
	return len(p), nil
}

func (h *dumpHasher) start() {
	h.full, h.empty, h.done = make(chan []byte, hashRoom), make(chan []byte, hashRoom), make(chan struct{})
	for range hashRoom {
		h.empty <- nil
	}
	go func() {
		defer close(h.done)
		for p := range h.full {
			h.sum.Write(p)
			h.empty <- p
		}
	}()
}

// finish returns the hash of all that was written.
func (h *dumpHasher) finish() []byte {
	if h.full != nil {
		close(h.full)
		<-h.done
	}
	return h.sum.Sum(nil)
}
