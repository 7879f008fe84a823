package world

import (
	"strconv"
	"strings"
)

// aliasPrefix begins the alias of an idempotency key; its place in the order of
// first use follows.
const aliasPrefix = "ik_"

// keyring knows the raw idempotency keys of a world and their places. What it has
// when the world is forked becomes a layer that both share.
type keyring struct {
	own   map[string]int
	below *layer
	count int
}

// layer is an immutable part of a keyring: of its keys, those with a place up to
// limit.
type layer struct {
	keys  map[string]int
	limit int
	below *layer
}

// layersMax is how many layers a keyring may have before they are made one.
const layersMax = 8

func newKeyring() *keyring { return &keyring{own: map[string]int{}} }

// alias returns the alias of a raw key, a new one at first use.
func (k *keyring) alias(raw string) (alias string, fresh bool) {
	n, ok := k.find(raw)
	if !ok {
		k.count++
		n, fresh = k.count, true
		k.own[strings.Clone(raw)] = n
	}
	return aliasPrefix + strconv.Itoa(n), fresh
}

func (k *keyring) find(raw string) (int, bool) {
	if n, ok := k.own[raw]; ok {
		return n, true
	}
	limit := k.count
	for l := k.below; l != nil; l = l.below {
		limit = min(limit, l.limit)
		if n, ok := l.keys[raw]; ok && n <= limit {
			return n, true
		}
	}
	return 0, false
}

// forget takes back the newest key.
func (k *keyring) forget(raw string) {
	delete(k.own, raw)
	k.count--
}

// learn takes a key from the journal.
func (k *keyring) learn(raw, alias string) {
	n, err := strconv.Atoi(strings.TrimPrefix(alias, aliasPrefix))
	if err != nil {
		return // keys that stand raw have no alias
	}
	k.own[raw] = n
	k.count = max(k.count, n)
}

// fork returns a keyring of the first count keys. It costs the same however many
// there are.
func (k *keyring) fork(count int) *keyring {
	if len(k.own) > 0 {
		k.below = &layer{keys: k.own, limit: k.count, below: k.below}
		k.own = map[string]int{}
		k.flatten()
	}
	if k.below == nil {
		return newKeyring()
	}
	return &keyring{own: map[string]int{}, count: count,
		below: &layer{keys: k.below.keys, limit: count, below: k.below.below}}
}

// flatten makes one layer of many.
func (k *keyring) flatten() {
	depth := 0
	for l := k.below; l != nil; l = l.below {
		depth++
	}
	if depth <= layersMax {
		return
	}
	all := map[string]int{}
	limit := k.count
	for l := k.below; l != nil; l = l.below {
		limit = min(limit, l.limit)
		for raw, n := range l.keys {
			if n <= limit {
				all[raw] = n
			}
		}
	}
	k.below = &layer{keys: all, limit: k.count}
}
