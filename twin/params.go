package twin

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"worlds/journal/canon"
)

// Parameter structs are the allow-list of a route. A field is an Opt (or, for
// path segments, a string) with a tag:
//
//	ID     string              `path:"id"`
//	Amount twin.Opt[twin.Money] `param:"amount" rule:"min=1,max=99999999"`
//
// Rules: required; empty (may be sent empty, to unset); min=, max= (integers);
// len= (characters of a text); enum=a|b|c (in the vendor's order; a type of text that has
// many says them by a method Words() []string); email (its form); now (a
// text that is the word now, or an integer with its min= and max=); older (only a Shape's
// alias gives it, no request). An Opt's type is a
// string, an integer, a bool, Metadata, a struct of such fields or a slice of
// structs or scalars, or canon.Raw for any JSON value. A struct with a field Eq,
// such as Range, may also be sent as one value. Embedded structs contribute their
// fields. A slice of structs that have a string field tagged `key:""` is a map: the
// field is each element's key.
//
// In a JSON body null clears a parameter with the rule empty and says nothing of
// any other; "" is a value; integers are numbers, or texts of digits, and booleans true and
// false.
//
// A struct whose pointer has the method Check() *Error is asked, once every
// field is good, for what no single field can tell.
//
// Of several violations one is named: kinds and ranges first, in the order in which
// the parameters were sent, at any depth; then what is missing, an object's own
// parameters before those within them, in the order of their names; then Check.

// checker is what a parameter struct implements for rules across fields.
type checker interface{ Check() *Error }

// worded is a type of texts that says which there are.
type worded interface{ Words() []string }

// plan is a parameter struct compiled once.
type plan struct {
	fields []field
	byName map[string]int
	paths  []field
	key    []int // where the key of an element of a map is
	// required are the fields that must be there, by name; exacting says that there are
	// some, here or deeper.
	required []int
	exacting bool
}

type field struct {
	name     string
	index    []int
	required bool
	empty    bool
	older    bool
	email    bool
	now      bool
	hasMin   bool
	hasMax   bool
	min, max int64
	length   int
	enum     []string
	sub      *plan // struct, or element struct of a slice
	list     bool
	free     bool // Metadata: any key
	ranged   bool // a struct that may also be sent as one value, its Eq
	any      bool // canon.Raw: any JSON value
	typ      reflect.Type
}

// presenceField and valueField are the positions in Opt.
const (
	valueField = 0
	stateField = 1
)

// compile builds the plan of a parameter struct; it panics on a struct that
// breaks the rules above, which is our own mistake.
func compile(t reflect.Type) *plan {
	p := &plan{byName: map[string]int{}}
	p.collect(t, nil)
	for i := range p.fields {
		f := &p.fields[i]
		if f.required {
			p.required = append(p.required, i)
		}
		p.exacting = p.exacting || f.required || f.sub != nil && f.sub.exacting
	}
	slices.SortFunc(p.required, func(a, b int) int { return strings.Compare(p.fields[a].name, p.fields[b].name) })
	return p
}

func (p *plan) collect(t reflect.Type, prefix []int) {
	for i := range t.NumField() {
		sf := t.Field(i)
		index := append(append([]int(nil), prefix...), i)
		if sf.Anonymous {
			p.collect(sf.Type, index)
			continue
		}
		if name := sf.Tag.Get("path"); name != "" {
			p.paths = append(p.paths, field{name: name, index: index})
			continue
		}
		if _, ok := sf.Tag.Lookup("key"); ok {
			p.key = index
			continue
		}
		name := sf.Tag.Get("param")
		if name == "-" {
			continue
		}
		if name == "" || !strings.HasPrefix(sf.Type.Name(), "Opt[") {
			panic(fmt.Sprintf("twin: %s.%s is not a parameter", t, sf.Name))
		}
		f := field{name: name, index: index, length: StringMax}
		f.rules(sf.Tag.Get("rule"), t, sf.Name)
		f.shape(sf.Type.Field(valueField).Type)
		p.byName[name] = len(p.fields)
		p.fields = append(p.fields, f)
	}
}

