package heap

import (
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// hugeKiB is how much of the process lives in huge pages.
func hugeKiB(t *testing.T) int {
	t.Helper()
	rollup, err := os.ReadFile("/proc/self/smaps_rollup")
	if err != nil {
		t.Skip(err)
	}
	_, text, found := strings.Cut(string(rollup), "AnonHugePages:")
	fields := strings.Fields(text)
	if !found || len(fields) == 0 {
		t.Skip("this system does not say how much it has in huge pages")
	}
	n, err := strconv.Atoi(fields[0])
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// A heap that grows, past what was asked for first, does so in huge pages; what is
// asked for and not used takes no memory.
func TestSettle(t *testing.T) {
	enabled, err := os.ReadFile("/sys/kernel/mm/transparent_hugepage/enabled")
	if err != nil || strings.Contains(string(enabled), "[never]") {
		t.Skipf("no huge pages here: %s %v", enabled, err)
	}
	Settle()
	Settle()
	if n := hugeKiB(t); n > smallBytes>>10 {
		t.Errorf("%d KiB of huge pages before anything was put in them", n)
	}
	const living, piece = 3 * firstBytes / 2, 16 << 10
	var kept [][]byte
	for range living / piece {
		p := make([]byte, piece)
		p[0] = 1
		kept = append(kept, p)
	}
	// What was asked for is gone after a collection more, which the asker waits for.
	var m runtime.MemStats
	for range 200 {
		runtime.GC()
		if runtime.ReadMemStats(&m); m.HeapAlloc <= living*3/2 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if n, least := hugeKiB(t), living>>10/2; n < least {
		t.Errorf("%d KiB of huge pages for a heap of %d KiB, not even %d", n, living>>10, least)
	}
	if m.HeapAlloc > living*3/2 {
		t.Errorf("%d bytes live, of which %d are the test's: what was asked for lies about", m.HeapAlloc, living)
	}
	runtime.KeepAlive(kept)
}

// Where there is no room for what would be asked for, nothing is, and the process goes on.
func TestNoRoom(t *testing.T) {
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Skip(err)
	}
	pages, err := strconv.ParseUint(strings.Fields(string(statm))[0], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	var usual unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_AS, &usual); err != nil {
		t.Fatal(err)
	}
	tight := usual
	tight.Cur = pages*uint64(os.Getpagesize()) + firstBytes/2
	if err := unix.Setrlimit(unix.RLIMIT_AS, &tight); err != nil {
		t.Skip(err)
	}
	asked := ask(firstBytes, smallBytes)
	if err := unix.Setrlimit(unix.RLIMIT_AS, &usual); err != nil {
		t.Fatal(err)
	}
	if asked {
		t.Errorf("%d bytes were had of %d", firstBytes, firstBytes/2)
	}
}
