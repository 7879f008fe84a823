package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"
	"unsafe"

	bolt "go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"
)

const (
	shelfName = "journal.db"
	// shelfMapBytes is address space only. A map that must grow waits for
	// every reader and stops every writer meanwhile.
	shelfMapBytes    = 4 << 30
	shelfFillPercent = 0.9
	shelfGrowBytes   = 1 << 20 // beyond what a transaction needs
	compactTxBytes   = 16 << 20
	clearSlice       = 256 // keys deleted in one transaction
)

var (
	entriesBucket = []byte("entries")
	worldsBucket  = []byte("worlds")
	blobsBucket   = []byte("blobs")
	metaBucket    = []byte("meta")
	markKey       = []byte("watermark")
)

// shelf is the bbolt file. bbolt panics on damage, sometimes with its locks
// held: after that the shelf answers nothing but the damage.
type shelf struct {
	path string

	// swap is held for reading by every use of db, and for writing while
	// compact puts another file in its place.
	swap   sync.RWMutex
	db     *bolt.DB
	file   *os.File
	broken error // *DamageError once something panicked; guarded by brokenMu

	brokenMu sync.Mutex
}

// guard turns a panic or a memory fault of bbolt into a *DamageError.
func guard(path string, fn func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			offset, what := findBadPage(path)
			if what == "" {
				what = fmt.Sprintf("bbolt: %v", r)
			}
			err = &DamageError{Path: path, Offset: offset, What: what}
		}
	}()
	return fn()
}

func shelfOptions(readOnly bool, file **os.File) *bolt.Options {
	return &bolt.Options{
		Timeout:         LockTimeoutDefault,
		FreelistType:    bolt.FreelistMapType,
		InitialMmapSize: shelfMapBytes,
		ReadOnly:        readOnly,
		NoStatistics:    true,
		OpenFile: func(name string, flag int, mode os.FileMode) (*os.File, error) {
			f, err := os.OpenFile(name, flag&^os.O_CREATE, mode)
			*file = f
			return f, err
		},
	}
}

// createShelf makes an empty shelf, complete or not at all.
func createShelf(dir string, mark watermark) error {
	path := filepath.Join(dir, shelfName)
	tmp := path + ".tmp"
	if err := os.WriteFile(tmp, nil, 0o644); err != nil {
		return fmt.Errorf("store: shelf: %w", err)
	}
	var file *os.File
	db, err := bolt.Open(tmp, 0o644, shelfOptions(false, &file))
	if err != nil {
		return fmt.Errorf("store: shelf: %w", err)
	}
	db.AllocSize = shelfGrowBytes
	err = db.Update(func(tx *bolt.Tx) error {
		for _, name := range [][]byte{entriesBucket, worldsBucket, blobsBucket, metaBucket} {
			if _, err := tx.CreateBucket(name); err != nil {
				return err
			}
		}
		server := row{there: true}
		if err := tx.Bucket(worldsBucket).Put(server.key(), server.encode()); err != nil {
			return err
		}
		return tx.Bucket(metaBucket).Put(markKey, mark.encode())
	})
	if err == nil {
		err = db.Sync()
	}
	if e := db.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(tmp, path)
	}
	if err != nil {
		return fmt.Errorf("store: shelf: %w", err)
	}
	return syncFolder(dir)
}

// openShelf opens an existing shelf and reads its watermark. What is not a
// whole bbolt file is refused before bbolt sees it.
func openShelf(dir string, readOnly bool) (*shelf, watermark, error) {
	sh := &shelf{path: filepath.Join(dir, shelfName)}
	var mark watermark
	if err := inspectShelf(sh.path); err != nil {
		return nil, mark, err
	}
	if err := sh.open(readOnly); err != nil {
		return nil, mark, err
	}
	err := sh.view(func(tx *bolt.Tx) error {
		for _, name := range [][]byte{entriesBucket, worldsBucket, blobsBucket, metaBucket} {
			if tx.Bucket(name) == nil {
				return fmt.Errorf("store: %s: %w: no bucket %q", sh.path, ErrForeign, name)
			}
		}
		var ok bool
		if mark, ok = decodeWatermark(tx.Bucket(metaBucket).Get(markKey)); !ok {
			return &DamageError{Path: sh.path, Offset: -1, What: "the watermark does not hold"}
		}
		if mark.version > folderVersion {
			return fmt.Errorf("store: %s: %w: version %d, this program knows %d", sh.path, ErrVersion, mark.version, folderVersion)
		}
		return nil
	})
	if err != nil {
		_ = sh.close()
		return nil, mark, err
	}
	return sh, mark, nil
}

