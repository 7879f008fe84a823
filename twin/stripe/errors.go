package stripe

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"worlds/journal/canon"
	"worlds/twin"
)

// wireError is Stripe's error object; members that say nothing are left out.
type wireError struct {
	Charge        string    `json:"charge,omitempty"`
	Code          string    `json:"code,omitempty"`
	DeclineCode   string    `json:"decline_code,omitempty"`
	DocURL        string    `json:"doc_url,omitempty"`
	Message       string    `json:"message,omitempty"`
	Param         string    `json:"param,omitempty"`
	PaymentIntent canon.Raw `json:"payment_intent,omitempty"`
	PaymentMethod canon.Raw `json:"payment_method,omitempty"`
	SetupIntent   canon.Raw `json:"setup_intent,omitempty"`
	Type          string    `json:"type"`
}

type errorDoc struct {
	Error wireError `json:"error"`
}

// The values of an error's type.
const (
	invalidRequest   = "invalid_request_error"
	cardError        = "card_error"
	idempotencyError = "idempotency_error"
	apiError         = "api_error"
)

const docURL = "https://stripe.com/docs/error-codes/"

func docLink(code string) string { return docURL + strings.ReplaceAll(code, "_", "-") }

// fail builds an error. A code of an invalid request or a card error gets its
// documentation link.
func fail(status int64, e wireError) *twin.Error {
	if e.Code != "" && (e.Type == invalidRequest || e.Type == cardError) {
		e.DocURL = docLink(e.Code)
	}
	return &twin.Error{Status: status, Body: canon.Marshal(&errorDoc{e})}
}

// invalid is a 400 without code: param may be "".
func invalid(param, format string, args ...any) *twin.Error {
	return fail(400, wireError{Type: invalidRequest, Param: param, Message: fmt.Sprintf(format, args...)})
}

// invalidCode is a 400 with a code: param may be "".
func invalidCode(code, param, format string, args ...any) *twin.Error {
	return fail(400, wireError{Type: invalidRequest, Code: code, Param: param, Message: fmt.Sprintf(format, args...)})
}

// errNoSuch is the 404 for an object named in the path. param is what Stripe
// calls that path segment in this resource ("id" for most).
func errNoSuch(noun, param, id string) *twin.Error {
	return fail(404, wireError{Type: invalidRequest, Code: "resource_missing", Param: param,
		Message: fmt.Sprintf("No such %s: '%s'", noun, id)})
}

// errNoSuchRef is the 400 for an object named by a parameter.
func errNoSuchRef(noun, param, id string) *twin.Error {
	return invalidCode("resource_missing", param, "No such %s: '%s'", noun, id)
}

// errNoRoute is the 404 for a path or method that Stripe does not have either. Where
// an id may be missing it says so.
func errNoRoute(method, path string) *twin.Error {
	hint := ""
	if strings.HasSuffix(path, "/") || strings.Contains(path, "//") {
		hint = "If you are trying to list objects, remove the trailing slash. If you are trying to retrieve an object, " +
			"make sure you passed a valid (non-empty) identifier in your code. "
	}
	return fail(404, wireError{Type: invalidRequest, Message: fmt.Sprintf(
		"Unrecognized request URL (%s: %s). %sPlease see https://stripe.com/docs or we can help at https://support.stripe.com/.",
		method, path, hint)})
}

// errAnchorInTrial is a billing cycle that would begin before the end of a trial.
func errAnchorInTrial() *twin.Error {
	return invalidCode("subscription_update_trial_after_billing_cycle_anchor", "billing_cycle_anchor",
		"The billing_cycle_anchor cannot be earlier than the trial_end.")
}

// errIncomplete refuses what would bill a subscription whose first invoice is not paid.
func errIncomplete() *twin.Error {
	return invalid("", "You cannot update a subscription in `incomplete` status in a way that results in a new invoice or invoice items. "+
		"Only minor attributes, like `metadata` or `default_payment_method`, can be updated on such subscriptions.")
}

// errOptionsOfPercentage is a sum by currency of a coupon that takes off a percentage.
func errOptionsOfPercentage() *twin.Error {
	return invalid("currency_options", "You may only pass currency_options for a coupon with amount_off.")
}

