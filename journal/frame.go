package journal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"worlds/journal/canon"
)

// FrameFormat is the first byte of every body that is made. Bodies of frameHeaded
// are read, and made again when they come from an export.
const (
	FrameFormat = 2
	frameHeaded = 1 // the numbers stand in front
)

const (
	formatBytes  = 1
	numbersBytes = 8 + 4 // at, number of facts
	lengthBytes  = 4
)

// ErrFrame is wrapped by every error of ParseBody.
var ErrFrame = errors.New("not an entry's body")

// Frame is one operation.
type Frame struct {
	// At is the logical clock after the operation, in Unix seconds.
	At int64
	// Command is what was asked, with everything observed from outside.
	Command canon.Raw
	// Facts are what the operation caused, in order, one canonical JSON array
	// each. Their meaning is not known here.
	Facts []canon.Raw
	// Reply is what was answered.
	Reply canon.Raw
	// Format is that of the body, 0 for FrameFormat.
	Format byte
}

// AppendBody appends the body of an entry with this frame. A part of 4 GiB or
// more panics; limits stand far below it.
func (f *Frame) AppendBody(dst []byte) []byte {
	size := formatBytes + numbersBytes + lengthBytes*(len(f.Facts)+2) + len(f.Command) + len(f.Reply)
	for _, fact := range f.Facts {
		size += len(fact)
	}
	dst = slices.Grow(dst, size)
	if f.Format == frameHeaded {
		dst = appendPart(appendNumbers(append(dst, frameHeaded), f.At, len(f.Facts)), f.Command)
		return appendPart(AppendFacts(dst, f.Facts), f.Reply)
	}
	dst = AppendFacts(AppendOpening(dst, f.Command), f.Facts)
	return AppendClosing(dst, f.Reply, f.At, len(f.Facts))
}

// AppendOpening appends what of a body stands before its facts. A body whose facts
// are too many to be held is made of an opening, facts, piece by piece, and a
// closing.
func AppendOpening(dst []byte, command canon.Raw) []byte {
	return appendPart(append(dst, FrameFormat), command)
}

// AppendFacts appends facts as a body holds them.
func AppendFacts(dst []byte, facts []canon.Raw) []byte {
	for _, fact := range facts {
		dst = appendPart(dst, fact)
	}
	return dst
}

// AppendClosing appends what of a body of that many facts stands behind them.
func AppendClosing(dst []byte, reply canon.Raw, at int64, facts int) []byte {
	return appendNumbers(appendPart(dst, reply), at, facts)
}

func appendNumbers(dst []byte, at int64, facts int) []byte {
	dst = binary.LittleEndian.AppendUint64(dst, uint64(at))
	return binary.LittleEndian.AppendUint32(dst, uint32(facts))
}

func appendPart(dst, part []byte) []byte {
	if uint64(len(part)) > math.MaxUint32 {
		panic("journal: a frame's part of 4 GiB")
	}
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(part)))
	return append(dst, part...)
}

// ParseBody reads a body. The frame's parts alias body and cannot grow into
// each other. It accepts exactly what AppendBody writes, without looking into
// the parts; every error wraps ErrFrame.
func ParseBody(body []byte) (f Frame, err error) {
	if err = f.parse(body); err != nil {
		return Frame{}, err
	}
	return f, nil
}

// parse is ParseBody into f, whose list of facts it uses again.
func (f *Frame) parse(body []byte) error {
	facts := f.Facts
	*f = Frame{}
	if len(body) < formatBytes+numbersBytes {
		return fmt.Errorf("journal: %d bytes: %w", len(body), ErrFrame)
	}
	f.Format = body[0]
	rest, numbers := body[formatBytes:], body[formatBytes:]
	switch end := len(rest) - numbersBytes; f.Format {
	case FrameFormat:
		rest, numbers = rest[:end:end], rest[end:]
	case frameHeaded:
		rest = rest[numbersBytes:]
	default:
		return fmt.Errorf("journal: format %d: %w", f.Format, ErrFrame)
	}
	f.At = int64(binary.LittleEndian.Uint64(numbers))
	count := int64(binary.LittleEndian.Uint32(numbers[8:]))
	if (count+2)*lengthBytes > int64(len(rest)) {
		return fmt.Errorf("journal: %d facts in %d bytes: %w", count, len(body), ErrFrame)
	}
	var ok bool
	if f.Command, rest, ok = cutPart(rest); !ok {
		return fmt.Errorf("journal: command is cut short: %w", ErrFrame)
	}
	if f.Facts = facts[:0]; count > 0 {
		f.Facts = slices.Grow(f.Facts, int(count))[:count]
	}
	for i := range f.Facts {
		if f.Facts[i], rest, ok = cutPart(rest); !ok {
			return fmt.Errorf("journal: fact %d is cut short: %w", i, ErrFrame)
		}
	}
	if f.Reply, rest, ok = cutPart(rest); !ok {
		return fmt.Errorf("journal: reply is cut short: %w", ErrFrame)
	}
	if len(rest) != 0 {
		return fmt.Errorf("journal: %d bytes after the reply: %w", len(rest), ErrFrame)
	}
	return nil
}

func cutPart(b []byte) (part canon.Raw, rest []byte, ok bool) {
	if len(b) < lengthBytes {
		return nil, nil, false
	}
	n := uint64(binary.LittleEndian.Uint32(b))
	b = b[lengthBytes:]
	if n > uint64(len(b)) {
		return nil, nil, false
	}
	return canon.Raw(b[:n:n]), b[n:], true
}
