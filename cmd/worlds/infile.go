package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
)

// readJSON reads a JSON document that a person wrote: the file name, or stdin for
// "-". A byte-order mark in front is left out. The error says where the text goes
// wrong.
func readJSON(name string, stdin io.Reader) (json.RawMessage, error) {
	src, err := os.ReadFile(name)
	if name == "-" {
		src, err = io.ReadAll(stdin)
	}
	if err != nil {
		return nil, err
	}
	return checkJSON(name, bytes.TrimPrefix(src, []byte("\ufeff")))
}

// checkJSON returns src if it is one JSON document; name is where it comes from.
func checkJSON(name string, src []byte) (json.RawMessage, error) {
	var doc json.RawMessage
	err := json.Unmarshal(src, &doc)
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return nil, fmt.Errorf("%s: it is not JSON: %w (at byte %d)", name, err, syntax.Offset)
	case err != nil:
		return nil, fmt.Errorf("%s: it is not JSON: %w", name, err)
	}
	return doc, nil
}

// openInput opens a file to be read as it comes, or stdin for "-".
func openInput(t *terminal, name string) (io.ReadCloser, error) {
	if name == "-" {
		return io.NopCloser(t.in), nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		_ = f.Close()
		return nil, &os.PathError{Op: "read", Path: name, Err: syscall.EISDIR}
	}
	return f, nil
}