// errNotSubscribed is a subscription that is not the customer's in the path.
func errNotSubscribed(customer, subscription string) *twin.Error {
	return fail(404, wireError{Type: invalidRequest, Code: "resource_missing", Param: "subscription",
		Message: fmt.Sprintf("Customer %s does not have a subscription with ID %s", customer, subscription)})
}

// errNotPending refuses to let wait for a payment what costs nothing.
func errNotPending(param string) *twin.Error {
	return invalid(param, "When `payment_behavior` is set to `pending_if_incomplete`, you can only update `items`, `billing_cycle_anchor`, `trial_end` and `add_invoice_items`, and say how they are prorated.")
}

// errUnserved is the 501 for what Stripe has and this twin does not.
func errUnserved(what, param string) *twin.Error {
	e := fail(501, wireError{Type: invalidRequest, Param: param,
		Message: "This twin does not serve " + what + ". The world is unchanged."})
	e.Headers = []string{"Stripe-Should-Retry", "false"}
	e.Unstored = true
	return e
}

// errMissing is a required parameter that was not sent.
func errMissing(param string) *twin.Error {
	return invalidCode("parameter_missing", param, "Missing required param: %s.", param)
}

// errUnknown is one or more parameters that the route does not have.
func errUnknown(names []string) *twin.Error {
	if len(names) == 1 {
		return invalidCode("parameter_unknown", names[0], "Received unknown parameter: %s", names[0])
	}
	return invalidCode("parameter_unknown", names[0], "Received unknown parameters: %s", strings.Join(names, ", "))
}

// errInternal is a fault of the twin itself.
func errInternal() *twin.Error {
	return fail(500, wireError{Type: apiError, Message: "The twin failed to answer this request. The world is unchanged."})
}

// errTick is an automatic clock that could not move on.
func errTick(why string) *twin.Error {
	return fail(500, wireError{Type: apiError, Message: "The clock could not move on before this request: " + why})
}

// errKeyReused is an idempotency key used again for something else. The raw key
// is spliced into the text when it is rendered.
func errKeyReused(sameTarget bool, first, now string) *twin.Error {
	text := "Keys for idempotent requests can only be used with the same parameters they were first used with. " +
		"Try using a key other than '" + twin.SpliceIdemKey + "' if you meant to execute a different request."
	if !sameTarget {
		text = "Keys for idempotent requests can only be used for the same endpoint they were first used for ('" +
			pathOf(first) + "' vs '" + pathOf(now) + "'). Try using a key other than '" + twin.SpliceIdemKey +
			"' if you meant to execute a different request."
	}
	e := fail(400, wireError{Type: idempotencyError, Message: text})
	e.Splice = []string{twin.SpliceIdemKey}
	return e
}

// pathOf leaves the method off a target: keys are for POST only.
func pathOf(target string) string {
	_, path, _ := strings.Cut(target, " ")
	return path
}

func errKeyTooLong() *twin.Error {
	return fail(400, wireError{Type: idempotencyError, Message: fmt.Sprintf(
		"Idempotency keys can be at most %d characters long.", twin.IdemKeyMax)})
}

// ErrNoKey is the answer to a request without an API key.
func ErrNoKey() *twin.Error {
	e := fail(401, wireError{Type: invalidRequest, Message: "You did not provide an API key. You need to provide your API key in the " +
		"Authorization header, using Bearer auth (e.g. 'Authorization: Bearer YOUR_SECRET_KEY'). See " +
		"https://stripe.com/docs/api#authentication for details."})
	e.Headers = []string{"WWW-Authenticate", `Basic realm="Stripe"`}
	return e
}

// ErrBadKey is the answer to a request with an unknown API key.
func ErrBadKey(masked string) *twin.Error {
	e := fail(401, wireError{Type: invalidRequest, Message: "Invalid API Key provided: " + masked})
	e.Headers = []string{"WWW-Authenticate", `Basic realm="Stripe"`}
	return e
}

