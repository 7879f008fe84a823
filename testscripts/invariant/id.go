package invariant

import (
	"crypto/sha256"
	"encoding/binary"
	"math/bits"
	"strconv"
)

const digits62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// idDigits is how many base-62 digits hold a SHA-256.
const idDigits = 43

// digest is the SHA-256 of a text as a number of 43 base-62 digits, the first the
// highest. Ids are cut from its front.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	var n [4]uint64
	for i := range n {
		n[i] = binary.BigEndian.Uint64(sum[8*i:])
	}
	var out [idDigits]byte
	for i := idDigits - 1; i >= 0; i-- {
		var rest uint64
		for j := range n {
			n[j], rest = bits.Div64(rest, n[j], 62)
		}
		out[i] = digits62[rest]
	}
	return string(out[:])
}

// mintedDigits are the digits of id number n of a world.
func mintedDigits(seedHash string, n int64) string {
	return digest(seedHash + ":" + strconv.FormatInt(n, 10))
}

// requestID is the id of request number n of a world.
func requestID(seedHash string, n int64) string {
	return "req_" + digest(seedHash + ":request:" + strconv.FormatInt(n, 10))[:14]
}
