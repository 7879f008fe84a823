package twin

import "reflect"

// Param is one parameter of a route's table, as a document or a test wants it.
type Param struct {
	Name     string
	Type     ParamType
	Required bool
	Unset    bool     // may be sent empty
	Enum     []string // of a text: what it may be; nil for anything
	HasMin   bool     // of an integer
	HasMax   bool
	Min, Max int64
	Fields   []Param // of an object, or of the elements of a list or map of objects
	Elem     ParamType
}

// ParamType is the type of a parameter.
type ParamType string

// The types. A range is an object of bounds or one integer; a map has any keys.
const (
	TextParam    ParamType = "string"
	IntegerParam ParamType = "integer"
	BooleanParam ParamType = "boolean"
	DecimalParam ParamType = "decimal"
	ListParam    ParamType = "array"
	ObjectParam  ParamType = "object"
	RangeParam   ParamType = "range"
	MapParam     ParamType = "map"
	AnyParam     ParamType = "any"
)

// Table lists the parameters of the route, in the order of its struct.
func (r *Route) Table() []Param { return r.plan.table() }

func (p *plan) table() []Param {
	out := make([]Param, 0, len(p.fields))
	for i := range p.fields {
		f := &p.fields[i]
		if f.older {
			continue
		}
		q := Param{Name: f.name, Required: f.required, Unset: f.empty, Enum: f.enum, HasMin: f.hasMin, HasMax: f.hasMax, Min: f.min, Max: f.max}
		switch {
		case f.free:
			q.Type = MapParam
		case f.any:
			q.Type = AnyParam
		case f.ranged:
			q.Type = RangeParam
		case f.list && f.sub != nil && f.sub.key != nil:
			q.Type, q.Elem, q.Fields = MapParam, ObjectParam, f.sub.table()
		case f.list && f.sub != nil:
			q.Type, q.Elem, q.Fields = ListParam, ObjectParam, f.sub.table()
		case f.list:
			q.Type, q.Elem = ListParam, scalarParam(f.typ.Elem())
		case f.sub != nil:
			q.Type, q.Fields = ObjectParam, f.sub.table()
		default:
			q.Type = scalarParam(f.typ)
		}
		out = append(out, q)
	}
	return out
}

func scalarParam(t reflect.Type) ParamType {
	switch {
	case t == reflect.TypeFor[Decimal]():
		return DecimalParam
	case t.Kind() == reflect.String:
		return TextParam
	case t.Kind() == reflect.Bool:
		return BooleanParam
	}
	return IntegerParam
}
