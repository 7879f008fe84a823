package spec

import "strings"

// fields reads a shape.
func fields(shape int) []Param {
	var all []Param
	for text := loaded().shapes[shape]; text != ""; {
		var one string
		one, text, _ = strings.Cut(text, " ")
		name, typ, _ := strings.Cut(one, "=")
		all = append(all, parseField(name, typ))
	}
	return all
}

// field reads one field of a shape, passing over the others unread.
func field(shape int, name string) (Param, bool) {
	for text := loaded().shapes[shape]; text != ""; {
		var one string
		one, text, _ = strings.Cut(text, " ")
		if typ, ok := strings.CutPrefix(one, name); ok && strings.HasPrefix(typ, "=") {
			return parseField(name, typ[1:]), true
		}
	}
	return Param{}, false
}

func parseField(name, text string) Param {
	text, required := strings.CutSuffix(text, "!")
	p, _ := parseType(text)
	p.Name, p.Required = name, required
	return p
}

// parseType reads a type and returns what follows it.
func parseType(text string) (Param, string) {
	var p Param
	for {
		var f Form
		f, text = parseForm(text)
		p.Forms = append(p.Forms, f)
		if !strings.HasPrefix(text, "|") {
			break
		}
		text = text[1:]
	}
	text, p.Unset = strings.CutPrefix(text, "~")
	return p, text
}

// words are the forms that are one word.
var words = [...]struct {
	text string
	kind Kind
}{{"string", String}, {"int", Integer}, {"bool", Boolean}, {"number", Number}}

func parseForm(text string) (Form, string) {
	for _, w := range words {
		if rest, ok := strings.CutPrefix(text, w.text); ok {
			return Form{Kind: w.kind}, rest
		}
	}
	switch text[0] {
	case '(':
		values, rest, _ := strings.Cut(text[1:], ")")
		return Form{Kind: Enum, Values: strings.Split(values, ",")}, rest
	case '[', '{':
		kind := List
		if text[0] == '{' {
			kind = Map
		}
		elem, rest := parseType(text[1:])
		return Form{Kind: kind, Elem: &elem}, rest[1:]
	case '@':
		rest := strings.TrimLeft(text[1:], "0123456789")
		return Form{Kind: Object, shape: number(text[1 : len(text)-len(rest)])}, rest
	}
	panic("spec: table.txt: no form: " + text)
}
