package world_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"worlds/journal"
	"worlds/journal/canon"
	"worlds/journal/store"
	"worlds/seed"
	"worlds/twin"
	"worlds/twin/world"
)

func TestDoAnswersAndJournals(t *testing.T) {
	r := newRig(t, "empty", nil)
	a := r.do("POST", "/v1/customers", "name=Ann", "")
	b := r.do("GET", "/v1/customers/"+idOf(a), "", "")
	c := r.do("GET", "/v1/nothing", "", "")
	d := r.send(mark("m"))
	if a.Status != 200 || b.Status != 200 || c.Status != 404 || d.Status != 200 {
		t.Errorf("statuses %d %d %d %d", a.Status, b.Status, c.Status, d.Status)
	}
	if a.Seq != 1 || b.Seq != 2 || c.Seq != 3 || d.Seq != 4 {
		t.Errorf("sequence %d %d %d %d", a.Seq, b.Seq, c.Seq, d.Seq)
	}
	if string(a.Body) != string(b.Body) {
		t.Errorf("created %s, read %s", a.Body, b.Body)
	}
	if v := r.view(); v.Seq != 4 || v.Inc != 1 || v.State.Len("stripe.customer") != 1 {
		t.Errorf("the view is %+v", v)
	}
	r.replay()
	end := r.end()
	r.restart()
	if r.end() != end {
		t.Errorf("after a restart %s, before %s", r.end(), end)
	}
	r.replay()
}

// A mark's state, kept in memory or not, is the state a replay of the prefix gives.
func TestAtAMarkEqualsTheReplay(t *testing.T) {
	r := newRig(t, "empty", nil)
	hashes := map[journal.Seq]string{0: world.DumpHash(r.view().State)}
	for i := range world.MarkStatesMax + 6 {
		r.ok("POST", "/v1/customers", fmt.Sprintf("name=c%d", i), "")
		a := r.send(mark(fmt.Sprintf("m%d", i)))
		hashes[a.Seq] = world.DumpHash(r.view().State)
	}
	for _, when := range []string{"live", "after a restart"} {
		v := r.view()
		for seq, want := range hashes {
			at, err := r.world.At(context.Background(), v, seq)
			if err != nil {
				t.Fatal(err)
			}
			again, err := r.world.Replayed(v, seq)
			if err != nil {
				t.Fatal(err)
			}
			if world.DumpHash(at) != want || world.DumpHash(again) != want {
				t.Errorf("%s, entry %d: at %s, replayed %s, was %s", when, seq, world.DumpHash(at), world.DumpHash(again), want)
			}
		}
		if _, err := r.world.At(context.Background(), v, v.Seq+1); !errors.Is(err, world.ErrNoSuchSeq) {
			t.Errorf("beyond the head: %v", err)
		}
		r.restart()
	}
}

// What a caller gets is its own: two goroutines may work on two states of one mark
// while the world goes on.
func TestStatesAreTheCallersOwn(t *testing.T) {
	r := newRig(t, "saas-billing-small", nil)
	r.send(mark("m"))
	v := r.view()
	want := world.DumpHash(v.State)
	var running sync.WaitGroup
	for n := range 4 {
		running.Go(func() {
			for i := range 20 {
				if n == 0 {
					r.world.Do(context.Background(), request("POST", "/v1/customers", fmt.Sprintf("name=%d", i), ""))
					continue
				}
				st, err := r.world.At(context.Background(), v, 1)
				if err != nil {
					t.Error(err)
					return
				}
				if got := world.DumpHash(st); got != want {
					t.Errorf("the mark's state became %s", got)
				}
				own := twin.NewMachine(st, twin.SpecOf(r.seed), r.catalogs...)
				cmd := request("POST", "/v1/customers", "name=own", "").Command
				own.Execute(9, &cmd)
			}
		})
	}
	running.Wait()
	if got := world.DumpHash(v.State); got != want {
		t.Errorf("the view became %s", got)
	}
}

// 30 clients send one request with one key at once: it happens once.
func TestParallelTwinsMakeOneObject(t *testing.T) {
	r := newRig(t, "empty", nil)
	ids := make([]string, 30)
	var running sync.WaitGroup
	for i := range ids {
		running.Go(func() {
			a, err := r.world.Do(context.Background(), request("POST", "/v1/customers", "email=p@example.com", "k3"))
			if err != nil || a.Status != 200 {
				t.Errorf("%+v %v", a, err)
				return
			}
			ids[i] = idOf(a)
		})
	}
	running.Wait()
	v := r.view()
	if n := v.State.Len("stripe.customer"); n != 1 || v.State.Events() != 1 {
		t.Errorf("%d customers, %d events", n, v.State.Events())
	}
	for _, id := range ids {
		if id != ids[0] || id == "" {
			t.Errorf("answers %v", ids)
		}
	}
	r.replay()
}