// ErrTransport is a request that never reaches a route: a body over the limit, a
// header over the limit, a server that is going away.
func ErrTransport(status int64, message string) *twin.Error {
	e := fail(status, wireError{Type: invalidRequest, Message: message})
	if status >= 500 {
		e = fail(status, wireError{Type: apiError, Message: message})
	}
	return e
}

// errExclusive is two parameters that exclude each other; the second is at fault.
func errExclusive(first, second string) *twin.Error {
	return invalid(second, "You may only specify one of these parameters: %s, %s.", first, second)
}

// refuse words a violation of a parameter table.
func refuse(r *twin.Route, v *twin.Violation) *twin.Error {
	if isWordOf(r, v) {
		return errUnserved(fmt.Sprintf("%s=%s of %s %s", v.Param, v.Value, r.Method, r.Pattern), v.Param)
	}
	switch v.Kind {
	case twin.Malformed:
		return refuseMalformed(v)
	case twin.TooMany:
		return invalid("", "Invalid request: more than %d parameters.", v.Limit)
	case twin.Unknown:
		return refuseUnknown(r, v.Names, v.Version)
	case twin.BadType:
		if v.Value == "" || v.Want == "array" || v.Want == "object" {
			return invalid(v.Param, "Invalid %s", v.Want)
		}
		return invalid(v.Param, "Invalid %s: %s", v.Want, v.Value)
	case twin.BadInteger:
		return invalidCode("parameter_invalid_integer", v.Param, "Invalid integer: %s", v.Value)
	case twin.BelowMin:
		return refuseBelow(v)
	case twin.AboveMax:
		if v.Want == "array" {
			return invalid(v.Param, "Invalid array: must have at most %d elements", v.Limit)
		}
		return invalidCode("parameter_invalid_integer", v.Param, "This value must be less than or equal to %d.", v.Limit)
	case twin.TooLong:
		return refuseLong(v)
	case twin.BadEnum:
		return invalid(v.Param, "Invalid %s: must be %s", lastSegment(v.Param), oneOf(v.Options))
	case twin.BadEmail:
		return invalidCode("email_invalid", v.Param, "Invalid email address: %s", v.Value)
	case twin.EmptyNotAllowed:
		return invalidCode("parameter_invalid_empty", v.Param, "You passed an empty string for '%s'. We assume empty values are an "+
			"attempt to unset a parameter; however '%s' cannot be unset. You should remove '%s' from your request or supply "+
			"a non-empty value.", v.Param, v.Param, v.Param)
	}
	return errMissing(v.Param)
}

// refuseMalformed words what cannot be read as a form: Stripe's sentence, and what
// the twin knows besides.
func refuseMalformed(v *twin.Violation) *twin.Error {
	return invalid(v.Param, "Invalid request (check that your POST content type is application/x-www-form-urlencoded): %s. "+
		"If you have any questions, we can help at https://support.stripe.com/.", v.Value)
}

// longShown is how many characters a message shows of either end of a text that is
// too long.
const longShown = 4

// refuseLong words a text over its length; metadata has wordings of its own.
func refuseLong(v *twin.Violation) *twin.Error {
	if v.Want != "" {
		return invalid(v.Param, "Metadata %ss can have up to %d characters, but you passed in a %s that is %d characters. Invalid %s: %s",
			v.Want, v.Limit, v.Want, utf8.RuneCountInString(v.Value), v.Want, v.Value)
	}
	all := []rune(v.Value)
	return invalid(v.Param, "Invalid string: %s...%s; must be at most %d characters",
		string(all[:longShown]), string(all[len(all)-longShown:]), v.Limit)
}

// refuseBelow words an integer under its minimum; sums of money have a wording
// of their own.
func refuseBelow(v *twin.Violation) *twin.Error {
	if strings.HasSuffix(v.Param, "amount") && v.Limit == 1 {
		return invalidCode("parameter_invalid_integer", v.Param, "Invalid positive integer")
	}
	return invalidCode("parameter_invalid_integer", v.Param, "This value must be greater than or equal to %d.", v.Limit)
}

// oneOf lists options as Stripe does: one of a, b, or c.
func oneOf(options []string) string {
	switch n := len(options); n {
	case 1:
		return options[0]
	case 2:
		return "one of " + options[0] + " or " + options[1]
	default:
		return "one of " + strings.Join(options[:n-1], ", ") + ", or " + options[n-1]
	}
}

