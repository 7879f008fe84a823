package canon

import (
	"reflect"
	"slices"
	"sync"
	"unsafe"
)

// Append appends the canonical bytes of *v. It panics if T is not codec-able
// (see Check), if a string in *v is not valid UTF-8, or if an integer exceeds
// MaxInt. Raw values are embedded as they are.
func Append[T any](dst []byte, v *T) []byte {
	if dst == nil {
		return Marshal(v)
	}
	return codecFor[T]().append(dst, unsafe.Pointer(v))
}

// Marshal returns the canonical bytes of *v in a slice of its own that has no
// room to spare. It panics where Append does.
func Marshal[T any](v *T) []byte {
	scratch := scratches.Get().(*[]byte)
	*scratch = codecFor[T]().append((*scratch)[:0], unsafe.Pointer(v))
	out := make([]byte, len(*scratch))
	copy(out, *scratch)
	if cap(*scratch) <= scratchLimit {
		scratches.Put(scratch)
	}
	return out
}

// Marshal writes to a scratch buffer first, so that it allocates once and
// exactly. Larger buffers than scratchLimit are not kept.
const (
	scratchSize  = 4 << 10
	scratchLimit = 256 << 10
)

var scratches = sync.Pool{New: func() any {
	scratch := make([]byte, 0, scratchSize)
	return &scratch
}}

// append writes the value at p, whose type is c.typ.
func (c *codec) append(dst []byte, p unsafe.Pointer) []byte {
	switch c.kind {
	case kindString:
		return AppendString(dst, *(*string)(p))
	case kindBool:
		if *(*bool)(p) {
			return append(dst, "true"...)
		}
		return append(dst, "false"...)
	case kindInt, kindInt8, kindInt16, kindInt32, kindInt64:
		return AppendInt(dst, c.loadInt(p))
	case kindRaw:
		if raw := *(*Raw)(p); len(raw) > 0 {
			return append(dst, raw...)
		}
		return append(dst, "null"...)
	case kindStringPointer:
		return appendStringPointer(dst, *(**string)(p))
	case kindPointer:
		if target := *(*unsafe.Pointer)(p); target != nil {
			return c.elem.append(dst, target)
		}
		return append(dst, "null"...)
	case kindStruct:
		return c.appendStruct(dst, p)
	case kindStrings, kindSlice:
		return c.appendSlice(dst, p)
	case kindStringMap:
		return appendStringMap(dst, *(*map[string]string)(p))
	default:
		return c.appendMap(dst, p)
	}
}

func appendStringPointer(dst []byte, s *string) []byte {
	if s == nil {
		return append(dst, "null"...)
	}
	return AppendString(dst, *s)
}

func (c *codec) loadInt(p unsafe.Pointer) int64 {
	switch c.kind {
	case kindInt:
		return int64(*(*int)(p))
	case kindInt8:
		return int64(*(*int8)(p))
	case kindInt16:
		return int64(*(*int16)(p))
	case kindInt32:
		return int64(*(*int32)(p))
	default:
		return *(*int64)(p)
	}
}

// empty reports whether omitempty leaves out the value at p.
func (c *codec) empty(p unsafe.Pointer) bool {
	switch c.kind {
	case kindString:
		return len(*(*string)(p)) == 0
	case kindBool:
		return !*(*bool)(p)
	case kindInt, kindInt8, kindInt16, kindInt32, kindInt64:
		return c.loadInt(p) == 0
	case kindRaw, kindStrings, kindSlice:
		return len(*(*[]struct{})(p)) == 0
	case kindPointer, kindStringPointer:
		return *(*unsafe.Pointer)(p) == nil
	case kindStringMap:
		return len(*(*map[string]string)(p)) == 0
	case kindMap:
		return reflect.NewAt(c.typ, p).Elem().Len() == 0
	default:
		return false
	}
}

func (c *codec) appendStruct(dst []byte, p unsafe.Pointer) []byte {
	dst = append(dst, '{')
	comma := 1 // cuts the comma off the first key
	for i := range c.fields {
		f := &c.fields[i]
		at := unsafe.Add(p, f.offset)
		if f.omit && f.codec.empty(at) {
			continue
		}
		dst = append(dst, f.key[comma:]...)
		comma = 0
		switch f.kind {
		case kindString:
			dst = AppendString(dst, *(*string)(at))
		case kindStringPointer:
			dst = appendStringPointer(dst, *(**string)(at))
		case kindInt64:
			dst = AppendInt(dst, *(*int64)(at))
		default:
			dst = f.codec.append(dst, at)
		}
	}
	return append(dst, '}')
}

func (c *codec) appendSlice(dst []byte, p unsafe.Pointer) []byte {
	n := len(*(*[]struct{})(p))
	base := *(*unsafe.Pointer)(p)
	dst = append(dst, '[')
	for i := range n {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = c.elem.append(dst, unsafe.Add(base, uintptr(i)*c.elem.size))
	}
	return append(dst, ']')
}

// pairRoom is how many map entries are sorted without an allocation.
const pairRoom = 16

type pair struct{ key, value string }

// appendStringMap serves every map of string kind to string kind: they have
// one memory layout.
func appendStringMap(dst []byte, m map[string]string) []byte {
	var room [pairRoom]pair
	pairs := room[:0]
	for key, value := range m { //worlds:sorted by the next statement
		pairs = append(pairs, pair{key, value})
	}
	slices.SortFunc(pairs, func(a, b pair) int { return CompareKeys(a.key, b.key) })
	dst = append(dst, '{')
	for i := range pairs {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(AppendString(dst, pairs[i].key), ':')
		dst = AppendString(dst, pairs[i].value)
	}
	return append(dst, '}')
}

func (c *codec) appendMap(dst []byte, p unsafe.Pointer) []byte {
	m := reflect.NewAt(c.typ, p).Elem()
	keys := m.MapKeys() //worlds:sorted by the next statement
	slices.SortFunc(keys, func(a, b reflect.Value) int { return CompareKeys(a.String(), b.String()) })
	value := reflect.New(c.typ.Elem())
	dst = append(dst, '{')
	for i, key := range keys {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(AppendString(dst, key.String()), ':')
		value.Elem().Set(m.MapIndex(key))
		dst = c.elem.append(dst, value.UnsafePointer())
	}
	return append(dst, '}')
}
