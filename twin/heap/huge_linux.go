package heap

import (
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	// smallBytes of what is asked for first keep their small pages.
	smallBytes = 16 << 20
	// firstBytes is what is asked for first. The collector notes eight bytes for each
	// 8 KiB, which a server at rest has for nothing.
	firstBytes = 256 << 20
	// growth is how many times as much there is after each further time: each costs a
	// collection.
	growth = 4
	// mostBytes is where it ends: more than that is the system's to arrange.
	mostBytes = 64 << 30
	// hugeBytes is the size of a huge page, where it has another a multiple of it.
	hugeBytes = 2 << 20
)

// keepHuge asks for the addresses that the heap grows into, now and whenever it is
// about to outgrow them.
func keepHuge() {
	if firstBytes <= most() && ask(firstBytes, smallBytes) {
		watch(firstBytes)
	}
}

// ask has the collector own n more bytes of addresses, all but the first of which
// the system backs with huge pages. It reports whether the system will.
func ask(n, but int) bool {
	if !room(2 * n) {
		return false
	}
	// A collection that begins meanwhile would take them for what lives.
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	defer runtime.GC()
	var addresses strings.Builder // the one thing whose memory is not cleared, which touches it
	addresses.Grow(n)
	addresses.WriteByte(0)
	all := unsafe.Slice(unsafe.StringData(addresses.String()), n)
	skip := but + int(-(uintptr(unsafe.Pointer(&all[0]))+uintptr(but))&(hugeBytes-1))
	return unix.Madvise(all[skip:], unix.MADV_HUGEPAGE) == nil
}

// room reports whether the process may have n more bytes to write to. A machine that is
// small, strict about what it promises, or has a limit on addresses says no; to the
// collector it would say so too late, which ends the process then.
func room(n int) bool {
	b, err := unix.Mmap(-1, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	return err == nil && unix.Munmap(b) == nil
}

// cycle is an object that nobody holds: that it is collected tells of a collection.
type cycle struct{ _ [32]byte }

// watch looks after each collection whether the heap may grow beyond the bytes that
// were asked for before the next.
func watch(asked uint64) {
	runtime.AddCleanup(new(cycle), func(asked uint64) {
		more := asked * (growth - 1)
		if asked+more <= most() && outgrows(asked, more) && ask(int(more), 0) {
			asked += more
		}
		watch(asked)
	}, asked)
}

// most is how much is asked for at most: no more than an int counts, nor than GOMEMLIMIT
// allows, which counts it until it is given back.
func most() uint64 { return min(mostBytes, math.MaxInt, uint64(debug.SetMemoryLimit(-1))) }

// outgrows reports whether the heap may become larger than asked before the next
// collection ends. While more is free, to ask for it would get what is there already.
func outgrows(asked, more uint64) bool {
	s := []metrics.Sample{
		{Name: "/gc/heap/goal:bytes"},
		{Name: "/memory/classes/heap/free:bytes"},
		{Name: "/memory/classes/heap/released:bytes"},
	}
	metrics.Read(s)
	goal, free := s[0].Value.Uint64(), s[1].Value.Uint64()+s[2].Value.Uint64()
	return goal+goal/4 > asked && free < more
}
