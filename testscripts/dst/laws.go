package dst

import (
	"bytes"
	"net/http"
	"strconv"
	"strings"

	"worlds/admin"
	"worlds/journal"
	"worlds/journal/canon"
	"worlds/projection"
	"worlds/seed"
	"worlds/twin"
	"worlds/twin/world"
)

// laws are what must be true of a world and another that was made from it by a
// different way. They cost as much as the run itself, so each run tries one on each
// world, by its seed. The last one resets the world.
func (r *run) laws() *Failure {
	draw := r.rand.Fork("laws")
	laws := [...]func(*space) *Failure{
		r.alone, r.fresh,
		func(s *space) *Failure { return r.twoAdvances(s, draw) },
		func(s *space) *Failure { return r.forked(s, draw) },
	}
	turn := draw.N(len(laws))
	for i, s := range r.spaces {
		if f := laws[(turn+i)%len(laws)](s); f != nil {
			return f
		}
	}
	return nil
}

// other is a world that a law made for itself.
type other struct {
	info  *admin.CreatedWorld
	world *world.World
}

func (r *run) adopt(info *admin.CreatedWorld) (other, *Failure) {
	o, ok := r.engine.admin.Resolve(apiStripe, info.Keys[0].Secret)
	if !ok {
		return other{}, failed("harness.world", "the world that was made is not there")
	}
	return other{info, o.World}, nil
}

// remove deletes a world that a law made.
func (r *run) remove(o other) *Failure {
	answer := r.engine.call(request{method: http.MethodDelete, path: "/admin/worlds/" + o.info.ID,
		header: http.Header{"Authorization": {"Bearer " + o.info.AdminToken}}})
	if answer.status != http.StatusNoContent {
		return failed("admin.delete", "%d %s", answer.status, answer.body)
	}
	return nil
}

// reexport makes a world of an exported seed and exports it again.
func (r *run) reexport(s *space, doc canon.Raw) (canon.Raw, *Failure) {
	parsed, err := seed.Parse(doc)
	if err != nil {
		return nil, failed("export.refused", "the exported seed is refused: %v: %s", err, doc)
	}
	info, err := r.engine.admin.Create(parsed, admin.CreateOptions{})
	if err != nil {
		return nil, failed("export.refused", "no world can be made of the exported seed: %v", err)
	}
	o, f := r.adopt(info)
	if f != nil {
		return nil, f
	}
	answer := (&space{engine: s.engine, info: info}).get("/export-seed", nil, nil)
	canonical, err := canon.Canonicalize(answer.body)
	if answer.status != http.StatusOK || err != nil {
		return nil, failed("export.refused", "the second export: %d %s", answer.status, answer.body)
	}
	again, _ := canon.Get(canonical, "seed")
	return again, r.remove(o)
}

// alone: the world's own operations, executed by themselves in a world of their own
// and without those that only read, end in the same dump. Request ids count reads, so
// they are left out of the comparison.
func (r *run) alone(s *space) *Failure {
	entries, err := s.history()
	if err != nil {
		return failed("journal.history", "%v", err)
	}
	g, err := s.world.Genesis()
	if err != nil {
		return failed("journal.history", "%v", err)
	}
	m := g.Machine(s.engine.host.Catalogs())
	seq := uint64(0)
	for _, e := range entries {
		cmd, facts, err := commandOf(e)
		if err != nil {
			return failed("journal.history", "%v", err)
		}
		if cmd.Method == http.MethodGet && len(facts) == 1 {
			continue
		}
		seq++
		m.Execute(seq, cmd)
	}
	if want, got := bare(s.view.State), bare(m.State); want != got {
		return failed("observers.independent", "world %d: without its readers it ends in another dump: %s", s.index, firstDifference(want, got))
	}
	return nil
}

func commandOf(e *journal.Entry) (*twin.Command, []canon.Raw, error) {
	frame, err := journal.ParseBody(e.Body)
	if err != nil {
		return nil, nil, err
	}
	cmd := &twin.Command{}
	return cmd, frame.Facts, canon.Unmarshal(frame.Command, cmd)
}

// The beginnings of an id of a request, and of the marks in a dump.
const (
	requestID = "req_"
	markList  = `"marks":[`
)

// bare is a dump without what counts the reads: ids of requests and positions of marks.
func bare(st *projection.State) string {
	var b bytes.Buffer
	_ = st.WriteDump(&b) // a buffer takes everything
	var out strings.Builder
	out.Grow(b.Len())
	before, behind, _ := bytes.Cut(b.Bytes(), []byte(markList))
	_, behind, _ = bytes.Cut(behind, []byte{']'})
	withoutRequests(&out, before)
	withoutRequests(&out, behind)
	return out.String()
}

func withoutRequests(out *strings.Builder, text []byte) {
	for {
		before, behind, ok := bytes.Cut(text, []byte(requestID))
		out.Write(before)
		if !ok {
			return
		}
		out.WriteString(requestID)
		text = bytes.TrimLeftFunc(behind, letterOrDigit)
	}
}

func letterOrDigit(c rune) bool {
	return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
}

// around is how much of two texts is shown where they part.
const around = 200

func firstDifference(want, got string) string {
	n := 0
	for n < len(want) && n < len(got) && want[n] == got[n] {
		n++
	}
	from := max(0, n-around)
	return "…" + want[from:min(len(want), n+around)] + "… against …" + got[from:min(len(got), n+around)] + "…"
}

