package admin

import (
	"net/http"

	"worlds/twin"
)

// showFidelity tells what the twins serve of their APIs. Their catalogs know.
func showFidelity(c *call) error {
	return c.raw(http.StatusOK, twin.FidelityJSON(c.s.host.Catalogs()))
}
