package sim

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"worlds/journal/canon"
	"worlds/testscripts"
	"worlds/twin/world"
)

// order is a command of the script that can fail: with "!" it must.
type order func(p *play, ts *testscript.TestScript, args []string) error

// commands are those of a simulation; doc.go describes them in the same order.
func (p *play) commands() map[string]testscripts.Command {
	out := map[string]testscripts.Command{}
	all := orders()
	maps.Copy(all, p.opt.orders)
	for name, do := range all {
		out[name] = func(r *testscripts.Rig, ts *testscript.TestScript, neg bool, args []string) {
			p.rig = r
			err := do(p, ts, args)
			switch {
			case err == nil && neg:
				ts.Fatalf("%s %s: it was not refused", name, strings.Join(args, " "))
			case err != nil && !neg:
				ts.Fatalf("%v", err)
			case err != nil:
				fmt.Fprintln(ts.Stderr(), err)
			}
		}
	}
	for _, writer := range p.sc.writers {
		out[writer] = func(r *testscripts.Rig, ts *testscript.TestScript, neg bool, args []string) {
			p.rig = r
			if neg {
				ts.Fatalf("a request of %s is only enqueued here: see what came of it behind answer", writer)
			}
			_, err := p.request(writer, args)
			ts.Check(err)
		}
	}
	out["world"] = func(r *testscripts.Rig, ts *testscript.TestScript, neg bool, args []string) {
		p.rig = r
		r.Run(ts, neg, append([]string{"world"}, args...))
		if w := r.World(); w != nil {
			p.sched.place(w)
			p.nameWorlds()
		}
	}
	out["hook"] = func(r *testscripts.Rig, ts *testscript.TestScript, neg bool, args []string) {
		if len(args) > 0 && args[0] == "start" {
			if i := slices.Index(args, "-manual"); i >= 0 {
				args = slices.Delete(slices.Clone(args), i, i+1)
			} else {
				args = append([]string{"start", "-auto"}, args[1:]...)
			}
			args = append(args, "-logical")
		}
		r.Run(ts, neg, append([]string{"hook"}, args...))
		p.sched.progress++
	}
	return out
}

func orders() map[string]order {
	return map[string]order{
		adminWriter:       orderAdmin,
		"answer":          orderAnswer,
		"arm":             orderArm,
		"await":           orderAwait,
		"begin-delivery":  orderBeginDelivery,
		"begin-op":        orderBeginOp,
		"budget":          orderBudget,
		"bug":             orderBug,
		"check":           orderCheck,
		"commit-delivery": orderCommitDelivery,
		"commit-op":       orderRelease,
		"deliver":         orderDeliver,
		"during":          orderDuring,
		"end":             orderEnd,
		"expect":          orderExpect,
		"expire-drain":    orderExpireDrain,
		"fence":           orderFence,
		"fire":            orderFire,
		"history":         orderHistory,
		"hold":            orderHold,
		"inject":          orderInject,
		"note":            orderNote,
		"park":            orderPark,
		"release":         orderRelease,
		"run":             orderRun,
		"select":          orderSelect,
		"settle":          orderSettle,
		"snapshot":        orderSnapshot,
		"stream":          orderStream,
		"streamed":        orderStreamed,
		"trace":           orderTrace,
		"until":           orderUntil,
		"withhold":        orderWithhold,
		"writers":         orderWriters,
	}
}

func usage(text string) error { return errors.New("usage: " + text) }

// request enqueues a request of an agent.
func (p *play) request(writer string, args []string) (*item, error) {
	if len(args) == 0 || args[0] != "stripe" && args[0] != "zendesk" {
		return nil, usage(writer + " stripe|zendesk …")
	}
	w := p.rig.World()
	if w == nil {
		return nil, errors.New("there is no world; begin with: world new SEED")
	}
	label := keyLabel(writer)
	if args[0] == "stripe" && !p.rig.HasKey(label) {
		if err := p.rig.AddKey(label); err != nil {
			return nil, err
		}
	}
	c, err := p.rig.Desk(args[1:])
	if args[0] == "stripe" {
		c, err = p.rig.Stripe(label, args[1:])
	}
	if err != nil {
		return nil, err
	}
	return p.send(writer, c, true), nil
}

