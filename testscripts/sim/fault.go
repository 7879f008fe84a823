package sim

import (
	"net/http"
	"strconv"
	"strings"

	"worlds/twin/world"
)

// withholding hides the next change from the next reads.
type withholding struct {
	writer string
	world  *world.World
	seq    int64 // of the hidden change, 0 until it has come
	left   int
}

// Fences.
const (
	fenceOn    = "on"
	fenceCount = "count"
)

// changes takes down what an entry changed.
func (p *play) changes(pl *place, it *item, writer string, at *world.Passing, t taken) {
	if !at.Answer.Changed {
		return
	}
	seq := int64(at.Answer.Seq)
	pl.changes = append(pl.changes, changeBy{seq: seq, writer: it.writer, types: append(t.events, it.title, opText(at, p.rows))})
	if h := p.hidden; h != nil && h.seq == 0 && at.Command.API != "admin" {
		h.seq, h.world = seq, at.World
		p.warn("%s's #%d is withheld from the next reads", writer, seq)
	}
}

// readStale lets a read be answered from before a change that is withheld.
func (p *play) readStale(it *item, req *http.Request) {
	h := p.hidden
	if h == nil || h.seq == 0 || h.left == 0 || !it.agent || req.Method != http.MethodGet || it.world != h.world || !answersTo(it.writer, h.writer) {
		return
	}
	h.left--
	it.stale = h.seq
	req.Header.Set("Worlds-At", strconv.FormatInt(h.seq-1, 10))
	if h.left == 0 {
		p.hidden = nil
	}
}

// fenced is the verdict of the fence over a write that is about to take its place.
func (p *play) fenced(it *item) error {
	if p.fence == "" || it.at.Command == nil || it.at.Command.Method == http.MethodGet {
		return nil
	}
	seen, read := p.seen[it.writer]
	if !read {
		return nil
	}
	if list := p.short[it.writer]; p.fence == fenceCount && list != "" {
		it.refused = &PreconditionFailedError{Writer: it.writer, Seen: seen, Short: list}
		return it.refused
	}
	pl := p.sched.place(it.at.World)
	for i := len(pl.changes) - 1; i >= 0 && pl.changes[i].seq > seen; i-- {
		if by := pl.changes[i]; by.writer != it.writer {
			it.refused = &PreconditionFailedError{Writer: it.writer, Seen: seen, Newest: by.seq, By: by.writer}
			return it.refused
		}
	}
	return nil
}

// readShort notes which list a writer has read only in part; reading it from the
// start, or to its end, makes that good.
func (p *play) readShort(it *item) {
	method, path := splitRoute(it.title)
	if method != http.MethodGet || it.answer.Status >= firstRefusal {
		return
	}
	list, _, _ := strings.Cut(path, "?")
	more, _ := it.answer.Holds(".has_more", "true")
	switch {
	case more:
		p.short[it.writer] = list
	case p.short[it.writer] == list:
		delete(p.short, it.writer)
	}
}
