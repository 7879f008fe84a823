package dst

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// Metrics is what one run did. Counters have the prefix of the phase in which they
// counted: setup, scheduled or drain.
type Metrics struct {
	Seed     uint64            `json:"seed"`
	Rounds   int               `json:"rounds"`
	Profile  string            `json:"profile"`
	Width    int               `json:"width"`
	Delivery string            `json:"delivery"`
	Rules    int64             `json:"rules"`
	Seeds    []string          `json:"seed_hashes"`
	Topology string            `json:"topology"`
	Result   string            `json:"result"` // pass, or the property that failed
	Digest   string            `json:"digest,omitempty"`
	Swarm    swarm             `json:"swarm"`
	Counters map[string]int64  `json:"counters"`
	Routes   map[string]int64  `json:"routes"` // attempts by route, all phases
	Judged   map[string]Judged `json:"judged"` // by API
}

// The phases of a run.
const (
	phaseSetup     = "setup"
	phaseScheduled = "scheduled"
	phaseDrain     = "drain"
)

// The counters, beside those of the adversary.
const (
	countAttempted  = "attempted"
	countCommitted  = "committed"
	countRejected   = "rejected"
	countSkipped    = "skipped"
	countUnexpected = "unexpected"
	countOracle     = "oracle_failed"
	countRepeated   = "deliveries.repeated"
	countPages      = interleaved + "page"
	countCuts       = interleaved + "cut"
	countPartial    = "polls.partial"

	interleaved = "interleaved_commits."
)

// count adds to a counter of the present phase.
func (r *run) count(name string, n int) { r.metrics.Counters[r.phase+"."+name] += int64(n) }

// counted is a counter of a phase.
func (m *Metrics) counted(phase, name string) int64 { return m.Counters[phase+"."+name] }

// Line is the metrics as one line.
func (m *Metrics) Line() string {
	text, err := json.Marshal(m)
	if err != nil {
		return "WORLDS_DST_METRICS " + strconv.Quote(err.Error())
	}
	return "WORLDS_DST_METRICS " + string(text)
}

// What a passing run must have done, so that it cannot be an idle one. Shorter runs
// are smoke: they need one of each only.
const (
	longRounds     = 100
	longCommits    = 30
	leastInjection = 1
)

// gates says what a run that found nothing has left undone. Only what was scheduled
// counts: neither the setup nor the end can make up for an idle run.
func (m *Metrics) gates(mandatory []string, routes map[string]bool) error {
	var missing []string
	need := func(name string, least int64) {
		if got := m.counted(phaseScheduled, name); got < least {
			missing = append(missing, fmt.Sprintf("scheduled.%s is %d, not %d", name, got, least))
		}
	}
	need(countCommitted, 1)
	if m.Rounds >= longRounds {
		need(countCommitted, longCommits)
		need(countPages, leastInjection)
		need(countCuts, leastInjection)
		need("deliveries", 1)
		need(countRepeated, 1)
		if m.Delivery == Delta {
			need(countPartial, 1)
		}
	}
	if m.Profile == Populated {
		for _, route := range mandatory {
			if !routes[route] {
				missing = append(missing, "the setup never had a success of "+route)
			}
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("the run was idle: %s", strings.Join(missing, "; "))
	}
	return nil
}
