package journal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"worlds/journal/canon"
)

// FrameFormat is the first byte of every body.
const FrameFormat = 1

const (
	frameHeadBytes = 1 + 8 + 4 // format, at, number of facts
	lengthBytes    = 4
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
}

// AppendBody appends the body of an entry with this frame. A part of 4 GiB or
// more panics; limits stand far below it.
func (f *Frame) AppendBody(dst []byte) []byte {
	size := frameHeadBytes + lengthBytes*(len(f.Facts)+2) + len(f.Command) + len(f.Reply)
	for _, fact := range f.Facts {
		size += len(fact)
	}
	dst = slices.Grow(dst, size) // a long advance has tens of megabytes
	dst = append(dst, FrameFormat)
	dst = binary.LittleEndian.AppendUint64(dst, uint64(f.At))
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(f.Facts)))
	dst = appendPart(dst, f.Command)
	for _, fact := range f.Facts {
		dst = appendPart(dst, fact)
	}
	return appendPart(dst, f.Reply)
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
func ParseBody(body []byte) (Frame, error) {
	if len(body) < frameHeadBytes {
		return Frame{}, fmt.Errorf("journal: %d bytes: %w", len(body), ErrFrame)
	}
	if body[0] != FrameFormat {
		return Frame{}, fmt.Errorf("journal: format %d: %w", body[0], ErrFrame)
	}
	f := Frame{At: int64(binary.LittleEndian.Uint64(body[1:]))}
	count := int64(binary.LittleEndian.Uint32(body[9:]))
	rest := body[frameHeadBytes:]
	if (count+2)*lengthBytes > int64(len(rest)) {
		return Frame{}, fmt.Errorf("journal: %d facts in %d bytes: %w", count, len(body), ErrFrame)
	}
	var ok bool
	if f.Command, rest, ok = cutPart(rest); !ok {
		return Frame{}, fmt.Errorf("journal: command is cut short: %w", ErrFrame)
	}
	if count > 0 {
		f.Facts = make([]canon.Raw, count)
	}
	for i := range f.Facts {
		if f.Facts[i], rest, ok = cutPart(rest); !ok {
			return Frame{}, fmt.Errorf("journal: fact %d is cut short: %w", i, ErrFrame)
		}
	}
	if f.Reply, rest, ok = cutPart(rest); !ok {
		return Frame{}, fmt.Errorf("journal: reply is cut short: %w", ErrFrame)
	}
	if len(rest) != 0 {
		return Frame{}, fmt.Errorf("journal: %d bytes after the reply: %w", len(rest), ErrFrame)
	}
	return f, nil
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
