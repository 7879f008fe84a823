package admin

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
)

// This file is the only place of the program where identity is made at random:
// world ids, API keys and admin tokens. None of it enters a world's journal.

const identityAlphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// Lengths of what follows a prefix.
const (
	worldIDLength = 12
	keyLength     = 24
	tokenLength   = 32
)

func randomText(prefix string, n int) string {
	const largest = 256 - 256%len(identityAlphabet)
	out := make([]byte, 0, len(prefix)+n)
	out = append(out, prefix...)
	var buf [64]byte
	for len(out) < len(prefix)+n {
		_, _ = rand.Read(buf[:]) // never fails
		for _, b := range buf {
			if int(b) < largest && len(out) < len(prefix)+n {
				out = append(out, identityAlphabet[int(b)%len(identityAlphabet)])
			}
		}
	}
	return string(out)
}

func newWorldID() string    { return randomText("w_", worldIDLength) }
func newKey() string        { return randomText("sk_test_", keyLength) }
func newAPIToken() string   { return randomText("", keyLength) }
func newAdminToken() string { return randomText("wadm_", tokenLength) }

func newSigningSecret() string { return randomText("whsec_", tokenLength) }

// fingerprint is how a secret is looked up.
type fingerprint [sha256.Size]byte

func fingerprintOf(secret string) fingerprint { return sha256.Sum256([]byte(secret)) }

// digest is how a secret is kept: its fingerprint in hexadecimal digits.
func digest(secret string) string {
	f := fingerprintOf(secret)
	return hex.EncodeToString(f[:])
}

// fingerprint is that of the key's secret. A record that holds none is nobody's.
func (k *keyRecord) fingerprint() (f fingerprint) {
	raw, err := hex.DecodeString(k.Digest)
	if err == nil && len(raw) == len(f) {
		f = fingerprint(raw)
	}
	return f
}
