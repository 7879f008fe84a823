package stripe

import (
	"encoding/base64"
	"strings"

	"worlds/journal/canon"
	"worlds/twin"
)

func wire() twin.Wire {
	return twin.Wire{
		Prefix:        "/v1",
		Stray:         stray,
		Secret:        secret,
		IdemHeader:    "Idempotency-Key",
		VersionHeader: "Stripe-Version",
		Unserved:      []string{"Stripe-Account", "Stripe-Context", "Content-Encoding"},
		NoKey:         func(_, _, _ string) *twin.Error { return ErrNoKey() },
		BadKey:        func(_, masked string) *twin.Error { return ErrBadKey(masked) },
		Transport:     ErrTransport,
		Head:          head,
		Render:        render,
	}
}

// stray reports /v2/…, /V1/… and //v1/….
func stray(path string) bool {
	first, _, _ := strings.Cut(strings.TrimLeft(path, "/"), "/")
	return len(first) > 1 && (first[0] == 'v' || first[0] == 'V') && strings.Trim(first[1:], "0123456789") == ""
}

// secret reads Bearer, or the user name of Basic.
func secret(authorization string) (secret, as string) {
	scheme, rest, _ := strings.Cut(authorization, " ")
	rest = strings.TrimSpace(rest)
	switch strings.ToLower(scheme) {
	case "bearer":
		return rest, ""
	case "basic":
		plain, err := base64.StdEncoding.DecodeString(rest)
		if err != nil {
			return "", ""
		}
		user, _, _ := strings.Cut(string(plain), ":")
		return user, ""
	}
	return "", ""
}

// headWish is how many names and values an answer has, as a rule.
const headWish = 6

// head lists the headers of an answer.
func head(o *twin.Outcome, idemKey string) []string {
	h := append(make([]string, 0, headWish), "Stripe-Version", o.Version)
	if o.Request != "" {
		h = append(h, "Request-Id", o.Request)
	}
	if idemKey != "" {
		h = append(h, "Idempotency-Key", idemKey)
	}
	if o.Replayed != "" {
		h = append(h, "Idempotent-Replayed", "true", "Original-Request", o.Replayed)
	}
	return append(h, o.Headers...)
}

// render prints as Stripe does: two spaces, id and object first.
func render(dst []byte, body canon.Raw, _ string) []byte {
	return append(canon.AppendPretty(dst, bareDecimals(body), "id", "object"), '\n')
}
