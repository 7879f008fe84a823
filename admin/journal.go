package admin

import (
	"bufio"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strconv"

	"worlds/journal"
	"worlds/journal/canon"
	"worlds/twin/world"
)

func listJournal(c *call) error {
	after, limit, err := c.page()
	if err != nil {
		return err
	}
	v, err := c.view()
	if err != nil {
		return err
	}
	out := append([]byte(nil), `{"entries":[`...)
	first := true
	from := journal.Seq(after) + 1
	to := min(v.Seq, from+journal.Seq(limit)-1)
	if from <= to {
		err = c.world.EntriesOf(v, from, to, func(e *journal.Entry) error {
			if !first {
				out = append(out, ',')
			}
			first = false
			out = appendEntry(out, e)
			return nil
		})
	}
	if err != nil {
		return err
	}
	out = canon.AppendString(append(out, `],"head":{"hash":`...), v.Hash.String())
	out = canon.AppendInt(append(out, `,"seq":`...), int64(v.Seq))
	return c.raw(http.StatusOK, append(out, '}', '}'))
}

// appendEntry appends an entry as one line shows it, without the sidecar: raw
// idempotency keys are for the export only.
func appendEntry(dst []byte, e *journal.Entry) []byte {
	bare := *e
	bare.Side = nil
	dst = journal.AppendLine(dst, &bare)
	return dst[:len(dst)-1] // the line feed
}

func showEntry(c *call) error {
	n, err := strconv.ParseUint(c.path("seq"), 10, 53)
	if err != nil {
		return problem(http.StatusNotFound, "no-such-entry", "%q is not a sequence number", c.path("seq"))
	}
	if n == 0 {
		g, err := c.world.Genesis()
		if err != nil {
			return err
		}
		return c.raw(http.StatusOK, appendEntry(nil, &g.Entry))
	}
	var out []byte
	err = c.world.Entries(c.r.Context(), journal.Seq(n), journal.Seq(n), func(e *journal.Entry) error {
		out = appendEntry(nil, e)
		return nil
	})
	if err != nil {
		return err
	}
	if out == nil {
		return problem(http.StatusNotFound, "no-such-entry", "the world has no entry %d", n)
	}
	return c.raw(http.StatusOK, out)
}

// exportJournal streams the whole journal, the genesis first: what another server
// needs to prove the run.
func exportJournal(c *call) error {
	g, err := c.world.Genesis()
	if err != nil {
		return err
	}
	v, err := c.world.View(c.r.Context())
	if err != nil {
		return err
	}
	c.serve()
	h := c.w.Header()
	h.Set("Content-Type", jsonLines)
	h.Set("Worlds-Head", v.Hash.String())
	sent := &counted{w: c.w}
	w := bufio.NewWriterSize(sent, exportChunkBytes)
	buf := journal.AppendLine(nil, &g.Entry)
	if _, err = w.Write(buf); err == nil {
		err = c.world.History(v, func(e *journal.Entry) error {
			buf = journal.AppendLine(buf[:0], e)
			_, err := w.Write(buf)
			return err
		})
	}
	switch {
	case err == nil:
		_ = w.Flush() // a reader that has gone is no fault of ours
		return nil
	case sent.failed:
		return nil
	case sent.n == 0:
		h.Del("Worlds-Head")
		return err
	}
	level := slog.LevelError
	if errors.Is(err, world.ErrReset) || errors.Is(err, world.ErrGone) {
		level = slog.LevelInfo // who reset or deleted the world was quicker
	}
	c.s.opt.Logger.Log(c.r.Context(), level, "journal export cut short", "world", c.entry.id, "error", err)
	panic(http.ErrAbortHandler) // a cut connection, not an export that looks whole
}

// exportChunkBytes is how much of an export gathers before it is sent.
const exportChunkBytes = 64 << 10

// counted tells whether anything was sent, and whether the reader is gone.
type counted struct {
	w      io.Writer
	n      int
	failed bool
}

// Write implements io.Writer.
func (c *counted) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += n
	c.failed = c.failed || err != nil
	return n, err
}
