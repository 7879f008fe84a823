package twin

import (
	"crypto/sha256"
	"encoding/binary"
	"math/bits"
	"strconv"
)

// idAlphabet is the order of the base-62 digits in ids.
const idAlphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// base62Digits is how many base-62 digits hold 256 bits.
const base62Digits = 43

// idRoom is how long an id is at most, and textRoom what is hashed for one, as a rule.
const (
	idRoom   = 64
	textRoom = 192
)

// pow10of62 is 62^10, the largest power of 62 below 2^63 that one division step
// strips ten digits with.
const pow10of62 = 839299365868340224

// hashID returns prefix_ and the first n base-62 digits of the SHA-256 of text.
func hashID(prefix string, text []byte, n int) string {
	sum := sha256.Sum256(text)
	var words [4]uint64
	for i := range words {
		words[i] = binary.BigEndian.Uint64(sum[8*i:])
	}
	var digits [50]byte
	for end := len(digits); end > 0; end -= 10 {
		var rem uint64
		for i := range words {
			words[i], rem = bits.Div64(rem, words[i], pow10of62)
		}
		for i := end - 1; i >= end-10; i-- {
			digits[i] = idAlphabet[rem%62]
			rem /= 62
		}
	}
	var room [idRoom]byte
	out := append(append(room[:0], prefix...), '_')
	return string(append(out, digits[len(digits)-base62Digits:][:n]...))
}

// mintedID is id number n of the world counter: prefix_ and the base-62 of
// sha256(seed_hash + ":" + n), as founding rule for every world-visible id.
func mintedID(prefix, seedHash string, n int64, digits int) string {
	var room [textRoom]byte
	text := append(append(room[:0], seedHash...), ':')
	return hashID(prefix, strconv.AppendInt(text, n, 10), digits)
}

// derivedID is an id that another object implies; it moves no counter.
func derivedID(prefix, seedHash, parent, label string, digits int) string {
	var room [textRoom]byte
	text := append(append(room[:0], seedHash...), ':')
	text = append(append(append(text, parent...), ':'), label...)
	return hashID(prefix, text, digits)
}

// requestDigits is the length of what follows req_.
const requestDigits = 14

// RequestID is the id of request number n of a world. It derives from its own
// label and the log number, so that a read moves no later id.
func RequestID(seedHash string, n int64) string {
	var room [textRoom]byte
	text := append(append(room[:0], seedHash...), ":request:"...)
	return hashID("req", strconv.AppendInt(text, n, 10), requestDigits)
}