// send enqueues a call.
func (p *play) send(writer string, c testscripts.Call, agent bool) *item {
	w, rig := p.rig.World(), p.rig
	return p.sched.enqueue(&item{writer: writer, title: c.Method + " " + shortPath(c.Path), world: w, due: p.sched.place(w).now, agent: agent,
		run: func(ctx context.Context) (testscripts.Answer, error) { return rig.Send(ctx, c) }})
}

// shortPath leaves out which world a path of the operator's is on, which differs
// from run to run, and what a query asks for.
func shortPath(path string) string {
	path, _, _ = strings.Cut(path, "?")
	if rest, ok := strings.CutPrefix(path, "/admin/worlds/"); ok {
		_, rest, _ = strings.Cut(rest, "/")
		return "/" + rest
	}
	return path
}

func orderAdmin(p *play, _ *testscript.TestScript, args []string) error {
	if p.rig.World() == nil {
		return errors.New("there is no world; begin with: world new SEED")
	}
	writer, method, path, body, fork := adminWriter, "POST", "", "", ""
	switch {
	case len(args) == 1 && args[0] == "reset":
		path = "/reset"
	case len(args) == 2 && args[0] == "clock":
		text, err := testscripts.AdvanceBody(args[1])
		if err != nil {
			return err
		}
		writer, path, body = clockWriter, "/clock/advance", text
	case len(args) == 2 && args[0] == "fork":
		path, body, fork = "/fork", "{}", args[1] // the server may have one of that name
	case len(args) == 2 && args[0] == "mark":
		path, body = "/marks", `{"name":`+string(canon.AppendString(nil, args[1]))+`}`
	case len(args) == 1 && args[0] == "flush":
		path = "/webhooks/flush"
	case len(args) == 1 && args[0] == "quiesce":
		path = "/quiesce"
	case len(args) == 2 && args[0] == "resend":
		path, body = "/webhooks/resend", `{"event":`+string(canon.AppendString(nil, args[1]))+`}`
	case (len(args) == 2 || len(args) == 3) && strings.HasPrefix(args[1], "/"):
		method, path = args[0], args[1]
		if len(args) == 3 {
			body = args[2]
		}
	default:
		return usage("admin reset|clock +N|mark NAME|fork NAME|flush|quiesce|resend EVENT|METHOD PATH [JSON]")
	}
	p.send(writer, p.rig.Operator(method, path, body), false).fork = fork
	return nil
}

func orderAnswer(p *play, ts *testscript.TestScript, args []string) error {
	if len(args) != 1 {
		return usage("answer WRITER")
	}
	it, err := p.sched.answer(args[0])
	if err != nil {
		return err
	}
	if it.err != nil {
		return fmt.Errorf("%s got no answer: %s", it.writer, errText(it.err))
	}
	p.rig.SetLast(it.answer)
	fmt.Fprintf(ts.Stdout(), "%s\n", canon.AppendPretty(nil, it.answer.Body, "id", "object"))
	return nil
}

// watchFor reads WRITER POINT [OP] [FIELD=VALUE…].
func watchFor(args []string) (*watch, error) {
	if len(args) < 2 || !isWriter(args[0]) {
		return nil, usage("arm|hold WRITER POINT [OP] [FIELD=VALUE…]; a writer is key:LABEL, admin, deliverer, clock, any-agent or any")
	}
	w := &watch{handle: args[0], holds: true, point: world.Point(args[1])}
	return w, w.parse(args[2:])
}

func orderArm(p *play, _ *testscript.TestScript, args []string) error {
	w, err := watchFor(args)
	if err != nil {
		return err
	}
	return p.arm(w)
}

func orderAwait(p *play, _ *testscript.TestScript, args []string) error {
	if len(args) != 1 {
		return usage("await NAME")
	}
	w := p.watchOf(args[0])
	if w == nil {
		return fmt.Errorf("nothing is armed for %s", args[0])
	}
	return p.await(w)
}

func orderHold(p *play, _ *testscript.TestScript, args []string) error {
	w, err := watchFor(args)
	if err == nil {
		err = p.arm(w)
	}
	if err != nil {
		return err
	}
	return p.await(w)
}

func orderPark(p *play, _ *testscript.TestScript, args []string) error {
	w := &watch{holds: true, label: "park"}
	if err := w.parse(args); err != nil {
		return err
	}
	return p.arm(w)
}

