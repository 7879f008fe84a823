package journal

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"

	"worlds/journal/canon"
)

// ErrLine is wrapped by every error of ParseLine.
var ErrLine = errors.New("not a line of an exported journal")

// AppendLine appends e as one line of canonical JSON and a line feed:
//
//	{"at":0,"command":…,"facts":[…],"format":2,"hash":"…","prev":"…","reply":…,"seq":1}
//
// with a last member "side" (base64) if there is one. The body, and so the
// hash, can be made again from it; "format" is that of the body, and 1 is left out. A body that is no frame is written whole,
// as member "body" (base64) in place of at, command, facts and reply.
func AppendLine(dst []byte, e *Entry) []byte {
	f, err := ParseBody(e.Body)
	if err != nil {
		dst = append(dst, `{"body":"`...)
		dst = base64.StdEncoding.AppendEncode(dst, e.Body)
		dst = appendHashes(append(dst, '"'), e)
	} else {
		dst = append(dst, `{"at":`...)
		dst = strconv.AppendInt(dst, f.At, 10)
		dst = append(append(dst, `,"command":`...), f.Command...)
		dst = append(dst, `,"facts":[`...)
		for i, fact := range f.Facts {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(dst, fact...)
		}
		dst = append(dst, ']')
		if f.Format != frameHeaded {
			dst = strconv.AppendUint(append(dst, `,"format":`...), uint64(f.Format), 10)
		}
		dst = appendHashes(dst, e)
		dst = append(append(dst, `,"reply":`...), f.Reply...)
	}
	dst = append(dst, `,"seq":`...)
	dst = strconv.AppendUint(dst, uint64(e.Seq), 10)
	if len(e.Side) > 0 {
		dst = append(dst, `,"side":"`...)
		dst = base64.StdEncoding.AppendEncode(dst, e.Side)
		dst = append(dst, '"')
	}
	return append(dst, "}\n"...)
}

func appendHashes(dst []byte, e *Entry) []byte {
	dst = append(dst, `,"hash":"`...)
	dst = hex.AppendEncode(dst, e.Hash[:])
	dst = append(dst, `","prev":"`...)
	dst = hex.AppendEncode(dst, e.Prev[:])
	return append(dst, '"')
}

// ParseLine reads a line, with or without its line feed. It accepts exactly
// what AppendLine writes; it does not check that the hash is right. Every
// error wraps ErrLine. The entry does not alias line.
func ParseLine(line []byte) (Entry, error) {
	line = bytes.TrimSuffix(line, []byte("\n"))
	if err := canon.Valid(line); err != nil {
		return Entry{}, fmt.Errorf("journal: %w: %w", ErrLine, err)
	}
	e, missing := entryOfLine(line)
	if missing != "" {
		return Entry{}, fmt.Errorf("journal: member %q is missing or wrong: %w", missing, ErrLine)
	}
	again := AppendLine(make([]byte, 0, len(line)+1), &e)
	if !bytes.Equal(again[:len(again)-1], line) {
		return Entry{}, fmt.Errorf("journal: members beyond those of an entry: %w", ErrLine)
	}
	return e, nil
}

// entryOfLine returns the entry, or the member that prevents one.
func entryOfLine(line []byte) (e Entry, missing string) {
	seq, _ := canon.Get(line, "seq")
	n, err := strconv.ParseUint(string(seq), 10, 64)
	if err != nil {
		return e, "seq"
	}
	e.Seq = Seq(n)
	if err := e.Hash.UnmarshalText(unquoted(line, "hash")); err != nil {
		return e, "hash"
	}
	if err := e.Prev.UnmarshalText(unquoted(line, "prev")); err != nil {
		return e, "prev"
	}
	if _, ok := canon.Get(line, "side"); ok {
		if e.Side, err = base64.StdEncoding.DecodeString(string(unquoted(line, "side"))); err != nil {
			return e, "side"
		}
	}
	if _, ok := canon.Get(line, "body"); ok {
		if e.Body, err = base64.StdEncoding.DecodeString(string(unquoted(line, "body"))); err != nil {
			return e, "body"
		}
		return e, ""
	}
	e.Body, missing = bodyOfLine(line)
	return e, missing
}

func bodyOfLine(line []byte) (body []byte, missing string) {
	var f Frame
	var ok bool
	var err error
	at, _ := canon.Get(line, "at")
	if f.At, err = strconv.ParseInt(string(at), 10, 64); err != nil {
		return nil, "at"
	}
	f.Format = frameHeaded
	if format, ok := canon.Get(line, "format"); ok {
		if n, err := strconv.ParseUint(string(format), 10, 8); err != nil || n != FrameFormat {
			return nil, "format"
		}
		f.Format = FrameFormat
	}
	if f.Command, ok = canon.Get(line, "command"); !ok {
		return nil, "command"
	}
	if f.Reply, ok = canon.Get(line, "reply"); !ok {
		return nil, "reply"
	}
	facts, ok := canon.Get(line, "facts")
	if !ok || facts[0] != '[' {
		return nil, "facts"
	}
	for fact := range canon.Elements(facts) {
		f.Facts = append(f.Facts, fact)
	}
	return f.AppendBody(make([]byte, 0, len(line))), ""
}

// unquoted returns the text of a string member, nil if it is none.
func unquoted(line []byte, key string) []byte {
	raw, ok := canon.Get(line, key)
	if !ok {
		return nil
	}
	s, ok := canon.Unquote(raw)
	if !ok {
		return nil
	}
	return []byte(s)
}
