package sim

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"worlds/testscripts"
)

// condition says whether something holds, and how it is.
type condition func(p *play, args []string) (ok bool, is string, err error)

func conditions() map[string]condition {
	return map[string]condition{
		"delivered": condDelivered,
		"done":      condDone,
		"equal":     condEqual,
		"held":      condHeld,
		"json":      condJSON,
		"order":     condOrder,
		"rejected":  condRejected,
		"row":       condRow,
		"status":    condStatus,
	}
}

// orderCheck notes whether a condition holds. One that does not makes the scenario
// red, and the script goes on.
func orderCheck(p *play, _ *testscript.TestScript, args []string) error {
	if len(args) < 2 {
		return usage("check NAME [not] CONDITION…")
	}
	name, words, want := args[0], args[1:], true
	if words[0] == "not" {
		want, words = false, words[1:]
	}
	if len(words) == 0 || conditions()[words[0]] == nil {
		return fmt.Errorf("there is no condition %q; there are delivered, done, equal, held, json, order, rejected, row, status", words)
	}
	ok, is, err := conditions()[words[0]](p, words[1:])
	if err != nil {
		return err
	}
	if ok == want {
		p.line(Line{Kind: KindOK, Text: name}, nil)
		return nil
	}
	if is != "" {
		name += " (" + is + ")"
	}
	p.line(Line{Kind: KindFail, Text: name}, nil)
	p.problem("check: %s", p.trace[len(p.trace)-1].Text)
	return nil
}

func condHeld(p *play, args []string) (bool, string, error) {
	if len(args) != 1 {
		return false, "", usage("held WRITER")
	}
	return p.heldBy(args[0]) != nil, "", nil
}

func condDone(p *play, args []string) (bool, string, error) {
	if len(args) != 1 {
		return false, "", usage("done WRITER")
	}
	it := p.sched.last(args[0])
	if it == nil {
		return false, "it has done nothing", nil
	}
	return it.state == done, it.standing().State, nil
}

func condStatus(p *play, args []string) (bool, string, error) {
	if len(args) != 1 {
		return false, "", usage("status CODE")
	}
	is := strconv.Itoa(p.rig.Last().Status)
	return is == args[0], is, nil
}

func condJSON(p *play, args []string) (bool, string, error) {
	if len(args) < 1 || len(args) > 2 {
		return false, "", usage("json PATH [VALUE]")
	}
	last := p.rig.Last()
	ok, is := last.Holds(args[0], args[1:]...)
	return ok, is, nil
}

func condEqual(_ *play, args []string) (bool, string, error) {
	if len(args) != 2 {
		return false, "", usage("equal A B")
	}
	return args[0] == args[1], args[0] + ", " + args[1], nil
}

func condRejected(p *play, args []string) (bool, string, error) {
	if len(args) != 1 {
		return false, "", usage("rejected N")
	}
	is := strconv.Itoa(len(p.result.Rejections))
	return is == args[0], is, nil
}

// condRow reads a row as it is stored.
func condRow(p *play, args []string) (bool, string, error) {
	if len(args) < 3 || len(args) > 4 {
		return false, "", usage("row TABLE ID PATH [VALUE]")
	}
	v, err := p.rig.World().View(p.script.context())
	if err != nil {
		return false, "", err
	}
	row := v.State.Get(args[0], args[1])
	if row == nil {
		return false, "there is no such row", nil
	}
	a := testscripts.Answer{Body: row.Body}
	ok, is := a.Holds(args[2], args[3:]...)
	return ok, is, nil
}

// condDelivered counts the deliveries of a type of event that were settled well.
func condDelivered(p *play, args []string) (bool, string, error) {
	if len(args) != 2 {
		return false, "", usage("delivered TYPE N")
	}
	v, err := p.rig.World().View(p.script.context())
	if err != nil {
		return false, "", err
	}
	n := 0
	for d := range v.State.OldestDeliveries(0) {
		if e := v.State.EventByID(d.Event); e != nil && e.Type == args[0] && d.Status == "delivered" {
			n++
		}
	}
	return strconv.Itoa(n) == args[1], strconv.Itoa(n), nil
}

// condOrder compares positions: a number with or without #, or the first entry of
// an operation or a type of event. "<" or "before" stands between them.
func condOrder(p *play, args []string) (bool, string, error) {
	var at []int64
	var shown []string
	for i, word := range args {
		if i%2 == 1 {
			if word != "<" && word != "before" {
				return false, "", usage("order X < Y …")
			}
			continue
		}
		n, err := p.position(word)
		if err != nil {
			return false, "", err
		}
		if n == 0 {
			return false, word + " has not happened", nil
		}
		at, shown = append(at, n), append(shown, fmt.Sprintf("#%d", n))
	}
	if len(at) < 2 {
		return false, "", usage("order X < Y …")
	}
	return slices.IsSortedFunc(at, func(a, b int64) int {
		if a == b {
			return 1
		}
		return int(a - b)
	}), strings.Join(shown, " "), nil
}

// position is the number of an entry that a word names, 0 if there is none yet.
func (p *play) position(word string) (int64, error) {
	if n, err := strconv.ParseInt(strings.TrimPrefix(word, "#"), 10, 64); err == nil {
		return n, nil
	}
	word = strings.TrimPrefix(word, "evt:")
	if p.rig.World() == nil {
		return 0, errors.New("there is no world")
	}
	for _, c := range p.sched.place(p.rig.World()).changes {
		if slices.ContainsFunc(c.types, func(t string) bool { return t == word || strings.HasPrefix(t, word+" ") }) {
			return c.seq, nil
		}
	}
	return 0, nil
}