func (sh *shelf) open(readOnly bool) error {
	var file *os.File
	err := guard(sh.path, func() (err error) {
		sh.db, err = bolt.Open(sh.path, 0o644, shelfOptions(readOnly, &file))
		return err
	})
	if err != nil {
		if file != nil { // a panic leaves it open, and locked
			unlock(file)
			_ = file.Close()
		}
		var damage *DamageError
		if errors.As(err, &damage) {
			return err
		}
		if errors.Is(err, bolterrors.ErrTimeout) {
			return fmt.Errorf("store: %s: %w by another process", sh.path, ErrLocked)
		}
		return fmt.Errorf("store: %s: %w", sh.path, err)
	}
	sh.db.AllocSize = shelfGrowBytes
	sh.file = file
	return nil
}

// inspectShelf looks at the meta pages as bbolt does, and at the size.
func inspectShelf(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("store: shelf: %w", err)
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("store: shelf: %w", err)
	}
	if !info.Mode().IsRegular() || info.Size() == 0 {
		return fmt.Errorf("store: %s: %w: the file is empty or not a file", path, ErrForeign)
	}
	meta, seen, err := readMeta(f)
	if err != nil {
		return fmt.Errorf("store: shelf: %w", err)
	}
	if !seen {
		return fmt.Errorf("store: %s: %w: no bbolt meta page", path, ErrForeign)
	}
	if meta.pageBytes == 0 {
		return &DamageError{Path: path, Offset: 0, What: "neither meta page holds its checksum"}
	}
	if need := int64(meta.pages) * int64(meta.pageBytes); info.Size() < need {
		return &DamageError{Path: path, Offset: info.Size(), What: fmt.Sprintf("cut short: %d bytes of %d", info.Size(), need)}
	}
	return nil
}

// boltMeta is what counts of bbolt's newer meta page.
type boltMeta struct {
	pageBytes uint32
	root      uint64 // page
	pages     uint64 // above the highest in use
	tx        uint64
}

const (
	boltMagic       = 0xED0CDAED
	boltPageHead    = 16
	boltMetaBytes   = 64
	boltPageBytes   = 4096 // the first meta page is found at any size of page
	boltPageMaxBits = 16
)

// readMeta returns the newer meta page that holds; seen is whether there was
// any that claims to be one.
func readMeta(f io.ReaderAt) (best boltMeta, seen bool, err error) {
	for bits := 9; bits <= boltPageMaxBits; bits++ {
		for _, at := range []int64{0, 1 << bits} {
			b := make([]byte, boltPageHead+boltMetaBytes)
			if n, err := f.ReadAt(b, at); n < len(b) {
				if err == io.EOF {
					continue
				}
				return best, seen, err
			}
			b = b[boltPageHead:]
			if binary.NativeEndian.Uint32(b) != boltMagic {
				continue
			}
			seen = true
			h := fnv.New64a()
			h.Write(b[:56])
			m := boltMeta{
				pageBytes: binary.NativeEndian.Uint32(b[8:]),
				root:      binary.NativeEndian.Uint64(b[16:]),
				pages:     binary.NativeEndian.Uint64(b[40:]),
				tx:        binary.NativeEndian.Uint64(b[48:]),
			}
			if h.Sum64() == binary.NativeEndian.Uint64(b[56:]) && (best.pageBytes == 0 || m.tx > best.tx) {
				best = m
			}
		}
	}
	return best, seen, nil
}

// view runs fn in a short read transaction. Nothing of it may be kept.
func (sh *shelf) view(fn func(*bolt.Tx) error) error {
	return sh.use(func(db *bolt.DB) error { return db.View(fn) })
}

