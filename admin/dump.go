package admin

import (
	"bytes"
	"net/http"
	"strconv"

	"worlds/journal/mutant"
	"worlds/twin/world"
)

// DumpHash is the digest of a dump and where it was taken.
type DumpHash struct {
	SHA256 string `json:"sha256"`
	Seq    int64  `json:"seq"`
	Head   string `json:"head"`
}

// dumpWorld streams the state as it stood when the request came. The hash goes
// ahead in a header, so the state is walked twice; a slow reader holds up nobody.
func dumpWorld(c *call) error {
	v, err := c.view()
	if err != nil {
		return err
	}
	c.serve()
	h := c.w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Worlds-Dump-SHA256", world.DumpHash(v.State))
	h.Set("Worlds-Seq", strconv.FormatUint(uint64(v.Seq), 10))
	if mutant.Is("capture-unprotected") {
		return c.tornDump(&v)
	}
	_ = v.State.WriteDump(c.w) // an error is the reader's going away
	return nil
}

// tornDump is a dump that reads the state while it writes, as none must.
func (c *call) tornDump(v *world.View) error {
	var first, second bytes.Buffer
	_ = v.State.WriteDump(&first)
	half := first.Len() / 2
	_, _ = c.w.Write(first.Bytes()[:half])
	now, err := c.view()
	if err != nil {
		return err
	}
	_ = now.State.WriteDump(&second)
	_, _ = c.w.Write(second.Bytes()[min(half, second.Len()):])
	return nil
}

func dumpHash(c *call) error {
	v, err := c.view()
	if err != nil {
		return err
	}
	return reply(c, http.StatusOK, &DumpHash{SHA256: world.DumpHash(v.State), Seq: int64(v.Seq), Head: v.Hash.String()})
}
