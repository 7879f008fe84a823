package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
)

// Signature is the value of the Stripe-Signature header of body sent at t (unix
// seconds): an HMAC-SHA256 under the whole secret over exactly these bytes.
func Signature(secret string, t int64, body []byte) string {
	stamp := strconv.FormatInt(t, 10)
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(stamp))
	mac.Write([]byte{'.'})
	mac.Write(body)
	return "t=" + stamp + ",v1=" + hex.EncodeToString(mac.Sum(nil))
}
