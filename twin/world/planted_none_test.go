//go:build !planted_maporder && !planted_clock

package world_test

import "worlds/twin"

// plant plants nothing: the control.
func plant(*twin.Catalog) {}
