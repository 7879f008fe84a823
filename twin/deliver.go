package twin

import (
	"fmt"
	"strconv"

	"worlds/journal/canon"
	"worlds/journal/mutant"
	"worlds/projection"
)

// When a failed delivery is tried again: AttemptsMax attempts in all, attempt n+1
// RetryBase × 2^(n-1) logical seconds after attempt n.
const (
	AttemptsMax = 16
	RetryBase   = 60
)

// Outcomes of an attempt, beside the status of an answer in three digits. The
// list is closed and names no address, port or duration.
const (
	OutcomeDropped   = "dropped"   // a fault rule: it was never sent
	OutcomeTimeout   = "timeout"   // no answer in time
	OutcomeRefused   = "refused"   // nobody listens there
	OutcomeReset     = "reset"     // the connection was cut before an answer
	OutcomeDNS       = "dns"       // the host's name has no address
	OutcomeTLS       = "tls"       // the certificate was not accepted
	OutcomeForbidden = "forbidden" // the server may not send there
	OutcomeGarbled   = "garbled"   // what came was no HTTP answer, or one too long
	OutcomeNetwork   = "network"   // any other failure of the network
	OutcomeDeleted   = "deleted"   // of no attempt: the endpoint is no more
)

// outcomes are what an attempt can end in without an answer.
var outcomes = [...]string{
	OutcomeDropped, OutcomeTimeout, OutcomeRefused, OutcomeReset, OutcomeDNS, OutcomeTLS,
	OutcomeForbidden, OutcomeGarbled, OutcomeNetwork,
}

// deliverArgs are the arguments of the operation "deliver": what became of an
// attempt.
type deliverArgs struct {
	Attempt  int64  `json:"attempt"`
	Delivery int64  `json:"delivery"`
	Outcome  string `json:"outcome"`
}

// DeliverArgs returns the arguments of the operation "deliver": the attempt
// (from 1) of a row of the ledger ended in outcome.
func DeliverArgs(delivery, attempt int64, outcome string) canon.Raw {
	return canon.Marshal(&deliverArgs{Delivery: delivery, Attempt: attempt, Outcome: outcome})
}

// deliver takes down the outcome of an attempt, and counts it for the rules that
// drop some.
func deliver(tx *Tx, args canon.Raw) (canon.Raw, error) {
	var a deliverArgs
	if err := canon.Unmarshal(args, &a); err != nil {
		return nil, &Refusal{Code: "invalid-arguments", Text: err.Error()}
	}
	old := tx.st.Delivery(a.Delivery)
	switch {
	case old == nil:
		return nil, &Refusal{Code: "no-such-delivery", Text: fmt.Sprintf("the ledger has no row %d", a.Delivery)}
	case (old.Status != projection.Pending || a.Attempt != old.Attempts+1) && !mutant.Is("double-outcome"):
		return nil, &Refusal{Code: "delivery-settled",
			Text: fmt.Sprintf("row %d is %s after %d attempts; attempt %d cannot be", a.Delivery, old.Status, old.Attempts, a.Attempt)}
	case old.Due > tx.st.Now():
		return nil, &Refusal{Code: "not-due", Text: fmt.Sprintf("row %d is due at %d", a.Delivery, old.Due)}
	case !isOutcome(a.Outcome):
		return nil, &Refusal{Code: "invalid-outcome", Text: fmt.Sprintf("%q is neither a status nor a known reason", a.Outcome)}
	}
	if dropped := tx.countAttempt(old); dropped != (a.Outcome == OutcomeDropped) {
		return nil, &Refusal{Code: "invalid-outcome", Text: "the fault rules say otherwise about dropping"}
	}
	d := *old
	if mutant.Is("retry-hurried") {
		tx.hurry(old.Number)
	}
	d.Attempts, d.Outcome, d.Due = a.Attempt, a.Outcome, 0
	if d.Turn == 0 {
		d.Turn = d.Number
	}
	switch {
	case a.Outcome[0] == '2':
		d.Status = projection.Delivered
	case d.Attempts >= AttemptsMax:
		d.Status = projection.Failed
	default:
		d.Due = min(tx.st.Now()+RetryBase<<(d.Attempts-1), ClockMax)
		if mutant.Is("backoff-linear") {
			d.Due = min(tx.st.Now()+RetryBase*d.Attempts, ClockMax)
		}
	}
	tx.record(&d)
	return DeliveryDoc(&d), nil
}

