package zendesk

import (
	"fmt"
	"strconv"

	"worlds/journal/canon"
	"worlds/twin"
)

// fault words an answer that a fault rule asks for, nil for one that Zendesk does
// not give. Only a 429 says when to come back: node-zendesk takes any answer that
// does for one.
func fault(a *twin.RuleAnswer) *twin.Error {
	if a.DeclineCode != "" || a.Code != "" || a.ShouldRetry != nil || a.RetryAfter != 0 && a.Status != 429 {
		return nil
	}
	e := faultError(a)
	if e != nil {
		e.Unstored = true
	}
	return e
}

func faultError(a *twin.RuleAnswer) *twin.Error {
	if a.Body != nil {
		e := &twin.Error{Status: a.Status, Body: a.Body}
		if a.RetryAfter != 0 {
			e.Headers = []string{"Retry-After", strconv.FormatInt(a.RetryAfter, 10)}
		}
		return e
	}
	switch a.Status {
	case 400:
		return errAttribute("request", "is not valid")
	case 401:
		return errAuth()
	case 403:
		return errForbidden()
	case 404:
		return errNotFound()
	case 409:
		return errConflict()
	case 422:
		return errField("base", invalidValue, "the record is not valid")
	case 429:
		return errRate(a.RetryAfter)
	case 500:
		return errInternal()
	case 502:
		return fail(502, plainError{Error: "BadGateway", Description: "The service could not be reached"})
	case 503:
		return fail(503, plainError{Error: "ServiceUnavailable", Description: "The service is temporarily unavailable"})
	case 504:
		return fail(504, plainError{Error: "GatewayTimeout", Description: "The service took too long to answer"})
	}
	return nil
}

// retryUsual is how many seconds a client is told to wait when a rule does not
// say.
const retryUsual = 60

// errRate is the one refusal that is no JSON.
func errRate(wait int64) *twin.Error {
	if wait == 0 {
		wait = retryUsual
	}
	return &twin.Error{
		Status:  429,
		Body:    canon.AppendString(nil, fmt.Sprintf("Number of allowed API requests per minute exceeded (%d)", rateLimit)),
		Headers: []string{"Content-Type", "text/plain; charset=utf-8", "Retry-After", strconv.FormatInt(wait, 10)},
	}
}
