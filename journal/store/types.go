package store

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"worlds/journal"
)

// World is the number of a stream of entries. World 0 is the server's own:
// it is always there, in incarnation 0, and cannot be reset or dropped.
type World uint64

// Incarnation is the number of one life of a world. It only grows.
type Incarnation uint64

// Head is the last entry of a world; Seq 0 and a zero Hash if it has none.
type Head struct {
	Inc  Incarnation
	Seq  journal.Seq
	Hash journal.Hash
}

// Record is one entry to append.
type Record struct {
	World World
	Inc   Incarnation
	// Entry must be the next of its world: Seq and Prev continue the head. The
	// first entry of an incarnation may have any Seq above 0 and any Prev. Body
	// and Side are copied.
	Entry journal.Entry
	// Lazy marks a read's entry. It is written with the next batch, or within
	// LazyDelay; its ticket waits only for the last entry of its world before
	// it that is not lazy.
	Lazy bool
	// Control changes the table of worlds in the same instant; World 0 only.
	Control *Control
	// Packed stands for Entry.Body, if it is not nil, and is the store's from Append
	// on.
	Packed *Packed
}

// Control is a change of the table of worlds.
type Control struct {
	Op    ControlOp
	World World
	Inc   Incarnation // the incarnation that starts; not used by Drop
}

// ControlOp is the kind of a Control. The set is closed.
type ControlOp uint8

const (
	// Create adds a world, in incarnation Inc and without entries.
	Create ControlOp = iota + 1
	// Reset starts incarnation Inc, which must be above the present one. The
	// entries of earlier ones are dead: out of reach and cleared in time.
	Reset
	// Drop removes a world; its entries are dead.
	Drop
)

// String returns the name of op in lower case.
func (op ControlOp) String() string {
	switch op {
	case Create:
		return "create"
	case Reset:
		return "reset"
	case Drop:
		return "drop"
	}
	return fmt.Sprintf("op-%d", uint8(op))
}

// Durability is what Ticket.Wait waits for.
type Durability uint8

const (
	// Sync waits until the entry is synced to disk: it survives a power cut.
	Sync Durability = iota
	// Relaxed waits until the entry is written, and syncs within RelaxedDelay:
	// it survives a killed process, not a power cut.
	Relaxed
)

// Limits and delays.
const (
	// LazyDelay is the longest that a lazy record waits to be written.
	LazyDelay = 10 * time.Millisecond
	// RelaxedDelay is the longest that a written batch waits to be synced.
	RelaxedDelay = 10 * time.Millisecond
	// EntryBytesMax bounds body and side of one entry together.
	EntryBytesMax = 256 << 20
	// SegmentBytesDefault is Options.SegmentBytes when it is 0.
	SegmentBytesDefault = 4 << 20
	// ShelveLagBytesDefault is Options.ShelveLagBytes when it is 0.
	ShelveLagBytesDefault = 256 << 20
	// LockTimeoutDefault is Options.LockTimeout when it is 0.
	LockTimeoutDefault = 2 * time.Second
)

// Options are for Open. The zero Options are right for production.
type Options struct {
	Durability Durability
	// LockTimeout is how long Open waits for another holder of the folder.
	LockTimeout time.Duration
	// SegmentBytes is the size of a tail segment, at least 64 KiB, a multiple
	// of 4 KiB. Folders written with another size stay readable.
	SegmentBytes int64
	// ShelveLagBytes is the size of the tail above which Append waits for the
	// shelf to catch up.
	ShelveLagBytes int64
	// Logger hears of background trouble; nil discards.
	Logger *slog.Logger
	// OpenFile opens the files of the tail, which are read and written through what
	// it returns; nil for those of the disk. For tests of disks that fail.
	OpenFile func(path string, flag int, perm os.FileMode) (File, error)
	// Hook is called at the points of an entry's life; see Point. For tests of
	// crashes and faults; nil in production. It must not call the store.
	Hook func(Point) error
}

// Point is a place in an entry's life at which Options.Hook is called. An
// error from the hook stands for a failure of the step that the point names.
type Point string

// Points, in the order in which an entry passes them.
const (
	PointWrite    Point = "write"    // before a batch is written; an error: nothing reached the file
	PointWritten  Point = "written"  // written, before the sync; an error: the sync failed
	PointSynced   Point = "synced"   // synced, before anybody is told; errors are ignored
	PointSegment  Point = "segment"  // before a new or reused segment is headed; an error: it cannot be made
	PointShelve   Point = "shelve"   // before the shelf commits; an error: the commit failed
	PointShelved  Point = "shelved"  // the shelf has committed; errors are ignored
	PointClear    Point = "clear"    // before a slice of dead entries is deleted; an error: it failed
	PointCleared  Point = "cleared"  // it is deleted; errors are ignored
	PointCompact  Point = "compact"  // the compacted shelf is complete, before it takes the place of the old
	PointCompact2 Point = "compact2" // it has taken the place; errors are ignored
)

// Errors of the package. Each is wrapped by what the functions return.
var (
	// ErrLocked: another process, or another Store, has the folder.
	ErrLocked = errors.New("the data folder is in use")
	// ErrForeign: journal.db is not a shelf: empty, or of another kind.
	ErrForeign = errors.New("not a journal")
	// ErrVersion: a later version of the program wrote the folder.
	ErrVersion = errors.New("the data folder has a later format")
	// ErrSealed: a write failed, or the shelf cannot take more. Nothing is
	// accepted until Reopen; the cause is wrapped too.
	ErrSealed = errors.New("the journal is sealed after a failed write")
	// ErrReadOnly: the journal was opened to be read only.
	ErrReadOnly = errors.New("the journal is open for reading only")
	// ErrUnwritten: a large entry could not be written, and is not there; the Store
	// goes on. The cause is wrapped too.
	ErrUnwritten = errors.New("the entry could not be written")
	// ErrClosed: the Store is closed.
	ErrClosed = errors.New("the journal is closed")
	// ErrWorld: there is no such world, or (Create) there is one.
	ErrWorld = errors.New("no such world")
	// ErrIncarnation: the incarnation is not the present one.
	ErrIncarnation = errors.New("not the present incarnation")
	// ErrOrder: the entry is not the next of its world.
	ErrOrder = errors.New("not the next entry")
	// ErrTooLarge: the entry is above EntryBytesMax.
	ErrTooLarge = errors.New("entry too large")
	// ErrBlob: no such blob, or one of other content under the same key.
	ErrBlob = errors.New("no such blob")
	// ErrBlobDiffers: PutBlob with a key that holds other bytes.
	ErrBlobDiffers = errors.New("the blob has other content")
)

// DamageError says that a file does not hold what was once durable in it.
// Nothing has been changed.
type DamageError struct {
	Path   string
	Offset int64 // of the damaged place in the file; -1 if not known
	What   string
}

// Error names file, place and finding.
func (e *DamageError) Error() string {
	if e.Offset < 0 {
		return fmt.Sprintf("store: %s is damaged: %s", e.Path, e.What)
	}
	return fmt.Sprintf("store: %s is damaged at byte %d: %s", e.Path, e.Offset, e.What)
}

// Stats are figures of a Store since Open, and sizes as of now.
type Stats struct {
	Entries       uint64 // appended and acknowledged
	Batches       uint64 // written
	Syncs         uint64 // of the tail
	TailBytes     int64  // entries not yet shelved
	TailFiles     int    // segments, those ready and spare included
	TailFileBytes int64
	ShelfBytes    int64  // size of journal.db
	Shelved       uint64 // entries put on the shelf
	Cleared       uint64 // dead entries deleted from the shelf
}