func (f *field) shape(v reflect.Type) {
	f.typ = v
	if w, ok := reflect.Zero(v).Interface().(worded); ok {
		f.enum = w.Words()
	}
	switch {
	case v == reflect.TypeFor[Metadata]():
		f.free, f.empty = true, true
	case v == reflect.TypeFor[canon.Raw]():
		f.any = true
	case v.Kind() == reflect.Struct:
		_, f.ranged = v.FieldByName("Eq")
		f.sub = compile(v)
	case v.Kind() == reflect.Slice:
		f.list = true
		if v.Elem().Kind() == reflect.Struct {
			f.sub = compile(v.Elem())
		}
	}
}

func (f *field) rules(tag string, t reflect.Type, name string) {
	for _, rule := range strings.Split(tag, ",") {
		key, val, _ := strings.Cut(rule, "=")
		switch key {
		case "":
		case "required":
			f.required = true
		case "empty":
			f.empty = true
		case "email":
			f.email = true
		case "now":
			f.now = true
		case "older":
			f.older = true
		case "min":
			f.hasMin, f.min = true, mustInt(val)
		case "max":
			f.hasMax, f.max = true, mustInt(val)
		case "len":
			f.length = int(mustInt(val))
		case "enum":
			f.enum = strings.Split(val, "|")
		default:
			panic(fmt.Sprintf("twin: %s.%s: unknown rule %q", t, name, key))
		}
	}
}

func mustInt(s string) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		panic("twin: bad rule number " + s)
	}
	return n
}

// unknown lists the parameters of n that the plan has no field for, at any
// depth, in the order they came.
func (p *plan) unknown(n *Node, prefix string, names []string) []string {
	for _, k := range n.Kids {
		path := join(prefix, k.label())
		i, ok := p.byName[k.Name]
		if !ok || k.index >= 0 || p.fields[i].older && !k.renamed {
			names = append(names, path)
			continue
		}
		f := &p.fields[i]
		switch {
		case f.list && f.sub != nil:
			for _, e := range k.Kids {
				if e.index >= 0 || f.sub.key != nil {
					names = f.sub.unknown(e, join(path, e.label()), names)
				}
			}
		case f.sub != nil:
			names = f.sub.unknown(k, path, names)
		}
	}
	return names
}

func join(prefix, name string) string {
	if prefix == "" {
		return name
	}
	return prefix + "[" + name + "]"
}

// bind fills dst (the struct) from n and returns the first violation.
func (p *plan) bind(dst reflect.Value, n *Node, prefix string) *Violation {
	if v := p.fill(dst, n, prefix); v != nil || !p.exacting {
		return v
	}
	return p.missing(dst, n, prefix)
}

// fill is bind without a look at what is missing.
func (p *plan) fill(dst reflect.Value, n *Node, prefix string) *Violation {
	for _, k := range n.Kids {
		f := &p.fields[p.byName[k.Name]]
		opt := dst.FieldByIndex(f.index)
		if v := f.bind(opt, k, join(prefix, k.label())); v != nil {
			return v
		}
	}
	return nil
}

// missing is the first parameter that must be there and is not.
func (p *plan) missing(dst reflect.Value, n *Node, prefix string) *Violation {
	state := func(f *field) presence { return presence(dst.FieldByIndex(f.index).Field(stateField).Uint()) }
	for _, i := range p.required {
		if f := &p.fields[i]; state(f) == absent {
			return &Violation{Kind: Missing, Param: join(prefix, f.name)}
		}
	}
	for _, k := range n.Kids {
		f := &p.fields[p.byName[k.Name]]
		if f.sub == nil || !f.sub.exacting || state(f) != given {
			continue
		}
		at, v := join(prefix, k.label()), dst.FieldByIndex(f.index).Field(valueField)
		if !f.list {
			if bad := f.sub.missing(v, k, at); bad != nil {
				return bad
			}
			continue
		}
		for i, e := range k.Kids {
			if bad := f.sub.missing(v.Index(i), e, join(at, e.label())); bad != nil {
				return bad
			}
		}
	}
	return nil
}

