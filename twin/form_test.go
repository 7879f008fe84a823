package twin_test

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"worlds/twin"
)

// shape writes a tree so that it can be compared: {a:1,b:{c:2}}.
func shape(n *twin.Node) string {
	if len(n.Kids) == 0 {
		return n.Value
	}
	var kids []string
	for i, k := range n.Kids {
		name := k.Name
		if name == "" {
			name = fmt.Sprintf("+%d", i) // an appended element shows its place
		}
		kids = append(kids, name+":"+shape(k))
	}
	return "{" + strings.Join(kids, ",") + "}"
}

func TestParseForm(t *testing.T) {
	for _, row := range [][2]string{
		{"", ""},
		{"a=1", "{a:1}"},
		{"a=1&b=2", "{a:1,b:2}"},
		{"&&a=1&", "{a:1}"},
		{"a", "{a:}"},
		{"a=", "{a:}"},
		{"a==", "{a:=}"},
		{"a=b=c", "{a:b=c}"},
		// '+' is a space; ';' is an ordinary character.
		{"a=x+y&b=x%2By", "{a:x y,b:x+y}"},
		{"a+b=1", "{a b:1}"},
		{"a=1;b=2", "{a:1;b=2}"},
		// Escapes are decoded, brackets among them.
		{"a=%C3%BC&%61=%e2%82%ac", "{a:€}"},
		{"a%5Bb%5D=1", "{a:{b:1}}"},
		{"a=%25", "{a:%}"},
		{"a=ü", "{a:ü}"},
		{"a=%26%3D", "{a:&=}"},
		// The last of several values of one scalar wins.
		{"a=1&a=2", "{a:2}"},
		{"a[b]=1&a[b]=2", "{a:{b:2}}"},
		{"a[0]=1&a[0]=2", "{a:{0:2}}"},
		// Order is that of first appearance; elements stand by number.
		{"b=1&a=2&b=3", "{b:3,a:2}"},
		{"a[]=x&a[]=y", "{a:{+0:x,+1:y}}"},
		{"a[1]=y&a[0]=x", "{a:{0:x,1:y}}"},
		{"a[10]=k&a[9]=j&a[2]=c", "{a:{2:c,9:j,10:k}}"},
		{"a[5]=x&a[]=y&a[2]=w", "{a:{2:w,5:x,+2:y}}"},
		{"a[]=x&a[0]=y", "{a:{+0:y}}"},
		{"a[01]=x&a[1234567]=y", "{a:{01:x,1234567:y}}"},
		// Nesting, and elements of structs.
		{"a[b][c]=1&a[b][d]=2", "{a:{b:{c:1,d:2}}}"},
		{"a[0][x]=1&a[1][x]=2&a[0][y]=3", "{a:{0:{x:1,y:3},1:{x:2}}}"},
		{"a[][x]=1&a[][y]=2", "{a:{+0:{x:1,y:2}}}"},
		{"a[][x]=1&a[][y]=2&a[][x]=3&a[][y]=4", "{a:{+0:{x:1,y:2},+1:{x:3,y:4}}}"},
		{"a[][x][]=1&a[][x][]=2", "{a:{+0:{x:{+0:1,+1:2}}}}"},
		{"a[][b][c]=1&a[][b][d]=2&a[][b][c]=3", "{a:{+0:{b:{c:1,d:2}},+1:{b:{c:3}}}}"},
		{"metadata[a.b]=1&metadata[%C3%BC]=2", "{metadata:{a.b:1,ü:2}}"},
		// A name may be a value and hold others; binding tells which it may be.
		{"a=1&a[b]=2", "{a:{b:2}}"},
		// What is not well formed is refused.
		{"a=%", "malformed a: the value is not valid form encoding"},
		{"a=%4", "malformed a: the value is not valid form encoding"},
		{"a=%zz", "malformed a: the value is not valid form encoding"},
		{"a=%00", "malformed a: the value is not valid form encoding"},
		{"a=\x00", "malformed a: the value is not valid form encoding"},
		{"a=%ff", "malformed a: the value is not valid form encoding"},
		{"a=\xff", "malformed a: the value is not valid form encoding"},
		{"a=%ED%A0%80", "malformed a: the value is not valid form encoding"},
		{"%zz=1", "malformed : a parameter name is not valid form encoding"},
		{"=1", "malformed : the parameter name is not well formed"},
		{"[a]=1", "malformed [a]: the parameter name is not well formed"},
		{"a[=1", "malformed a[: the parameter name is not well formed"},
		{"a]=1", "malformed a]: the parameter name is not well formed"},
		{"a[b=1", "malformed a[b: the parameter name is not well formed"},
		{"a[b]]=1", "malformed a[b]]: the parameter name is not well formed"},
		{"a[b]c=1", "malformed a[b]c: the parameter name is not well formed"},
		{"a[b][=1", "malformed a[b][: the parameter name is not well formed"},
		{"a[[b]]=1", "malformed a[[b]]: the parameter name is not well formed"},
		{"a[b]c[d]=1", "malformed a[b]c[d]: the parameter name is not well formed"},
	} {
		if got := parsed(row[0]); got != row[1] {
			t.Errorf("%s\n got %s\nwant %s", row[0], got, row[1])
		}
	}
}

