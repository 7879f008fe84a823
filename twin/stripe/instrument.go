package stripe

import (
	"crypto/sha256"
	"strings"
)

// instrument is one of Stripe's test cards: what it looks like, and what paying
// with it does.
type instrument struct {
	name    string // after pm_card_
	number  string
	brand   string
	funding string
	effect  effect
	refusal refusal // of a card that declines
	reason  string  // of the dispute of a card that disputes
}

// effect is what is special about a test card.
type effect uint8

const (
	pays          effect = iota // every payment succeeds
	declines                    // every use is declined, attaching included
	declinesLater               // attaches, then every payment is declined
	blocked                     // every use is blocked as too risky
	authenticates               // the customer must be present; without, a payment is declined
	disputes                    // every payment is charged back
	inquires                    // the bank asks about every payment
	refundsLate                 // a refund is pending for a while
	refundsFail                 // a refund fails after a while
)

// refusal is how a bank says no.
type refusal struct {
	code    string // of the error
	decline string // what the bank said
	message string
}

var (
	genericDecline    = refusal{"card_declined", "generic_decline", "Your card was declined."}
	insufficientFunds = refusal{"card_declined", "insufficient_funds", "Your card has insufficient funds."}
	lostCard          = refusal{"card_declined", "lost_card", "Your card was declined."}
	stolenCard        = refusal{"card_declined", "stolen_card", "Your card was declined."}
	fraudulent        = refusal{"card_declined", "fraudulent", "Your card was declined."}
	velocityExceeded  = refusal{"card_declined", "card_velocity_exceeded",
		"Your card was declined for making repeated attempts too frequently or exceeding its amount limit."}
	expiredCard     = refusal{"expired_card", "expired_card", "Your card has expired."}
	incorrectCVC    = refusal{"incorrect_cvc", "incorrect_cvc", "Your card's security code is incorrect."}
	processingError = refusal{"processing_error", "processing_error",
		"An error occurred while processing your card. Try again in a little bit."}
	testModeLiveCard = refusal{"card_declined", "test_mode_live_card",
		"Your card was declined. Your request was in test mode, but used a non test card. For a list of valid test cards, visit: https://stripe.com/docs/testing."}
	authenticationRequired = refusal{"authentication_required", "authentication_required",
		"Your card was declined. This transaction requires authentication."}
)

// instruments are the test cards of the twin. The same card may have two names,
// with and without its brand; the second follows from the first (instrumentNamed).
var instruments = [...]instrument{
	{name: "visa", number: "4242424242424242", brand: "visa", funding: "credit"},
	{name: "us", number: "4242424242424242", brand: "visa", funding: "credit"},
	{name: "visa_debit", number: "4000056655665556", brand: "visa", funding: "debit"},
	{name: "mastercard", number: "5555555555554444", brand: "mastercard", funding: "credit"},
	{name: "mastercard_debit", number: "5200828282828210", brand: "mastercard", funding: "debit"},
	{name: "mastercard_prepaid", number: "5105105105105100", brand: "mastercard", funding: "prepaid"},
	{name: "amex", number: "378282246310005", brand: "amex", funding: "credit"},
	{name: "discover", number: "6011111111111117", brand: "discover", funding: "credit"},
	{name: "diners", number: "3056930009020004", brand: "diners", funding: "credit"},
	{name: "jcb", number: "3566002020360505", brand: "jcb", funding: "credit"},
	{name: "unionpay", number: "6200000000000005", brand: "unionpay", funding: "credit"},
	{name: "chargeDeclined", number: "4000000000000002", brand: "visa", funding: "credit", effect: declines, refusal: genericDecline},
	{name: "chargeDeclinedInsufficientFunds", number: "4000000000009995", brand: "visa", funding: "credit", effect: declines, refusal: insufficientFunds},
	{name: "chargeDeclinedLostCard", number: "4000000000009987", brand: "visa", funding: "credit", effect: declines, refusal: lostCard},
	{name: "chargeDeclinedStolenCard", number: "4000000000009979", brand: "visa", funding: "credit", effect: declines, refusal: stolenCard},
	{name: "chargeDeclinedExpiredCard", number: "4000000000000069", brand: "visa", funding: "credit", effect: declines, refusal: expiredCard},
	{name: "chargeDeclinedIncorrectCvc", number: "4000000000000127", brand: "visa", funding: "credit", effect: declines, refusal: incorrectCVC},
	{name: "chargeDeclinedProcessingError", number: "4000000000000119", brand: "visa", funding: "credit", effect: declines, refusal: processingError},
	{name: "chargeDeclinedVelocityLimitExceeded", number: "4000000000006975", brand: "visa", funding: "credit", effect: declines, refusal: velocityExceeded},
	{name: "chargeDeclinedFraudulent", number: "4100000000000019", brand: "visa", funding: "credit", effect: blocked, refusal: fraudulent},
	{name: "radarBlock", number: "4100000000000019", brand: "visa", funding: "credit", effect: blocked, refusal: fraudulent},
	{name: "chargeCustomerFail", number: "4000000000000341", brand: "visa", funding: "credit", effect: declinesLater, refusal: genericDecline},
	{name: "authenticationRequired", number: "4000002760003184", brand: "visa", funding: "credit", effect: authenticates, refusal: authenticationRequired},
	{name: "authenticationRequiredOnSetup", number: "4000002500003155", brand: "visa", funding: "credit", effect: authenticates, refusal: authenticationRequired},
	{name: "threeDSecure2Required", number: "4000000000003220", brand: "visa", funding: "credit", effect: authenticates, refusal: authenticationRequired},
	{name: "createDispute", number: "4000000000000259", brand: "visa", funding: "credit", effect: disputes, reason: "fraudulent"},
	{name: "createDisputeProductNotReceived", number: "4000000000002685", brand: "visa", funding: "credit", effect: disputes, reason: "product_not_received"},
	{name: "createDisputeInquiry", number: "4000000000001976", brand: "visa", funding: "credit", effect: inquires, reason: "general"},
	{name: "pendingRefund", number: "4000000000007726", brand: "visa", funding: "credit", effect: refundsLate},
	{name: "refundFail", number: "4000000000005126", brand: "visa", funding: "credit", effect: refundsFail},
}