func (f *field) bind(opt reflect.Value, k *Node, path string) *Violation {
	if k.blank() {
		switch {
		case f.empty:
			setState(opt, cleared)
		case k.raw == nil:
			return &Violation{Kind: EmptyNotAllowed, Param: path}
		}
		return nil
	}
	v := opt.Field(valueField)
	var bad *Violation
	switch {
	case f.free:
		bad = bindMetadata(v, k, path)
	case f.any:
		v.SetBytes(k.appendCanonical(nil))
	case f.ranged && len(k.Kids) == 0 && !k.is("{["):
		bad = f.scalar(v.FieldByName("Eq").Field(valueField), k, path)
		setState(v.FieldByName("Eq"), given)
	case f.list:
		bad = f.bindList(v, k, path)
	case f.sub != nil:
		if !k.object() {
			return &Violation{Kind: BadType, Param: path, Value: k.Value, Want: "object"}
		}
		bad = f.sub.fill(v, k, path)
	default:
		bad = f.scalar(v, k, path)
	}
	if bad == nil {
		setState(opt, given)
	}
	return bad
}

func setState(opt reflect.Value, s presence) {
	field := opt.Field(stateField)
	*(*presence)(field.Addr().UnsafePointer()) = s
}

func (f *field) bindList(v reflect.Value, k *Node, path string) *Violation {
	keyed := f.sub != nil && f.sub.key != nil
	switch {
	case keyed && !k.object():
		return &Violation{Kind: BadType, Param: path, Value: k.Value, Want: "object"}
	case !keyed && !k.array():
		return &Violation{Kind: BadType, Param: path, Value: k.Value, Want: "array"}
	}
	v.Set(reflect.MakeSlice(v.Type(), len(k.Kids), len(k.Kids)))
	for i, e := range k.Kids {
		at := join(path, e.label())
		var bad *Violation
		switch {
		case f.sub == nil:
			bad = f.scalar(v.Index(i), e, at)
		case !e.object():
			bad = &Violation{Kind: BadType, Param: at, Value: e.Value, Want: "object"}
		default:
			bad = f.sub.fill(v.Index(i), e, at)
		}
		if keyed {
			v.Index(i).FieldByIndex(f.sub.key).SetString(e.label())
		}
		if bad != nil {
			return bad
		}
	}
	return nil
}

func (f *field) scalar(v reflect.Value, k *Node, path string) *Violation {
	switch want := wantOf(v.Kind()); {
	case len(k.Kids) == 0:
	case want == "integer" && k.raw == nil:
		return &Violation{Kind: BadInteger, Param: path, Value: k.shown()}
	default:
		return &Violation{Kind: BadType, Param: path, Value: k.shown(), Want: want}
	}
	if bad := k.mistyped(wantOf(v.Kind()), path); bad != nil {
		return bad
	}
	switch v.Kind() {
	case reflect.String:
		return f.text(v, k.Value, path)
	case reflect.Bool:
		switch k.Value {
		case "true", "True": // stripe-python writes Python's words
			v.SetBool(true)
		case "false", "False":
			v.SetBool(false)
		default:
			return &Violation{Kind: BadType, Param: path, Value: k.Value, Want: "boolean"}
		}
	default:
		n, bad := f.integer(k.Value, path)
		if bad != nil {
			return bad
		}
		v.SetInt(n)
	}
	return nil
}

func (f *field) integer(s, path string) (int64, *Violation) {
	n, ok := plainInt(s)
	switch {
	case !ok:
		return 0, &Violation{Kind: BadInteger, Param: path, Value: s}
	case f.hasMin && n < f.min:
		return 0, &Violation{Kind: BelowMin, Param: path, Value: s, Limit: f.min}
	case f.hasMax && n > f.max:
		return 0, &Violation{Kind: AboveMax, Param: path, Value: s, Limit: f.max}
	}
	return n, nil
}

