package crash

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2" //worlds:boundary every draw is from the seed of the run
	"path/filepath"
	"sync/atomic"
	"time"

	"worlds/journal/store"
	"worlds/testscripts"
)

// Config says what to run.
type Config struct {
	Seed       uint64
	Rounds     int    // one kill each; 0 for one at every place
	Dir        string // of the data, made if it is not there; what is in it must be of a run
	Durability store.Durability
	// Log, if not nil, hears of every round.
	Log func(string)
}

// Report is what a run came to. It is whole also when Run returns an error.
type Report struct {
	Kills     map[string]int // by place, where the server was killed there
	Late      map[string]int // by place, where it did not come there and was killed from outside
	Acked     int            // writes acknowledged
	Unknown   int            // writes under way at a kill
	Happened  int            // of those, found to have happened
	Resent    int            // deliveries pending after a restart, and then sent
	Repeated  int            // of those, sent before the kill too, in the same bytes
	Refused   int            // second opens of a folder in use
	Undone    int            // resets, deletes and makings under way that had not happened
	Completed int            // that had
}

// Missed are the places of a level where no server was killed.
func (r *Report) Missed(level store.Durability) (names []string) {
	for _, p := range Places(level) {
		if r.Kills[p.Name] == 0 {
			names = append(names, p.Name)
		}
	}
	return names
}

// How many clients work, and the longest that a server is left alone with them.
const (
	clients   = 3
	patience  = 5 * time.Second
	stopLimit = 5 * time.Minute // a server that does not stop hangs
)

// Run plays rounds and holds what is left after each to the laws. The error names
// the seed, the round and the place, and what is wrong.
func Run(ctx context.Context, c Config) (*Report, error) {
	r := &runner{c: c, rand: rand.New(rand.NewPCG(c.Seed, 0)), report: &Report{Kills: map[string]int{}, Late: map[string]int{}}}
	var err error
	if r.listener, err = testscripts.StartListener(); err != nil {
		return r.report, err
	}
	defer r.listener.Close()
	places := Places(c.Durability)
	rounds := cmp.Or(c.Rounds, len(places))
	for n := range rounds {
		if n%len(places) == 0 {
			r.rand.Shuffle(len(places), func(i, j int) { places[i], places[j] = places[j], places[i] })
		}
		r.round, r.place = n, places[n%len(places)]
		if err := r.play(ctx); err != nil {
			return r.report, r.failed(err)
		}
	}
	r.place = Place{Name: "end"}
	if err := r.start(ctx); err != nil {
		return r.report, r.failed(err)
	}
	err = r.stop()
	return r.report, r.failed(err)
}

func (r *runner) failed(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("crash seed %d, round %d, before or at %q (%s): %w", r.c.Seed, r.round, r.place.Name, r.c.Dir, err)
}

type runner struct {
	c        Config
	rand     *rand.Rand
	report   *Report
	listener *testscripts.Listener
	round    int
	place    Place
	server   *Process
	worlds   []*ledger
	export   []byte       // of a world, to be imported
	acked    atomic.Int64 // writes acknowledged
}

// start starts a server and holds what it finds to the laws.
func (r *runner) start(ctx context.Context) error {
	var err error
	if r.server, err = Start(filepath.Join(r.c.Dir, "data"), r.c.Durability); err != nil {
		return err
	}
	if err := r.refuseSecond(); err != nil {
		return errors.Join(err, r.stop())
	}
	if err := r.check(ctx); err != nil {
		return errors.Join(err, r.stop())
	}
	return nil
}

// stop ends a server in peace.
func (r *runner) stop() error {
	_ = r.server.orders.Close() // it ends by that
	go r.server.watch()
	if r.server.kill(stopLimit) {
		return fmt.Errorf("the server did not stop: %s", r.server.stderr.String())
	}
	if !r.server.cmd.ProcessState.Success() {
		return fmt.Errorf("the server stopped badly: %s", r.server.stderr.String())
	}
	return nil
}

// refuseSecond checks that nobody else can open the folder.
func (r *runner) refuseSecond() error {
	s, err := store.Open(filepath.Join(r.c.Dir, "data"), store.Options{LockTimeout: time.Millisecond})
	if err == nil {
		_ = s.Close()
		return errors.New("the folder was opened twice")
	}
	if !errors.Is(err, store.ErrLocked) {
		return fmt.Errorf("the folder in use was refused with %w", err)
	}
	r.report.Refused++
	return nil
}

// play is one round: check, work, kill.
func (r *runner) play(ctx context.Context) error {
	if err := r.start(ctx); err != nil {
		return err
	}
	if err := r.prepare(ctx); err != nil {
		return errors.Join(err, r.stop())
	}
	point, count := cmp.Or(r.place.Point, "never"), 1+r.rand.IntN(r.place.Count)
	if err := r.server.order("arm", point, count); err != nil {
		return err
	}
	wait := patience
	if r.place.Point == "" {
		wait = time.Duration(r.rand.IntN(300)) * time.Millisecond
	}
	err := r.act(ctx, wait)
	r.report.Acked = int(r.acked.Load())
	if r.c.Log != nil {
		r.c.Log(fmt.Sprintf("round %d: %s, pass %d of %q during %s: %d acknowledged, %d under way so far",
			r.round, r.place.Name, count, point, r.place.Act, r.report.Acked, r.report.Unknown))
	}
	return err
}

// died notes where the server was killed.
func (r *runner) died(wait time.Duration) error {
	lived := r.server.kill(wait)
	switch {
	case lived && r.place.Point != "":
		r.report.Late[r.place.Name]++
	case r.server.killed():
		r.report.Kills[r.place.Name]++
	default:
		return fmt.Errorf("the server ended by itself: %s", r.server.stderr.String())
	}
	return nil
}
