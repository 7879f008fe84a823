package crash_test

import (
	"os"
	"strconv"
	"testing"

	"worlds/journal/store"
	"worlds/testscripts/dst/crash"
)

func TestMain(m *testing.M) {
	crash.Child()
	os.Exit(m.Run())
}

// A server is killed at every place. WORLDS_CRASH_ROUNDS and WORLDS_CRASH_SEED search
// further.
func TestCrash(t *testing.T) {
	number := func(name string, otherwise int) int {
		n, err := strconv.Atoi(os.Getenv(name))
		if err != nil {
			return otherwise
		}
		return n
	}
	rounds, seed := number("WORLDS_CRASH_ROUNDS", 0), number("WORLDS_CRASH_SEED", 1)
	for _, level := range []store.Durability{store.Sync, store.Relaxed} {
		t.Run(map[store.Durability]string{store.Sync: "sync", store.Relaxed: "relaxed"}[level], func(t *testing.T) {
			t.Parallel()
			report, err := crash.Run(t.Context(), crash.Config{Seed: uint64(seed), Rounds: rounds, Dir: t.TempDir(), Durability: level,
				Log: func(line string) { t.Log(line) }})
			t.Logf("%+v", report)
			if err != nil {
				t.Fatal(err)
			}
			if missed := report.Missed(level); len(missed) > 0 {
				t.Errorf("no server was killed at %v", missed)
			}
			if report.Repeated == 0 || report.Unknown == 0 || report.Happened == 0 || report.Refused == 0 {
				t.Error("no kill hit a server at work")
			}
		})
	}
}
