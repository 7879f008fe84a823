package linear

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2" //worlds:boundary every draw is from the seed of the run
	"path/filepath"
	"sync"
	"time"

	"github.com/anishathalye/porcupine"
)

// Config says what to run.
type Config struct {
	Seed    uint64
	Clients int // 0 for 4
	Calls   int // of each client; 0 for 60
	// Dir is where the picture of a history that cannot have happened is written, as
	// history-KIND.html.
	Dir string
	// Server is called before every call and answers where the server is; it may be
	// another one after a crash.
	Server func() string
	// Disturb, if not nil, is called while the clients work: it may kill the server
	// and start it again. Its context ends with their work; then a server must be
	// there.
	Disturb func(ctx context.Context) error
}

// Report is what a run came to.
type Report struct {
	Calls   map[string]int // by kind
	Open    int            // never answered
	Refused int
	Parts   int
}

// limit is how long an order is looked for, and for how long a call is waited for.
const (
	searchLimit = 30 * time.Second
	callLimit   = 20 * time.Second
)

// Errors of a run.
var (
	// ErrImpossible: what the clients saw cannot have happened in any order.
	ErrImpossible = errors.New("no order of the calls explains their answers")
	// ErrUnknown: no order was found in time, nor that there is none.
	ErrUnknown = errors.New("it is not known whether an order explains the answers")
)

// Run makes a world, lets clients work on it and judges what they saw. The error
// wraps ErrImpossible or ErrUnknown, or says what else went wrong.
func Run(ctx context.Context, c Config) (*Report, error) {
	if c.Clients == 0 {
		c.Clients = 4
	}
	if c.Calls == 0 {
		c.Calls = 60
	}
	r := &runner{Config: c, began: time.Now()} //worlds:boundary calls are ordered by the clock of this process
	if err := r.prepare(ctx); err != nil {
		return nil, fmt.Errorf("linear seed %d: %w", c.Seed, err)
	}
	var working sync.WaitGroup
	failed := make(chan error, c.Clients+1)
	for client := range c.Clients {
		working.Go(func() { failed <- r.work(ctx, client) })
	}
	disturbed := make(chan struct{})
	until, done := context.WithCancel(ctx)
	go func() {
		defer close(disturbed)
		if c.Disturb != nil {
			failed <- c.Disturb(until)
		}
	}()
	working.Wait()
	done()
	<-disturbed
	close(failed)
	for err := range failed {
		if err != nil {
			return r.report(), fmt.Errorf("linear seed %d: %w", c.Seed, err)
		}
	}
	if err := r.last(ctx); err != nil {
		return r.report(), fmt.Errorf("linear seed %d: %w", c.Seed, err)
	}
	return r.report(), r.judge()
}

type runner struct {
	Config
	began   time.Time
	world   created
	targets []target
	mu      sync.Mutex
	history map[string][]porcupine.Operation // by kind
}

// work is one client.
func (r *runner) work(ctx context.Context, client int) error {
	rnd := rand.New(rand.NewPCG(r.Seed, uint64(client)))
	for n := range r.Calls {
		t := r.targets[rnd.IntN(len(r.targets))]
		if err := r.call(ctx, client, t, t.draw(rnd, client, n)); err != nil {
			return err
		}
	}
	return nil
}

// last reads every part once more, when all is quiet.
func (r *runner) last(ctx context.Context) error {
	for _, t := range r.targets {
		if err := r.call(ctx, 0, t, call{part: t.part, verb: "read"}); err != nil {
			return err
		}
	}
	return nil
}

// call makes a call and notes it.
func (r *runner) call(ctx context.Context, client int, t target, c call) error {
	ctx, cancel := context.WithTimeout(ctx, callLimit) //worlds:boundary a call is not waited for without end
	defer cancel()
	op := porcupine.Operation{ClientId: client, Input: c, Call: r.now(), Return: math.MaxInt64}
	o, err := t.ask(ctx, r, c)
	if err != nil {
		return err
	}
	if op.Output = o; !o.open {
		op.Return = r.now()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.history == nil {
		r.history = map[string][]porcupine.Operation{}
	}
	r.history[t.kind] = append(r.history[t.kind], op)
	return nil
}

// now is the time since the run began.
func (r *runner) now() int64 {
	return int64(time.Since(r.began)) //worlds:boundary calls are ordered by the clock of this process
}

func (r *runner) report() *Report {
	rep := &Report{Calls: map[string]int{}, Parts: len(r.targets)}
	for kind, history := range r.history {
		rep.Calls[kind] = len(history)
		for _, op := range history {
			if o := op.Output.(outcome); o.open {
				rep.Open++
			} else if o.refused {
				rep.Refused++
			}
		}
	}
	return rep
}

// judge looks for an order of the calls of each part.
func (r *runner) judge() error {
	var all error
	for _, name := range names() {
		m := model(kinds[name])
		result, info := porcupine.CheckOperationsVerbose(m, r.history[name], searchLimit)
		if result == porcupine.Ok {
			continue
		}
		why := ErrImpossible
		if result == porcupine.Unknown {
			why = ErrUnknown
		}
		path := filepath.Join(r.Dir, "history-"+name+".html")
		err := fmt.Errorf("linear seed %d, %s (see %s): %w", r.Seed, name, path, why)
		if e := porcupine.VisualizePath(m, info, path); e != nil {
			err = errors.Join(err, e)
		}
		all = errors.Join(all, err)
	}
	return all
}
