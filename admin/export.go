package admin

import (
	"net/http"

	"worlds/journal/canon"
	"worlds/twin"
)

// exportName is the name of an exported seed when the request gives none.
const exportName = "export"

// ExportedSeed is a world as a seed, and what the seed does not hold of it.
type ExportedSeed struct {
	Lossy []twin.Lost `json:"lossy"`
	Seed  canon.Raw   `json:"seed"`
}

// exportSeed writes the world as it stood when the request came as a seed.
func exportSeed(c *call) error {
	name := exportName
	if given := c.r.URL.Query()["name"]; len(given) > 0 {
		name = given[0]
	}
	v, err := c.view()
	if err != nil {
		return err
	}
	g, err := c.world.Genesis()
	if err != nil {
		return err
	}
	made, lost, err := twin.ExportSeed(v.State, twin.SpecOf(g.Seed), name, c.s.host.Catalogs()...)
	if err != nil {
		return err
	}
	if lost == nil {
		lost = []twin.Lost{}
	}
	return reply(c, http.StatusOK, &ExportedSeed{Lossy: lost, Seed: made.Canonical})
}
