package sim

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// Bounds of an exploration.
const (
	exhaustiveWriters = 3 // up to so many writers every order is tried
	preemptionsMax    = 2 // above: orders that take a writer off at most so often
	schedulesMax      = 20000
	randomRuns        = 200 // above: orders by random priorities as well
	randomChanges     = 3   // at so many permits a priority falls
)

// Strategies of an exploration.
const (
	Exhaustive = "exhaustive"
	Bounded    = "preemption-bound-2"
)

// Exploration is what came of playing a scenario in other orders.
type Exploration struct {
	ID        string    `json:"id"`
	Strategy  string    `json:"strategy"`
	Schedules int       `json:"schedules"` // tried, each of them twice
	Random    int       `json:"random"`    // of them by random priorities
	Cut       bool      `json:"cut"`       // there are more than were tried
	Orders    int       `json:"orders"`    // different journals they end in
	Writers   []string  `json:"writers"`
	Unequal   []string  `json:"unequal"`  // schedules whose two plays end in different journals
	Failures  []*Result `json:"failures"` // in the order of their schedules, at most FailuresMax
	Failed    int       `json:"failed"`
}

// FailuresMax is how many failed plays an exploration keeps.
const FailuresMax = 20

// ExploreOptions are for Explore.
type ExploreOptions struct {
	Options
	Workers int    // 0 for one a core
	Seed    uint64 // of the random priorities
	Max     int    // schedules at most, 0 for the usual number
}

// ErrDirected is of scenarios that leave no order open.
var ErrDirected = errors.New("says itself who goes when")