// lastSegment is the innermost name of a bracket path.
func lastSegment(param string) string {
	i := strings.LastIndexByte(param, '[')
	return strings.TrimSuffix(param[i+1:], "]")
}

func notExpandable(path string, hint bool) *twin.Error {
	if hint {
		return invalid("expand", "This property cannot be expanded (%s). You may want to try expanding 'data.%s' instead.", path, path)
	}
	return invalid("expand", "This property cannot be expanded (%s).", path)
}

func tooDeep(path string) *twin.Error {
	return invalidCode("property_expansion_max_depth", "expand", "You cannot expand more than %d levels of a property. Property: %s",
		twin.ExpandDepthMax, path)
}

func errBothCursors() *twin.Error {
	return invalid("", "Received both starting_after and ending_before parameters. Please pass in only one.")
}

// errInvoicePrefix is a prefix of a form that invoice numbers do not begin with.
func errInvoicePrefix() *twin.Error {
	return invalid("invoice_prefix", "Invoice prefix must be between 3–12 uppercase letters or numbers.")
}

// errInvoiceSequence is a number that invoices of the customer may have already:
// Stripe says that numbers are unique, and has no public words for this.
func errInvoiceSequence(next int64) *twin.Error {
	return invalid("next_invoice_sequence", "The next invoice sequence of this customer can be no lower than %d.", next)
}

// Products and prices.

// errExists is a chosen id that is taken.
func errExists(noun, param string) *twin.Error {
	return invalidCode("resource_already_exists", param, "%s already exists.", noun)
}

func errProductHasPrices() *twin.Error {
	return invalid("", "This product cannot be deleted because it has one or more user-created prices.")
}

// errPriceOfOther is a default price that belongs to another product.
func errPriceOfOther(price, product string) *twin.Error {
	return invalid("default_price", "The price %s does not belong to the product %s.", price, product)
}

// errDefaultPrice is the archiving of a price that a product has as its default.
func errDefaultPrice() *twin.Error {
	return invalid("active", "This price cannot be archived because it is the default price of its product.")
}

func errLookupKeyTaken(price string) *twin.Error {
	return invalid("lookup_key", "A price (`%s`) already uses that lookup key.", price)
}

func errTaxBehaviorFixed(now string) *twin.Error {
	return invalid("tax_behavior", "The tax behavior of a price cannot be changed once it is set (%s).", now)
}

// Payment methods.

// errMethodNotAttached is a payment method that is not the customer's.
func errMethodNotAttached(id, param string) *twin.Error {
	return invalidCode("resource_missing", param, "The customer does not have a payment method with the ID %s. "+
		"The payment method must be attached to the customer.", id)
}

// errMethodTaken is the attaching of another customer's payment method.
func errMethodTaken() *twin.Error {
	return invalid("", "The payment method you provided has already been attached to a customer.")
}

// errMethodSpent is the attaching of a payment method that was used or detached.
func errMethodSpent() *twin.Error {
	return invalid("", "This PaymentMethod was previously used without being attached to a Customer or was detached from a "+
		"Customer, and may not be used again.")
}

// errMethodUnattached is the detaching of a payment method that no customer has.
func errMethodUnattached() *twin.Error {
	return invalid("", "The payment method you provided is not attached to a customer so detachment is impossible.")
}

// errMethodUnsaved is the update of a payment method that no customer has.
func errMethodUnsaved() *twin.Error {
	return invalid("", "You must save this PaymentMethod to a customer before you can update it.")
}

// errMethodOfCustomer is a payment with a customer's payment method that does not
// name the customer.
func errMethodOfCustomer(id string) *twin.Error {
	return invalid("payment_method", "The PaymentMethod %s is attached to a customer, so for security purposes you must provide "+
		"the customer in the request.", id)
}

// errTokenUsed is a token used a second time.
func errTokenUsed(token, param string) *twin.Error {
	return invalidCode("token_already_used", param, "You cannot use a Stripe token more than once: %s.", token)
}

