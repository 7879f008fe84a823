package admin

import (
	"net/http"
	"strconv"

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
	_ = v.State.WriteDump(c.w) // an error is the reader's going away
	return nil
}

func dumpHash(c *call) error {
	v, err := c.view()
	if err != nil {
		return err
	}
	return reply(c, http.StatusOK, &DumpHash{SHA256: world.DumpHash(v.State), Seq: int64(v.Seq), Head: v.Hash.String()})
}
