package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Parse reads one JSON text. Numbers keep their spelling.
func Parse(text []byte) (Value, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	v, err := parse(d)
	if err != nil {
		return Value{}, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return Value{}, fmt.Errorf("there is text behind the value")
	}
	return v, nil
}

func parse(d *json.Decoder) (Value, error) {
	t, err := d.Token()
	if err != nil {
		return Value{}, err
	}
	switch t := t.(type) {
	case nil:
		return Nil, nil
	case bool:
		return Bool(t), nil
	case json.Number:
		return Decimal(t.String()), nil
	case string:
		return Str(t), nil
	case json.Delim:
		if t == '[' {
			return parseArray(d)
		}
		return parseObject(d)
	}
	return Value{}, fmt.Errorf("a token of type %T", t)
}

func parseArray(d *json.Decoder) (Value, error) {
	v := Value{Kind: Array}
	for d.More() {
		e, err := parse(d)
		if err != nil {
			return Value{}, err
		}
		v.List = append(v.List, e)
	}
	_, err := d.Token()
	return v, err
}

func parseObject(d *json.Decoder) (Value, error) {
	v := Value{Kind: Object}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return Value{}, err
		}
		e, err := parse(d)
		if err != nil {
			return Value{}, err
		}
		v.Members = append(v.Members, Member{name.(string), e})
	}
	_, err := d.Token()
	return v, err
}
