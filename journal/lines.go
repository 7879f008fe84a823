package journal

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"iter"
)

// ReadLines yields the entries of an exported journal, one a line of at most
// bytesMax. An error names the line and is the last that comes; a line without its
// line feed is one.
func ReadLines(r io.Reader, bytesMax int) iter.Seq2[*Entry, error] {
	in := bufio.NewReaderSize(r, 64<<10)
	return func(yield func(*Entry, error) bool) {
		for n := 1; ; n++ {
			line, err := readLine(in, bytesMax)
			if errors.Is(err, io.EOF) && len(line) == 0 {
				return
			}
			var e Entry
			switch {
			case errors.Is(err, io.EOF):
				err = fmt.Errorf("%w: it is cut short", ErrLine)
			case err == nil:
				e, err = ParseLine(line)
			}
			if err != nil {
				yield(nil, fmt.Errorf("line %d: %w", n, err))
				return
			}
			if !yield(&e, nil) {
				return
			}
		}
	}
}

// readLine reads a line with its line feed; at the end of the input, what is left.
func readLine(in *bufio.Reader, bytesMax int) ([]byte, error) {
	var line []byte
	for {
		piece, err := in.ReadSlice('\n')
		line = append(line, piece...)
		switch {
		case len(line) > bytesMax:
			return nil, fmt.Errorf("%w: it has more than %d bytes", ErrLine, bytesMax)
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		}
		return line, err
	}
}
