package stripe

import (
	"slices"
	"strconv"

	"worlds/twin"
)

// Answers that fault rules give on purpose, in Stripe's words.

// injected is what Stripe says with a status and a code; the first row of a status
// is its usual one.
type injected struct {
	status  int64
	code    string // the name a rule uses
	typ     string
	wire    string // the code on the wire, "" for none
	message string
}

var injectedAnswers = [...]injected{
	{400, "parameter_invalid", invalidRequest, "", "Invalid request."},
	{401, "api_key_expired", invalidRequest, "api_key_expired", "Expired API Key provided: " + twin.SpliceAPIKey},
	{401, "api_key_invalid", invalidRequest, "", "Invalid API Key provided: " + twin.SpliceAPIKey},
	{402, "card_declined", cardError, "card_declined", "Your card was declined."},
	{403, "permission", invalidRequest, "", "The provided key does not have the required permissions for this endpoint."},
	{404, "resource_missing", invalidRequest, "resource_missing", "No such object."},
	{409, "idempotency_key_in_use", idempotencyError, "idempotency_key_in_use",
		"There is currently another in-progress request using this Idempotent Key. Please try again later."},
	{429, "rate_limit", invalidRequest, "rate_limit", "Request rate limit exceeded. Learn more about rate limits here https://stripe.com/docs/rate-limits."},
	{429, "lock_timeout", invalidRequest, "lock_timeout", "This object cannot be accessed right now because another API request or Stripe " +
		"process is currently accessing it. If you see this error intermittently, retry the request."},
	{500, "api_error", apiError, "", "An unknown error occurred."},
	{502, "api_error", apiError, "", "Bad gateway."},
	{503, "api_error", apiError, "", "Stripe is temporarily unavailable. Please try again."},
	{504, "api_error", apiError, "", "The request took too long."},
}

// fault words the answer that a rule asks for: nil if Stripe has no such answer.
func fault(a *twin.RuleAnswer) *twin.Error {
	e := faultError(a)
	if e == nil {
		return nil
	}
	if a.ShouldRetry != nil {
		value := "false"
		if *a.ShouldRetry {
			value = "true"
		}
		e.Headers = append(e.Headers, "Stripe-Should-Retry", value)
	}
	if a.RetryAfter != 0 {
		e.Headers = append(e.Headers, "Retry-After", strconv.FormatInt(a.RetryAfter, 10))
	}
	e.Unstored = true
	return e
}

// faultNames lists the codes of an answer that a rule may ask for.
func faultNames(member string, status int64) (names []string) {
	for _, row := range injectedAnswers {
		switch {
		case row.status != status:
		case member == "code":
			names = append(names, row.code)
		case member == "decline_code" && row.typ == cardError:
			names = append(names, genericDecline.decline)
			for _, in := range instruments {
				if d := in.refusal.decline; d != "" && !slices.Contains(names, d) {
					names = append(names, d)
				}
			}
		}
	}
	return names
}

func faultError(a *twin.RuleAnswer) *twin.Error {
	if a.Body != nil {
		if a.DeclineCode != "" || a.Code != "" {
			return nil
		}
		return &twin.Error{Status: a.Status, Body: a.Body}
	}
	for _, row := range injectedAnswers {
		if row.status != a.Status || a.Code != "" && a.Code != row.code {
			continue
		}
		if row.typ == cardError {
			return faultDecline(a)
		}
		if a.DeclineCode != "" {
			return nil
		}
		e := fail(row.status, wireError{Type: row.typ, Code: row.wire, Message: row.message})
		switch {
		case row.status == 401:
			e.Splice = []string{twin.SpliceAPIKey}
			e.Headers = []string{"WWW-Authenticate", `Basic realm="Stripe"`}
		case row.code == "rate_limit":
			e.Headers = []string{"Stripe-Rate-Limited-Reason", "global-rate"}
		}
		return e
	}
	return nil
}

// faultDecline is a card that a bank refuses, with the decline code that a rule
// names: one that a test card has.
func faultDecline(a *twin.RuleAnswer) *twin.Error {
	if a.DeclineCode == "" || a.DeclineCode == genericDecline.decline {
		r := genericDecline
		return errDeclined(&r, wireError{})
	}
	for _, in := range instruments {
		if in.refusal.decline == a.DeclineCode {
			return errDeclined(&in.refusal, wireError{})
		}
	}
	return nil
}