func orderUntil(p *play, _ *testscript.TestScript, args []string) error {
	w := &watch{label: "until"}
	if err := w.parse(args); err != nil {
		return err
	}
	if err := p.arm(w); err != nil {
		return err
	}
	return p.await(w)
}

func orderDuring(p *play, _ *testscript.TestScript, args []string) error {
	w := &watch{holds: true, label: "during"}
	if err := w.parse(args); err != nil {
		return err
	}
	if err := p.arm(w); err != nil {
		return err
	}
	if err := p.await(w); err != nil {
		return err
	}
	p.during = append(p.during, w.hit)
	return nil
}

func orderEnd(p *play, _ *testscript.TestScript, args []string) error {
	if len(args) != 0 || len(p.during) == 0 {
		return usage("end, behind a during")
	}
	it := p.during[len(p.during)-1]
	p.during = p.during[:len(p.during)-1]
	return p.let(it)
}

// let lets a held item go on until it stands still.
func (p *play) let(it *item) error {
	if it.hold == nil {
		return nil
	}
	p.watches = slices.DeleteFunc(p.watches, func(w *watch) bool { return w == it.hold })
	p.sched.unhold(it)
	return p.sched.runOut(it)
}

// orderRelease is idempotent: who is not held, or has ended, needs nothing.
func orderRelease(p *play, _ *testscript.TestScript, args []string) error {
	if len(args) != 1 {
		return usage("release NAME")
	}
	it := p.heldBy(args[0])
	if it == nil {
		if w := p.watchOf(args[0]); w == nil && !isWriter(args[0]) {
			return fmt.Errorf("nobody is held as %s", args[0])
		}
		return nil
	}
	return p.let(it)
}

func orderBeginOp(p *play, _ *testscript.TestScript, args []string) error {
	if len(args) < 2 || !strings.HasPrefix(args[0], keyPrefix) {
		return usage("begin-op key:LABEL stripe|zendesk …")
	}
	if _, err := p.request(args[0], args[1:]); err != nil {
		return err
	}
	w := &watch{handle: args[0], holds: true, point: world.Produced}
	if err := p.arm(w); err != nil {
		return err
	}
	return p.await(w)
}

// attempts takes the attempts that are next until it comes to that of an event (its
// id or type), or to the first; that one is what it returns, untouched.
func (p *play) attempts(args []string) (*item, error) {
	for {
		it := p.nextAttempt()
		switch {
		case it == nil && len(args) == 0:
			return nil, errors.New("no delivery is due")
		case it == nil:
			return nil, fmt.Errorf("no delivery of %s is due", args[0])
		case len(args) == 0, p.isAbout(it, args[0]):
			return it, nil
		}
		if err := p.sched.runOut(it); err != nil {
			return nil, err
		}
		if it.state != done {
			return nil, fmt.Errorf("%s, and stands in the way", it.standing())
		}
	}
}

func (p *play) nextAttempt() *item {
	p.sched.lookForDeliveries()
	for _, it := range p.sched.runnable() {
		if it.row > 0 && it.state == queued {
			return it
		}
	}
	return nil
}

func (p *play) isAbout(it *item, event string) bool {
	return slices.Contains(strings.Fields(it.title), p.sched.place(it.world).names.text(event))
}

func orderDeliver(p *play, _ *testscript.TestScript, args []string) error {
	it, err := p.attempts(args)
	if err != nil {
		return err
	}
	return p.sched.runOut(it)
}

func orderBeginDelivery(p *play, _ *testscript.TestScript, args []string) error {
	it, err := p.attempts(args)
	if err != nil {
		return err
	}
	w := &watch{handle: it.writer, label: "delivery", holds: true, point: world.Answered}
	p.watermark(it.writer)
	if err := p.arm(w); err != nil {
		return err
	}
	return p.sched.runOut(it)
}

func orderCommitDelivery(p *play, _ *testscript.TestScript, args []string) error {
	for _, it := range p.sched.items {
		if it.hold == nil || it.row == 0 {
			continue
		}
		if len(args) == 0 || p.isAbout(it, args[0]) {
			return p.let(it)
		}
	}
	return errors.New("no delivery has begun")
}

