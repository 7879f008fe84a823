package stripe

import (
	"strings"
	"time"

	"worlds/twin"
)

// cardParams is a card as a request spells it out.
type cardParams struct {
	CVC      twin.Opt[string] `param:"cvc"`
	ExpMonth twin.Opt[int64]  `param:"exp_month"`
	ExpYear  twin.Opt[int64]  `param:"exp_year"`
	Number   twin.Opt[string] `param:"number"`
}

// complete refuses a card that is not spelled out. at is the parameter it is.
func (p *cardParams) complete(at string) *twin.Error {
	switch {
	case !p.Number.Given():
		return errMissing(at + "[number]")
	case !p.ExpMonth.Given():
		return errMissing(at + "[exp_month]")
	case !p.ExpYear.Given():
		return errMissing(at + "[exp_year]")
	}
	return nil
}

// read finds the test card that was spelled out. A number that no card can have,
// or that is none of the test cards', is declined.
func (p *cardParams) read(tx *twin.Tx) (instrument, *twin.Error) {
	number := strings.NewReplacer(" ", "", "-", "").Replace(p.Number.V)
	in, ok := instrumentNumbered(number)
	year, month, _ := time.Unix(int64(tx.Now()), 0).UTC().Date()
	switch {
	case !luhn(number):
		return in, errCard("incorrect_number", "number", "Your card number is incorrect.")
	case p.ExpMonth.V < 1 || p.ExpMonth.V > 12:
		return in, errCard("invalid_expiry_month", "exp_month", "Your card's expiration month is invalid.")
	case p.year() > int64(year)+expiryYearsMax, p.year() < int64(year):
		return in, errCard("invalid_expiry_year", "exp_year", "Your card's expiration year is invalid.")
	case p.year() == int64(year) && p.ExpMonth.V < int64(month):
		return in, errCard("invalid_expiry_month", "exp_month", "Your card's expiration month is invalid.")
	case p.CVC.Given() && !isCode(p.CVC.V):
		return in, errCard("invalid_cvc", "cvc", "Your card's security code is invalid.")
	case !ok:
		why := testModeLiveCard
		return in, errDeclined(&why, wireError{})
	}
	return in, nil
}

// expiryYearsMax is how many years ahead a card may expire.
const expiryYearsMax = 50

// year is the year of expiry, which may be given by its last two digits.
func (p *cardParams) year() int64 {
	if y := p.ExpYear.V; y >= 0 && y < 100 {
		return 2000 + y
	}
	return p.ExpYear.V
}

// mark writes on a card what only its owner knows of it.
func (p *cardParams) mark(c *Card) {
	c.ExpMonth, c.ExpYear = p.ExpMonth.V, p.year()
	if !p.CVC.Given() {
		c.Checks.CVCCheck = nil
	}
}

// luhn reports whether a number could be a card's.
func luhn(number string) bool {
	const shortest, longest = 12, 19
	if len(number) < shortest || len(number) > longest {
		return false
	}
	sum := 0
	for i := range len(number) {
		d := int(number[len(number)-1-i] - '0')
		if d < 0 || d > 9 {
			return false
		}
		if i%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return sum%10 == 0
}

// isCode reports whether a text has the form of a security code.
func isCode(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return len(s) == 3 || len(s) == 4
}
