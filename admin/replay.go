package admin

import (
	"errors"
	"net/http"

	"worlds/journal"
	"worlds/twin/world"
)

type replayRequest struct {
	Mode string `json:"mode,omitempty"`
	To   string `json:"to,omitempty"` // a mark or a number; the present by default
}

// LiveReport is a replay's report beside the live world it was held against.
type LiveReport struct {
	world.Report
	LiveHead     string `json:"live_head"`
	LiveDumpHash string `json:"live_dump_hash"`
}

func verifyWorld(c *call) error { return c.replay(world.Fold, "") }

func replayWorld(c *call) error {
	var req replayRequest
	if err := body(c, &req); err != nil {
		return err
	}
	switch world.Mode(req.Mode) {
	case "", world.Redecide:
		return c.replay(world.Redecide, req.To)
	case world.Fold:
		return c.replay(world.Fold, req.To)
	}
	return problem(http.StatusBadRequest, "invalid-mode", "mode is %q or %q", world.Fold, world.Redecide).at("$.mode")
}

// replay re-makes the world from its journal, up to a position if one is named, and
// compares it with the live one.
func (c *call) replay(mode world.Mode, to string) error {
	v, err := c.world.View(c.r.Context())
	if err != nil {
		return err
	}
	if to != "" {
		at, err := positionOf(&v, to, "$.to")
		if err != nil {
			return err
		}
		if v, err = c.world.ViewAt(c.r.Context(), v, at.seq); err != nil {
			return err
		}
	}
	g, err := c.world.Genesis()
	if err != nil {
		return err
	}
	var gone error
	report, _ := world.Replay(mode, g, c.entries(v, &gone), c.s.host.Catalogs(), nil)
	if gone != nil {
		return gone
	}
	live := LiveReport{Report: *report, LiveHead: v.Hash.String(), LiveDumpHash: world.DumpHash(v.State)}
	switch {
	case !live.Valid:
	case live.Head != live.LiveHead:
		live.Valid, live.Failure = false, world.FailHead
	case live.DumpHash != live.LiveDumpHash:
		live.Valid, live.Failure = false, world.FailState
	}
	return reply(c, http.StatusOK, &live)
}

var errEnough = errors.New("enough")

// entries yields the world's entries as a view sees them. Where the world begins anew or
// ends meanwhile, gone is why: that says nothing of the journal.
func (c *call) entries(v world.View, gone *error) world.Entries {
	return func(yield func(*journal.Entry, error) bool) {
		err := c.world.Walk(v, func(e *journal.Entry) error {
			if e.Seq > v.Seq || !yield(e, nil) {
				return errEnough
			}
			return nil
		})
		if errors.Is(err, world.ErrReset) || errors.Is(err, world.ErrGone) {
			*gone = err
		}
		if err != nil && !errors.Is(err, errEnough) {
			yield(nil, err)
		}
	}
}