func orderFire(p *play, ts *testscript.TestScript, args []string) error {
	switch {
	case len(args) >= 1 && args[0] == "delivery":
		return orderDeliver(p, ts, args[1:])
	case len(args) == 1 && args[0] == clockWriter:
		it, err := p.clockToNext()
		if err != nil {
			return err
		}
		return p.sched.runOut(it)
	case len(args) == 1:
		for _, it := range p.sched.runnable() {
			if answersTo(it.writer, args[0]) {
				return p.sched.runOut(it)
			}
		}
		return fmt.Errorf("%s has no item to fire", args[0])
	}
	return usage("fire delivery [EVENT] | clock | WRITER")
}

// clockToNext enqueues an advance to what is due next in the present world.
func (p *play) clockToNext() (*item, error) {
	pl := p.sched.place(p.rig.World())
	v, err := pl.world.View(p.script.context())
	if err != nil {
		return nil, err
	}
	next := int64(0)
	if due, ok := v.State.NextDue(1 << 52); ok {
		next = due.At
	}
	for _, d := range p.sched.dues(pl) {
		if d.At > pl.now && (next == 0 || d.At < next) {
			next = d.At
		}
	}
	if next == 0 {
		return nil, errors.New("nothing is due, now or later")
	}
	return p.advanceTo(next), nil
}

func (p *play) advanceTo(at int64) *item {
	body, _ := testscripts.AdvanceBody(strconv.FormatInt(at, 10))
	return p.send(clockWriter, p.rig.Operator("POST", "/clock/advance", body), false)
}

// orderRun takes items until there are none, moving the clock from retry to retry.
func orderRun(p *play, _ *testscript.TestScript, args []string) error {
	if len(args) != 0 {
		return usage("run")
	}
	for {
		if err := p.sched.settle(); err != nil {
			return err
		}
		pl := p.sched.place(p.rig.World())
		next := int64(0)
		for _, d := range p.sched.dues(pl) {
			if d.At > pl.now && (next == 0 || d.At < next) {
				next = d.At
			}
		}
		if next == 0 {
			return nil
		}
		if span := time.Duration(next-pl.epoch) * time.Second; span > p.limits.Logical {
			return p.sched.stop(&BudgetError{Budget: "max-logical", Limit: p.limits.Logical.String()})
		}
		it := p.advanceTo(next)
		if err := p.sched.runOut(it); err != nil {
			return err
		}
		if it.state != done || it.answer.Status >= firstRefusal {
			return fmt.Errorf("the clock does not move: %s", it.standing())
		}
	}
}

func orderSettle(p *play, _ *testscript.TestScript, args []string) error {
	if len(args) != 0 {
		return usage("settle")
	}
	return p.sched.settle()
}

func orderSelect(p *play, _ *testscript.TestScript, args []string) error {
	if len(args) == 0 {
		return usage("select WRITER…")
	}
	p.sched.selects = append(p.sched.selects, args...)
	return nil
}

func orderExpireDrain(p *play, _ *testscript.TestScript, args []string) error {
	if len(args) != 0 {
		return usage("expire-drain")
	}
	p.loseClaims()
	return nil
}

func orderFence(p *play, _ *testscript.TestScript, args []string) error {
	mode := fenceOn
	if len(args) == 1 {
		mode = args[0]
	}
	if len(args) > 1 || mode != fenceOn && mode != fenceCount && mode != "off" {
		return usage("fence [on|off|count]")
	}
	if mode == "off" {
		mode = ""
	}
	if p.opt.Fence == nil {
		p.fence = mode
	}
	if mode != "" {
		p.result.Conditions = append(p.result.Conditions, "fence="+mode)
	}
	return nil
}

func orderWithhold(p *play, _ *testscript.TestScript, args []string) error {
	if len(args) == 0 || args[0] != "next" {
		return usage("withhold next reads=N [writer=WRITER]")
	}
	h := &withholding{left: 1, writer: anyWriter}
	for _, word := range args[1:] {
		name, value, _ := strings.Cut(word, "=")
		n, err := strconv.Atoi(value)
		switch {
		case name == "reads" && err == nil && n > 0:
			h.left = n
		case name == "writer" && isWriter(value):
			h.writer = value
		default:
			return usage("withhold next reads=N [writer=WRITER]")
		}
	}
	p.hidden = h
	p.result.Conditions = append(p.result.Conditions, "withhold")
	return nil
}

func orderNote(p *play, _ *testscript.TestScript, args []string) error {
	p.line(Line{Kind: KindNote, Text: strings.Join(args, " ")}, nil)
	return nil
}

