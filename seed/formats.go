package seed

import (
	"strings"
	"unicode/utf8"

	"worlds/journal/canon"
)

const createdOffsetDoc = "Seconds before the epoch at which it was created."

// maxIntervalDays bounds interval_count before the interval is known; see maxIntervalCount.
const maxIntervalDays = 3 * 365

func instant() shape[int64]       { return integer(1, MaxInstant) }
func createdOffset() shape[int64] { return integer(0, MaxEpoch) }
func noMetadata() canon.Raw       { return canon.Raw("{}") }

// kebab is a seed's name: lower-case words and digits joined by single hyphens.
func kebab() shape[string] {
	return matching(MaxNameLength, `^[a-z0-9]+(-[a-z0-9]+)*$`, `kebab-case, such as "my-seed"`, func(s string) bool {
		for _, word := range strings.Split(s, "-") {
			if word == "" || !every(word, func(c byte) bool { return isLower(c) || isDigit(c) }) {
				return false
			}
		}
		return true
	})
}

// id is an object's id: one of the prefixes, then letters, digits and underscores.
func id(prefixes ...string) shape[string] {
	pattern := "^(" + strings.Join(prefixes, "|") + ")[A-Za-z0-9_]+$"
	want := strings.Join(prefixes, " or ") + " and letters, digits or _"
	return matching(MaxIDLength, pattern, want, func(s string) bool {
		for _, prefix := range prefixes {
			if rest, ok := strings.CutPrefix(s, prefix); ok && rest != "" && every(rest, isWordByte) {
				return true
			}
		}
		return false
	})
}

// idPrefixes are those of all kinds that a seed can hold.
var idPrefixes = []string{"cus_", "prod_", "price_", "in_", "ch_", "sub_", "dp_", "du_"}

// chosenID is the id of a kind whose ids a merchant may choose: the kind's own
// prefix as in id, or free text of letters, digits and -_.:+ that wears no
// other kind's prefix.
func chosenID(prefix string) shape[string] {
	others := make([]string, 0, len(idPrefixes))
	for _, p := range idPrefixes {
		if p != prefix {
			others = append(others, p)
		}
	}
	want := prefix + " and letters, digits or _ (or an id of your own of letters, digits and -_.:+ without another kind's prefix)"
	of := matching(MaxIDLength, "", want, func(s string) bool {
		if rest, ok := strings.CutPrefix(s, prefix); ok {
			return rest != "" && every(rest, isWordByte)
		}
		for _, other := range others {
			if strings.HasPrefix(s, other) {
				return false
			}
		}
		return s != "" && every(s, func(c byte) bool { return isWordByte(c) || strings.IndexByte("-.:+", c) >= 0 })
	})
	of.schema.AnyOf = []*schemaNode{id(prefix).schema, {
		Pattern: "^[A-Za-z0-9_.:+-]+$",
		Not:     &schemaNode{Pattern: "^(" + strings.Join(idPrefixes, "|") + ")"},
	}}
	return of
}

// reference is the id of another object; whether that exists is for check.go.
func reference() shape[string] { return text(1, MaxIDLength) }

func currency() shape[string] {
	return matching(3, `^[a-z]{3}$`, `three lower-case letters, such as "usd"`, func(s string) bool {
		return len(s) == 3 && every(s, isLower)
	})
}

func email() shape[string] {
	return matching(MaxEmailLength, `^[^@ \t\r\n]+@[^@ \t\r\n]+$`, "an e-mail address", func(s string) bool {
		local, domain, ok := strings.Cut(s, "@")
		return ok && local != "" && domain != "" && !strings.ContainsAny(s, " \t\r\n") && !strings.Contains(domain, "@")
	})
}

func testInstrument() shape[string] {
	const prefix = "pm_card_"
	return matching(MaxIDLength, "^"+prefix+"[A-Za-z0-9_]+$", "a test instrument, such as "+DefaultPaymentMethod, func(s string) bool {
		rest, ok := strings.CutPrefix(s, prefix)
		return ok && rest != "" && every(rest, isWordByte)
	})
}

// metadata is an object of strings within the API's limits, kept as written.
func metadata() shape[canon.Raw] {
	return shape[canon.Raw]{
		schema: &schemaNode{Type: "object", MaxProperties: MaxMetadataKeys,
			PropertyNames:        &schemaNode{MaxLength: MaxMetadataKeyLength, MinLength: 1, Pattern: `^[^\[\]]*$`},
			AdditionalProperties: &schemaNode{Type: "string", MaxLength: MaxMetadataValueLength}},
		read: func(d *decoder, at *place, raw canon.Raw) canon.Raw {
			members, ok := membersOf(raw)
			if !ok {
				d.report(at, "is %s; must be an object of strings", kindOf(raw))
				return nil
			}
			if len(members) > MaxMetadataKeys {
				d.report(at, "has %d keys; the limit is %d", len(members), MaxMetadataKeys)
			}
			for _, m := range members {
				checkMetadata(d, at.key(m.name), m)
			}
			return raw
		},
	}
}

func checkMetadata(d *decoder, at *place, m member) {
	if n := utf8.RuneCountInString(m.name); n > MaxMetadataKeyLength {
		d.report(at, "is a key of %d characters; the limit is %d", n, MaxMetadataKeyLength)
	} else if n == 0 {
		d.report(at, "is an empty key")
	}
	if strings.ContainsAny(m.name, "[]") {
		d.report(at, "is a key with a square bracket, which metadata keys cannot have")
	}
	value, ok := readString(d, at, m.value)
	if n := utf8.RuneCountInString(value); ok && n > MaxMetadataValueLength {
		d.report(at, "has %d characters; the limit is %d", n, MaxMetadataValueLength)
	}
}

func every(s string, ok func(byte) bool) bool {
	for i := range len(s) {
		if !ok(s[i]) {
			return false
		}
	}
	return true
}

func isLower(c byte) bool    { return 'a' <= c && c <= 'z' }
func isDigit(c byte) bool    { return '0' <= c && c <= '9' }
func isWordByte(c byte) bool { return isLower(c) || 'A' <= c && c <= 'Z' || isDigit(c) || c == '_' }

// isPlainKey reports whether a key can stand in a path without quotes.
func isPlainKey(key string) bool { return key != "" && !isDigit(key[0]) && every(key, isWordByte) }
