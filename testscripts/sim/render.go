package sim

import (
	"fmt"
	"strconv"
	"strings"
)

// Colours.
const (
	plain   = "\x1b[0m"
	red     = "\x1b[31m"
	green   = "\x1b[32m"
	yellow  = "\x1b[33m"
	dim     = "\x1b[2m"
	reverse = "\x1b[7m"
)

func paint(text, colour string, on bool) string {
	if !on {
		return text
	}
	return colour + text + plain
}

// glyphs go before the text of a line.
var glyphs = map[string]string{
	KindHold: ">> ", KindRelease: "<< ", KindDelivery: "-- ", KindNote: "// ", KindWarning: "!! ", KindOK: "ok ", KindFail: "FAIL ",
	KindRefused: "-x ", KindLate: "^^ ",
}

var colours = map[string]string{KindHold: yellow, KindRelease: yellow, KindNote: dim, KindWarning: yellow, KindOK: green, KindFail: red,
	KindRefused: red, KindLate: reverse, KindDelivery: dim}

const (
	seqColumns    = 3
	offsetColumns = 8
	writerColumns = 11
)

// renderTrace prints a trace: the number of the entry, the offset, the writer, the
// text, which is indented while somebody is held. Without colour it is plain ASCII.
func renderTrace(trace []Line, colour bool) string {
	var out strings.Builder
	for _, l := range trace {
		seq := strings.Repeat(" ", seqColumns+1)
		if l.Seq > 0 {
			seq = fmt.Sprintf("#%*d", seqColumns, l.Seq)
		}
		text := strings.Repeat("  ", l.Indent) + glyphs[l.Kind] + l.Text
		if l.World != "" {
			text += "  [" + l.World + "]"
		}
		line := fmt.Sprintf("%s %*s  %-*s %s", seq, offsetColumns, offset(l.Offset), writerColumns, l.Writer, text)
		if c := colours[l.Kind]; c != "" {
			line = paint(line, c, colour)
		}
		out.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return out.String()
}

// Header is the line that says what came of a play. Without wall it is the same
// every time.
func Header(r *Result, wall bool) string {
	words := []string{"run=" + r.ID, "outcome=" + r.Outcome, "events=" + strconv.Itoa(r.Events), "deliveries=" + strconv.Itoa(r.Deliveries),
		"worldCalls=" + strconv.Itoa(r.Calls), "virtual=" + offset(r.VirtualMS)}
	if wall {
		words = append(words, fmt.Sprintf("wall=%dms", r.WallMS))
	}
	return strings.Join(append(words, "replay="+r.Replay), " ")
}

// Render prints a play for people.
func Render(r *Result, colour bool) string {
	var out strings.Builder
	dot := paint("ok  ", green, colour)
	if !r.Passed {
		dot = paint("FAIL", red, colour)
	}
	fmt.Fprintf(&out, "%s %s: %s\n     %s\n", dot, r.ID, r.Name, Header(r, true))
	out.WriteString(renderTrace(r.Trace, colour))
	out.WriteString(RenderFaults(r, colour))
	return out.String()
}

// RenderFaults prints what is wrong with a play, and what was refused in it.
func RenderFaults(r *Result, colour bool) string {
	var out strings.Builder
	list := func(what, c string, lines []string) {
		for _, l := range lines {
			fmt.Fprintf(&out, "     %s %s\n", paint(what, c, colour), l)
		}
	}
	list("problem", red, r.Problems)
	for _, v := range r.Violations {
		list("violation", red, []string{v.String()})
	}
	for _, j := range r.Rejections {
		list("rejection", dim, []string{j.String()})
	}
	list("pending", dim, r.Pending)
	if r.Bug != "" {
		list("bug", yellow, []string{r.Bug})
	}
	if r.Schedule != "" {
		list("schedule", dim, []string{r.Schedule + letters(r.Writing)})
	}
	return out.String()
}

func (j Rejection) String() string {
	words := []string{j.Writer, j.What}
	if j.Status > 0 {
		words = append(words, strconv.FormatInt(j.Status, 10))
	}
	for _, w := range []string{j.Code, j.Text} {
		if w != "" {
			words = append(words, w)
		}
	}
	if j.Seq > 0 {
		words = append(words, fmt.Sprintf("#%d", j.Seq))
	}
	return strings.Join(words, " ")
}

// Footer counts. Known is red as the book declares it, mended is green though the book
// declares it red.
func Footer(results []*Result) string {
	passed, known, mended, violations := 0, 0, 0, 0
	for _, r := range results {
		switch {
		case r.Reds == r.Expects && r.Passed:
			passed++
		case r.Reds == r.Expects:
			known++
		case r.Passed:
			mended++
		}
		violations += len(r.Violations)
	}
	out := fmt.Sprintf("%d scenario(s): %d passed, %d failed", len(results), passed, len(results)-passed-known-mended)
	if known > 0 {
		out += fmt.Sprintf(", %d known", known)
	}
	if mended > 0 {
		out += fmt.Sprintf(", %d mended", mended)
	}
	return out + fmt.Sprintf(", %d consistency violation(s)", violations)
}

// Markdown is a summary for a page of a build: one fold, with a dot, a count and a
// table.
func Markdown(title string, results []*Result) string {
	var out strings.Builder
	dot, reds := "🟢", 0
	for _, r := range results {
		if !r.Passed {
			dot = "🟠"
			reds++
		}
	}
	fmt.Fprintf(&out, "<details>\n<summary>%s %s: %d of %d scenarios red</summary>\n\n", dot, title, reds, len(results))
	out.WriteString("| | scenario | outcome | reds | known | conditions |\n|---|---|---|---|---|---|\n")
	for _, r := range results {
		mark := "🟢"
		if !r.Passed {
			mark = "🟠"
		}
		chips := ""
		for _, c := range r.Conditions {
			chips += " `" + c + "`"
		}
		fmt.Fprintf(&out, "| %s | `%s` %s | %s | %d | %d |%s |\n", mark, r.ID, strings.ReplaceAll(r.Name, "|", "\\|"), r.Outcome, r.Reds, r.Expects, chips)
	}
	out.WriteString("\n" + Footer(results) + "\n</details>\n")
	return out.String()
}
