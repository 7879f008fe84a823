package sim

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"worlds/journal/canon"
	"worlds/journal/store"
	"worlds/twin/world"
)

// Kinds of lines.
const (
	KindEntry    = "entry"    // an entry of the journal
	KindChange   = "change"   // a change that no entry holds: a reset, a key
	KindRead     = "read"     // a read that no entry holds
	KindRefused  = "refused"  // a request that came to nothing
	KindHold     = "hold"     // >>
	KindRelease  = "release"  // <<
	KindDelivery = "delivery" // -- an attempt on its way
	KindLate     = "late"     // an answer written after that of a later entry
	KindNote     = "note"     // //
	KindWarning  = "warning"  // !!
	KindOK       = "ok"       // a check that holds
	KindFail     = "FAIL"     // one that does not
)

// Line is one line of a trace. Seq is the number of its entry, 0 for none; Offset is
// in milliseconds from where the world's clock began; a line with Indent came while
// somebody was held.
type Line struct {
	Seq    int64  `json:"seq,omitempty"`
	Offset int64  `json:"offset_ms"`
	World  string `json:"world,omitempty"` // when the scenario has several
	Writer string `json:"writer,omitempty"`
	Kind   string `json:"kind"`
	Text   string `json:"text"`
	Indent int    `json:"indent,omitempty"`
}

const secondMS = 1000

// line puts a line into the trace. w may be nil.
func (p *play) line(l Line, w *world.World) {
	if w == nil && p.rig != nil {
		w = p.rig.World()
	}
	if w != nil {
		pl := p.sched.place(w)
		l.Offset = (pl.now-pl.epoch)*secondMS + p.sched.millis
		if pl.name != p.firstWorld() {
			l.World = pl.name
		}
		l.Text = pl.names.text(l.Text)
	}
	for _, it := range p.sched.items {
		if it.hold != nil && it.writer != l.Writer && l.Kind != KindHold && l.Kind != KindRelease {
			l.Indent = 1
		}
	}
	p.trace = append(p.trace, l)
}

// withoutAttempts is a trace as scripts see it, whoever else is shown more.
func withoutAttempts(trace []Line) []Line {
	return slices.DeleteFunc(slices.Clone(trace), func(l Line) bool { return l.Kind == KindDelivery })
}

func (p *play) firstWorld() string {
	if len(p.sched.places) == 0 {
		return ""
	}
	return p.sched.places[0].name
}

func (p *play) warn(format string, args ...any) {
	p.line(Line{Kind: KindWarning, Text: fmt.Sprintf(format, args...)}, nil)
}

// shown is what an item does, as a trace shows it.
func (it *item) shown() string {
	return it.title
}

// attributed is who a passing is shown under.
func attributed(it *item, at *world.Passing) string {
	if it.writer != scriptWriter {
		return it.writer
	}
	if at.Command != nil {
		switch at.Command.Op {
		case "advance":
			return clockWriter
		case "deliver":
			return deliverWriter
		}
	}
	return scriptWriter
}

// passed takes down what a passing says. It runs in the script's goroutine.
func (p *play) passed(it *item, at *world.Passing) {
	pl := p.sched.place(at.World)
	p.nameWorlds()
	it.world = at.World
	p.oneLife(pl, it, at)
	switch at.Point {
	case world.Claimed:
		p.rows[at.Row.Number] = pl.names.text(at.Row.Event) + " " + at.Type
	case world.Sent:
		if p.opt.Verbose {
			p.line(Line{Writer: deliverWriter, Kind: KindDelivery, Text: "sent " + p.rows[at.Row.Number] + " to " + at.Row.Endpoint}, at.World)
		}
	case world.Answered:
		p.sched.attempts++
		if p.opt.Verbose {
			p.line(Line{Writer: deliverWriter, Kind: KindDelivery, Text: "answered " + p.rows[at.Row.Number] + " " + at.Outcome}, at.World)
		}
	case world.Decided:
		it.synced = p.synced()
	case world.Committed:
		p.durable(pl, it, at)
		p.committed(pl, it, at)
	case world.Served:
		p.served(pl, it, at)
	}
}

// synced is how often the journal has synced, 0 when there is none.
func (p *play) synced() int64 {
	if p.stage == nil {
		return 0
	}
	return p.stage.synced.Load()
}

// durable holds a change that has come to pass to being on the disk: since it was
// decided there must have been a sync. A relaxed journal syncs later.
func (p *play) durable(pl *place, it *item, at *world.Passing) {
	if p.opt.Durability == store.Sync && !p.opt.Memory && at.Answer != nil && at.Answer.Changed && at.Answer.Seq > 0 && p.synced() == it.synced {
		p.violate(pl.name, Violation{ID: LogDurable, Seq: int64(at.Answer.Seq), Detail: "nothing was synced between the decision and the answer"})
	}
}