// errCard is a card that cannot be one.
func errCard(code, param, message string) *twin.Error {
	return fail(402, wireError{Type: cardError, Code: code, Param: param, Message: message})
}

// fill completes an error object, or an intent's last error, with what the bank
// said.
func (r *refusal) fill(e wireError) wireError {
	e.Type, e.Code, e.DeclineCode, e.Message = cardError, r.code, r.decline, r.message
	e.DocURL = docLink(r.code)
	return e
}

// errDeclined is the 402 for a card that a bank refused.
func errDeclined(r *refusal, e wireError) *twin.Error { return fail(402, r.fill(e)) }

// Charges and refunds.

// errRefundOfNothing is a refund that names neither a charge nor an intent.
func errRefundOfNothing() *twin.Error {
	return invalidCode("parameter_missing", "", "One of the following params should be provided for this request: payment_intent or charge.")
}

func errAlreadyRefunded(charge string) *twin.Error {
	return invalidCode("charge_already_refunded", "", "Charge %s has already been refunded.", charge)
}

// errRefundStays is the canceling of a refund that does not wait for its customer.
func errRefundStays(r *Refund) *twin.Error {
	return invalid("", "Refund %s cannot be canceled because it has a status of %s. Only a refund with a status of requires_action may be canceled.", r.ID, r.Status)
}

func errChargedBack(charge string) *twin.Error {
	return invalidCode("charge_disputed", "", "Charge %s has been charged back; cannot issue a refund.", charge)
}

// errRefundOfFailed is a refund of a charge that took no money.
func errRefundOfFailed(charge string) *twin.Error {
	return invalid("", "Charge %s did not succeed; there is nothing to refund.", charge)
}

// errOverRefund is a refund of more than is left.
func errOverRefund(asked, left twin.Money, currency string) *twin.Error {
	return invalid("amount", "Refund amount (%s) is greater than unrefunded amount on charge (%s)", sum(asked, currency), sum(left, currency))
}

// errDisputeClosed is an answer to a dispute that is decided.
func errDisputeClosed() *twin.Error { return invalid("", "This dispute is already closed.") }

// errIntentState is a move that an intent's status does not allow; intent is its
// document.
func errIntentState(intent canon.Raw, message string) *twin.Error {
	return fail(400, wireError{Type: invalidRequest, Code: "payment_intent_unexpected_state", PaymentIntent: intent, Message: message})
}

// errSetupState is a move that a setup intent's status does not allow; intent is
// its document.
func errSetupState(intent canon.Raw, format string, args ...any) *twin.Error {
	return fail(400, wireError{Type: invalidRequest, Code: "setup_intent_unexpected_state", SetupIntent: intent,
		Message: fmt.Sprintf(format, args...)})
}

// errIntentOfInvoice is a move of an intent that only its invoice can make.
func errIntentOfInvoice(verb, invoice string) *twin.Error {
	return invalid("", "You cannot %s this PaymentIntent because it was created by the invoice %s.", verb, invoice)
}

// errIntentCustomer is an intent given to another customer.
func errIntentCustomer(noun, now string) *twin.Error {
	return invalid("customer", "You cannot modify `customer` on a %[1]s once it already has been set. To fulfill a payment with "+
		"a different Customer, cancel this %[1]s and create a new one. It is set to %[2]s.", noun, now)
}

// errNeedsConfirm is a parameter that only a confirmation takes.
func errNeedsConfirm(param string) *twin.Error {
	return invalid(param, "You can only pass `%s` when `confirm` is set to true.", param)
}

// errSecretMismatch is a client secret of another object.
func errSecretMismatch(noun string) *twin.Error {
	return invalid("client_secret", "The client_secret provided does not match the client_secret associated with the %s.", noun)
}

// errAmountSmall is a sum that no card is charged for.
func errAmountSmall(param string, least twin.Money, currency string) *twin.Error {
	digits := strings.TrimSuffix(sum(least, currency), " "+strings.ToUpper(currency))
	return invalidCode("amount_too_small", param, "Amount must be at least %s %s", digits, currency)
}