func parsed(texts ...string) string {
	root, bad := twin.ParseForm(texts...)
	if bad != nil {
		if bad.Kind == twin.TooMany {
			return fmt.Sprintf("too many: %d", bad.Limit)
		}
		return fmt.Sprintf("malformed %s: %s", bad.Param, bad.Value)
	}
	return shape(root)
}

// A query and a body make one tree, the body last.
func TestParseFormOfQueryAndBody(t *testing.T) {
	if got := parsed("a=1&b[]=x", "a=2&b[]=y"); got != "{a:2,b:{+0:x,+1:y}}" {
		t.Error(got)
	}
}

func TestParseFormLimits(t *testing.T) {
	many := strings.Repeat("a[]=1&", twin.ParamsMax)
	if _, bad := twin.ParseForm(many); bad != nil {
		t.Errorf("%d parameters are refused: %v", twin.ParamsMax, bad)
	}
	if got, want := parsed(many, "b=1"), fmt.Sprintf("too many: %d", twin.ParamsMax); got != want {
		t.Errorf("one more: %s", got)
	}
	deep := "a" + strings.Repeat("[b]", twin.ParamDepthMax-1)
	if got := parsed(deep + "=1"); strings.HasPrefix(got, "malformed") {
		t.Errorf("%d levels: %s", twin.ParamDepthMax, got)
	}
	if got := parsed(deep + "[b]=1"); !strings.HasPrefix(got, "malformed") {
		t.Errorf("one level more: %s", got)
	}
	long := strings.Repeat("n", twin.ParamNameMax)
	if got := parsed(long + "=1"); got != "{"+long+":1}" {
		t.Errorf("a name of %d bytes: %s", twin.ParamNameMax, got)
	}
	if got := parsed(long + "n=1"); !strings.HasPrefix(got, "malformed") {
		t.Errorf("one byte more: %s", got)
	}
}

func TestEscapeForm(t *testing.T) {
	for _, row := range [][2]string{
		{"a=1&b=%20", "a=1&b=%20"},
		{"a=ü", "a=%C3%BC"},
		{"a=\xff\n", "a=%FF%0A"},
		{"", ""},
	} {
		if got := twin.EscapeForm([]byte(row[0])); got != row[1] {
			t.Errorf("%q: %q, want %q", row[0], got, row[1])
		}
	}
}

// Whatever comes in, nothing panics; what is stored of it parses alike; and the
// tree written out again is the same tree.
func FuzzParseForm(f *testing.F) {
	for _, s := range []string{"a=1&b[]=2&b[][c]=3", "a[0][x]=%C3%BC&a[]=2", "a[b]]=1", "=%", "expand[]=a.b&expand[1]=c", "a[b=1&a]=", "+=;"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		root, bad := twin.ParseForm(text)
		stored, storedBad := twin.ParseForm(twin.EscapeForm([]byte(text)))
		if bad == nil && strings.ContainsFunc(text, func(r rune) bool { return r < ' ' }) {
			return // a control character in a name is one when escaped, too, but names print differently
		}
		if (bad == nil) != (storedBad == nil) || bad == nil && shape(root) != shape(stored) {
			t.Fatalf("%q parses otherwise once stored", text)
		}
		if bad != nil {
			return
		}
		again, bad := twin.ParseForm(written(root, ""))
		if bad != nil {
			if bad.Kind == twin.TooMany || strings.Contains(bad.Value, "not well formed") {
				return // numbering the elements made a name too long
			}
			t.Fatalf("%q written out is %v", text, bad)
		}
		if values(root) != values(again) {
			t.Fatalf("%q: %s became %s", text, values(root), values(again))
		}
	})
}

// written is the tree as a form, elements by number.
func written(n *twin.Node, path string) string {
	if len(n.Kids) == 0 {
		if path == "" {
			return ""
		}
		return url.QueryEscape(path) + "=" + url.QueryEscape(n.Value)
	}
	var pairs []string
	for i, name := range labels(n) {
		if path != "" {
			name = path + "[" + name + "]"
		}
		pairs = append(pairs, written(n.Kids[i], name))
	}
	return strings.Join(pairs, "&")
}

// labels are the names of the children; an appended element stands one past the
// number before it.
func labels(n *twin.Node) []string {
	var out []string
	next := 0
	for _, k := range n.Kids {
		name := k.Name
		if name == "" {
			name = strconv.Itoa(next)
		}
		if number, err := strconv.Atoi(name); err == nil && strconv.Itoa(number) == name {
			next = number + 1
		}
		out = append(out, name)
	}
	return out
}

// values is the tree without the difference between numbered and appended.
func values(n *twin.Node) string {
	if len(n.Kids) == 0 {
		return n.Value
	}
	var kids []string
	for i, name := range labels(n) {
		kids = append(kids, name+":"+values(n.Kids[i]))
	}
	return "{" + strings.Join(kids, ",") + "}"
}
