package crash

import (
	"slices"

	"worlds/journal/store"
	"worlds/twin/world"
)

// Place is where a server is killed.
type Place struct {
	Name  string
	Point string // of the store or of a world; "" for any time
	Act   string // what is asked of the server then
	Count int    // it is killed at a pass from the first to this one, drawn by the seed
}

// pointBackup is passed at every line of a backup.
const pointBackup = "backup"

// The acts.
const (
	actChange  = "change" // requests of agents
	actFlush   = "flush"  // a drain of webhooks
	actReset   = "reset"
	actFork    = "fork"
	actImport  = "import"
	actCreate  = "create"
	actDelete  = "delete"
	actAdvance = "advance"
	actCompact = "compact" // shelving, clearing of dead entries, compaction
	actBackup  = "backup"
)

// Places are all that a server passes at a level: the relaxed one syncs behind its
// answers, and so does not pass what a synced batch passes.
func Places(level store.Durability) []Place {
	return slices.DeleteFunc(places(), func(p Place) bool {
		return level == store.Relaxed && p.Point == string(store.PointSynced)
	})
}

func places() []Place {
	return []Place{
		{"before-append", string(world.Decided), actChange, 5},
		{"before-write", string(store.PointWrite), actChange, 5},
		{"written-not-synced", string(store.PointWritten), actChange, 5},
		{"committed-not-published", string(store.PointSynced), actChange, 5},
		{"published-not-answered", string(world.Committed), actChange, 5},
		{"answering", string(world.Served), actChange, 5},
		{"making-a-segment", string(store.PointSegment), actChange, 1},
		{"mid-advance", string(store.PointWritten), actAdvance, 1},
		{"before-post", string(world.Sent), actFlush, 3},
		{"posted-not-recorded", string(world.Answered), actFlush, 1},
		{"mid-drain", string(world.Recorded), actFlush, 3},
		{"mid-drain-posted", string(world.Answered), actFlush, 3},
		{"mid-reset", string(store.PointWrite), actReset, 1},
		{"mid-reset-written", string(store.PointWritten), actReset, 1},
		{"mid-reset-synced", string(store.PointSynced), actReset, 1},
		{"mid-import", string(store.PointWrite), actImport, 2},
		{"mid-import-synced", string(store.PointSynced), actImport, 2},
		{"mid-fork", string(store.PointWrite), actFork, 1},
		{"mid-fork-synced", string(store.PointSynced), actFork, 1},
		{"mid-create", string(store.PointWritten), actCreate, 1},
		{"mid-delete", string(store.PointWritten), actDelete, 1},
		{"mid-shelving", string(store.PointShelve), actCompact, 1},
		{"shelved", string(store.PointShelved), actCompact, 1},
		{"clearing", string(store.PointClear), actCompact, 1},
		{"cleared", string(store.PointCleared), actCompact, 1},
		{"mid-compaction", string(store.PointCompact), actCompact, 1},
		{"compacted", string(store.PointCompact2), actCompact, 1},
		{"mid-backup", pointBackup, actBackup, 3},
		{"any-time", "", actChange, 1},
	}
}
