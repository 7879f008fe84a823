package store

import (
	"encoding/binary"
	"fmt"
	"os"
)

// bbolt's pages, read without bbolt: to name the place of damage.

const (
	boltBranch      = 0x01
	boltLeaf        = 0x02
	boltElement     = 16
	boltBucketValue = 16   // root page, sequence
	boltBucketFlag  = 0x01 // of a leaf element
	boltDepthMax    = 64
)

// findBadPage walks the tree of the shelf at path and returns the offset of the
// first page that cannot be one, and what is wrong with it; -1 and "" if none
// is found.
func findBadPage(path string) (int64, string) {
	f, err := os.Open(path)
	if err != nil {
		return -1, ""
	}
	defer func() { _ = f.Close() }()
	meta, _, err := readMeta(f)
	if err != nil || meta.pageBytes == 0 {
		return -1, ""
	}
	w := pageWalk{file: f, meta: meta, bad: -1}
	w.page(meta.root, 0)
	return w.bad, w.what
}

type pageWalk struct {
	file *os.File
	meta boltMeta
	bad  int64
	what string
}

func (w *pageWalk) fail(page uint64, format string, args ...any) bool {
	w.bad = int64(page) * int64(w.meta.pageBytes)
	w.what = fmt.Sprintf("bbolt page %d: ", page) + fmt.Sprintf(format, args...)
	return false
}

// page walks the subtree at page number id; it is false once one is bad.
func (w *pageWalk) page(id uint64, depth int) bool {
	if id >= w.meta.pages || depth > boltDepthMax {
		return w.fail(id, "out of range")
	}
	size := int64(w.meta.pageBytes)
	b := make([]byte, size)
	if n, _ := w.file.ReadAt(b, int64(id)*size); n < len(b) {
		return w.fail(id, "the file ends")
	}
	if got := binary.NativeEndian.Uint64(b); got != id {
		return w.fail(id, "it says that it is %d", got)
	}
	flags, count := binary.NativeEndian.Uint16(b[8:]), int(binary.NativeEndian.Uint16(b[10:]))
	whole := size * (1 + int64(binary.NativeEndian.Uint32(b[12:])))
	if int64(id)*size+whole > int64(w.meta.pages)*size {
		return w.fail(id, "it runs past the end")
	}
	if whole > size {
		b = make([]byte, whole)
		if n, _ := w.file.ReadAt(b, int64(id)*size); n < len(b) {
			return w.fail(id, "the file ends")
		}
	}
	switch flags {
	case boltBranch:
		return w.branch(id, b, count, depth)
	case boltLeaf:
		return w.leaf(id, b, count, depth)
	}
	return w.fail(id, "of kind %#x", flags)
}

func (w *pageWalk) branch(id uint64, b []byte, count, depth int) bool {
	if boltPageHead+count*boltElement > len(b) {
		return w.fail(id, "%d elements", count)
	}
	for i := range count {
		e := boltPageHead + i*boltElement
		pos, n := binary.NativeEndian.Uint32(b[e:]), binary.NativeEndian.Uint32(b[e+4:])
		if int64(e)+int64(pos)+int64(n) > int64(len(b)) {
			return w.fail(id, "element %d runs past the page", i)
		}
		if !w.page(binary.NativeEndian.Uint64(b[e+8:]), depth+1) {
			return false
		}
	}
	return true
}

func (w *pageWalk) leaf(id uint64, b []byte, count, depth int) bool {
	if boltPageHead+count*boltElement > len(b) {
		return w.fail(id, "%d elements", count)
	}
	for i := range count {
		e := boltPageHead + i*boltElement
		flags, pos := binary.NativeEndian.Uint32(b[e:]), int64(binary.NativeEndian.Uint32(b[e+4:]))
		keyN, valueN := int64(binary.NativeEndian.Uint32(b[e+8:])), int64(binary.NativeEndian.Uint32(b[e+12:]))
		if int64(e)+pos+keyN+valueN > int64(len(b)) {
			return w.fail(id, "element %d runs past the page", i)
		}
		if flags&boltBucketFlag == 0 {
			continue
		}
		if valueN < boltBucketValue {
			return w.fail(id, "element %d is no bucket", i)
		}
		root := binary.NativeEndian.Uint64(b[int64(e)+pos+keyN:])
		if root != 0 && !w.page(root, depth+1) {
			return false
		}
	}
	return true
}