// instrumentPrefix begins the name of a test instrument where the id of a payment
// method could stand, tokenPrefix where that of a token could.
const (
	instrumentPrefix = "pm_card_"
	tokenPrefix      = "tok_"
)

// instrumentNamed finds a test card by name: pm_card_visa, pm_card_chargeDeclined
// or pm_card_visa_chargeDeclined.
func instrumentNamed(name string) (in instrument, ok bool) {
	return instrumentUnder(instrumentPrefix, name)
}

func instrumentUnder(prefix, name string) (in instrument, ok bool) {
	short, ok := strings.CutPrefix(name, prefix)
	if !ok {
		return instrument{}, false
	}
	for _, in := range instruments {
		if short == in.name || in.effect != pays && short == in.brand+"_"+in.name {
			return in, true
		}
	}
	return instrument{}, false
}

// instrumentNumbered finds a test card by its number.
func instrumentNumbered(number string) (in instrument, ok bool) {
	for _, in := range instruments {
		if in.number == number {
			return in, true
		}
	}
	return instrument{}, false
}

// instrumentBehind finds the test card a stored card came from; one from
// elsewhere simply pays.
func instrumentBehind(c *Card) instrument { return instrumentLike(c.Last4, c.Fingerprint) }

func instrumentLike(last4, print string) instrument {
	for _, in := range instruments {
		if in.last4() == last4 && fingerprint(in.number) == print {
			return in
		}
	}
	return instrument{}
}

// attaches reports whether the card can be given to a customer.
func (in *instrument) attaches() bool { return in.effect != declines && in.effect != blocked }

// refuses reports whether every payment with the card is declined.
func (in *instrument) refuses() bool {
	return in.effect == declines || in.effect == declinesLater || in.effect == blocked
}

func (in *instrument) last4() string { return in.number[len(in.number)-4:] }

// fingerprintLength is how many characters a card's fingerprint has.
const fingerprintLength = 16

// fingerprint identifies a card number without showing it. The same number has
// the same fingerprint in every world.
func fingerprint(number string) string {
	const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	sum := sha256.Sum256([]byte("card_number:" + number))
	out := make([]byte, fingerprintLength)
	for i := range out {
		out[i] = alphabet[int(sum[i])%len(alphabet)]
	}
	return string(out)
}

// sellerMessage is what a charge's outcome tells the merchant.
func (r *refusal) sellerMessage() string {
	if r.decline == genericDecline.decline {
		return "The bank did not return any further details with this decline."
	}
	return "The bank returned the decline code `" + r.decline + "`."
}
