package projection

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/tidwall/btree"
)

// named is what an index can hold.
type named interface {
	comparable
	name() string
}

// index finds things by name. It has no order that anybody may see: it is a
// trie of 64-way nodes over the names' hashes, because comparing numbers that
// lie side by side is several times faster than following pointers to strings.
// It copies as ordered does, except for clash, which wants fork.
type index[V named] struct {
	root *hashNode[V]
	// clash holds the names that found their hash taken by another name.
	clash btree.Map[string, V]
}

// hashNode is one level: a slot in use holds the one item whose hash leads
// there, or a kid when there are several.
type hashNode[V named] struct {
	owner *owner
	used  uint64 // slots that hold an item
	deep  uint64 // slots that hold a kid
	items []hashed[V]
	kids  []*hashNode[V]
}

type hashed[V named] struct {
	hash uint64
	v    V
}

func (x *index[V]) fork() index[V] { return index[V]{root: x.root, clash: fork(x.clash)} }

// own returns the node at p, replaced by a copy unless it is o's.
func (x *index[V]) own(p **hashNode[V], o *owner) *hashNode[V] {
	n := *p
	if n.owner != o {
		n = &hashNode[V]{owner: o, used: n.used, deep: n.deep, items: slices.Clone(n.items), kids: slices.Clone(n.kids)}
		*p = n
	}
	return n
}

// slotBit is the bit of the slot that h leads to, shift bits down.
func slotBit(h uint64, shift uint) uint64 { return 1 << (h >> shift & fanMask) }

// below is how many slots in use stand before that of bit.
func below(use, bit uint64) int { return bits.OnesCount64(use & (bit - 1)) }

// get returns the thing called name, the zero value if there is none.
func (x *index[V]) get(name string) (v V) {
	if v, ok := x.find(hash(name), name); ok {
		return v
	}
	if x.clash.Len() > 0 {
		v, _ = x.clash.Get(name)
	}
	return v
}

func (x *index[V]) find(h uint64, name string) (v V, ok bool) {
	n := x.root
	for shift := uint(0); n != nil; shift += fanBits {
		bit := slotBit(h, shift)
		if n.used&bit != 0 {
			item := &n.items[below(n.used, bit)]
			return item.v, item.hash == h && item.v.name() == name
		}
		if n.deep&bit == 0 {
			break
		}
		n = n.kids[below(n.deep, bit)]
	}
	return v, false
}

// put makes v what its name finds, and returns what it found before.
func (x *index[V]) put(o *owner, v V) (old V) {
	x.update(o, v.name(), func(found V) V {
		old = found
		return v
	})
	return old
}

// update makes what f returns the thing called name; f is told what name found
// before, the zero value if nothing.
func (x *index[V]) update(o *owner, name string, f func(V) V) {
	var none V
	h := hash(name)
	if x.root == nil {
		x.root = &hashNode[V]{owner: o}
	}
	p := &x.root
	for shift := uint(0); ; shift += fanBits {
		n := x.own(p, o)
		bit := slotBit(h, shift)
		i, k := below(n.used, bit), below(n.deep, bit)
		switch {
		case n.deep&bit != 0:
		case n.used&bit == 0:
			// What stood in a clash moves to the slot that has become free.
			found := none
			if x.clash.Len() > 0 {
				found, _ = x.clash.Delete(name)
			}
			n.used |= bit
			n.items = slices.Insert(n.items, i, hashed[V]{h, f(found)})
			return
		case n.items[i].hash != h:
			n.sink(o, bit, shift, i, k)
		case n.items[i].v.name() == name:
			n.items[i].v = f(n.items[i].v)
			return
		default:
			found, _ := x.clash.Get(name)
			x.clash.Set(name, f(found))
			return
		}
		p = &n.kids[k]
	}
}

// sink moves item i, which stands in the slot of bit, into a new kid there, k.
func (n *hashNode[V]) sink(o *owner, bit uint64, shift uint, i, k int) {
	item := n.items[i]
	kid := &hashNode[V]{owner: o, used: slotBit(item.hash, shift+fanBits), items: append(make([]hashed[V], 0, 2), item)}
	n.used &^= bit
	n.deep |= bit
	n.items = slices.Delete(n.items, i, i+1)
	n.kids = slices.Insert(n.kids, k, kid)
}

// delete removes what name finds, if anything.
func (x *index[V]) delete(o *owner, name string) {
	h := hash(name)
	if _, ok := x.find(h, name); !ok {
		x.clash.Delete(name)
		return
	}
	n := x.own(&x.root, o)
	if x.remove(n, o, h, 0); n.used|n.deep == 0 {
		x.root = nil
	}
}

// remove takes the item of hash h, which is there, out of n, which is o's.
func (x *index[V]) remove(n *hashNode[V], o *owner, h uint64, shift uint) {
	bit := slotBit(h, shift)
	if n.used&bit != 0 {
		i := below(n.used, bit)
		n.used &^= bit
		n.items = slices.Delete(n.items, i, i+1)
		return
	}
	k := below(n.deep, bit)
	kid := x.own(&n.kids[k], o)
	if x.remove(kid, o, h, shift+fanBits); kid.used|kid.deep == 0 {
		n.deep &^= bit
		n.kids = slices.Delete(n.kids, k, k+1)
	}
}

// hash mixes a string into 64 bits, eight bytes at a time. It is the same in
// every process; nothing that leaves a State depends on it.
func hash(s string) uint64 {
	const odd = 0x9E3779B97F4A7C15
	h := uint64(len(s)) + odd
	var lane [8]byte
	for len(s) >= len(lane) {
		copy(lane[:], s)
		h = mix(h ^ binary.LittleEndian.Uint64(lane[:]))
		s = s[len(lane):]
	}
	if len(s) > 0 {
		lane = [8]byte{}
		copy(lane[:], s)
		h = mix(h ^ binary.LittleEndian.Uint64(lane[:]))
	}
	return h
}

func mix(x uint64) uint64 {
	hi, lo := bits.Mul64(x, 0xD6E8FEB86659FD93)
	return hi ^ lo
}
