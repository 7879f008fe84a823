package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"worlds/admin"
	"worlds/twin"
)

type clockAdvanceCmd struct {
	Name string `arg:"" optional:"" name:"world" help:"World, by id or name." predictor:"world"`
	target
	output
	Seconds *int64 `xor:"span" required:"" placeholder:"N" help:"Move the clock on by so many seconds; 0 goes on with what is pending."`
	Days    *int64 `xor:"span" required:"" placeholder:"N" help:"Move it on by so many days."`
	To      string `xor:"span" required:"" placeholder:"WHEN" help:"Move it to an instant: Unix seconds, 2006-01-02 or 2006-01-02T15:04:05Z, UTC."`
}

// span is one request to advance a clock.
type span struct {
	Seconds *int64 `json:"seconds,omitempty"`
	Days    *int64 `json:"days,omitempty"`
	To      *int64 `json:"to,omitempty"`
}

// Run moves the clock and goes on until nothing that fell due is pending.
func (c *clockAdvanceCmd) Run(ctx context.Context, t *terminal) error {
	next := span{Seconds: c.Seconds, Days: c.Days}
	if c.To != "" {
		to, err := instant(c.To)
		if err != nil {
			return err
		}
		next.To = &to
	}
	c.use(c.Name)
	w, err := c.open(ctx)
	if err != nil {
		return err
	}
	p := t.progress("fired")
	defer p.end()
	var all twin.Advanced
	for first := true; first || all.Pending > 0; first = false {
		one, err := w.advance(ctx, &next, func(fired, at int64) { p.at(all.Fired + fired) })
		if errors.Is(err, errCutOff) {
			err = coded(exitServer, fmt.Errorf("%s: %w; look at the clock: worlds clock show%s", w.base, err, c.flags(" --world ")))
		}
		if err != nil {
			p.end()
			return c.ended(ctx, w, first, err)
		}
		if first {
			all.From = one.From
		}
		if !first && one.Fired == 0 && one.Pending > 0 {
			return coded(exitServer, fmt.Errorf("%d are pending at %s, and an advance does not fire them", one.Pending, moment(one.Clock)))
		}
		all.Clock, all.Pending = one.Clock, one.Pending
		all.Fired, all.Events, all.Renewed = all.Fired+one.Fired, all.Events+one.Events, all.Renewed+one.Renewed
		next = span{Seconds: new(int64)}
	}
	p.end()
	if c.JSON {
		return t.json(&all)
	}
	_, err = fmt.Fprintf(t.out, "%s (%d): %s, %s\n", moment(all.Clock), all.Clock, count(all.Renewed, "renewal"), count(all.Events, "event"))
	return err
}

// lastLookBound is how long an advance that ends early may take to look at the clock.
const lastLookBound = 5 * time.Second

// ended says where an advance that ends early leaves the clock: it may be at its
// target already while what fell due on the way is still pending.
func (c *clockAdvanceCmd) ended(ctx context.Context, w *remote, first bool, err error) error {
	interrupted := ctx.Err() != nil
	if first && !interrupted {
		return err
	}
	look, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastLookBound)
	defer cancel()
	var clock admin.ClockInfo
	if w.get(look, w.path("/clock"), &clock) != nil {
		return err
	}
	at := fmt.Sprintf("the clock is at %s, nothing is due", moment(clock.Clock))
	if clock.Pending > 0 {
		at = fmt.Sprintf("the clock is at %s, still due: %s; to go on: worlds clock advance%s --seconds 0",
			moment(clock.Clock), count(clock.Pending, "renewal"), c.flags(" "))
	}
	if interrupted {
		return coded(exitNo, fmt.Errorf("interrupted: %s", at))
	}
	return fmt.Errorf("%w; %s", err, at)
}

// flags are the words by which another verb finds the world again; world stands before
// its name.
func (c *clockAdvanceCmd) flags(world string) string {
	words := ""
	if c.World != "" {
		words += world + c.World
	}
	if c.URL != "" && c.URL != os.Getenv(urlEnv) {
		words += " --url " + c.URL
	}
	return words
}

// instant reads a moment.
func instant(text string) (int64, error) {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n, nil
	}
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if at, err := time.Parse(layout, text); err == nil {
			return at.Unix(), nil
		}
	}
	return 0, usage("--to %q: want Unix seconds, 2006-01-02 or 2006-01-02T15:04:05Z", text)
}

// asked tells a refusal of what was asked for from one of what came of it.
func asked(p *problem) error {
	if p.Code == "invalid-advance" {
		return coded(exitUsage, p)
	}
	return p
}

var errCutOff = errors.New("the connection ended before the advance did")

// advance asks for one advance and tells how far it is while it runs.
func (r *remote) advance(ctx context.Context, s *span, at func(fired, at int64)) (*twin.Advanced, error) {
	res, err := r.stream(ctx, http.MethodPost, r.path("/clock/advance"), s)
	if err != nil {
		return nil, err
	}
	defer func() { _ = res.Body.Close() }()
	kind := ""
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(nil, answerBytesMax)
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), ": ")
		if name == "event" {
			kind = value
		}
		if name != "data" {
			continue
		}
		switch kind {
		case "progress":
			var step struct{ Fired, At int64 }
			if json.Unmarshal([]byte(value), &step) == nil {
				at(step.Fired, step.At)
			}
		case "problem":
			p := &problem{}
			if err := json.Unmarshal([]byte(value), p); err == nil {
				return nil, asked(p)
			}
		case "done":
			done := &twin.Advanced{}
			if err := json.Unmarshal([]byte(value), done); err == nil {
				return done, nil
			}
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return nil, errCutOff
}