// errCaptureLarge is the capture of more than is held.
func errCaptureLarge(param string, asked, held twin.Money, currency string) *twin.Error {
	return invalidCode("amount_too_large", param, "Capture amount (%s) is greater than the amount that can be captured (%s)",
		sum(asked, currency), sum(held, currency))
}

// errCapturedAlready is the second capture of a charge.
func errCapturedAlready(charge string) *twin.Error {
	return invalidCode("charge_already_captured", "", "Charge %s has already been captured.", charge)
}

// errCaptureOfFailed is the capture of a charge that holds no money.
func errCaptureOfFailed(charge string) *twin.Error {
	return invalid("", "Charge %s cannot be captured: it holds no money.", charge)
}

// errCaptureOfIntent is the capture of a charge behind its intent's back.
func errCaptureOfIntent(charge, intent string) *twin.Error {
	return invalid("", "Charge %s belongs to the PaymentIntent %s. Capture the PaymentIntent instead.", charge, intent)
}

// errPartOfUncaptured is a partial refund of a charge that took no money yet.
func errPartOfUncaptured(charge string) *twin.Error {
	return invalid("amount", "Charge %s has not been captured; it can only be refunded in full.", charge)
}

// errNoPayer is a charge of nobody.
func errNoPayer() *twin.Error {
	return invalidCode("parameter_missing", "", "Must provide source or customer.")
}

// errNoCard is a charge of a customer without a card.
func errNoCard() *twin.Error {
	return fail(402, wireError{Type: cardError, Code: "missing", Param: "card", Message: "Cannot charge a customer that has no active card"})
}

// errIntentUnpaid is a refund of a payment intent without a successful charge.
func errIntentUnpaid(intent string) *twin.Error {
	return invalid("payment_intent", "This PaymentIntent (%s) does not have a successful charge to refund.", intent)
}

// Invoices.

// errCurrencies is a second currency for a customer.
func errCurrencies(pinned string) *twin.Error {
	return invalid("", "You cannot combine currencies on a single customer. This customer has had a subscription, coupon, "+
		"or invoice item with currency %s", pinned)
}

// errDueWithoutSending is a due date for an invoice that is not sent.
func errDueWithoutSending(param string) *twin.Error {
	return invalid(param, "You can only set `%s` if `collection_method` is `send_invoice`.", param)
}

// errSendingWithoutDue is an invoice to be sent that is never due.
func errSendingWithoutDue() *twin.Error {
	return invalid("days_until_due", "If `collection_method` is `send_invoice`, you must specify `due_date` or `days_until_due`.")
}

// errPast is a moment that has gone by.
func errPast(param string) *twin.Error {
	return invalid(param, "Invalid timestamp: must be an integer Unix timestamp in the future.")
}

// outlook is how far ahead a moment to come can be: five years.
const outlook = 5 * 365 * daySeconds

// errFar is a moment beyond the outlook.
func errFar(param string) *twin.Error {
	return invalid(param, "Invalid timestamp: can be no more than five years in the future.")
}

// errFinalizedUpdate is an edit that only a draft takes.
func errFinalizedUpdate(param string) *twin.Error {
	return invalid(param, "Finalized invoices can't be updated in this way")
}

func errNotDraft() *twin.Error { return invalid("", "You can only delete draft invoices.") }

func errFinalizedAlready() *twin.Error {
	return invalid("", "This invoice is already finalized, you can't re-finalize a non-draft invoice.")
}

func errPaidAlready() *twin.Error { return invalid("", "Invoice is already paid") }

func errNotOpen() *twin.Error {
	return invalid("", "You can only pass in open invoices. This invoice isn't open.")
}

func errVoidPaid() *twin.Error {
	return invalid("", "Invoices with `paid` payments cannot be voided.")
}

func errUncollectibleAlready() *twin.Error {
	return invalid("", "This invoice has already been marked uncollectible.")
}

// errNoMethod is an invoice that nothing can pay.
func errNoMethod() *twin.Error {
	return invalid("", "There is no `default_payment_method` set on this Customer or Invoice. Please set a `default_payment_method`.")
}

// Subscriptions.

// errNoSource is a subscription that nothing can pay.
func errNoSource() *twin.Error {
	return invalidCode("resource_missing", "", "This customer has no attached payment source or default payment method. "+
		"Please consider adding a default payment method.")
}

