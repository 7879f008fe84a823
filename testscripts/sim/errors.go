package sim

import (
	"errors"
	"fmt"
	"strings"

	"worlds/twin/world"
)

// Standing is where a writer is.
type Standing struct {
	Writer string `json:"writer"`
	State  string `json:"state"` // queued, running, at POINT, held at POINT, waiting for WHAT, done
	What   string `json:"what,omitempty"`
}

func (s Standing) String() string {
	return strings.TrimSpace(s.Writer + " " + s.State + " " + s.What)
}

func standingText(list []Standing) string {
	if len(list) == 0 {
		return "nobody is under way"
	}
	words := make([]string, len(list))
	for i, s := range list {
		words[i] = s.String()
	}
	return strings.Join(words, "; ")
}

// AlreadyPassedError says that a watch was begun too late.
type AlreadyPassedError struct {
	Target  string // what was asked for
	Writer  string // who has passed it
	Ordinal int    // of the passing in the history
	Seq     int64  // of its entry, 0 if it had none
	Now     string // what the writer does now
}

func (e *AlreadyPassedError) Error() string {
	at := ""
	if e.Seq > 0 {
		at = fmt.Sprintf(", entry #%d", e.Seq)
	}
	return fmt.Sprintf("already passed: %s went by %s (point %d of the history%s) and is %s now; arm the watch before what lets the writer go on, and await it afterwards",
		e.Writer, e.Target, e.Ordinal, at, e.Now)
}

// RunToTimeoutError says that a watch did not come true.
type RunToTimeoutError struct {
	Target    string
	Budget    string // what ran out
	Standings []Standing
	Last      []string // the last four points reached
}

func (e *RunToTimeoutError) Error() string {
	last := "none"
	if len(e.Last) > 0 {
		last = strings.Join(e.Last, ", ")
	}
	return fmt.Sprintf("%s was not reached: %s; %s; last points: %s", e.Target, e.Budget, standingText(e.Standings), last)
}

// BlockedByLockError says that a writer cannot go on because of one that is held.
type BlockedByLockError struct {
	Writer string
	Holder string // who has what it waits for
	At     world.Point
	For    string // lock, lane, …
}

func (e *BlockedByLockError) Error() string {
	return fmt.Sprintf("%s is blocked: %s, held at %s, has the %s it waits for; release %s first", e.Writer, e.Holder, e.At, e.For, e.Holder)
}

// PreconditionFailedError says that a fence refused a write.
type PreconditionFailedError struct {
	Writer string
	Seen   int64 // the position the writer has read up to
	Newest int64 // the newest change by another
	By     string
	Short  string // the list it has not read to the end, for a fence that counts
}

func (e *PreconditionFailedError) Error() string {
	if e.Short != "" {
		return fmt.Sprintf("precondition failed: %s has read %s only in part", e.Writer, e.Short)
	}
	return fmt.Sprintf("precondition failed: %s has read up to #%d, %s has changed #%d since", e.Writer, e.Seen, e.By, e.Newest)
}

// BudgetError says which bound of a scenario ran out.
type BudgetError struct {
	Budget string // max-hold, max-deliveries, max-logical, max-wall
	Limit  string
	Where  string
}

func (e *BudgetError) Error() string {
	switch e.Budget {
	case "max-hold":
		return fmt.Sprintf("max-hold: %s took more than %s to come to a point", e.Where, e.Limit)
	case "max-deliveries":
		return fmt.Sprintf("max-deliveries: more than %s attempts were made", e.Limit)
	case "max-logical":
		return fmt.Sprintf("max-logical: the clock would be more than %s from the beginning", e.Limit)
	}
	return fmt.Sprintf("max-wall: the scenario took more than %s; %s", e.Limit, e.Where)
}

// errBound tells who waits with a bound that it has passed.
var errBound = errors.New("the time to wait has passed")

// errAborted is what the script gets once everything was let go.
var errAborted = errors.New("everything was let go")
