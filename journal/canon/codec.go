package canon

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// kind selects how a codec reads and writes a value.
type kind uint8

const (
	kindString kind = iota
	kindBool
	kindInt
	kindInt8
	kindInt16
	kindInt32
	kindInt64
	kindRaw
	kindStringPointer
	kindPointer
	kindStruct
	kindStrings // slice of string kind
	kindSlice
	kindStringMap // map of string kind to string kind
	kindMap
)

// codec is a type compiled for reading and writing. It is immutable.
type codec struct {
	kind   kind
	typ    reflect.Type
	size   uintptr
	depth  int     // containers inside each other, itself included
	elem   *codec  // of pointers, slices and maps
	fields []field // of structs, in key order
}

// field is one member of a struct. key is the member's text up to its value
// with a comma in front: `,"name":`.
type field struct {
	name   string
	key    string
	offset uintptr
	kind   kind // the codec's, at hand
	omit   bool
	codec  *codec
}

// codecs caches the codec of each type that was asked for. Entries are only
// added, and a type always compiles to the same codec, so no outcome depends
// on what is in it.
var codecs sync.Map // reflect.Type → *codec

// Check reports whether T is codec-able. Its error names the type and field.
func Check[T any]() error {
	_, err := compile(reflect.TypeFor[T](), nil)
	if err != nil {
		return fmt.Errorf("canon: %w", err)
	}
	return nil
}

// codecFor returns the codec of T. It panics if T is not codec-able.
func codecFor[T any]() *codec {
	typ := reflect.TypeFor[T]()
	if c, ok := codecs.Load(typ); ok {
		return c.(*codec)
	}
	c, err := compile(typ, nil)
	if err != nil {
		panic("canon: " + err.Error())
	}
	codecs.Store(typ, c)
	return c
}

// compile makes the codec of typ. open lists the structs being compiled, to
// find recursion.
func compile(typ reflect.Type, open []reflect.Type) (*codec, error) {
	c := &codec{typ: typ, size: typ.Size()}
	var err error
	switch typ.Kind() {
	case reflect.String:
		c.kind = kindString
	case reflect.Bool:
		c.kind = kindBool
	case reflect.Int:
		c.kind = kindInt
	case reflect.Int8:
		c.kind = kindInt8
	case reflect.Int16:
		c.kind = kindInt16
	case reflect.Int32:
		c.kind = kindInt32
	case reflect.Int64:
		c.kind = kindInt64
	case reflect.Pointer:
		err = c.compilePointer(open)
	case reflect.Slice:
		err = c.compileSlice(open)
	case reflect.Map:
		err = c.compileMap(open)
	case reflect.Struct:
		err = c.compileStruct(open)
	default:
		err = fmt.Errorf("%s is not codec-able", typ)
	}
	if err == nil && c.depth > MaxDepth {
		err = fmt.Errorf("%s nests deeper than %d", typ, MaxDepth)
	}
	return c, err
}

func (c *codec) compileElem(open []reflect.Type) (err error) {
	if c.elem, err = compile(c.typ.Elem(), open); err != nil {
		return fmt.Errorf("%s: %w", c.typ, err)
	}
	c.depth = c.elem.depth
	return nil
}

func (c *codec) compilePointer(open []reflect.Type) error {
	c.kind = kindPointer
	if err := c.compileElem(open); err != nil {
		return err
	}
	switch c.elem.kind {
	case kindPointer, kindStringPointer, kindRaw:
		return fmt.Errorf("%s has two ways to be null", c.typ)
	}
	if c.elem.kind == kindString {
		c.kind = kindStringPointer
	}
	return nil
}

func (c *codec) compileSlice(open []reflect.Type) error {
	if c.typ == reflect.TypeFor[Raw]() {
		c.kind = kindRaw
		return nil
	}
	if err := c.compileElem(open); err != nil {
		return err
	}
	c.kind = kindSlice
	if c.elem.kind == kindString {
		c.kind = kindStrings
	}
	c.depth++
	return nil
}

func (c *codec) compileMap(open []reflect.Type) error {
	if c.typ.Key().Kind() != reflect.String {
		return fmt.Errorf("%s has keys that are not strings", c.typ)
	}
	if err := c.compileElem(open); err != nil {
		return err
	}
	c.kind = kindMap
	if c.elem.kind == kindString {
		c.kind = kindStringMap
	}
	c.depth++
	return nil
}

func (c *codec) compileStruct(open []reflect.Type) error {
	c.kind = kindStruct
	if slices.Contains(open, c.typ) {
		return fmt.Errorf("%s is recursive", c.typ)
	}
	if err := c.addFields(c.typ, 0, append(slices.Clip(open), c.typ)); err != nil {
		return err
	}
	slices.SortFunc(c.fields, func(a, b field) int { return CompareKeys(a.name, b.name) })
	for i, f := range c.fields {
		if i > 0 && c.fields[i-1].name == f.name {
			return fmt.Errorf("%s has two fields named %q", c.typ, f.name)
		}
		c.depth = max(c.depth, f.codec.depth)
	}
	c.depth++
	return nil
}

// addFields adds the fields of typ, which is c.typ or a struct embedded in it
// at offset.
func (c *codec) addFields(typ reflect.Type, offset uintptr, open []reflect.Type) error {
	had := len(c.fields)
	for i := range typ.NumField() {
		f := typ.Field(i)
		tag, tagged := f.Tag.Lookup("json")
		if f.Anonymous && !tagged && f.Type.Kind() == reflect.Struct {
			if slices.Contains(open, f.Type) {
				return fmt.Errorf("%s.%s: %s is recursive", typ, f.Name, f.Type)
			}
			inner := append(slices.Clip(open), f.Type)
			if err := c.addFields(f.Type, offset+f.Offset, inner); err != nil {
				return fmt.Errorf("%s.%s: %w", typ, f.Name, err)
			}
			continue
		}
		if f.Anonymous && f.Type.Kind() == reflect.Pointer {
			return fmt.Errorf("%s.%s: embedded pointer, embed the struct itself", typ, f.Name)
		}
		if !f.IsExported() && (!tagged || tag == "-") {
			continue
		}
		name, omit, err := parseTag(f, tag)
		if err != nil {
			return fmt.Errorf("%s.%s: %w", typ, f.Name, err)
		}
		inner, err := compile(f.Type, open)
		if err != nil {
			return fmt.Errorf("%s.%s: %w", typ, f.Name, err)
		}
		if omit && inner.kind == kindStruct {
			return fmt.Errorf("%s.%s: omitempty on a struct, use a pointer", typ, f.Name)
		}
		c.fields = append(c.fields, field{
			name:   name,
			key:    string(append(AppendString([]byte{','}, name), ':')),
			offset: offset + f.Offset,
			kind:   inner.kind,
			omit:   omit,
			codec:  inner,
		})
	}
	if len(c.fields) == had && typ.NumField() > 0 {
		return fmt.Errorf("%s has no exported field", typ)
	}
	return nil
}

// parseTag reads the json tag of f.
func parseTag(f reflect.StructField, tag string) (name string, omit bool, err error) {
	name, option, _ := strings.Cut(tag, ",")
	switch {
	case !f.IsExported():
		return "", false, fmt.Errorf("unexported field has a json tag")
	case tag == "-":
		return "", false, fmt.Errorf(`json:"-" on an exported field`)
	case name == "":
		return "", false, fmt.Errorf("exported field has no json name")
	case option != "" && option != "omitempty":
		return "", false, fmt.Errorf("json option %q is not supported", option)
	}
	return name, option == "omitempty", nil
}
