package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"
	"unicode/utf8"
)

// terminal is where a verb reads and writes.
type terminal struct {
	in       io.Reader
	out, err io.Writer
}

// json prints v as one document on one line.
func (t *terminal) json(v any) error {
	enc := json.NewEncoder(t.out)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// table prints rows of equal length under headings.
func (t *terminal) table(headings string, rows [][]string) error {
	w := tabwriter.NewWriter(t.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, strings.ReplaceAll(headings, " ", "\t"))
	for _, row := range rows {
		fmt.Fprintln(w, cells(row))
	}
	return w.Flush()
}

// fields prints names and values in two columns; empty values are left out.
func (t *terminal) fields(pairs ...string) error {
	w := tabwriter.NewWriter(t.out, 0, 0, 2, ' ', 0)
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			fmt.Fprintln(w, cells(pairs[i:i+2]))
		}
	}
	return w.Flush()
}

// say prints a line for people, on stderr.
func (t *terminal) say(format string, args ...any) {
	fmt.Fprintln(t.err, lines(fmt.Sprintf(format, args...)))
}

// cells is a row of a table.
func cells(row []string) string {
	shown := make([]string, len(row))
	for i, cell := range row {
		shown[i] = plain(cell)
	}
	return strings.Join(shown, "\t")
}

// plain is text from a world as people see it: agents write it, so that it must not
// move the cursor, begin a line or turn the reading direction.
func plain(text string) string {
	if !strings.ContainsFunc(text, unsightly) && utf8.ValidString(text) {
		return text
	}
	var out []byte
	for _, r := range strings.ToValidUTF8(text, "\uFFFD") {
		if unsightly(r) {
			quoted := strconv.AppendQuoteRuneToASCII(nil, r)
			out = append(out, quoted[1:len(quoted)-1]...)
		} else {
			out = utf8.AppendRune(out, r)
		}
	}
	return string(out)
}

// lines is plain for text of more than one line.
func lines(text string) string {
	all := strings.Split(text, "\n")
	for i, line := range all {
		all[i] = plain(line)
	}
	return strings.Join(all, "\n")
}

// unsightly reports what a terminal would obey rather than show.
func unsightly(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Bidi_Control, unicode.Zl, unicode.Zp)
}

// count is a number of things, whose plural ends in s, or in ies if they end in y.
func count[N int | int64](n N, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	if stem, ok := strings.CutSuffix(thing, "y"); ok {
		thing = stem + "ie"
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// moment is a Unix time for people.
func moment(unix int64) string { return time.Unix(unix, 0).UTC().Format(time.RFC3339) }

// Progress is shown after progressDelay, and again as often as the reader of
// stderr can use it.
const (
	progressDelay = 500 * time.Millisecond
	progressTTY   = 200 * time.Millisecond
	progressLog   = 10 * time.Second
)

// progress shows how far long work is: on a terminal in place, elsewhere as a line
// now and then, and not at all when the work is short.
type progress struct {
	out   io.Writer
	what  string
	tty   bool
	every time.Duration
	next  time.Time
	shown bool
}

func (t *terminal) progress(what string) *progress {
	p := &progress{out: t.err, what: what, every: progressLog, next: time.Now().Add(progressLog)}
	if f, ok := t.err.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
			p.tty, p.every, p.next = true, progressTTY, time.Now().Add(progressDelay)
		}
	}
	return p
}

// at tells that n of what is counted are done.
func (p *progress) at(n int64) {
	now := time.Now()
	if now.Before(p.next) {
		return
	}
	p.next, p.shown = now.Add(p.every), true
	if p.tty {
		fmt.Fprintf(p.out, "\r\x1b[K%s: %d", p.what, n)
	} else {
		fmt.Fprintf(p.out, "%s: %d\n", p.what, n)
	}
}

// end takes the line away.
func (p *progress) end() {
	if p.tty && p.shown {
		fmt.Fprint(p.out, "\r\x1b[K")
	}
}
