package dst

import (
	"context"
	"slices"
)

// shrinkMax is how many histories are tried on the way to a small one.
const shrinkMax = 3000

// shrinker looks for a small history that fails alike.
type shrinker struct {
	ctx      context.Context
	engine   *engine
	cfg      Config
	seed     uint64
	property string
	told     func(*space, *step) *Failure
	tries    int
}

// Shrink makes the history of a failed run small: by delta debugging over its
// operations, then over what happens in their middle and over their parameters. The
// result fails with the same property; it is the whole history if nothing less does.
// One operation's faults and the order of operations are operations themselves.
func Shrink(ctx context.Context, cfg Config, result *Result) ([]Op, *Failure, error) {
	return shrink(ctx, cfg, result, nil)
}

func shrink(ctx context.Context, cfg Config, result *Result, told func(*space, *step) *Failure) ([]Op, *Failure, error) {
	e, err := openEngine(nil)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = e.close() }()
	s := &shrinker{ctx: ctx, engine: e, cfg: cfg, seed: result.Seed, property: result.Failure.Property, told: told}
	ops := slices.Clone(result.History)
	if failure := s.fails(ops); failure == nil {
		return ops, result.Failure, nil // it was not the history alone: say so by not shrinking
	}
	for size := -1; size != len(ops) && s.tries < shrinkMax; {
		size = len(ops)
		ops = s.operations(ops)
		ops = s.parts(ops)
	}
	return ops, s.fails(ops), nil
}

// fails does a history and returns its failure if it is the one that is looked for.
func (s *shrinker) fails(ops []Op) *Failure {
	s.tries++
	f, _ := perform(s.ctx, s.engine, s.cfg, s.seed, ops, s.told)
	if f == nil || f.Property != s.property {
		return nil
	}
	return f
}

// perform does a history on new worlds and judges it as a run is judged.
func perform(ctx context.Context, e *engine, cfg Config, seed uint64, ops []Op, told func(*space, *step) *Failure) (f *Failure, r *run) {
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
	r.phase = phaseScheduled
	for i := range ops {
		r.gen.n = max(r.gen.n, ops[i].N)
		if f := r.apply(&ops[i]); f != nil {
			return f, r
		}
	}
	return r.finish(), r
}

// operations leaves out as many operations as it can: halves first, then smaller
// pieces (ddmin).
func (s *shrinker) operations(ops []Op) []Op {
	for pieces := 2; len(ops) > 0 && s.tries < shrinkMax; {
		size := (len(ops) + pieces - 1) / pieces
		smaller := false
		for from := len(ops); from > 0; from -= size { // the end first: what comes after the failure matters least
			less := slices.Concat(ops[:max(0, from-size)], ops[from:])
			if s.fails(less) != nil {
				ops, smaller = less, true
				break
			}
		}
		switch {
		case smaller:
			pieces = max(pieces-1, 2)
		case size <= 1:
			return ops
		default:
			pieces = min(2*pieces, len(ops))
		}
	}
	return ops
}

// parts leaves out what single operations do not need.
func (s *shrinker) parts(ops []Op) []Op {
	for i := range ops {
		for k := len(ops[i].Inject) - 1; k >= 0; k-- {
			ops = s.without(ops, i, func(o *Op) { o.Inject = slices.Delete(slices.Clone(o.Inject), k, k+1) })
		}
		for k := len(ops[i].Params) - 1; k >= 0; k-- {
			ops = s.without(ops, i, func(o *Op) { o.Params = slices.Delete(slices.Clone(o.Params), k, k+1) })
		}
		for _, field := range []func(*Op) *string{
			func(o *Op) *string { return &o.Idem }, func(o *Op) *string { return &o.Version }, func(o *Op) *string { return &o.Key },
		} {
			if *field(&ops[i]) != "" {
				ops = s.without(ops, i, func(o *Op) { *field(o) = "" })
			}
		}
	}
	return ops
}

// without changes one operation, if the history still fails.
func (s *shrinker) without(ops []Op, i int, change func(*Op)) []Op {
	if s.tries >= shrinkMax {
		return ops
	}
	less := slices.Clone(ops)
	change(&less[i])
	if s.fails(less) == nil {
		return ops
	}
	return less
}
