package zendesk

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
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
// have no content. All elements are among them within which a browser reads other than
// in markup: what is kept reads alike wherever it stands.
var (
	mute = [...]string{"script", "style", "iframe", "object", "noscript", "template", "svg", "math", "form", "textarea", "select", "button",
		"title", "embed", "link", "meta", "base", "input", "frame", "frameset", "applet", "xmp", "noembed", "noframes", "plaintext"}
	void = [...]string{"embed", "link", "meta", "base", "input", "frame"}
)

// cleanHTML is markup without what could do something: scripts, frames, forms and the
// like go with their content, and so do attributes that hold a script. Tags are written
// anew; of text, only a bracket that could begin one is.
func cleanHTML(markup string) string {
	var b strings.Builder
	within := "" // the mute element that goes
	for z := html.NewTokenizer(strings.NewReader(markup)); ; {
		kind := z.Next()
		raw := string(z.Raw())
		t := z.Token()
		switch {
		case kind == html.ErrorToken:
			return b.String()
		case within != "":
			if kind == html.EndTagToken && t.Data == within {
				within = ""
			}
		case kind == html.TextToken:
			b.WriteString(strings.ReplaceAll(raw, "<", "&lt;"))
		case kind == html.CommentToken || kind == html.DoctypeToken || !wellNamed(t.Data):
		case !slices.Contains(mute[:], t.Data):
			t.Attr = slices.DeleteFunc(t.Attr, active)
			b.WriteString(t.String())
		case kind != html.EndTagToken && !slices.Contains(void[:], t.Data):
			within = t.Data
		}
	}
}

// wellNamed reports whether a name of a tag or an attribute is one that every reader
// takes for a name.
func wellNamed(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && !strings.ContainsRune("-_:.", r)
	})
}

// active reports whether an attribute could do something.
func active(a html.Attribute) bool {
	return !wellNamed(a.Key) || strings.HasPrefix(a.Key, "on") || a.Key == "style" && strings.Contains(lower(a.Val), "expression") || scripted(a.Val)
}

// scripted reports whether the value of an attribute is a script's address.
func scripted(value string) bool {
	bare := strings.Map(func(r rune) rune {
		if r <= ' ' {
			return -1
		}
		return r
	}, lower(value))
	return strings.HasPrefix(bare, "javascript:") || strings.HasPrefix(bare, "vbscript:") || strings.HasPrefix(bare, "data:text/html")
}

// plainText is what of clean markup is read.
func plainText(markup string) string {
	var b strings.Builder
	for z := html.NewTokenizer(strings.NewReader(markup)); ; {
		kind := z.Next()
		t := z.Token()
		switch {
		case kind == html.ErrorToken:
			return strings.TrimSpace(strings.ReplaceAll(b.String(), "\u00a0", " "))
		case kind == html.TextToken:
			b.WriteString(t.Data)
		case !slices.Contains(breaks[:], t.Data):
		case kind == html.EndTagToken || t.Data == "br" || b.Len() > 0 && !strings.HasSuffix(b.String(), "\n"):
			b.WriteByte('\n')
		}
	}
}
