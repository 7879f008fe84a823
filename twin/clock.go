package twin

import (
	"fmt"

	"worlds/journal/canon"
	"worlds/projection"
)

// Limits of one advance, which is one transaction.
const (
	// FiresPerObjectMax is how often one object may fire in one advance: 1000
	// billing periods of a subscription.
	FiresPerObjectMax = 1000
	// FiresMax is how often anything may fire in one advance of a world. What is
	// left fires in the next one, in the same order.
	FiresMax = 2500
	// FactBytesMax is how much anything may write in one advance of a world before
	// it stops likewise: an entry of the journal has an end.
	FactBytesMax = 40 << 20
	// ClockMax is the last second a clock may reach, the end of the year 9999.
	ClockMax = 253402300799
)

// Fire is what time does to an object: called when its row is due, with the clock
// of the Tx standing at the due time. It must put the row with a later Due, or
// with none. An error rolls back the whole advance.
type Fire func(tx *Tx, id string) error

// advanceArgs are the arguments of the operation "advance": one of them is set.
type advanceArgs struct {
	Seconds *int64 `json:"seconds,omitempty"`
	To      *int64 `json:"to,omitempty"`
}

// AdvanceBy returns the arguments of the operation "advance" by seconds.
func AdvanceBy(seconds int64) canon.Raw { return canon.Marshal(&advanceArgs{Seconds: &seconds}) }

// AdvanceTo returns the arguments of the operation "advance" to an instant, in
// unix seconds.
func AdvanceTo(instant int64) canon.Raw { return canon.Marshal(&advanceArgs{To: &instant}) }

// Advanced is what an advance did. Pending counts the objects still due at or
// before the clock, which the next advance goes on with.
type Advanced struct {
	Clock   int64 `json:"clock"`
	From    int64 `json:"from"`
	Fired   int64 `json:"fired"`
	Events  int64 `json:"events"`
	Pending int64 `json:"renewals_pending"`
	Renewed int64 `json:"renewals"`
}

// advance moves the clock and lets everything happen that falls due on the way,
// in (due time, creation) order, each at its own time. It is all or nothing.
func advance(tx *Tx, args canon.Raw) (canon.Raw, error) {
	var a advanceArgs
	if err := canon.Unmarshal(args, &a); err != nil {
		return nil, &Refusal{Code: "invalid-arguments", Text: err.Error()}
	}
	now := tx.st.Now()
	var to int64
	switch {
	case (a.Seconds == nil) == (a.To == nil):
		return nil, &Refusal{Code: "invalid-arguments", Text: "an advance is by seconds or to an instant"}
	case a.Seconds != nil && (*a.Seconds < 0 || *a.Seconds > ClockMax-now):
		return nil, &Refusal{Code: "invalid-advance", Text: fmt.Sprintf("a clock moves forward, and no further than %d", int64(ClockMax))}
	case a.Seconds != nil:
		to = now + *a.Seconds
	default:
		to = *a.To
	}
	if to < now || to > ClockMax {
		return nil, &Refusal{Code: "invalid-advance",
			Text: fmt.Sprintf("the clock stands at %d; it moves forward, and no further than %d", now, int64(ClockMax))}
	}
	done, err := tx.m.pass(tx, to)
	if stopped, ok := err.(interrupted); ok {
		return nil, stopped
	}
	if err != nil {
		return nil, &Refusal{Code: "advance-refused", Text: err.Error()}
	}
	return canon.Marshal(done), nil
}

// Advance moves the clock to an instant that is not in the past, for an API that
// lets its callers do so, and fires what is due on the way as the operation
// "advance" does. What fires knows nothing of the request. An error leaves things
// half done: the caller must refuse, so that all of it is taken back.
func (tx *Tx) Advance(to Time) (*Advanced, error) {
	catalog, request, cmd := tx.catalog, tx.request, tx.cmd
	tx.request, tx.cmd = "", &Command{Hooks: tx.cmd.Hooks}
	defer func() {
		tx.catalog, tx.request, tx.cmd, tx.at = catalog, request, cmd, 0
	}()
	return tx.m.pass(tx, int64(to))
}

// pass moves the clock to an instant and fires what is due.
func (m *Machine) pass(tx *Tx, to int64) (*Advanced, error) {
	done := &Advanced{Clock: to, From: tx.st.Now()}
	events := tx.st.Events()
	fired := map[projection.Due]int64{} // by table and id
	for written := tx.bytes; done.Fired < FiresMax && tx.bytes-written < FactBytesMax; {
		due, ok := tx.st.NextDue(to)
		if !ok {
			break
		}
		object := projection.Due{Table: due.Table, ID: due.ID}
		if fired[object]++; fired[object] > FiresPerObjectMax {
			break
		}
		if err := m.fire(tx, due); err != nil {
			return nil, err
		}
		tx.keepEvents()
		done.Fired++
		if err := tx.report(done.Fired, due.At); err != nil {
			return nil, err
		}
		tx.spill()
	}
	tx.at = 0
	if to != tx.st.Now() {
		tx.record(&projection.Clock{Now: to})
	}
	done.Renewed = tx.renewed
	done.Events = int64(tx.st.Events() - events)
	done.Pending = tx.st.CountDue(to)
	return done, nil
}

// How many fires pass between two reports of progress, and two questions whether
// to go on.
const (
	progressEvery  = 32
	interruptEvery = 8
)

// report tells how far an advance has come, now and then, and asks whether to go
// on.
func (tx *Tx) report(fired, at int64) error {
	if tx.m.Progress != nil && fired%progressEvery == 0 {
		tx.m.Progress(fired, at)
	}
	if tx.m.Interrupt != nil && fired%interruptEvery == 0 {
		if err := tx.m.Interrupt(); err != nil {
			tx.aborted = err
			return interrupted{err}
		}
	}
	return nil
}

// fire lets one object act at its due time.
func (m *Machine) fire(tx *Tx, due projection.Due) error {
	for _, c := range m.catalogs {
		fire := c.fires[due.Table]
		if fire == nil {
			continue
		}
		tx.catalog, tx.at = c, due.At
		if err := fire(tx, due.ID); err != nil {
			return err
		}
		if row := tx.st.Get(due.Table, due.ID); row != nil && row.Due != 0 && row.Due <= due.At {
			panic(fmt.Sprintf("twin: %s %s is still due at %d after firing", due.Table, due.ID, due.At))
		}
		return nil
	}
	panic("twin: nothing fires " + due.Table)
}

// Renewed counts one billing period that an advance made happen.
func (tx *Tx) Renewed() { tx.renewed++ }
