package crash

import (
	"fmt"
	"slices"
	"sync"

	"worlds/admin"
)

// attempt is one write of an agent, which can be repeated with its key.
type attempt struct {
	path, body, key string
	id              string // of what it made, "" while unknown
}

// ledger is what the clients know of one world.
type ledger struct {
	info    admin.CreatedWorld
	charges []string // that can be refunded

	mu      sync.Mutex
	acked   []*attempt
	unknown []*attempt        // sent, and the server died before it answered
	reset   bool              // a reset was under way
	deleted bool              // a delete was under way
	sent    map[string][]byte // bodies of deliveries, by event, since the last reset
}

// settled notes what came of an attempt: it was answered, or it is unknown.
func (l *ledger) settled(a *attempt, answered bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if answered {
		l.acked = append(l.acked, a)
	} else {
		l.unknown = append(l.unknown, a)
	}
}

// missing are the acknowledged attempts whose objects are not there.
func (l *ledger) missing(there map[string]bool) (list []string) {
	for _, a := range l.acked {
		if !there[a.id] {
			list = append(list, fmt.Sprintf("%s %s made %s", a.path, a.body, a.id))
		}
	}
	return list
}

// decide settles a reset that was under way: it happened if nothing is there.
func (l *ledger) decide(there map[string]bool) {
	if !l.reset {
		return
	}
	l.reset = false
	if len(l.missing(there)) > 0 {
		l.acked = slices.DeleteFunc(l.acked, func(a *attempt) bool { return !there[a.id] })
		if len(l.acked) == 0 {
			l.unknown, l.sent = nil, nil // they were before it
		}
	}
}