func (f *field) text(v reflect.Value, s, path string) *Violation {
	if len(s) > f.length && utf8.RuneCountInString(s) > f.length {
		return &Violation{Kind: TooLong, Param: path, Value: s, Limit: int64(f.length)}
	}
	if v.Type() == reflect.TypeFor[Decimal]() && !plainDecimal(s) {
		return &Violation{Kind: BadType, Param: path, Value: s, Want: "decimal"}
	}
	if f.enum != nil {
		ok := false
		for _, e := range f.enum {
			ok = ok || e == s
		}
		if !ok {
			return &Violation{Kind: BadEnum, Param: path, Value: s, Options: f.enum}
		}
	}
	if f.now && s != "now" {
		if _, bad := f.integer(s, path); bad != nil {
			return bad
		}
	}
	if f.email && !isEmail(s) {
		return &Violation{Kind: BadEmail, Param: path, Value: s}
	}
	v.SetString(s)
	return nil
}

// isEmail reports text of the form local@domain, without blanks and with a domain of
// words and points.
func isEmail(s string) bool {
	local, domain, ok := strings.Cut(s, "@")
	if !ok || local == "" || strings.HasPrefix(local, ".") || strings.HasSuffix(local, ".") || strings.ContainsAny(s, " \t\r\n<>()[],;:\\\"") {
		return false
	}
	for label := range strings.SplitSeq(domain, ".") {
		if label == "" || strings.HasPrefix(label, "-") || strings.HasSuffix(label, "-") || strings.ContainsAny(label, "@_!#$%&'*+/=?^`{|}~") {
			return false
		}
	}
	return true
}

func wantOf(k reflect.Kind) string {
	switch k {
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "boolean"
	}
	return "integer"
}

// plainInt reads an optional minus and decimal digits, nothing else, within 53
// bits: money is never guessed at.
func plainInt(s string) (int64, bool) {
	digits := strings.TrimPrefix(s, "-")
	if digits == "" || len(digits) > 16 {
		return 0, false
	}
	for i := 0; i < len(digits); i++ {
		if digits[i] < '0' || digits[i] > '9' {
			return 0, false
		}
	}
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil && n <= 1<<53-1 && n >= -(1<<53-1)
}

// plainDecimal reports an optional minus, digits, and perhaps a point and digits.
func plainDecimal(s string) bool {
	whole, fraction, pointed := strings.Cut(strings.TrimPrefix(s, "-"), ".")
	digits := func(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
	return digits(whole) && (!pointed || digits(fraction))
}

// What of a metadata pair is too long.
const (
	metadataKey   = "key"
	metadataValue = "value"
)

func bindMetadata(v reflect.Value, k *Node, path string) *Violation {
	if len(k.Kids) == 0 || !k.object() || slices.ContainsFunc(k.Kids, func(e *Node) bool { return e.Name == "" }) { // a list has no keys
		return &Violation{Kind: BadType, Param: path, Value: k.Value, Want: "object"}
	}
	m := make(Metadata, len(k.Kids))
	for _, e := range k.Kids {
		key := e.label()
		at := join(path, key)
		switch {
		case len(e.Kids) > 0:
			return &Violation{Kind: BadType, Param: at, Value: e.shown(), Want: "string"}
		case utf8.RuneCountInString(key) > MetadataKeyMax:
			return &Violation{Kind: TooLong, Param: at, Value: key, Want: metadataKey, Limit: MetadataKeyMax}
		case utf8.RuneCountInString(e.Value) > MetadataValMax:
			return &Violation{Kind: TooLong, Param: at, Value: e.Value, Want: metadataValue, Limit: MetadataValMax}
		}
		m[key] = e.Value
	}
	v.Set(reflect.ValueOf(m))
	return nil
}
