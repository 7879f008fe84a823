package dst

import (
	"cmp"
	"context"
	"maps"
	"slices"
)

// shrinkMax is how many stories are tried on the way to a small one.
const shrinkMax = 3000

// Story is a history, and how the attempts to deliver went in it.
type Story struct {
	Ops []Op `json:"ops"`
	// Ends is how attempts ended that did not end well, by listener and number of the
	// attempt there; nil: as the seed of the run has it.
	Ends map[string]string `json:"ends"`
}

// Len is how many operations a story has, those in the middle of others included.
func (s *Story) Len() int { return count(s.Ops) }

func count(ops []Op) int {
	n := len(ops)
	for i := range ops {
		n += count(ops[i].Inject)
	}
	return n
}

// shrinker looks for a small story that fails alike.
type shrinker struct {
	ctx      context.Context
	engine   *engine
	cfg      Config
	seed     uint64
	property string
	rest     bool // it fails at rest: the story must be played to its end
	told     func(*space, *step) *Failure
	tries    int
	err      error // of the harness
}

// Shrink makes the story of a failed run small. By delta debugging it leaves out
// operations, what happens in their middle, parameters, and attempts to deliver that
// fail; then it makes the schedule plain: nothing happens in the middle of something
// else, nothing waits, and one world is done before the next. The result fails with the
// same property; it is the whole story if nothing less does.
func Shrink(ctx context.Context, cfg Config, result *Result) (*Story, *Failure, error) {
	return shrink(ctx, cfg, result, nil)
}

func shrink(ctx context.Context, cfg Config, result *Result, told func(*space, *step) *Failure) (*Story, *Failure, error) {
	s := &shrinker{ctx: ctx, cfg: cfg, seed: result.Seed, property: result.Failure.Property, rest: true, told: told}
	defer s.close()
	story := &Story{Ops: slices.Clone(result.History)}
	failure, r := s.play(story)
	if s.err != nil || failure == nil || failure.Property != s.property {
		return story, result.Failure, s.err // it was not the history alone: say so by not shrinking
	}
	s.rest = r.phase == phaseDrain
	for size := -1; size != story.Len()+len(story.Ends) && s.tries < shrinkMax; {
		size = story.Len() + len(story.Ends)
		story.Ops = part(s, story.Ops, func(ops []Op) *Story { return &Story{ops, story.Ends} })
		s.parts(story)
		s.faults(story)
		s.schedule(story)
	}
	failure, _ = s.play(story)
	return story, failure, s.err
}

// close closes the server in use; with a bug on purpose that may well fail.
func (s *shrinker) close() {
	if s.engine != nil {
		_ = s.engine.close()
	}
}

// engineTries is how many stories share a server.
const engineTries = 100

// play plays a story, to its end only if it has to be.
func (s *shrinker) play(story *Story) (*Failure, *run) {
	if s.tries%engineTries == 0 {
		s.close()
		if s.engine, s.err = openEngine(nil); s.err != nil {
			s.tries = shrinkMax
		}
	}
	if s.err != nil {
		return nil, nil
	}
	return perform(s.ctx, s.engine, s.cfg, s.seed, story, s.rest, s.told)
}

// fails reports whether a story fails as the one that is looked for.
func (s *shrinker) fails(story *Story) bool {
	if s.tries >= shrinkMax {
		return false
	}
	s.tries++
	f, _ := s.play(story)
	return f != nil && f.Property == s.property
}

// perform plays a story on new worlds and judges it as a run is judged; without rest,
// what is judged at the end is left out.
func perform(ctx context.Context, e *engine, cfg Config, seed uint64, story *Story, rest bool, told func(*space, *step) *Failure) (f *Failure, r *run) {
	cfg.Debug = ""
	r = newRun(ctx, e, cfg, seed, nil)
	r.told = told
	defer func() {
		if p := recover(); p != nil {
			f = failed("harness.panic", "%v", p)
		}
		e.net.use(nil)
	}()
	if f := r.worlds(); f != nil {
		return f, r
	}
	r.post.plan = story.Ends
	r.phase = phaseScheduled
	for i := range story.Ops {
		op := story.Ops[i]
		for ; r.round < op.Round; r.round++ {
			r.post.round()
		}
		r.gen.n = max(r.gen.n, op.N)
		if f := r.apply(&op); f != nil {
			return f, r
		}
	}
	if !rest {
		return nil, r
	}
	return r.finish(), r
}

