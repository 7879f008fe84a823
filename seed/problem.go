package seed

import (
	"fmt"
	"strings"
)

// NoOffset is the Offset of a problem that is not one of JSON syntax.
const NoOffset int64 = -1

// rootPath is the path of the whole document.
const rootPath = "$"

// Problem is one thing wrong with a seed document.
type Problem struct {
	Path   string // JSON path of the value, such as $.data.prices[0].unit_amount
	Offset int64  // bytes from the start of the file for a fault of syntax, else NoOffset
	Line   int    // of a fault of syntax, from 1
	Column int    // in bytes, from 1
	Msg    string // what is wrong, to be read after the path
}

// String returns the path, the place if it is a fault of syntax, and the message.
func (p Problem) String() string {
	if p.Offset == NoOffset {
		return p.Path + ": " + p.Msg
	}
	if p.Line > 0 {
		return fmt.Sprintf("%s (line %d, column %d): %s", p.Path, p.Line, p.Column, p.Msg)
	}
	return fmt.Sprintf("%s (byte %d): %s", p.Path, p.Offset, p.Msg)
}

// Invalid is the error for a document that is not a seed. It lists every problem, up
// to a fault of syntax behind which nothing can be read.
type Invalid struct {
	Problems []Problem // at least one, at most MaxProblems
	More     int       // problems found beyond those
}

// Error returns the problems, one a line if there are several.
func (e *Invalid) Error() string {
	if len(e.Problems) == 1 && e.More == 0 {
		return "seed: " + e.Problems[0].String()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "seed: %d problems:", len(e.Problems)+e.More)
	for _, p := range e.Problems {
		b.WriteString("\n  ")
		b.WriteString(p.String())
	}
	if e.More > 0 {
		fmt.Fprintf(&b, "\n  and %d more", e.More)
	}
	return b.String()
}

func invalid(p Problem) *Invalid { return &Invalid{Problems: []Problem{p}} }
