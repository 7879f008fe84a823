package projection

import (
	"math/bits"
	"slices"
)

const (
	// fanBits is how many bits of a key one level of an ordered map decides.
	fanBits = 6
	fanMask = 1<<fanBits - 1
)

// owner is the identity of whoever may change a node in place. It has a size
// so that two of them differ.
type owner struct{ _ byte }

// ordered maps numbers to values, in the order of the numbers: a trie of 64-way
// nodes that hold only the slots in use. Copying the struct copies the map; the
// two share every node that neither has changed since, which is what makes
// differ fast. A change names the State's owner: nodes of other owners are
// copied first. A map whose values are all nil is a set and stores bits alone.
type ordered[V any] struct {
	root  *node[V]
	depth uint32 // levels below the root; 0: the root is a leaf
	size  uint32
}

// node is one level: kids if it is an inner node, vals if it is a leaf, one for
// each bit set. Only the root of a map may be empty, and only while it grows.
type node[V any] struct {
	owner *owner
	bits  uint64
	kids  []*node[V]
	vals  []*V
}

// own returns the node at p, replaced by a copy unless it is o's.
func own[V any](p **node[V], o *owner) *node[V] {
	n := *p
	if n.owner != o {
		n = &node[V]{owner: o, bits: n.bits, kids: slices.Clone(n.kids), vals: slices.Clone(n.vals)}
		*p = n
	}
	return n
}

func slotAt(key uint64, level uint32) uint { return uint(key>>(level*fanBits)) & fanMask }

// find returns where the thing in slot stands, or would stand.
func (n *node[V]) find(slot uint) (i int, ok bool) {
	bit := uint64(1) << slot
	return bits.OnesCount64(n.bits & (bit - 1)), n.bits&bit != 0
}

// depthFor is the depth of a trie that has room for key.
func depthFor(key uint64) uint32 {
	return uint32(max(bits.Len64(key), 1)-1) / fanBits
}

func (m *ordered[V]) leaf(key uint64) *node[V] {
	if m.root == nil || depthFor(key) > m.depth {
		return nil
	}
	n := m.root
	for level := m.depth; level > 0; level-- {
		i, ok := n.find(slotAt(key, level))
		if !ok {
			return nil
		}
		n = n.kids[i]
	}
	return n
}

// get returns the value of key, nil if it is not there.
func (m *ordered[V]) get(key uint64) *V {
	n := m.leaf(key)
	if n == nil {
		return nil
	}
	return n.value(slotAt(key, 0))
}

func (n *node[V]) value(slot uint) *V {
	i, ok := n.find(slot)
	if !ok || n.vals == nil {
		return nil
	}
	return n.vals[i]
}

// set makes v the value of key.
func (m *ordered[V]) set(o *owner, key uint64, v *V) {
	if m.root == nil {
		m.root, m.depth = &node[V]{owner: o}, depthFor(key)
	}
	for m.depth < depthFor(key) {
		m.root = &node[V]{owner: o, bits: 1, kids: []*node[V]{m.root}}
		m.depth++
	}
	n := own(&m.root, o)
	for level := m.depth; level > 0; level-- {
		slot := slotAt(key, level)
		i, ok := n.find(slot)
		if !ok {
			n.bits |= 1 << slot
			n.kids = slices.Insert(n.kids, i, &node[V]{owner: o})
		}
		n = own(&n.kids[i], o)
	}
	slot := slotAt(key, 0)
	i, ok := n.find(slot)
	if !ok {
		n.bits |= 1 << slot
		m.size++
	}
	switch {
	case v == nil:
	case ok:
		n.vals[i] = v
	default:
		n.vals = slices.Insert(n.vals, i, v)
	}
}

// delete removes key if it is there.
func (m *ordered[V]) delete(o *owner, key uint64) {
	n := m.leaf(key)
	if n == nil || n.bits&(1<<slotAt(key, 0)) == 0 {
		return
	}
	if m.size == 1 {
		*m = ordered[V]{}
		return
	}
	m.size--
	own(&m.root, o).remove(o, key, m.depth)
}