// committed shows an operation that has come to pass.
func (p *play) committed(pl *place, it *item, at *world.Passing) {
	cmd, writer := at.Command, attributed(it, at)
	l := Line{Writer: writer, Kind: KindEntry, Text: opText(at, p.rows)}
	if at.Answer == nil {
		l.Kind = KindChange
		if cmd.Op == "reset" {
			pl.restart()
		}
		pl.gone = pl.gone || cmd.Op == "delete"
		p.line(l, at.World)
		return
	}
	l.Seq = int64(at.Answer.Seq)
	it.seq = l.Seq
	status := at.Answer.Status
	if cmd.API != "admin" || status >= firstRefusal {
		l.Text += " " + strconv.FormatInt(status, 10)
	}
	if status >= firstRefusal {
		code := codeOf(at.Answer.Body)
		l.Text = strings.TrimRight(l.Text+" "+code, " ")
		if it.writer == scriptWriter || it.row > 0 {
			p.reject(Rejection{Writer: writer, What: opText(at, p.rows), Status: status, Code: code, Seq: l.Seq})
		}
	}
	if l.Seq == 0 {
		l.Kind = KindRefused
		p.line(l, at.World)
		return
	}
	pl.head = l.Seq
	t := pl.take(l.Seq, at.Answer.Facts)
	p.changes(pl, it, writer, at, t)
	if at.Answer.Replayed != "" {
		l.Text += " (replayed)"
	}
	if at.Answer.Rule != "" {
		l.Text += " (by a rule)"
	}
	l.Text += listed(t.created) + listed(t.events)
	p.line(l, at.World)
}

// listedMax is how many names one list of a line shows.
const listedMax = 6

func listed(names []string) string {
	if len(names) == 0 {
		return ""
	}
	out := "  " + strings.Join(names[:min(len(names), listedMax)], " ")
	if more := len(names) - listedMax; more > 0 {
		out += fmt.Sprintf(" +%d", more)
	}
	return out
}

// served notes whose answer goes out when.
func (p *play) served(pl *place, it *item, at *world.Passing) {
	if at.Answer == nil || at.Answer.Seq == 0 {
		return
	}
	seq, writer := int64(at.Answer.Seq), attributed(it, at)
	if at.Command != nil && at.Command.Method == "GET" {
		p.seen[it.writer] = seq
	}
	if it.stale > 0 {
		p.line(Line{Writer: writer, Kind: KindRead, Text: fmt.Sprintf("%s %d  lagging read: cut at #%d, %d hidden",
			opText(at, p.rows), at.Answer.Status, it.stale-1, pl.head-it.stale+1)}, at.World)
		return
	}
	if at.Answer.Changed && (it.writer == scriptWriter || it.life == pl.life) {
		pl.answered = append(pl.answered, answered{at.Answer.Seq, writer + " " + opText(at, p.rows), joined(at.Answer.Facts)})
	}
	if seq < pl.served {
		p.line(Line{Writer: writer, Kind: KindLate, Text: fmt.Sprintf("answer to #%d, after that to #%d", seq, pl.served)}, at.World)
	}
	pl.served = max(pl.served, seq)
}

// opText words an operation.
func opText(at *world.Passing, rows map[int64]string) string {
	cmd := at.Command
	if cmd.Op == "" || cmd.Op == "delay" {
		return strings.TrimSpace(cmd.Op + " " + cmd.Method + " " + cmd.Path)
	}
	arg := func(name string) string {
		raw, _ := canon.Get(cmd.Args, name)
		if text, ok := canon.Unquote(raw); ok {
			return text
		}
		return string(raw)
	}
	switch cmd.Op {
	case "deliver":
		n, _ := strconv.ParseInt(arg("delivery"), 10, 64)
		return fmt.Sprintf("deliver %s attempt %s: %s", rows[n], arg("attempt"), arg("outcome"))
	case "advance":
		if by := arg("seconds"); by != "" {
			n, _ := strconv.ParseInt(by, 10, 64)
			return "advance " + offset(n*secondMS)
		}
		return "advance to " + arg("to")
	case "mark":
		return "mark " + arg("name")
	case "resend":
		return "resend " + arg("event")
	}
	return cmd.Op
}

// codeOf is the code of a refusal's body.
func codeOf(body canon.Raw) string {
	for _, path := range [][]string{{"error", "code"}, {"error", "type"}, {"error"}, {"code"}} {
		at := body
		for _, name := range path {
			at, _ = canon.Get(at, name)
		}
		if text, ok := canon.Unquote(at); ok {
			return text
		}
	}
	return ""
}

// offset words a span of milliseconds.
func offset(ms int64) string {
	for _, u := range []struct {
		ms   int64
		name string
	}{{86400 * secondMS, "d"}, {3600 * secondMS, "h"}, {60 * secondMS, "m"}} {
		if ms >= u.ms {
			return fmt.Sprintf("+%d.%d%s", ms/u.ms, ms%u.ms*10/u.ms, u.name)
		}
	}
	if ms%secondMS != 0 {
		return fmt.Sprintf("+%dms", ms)
	}
	return fmt.Sprintf("+%ds", ms/secondMS)
}