func TestIdempotencyKeys(t *testing.T) {
	long := strings.Repeat("k", twin.IdemKeyMax+1)
	r := newRig(t, "empty", nil)
	first := r.ok("POST", "/v1/customers", "name=A", "random-1")
	r.do("POST", "/v1/customers", "nme=A", "random-2") // refused: takes an alias, stores nothing
	second := r.ok("POST", "/v1/customers", "name=B", "random-2")
	if a := r.do("POST", "/v1/customers", "name=C", long); a.Status != 400 || !strings.Contains(string(a.Body), "idempotency_error") {
		t.Errorf("a key of %d bytes: %d %s", len(long), a.Status, a.Body)
	}
	if first == second {
		t.Error("two keys, one customer")
	}
	r.restart()
	if a := r.do("POST", "/v1/customers", "name=A", "random-1"); idOf(a) != first || a.Replayed == "" {
		t.Errorf("after a restart the key executes anew: %s", a.Body)
	}
	r.ok("POST", "/v1/customers", "name=D", "random-3")
	var aliases []string
	for e := range r.entries() {
		frame, err := journal.ParseBody(e.Body)
		if err != nil {
			t.Fatal(err)
		}
		raw, _ := canon.Get(frame.Command, "idem")
		alias, _ := canon.Unquote(raw)
		aliases = append(aliases, alias+"<"+string(e.Side))
	}
	want := "ik_1<random-1 ik_2<random-2 ik_2<random-2 (too long)< ik_1<random-1 ik_3<random-3"
	if got := strings.Join(aliases, " "); got != want {
		t.Errorf("aliases\n%s\nwant\n%s", got, want)
	}
	if key := strings.Count(string(dump(t, r)), "random"); key != 0 {
		t.Errorf("the dump holds %d raw keys", key)
	}
	r.replay()
	r.reset()
	if a := r.do("POST", "/v1/customers", "name=A", "random-3"); a.Replayed != "" || idOf(a) != first {
		t.Errorf("after a reset an old key is known, or the ids go on: %s", a.Body)
	}
	r.do("POST", "/v1/customers", "nme=A", "another")
	r.ok("POST", "/v1/customers", "name=B", "another")
	r.do("POST", "/v1/customers", "name=C", long)
	r.do("POST", "/v1/customers", "name=A", "random-3")
	r.ok("POST", "/v1/customers", "name=D", "third")
	fresh := newRig(t, "empty", nil)
	for _, c := range [][2]string{{"name=A", "x"}, {"nme=A", "y"}, {"name=B", "y"}, {"name=C", long}, {"name=A", "x"}, {"name=D", "z"}} {
		fresh.do("POST", "/v1/customers", c[0], c[1])
	}
	if r.end() != fresh.end() {
		t.Errorf("the reset world ends in %s, a fresh one in %s", r.end(), fresh.end())
	}
}

// A seed can declare its keys stable: then they stand in journal and dump as sent.
func TestRawKeys(t *testing.T) {
	r := newRig(t, "empty", func(r *rig) {
		src, _ := seed.Source("empty")
		doc, err := seed.Parse([]byte(strings.Replace(string(src), "{", `{"settings":{"idempotency_keys":"raw"},`, 1)))
		if err != nil {
			t.Fatal(err)
		}
		r.seed = doc
	})
	first := r.ok("POST", "/v1/customers", "name=A", "stable-1")
	if !strings.Contains(string(dump(t, r)), `"stable-1"`) {
		t.Error("the dump does not hold the key")
	}
	for e := range r.entries() {
		if e.Side != nil || !strings.Contains(string(e.Body), `"stable-1"`) {
			t.Errorf("entry %d: side %q, body %q", e.Seq, e.Side, e.Body)
		}
	}
	r.restart()
	if a := r.do("POST", "/v1/customers", "name=A", "stable-1"); idOf(a) != first || a.Replayed == "" {
		t.Errorf("after a restart the key executes anew: %s", a.Body)
	}
	r.replay()
}

func dump(t *testing.T, r *rig) []byte {
	t.Helper()
	var b strings.Builder
	if err := r.view().State.WriteDump(&b); err != nil {
		t.Fatal(err)
	}
	return []byte(b.String())
}

// A slow reader of the dump sees the state as it stood when it asked, and holds up
// nobody.
func TestSlowDumpReader(t *testing.T) {
	r := newRig(t, "saas-billing-small", nil)
	v := r.view()
	want := world.DumpHash(v.State)
	slow := &slowReader{turn: make(chan struct{})}
	done := make(chan error)
	go func() { done <- v.State.WriteDump(slow) }()
	for i := range 300 {
		slow.let(i%10 == 0) // a piece of the dump now and then
		r.ok("POST", "/v1/customers", fmt.Sprintf("name=%d", i), "")
		r.ok("POST", "/v1/customers/cus_seed0001", fmt.Sprintf("name=%d", i), "")
	}
	close(slow.turn)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if got := hashOf(slow.got); got != want {
		t.Errorf("the slow reader has %s, the state was %s", got, want)
	}
	if world.DumpHash(r.view().State) == want {
		t.Error("the writes left no trace")
	}
}

func TestErrorsOfUse(t *testing.T) {
	r := newRig(t, "empty", nil)
	if err := r.world.Delete(context.Background(), world.Plainly(admin("delete", 1))); err != nil {
		t.Fatal(err)
	}
	for name, err := range map[string]error{
		"request": second(r.world.Do(context.Background(), request("GET", "/v1/customers", "", ""))),
		"view":    second(r.world.View(context.Background())),
		"reset":   r.world.Reset(context.Background(), world.Plainly(admin("reset", 1))),
		"delete":  r.world.Delete(context.Background(), world.Plainly(admin("delete", 1))),
		"entries": r.world.Entries(context.Background(), 1, 0, nil),
	} {
		if !errors.Is(err, world.ErrGone) {
			t.Errorf("%s on a deleted world: %v", name, err)
		}
	}
	if r.host.Worlds() != 0 {
		t.Errorf("the host knows %d worlds", r.host.Worlds())
	}
	if err := r.host.Create(1, admin("create", 1)); err != nil {
		t.Errorf("the number of a deleted world: %v", err)
	}
	other := r.attach(1)
	other.Rules = twin.Rules + 1
	if _, err := other.View(context.Background()); !errors.Is(err, world.ErrRules) {
		t.Errorf("other rules: %v", err)
	}
	if _, err := r.attach(7).View(context.Background()); !errors.Is(err, store.ErrWorld) {
		t.Errorf("a world that is not in the journal: %v", err)
	}
}

func second[T any](_ T, err error) error { return err }
