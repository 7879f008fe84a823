package stripe

import "worlds/twin"

// deadline is a moment that matters to an object whose own row cannot say that
// it has passed: its wire shape has no place for it. The row goes when it fires.
type deadline struct {
	At twin.Time `json:"at"`
	ID string    `json:"id"` // what:of
	Of string    `json:"of"` // the id of the object
}

// The deadlines: what they are for.
const (
	warning = "trial_will_end" // of a subscription
	overdue = "due_date"       // of an invoice
	// Until when a subscription costs nothing after its trial.
	freeRest = "free_rest"
	// What became of a refund that did not succeed at once.
	refundOutcome = "refund_outcome"
)

var deadlines = twin.Resource[deadline]{
	Kind: twin.Kind{Table: "stripe.deadline"},
	Key:  func(d *deadline) string { return d.ID },
	Due:  func(d *deadline) int64 { return int64(d.At) },
}

func deadlineAPI() twin.API {
	return twin.API{Kind: deadlines.Kind, Fire: fireDeadline}
}

// remember sets a deadline of an object; one that is set already moves.
func remember(tx *twin.Tx, what, of string, at twin.Time) {
	deadlines.Put(tx, &deadline{ID: what + ":" + of, Of: of, At: at})
}

// forget drops a deadline, if it is set.
func forget(tx *twin.Tx, what, of string) {
	if _, ok := deadlines.Doc(tx, what+":"+of); ok {
		deadlines.Delete(tx, what+":"+of)
	}
}

func fireDeadline(tx *twin.Tx, id string) error {
	d, _ := deadlines.Get(tx, id)
	deadlines.Delete(tx, id)
	switch id {
	case warning + ":" + d.Of:
		warn(tx, d.Of)
	case overdue + ":" + d.Of:
		miss(tx, d.Of)
	case refundOutcome + ":" + d.Of:
		concludeRefund(tx, d.Of)
	}
	return nil
}