func isOutcome(s string) bool {
	for _, o := range outcomes {
		if s == o {
			return true
		}
	}
	n, err := strconv.Atoi(s)
	return err == nil && len(s) == 3 && n >= 100 && n <= 599
}

// DeliveryInfo is a row of the ledger as operators see it.
type DeliveryInfo struct {
	Number   int64  `json:"number"`
	Event    string `json:"event"`
	Type     string `json:"type,omitempty"`
	Endpoint string `json:"endpoint"`
	Status   string `json:"status"`
	Attempts int64  `json:"attempts"`
	Due      int64  `json:"due,omitempty"`     // the next attempt waits for it; 0: it waits for nothing
	Outcome  string `json:"outcome,omitempty"` // of the last attempt
	Held     bool   `json:"held,omitempty"`    // until the endpoint's next event
}

// DeliveryInfoOf describes a row of the ledger; its event's type is left out.
func DeliveryInfoOf(d *projection.Delivery) DeliveryInfo {
	return DeliveryInfo{
		Number: d.Number, Event: d.Event, Endpoint: d.Endpoint, Status: d.Status,
		Attempts: d.Attempts, Due: d.Due, Outcome: d.Outcome, Held: d.Turn == 0 && d.Status == projection.Pending,
	}
}

// DeliveryDoc is DeliveryInfoOf as canonical bytes.
func DeliveryDoc(d *projection.Delivery) canon.Raw {
	info := DeliveryInfoOf(d)
	return canon.Marshal(&info)
}

// resendArgs are the arguments of the operation "resend".
type resendArgs struct {
	Endpoint string `json:"endpoint,omitempty"`
	Event    string `json:"event"`
}

// ResendArgs returns the arguments of the operation "resend": the event goes once
// more to the endpoint, or, when that is "", to all that want it.
func ResendArgs(event, endpoint string) canon.Raw {
	return canon.Marshal(&resendArgs{Event: event, Endpoint: endpoint})
}

// Resent is what a resend put into the ledger.
type Resent struct {
	Deliveries []int64 `json:"deliveries"`
}

// resend puts an event into the ledger again.
func resend(tx *Tx, args canon.Raw) (canon.Raw, error) {
	var a resendArgs
	if err := canon.Unmarshal(args, &a); err != nil {
		return nil, &Refusal{Code: "invalid-arguments", Text: err.Error()}
	}
	e := tx.Event(a.Event)
	if e == nil {
		return nil, &Refusal{Code: "no-such-event", Text: fmt.Sprintf("there is no event %q", a.Event), Path: "$.event"}
	}
	for _, c := range tx.m.catalogs {
		if c.Name == e.API {
			tx.catalog = c
		}
	}
	out := Resent{}
	for _, h := range tx.hooks(e.Type) {
		if a.Endpoint != "" && a.Endpoint != h.Endpoint {
			continue
		}
		n := tx.st.Deliveries() + 1
		tx.record(&projection.Delivery{
			Number: n, Event: e.ID, Endpoint: h.Endpoint, Version: h.Version, Status: projection.Pending, Turn: n,
		})
		out.Deliveries = append(out.Deliveries, n)
	}
	if len(out.Deliveries) == 0 {
		return nil, &Refusal{Code: "no-endpoint", Text: fmt.Sprintf("no endpoint takes %s", e.Type)}
	}
	return canon.Marshal(&out), nil
}
