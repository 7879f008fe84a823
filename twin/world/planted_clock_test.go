//go:build planted_clock

package world_test

import (
	"time"

	"worlds/twin"
)

// plant reads the machine's clock for the text of a refusal.
func plant(c *twin.Catalog) {
	noRoute := c.NoRoute
	c.NoRoute = func(method, path string) *twin.Error {
		return noRoute(method, path+" at "+time.Now().Format(time.RFC3339Nano))
	}
}
