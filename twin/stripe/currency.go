package stripe

import (
	"strconv"
	"strings"

	"worlds/twin"
)

// currencies are those Stripe takes money in, in its own order.
const currencies = "usd, aed, afn, all, amd, ang, aoa, ars, aud, awg, azn, bam, bbd, bdt, bgn, bhd, bif, bmd, bnd, bob, brl, bsd, bwp, " +
	"byn, bzd, cad, cdf, chf, clp, cny, cop, crc, cve, czk, djf, dkk, dop, dzd, egp, etb, eur, fjd, fkp, gbp, gel, gip, gmd, gnf, " +
	"gtq, gyd, hkd, hnl, htg, huf, idr, ils, inr, isk, jmd, jod, jpy, kes, kgs, khr, kmf, krw, kwd, kyd, kzt, lak, lbp, lkr, lrd, " +
	"lsl, mad, mdl, mga, mkd, mmk, mnt, mop, mur, mvr, mwk, mxn, myr, mzn, nad, ngn, nio, nok, npr, nzd, omr, pab, pen, pgk, php, " +
	"pkr, pln, pyg, qar, ron, rsd, rub, rwf, sar, sbd, scr, sek, sgd, shp, sle, sos, srd, std, szl, thb, tjs, tnd, top, try, ttd, " +
	"twd, tzs, uah, ugx, uyu, uzs, vnd, vuv, wst, xaf, xcd, xcg, xof, xpf, yer, zar, zmw"

const (
	zeroDecimal  = "bif clp djf gnf jpy kmf krw mga pyg rwf ugx vnd vuv xaf xof xpf"
	threeDecimal = "bhd jod kwd omr tnd"
)

// minimums are the smallest sums that a card is charged for, as Stripe lists them.
// What settles in another currency has no sum of its own: there it is usualMinimum.
var minimums = [...]struct {
	currency string
	least    twin.Money
}{
	{"aed", 200}, {"bgn", 100}, {"czk", 1500}, {"dkk", 250}, {"gbp", 30}, {"hkd", 400}, {"huf", 17500}, {"mxn", 1000}, {"myr", 200},
	{"nok", 300}, {"pln", 200}, {"ron", 200}, {"sek", 300}, {"thb", 1000},
}

const usualMinimum twin.Money = 50

// chargeMinimum is the smallest sum of a currency that a card is charged for. An
// invoice of less is carried over in the customer's balance.
func chargeMinimum(currency string) twin.Money {
	for _, m := range minimums {
		if m.currency == currency {
			return m.least
		}
	}
	return usualMinimum
}

// knownCurrency reads a currency code, in either case, as the lower-case one.
func knownCurrency(code, param string) (string, *twin.Error) {
	lower := strings.ToLower(code)
	if len(lower) != 3 || !strings.Contains(currencies, lower) || strings.ContainsAny(lower, ", ") {
		return "", invalid(param, "Invalid currency: %s. Stripe currently supports these currencies: %s", lower, currencies)
	}
	return lower, nil
}

// decimals is how many digits of an amount stand behind the point.
func decimals(currency string) int {
	switch {
	case strings.Contains(zeroDecimal, currency):
		return 0
	case strings.Contains(threeDecimal, currency):
		return 3
	}
	return 2
}

// symbols are the signs a sum is written with in a refusal; a currency without
// one shows its code behind the sum.
var symbols = [...][2]string{{"usd", "$"}, {"eur", "€"}, {"gbp", "£"}, {"jpy", "¥"}, {"inr", "₹"}, {"krw", "₩"}}

// sum writes an amount as people read it: $1,234.50, ¥9,899, 12.00 SEK.
func sum(amount twin.Money, currency string) string {
	sign, n := "", int64(amount)
	if n < 0 {
		sign, n = "-", -n
	}
	places := decimals(currency)
	digits := strconv.FormatInt(n, 10)
	if missing := places + 1 - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	whole, fraction := digits[:len(digits)-places], digits[len(digits)-places:]
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if fraction != "" {
		whole += "." + fraction
	}
	for _, s := range symbols {
		if s[0] == currency {
			return sign + s[1] + whole
		}
	}
	return sign + whole + " " + strings.ToUpper(currency)
}

// unitSum is sum for an amount that may have a fraction of the minor unit: $0.015.
func unitSum(amount, currency string) string {
	whole, fraction, _ := strings.Cut(amount, ".")
	n, _ := strconv.ParseInt(whole, 10, 64)
	text := sum(twin.Money(n), currency)
	if fraction == "" {
		return text
	}
	last := strings.LastIndexAny(text, "0123456789") + 1
	if decimals(currency) == 0 {
		fraction = "." + fraction
	}
	return text[:last] + fraction + text[last:]
}
