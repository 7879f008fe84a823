package journal

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
)

// HashBytes is the size of a Hash.
const HashBytes = sha256.Size

// Hash is the SHA-256 that names an entry and everything before it. The zero
// Hash stands for "nothing before".
type Hash [HashBytes]byte

// ErrHash is wrapped by every error about the text form of a Hash.
var ErrHash = errors.New("not a hash of 64 lower-case hex digits")

// Link returns the hash of the entry that has this body at seq and follows the
// entry named prev: SHA-256 of prev, seq as 8 bytes big-endian, and body.
func Link(prev Hash, seq Seq, body []byte) Hash {
	head := linkHead(prev, seq)
	h := sha256.New()
	h.Write(head[:])
	h.Write(body)
	var sum Hash
	h.Sum(sum[:0])
	return sum
}

func linkHead(prev Hash, seq Seq) (head [HashBytes + 8]byte) {
	copy(head[:], prev[:])
	binary.BigEndian.PutUint64(head[HashBytes:], uint64(seq))
	return head
}

// Linker is Link for a body that comes in pieces. It is for one goroutine.
type Linker struct{ sum hash.Hash }

// NewLinker returns a Linker for the entry at seq that follows the one named prev.
func NewLinker(prev Hash, seq Seq) Linker {
	head := linkHead(prev, seq)
	l := Linker{sha256.New()}
	l.Write(head[:])
	return l
}

// Write adds a piece of the body.
func (l Linker) Write(piece []byte) { _, _ = l.sum.Write(piece) }

// Sum returns the hash of the entry whose body was written.
func (l Linker) Sum() Hash {
	var h Hash
	l.sum.Sum(h[:0])
	return h
}

// String returns h as 64 lower-case hex digits.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// MarshalText is String as bytes; it never fails.
func (h Hash) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, h[:]), nil }

// UnmarshalText accepts exactly what MarshalText writes.
func (h *Hash) UnmarshalText(text []byte) error {
	parsed, err := ParseHash(string(text))
	if err == nil {
		*h = parsed
	}
	return err
}

// ParseHash accepts exactly what String returns; its errors wrap ErrHash.
func ParseHash(s string) (Hash, error) {
	var h Hash
	if len(s) != 2*HashBytes {
		return Hash{}, fmt.Errorf("journal: %d characters: %w", len(s), ErrHash)
	}
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return Hash{}, fmt.Errorf("journal: character %d: %w", i, ErrHash)
		}
	}
	if _, err := hex.Decode(h[:], []byte(s)); err != nil {
		return Hash{}, fmt.Errorf("journal: %w", ErrHash)
	}
	return h, nil
}
