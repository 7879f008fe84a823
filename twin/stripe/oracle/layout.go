package oracle

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf16"
)

// Layout judges how a body is written: indented by two spaces, in each object
// "id" first, then "object", then the other keys ascending by UTF-16 code
// unit, none twice. One newline may close the body.
func (o *Oracle) Layout(body []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var found faults
	if err := keyOrder(decoder, "", &found); err != nil {
		return fmt.Errorf("oracle: the body is not JSON: %w", err)
	}
	if len(found) > 0 {
		return found.err()
	}
	var compact, want bytes.Buffer
	if err := json.Compact(&compact, body); err != nil {
		return fmt.Errorf("oracle: the body is not JSON: %w", err)
	}
	if err := json.Indent(&want, compact.Bytes(), "", "  "); err != nil {
		return fmt.Errorf("oracle: the body is not JSON: %w", err)
	}
	return sameLines(bytes.TrimSuffix(body, []byte("\n")), want.Bytes())
}

func sameLines(got, want []byte) error {
	gotLines, wantLines := bytes.Split(got, []byte("\n")), bytes.Split(want, []byte("\n"))
	for i := range min(len(gotLines), len(wantLines)) {
		if !bytes.Equal(gotLines[i], wantLines[i]) {
			return fmt.Errorf("oracle: layout: line %d: got %q, want %q", i+1, gotLines[i], wantLines[i])
		}
	}
	if len(gotLines) != len(wantLines) {
		return fmt.Errorf("oracle: layout: got %d lines, want %d", len(gotLines), len(wantLines))
	}
	return nil
}

// keyOrder reads one value and notes each key that comes too early.
func keyOrder(decoder *json.Decoder, at string, found *faults) error {
	token, err := decoder.Token()
	if err != nil {
		return err
	}
	switch token {
	case json.Delim('{'):
		last := ""
		for first := true; decoder.More(); first = false {
			token, err := decoder.Token()
			if err != nil {
				return err
			}
			key := token.(string)
			if !first && !keyLess(last, key) {
				*found = append(*found, fault{at, fmt.Sprintf("key %q comes after %q", key, last)})
			}
			last = key
			if err := keyOrder(decoder, at+pointer([]string{key}), found); err != nil {
				return err
			}
		}
		_, err = decoder.Token()
	case json.Delim('['):
		for i := 0; decoder.More(); i++ {
			if err := keyOrder(decoder, fmt.Sprintf("%s/%d", at, i), found); err != nil {
				return err
			}
		}
		_, err = decoder.Token()
	}
	return err
}

func keyLess(a, b string) bool {
	if rankA, rankB := keyRank(a), keyRank(b); rankA != rankB {
		return rankA < rankB
	}
	x, y := utf16.Encode([]rune(a)), utf16.Encode([]rune(b))
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return x[i] < y[i]
		}
	}
	return len(x) < len(y)
}

func keyRank(key string) int {
	switch key {
	case "id":
		return 0
	case "object":
		return 1
	}
	return 2
}
