package zendesk

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strconv"
	"strings"

	"worlds/journal/canon"
	"worlds/projection"
	"worlds/seed"
	"worlds/twin"
)

func wire() twin.Wire {
	return twin.Wire{
		Prefix:       prefix,
		Stray:        stray,
		Secret:       secret,
		BehalfHeader: "X-On-Behalf-Of",
		Login:        login,
		IdemHeader:   "Idempotency-Key",
		NoKey:        noKey,
		BadKey:       badKey,
		Transport:    errTransport,
		Head:         head,
		Render:       render,
	}
}

// stray reports /api/v3/…, /api/sunshine/… and //api/v2/….
func stray(path string) bool {
	first, _, below := strings.Cut(strings.TrimLeft(path, "/"), "/")
	return below && strings.EqualFold(first, "api")
}

// secret reads Basic email/token:TOKEN, Basic email:PASSWORD and Bearer. The
// e-mail says who the caller is; a bearer's token alone does.
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
		user, word, _ := strings.Cut(string(plain), ":")
		return word, strings.TrimSuffix(user, "/token")
	}
	return "", ""
}

// login is the e-mail of the principal.
func login(st *projection.State) string {
	row := st.Get(accounts.Table, accountID)
	if row == nil {
		return ""
	}
	u := st.Get(users.Table, key(accounts.Decode(row).PrincipalID))
	return orZero(users.Decode(u).Email)
}

// anonymous is who a request without a credential is.
const anonymous = `{"user":{"active":false,"alias":null,"created_at":null,"email":"invalid@example.com","id":null,"locale":"en-US","name":"Anonymous user","role":"end-user","time_zone":"UTC","updated_at":null,"verified":false}}`

// noKey answers a request without a credential: only users/me tells it who it is, and not
// one who names somebody and has no token.
func noKey(method, path, authorization string) *twin.Error {
	if method, path = canonical(method, path); method == "GET" && path == prefix+"/users/me" && authorization == "" {
		return &twin.Error{Status: 200, Body: canon.Raw(anonymous)}
	}
	return errAuth()
}

// badKey answers a credential that no world has; whoever brings a bearer's token reads
// what OAuth says of one.
func badKey(authorization, _ string) *twin.Error {
	if scheme, _, _ := strings.Cut(authorization, " "); strings.EqualFold(scheme, "bearer") {
		return errToken()
	}
	return errAuth()
}

// rateLimit is how many requests a minute the headers speak of. Nothing counts
// them: a read must leave a world as it was.
const rateLimit = 700

// etagLength is how many bytes of a digest an ETag shows.
const etagLength = 16

// head lists the headers of an answer.
func head(o *twin.Outcome, idemKey string) []string {
	h := []string{"X-Zendesk-Api-Version", "v2", "X-Request-Id", o.Request}
	h = append(h, RateHead(o.Now)...)
	switch o.Status {
	case 200:
		sum := sha256.Sum256(o.Body)
		h = append(h, "ETag", `W/"`+hex.EncodeToString(sum[:etagLength])+`"`)
	case 201:
		if at := location(o.Body); at != "" {
			h = append(h, "Location", at)
		}
	}
	if idemKey != "" {
		lookup := "miss"
		if o.Replayed != "" {
			lookup = "hit"
		}
		h = append(h, "X-Idempotency-Lookup", lookup)
	}
	return append(h, o.Headers...)
}

// RateHead lists the rate limit headers at a logical moment: a minute begins anew
// at each full minute, and one request was made in it.
func RateHead(now int64) []string {
	limit, left := strconv.Itoa(rateLimit), strconv.Itoa(rateLimit-1)
	return []string{"X-Rate-Limit", limit, "X-Rate-Limit-Remaining", left,
		"Ratelimit-Limit", limit, "Ratelimit-Remaining", left, "Ratelimit-Reset", strconv.FormatInt(60-now%60, 10)}
}

// location is the link of the record that an answer shows.
func location(body canon.Raw) string {
	for _, record := range canon.Members(body) {
		if raw, ok := canon.Get(record, "url"); ok {
			if s, _ := canon.Unquote(raw); strings.HasPrefix(s, twin.Origin) && strings.Contains(s, prefix) {
				if !strings.Contains(s, "/job_statuses/") {
					return s
				}
			}
		}
	}
	return ""
}

// render prints compactly and puts the address into the links. A string alone is
// a text that is no JSON.
func render(dst []byte, body canon.Raw, origin string) []byte {
	if len(body) > 0 && body[0] == '"' {
		s, _ := canon.Unquote(body)
		return append(dst, s...)
	}
	for {
		// Within a JSON string a quote is escaped: this is always the beginning of a
		// member's value.
		i := bytes.Index(body, []byte(`":"`+twin.Origin+"/"))
		if i < 0 {
			return append(dst, body...)
		}
		name := body[bytes.LastIndexByte(body[:i], '"')+1 : i]
		value := i + len(`":"`)
		dst = append(dst, body[:value]...)
		body = body[value:]
		if seed.DeskLink(string(name)) {
			quoted := canon.AppendString(nil, origin)
			dst = append(dst, quoted[1:len(quoted)-1]...)
			body = body[len(twin.Origin):]
		}
	}
}
