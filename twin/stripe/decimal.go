package stripe

import (
	"bytes"
	"math/big"
	"strconv"
	"strings"

	"worlds/journal/canon"
	"worlds/twin"
)

// parseDecimal reads a decimal number of at most so many places, not negative,
// as the canonical one. It is never guessed at: no exponent, no sign, no spaces.
func parseDecimal(s string, places int) (twin.Decimal, bool) {
	whole, fraction, dotted := strings.Cut(s, ".")
	if whole == "" || len(whole) > 12 || len(fraction) > places || dotted && fraction == "" {
		return "", false
	}
	for i := range len(whole) + len(fraction) {
		if c := (whole + fraction)[i]; c < '0' || c > '9' {
			return "", false
		}
	}
	whole, fraction = strings.TrimLeft(whole, "0"), strings.TrimRight(fraction, "0")
	if whole == "" {
		whole = "0"
	}
	if fraction != "" {
		whole += "." + fraction
	}
	return twin.Decimal(whole), true
}

// scaled is a decimal in units of its last place, of so many: 12.5 of 4 places is
// 125000.
func scaled(d twin.Decimal, places int) int64 {
	whole, fraction, _ := strings.Cut(string(d), ".")
	n, _ := strconv.ParseInt(whole+fraction+strings.Repeat("0", places-len(fraction)), 10, 64)
	return n
}

// unitPlaces is how many decimal places the amount of a unit has at most.
const unitPlaces = 12

// parseUnit reads the amount of a unit; whole is its value when it has no fraction,
// nil otherwise.
func parseUnit(d twin.Decimal, param string) (unit twin.Decimal, whole *twin.Money, err *twin.Error) {
	unit, ok := parseDecimal(string(d), unitPlaces)
	if !ok {
		return "", nil, invalid(param, "Invalid decimal: %s", d)
	}
	if n, err := strconv.ParseInt(string(unit), 10, 64); err == nil {
		amount := twin.Money(n)
		return unit, &amount, nil
	}
	return unit, nil, nil
}

// costOf is what so many units cost, in 10^-unitPlaces of the currency's minor unit.
func costOf(unit string, quantity int64) *big.Int {
	whole, fraction, _ := strings.Cut(unit, ".")
	n, _ := new(big.Int).SetString(whole+fraction+strings.Repeat("0", unitPlaces-len(fraction)), 10)
	return n.Mul(n, big.NewInt(quantity))
}

// minorUnit is the minor unit of a currency in what costOf counts in.
func minorUnit() *big.Int { return big.NewInt(1_000_000_000_000) }

// lineCost is what so many units cost, rounded half up. ok is false when that is
// more than an amount can be.
func lineCost(unit string, quantity int64) (amount twin.Money, ok bool) {
	n := costOf(unit, quantity)
	n.Add(n.Lsh(n, 1), minorUnit())
	n.Div(n, new(big.Int).Lsh(minorUnit(), 1))
	if n.Cmp(big.NewInt(int64(amountMax))) > 0 {
		return 0, false
	}
	return twin.Money(n.Int64()), true
}

// decimalsOf lists the members that are stored as decimal text and shown as JSON
// numbers, by the object that has them. Each must be the only member of its name
// in anything that is rendered, but for metadata, which is told apart by its
// object.
const (
	decimalObject = `"coupon"`
	decimalMember = "percent_off"
)

// bareDecimals shows decimals as numbers, wherever in body their objects are. The
// result is JSON, not canonical any more. A body without any is returned as it is.
func bareDecimals(body canon.Raw) canon.Raw {
	if !bytes.Contains(body, []byte(`"`+decimalMember+`":"`)) {
		return body
	}
	return appendBare(make([]byte, 0, len(body)), body)
}

func appendBare(dst []byte, v canon.Raw) []byte {
	switch {
	case len(v) > 0 && v[0] == '[':
		dst = append(dst, '[')
		for e := range canon.Elements(v) {
			dst = appendBare(separated(dst), e)
		}
		return append(dst, ']')
	case len(v) == 0 || v[0] != '{':
		return append(dst, v...)
	}
	object, _ := canon.Get(v, "object")
	bare := string(object) == decimalObject
	dst = append(dst, '{')
	for name, member := range canon.Members(v) {
		dst = append(canon.AppendString(separated(dst), name), ':')
		if number, ok := canon.Unquote(member); ok && bare && name == decimalMember {
			dst = append(dst, number...)
			continue
		}
		dst = appendBare(dst, member)
	}
	return append(dst, '}')
}

// separated appends a comma unless an array or object has just been opened.
func separated(dst []byte) []byte {
	if last := dst[len(dst)-1]; last == '[' || last == '{' {
		return dst
	}
	return append(dst, ',')
}
