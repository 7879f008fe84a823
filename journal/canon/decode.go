package canon

import (
	"reflect"
	"unsafe"
)

// Unmarshal decodes data into *v, which is set to its zero value first. data
// must be exactly one canonical value of T's shape: anything else, an unknown
// member included, is an *Error, and *v is zero again. A missing member leaves
// its field zero. Strings are copied; Raw fields may alias data. It panics if
// T is not codec-able (see Check).
func Unmarshal[T any](data []byte, v *T) error {
	c := codecFor[T]()
	var zero T
	*v = zero
	d := decoder{scanner: scanner{data: data}}
	err := d.decode(c, unsafe.Pointer(v))
	if err == nil {
		err = d.end()
	}
	if err != nil {
		*v = zero
	}
	return err.rooted()
}

// arenaSize is the size of the blocks that decoded strings are cut from.
const arenaSize = 1024

// headCount is how many targets of string pointers are allocated together.
const headCount = 8

// countLimit bounds how many elements a slice reserves before it has read
// them.
const countLimit = 64

type decoder struct {
	scanner
	arena []byte   // strings handed out so far, and room for more
	heads []string // targets of string pointers, and room for more
}

// decode reads one value into p, which points to a zero value of type c.typ.
func (d *decoder) decode(c *codec, p unsafe.Pointer) *Error {
	switch c.kind {
	case kindString:
		s, err := d.text()
		if err != nil {
			return err
		}
		*(*string)(p) = s
		return nil
	case kindBool:
		switch {
		case d.take("true"):
			*(*bool)(p) = true
		case !d.take("false"):
			return d.mismatch("true or false")
		}
		return nil
	case kindInt, kindInt8, kindInt16, kindInt32, kindInt64:
		return d.int(c, p)
	case kindRaw:
		return d.raw(p)
	case kindStringPointer:
		if d.take("null") {
			return nil
		}
		s, err := d.text()
		*(**string)(p) = d.head(s)
		return err
	case kindPointer:
		if d.take("null") {
			return nil
		}
		target := reflect.New(c.elem.typ).UnsafePointer()
		*(*unsafe.Pointer)(p) = target
		return d.decode(c.elem, target)
	case kindStruct:
		return d.structure(c, p)
	case kindStrings:
		return d.strings(p)
	case kindSlice:
		return d.slice(c, p)
	case kindStringMap:
		return d.stringMap(p)
	default:
		return d.table(c, p)
	}
}

// mismatch words a value of another type than want.
func (d *decoder) mismatch(want string) *Error {
	found := ""
	switch c := d.peek(); {
	case c == '"':
		found = "a string"
	case c == '{':
		found = "an object"
	case c == '[':
		found = "an array"
	case c == 't' || c == 'f':
		found = "a boolean"
	case c == 'n':
		found = "null"
	case c == '-' || '0' <= c && c <= '9':
		found = "a number"
	default:
		return unexpected(d.data, d.pos, want)
	}
	return fail(d.pos, "found "+found+" where "+want+" should stand")
}

func (d *decoder) text() (string, *Error) {
	if d.peek() != '"' {
		return "", d.mismatch("a string")
	}
	body, escaped, err := d.str()
	if err != nil {
		return "", err
	}
	return d.keep(body, escaped), nil
}

// keep copies body into the arena. The bytes of a string there are written
// once, before it is handed out.
func (d *decoder) keep(body []byte, escaped bool) string {
	if len(body) == 0 {
		return ""
	}
	if cap(d.arena)-len(d.arena) < len(body) {
		if len(body) >= arenaSize/4 {
			if escaped {
				body = appendUnescaped(make([]byte, 0, len(body)), body)
			}
			return string(body)
		}
		d.arena = make([]byte, 0, min(arenaSize, len(body)+len(d.data)-d.pos))
	}
	start := len(d.arena)
	if escaped {
		d.arena = appendUnescaped(d.arena, body)
	} else {
		d.arena = append(d.arena, body...)
	}
	return unsafe.String(&d.arena[start], len(d.arena)-start)
}

// head returns a pointer to s.
func (d *decoder) head(s string) *string {
	if len(d.heads) == cap(d.heads) {
		d.heads = make([]string, 0, headCount)
	}
	d.heads = append(d.heads, s)
	return &d.heads[len(d.heads)-1]
}

func (d *decoder) int(c *codec, p unsafe.Pointer) *Error {
	if b := d.peek(); b != '-' && (b < '0' || b > '9') {
		return d.mismatch("an integer")
	}
	value, n, err := integer(d.data, d.pos)
	if err != nil {
		return err
	}
	switch c.kind {
	case kindInt:
		*(*int)(p) = int(value)
	case kindInt8:
		*(*int8)(p) = int8(value)
	case kindInt16:
		*(*int16)(p) = int16(value)
	case kindInt32:
		*(*int32)(p) = int32(value)
	default:
		*(*int64)(p) = value
	}
	if c.loadInt(p) != value {
		return fail(d.pos, "number does not fit in "+c.typ.Kind().String())
	}
	d.pos += n
	return nil
}