func orderBug(p *play, _ *testscript.TestScript, args []string) error {
	p.result.Bug = strings.Join(args, " ")
	return nil
}

func orderBudget(p *play, _ *testscript.TestScript, args []string) error {
	for _, word := range args {
		name, value, _ := strings.Cut(word, "=")
		var l Limits
		var err error
		switch name {
		case "max-hold":
			l.Hold, err = time.ParseDuration(value)
		case "max-deliveries":
			l.Deliveries, err = strconv.Atoi(value)
		case "max-logical":
			l.Logical, err = time.ParseDuration(value)
		case "max-wall":
			l.Wall, err = time.ParseDuration(value)
		default:
			err = fmt.Errorf("there is no budget %q; there are max-hold, max-deliveries, max-logical, max-wall", name)
		}
		if err != nil {
			return err
		}
		p.limits.fill(l)
	}
	return nil
}

func orderExpect(p *play, _ *testscript.TestScript, args []string) error {
	if len(args) != 2 {
		return usage("expect outcome WORD | dump-hash HASH | rejections N")
	}
	switch args[0] {
	case "outcome":
		if !slices.Contains([]string{Settled, Stalled, Exceeded, Failed}, args[1]) {
			return fmt.Errorf("there is no outcome %q; there are %s, %s, %s, %s", args[1], Settled, Stalled, Exceeded, Failed)
		}
		p.expected = args[1]
	case "dump-hash":
		p.hashes = append(p.hashes, args[1])
	case "rejections":
		if err := p.sched.settle(); err != nil {
			return err
		}
		if got := strconv.Itoa(len(p.result.Rejections)); got != args[1] {
			return fmt.Errorf("there are %s rejections, not %s: %+v", got, args[1], p.result.Rejections)
		}
	default:
		return fmt.Errorf("nothing called %q can be expected; there are outcome, dump-hash, rejections", args[0])
	}
	return nil
}

func orderTrace(p *play, ts *testscript.TestScript, args []string) error {
	if len(args) != 0 {
		return usage("trace")
	}
	fmt.Fprint(ts.Stdout(), renderTrace(withoutAttempts(p.trace), false))
	return nil
}

func orderWriters(p *play, ts *testscript.TestScript, args []string) error {
	out := ts.Stdout()
	for _, w := range p.writers {
		fmt.Fprintln(out, w)
	}
	return nil
}

func orderHistory(p *play, ts *testscript.TestScript, args []string) error {
	out := ts.Stdout()
	for i := range p.history {
		e := &p.history[i]
		if len(args) == 1 && !answersTo(e.writer, args[0]) {
			continue
		}
		seq := ""
		if e.seq > 0 {
			seq = fmt.Sprintf(" #%d", e.seq)
		}
		fmt.Fprintf(out, "%d %s %s %s%s\n", e.ordinal, e.writer, e.at.Point, p.sched.place(e.at.World).names.text(e.title), seq)
	}
	return nil
}

// snapshot is where everything stands.
type snapshot struct {
	Clock      string      `json:"clock"`
	Head       int64       `json:"head"`
	Standings  []Standing  `json:"standings"`
	Pending    []string    `json:"pending"`
	Rejections []Rejection `json:"rejections"`
	Events     int         `json:"events"`
	Deliveries int         `json:"deliveries"`
}

func orderSnapshot(p *play, ts *testscript.TestScript, args []string) error {
	if len(args) != 0 || p.rig.World() == nil {
		return usage("snapshot, when there is a world")
	}
	pl := p.sched.place(p.rig.World())
	s := snapshot{Clock: offset((pl.now - pl.epoch) * secondMS), Head: pl.head, Standings: p.sched.standings(), Rejections: p.result.Rejections,
		Events: pl.events, Deliveries: p.sched.attempts}
	if p.sched.inside(pl.world) == nil {
		p.sched.lookForDeliveries()
		for _, d := range p.sched.dues(pl) {
			s.Pending = append(s.Pending, fmt.Sprintf("%s %s to %s", pl.names.text(d.Event), d.Type, pl.names.text(d.Endpoint)))
		}
	}
	text, err := json.MarshalIndent(&s, "", "  ")
	fmt.Fprintf(ts.Stdout(), "%s\n", text)
	return err
}
