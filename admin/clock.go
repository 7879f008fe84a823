package admin

import (
	"net/http"
	"strings"

	"worlds/journal/canon"
	"worlds/twin"
	"worlds/twin/world"
)

// ClockInfo is the logical clock of a world.
type ClockInfo struct {
	Clock int64  `json:"clock"`
	Mode  string `json:"mode"`
	// AutoTickSeconds is how far an automatic clock moves with each request.
	AutoTickSeconds int64 `json:"auto_tick_seconds,omitempty"`
	Pending         int64 `json:"renewals_pending"`
}

func showClock(c *call) error {
	v, err := c.view()
	if err != nil {
		return err
	}
	g, err := c.world.Genesis()
	if err != nil {
		return err
	}
	info := ClockInfo{Clock: v.State.Now(), Mode: g.Seed.Document.ClockMode, Pending: v.State.CountDue(v.State.Now())}
	info.AutoTickSeconds = twin.SpecOf(g.Seed).AutoTickSeconds
	return reply(c, http.StatusOK, &info)
}

// advanceRequest asks for one of three.
type advanceRequest struct {
	Seconds *int64 `json:"seconds,omitempty"`
	Days    *int64 `json:"days,omitempty"`
	To      *int64 `json:"to,omitempty"`
}

const secondsPerDay = 24 * 60 * 60

// args turns the request into the arguments of the operation.
func (a *advanceRequest) args() (canon.Raw, error) {
	given := 0
	for _, p := range []*int64{a.Seconds, a.Days, a.To} {
		if p != nil {
			given++
		}
	}
	switch {
	case given != 1:
		return nil, problem(http.StatusBadRequest, "invalid-arguments", "an advance is by seconds, by days or to an instant (unix seconds)").at("$")
	case a.To != nil:
		return twin.AdvanceTo(*a.To), nil
	case a.Seconds != nil:
		return twin.AdvanceBy(*a.Seconds), nil
	case *a.Days < 0 || *a.Days > twin.ClockMax/secondsPerDay:
		return nil, problem(http.StatusBadRequest, "invalid-advance", "a clock moves forward, and no further than %d", int64(twin.ClockMax)).at("$.days")
	}
	return twin.AdvanceBy(*a.Days * secondsPerDay), nil
}

// blame says which of the three a refusal is about.
func (a *advanceRequest) blame(err error) error {
	where := "$.to"
	switch {
	case a.Seconds != nil:
		where = "$.seconds"
	case a.Days != nil:
		where = "$.days"
	}
	return blamed(err, where, "invalid-advance")
}

// advanceClock moves the clock. A client that asks for text/event-stream is told
// how far it has come; one that goes away before the end leaves the clock where
// it was.
func advanceClock(c *call) error {
	var req advanceRequest
	if err := body(c, &req); err != nil {
		return err
	}
	args, err := req.args()
	if err != nil {
		return err
	}
	if strings.Contains(c.r.Header.Get("Accept"), eventStream) {
		return c.streamAdvance(&req, args)
	}
	answer, err := c.operateWith(world.Request{Command: operation("advance", args)})
	if err != nil {
		return req.blame(err)
	}
	return c.raw(http.StatusOK, answer.Body)
}

// streamAdvance advances and sends progress as server-sent events: "progress" with
// fired and at, then "done" with the result, or "problem".
func (c *call) streamAdvance(req *advanceRequest, args canon.Raw) error {
	flusher, ok := c.w.(http.Flusher)
	if !ok {
		return problem(http.StatusNotAcceptable, "not-streamable", "this connection cannot stream")
	}
	type step struct{ fired, at int64 }
	steps := make(chan step, 1)
	type result struct {
		answer *world.Answer
		err    error
	}
	done := make(chan result, 1)
	go func() {
		answer, err := c.operateWith(world.Request{Command: operation("advance", args), Progress: func(fired, at int64) {
			select {
			case steps <- step{fired, at}:
			default: // a slow reader misses steps, and holds up nobody
			}
		}})
		done <- result{answer, err}
	}()
	c.serve()
	c.w.Header().Set("Content-Type", eventStream)
	c.w.WriteHeader(http.StatusOK)
	send := func(event string, data canon.Raw) {
		_, _ = c.w.Write([]byte("event: " + event + "\ndata: " + string(data) + "\n\n"))
		flusher.Flush()
	}
	for {
		select {
		case s := <-steps:
			data := canon.AppendInt([]byte(`{"at":`), s.at)
			send("progress", append(canon.AppendInt(append(data, `,"fired":`...), s.fired), '}'))
		case r := <-done:
			if r.err != nil {
				send("problem", canon.Marshal(problemOf(req.blame(r.err))))
			} else {
				send("done", r.answer.Body)
			}
			return nil
		}
	}
}