// update runs fn in a write transaction, which is synced when update returns.
func (sh *shelf) update(fn func(*bolt.Tx) error) error {
	return sh.use(func(db *bolt.DB) error { return db.Update(fn) })
}

func (sh *shelf) use(fn func(*bolt.DB) error) error {
	sh.swap.RLock()
	defer sh.swap.RUnlock()
	if err := sh.damage(); err != nil {
		return err
	}
	if sh.db == nil {
		return ErrClosed
	}
	panicked := true
	err := guard(sh.path, func() error {
		err := fn(sh.db)
		panicked = false
		return err
	})
	if panicked {
		sh.brokenMu.Lock()
		sh.broken = err
		sh.brokenMu.Unlock()
	}
	return err
}

func (sh *shelf) damage() error {
	sh.brokenMu.Lock()
	defer sh.brokenMu.Unlock()
	return sh.broken
}

// close closes the file. A broken shelf may hold its own locks for ever, so
// only the file is closed then.
func (sh *shelf) close() error {
	sh.swap.Lock()
	defer sh.swap.Unlock()
	db, file := sh.db, sh.file
	sh.db, sh.file = nil, nil
	if db == nil {
		return nil
	}
	if sh.damage() != nil {
		unlock(file)
		return file.Close()
	}
	return guard(sh.path, db.Close)
}

