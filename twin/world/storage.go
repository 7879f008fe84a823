package world

import (
	"worlds/journal"
	"worlds/journal/store"
)

// Journal is where a Host's worlds are kept. A [store.Store] keeps them on disk, a
// [store.Memory] only as long as it lives; the methods are explained there.
type Journal interface {
	Append(store.Record) (store.Ticket, error)
	Head(store.World) (store.Head, bool)
	Worlds() []store.World
	Scan(w store.World, inc store.Incarnation, from, to journal.Seq, fn func(*journal.Entry) error) error
	Walk(w store.World, inc store.Incarnation, from, to journal.Seq, fn func(*journal.Entry) error) error
	PutBlob(key string, data []byte) error
	Blob(key string) ([]byte, error)
	Blobs(fn func(key string, data []byte) error) error
	Sync() error
	Reopen() error
	Stats() store.Stats
}
