package zendesk

import "strings"

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

// plainText is what of markup is read.
func plainText(html string) string {
	var b strings.Builder
	for html != "" {
		open := strings.IndexByte(html, '<')
		if open < 0 {
			b.WriteString(html)
			break
		}
		b.WriteString(html[:open])
		end := strings.IndexByte(html[open:], '>')
		if end < 0 {
			b.WriteString(html[open:])
			break
		}
		tag := html[open+1 : open+end]
		html = html[open+end+1:]
		if (strings.HasPrefix(tag, "/") || tag == "br" || strings.HasPrefix(tag, "br ") || strings.HasPrefix(tag, "br/")) && isBreak(tag) {
			b.WriteByte('\n')
		}
	}
	text := strings.NewReplacer("&lt;", "<", "&gt;", ">", "&quot;", `"`, "&#39;", "'", "&apos;", "'", "&nbsp;", " ", "&amp;", "&").Replace(b.String())
	return strings.TrimSpace(text)
}

func isBreak(tag string) bool {
	name := strings.Trim(tag, "/ ")
	name, _, _ = strings.Cut(name, " ")
	for _, b := range breaks {
		if strings.EqualFold(name, b) {
			return true
		}
	}
	return false
}
