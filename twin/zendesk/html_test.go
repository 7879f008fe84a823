package zendesk_test

import (
	"strings"
	"testing"

	"golang.org/x/net/html"

	"worlds/journal/canon"
	"worlds/twin/zendesk"
)

// The markup of a comment is kept, but for what could do something; its text is what is
// read of it.
func TestMarkupOfComments(t *testing.T) {
	for _, row := range [][3]string{
		{`<h2>hi</h2> &amp; <i>x</i>`, `<h2>hi</h2> &amp; <i>x</i>`, "hi\n & x"},
		{`a<script>alert("</p>")</script>b`, `ab`, "ab"},
		{`a<SCRIPT src=x>1</ScRiPt >b<script>never ends`, `ab`, "ab"},
		{`a<scr<script>x</script>b`, `axb`, "axb"}, // a tag that has no name
		{`<p>Hi <b>there</b></p>`, `<p>Hi <b>there</b></p>`, "Hi there"},
		{`<p onclick="x()" class='c' ONLOAD=y>t</p>`, `<p class="c">t</p>`, "t"},
		{`<a href="javascript:x()" title="a > b">t</a>`, `<a title="a &gt; b">t</a>`, "t"},
		{`<a href=" java&#10;script&#58;x()">t</a>`, `<a>t</a>`, "t"},
		{`<a href="https://e.example/?a=1&amp;b=2">t</a>`, `<a href="https://e.example/?a=1&amp;b=2">t</a>`, "t"},
		{`<img src=x onerror=alert(1)>t`, `<img src="x">t`, "t"},
		{`<style>p{}</style><iframe src=x></iframe><meta x>t<!-- <b>no</b> -->`, `t`, "t"},
		{`1 < 2 &gt; 0 &eacute;&#8217;&nbsp;z`, `1 &lt; 2 &gt; 0 &eacute;&#8217;&nbsp;z`, "1 < 2 > 0 é’ z"},
		{`one<br>two<br/>three<p>four</p>`, `one<br>two<br/>three<p>four</p>`, "one\ntwo\nthree\nfour"},
		{`<b title=">">t</b>`, `<b title="&gt;">t</b>`, "t"},
		{`t<b unended`, `t`, "t"},
		{`<aȺȺ>hi`, `hi`, "hi"}, // small letters may be longer than capital ones
		{`İȺ<script>x</script>hi`, `İȺhi`, "İȺhi"},
		{`<<script></script>img src=x onerror=alert(1)>`, `&lt;img src=x onerror=alert(1)>`, "<img src=x onerror=alert(1)>"},
		{`<<!---->img src=x onerror=alert(1)>`, `&lt;img src=x onerror=alert(1)>`, "<img src=x onerror=alert(1)>"},
		{`<b "><script>alert(1)</script>">t`, `<b>">t`, `">t`}, // a quote but after = begins nothing
		{"<a title=\f\">\" onmouseover=alert(1) x=\"\">t</a>", `<a title="&gt;" x="">t</a>`, "t"},
		{`<xmp><img title="</xmp><img src=x onerror=alert(1)>"></xmp>`, `<img src="x">">`, `">`},
	} {
		r := newRig(t, plain)
		a := r.ok(`POST /tickets {"ticket":{"comment":{"html_body":` + string(canon.AppendString(nil, row[0])) + `}}}`)
		if a.get("ticket.description") != row[2] {
			t.Errorf("%s is described %q, want %q", row[0], a.get("ticket.description"), row[2])
		}
		r.ok("GET /tickets/1/comments").want(t, "comments.0.html_body", row[1], "comments.0.body", row[2], "comments.0.plain_body", row[2])
	}
	r := newRig(t, plain)
	r.refused(`POST /tickets {"ticket":{"comment":{"html_body":"<script>x</script>"}}}`, "422 BlankValue")
}

// FuzzCleanHTML: nothing is left that a browser would act on, and what is clean stays as it
// is and is read as it was.
func FuzzCleanHTML(f *testing.F) {
	for _, markup := range []string{
		`<aȺȺ>hi`, `İ<script>x</SCRIPT >hi`, `<<script></script>img src=x onerror=alert(1)>`, `<<!---->img src=x onerror=alert(1)>`,
		`<b "><script>alert(1)</script>">`, "<a title=\f\">\" onmouseover=alert(1) x=\"\">", `<p>Hi <b>there</b></p>`,
		`<xmp><img title="</xmp><img src=x onerror=alert(1)>"></xmp>`, `<plaintext><noembed><img alt="</noembed><script>x</script>">`,
		`<svg><style><img title="</style><img src=x onerror=y>"></style></svg>`, `<math><mtext><table><mglyph><style><img src=x onerror=y>`,
		`<a href=" java&#10;script&#58;x()" href="vbscript&colon;y">`, `<p =onclick=x /onload=y '=">z`, `<table><image src=x onerror=y>&#x3c;script>`,
		`</br x=y>&ampamp;<p/onclick=x>`, "<p\x00onclick=x>\r\n<!doctype html><body onload=x><![CDATA[<script>]]>",
	} {
		f.Add(markup)
	}
	f.Fuzz(func(t *testing.T, markup string) {
		clean := zendesk.CleanHTML(markup)
		if again := zendesk.CleanHTML(clean); again != clean {
			t.Fatalf("%q is clean as %q, and that as %q", markup, clean, again)
		}
		root, err := html.Parse(strings.NewReader(clean))
		if err != nil {
			return // nested deeper than the parser goes
		}
		for n := range root.Descendants() {
			if bad := acts(n); bad != "" {
				t.Fatalf("%q is clean as %q, which has %s", markup, clean, bad)
			}
		}
		zendesk.PlainText(clean)
	})
}

// acts names what a browser would act on.
func acts(n *html.Node) string {
	if n.Type != html.ElementNode {
		return ""
	}
	switch n.Data {
	case "script", "style", "iframe", "object", "embed", "form", "input", "button", "select", "textarea", "svg", "math", "link", "meta", "base", "xmp":
		return n.Data
	}
	for _, a := range n.Attr {
		address := strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(strings.ToLower(strings.TrimLeft(a.Val, "\x00 \t\r\n\f")))
		if strings.HasPrefix(a.Key, "on") || a.Key == "srcdoc" || strings.HasPrefix(address, "javascript:") || strings.HasPrefix(address, "vbscript:") {
			return a.Key + "=" + a.Val
		}
	}
	return ""
}
