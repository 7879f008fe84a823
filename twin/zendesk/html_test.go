package zendesk_test

import (
	"testing"

	"worlds/journal/canon"
)

// The markup of a comment is kept, but for what could do something; its text is what is
// read of it.
func TestMarkupOfComments(t *testing.T) {
	for _, row := range [][3]string{
		{`<h2>hi</h2> &amp; <i>x</i>`, `<h2>hi</h2> &amp; <i>x</i>`, "hi\n & x"},
		{`a<script>alert("</p>")</script>b`, `ab`, "ab"},
		{`a<SCRIPT src=x>1</ScRiPt >b<script>never ends`, `ab`, "ab"},
		{`a<scr<script>x</script>b`, `a<scr<script>xb`, "axb"}, // a tag of another name
		{`<p onclick="x()" class='c' ONLOAD=y>t</p>`, `<p class='c'>t</p>`, "t"},
		{`<a href="javascript:x()" title="a > b">t</a>`, `<a title="a > b">t</a>`, "t"},
		{`<a href=" java&#10;script&#58;x()">t</a>`, `<a>t</a>`, "t"},
		{`<a href="https://e.example/?a=1&amp;b=2">t</a>`, `<a href="https://e.example/?a=1&amp;b=2">t</a>`, "t"},
		{`<img src=x onerror=alert(1)>t`, `<img src=x>t`, "t"},
		{`<style>p{}</style><iframe src=x></iframe><meta x>t<!-- <b>no</b> -->`, `t`, "t"},
		{`1 < 2 &gt; 0 &eacute;&#8217;&nbsp;z`, `1 < 2 &gt; 0 &eacute;&#8217;&nbsp;z`, "1 < 2 > 0 é’ z"},
		{`one<br>two<br/>three<p>four</p>`, `one<br>two<br/>three<p>four</p>`, "one\ntwo\nthree\nfour"},
		{`<b title=">">t</b>`, `<b title=">">t</b>`, "t"},
		{`t<b unended`, `t`, "t"},
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
