package dst

import "fmt"

// The usual probabilities, in thousandths. A run draws its own from them: see swarm.
const (
	usualBroken  = 160 // a request is broken on purpose
	usualRead    = 170 // a request only reads
	usualZendesk = 380 // a request is for the help desk
	usualAdmin   = 130 // an operation is the operator's
	usualClock   = 90  // an operation moves the clock
	usualFault   = 40  // a fault rule comes or goes
	usualKey     = 25  // a key comes or goes
	usualRepeat  = 60  // a request is a repeat of an earlier one with its key
	usualIdem    = 400 // a write has an idempotency key
	usualFlush   = 180 // a round ends with a flush
	usualPoll    = 150 // a round ends with a consumer's poll
	usualInject  = 90  // an operation has others in its middle
	usualDown    = 60  // a listener goes down, for 1 to 3 rounds
	usualFail    = 220 // an attempt to deliver fails
	usualResend  = 40  // an event is delivered once more
	usualReset   = 4   // a world is reset
	usualMaker   = 450 // a request is to a route that makes something from nothing
	usualStale   = 120 // a request asks for an older API version
	usualObject  = 150 // a request begins with an object in some state, not with its route
	usualCourse  = 90  // an operation is the first of a course of several
	usualWire    = 60  // the body of a write comes in pieces, or breaks off
)

// downMax is for how many rounds a listener is down at most.
const downMax = 3

// swarm is the probabilities of one run, in thousandths: some features are left out,
// others are had twice as often, so that runs differ by more than their luck.
type swarm struct {
	Broken, Read, Zendesk, Admin, Clock, Fault, Key, Repeat, Idem, Flush, Poll, Inject, Down, Fail, Resend, Reset, Stale, Object, Wire, Course int
}

// drawSwarm draws the probabilities of a run.
func drawSwarm(r *Rand) swarm {
	draw := func(usual int) int {
		switch r.N(6) {
		case 0:
			return 0
		case 1:
			return usual / 2
		case 2:
			return min(2*usual, 900)
		}
		return usual
	}
	some := func(usual int) int { return max(draw(usual), usual/4) }
	return swarm{
		Broken: draw(usualBroken), Read: some(usualRead), Zendesk: draw(usualZendesk), Admin: some(usualAdmin), Clock: draw(usualClock),
		Fault: draw(usualFault), Key: draw(usualKey), Repeat: draw(usualRepeat), Idem: draw(usualIdem), Flush: some(usualFlush),
		Poll: some(usualPoll), Inject: some(usualInject), Down: draw(usualDown), Fail: draw(usualFail), Resend: draw(usualResend),
		Reset: draw(usualReset), Stale: draw(usualStale), Object: some(usualObject), Wire: draw(usualWire), Course: some(usualCourse),
	}
}

func (s swarm) String() string {
	type plain swarm
	return fmt.Sprintf("%+v", plain(s))
}
