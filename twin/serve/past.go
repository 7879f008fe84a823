package serve

import (
	"net/http"
	"strconv"

	"worlds/twin"
	"worlds/twin/world"
)

// atHeader names a position in the world's past, a mark or the number of an entry:
// the request is answered as it would have been there. The answer names the number.
const atHeader = "Worlds-At"

// lookBack answers a read out of the past. It is no part of the world: neither the
// journal nor a count knows of it. It costs the replay of the entries before, unless
// memory has the state, as it has of marks.
func (s *Shell) lookBack(w http.ResponseWriter, r *http.Request, c *twin.Catalog, of *world.World, req world.Request, at, secret string) {
	if r.Method != http.MethodGet {
		s.refuse(w, r, c, c.Wire.Transport(http.StatusBadRequest, "The past can only be read: "+atHeader+" goes with GET."))
		return
	}
	if err := of.Pass(r.Context(), world.Passing{Point: world.Produced, Command: &req.Command}); err != nil {
		s.failed(w, r, c, err)
		return
	}
	v, err := of.View(r.Context())
	if err != nil {
		s.failed(w, r, c, err)
		return
	}
	seq, _, err := v.Position(text(at))
	if err != nil {
		s.refuse(w, r, c, c.Wire.Transport(http.StatusBadRequest, atHeader+": "+err.Error()+"."))
		return
	}
	outcome, err := of.Peek(r.Context(), v, seq, req.Command)
	if err == nil {
		answer := world.Answer{Outcome: *outcome, Seq: seq}
		_ = of.Pass(r.Context(), world.Passing{Point: world.Served, Command: &req.Command, Answer: &answer})
	}
	switch {
	case err != nil:
		s.failed(w, r, c, err)
	case outcome.Close:
		cut(w)
	default:
		w.Header().Set(atHeader, strconv.FormatUint(uint64(seq), 10))
		s.write(w, r, c, outcome, private{secret: secret})
	}
}