// part leaves out as many elements of a list as it can: halves first, then smaller
// pieces (ddmin).
func part[T any](s *shrinker, list []T, story func([]T) *Story) []T {
	for pieces := 2; len(list) > 0 && s.tries < shrinkMax; {
		size := (len(list) + pieces - 1) / pieces
		smaller := false
		for from := len(list); from > 0; from -= size { // the end first: what comes after the failure matters least
			less := slices.Concat(list[:max(0, from-size)], list[from:])
			if s.fails(story(less)) {
				list, smaller = less, true
				break
			}
		}
		switch {
		case smaller:
			pieces = max(pieces-1, 2)
		case size <= 1:
			return list
		default:
			pieces = min(2*pieces, len(list))
		}
	}
	return list
}

// parts leaves out what single operations do not need.
func (s *shrinker) parts(story *Story) {
	for i := range story.Ops {
		for k := len(story.Ops[i].Inject) - 1; k >= 0; k-- {
			s.change(story, i, func(o *Op) { o.Inject = slices.Delete(slices.Clone(o.Inject), k, k+1) })
		}
		for k := len(story.Ops[i].Params) - 1; k >= 0; k-- {
			s.change(story, i, func(o *Op) { o.Params = slices.Delete(slices.Clone(o.Params), k, k+1) })
		}
		for _, field := range []func(*Op) *string{
			func(o *Op) *string { return &o.Idem }, func(o *Op) *string { return &o.Version }, func(o *Op) *string { return &o.Key },
			func(o *Op) *string { return &o.Wire },
		} {
			if *field(&story.Ops[i]) != "" {
				s.change(story, i, func(o *Op) { *field(o) = "" })
			}
		}
	}
}

// change changes one operation, if the story still fails.
func (s *shrinker) change(story *Story, i int, change func(*Op)) {
	ops := slices.Clone(story.Ops)
	change(&ops[i])
	if s.fails(&Story{ops, story.Ends}) {
		story.Ops = ops
	}
}

// faults leaves out the attempts to deliver that need not fail, and lets those that
// must fail in the plainest way.
func (s *shrinker) faults(story *Story) {
	ends := story.Ends
	if ends == nil {
		_, r := s.play(story)
		if s.err != nil {
			return
		}
		if ends = r.post.failed(); !s.fails(&Story{story.Ops, ends}) {
			return
		}
	}
	less := func(keys []string) *Story {
		kept := map[string]string{}
		for _, key := range keys {
			kept[key] = ends[key]
		}
		return &Story{story.Ops, kept}
	}
	keys := slices.Sorted(maps.Keys(ends))
	if none := []string{}; s.fails(less(none)) {
		keys = none
	}
	story.Ends = less(part(s, keys, less)).Ends
	for _, key := range slices.Sorted(maps.Keys(story.Ends)) {
		plain := maps.Clone(story.Ends)
		plain[key] = endPlain
		if story.Ends[key] != endPlain && s.fails(&Story{story.Ops, plain}) {
			story.Ends = plain
		}
	}
}

// endPlain is the plainest way in which an attempt fails.
const endPlain = "500"

// schedule makes the order of things plain, one step after the other as long as the
// story still fails.
func (s *shrinker) schedule(story *Story) {
	for i := len(story.Ops) - 1; i >= 0; i-- {
		if len(story.Ops[i].Inject) == 0 {
			continue
		}
		apart := story.Ops[i]
		apart.Inject = nil
		ops := slices.Concat(story.Ops[:i], []Op{apart}, story.Ops[i].Inject, story.Ops[i+1:])
		if s.fails(&Story{ops, story.Ends}) {
			story.Ops = ops
		}
	}
	ordered := slices.Clone(story.Ops)
	slices.SortStableFunc(ordered, func(a, b Op) int { return cmp.Compare(a.Space, b.Space) })
	atOnce := slices.Clone(ordered)
	for i := range atOnce {
		atOnce[i].Round = 0
	}
	still := slices.Clone(story.Ops)
	for i := range still {
		still[i].Round = 0
	}
	for _, ops := range [][]Op{atOnce, still, ordered} {
		if s.fails(&Story{ops, story.Ends}) {
			story.Ops = ops
			return
		}
	}
}