func containsMark(text []byte, mark string) bool { return bytes.Contains(text, []byte(mark)) }

// fork branches the world after an entry.
func (r *run) fork(s *space, at journal.Seq, key string) (other, *Failure) {
	body := `{"at":` + strconv.FormatUint(uint64(at), 10) + `,"key":"` + key + `"}`
	answer := s.engine.call(request{method: http.MethodPost, path: "/admin/worlds/" + s.info.ID + "/fork", body: body,
		header: http.Header{"Authorization": {"Bearer " + s.info.AdminToken}}})
	canonical, err := canon.Canonicalize(answer.body)
	info := &admin.CreatedWorld{}
	if err == nil {
		err = canon.Unmarshal(canonical, info)
	}
	if answer.status != http.StatusCreated || err != nil {
		return other{}, failed("fork.refused", "%d %s %v", answer.status, answer.body, err)
	}
	o, f := r.adopt(info)
	if f != nil {
		return o, f
	}
	// A fork has no endpoint of the operator's, and one that is not there delivers to
	// the agents' endpoints by itself.
	quiet := (&space{engine: s.engine, info: info}).send(&Op{API: apiAdmin, Method: http.MethodPut, Path: "/webhooks/endpoint", Body: `{"auto_deliver":false}`})
	if quiet.status != http.StatusOK {
		return o, failed("fork.endpoint", "%d %s", quiet.status, quiet.body)
	}
	return o, nil
}

// advanceFar is the furthest that a law moves the clock, in days.
const advanceFar = 14

// twoAdvances: two steps of the clock end where one of both ends.
func (r *run) twoAdvances(s *space, draw *Rand) *Failure {
	far := int64(1+draw.N(advanceFar)) * 86400
	near := 1 + int64(draw.N(int(far-1)))
	var dumps [2]string
	for i, steps := range [][]int64{{far}, {near, far - near}} {
		o, f := r.fork(s, s.view.Seq, "law-"+strconv.Itoa(i))
		if f != nil {
			return f
		}
		for _, step := range steps {
			if f := advance(&space{engine: s.engine, info: o.info}, step); f != nil {
				return f
			}
		}
		v, err := viewOf(o.world)
		if err != nil {
			return failed("worlds.view", "%v", err)
		}
		dumps[i] = bare(v.State)
		if f := r.remove(o); f != nil {
			return f
		}
	}
	if dumps[0] != dumps[1] {
		return failed("law.two-advances", "world %d: %d s, and %d s and %d s, end in different dumps: %s", s.index, far, near, far-near, firstDifference(dumps[0], dumps[1]))
	}
	return nil
}

// advance moves a clock on until nothing that is due is pending.
func advance(s *space, seconds int64) *Failure {
	for {
		answer := s.send(&Op{API: apiAdmin, Method: http.MethodPost, Path: "/clock/advance", Body: `{"seconds":` + strconv.FormatInt(seconds, 10) + `}`})
		if answer.status != http.StatusOK {
			return failed("clock.refused", "%d %s", answer.status, answer.body)
		}
		if member(answer.body, "renewals_pending") == "0" {
			return nil
		}
		seconds = 0
	}
}

// forked: a fork at an entry, and then the operations that came after it, end where
// the world itself is.
func (r *run) forked(s *space, draw *Rand) *Failure {
	at := journal.Seq(draw.N(int(s.view.Seq) + 1))
	if b := s.world.Base(); b != nil {
		at = max(at, b.Seq)
	}
	o, f := r.fork(s, at, "law-script")
	if f != nil {
		return f
	}
	entries, err := s.history()
	if err != nil {
		return failed("journal.history", "%v", err)
	}
	v, f := r.rerun(o.world, entries, at)
	if f != nil {
		return f
	}
	if world.DumpHash(v.State) != world.DumpHash(s.view.State) {
		return failed("law.fork-script", "world %d: forked at entry %d, and the rest executed again, it ends in another dump: %s", s.index, at, firstDifference(bare(s.view.State), bare(v.State)))
	}
	return r.remove(o)
}

// rerun executes the commands of the entries behind a position again.
func (r *run) rerun(w *world.World, entries []*journal.Entry, behind journal.Seq) (world.View, *Failure) {
	for _, e := range entries {
		if e.Seq <= behind {
			continue
		}
		cmd, _, err := commandOf(e)
		if err != nil {
			return world.View{}, failed("journal.history", "%v", err)
		}
		raw := string(e.Side)
		if raw != "" {
			cmd.Idem = ""
		}
		if _, err := w.Do(r.ctx, world.Request{Command: *cmd, IdemKey: raw, Recorded: true}); err != nil {
			return world.View{}, failed("law.rerun", "entry %d: %v", e.Seq, err)
		}
	}
	v, err := viewOf(w)
	if err != nil {
		return v, failed("worlds.view", "%v", err)
	}
	return v, nil
}

// fresh: after a reset, the same operations end in the same journal.
func (r *run) fresh(s *space) *Failure {
	entries, err := s.history()
	if err != nil {
		return failed("journal.history", "%v", err)
	}
	if err := s.engine.admin.Reset(r.ctx, s.info.ID); err != nil {
		return failed("admin.reset", "%v", err)
	}
	v, f := r.rerun(s.world, entries, 0)
	if f != nil {
		return f
	}
	if v.Hash != s.view.Hash {
		return failed("law.reset-script", "world %d: after a reset the same operations end in another journal: %s", s.index, firstDifference(bare(s.view.State), bare(v.State)))
	}
	return nil
}
