package zendesk

import (
	"html"
	"slices"
	"strings"
)

// htmlText shows plain text as markup: nothing in it is markup.
func htmlText(s string) string {
	escaped := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;").Replace(s)
	var b strings.Builder
	b.WriteString(`<div class="zd-comment" dir="auto">`)
	for paragraph := range strings.SplitSeq(escaped, "\n\n") {
		b.WriteString(`<p dir="auto">`)
		b.WriteString(strings.ReplaceAll(paragraph, "\n", "<br>"))
		b.WriteString("</p>")
	}
	b.WriteString("</div>")
	return b.String()
}

// breaks are the tags at which a line ends.
var breaks = [...]string{"br", "p", "div", "li", "tr", "ul", "ol", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "pre"}

// mute are the elements that a comment keeps nothing of, and void those of them that
// have no content.
var (
	mute = [...]string{"script", "style", "iframe", "object", "noscript", "template", "svg", "math", "form", "textarea", "select", "button",
		"title", "embed", "link", "meta", "base", "input", "frame", "frameset", "applet"}
	void = [...]string{"embed", "link", "meta", "base", "input", "frame"}
)

// token is a piece of markup: text, or one tag.
type token struct {
	text  string // of a tag, with its brackets
	name  string // of a tag, in small letters; "" for text, "!" for what is not shown
	close bool
}

// nextToken is the first piece of markup, and what follows it. A bracket that begins no tag
// is text.
func nextToken(markup string) (t token, rest string) {
	if markup[0] != '<' {
		end := strings.IndexByte(markup, '<')
		if end < 0 {
			end = len(markup)
		}
		return token{text: markup[:end]}, markup[end:]
	}
	if strings.HasPrefix(markup, "<!--") {
		if _, after, ok := strings.Cut(markup[4:], "-->"); ok {
			return token{name: "!"}, after
		}
		return token{name: "!"}, ""
	}
	t.close = strings.HasPrefix(markup, "</")
	at := 1
	if t.close {
		at = 2
	}
	if at == len(markup) || !letter(markup[at]) && markup[at] != '!' && markup[at] != '?' {
		return token{text: markup[:1]}, markup[1:]
	}
	end := tagEnd(markup)
	if end < 0 {
		return token{name: "!"}, "" // a tag that never ends shows nothing
	}
	t.text = markup[:end]
	name := strings.TrimRight(t.text[at:], ">")
	if i := strings.IndexAny(name, " \t\r\n\f/"); i >= 0 {
		name = name[:i]
	}
	if t.name = lower(name); !letter(name[0]) {
		t.name = "!"
	}
	return t, markup[end:]
}

// tagEnd is where the tag ends that markup begins with: a bracket within quotes does not
// end it; -1 for never.
func tagEnd(markup string) int {
	quote := byte(0)
	for i := range len(markup) {
		switch c := markup[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case (c == '"' || c == '\'') && i > 0 && strings.IndexByte("= \t\r\n", markup[i-1]) >= 0:
			quote = c
		case c == '>':
			return i + 1
		}
	}
	return -1
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// cleanHTML is markup without what could do something: scripts, frames, forms and the
// like go with their content, and so do attributes that hold a script.
func cleanHTML(markup string) string {
	var b strings.Builder
	for markup != "" {
		var t token
		t, markup = nextToken(markup)
		switch {
		case t.name == "":
			b.WriteString(t.text)
		case t.name == "!" || slices.Contains(mute[:], t.name):
			if t.name != "!" && !t.close && !slices.Contains(void[:], t.name) {
				markup = behind(markup, t.name)
			}
		default:
			b.WriteString(cleanTag(&t))
		}
	}
	return b.String()
}

// behind is what follows the end of an element that the markup is within; nothing, if it has no
// end.
func behind(markup, name string) string {
	small := lower(markup)
	if len(small) != len(markup) { // a letter that has another length in small: none of a tag
		small = markup
	}
	for at := 0; ; {
		i := strings.Index(small[at:], "</"+name)
		if i < 0 {
			return ""
		}
		at += i + len("</") + len(name)
		if at == len(markup) || strings.IndexByte(" \t\r\n\f/>", markup[at]) >= 0 {
			if _, after, ok := strings.Cut(markup[at:], ">"); ok {
				return after
			}
			return ""
		}
	}
}

// cleanTag is a tag without the attributes that hold a script. One that has none of them
// stays as it was written.
func cleanTag(t *token) string {
	if t.close {
		return "</" + t.name + ">"
	}
	body := strings.TrimSuffix(t.text[1+len(t.name):], ">")
	var kept strings.Builder
	dropped := false
	for rest := body; rest != ""; {
		var a, name, value string
		a, name, value, rest = nextAttribute(rest)
		if strings.HasPrefix(name, "on") || name == "style" && strings.Contains(lower(value), "expression") || scripted(value) {
			dropped = true
			continue
		}
		kept.WriteString(a)
	}
	if !dropped {
		return t.text
	}
	return t.text[:1+len(t.name)] + kept.String() + ">"
}

// nextAttribute is the first attribute of what follows a tag's name, as it is written and
// with the blanks before it; its name, in small letters; its value; and what follows.
func nextAttribute(s string) (all, name, value, rest string) {
	const blanks = " \t\r\n\f/"
	i := len(s) - len(strings.TrimLeft(s, blanks))
	begin := i
	for i < len(s) && strings.IndexByte(blanks+"=", s[i]) < 0 {
		i++
	}
	name = lower(s[begin:i])
	after := strings.TrimLeft(s[i:], " \t\r\n\f")
	if !strings.HasPrefix(after, "=") {
		return s[:i], name, "", s[i:]
	}
	after = strings.TrimLeft(after[1:], " \t\r\n\f")
	end := 0
	switch {
	case after == "":
	case after[0] == '"' || after[0] == '\'':
		if n := strings.IndexByte(after[1:], after[0]); n >= 0 {
			value, end = after[1:1+n], n+2
		} else {
			value, end = after[1:], len(after)
		}
	default:
		if end = strings.IndexAny(after, " \t\r\n\f"); end < 0 {
			end = len(after)
		}
		value = after[:end]
	}
	rest = after[end:]
	return s[:len(s)-len(rest)], name, value, rest
}

// scripted reports whether the value of an attribute is a script's address.
func scripted(value string) bool {
	bare := strings.Map(func(r rune) rune {
		if r <= ' ' {
			return -1
		}
		return r
	}, lower(html.UnescapeString(value)))
	return strings.HasPrefix(bare, "javascript:") || strings.HasPrefix(bare, "vbscript:") || strings.HasPrefix(bare, "data:text/html")
}

// plainText is what of clean markup is read.
func plainText(markup string) string {
	var b strings.Builder
	for markup != "" {
		var t token
		t, markup = nextToken(markup)
		switch {
		case t.name == "":
			b.WriteString(t.text)
		case !slices.Contains(breaks[:], t.name):
		case t.close || t.name == "br" || b.Len() > 0 && !strings.HasSuffix(b.String(), "\n"):
			b.WriteByte('\n')
		}
	}
	return strings.TrimSpace(strings.ReplaceAll(html.UnescapeString(b.String()), "\u00a0", " "))
}