// errNotRecurring is a one-time price where a subscription needs a recurring one.
func errNotRecurring(param string) *twin.Error {
	return invalid(param, "The price specified is set to `type=one_time` but this field only accepts prices with `type=recurring`.")
}

// errPriceInactive is a price that is not sold any more.
func errPriceInactive(param string) *twin.Error {
	return invalid(param, "The price specified is inactive. This field only accepts active prices.")
}

// errPriceCurrency is a price in another currency than the subscription's.
func errPriceCurrency(param, want string) *twin.Error {
	return invalid(param, "The price specified only supports other currencies. This doesn't match the expected currency: `%s`.", want)
}

// errRhythm is an item that is billed in another rhythm than its subscription.
func errRhythm(param string) *twin.Error {
	return invalid(param, "Currency and interval fields must match across all plans on this subscription. "+
		"Found mismatch in interval field.")
}

// errPriceTwice is a price that two items of a subscription would have.
func errPriceTwice(param, price string) *twin.Error {
	return invalid(param, "Cannot add multiple subscription items with the same plan: %s", price)
}

// errItemsMany is a subscription with too many items.
func errItemsMany() *twin.Error {
	return invalid("items", "A subscription can have at most %d items.", subscriptionItemsMax)
}

// errLastItem is the removal of all that a subscription bills.
func errLastItem() *twin.Error {
	return invalid("items", "A subscription must have at least one active plan.")
}

// errAmountLarge is a sum over a limit.
func errAmountLarge(param string, limit twin.Money, currency string) *twin.Error {
	return invalidCode("amount_too_large", param, "Amount must be no more than %s", sum(limit, currency))
}

// errClocksOff is the use of test clocks in a world whose clock only its operator
// moves.
func errClocksOff() *twin.Error {
	return fail(403, wireError{Type: invalidRequest, Message: "Test clocks are off in this world: only its operator moves the clock. " +
		"A seed turns them on with settings.test_clocks."})
}

// errFrozenTime is a test clock that would stand elsewhere than its world's clock.
func errFrozenTime(now twin.Time) *twin.Error {
	return invalid("frozen_time", "A test clock of this world shares the world's clock: frozen_time must be %d, which is now.", now)
}

// errClockBack is a test clock told to stand still or go back.
func errClockBack() *twin.Error {
	return invalid("frozen_time", "The time to advance to must be in the future of the test clock.")
}

// errClockFar is a test clock told to go further than it may at once.
func errClockFar(limit twin.Time) *twin.Error {
	return invalid("frozen_time", "A test clock advances by at most two of the shortest intervals of its subscriptions at a time: until %d.", limit)
}

// errClockRefused is an advance that something due on the way does not allow.
func errClockRefused(why error) *twin.Error {
	return invalid("frozen_time", "The clock could not be advanced: %v.", why)
}

// errNotPaused is the resumption of a subscription that goes on.
func errNotPaused(status string) *twin.Error {
	return invalid("", "Only subscriptions with the status `paused` can be resumed; this one is `%s`.", status)
}

// errCanceledFields is an edit that a subscription which has ended does not take.
func errCanceledFields() *twin.Error {
	return invalidCode("invalid_canceled_subscription_fields", "",
		"A canceled subscription can only update its cancellation_details and metadata.")
}

// Search.

// errQuery is a search query that is none.
func errQuery() *twin.Error {
	return invalid("query", "We were unable to parse your search query. Try using the format `metadata[\"key\"]:\"value\"` to query "+
		"for metadata or `field:\"value\"` to query for other fields.")
}

// errQueryField is a search by what cannot be searched by.
func errQueryField(field, plural string) *twin.Error {
	return invalid("query", "Field `%s` is an unsupported search field for resource `%s`. "+
		"See https://stripe.com/docs/search#query-fields-for-%s for a list of supported fields.", field, plural, strings.ReplaceAll(plural, "_", "-"))
}

// errQueryOperator is a comparison that a field does not allow.
func errQueryOperator(op, field string) *twin.Error {
	return invalid("query", "Operator `%s` is not supported for the field `%s`.", op, field)
}

