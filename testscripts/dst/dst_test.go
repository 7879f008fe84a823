package dst

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"worlds/testscripts"
)

var update = flag.Bool("update", false, "write what is generated anew")

// small is a run that every test can afford.
var small = Config{Seeds: 1, Rounds: 10, Profile: Sparse, Width: 2, Delivery: Delta, Base: 7}

// run1 does one run on a server of its own.
func run1(t *testing.T, cfg Config) *Result {
	t.Helper()
	e, err := openEngine(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := e.close(); err != nil {
			t.Error(err)
		}
	}()
	return one(context.Background(), e, cfg, cfg.Base, nil)
}

func TestRandIsAsItAlwaysWas(t *testing.T) {
	r := NewRand(42)
	got := []uint64{r.Uint64(), r.Uint64(), r.Fork("part").Uint64(), r.Uint64()}
	want := []uint64{13679457532755275413, 2949826092126892291, got[2], 5139283748462763858}
	if !slices.Equal(got, want) || got[2] == want[3] {
		t.Errorf("the stream of 42 is %d, and was %d", got, want)
	}
	p := NewRand(1).Perm(10)
	slices.Sort(p)
	for i, n := range p {
		if i != n {
			t.Fatalf("%d is no permutation", p)
		}
	}
}

func TestSameRunSameJournal(t *testing.T) {
	for _, profile := range []string{Sparse, Populated} {
		cfg := small
		cfg.Profile = profile
		one, two := run1(t, cfg), run1(t, cfg)
		for _, r := range []*Result{one, two} {
			if r.Failure != nil {
				t.Fatalf("%s: %v", profile, r.Failure)
			}
		}
		if one.Metrics.Digest == "" || one.Metrics.Digest != two.Metrics.Digest || len(one.History) != len(two.History) {
			t.Errorf("%s: one run ends in %s, the same in %s", profile, one.Metrics.Digest, two.Metrics.Digest)
		}
		cfg.Base++
		if other := run1(t, cfg); other.Metrics.Digest == one.Metrics.Digest {
			t.Errorf("%s: another seed ends in the same journal", profile)
		}
	}
}

// TestASweepIsNotBlind: a sweep says what its models judged, and fails below a floor.
func TestASweepIsNotBlind(t *testing.T) {
	for _, c := range []struct {
		asked string
		run   Judged
		want  string
	}{
		{Models, Judged{Answers: 1000, Judged: 400, Worlds: 20, Whole: 1}, ""},
		{Models, Judged{Answers: 1000, Judged: 399, Worlds: 20, Whole: 1}, "399 ‰"},
		{Models, Judged{Answers: 1000, Judged: 1000, Worlds: 20}, "none of 20 worlds"},
		{Models, Judged{Answers: judgedFrom - 1, Worlds: wholeFrom - 1}, ""},
		{"none", Judged{Answers: 1000, Worlds: 20}, ""},
	} {
		sweep := &Sweep{Judged: map[string]Judged{}}
		half := Judged{c.run.Answers / 2, c.run.Judged / 2, c.run.Worlds / 2, c.run.Whole / 2}
		sweep.add(map[string]Judged{apiStripe: half})
		sweep.add(map[string]Judged{apiStripe: {c.run.Answers - half.Answers, c.run.Judged - half.Judged, c.run.Worlds - half.Worlds, c.run.Whole - half.Whole}})
		var out strings.Builder
		sweep.hold(c.asked, &out)
		if got := fmt.Sprint(sweep.Blind); c.want == "" && sweep.Blind != nil || !strings.Contains(got, c.want) {
			t.Errorf("%+v: %v", c, got)
		}
		if (out.Len() > 0) != (c.asked == Models) {
			t.Errorf("%+v: %q", c, out.String())
		}
	}
}

// TestEveryRouteHasAGenerator guards new routes: one needs a recipe, a body or nothing
// beyond its table, and every segment of its path a table; or a reason to be skipped.
func TestEveryRouteHasAGenerator(t *testing.T) {
	e, err := openEngine(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = e.close() }()
	for _, c := range testscripts.Catalogs() {
		for _, r := range c.Routes() {
			name := r.Method + " " + r.Pattern
			if skipped[name] != "" {
				continue
			}
			if missing := ungenerated(c, r); missing != "" {
				t.Errorf("%s %s: %s; give it what it lacks in recipes.go, or a reason in skipped (routes.go)", c.Name, name, missing)
			}
		}
	}
	admin, err := adminRoutes(e)
	if err != nil {
		t.Fatal(err)
	}
	made := generatedAdmin()
	for _, name := range admin {
		if !made[name] && skippedAdmin[name] == "" {
			t.Errorf("%s: no operation of operator.go does it, and skippedAdmin (routes.go) has no reason", name)
		}
	}
}

// TestSmoke is a fixed sweep of both profiles and both modes of delivery.
func TestSmoke(t *testing.T) {
	for _, turn := range rotation {
		cfg := Config{Seeds: 2, Base: 1000, Rounds: RoundsUsual, Profile: turn.profile, Width: WidthLeast, Delivery: turn.delivery, Models: smokeModels}
		var out strings.Builder
		sweep, err := Run(context.Background(), cfg, &out)
		if err != nil {
			t.Fatal(err)
		}
		if len(sweep.Failed)+len(sweep.Idle) > 0 || sweep.Blind != nil {
			t.Errorf("%s, %s: %s", turn.profile, turn.delivery, out.String())
		}
		for _, api := range models {
			if j := sweep.Judged[api]; j.Judged == 0 || j.Whole == 0 {
				t.Errorf("%s, %s: the model of %s judged %d answers and %d worlds", turn.profile, turn.delivery, api, j.Judged, j.Whole)
			}
		}
	}
}

// smokeModels are the models that the smoke is held against.
const smokeModels = apiStripe + "," + apiZendesk

// TestEveryMandatoryPathIsCertain: on a world that has just begun each mandatory path
// can be taken, whatever was drawn before.
func TestEveryMandatoryPathIsCertain(t *testing.T) {
	for _, profile := range []string{Populated, Sparse} {
		cfg := small
		cfg.Profile, cfg.Models = profile, "none"
		e, err := openEngine(nil)
		if err != nil {
			t.Fatal(err)
		}
		r := newRun(t.Context(), e, cfg, cfg.Base, nil)
		if f := r.worlds(); f != nil {
			t.Fatal(f)
		}
		for _, path := range mandatory() {
			if f := r.certainly(r.spaces[0], path); f != nil {
				t.Errorf("%s: %s: %v", profile, path, f)
			}
			if !r.done[path] {
				t.Errorf("%s: %s counts as not taken", profile, path)
			}
		}
		r.engine.net.use(nil)
		if err := e.close(); err != nil {
			t.Error(err)
		}
	}
}