// remove takes key, which is there, out of n, which is o's.
func (n *node[V]) remove(o *owner, key uint64, level uint32) {
	slot := slotAt(key, level)
	i, _ := n.find(slot)
	if level > 0 {
		kid := own(&n.kids[i], o)
		kid.remove(o, key, level-1)
		if kid.bits != 0 {
			return
		}
		n.kids = slices.Delete(n.kids, i, i+1)
	} else if n.vals != nil {
		n.vals = slices.Delete(n.vals, i, i+1)
	}
	n.bits &^= 1 << slot
}

// ascend yields the keys from first on, in order, until yield says false.
func (m *ordered[V]) ascend(first uint64, yield func(uint64, *V) bool) {
	if m.root != nil {
		m.root.ascend(m.depth, 0, first, yield)
	}
}

func (n *node[V]) ascend(level uint32, base, first uint64, yield func(uint64, *V) bool) bool {
	skip := uint64(0)
	if first > base {
		if skip = (first - base) >> (level * fanBits); skip > fanMask {
			return true
		}
	}
	todo := n.bits &^ (1<<skip - 1)
	for i := bits.OnesCount64(n.bits &^ todo); todo != 0; i++ {
		key := base | uint64(bits.TrailingZeros64(todo))<<(level*fanBits)
		todo &= todo - 1
		if level > 0 {
			if !n.kids[i].ascend(level-1, key, first, yield) {
				return false
			}
		} else if !yield(key, n.nth(i)) {
			return false
		}
	}
	return true
}

// descend yields the keys from last down, in order, until yield says false.
func (m *ordered[V]) descend(last uint64, yield func(uint64, *V) bool) {
	if m.root != nil {
		m.root.descend(m.depth, 0, last, yield)
	}
}

func (n *node[V]) descend(level uint32, base, last uint64, yield func(uint64, *V) bool) bool {
	if last < base {
		return true
	}
	todo := n.bits
	if top := (last - base) >> (level * fanBits); top < fanMask {
		todo &= 2<<top - 1
	}
	for i := bits.OnesCount64(todo) - 1; todo != 0; i-- {
		slot := bits.Len64(todo) - 1
		key := base | uint64(slot)<<(level*fanBits)
		todo &^= 1 << slot
		if level > 0 {
			if !n.kids[i].descend(level-1, key, last, yield) {
				return false
			}
		} else if !yield(key, n.nth(i)) {
			return false
		}
	}
	return true
}

func (n *node[V]) nth(i int) *V {
	if n.vals == nil {
		return nil
	}
	return n.vals[i]
}

// differ yields, in the order of the keys, the values that differ between two
// maps of values; nil stands for none. What they share costs nothing.
func differ[V any](a, b *ordered[V], yield func(was, is *V)) {
	level := max(a.depth, b.depth)
	differAt(level, a.root, a.depth, b.root, b.depth, yield)
}

// differAt compares two nodes seen from level; their own levels may be lower.
func differAt[V any](level uint32, a *node[V], la uint32, b *node[V], lb uint32, yield func(was, is *V)) {
	if a == b {
		return
	}
	for todo := a.bitsAt(la, level) | b.bitsAt(lb, level); todo != 0; todo &= todo - 1 {
		slot := uint(bits.TrailingZeros64(todo))
		if level > 0 {
			ka, kb := a.kidAt(la, level, slot), b.kidAt(lb, level, slot)
			differAt(level-1, ka, min(la, level-1), kb, min(lb, level-1), yield)
			continue
		}
		var was, is *V
		if a != nil {
			was = a.value(slot)
		}
		if b != nil {
			is = b.value(slot)
		}
		if was != is {
			yield(was, is)
		}
	}
}

// bitsAt is which slots n, whose own level is own, fills at level.
func (n *node[V]) bitsAt(own, level uint32) uint64 {
	switch {
	case n == nil:
		return 0
	case own < level:
		return 1
	}
	return n.bits
}

// kidAt is what n, whose own level is own, holds in slot at level.
func (n *node[V]) kidAt(own, level uint32, slot uint) *node[V] {
	if n == nil || own < level && slot > 0 {
		return nil
	}
	if own < level {
		return n
	}
	i, ok := n.find(slot)
	if !ok {
		return nil
	}
	return n.kids[i]
}