func (d *decoder) raw(p unsafe.Pointer) *Error {
	start := d.pos
	if err := d.value(); err != nil {
		return err
	}
	if raw := d.data[start:d.pos:d.pos]; string(raw) != "null" {
		*(*Raw)(p) = raw
	}
	return nil
}

// structure reads an object into a struct. Members and fields are in the same
// order, so one walk over both finds each member's field.
func (d *decoder) structure(c *codec, p unsafe.Pointer) *Error {
	if d.peek() != '{' {
		return d.mismatch("an object")
	}
	if err := d.enter(); err != nil {
		return err
	}
	if d.peek() == '}' {
		d.leave()
		return nil
	}
	next := 0
	for {
		for next < len(c.fields) && !d.take(c.fields[next].key[1:]) {
			next++
		}
		if next == len(c.fields) {
			return d.unknown(c)
		}
		f := &c.fields[next]
		next++
		if err := d.decode(f.codec, unsafe.Add(p, f.offset)); err != nil {
			return err.member([]byte(f.name))
		}
		last, err := d.more('}', "',' or '}'")
		if err != nil || last {
			return err
		}
	}
}

// unknown words the member at pos, which matches no field that is left.
func (d *decoder) unknown(c *codec) *Error {
	at := d.pos
	key, err := d.key()
	if err != nil {
		return err
	}
	for i := range c.fields {
		if c.fields[i].name == string(key) {
			return fail(at, "key repeated or out of order").member(key)
		}
	}
	return fail(at, "unknown member").member(key)
}

func (d *decoder) strings(p unsafe.Pointer) *Error {
	n, err := d.openArray()
	if n == 0 || err != nil {
		return err
	}
	list := make([]string, 0, min(n, countLimit))
	for i := 0; ; i++ {
		s, err := d.text()
		if err != nil {
			return err.element(i)
		}
		list = append(list, s)
		last, err := d.more(']', "',' or ']'")
		if err != nil {
			return err
		}
		if last {
			*(*[]string)(p) = list
			return nil
		}
	}
}

// openArray steps into an array and counts its elements, or steps over an
// empty one.
func (d *decoder) openArray() (n int, err *Error) {
	if d.peek() != '[' {
		return 0, d.mismatch("an array")
	}
	if err := d.enter(); err != nil {
		return 0, err
	}
	if d.peek() == ']' {
		d.leave()
		return 0, nil
	}
	n = 1
	for i := d.pos + Skip(d.data[d.pos:]); n < countLimit && i < len(d.data) && d.data[i] == ','; n++ {
		i++
		i += Skip(d.data[i:])
	}
	return n, nil
}

func (d *decoder) slice(c *codec, p unsafe.Pointer) *Error {
	n, err := d.openArray()
	if n == 0 || err != nil {
		return err
	}
	list := reflect.NewAt(c.typ, p).Elem()
	list.Grow(n)
	for i := 0; ; i++ {
		if i == list.Cap() {
			list.Grow(1)
		}
		list.SetLen(i + 1)
		at := unsafe.Add(list.UnsafePointer(), uintptr(i)*c.elem.size)
		if err := d.decode(c.elem, at); err != nil {
			return err.element(i)
		}
		last, err := d.more(']', "',' or ']'")
		if err != nil || last {
			return err
		}
	}
}

func (d *decoder) stringMap(p unsafe.Pointer) *Error {
	var m map[string]string
	err := d.eachMember(func(key string) *Error {
		value, err := d.text()
		if m == nil {
			m = make(map[string]string)
		}
		m[key] = value
		return err
	})
	*(*map[string]string)(p) = m
	return err
}

// table reads an object into a map of any codec-able element.
func (d *decoder) table(c *codec, p unsafe.Pointer) *Error {
	m := reflect.NewAt(c.typ, p).Elem()
	return d.eachMember(func(key string) *Error {
		if m.IsNil() {
			m.Set(reflect.MakeMap(c.typ))
		}
		value := reflect.New(c.elem.typ)
		err := d.decode(c.elem, value.UnsafePointer())
		m.SetMapIndex(reflect.ValueOf(key).Convert(c.typ.Key()), value.Elem())
		return err
	})
}

// eachMember reads an object with any keys: read gets each key and reads the
// value.
func (d *decoder) eachMember(read func(key string) *Error) *Error {
	if d.peek() != '{' {
		return d.mismatch("an object")
	}
	if err := d.enter(); err != nil {
		return err
	}
	if d.peek() == '}' {
		d.leave()
		return nil
	}
	var previous []byte
	for first := true; ; first = false {
		at := d.pos
		key, err := d.key()
		if err != nil {
			return err
		}
		if !first {
			if err := inOrder(previous, key, at); err != nil {
				return err
			}
		}
		previous = key
		if err := read(d.keep(key, false)); err != nil {
			return err.member(key)
		}
		last, err := d.more('}', "',' or '}'")
		if err != nil || last {
			return err
		}
	}
}