// Explore plays a scenario in every order of permits, up to three writers and three
// points; above that, in the orders that take a writer off at most twice, and in
// some by random priorities. Every order is played twice. The scenario must leave the
// order open, with no hold, arm or select in it; else the error is ErrDirected.
func Explore(ctx context.Context, sc *Scenario, opt ExploreOptions) (*Exploration, error) {
	if sc.holds {
		return nil, fmt.Errorf("%s %w; explore takes scenarios without %s", sc.ID, ErrDirected, strings.Join(directing, ", "))
	}
	if opt.Workers == 0 {
		opt.Workers = runtime.GOMAXPROCS(0)
	}
	if opt.Max == 0 {
		opt.Max = schedulesMax
	}
	x := &explorer{sc: sc, opt: opt, out: &Exploration{ID: sc.ID, Strategy: Exhaustive}, heads: map[string]bool{}}
	x.cond = sync.NewCond(&x.mu)
	x.todo = [][]int{nil}
	if err := x.work(ctx, x.branch); err != nil {
		return nil, err
	}
	if x.out.Strategy == Bounded && ctx.Err() == nil {
		if err := x.work(ctx, x.random); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(x.out.Failures, func(a, b *Result) int { return cmp.Compare(a.Schedule, b.Schedule) })
	x.out.Failures = x.out.Failures[:min(len(x.out.Failures), FailuresMax)]
	slices.Sort(x.out.Unequal)
	x.out.Orders = len(x.heads)
	return x.out, ctx.Err()
}

// explorer searches the orders of one scenario: a tree whose branches are the
// permits at which more than one writer could go.
type explorer struct {
	sc  *Scenario
	opt ExploreOptions

	mu    sync.Mutex
	cond  *sync.Cond
	todo  [][]int // indices of the first choices, of orders not tried yet
	busy  int
	begun int
	runs  uint64 // random ones begun
	heads map[string]bool
	out   *Exploration
}

// work runs workers, each with a server of its own, until job has nothing to do.
func (x *explorer) work(ctx context.Context, job func(context.Context, *stage) bool) error {
	errs := make([]error, x.opt.Workers)
	var workers sync.WaitGroup
	for i := range x.opt.Workers {
		workers.Go(func() {
			dir, err := os.MkdirTemp("", "worlds-explore")
			if err != nil {
				errs[i] = err
				return
			}
			st := &stage{shared: true, dir: dir}
			for ctx.Err() == nil && job(ctx, st) {
			}
			errs[i] = errors.Join(st.stop(), os.RemoveAll(dir))
		})
	}
	workers.Wait()
	return errors.Join(errs...)
}

// branch plays one order and notes those that part from it; false when all are done.
func (x *explorer) branch(ctx context.Context, st *stage) bool {
	x.mu.Lock()
	for len(x.todo) == 0 && x.busy > 0 {
		x.cond.Wait()
	}
	if len(x.todo) == 0 || x.begun >= x.opt.Max {
		x.out.Cut = x.out.Cut || len(x.todo) > 0
		x.todo = nil
		x.mu.Unlock()
		x.cond.Broadcast()
		return false
	}
	prefix := x.todo[len(x.todo)-1]
	x.todo = x.todo[:len(x.todo)-1]
	x.busy++
	x.begun++
	x.mu.Unlock()

	r := x.twice(ctx, st, func(s *sched) func([]*item) int {
		return func(list []*item) int {
			return s.note(list, func(among []string) int {
				if at := len(s.taken); at < len(prefix) {
					return min(prefix[at], len(among)-1)
				}
				return stay(s.taken, among)
			})
		}
	})

	x.mu.Lock()
	defer x.mu.Unlock()
	x.busy--
	x.take(r, false)
	x.fork(r, len(prefix))
	x.cond.Broadcast()
	return true
}

// stay goes on with whom the last permit was for, if he can.
func stay(taken []choice, among []string) int {
	if len(taken) == 0 {
		return 0
	}
	last := taken[len(taken)-1]
	return max(0, slices.Index(among, last.among[last.taken]))
}

// fork notes the orders that part from a play behind its prefix. The caller holds mu.
func (x *explorer) fork(r *Result, prefix int) {
	if len(r.Writing) > exhaustiveWriters {
		x.out.Strategy = Bounded
	}
	indices := make([]int, 0, len(r.taken))
	off := 0 // writers taken off so far, who could have gone on
	for at, c := range r.taken {
		usual := stay(r.taken[:at], c.among)
		could := at > 0 && slices.Contains(c.among, r.taken[at-1].among[r.taken[at-1].taken])
		for other := range c.among {
			switch {
			case at < prefix || other == c.taken:
				continue
			case x.out.Strategy == Bounded && could && other != usual && off >= preemptionsMax:
				x.out.Cut = true
				continue
			}
			x.todo = append(x.todo, append(slices.Clone(indices), other))
		}
		if could && c.taken != usual {
			off++
		}
		indices = append(indices, c.taken)
	}
}

// random plays one order by random priorities, of which some fall on the way.
func (x *explorer) random(ctx context.Context, st *stage) bool {
	x.mu.Lock()
	run := x.runs
	x.runs++
	x.mu.Unlock()
	if run >= randomRuns {
		return false
	}
	r := x.twice(ctx, st, func(s *sched) func([]*item) int {
		draw := &drawer{x.opt.Seed<<32 + run}
		high := map[string]int{}
		falls := map[int]bool{}
		for range randomChanges {
			falls[draw.below(permitsGuess)] = true
		}
		low := 0
		return func(list []*item) int {
			return s.note(list, func(among []string) int {
				best := 0
				for i, w := range among {
					if _, ok := high[w]; !ok {
						high[w] = 1 + draw.below(1<<20)
					}
					if high[w] > high[among[best]] {
						best = i
					}
				}
				if falls[len(s.taken)] {
					low--
					high[among[best]] = low
				}
				return best
			})
		}
	})
	x.mu.Lock()
	defer x.mu.Unlock()
	x.take(r, true)
	return true
}

// permitsGuess is among how many permits those are drawn at which a priority falls.
const permitsGuess = 24

// twice plays an order twice and compares the journals.
func (x *explorer) twice(ctx context.Context, st *stage, choose func(*sched) func([]*item) int) *Result {
	opt := x.opt.Options
	opt.stage, opt.light, opt.Durability, opt.choose = st, true, exploring, choose
	r := Play(ctx, x.sc, opt)
	opt.bare = true // the same journal is judged the same
	again := Play(ctx, x.sc, opt)
	if heads(r) != heads(again) || r.Schedule != again.Schedule {
		x.mu.Lock()
		x.out.Unequal = append(x.out.Unequal, r.Schedule)
		x.mu.Unlock()
	}
	return r
}

// heads are the ends of the journals of a play. The head of a fork is left out: it
// depends on which worlds the server had before.
func heads(r *Result) string {
	var out strings.Builder
	for _, w := range r.Worlds {
		head := w.Head
		if w.fork {
			head = "fork"
		}
		fmt.Fprintf(&out, "%s %d %s %s\n", w.World, w.Seq, head, w.DumpHash)
	}
	return out.String()
}

// take counts a play. The caller holds mu.
func (x *explorer) take(r *Result, random bool) {
	x.out.Schedules++
	if random {
		x.out.Random++
	}
	x.heads[heads(r)] = true
	for _, w := range r.Writing {
		if !slices.Contains(x.out.Writers, w) {
			x.out.Writers = append(x.out.Writers, w)
			slices.Sort(x.out.Writers)
		}
	}
	if !r.Passed {
		x.out.Failed++
		x.out.Failures = append(x.out.Failures, r)
	}
}

// RenderExploration prints what came of an exploration of a book in a folder, "" for the
// built-in one.
func RenderExploration(x *Exploration, dir string, colour bool) string {
	var out strings.Builder
	dot := paint("ok  ", green, colour)
	if !x.Passed() {
		dot = paint("FAIL", red, colour)
	}
	strategy := x.Strategy
	if x.Cut {
		strategy += ", not all of them"
	}
	fmt.Fprintf(&out, "%s %s: %d schedules (%s), each twice, %d different journals, %d failed\n", dot, x.ID, x.Schedules, strategy, x.Orders, x.Failed)
	for _, u := range x.Unequal {
		fmt.Fprintf(&out, "     %s the two plays of %s end in different journals\n", paint("violation", red, colour), u)
	}
	for _, r := range x.Failures {
		out.WriteString(RenderFaults(r, colour))
	}
	if len(x.Failures) > 0 {
		from := ""
		if dir != "" {
			from = "--dir " + dir + " "
		}
		fmt.Fprintf(&out, "     replay it: worlds sim %s%s --schedule %s\n", from, x.ID, x.Failures[0].Schedule)
	}
	return out.String()
}

// Passed reports whether no order failed and each ends the same way twice.
func (x *Exploration) Passed() bool { return x.Failed == 0 && len(x.Unequal) == 0 }
