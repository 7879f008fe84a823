package admin

import (
	"bufio"
	"errors"
	"net/http"

	"worlds/journal"
	"worlds/journal/canon"
	"worlds/projection"
	"worlds/twin/world"
)

// position is where a diff begins or ends.
type position struct {
	seq  journal.Seq
	mark string
}

// position reads a mark's name or a sequence number.
func (c *call) position(v *world.View, param string) (position, error) {
	return positionOf(v, c.r.URL.Query().Get(param), "?"+param)
}

// positionOf reads a mark's name or a sequence number, with or without #; where is
// the place to blame.
func positionOf(v *world.View, text, where string) (position, error) {
	seq, mark, err := v.Position(text)
	switch {
	case errors.Is(err, world.ErrNoSuchSeq):
		return position{}, problem(http.StatusNotFound, "no-such-entry", "the world has no entry %s; the last is %d", text, v.Seq).at(where)
	case err != nil:
		return position{}, problem(http.StatusNotFound, "no-such-mark", "there is no mark %q", text).at(where)
	}
	return position{seq: seq, mark: mark}, nil
}

// positionIn reads the position that a body names: a mark, or the number of an entry
// as a number or as text; the present when it names none.
func positionIn(v *world.View, raw canon.Raw, where string) (position, error) {
	text, ok := canon.Unquote(raw)
	switch {
	case len(raw) == 0:
		return position{seq: v.Seq}, nil
	case ok:
	case raw[0] >= '0' && raw[0] <= '9':
		text = string(raw)
	default:
		return position{}, problem(http.StatusBadRequest, "invalid-position", "a position is a mark or the number of an entry").at(where)
	}
	return positionOf(v, text, where)
}

// diffWorld answers what changed from one position to another, the present by
// default. It is streamed: a diff may be as large as the two states.
func diffWorld(c *call) error {
	v, err := c.world.View(c.r.Context())
	if err != nil {
		return err
	}
	if c.r.URL.Query().Get("from") == "" {
		return problem(http.StatusBadRequest, "missing-parameter", "a diff needs from: a mark or a sequence number").at("?from")
	}
	from, err := c.position(&v, "from")
	if err != nil {
		return err
	}
	to, after := position{seq: v.Seq}, v.State
	if c.r.URL.Query().Has("to") {
		if to, err = c.position(&v, "to"); err != nil {
			return err
		}
		if after, err = c.world.At(c.r.Context(), v, to.seq); err != nil {
			return err
		}
	}
	if from.seq > to.seq {
		return problem(http.StatusBadRequest, "invalid-parameter", "from (%d) lies after to (%d)", from.seq, to.seq).at("?from")
	}
	before, err := c.world.At(c.r.Context(), v, from.seq)
	if err != nil {
		return err
	}
	head := appendPosition([]byte(`{"from":`), from)
	head = append(appendPosition(append(head, `,"to":`...), to), ',')
	d := projection.Compare(before, after)
	c.serve()
	c.w.Header().Set("Content-Type", "application/json")
	w := bufio.NewWriter(c.w)
	_, _ = w.Write(head)
	_ = d.WriteMembers(w)
	_, _ = w.WriteString("}\n")
	_ = w.Flush() // an error is the reader's going away
	return nil
}

func appendPosition(dst []byte, p position) []byte {
	dst = append(dst, '{')
	if p.mark != "" {
		dst = append(canon.AppendString(append(dst, `"mark":`...), p.mark), ',')
	}
	return append(canon.AppendInt(append(dst, `"seq":`...), int64(p.seq)), '}')
}