// bytes returns the size of the file.
func (sh *shelf) bytes() int64 {
	info, err := os.Stat(sh.path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// damagedEntry says where in the file the value v of key k is.
func (sh *shelf) damagedEntry(tx *bolt.Tx, k, v []byte) error {
	what := fmt.Sprintf("key %x does not belong where it is", k)
	if name, ok := decodeKey(k); ok && v != nil {
		what = fmt.Sprintf("world %d, incarnation %d, entry %d: the checksum does not hold", name.world, name.inc, name.seq)
	}
	offset := int64(-1)
	if len(v) > 0 {
		base := tx.DB().Info().Data
		if at := uintptr(unsafe.Pointer(unsafe.SliceData(v))); at >= base {
			offset = int64(at - base)
		}
	}
	return &DamageError{Path: sh.path, Offset: offset, What: what}
}

// rows reads the table of worlds.
func (sh *shelf) rows() ([]row, error) {
	var rows []row
	err := sh.view(func(tx *bolt.Tx) error {
		return tx.Bucket(worldsBucket).ForEach(func(k, v []byte) error {
			r, ok := decodeRow(k, v)
			if !ok {
				return &DamageError{Path: sh.path, Offset: -1, What: fmt.Sprintf("world %x: its row does not hold", k)}
			}
			rows = append(rows, r)
			return nil
		})
	})
	return rows, err
}

// deadWorlds returns the worlds that have entries which clear would delete.
func (sh *shelf) deadWorlds() ([]World, error) {
	var dead []World
	err := sh.view(func(tx *bolt.Tx) error {
		c := tx.Bucket(entriesBucket).Cursor()
		k, _ := c.First()
		for least := World(0); k != nil; {
			name, ok := decodeKey(k)
			if !ok || name.world < least { // a damaged tree may lead anywhere, also in circles
				return sh.damagedEntry(tx, k, nil)
			}
			if r := lookup(tx, name.world); !r.there || name.inc < r.head.Inc {
				dead = append(dead, name.world)
			}
			if name.world+1 == 0 {
				return nil
			}
			least = name.world + 1
			k, _ = c.Seek(key{world: least}.append(nil))
		}
		return nil
	})
	return dead, err
}

// lookup returns a world's row.
func lookup(tx *bolt.Tx, w World) row {
	k := (&row{world: w}).key()
	r, _ := decodeRow(k, tx.Bucket(worldsBucket).Get(k))
	return r
}

// clear deletes at most clearSlice dead entries of w and returns how many.
func (sh *shelf) clear(w World) (n int, err error) {
	err = sh.update(func(tx *bolt.Tx) error {
		n = 0
		r := lookup(tx, w)
		b := tx.Bucket(entriesBucket)
		b.FillPercent = shelfFillPercent
		// Deleting under a cursor may make it skip, so the keys come first.
		var keys [][]byte
		c := b.Cursor()
		for k, _ := c.Seek(key{world: w}.append(nil)); k != nil && len(keys) < clearSlice; k, _ = c.Next() {
			name, ok := decodeKey(k)
			if !ok {
				return sh.damagedEntry(tx, k, nil)
			}
			if name.world != w || r.there && name.inc >= r.head.Inc {
				break
			}
			keys = append(keys, bytes.Clone(k))
		}
		for _, k := range keys {
			if err := b.Delete(k); err != nil {
				return err
			}
		}
		n = len(keys)
		return nil
	})
	return n, err
}

// putBlob keeps data under name.
func (sh *shelf) putBlob(name string, data []byte) error {
	known, err := sh.blob(name)
	if err == nil && bytes.Equal(known, data) {
		return nil
	}
	if err == nil {
		return fmt.Errorf("store: blob %q: %w", name, ErrBlobDiffers)
	}
	if !errors.Is(err, ErrBlob) {
		return err
	}
	v := append(make([]byte, 4, 4+len(data)), data...)
	binary.LittleEndian.PutUint32(v, valueChecksum([]byte(name), v))
	differs := false
	err = sh.update(func(tx *bolt.Tx) error {
		b := tx.Bucket(blobsBucket)
		if old := b.Get([]byte(name)); old != nil {
			differs = !bytes.Equal(old, v)
			return nil
		}
		return b.Put([]byte(name), v)
	})
	if err == nil && differs {
		return fmt.Errorf("store: blob %q: %w", name, ErrBlobDiffers)
	}
	return err
}

// blobKeys lists the names of what is kept.
func (sh *shelf) blobKeys() (keys []string, err error) {
	err = sh.view(func(tx *bolt.Tx) error {
		keys = keys[:0]
		return tx.Bucket(blobsBucket).ForEach(func(k, _ []byte) error {
			keys = append(keys, string(k))
			return nil
		})
	})
	return keys, err
}

// blob returns a copy of what is kept under name.
func (sh *shelf) blob(name string) (data []byte, err error) {
	err = sh.view(func(tx *bolt.Tx) error {
		v := tx.Bucket(blobsBucket).Get([]byte(name))
		if v == nil {
			return fmt.Errorf("store: blob %q: %w", name, ErrBlob)
		}
		if len(v) < 4 || binary.LittleEndian.Uint32(v) != valueChecksum([]byte(name), v) {
			return &DamageError{Path: sh.path, Offset: -1, What: fmt.Sprintf("blob %q: the checksum does not hold", name)}
		}
		data = bytes.Clone(v[4:])
		return nil
	})
	return data, err
}

// compact writes the shelf anew without its unused pages and puts that in
// place of the old one. hook is called at the two points.
func (sh *shelf) compact(hook func(Point) error) error {
	tmp := sh.path + ".tmp"
	if err := os.WriteFile(tmp, nil, 0o644); err != nil {
		return fmt.Errorf("store: compact: %w", err)
	}
	sh.swap.Lock()
	defer sh.swap.Unlock()
	if err := sh.damage(); err != nil {
		return err
	}
	if sh.db == nil {
		return ErrClosed
	}
	err := guard(sh.path, func() error {
		var file *os.File
		dst, err := bolt.Open(tmp, 0o644, shelfOptions(false, &file))
		if err != nil {
			return err
		}
		dst.AllocSize = shelfGrowBytes
		err = bolt.Compact(dst, sh.db, compactTxBytes)
		if err == nil {
			err = dst.Sync()
		}
		if e := dst.Close(); err == nil {
			err = e
		}
		return err
	})
	if err == nil {
		err = hook(PointCompact)
	}
	if err == nil {
		err = os.Rename(tmp, sh.path)
	}
	if err != nil {
		_ = os.Remove(tmp)
		var damage *DamageError
		if errors.As(err, &damage) {
			return err
		}
		return fmt.Errorf("store: compact: %w", err)
	}
	if err := syncFolder(filepath.Dir(sh.path)); err != nil {
		return err
	}
	_ = hook(PointCompact2)
	_ = guard(sh.path, sh.db.Close)
	if err := sh.open(false); err != nil {
		sh.db = nil
		return err
	}
	return nil
}
