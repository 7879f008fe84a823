package stripe

import "worlds/twin"

// PauseCollection is what becomes of a subscription's invoices while they are
// not collected. The subscription itself goes on.
type PauseCollection struct {
	Behavior  string     `json:"behavior"`
	ResumesAt *twin.Time `json:"resumes_at"` // null: until it is cleared
}

// The things that can become of an invoice that is not collected.
const (
	keepAsDraft       = "keep_as_draft"
	markUncollectible = "mark_uncollectible"
	voidInvoices      = "void"
)

type pauseCollectionParams struct {
	Behavior  twin.Opt[string]    `param:"behavior" rule:"required,enum=keep_as_draft|mark_uncollectible|void"`
	ResumesAt twin.Opt[twin.Time] `param:"resumes_at" rule:"min=0,max=7258118400"`
}

// applyPause sets or clears the pause of collection.
func applyPause(tx *twin.Tx, s *Subscription, p twin.Opt[pauseCollectionParams]) *twin.Error {
	if !p.Given() {
		if p.Cleared() {
			s.PauseCollection = nil
		}
		return nil
	}
	if at := p.V.ResumesAt; at.Given() && at.V <= tx.Now() {
		return errPast("pause_collection[resumes_at]")
	}
	pause := PauseCollection{Behavior: p.V.Behavior.V}
	p.V.ResumesAt.Apply(&pause.ResumesAt)
	s.PauseCollection = &pause
	return nil
}

// collects says what becomes of an invoice of s instead of being collected, "" for
// nothing else.
func (s *Subscription) collects() string {
	switch {
	case s.Status == subUnpaid:
		return keepAsDraft
	case s.PauseCollection != nil:
		return s.PauseCollection.Behavior
	}
	return ""
}

// forgo ends a finalized invoice that is not collected, and reports whether it did.
func forgo(tx *twin.Tx, inv *Invoice, behavior string) bool {
	switch behavior {
	case voidInvoices:
		void(tx, inv)
	case markUncollectible:
		giveUp(tx, inv)
	default:
		return false
	}
	return true
}