// errQueryNumber is a text where a number is compared.
func errQueryNumber(value, field string) *twin.Error {
	return invalid("query", "Invalid value `%s` for the numeric field `%s`.", value, field)
}

// errQueryShort is a substring too short to look for.
func errQueryShort(least int) *twin.Error {
	return invalid("query", "The operator `~` needs a value of at least %d characters.", least)
}

// errQueryLong is a query of too many clauses.
func errQueryLong(most int) *twin.Error {
	return invalid("query", "A search query may have at most %d clauses.", most)
}

// errSearchPage is a page that no search gave.
func errSearchPage(page string) *twin.Error {
	return invalid("page", "Invalid page token: %s. Use the `next_page` of the same query.", page)
}

// Coupons, promotion codes and discounts.

// errCouponExpired is a coupon that is used up or past its time.
func errCouponExpired(coupon, param string) *twin.Error {
	return invalidCode("coupon_expired", param, "Coupon expired: %s", coupon)
}

// errCouponCurrency is a coupon of a sum in another currency.
func errCouponCurrency(param, have, want string) *twin.Error {
	return invalid(param, "The currency of the coupon (%s) does not match the currency of what it is applied to (%s).", have, want)
}

func errCodeTaken(code string) *twin.Error {
	return invalid("code", "An active promotion code with `code: %s` already exists.", code)
}

// errNoDiscount is the removal of a discount where there is none.
func errNoDiscount(noun, id string) *twin.Error {
	return fail(404, wireError{Type: invalidRequest, Code: "resource_missing", Message: "No active discount for " + noun + ": " + id})
}

// Invoice items and lines.

// errNotEditable is a change of the lines of an invoice that is final.
func errNotEditable() *twin.Error {
	return invalidCode("invoice_not_editable", "", "This invoice is no longer editable.")
}

// errItemInvoiced is the change of an item that an invoice has.
func errItemInvoiced(invoice string) *twin.Error {
	return invalid("", "This invoice item is attached to the invoice %s and cannot be changed in this way.", invoice)
}

func errNothingToInvoice() *twin.Error {
	return invalidCode("invoice_no_subscription_line_items", "", "Nothing to invoice for subscription")
}

// errNoUpcoming is the preview of an invoice that will not come.
func errNoUpcoming(customer string) *twin.Error {
	return fail(404, wireError{Type: invalidRequest, Code: "invoice_upcoming_none", Message: "No upcoming invoices for customer: " + customer})
}

// errRecurring is a recurring price where something is billed once.
func errRecurring(param string) *twin.Error {
	return invalid(param, "The price specified is set to `type=recurring` but this field only accepts prices with `type=one_time`.")
}

// errProrationDate is a proration that counts from outside the present period.
func errProrationDate(p Period) *twin.Error {
	return invalid("proration_date", "Invalid proration date: must be within the current billing period, from %d to %d.", p.Start, p.End)
}

// Credit notes.

// errNoteStatus is a credit note for an invoice that nobody owes.
func errNoteStatus(status string) *twin.Error {
	return invalid("invoice", "You can only create credit notes for finalized invoices that are open, paid or uncollectible. This invoice is %s.", status)
}

// errNoteLarge is a credit note of more than is left of its invoice.
func errNoteLarge(asked, left twin.Money, currency string) *twin.Error {
	return invalid("amount", "The credit note amount (%s) is greater than the creditable amount of the invoice (%s).", sum(asked, currency), sum(left, currency))
}

// errNoteLine is a line of a credit note of more than is left of the invoice's.
func errNoteLine(param, line string, left twin.Money, currency string) *twin.Error {
	return invalid(param, "The invoice line item %s has only %s left to credit.", line, sum(left, currency))
}

// errNoteSum is a credit note that does not say what becomes of what was paid.
func errNoteSum(given, want twin.Money, currency string) *twin.Error {
	return invalid("", "The sum of credit amount, refund amount and out of band amount (%s) must equal the post payment credit note amount (%s).",
		sum(given, currency), sum(want, currency))
}

func errNoteVoid() *twin.Error {
	return invalid("", "You can only void issued pre-payment credit notes of open invoices.")
}
