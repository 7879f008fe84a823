package model

import (
	"encoding/json"
	"errors"
	"strings"
)

// Parse reads one JSON text. Numbers keep their spelling.
func Parse(text []byte) (Value, error) {
	if !json.Valid(text) {
		return Value{}, errors.New("this is no JSON text")
	}
	r := reader{text: string(text)}
	return r.value()
}

// reader takes a text apart that is known to be valid: all it looks for is where
// things end. Decoding by token costs six times as much, and models read whole worlds.
type reader struct {
	text string
	at   int
}

// blank goes on to what is no white space and returns it.
func (r *reader) blank() byte {
	for strings.IndexByte(" \t\r\n", r.text[r.at]) >= 0 {
		r.at++
	}
	return r.text[r.at]
}

func (r *reader) value() (Value, error) {
	switch r.blank() {
	case '{':
		return r.object()
	case '[':
		return r.array()
	case '"':
		s, err := r.str()
		return Str(s), err
	case 'n':
		r.at += len("null")
		return Nil, nil
	case 't':
		r.at += len("true")
		return Bool(true), nil
	case 'f':
		r.at += len("false")
		return Bool(false), nil
	}
	from := r.at
	for r.at < len(r.text) && strings.IndexByte("+-.0123456789eE", r.text[r.at]) >= 0 {
		r.at++
	}
	return Decimal(r.text[from:r.at]), nil
}

// str reads a string; one without escapes shares the text's memory.
func (r *reader) str() (s string, err error) {
	from := r.at + 1
	for end := from; ; end++ {
		switch c := r.text[end]; {
		case c == '"':
			r.at = end + 1
			return r.text[from:end], nil
		case c == '\\' || c >= 0x80: // escapes, and bytes that may be no UTF-8
			return r.escaped(from - 1)
		}
	}
}

func (r *reader) escaped(from int) (s string, err error) {
	end := from + 1
	for r.text[end] != '"' {
		if r.text[end] == '\\' {
			end++
		}
		end++
	}
	r.at = end + 1
	err = json.Unmarshal([]byte(r.text[from:r.at]), &s)
	return s, err
}

func (r *reader) array() (Value, error) {
	v := Value{Kind: Array}
	for r.at++; r.blank() != ']'; {
		if r.text[r.at] == ',' {
			r.at++
		}
		e, err := r.value()
		if err != nil {
			return Value{}, err
		}
		v.List = append(v.List, e)
	}
	r.at++
	return v, nil
}

func (r *reader) object() (Value, error) {
	v := Value{Kind: Object, Members: make([]Member, 0, usualMembers)}
	for r.at++; r.blank() != '}'; {
		if r.text[r.at] == ',' {
			r.at++
			r.blank()
		}
		name, err := r.str()
		if err != nil {
			return Value{}, err
		}
		r.blank()
		r.at++ // the colon
		e, err := r.value()
		if err != nil {
			return Value{}, err
		}
		v.Members = append(v.Members, Member{name, e})
	}
	r.at++
	return v, nil
}

// usualMembers is for how many members of an object there is room at first.
const usualMembers = 8
