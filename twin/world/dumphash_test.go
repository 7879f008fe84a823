package world

import (
	"bytes"
	"crypto/sha256"
	"testing"
)

// A dump has the same hash however large it is and however it comes.
func TestDumpHasher(t *testing.T) {
	all := bytes.Repeat([]byte("what a dump says of one row; "), 3*hashAlone/29)
	for _, n := range []int{0, 1, hashAlone, hashAlone + 1, len(all)} {
		for _, piece := range []int{1000, 64 << 10} {
			h := dumpHasher{sum: sha256.New()}
			for rest := all[:n]; len(rest) > 0; rest = rest[min(piece, len(rest)):] {
				_, _ = h.Write(rest[:min(piece, len(rest))])
			}
			if want := sha256.Sum256(all[:n]); !bytes.Equal(h.finish(), want[:]) {
				t.Errorf("%d bytes by %d: another hash", n, piece)
			}
		}
	}
}
