package stripe_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"worlds/seed"
	"worlds/twin"
	"worlds/twin/stripe"
	"worlds/twin/stripe/spec"
)

// stripeMock is Stripe's own mock of this API version: it refuses what its
// document does not allow, and remembers nothing.
const stripeMock = "github.com/stripe/stripe-mock@v0.203.0"

// sideBySide is how many requests of each kind every route gets.
const sideBySide = 6

// mockDifferences are the classes of requests that one accepts and the other
// refuses, and whose doing each is. A pattern matches "what was done to which type:
// twin verdict, mock verdict; METHOD /path parameter".
var mockDifferences = []struct{ pattern, why string }{
	{`^empty (string|integer|decimal): refuses, accepts; `,
		"the mock lets any text be empty, and takes an empty number for none; live answers parameter_invalid_empty (twin-surface A.1)"},
	{`^empty array: refuses, accepts; POST /v1/setup_intents/\{intent\} allowed_payment_method_types`,
		"cards are all that the twin has: what is allowed cannot be unset"},
	{`^empty map: accepts, refuses; `,
		"the document lets metadata be unset on updates alone; creating with none at all is the same as without"},
	{`^empty (array|object|enum|string|integer): accepts, refuses; `,
		"create and update share a table: what an update may unset may be sent empty on creation too, and is null either way"},
	{`^empty object: refuses, accepts; .* (card|payment_method_data\[card\])$`,
		"the document has a text beside the object here (a token), which the twin does not take"},
	{`^unknown inside: refuses, accepts; `,
		"the mock closes the outermost object alone; live refuses unknown parameters at any depth (twin-surface A.1)"},
	{`^(mistyped string: refuses, accepts; .* items\[0\]\[plan\]|sound: accepts, refuses; POST /v1/subscription_items(/\{item\})?)$`,
		"the older name of a price is in the SDKs and not in the document"},
	{`^missing (integer|string): refuses, accepts; POST /v1/charges (amount|currency)$`,
		"live asks for both, the document for neither"},
	{`^missing .*: refuses, accepts; POST /v1/(customers/\{customer\}/)?subscriptions (customer|items)$`,
		"live asks for them; the document allows an account instead, which the twin lacks"},
	{`^missing .*: refuses, accepts; (.*price_data\]?\[(unit_amount|product)\]|.*/v1/credit_notes.* refunds\[0\]\[refund\]|POST /v1/(invoices|invoiceitems|payment_methods/\{payment_method\}/attach) customer|POST /v1/customers/\{customer\}/sources source|POST /v1/payment_methods type)$`,
		"the document allows something else in its place (a decimal amount, a new product, an account, a payment record, an inline price, a method to copy), which the twin lacks"},
	{`^(missing|sound).*: refuses, accepts; POST /v1/(payment_links.*|tax_ids)$`,
		"what a type or a price of the link brings along, and the forms of tax ids, are the endpoint's business, not the document's"},
	{`^(missing|mistyped) object: refuses, accepts; .* (card|payment_method_data\[card\])$`,
		"the document allows a bank account or a token's text instead, which the twin lacks"},
	{`^mistyped decimal: refuses, accepts; .*unit_amount_decimal\]?$`,
		"the document types decimal amounts as text, and the mock looks no further; live refuses what is no number"},
	{`^mistyped integer: refuses, accepts; .*exp_(month|year)\]?$`,
		"the document types the month and year of a card as text; live refuses what is no number"},
	{`^mistyped string: refuses, accepts; .* (card|payment_method_data\[card\])\[(cvc|number|token)\]$`,
		"of card data the document has several forms or hides it, and the mock reads nothing of it"},
	{`^sound: refuses, accepts; POST /v1/(invoiceitems(/\{invoiceitem\})?|invoices/\{invoice\}/(add_lines|update_lines|lines/\{line_item_id\}))$`,
		"a line needs an amount or a price: which of them is the endpoint's business, not the document's"},
	{`^sound: refuses, accepts; .*/v1/credit_notes`,
		"what a line of a credit note needs depends on its type: the endpoint knows, the document does not"},
	{`^sound: refuses, accepts; POST /v1/invoices/create_preview$`,
		"a preview needs a customer or a subscription: the endpoint knows, the document does not"},
	{`^sound: refuses, accepts; POST /v1/payment_methods$`,
		"a card needs a number and a date, or a token: the endpoint knows, the document does not"},
	{`^sound: refuses, accepts; POST /v1/(coupons|prices|products|promotion_codes|(customers/\{customer\}/)?subscriptions(/\{\w+\})?|subscription_items(/\{item\})?)$`,
		"just one of several parameters is needed (product or product_data, price or price_data, an amount, a coupon): the endpoint knows, the document does not"},
}

// TestSideBySide sends the same requests, sound and broken, to the twin and to
// stripe-mock: what one accepts or refuses for its parameters alone the other does
// too, but for the classes above.
func TestSideBySide(t *testing.T) {
	base := startMock(t)
	world, err := seed.Parse([]byte(qaBase))
	if err != nil {
		t.Fatal(err)
	}
	m := freshMachine(t, world)
	sent, differ, used := 0, map[string]int{}, make([]bool, len(mockDifferences))
	for _, route := range stripe.Catalog().Routes() {
		if strings.HasPrefix(route.Pattern, "/v1/test_helpers") {
			continue // off in this world: refused whatever is sent
		}
		h := fnv.New64a() // what one route is sent does not hang on the others
		h.Write([]byte(route.Method + route.Pattern))
		g := &generator{pick: rand.New(rand.NewPCG(1, h.Sum64())).IntN, seldom: 3}
		for range sideBySide {
			for i, q := range g.requests(route) {
				sent++
				ours, theirs := q.twin(m), q.mock(t, base)
				if ours == theirs || ours == unserved {
					continue
				}
				text := strings.TrimSpace(fmt.Sprintf("%s: %s, %s; %s %s %s", q.what, ours, theirs, route.Method, route.Pattern, q.param))
				known := false
				for i, d := range mockDifferences {
					if regexp.MustCompile(d.pattern).MatchString(text) {
						known, used[i] = true, true
						break
					}
				}
				if !known {
					differ[text]++
				}
				if i == 0 {
					break // what is broken further would be no news
				}
			}
		}
	}
	for _, text := range sortedKeys(differ) {
		t.Errorf("%s (%d times)", text, differ[text])
	}
	for i, d := range mockDifferences {
		if !used[i] {
			t.Errorf("no longer so: %s", d.pattern)
		}
	}
	if sent < 2000 {
		t.Errorf("only %d requests", sent)
	}
	t.Logf("%d requests, %d classes of differences", sent, len(mockDifferences))
}

func sortedKeys(m map[string]int) []string {
	var all []string
	for k := range m {
		all = append(all, k)
	}
	slices.Sort(all)
	return all
}

// What a server makes of a request's parameters.
const (
	accepted = "accepts"
	refused  = "refuses"
	unserved = "501"
)

// sample is one request and what is wrong with it.
type sample struct {
	what   string
	param  string
	method string
	path   string
	form   []string
}

// parameterFault is how the twin words a fault of the parameters alone.
var parameterFault = regexp.MustCompile(`^(Received unknown parameter|Missing required param|Invalid (integer|boolean|array|object|string|positive integer|decimal)|This value must be|You passed an empty string|Invalid [a-z_0-9]+: must be|Invalid decimal)`)

func (q *sample) twin(m *twin.Machine) string {
	cmd := twin.Command{Actor: "key:1", API: stripe.Name, Method: q.method, Path: q.path}
	if q.method == "POST" {
		cmd.Body = strings.Join(q.form, "&")
	} else {
		cmd.Query = strings.Join(q.form, "&")
	}
	out := m.Execute(1, &cmd)
	a := answer{out.Status, out.Body}
	switch {
	case a.Status == 501:
		return unserved
	case a.Status == 400 && parameterFault.MatchString(a.get("error.message")):
		return refused
	}
	return accepted
}

func (q *sample) mock(t *testing.T, base string) string {
	t.Helper()
	target, body := base+q.path, io.Reader(http.NoBody)
	if q.method == "POST" {
		body = strings.NewReader(strings.Join(q.form, "&"))
	} else if len(q.form) > 0 {
		target += "?" + strings.Join(q.form, "&")
	}
	req, err := http.NewRequest(q.method, target, body)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer sk_test_123")
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode == http.StatusBadRequest {
		return refused
	}
	return accepted
}

// generator makes requests out of the parameter tables.
type generator struct {
	pick   func(n int) int            // a number below n
	knows  bool                       // words are to be had of any parameter, and go before all else
	seldom int                        // one in so many optional parameters is sent
	words  func(path string) []string // the words that a text may be, nil for any
}

// given is one parameter of a sound request: its path, its entry in the table and
// the pairs that say it.
type given struct {
	path  string
	param twin.Param
	form  []string
}

// requests are a sound request for a route and the ways to break it.
func (g *generator) requests(route *twin.Route) []*sample {
	path := regexp.MustCompile(`\{[^}]*\}`).ReplaceAllString(route.Pattern, "x_1")
	op, _, _ := spec.Lookup(route.Method, route.Pattern)
	g.words = func(path string) []string {
		if strings.HasSuffix(strings.TrimSuffix(path, "]"), "email") {
			return []string{"a@b.example"}
		}
		p, _ := op.Param(strings.Split(strings.ReplaceAll(path, "]", ""), "["))
		for _, f := range p.Forms {
			if f.Kind == spec.Integer {
				return []string{"2000000000"}
			}
		}
		if len(p.Forms) == 1 && p.Forms[0].Kind == spec.Enum {
			return p.Forms[0].Values
		}
		return nil
	}
	all := g.fields(route.Table(), "")
	form := func(skip string, more ...string) []string {
		var out []string
		for _, p := range all {
			if p.path != skip && !strings.HasPrefix(p.path, skip+"[") || skip == "" {
				out = append(out, p.form...)
			}
		}
		return append(out, more...)
	}
	make := func(what, param string, form []string) *sample {
		return &sample{what: what, param: param, method: route.Method, path: path, form: form}
	}
	out := []*sample{make("sound", "", form("")), make("unknown", "nonsense", form("", "nonsense=1"))}
	for _, p := range all {
		kind := string(p.param.Type)
		if p.param.Enum != nil {
			kind = "enum"
		}
		if p.param.Required {
			out = append(out, make("missing "+kind, p.path, form(p.path)))
		}
		out = append(out, make("empty "+kind, p.path, form(p.path, escape(p.path)+"=")))
		if p.param.Type == twin.ObjectParam {
			out = append(out, make("unknown inside", p.path, form("", escape(p.path+"[nonsense]")+"=1")))
		}
		if wrong := mistyped(p); wrong != "" {
			out = append(out, make("mistyped "+kind, p.path, form(p.path, wrong)))
		}
	}
	return out
}

// mistyped writes a parameter as what it cannot be.
func mistyped(p given) string {
	switch name := escape(p.path); p.param.Type {
	case twin.TextParam:
		if p.param.Enum != nil {
			return name + "=nonsense"
		}
		return name + escape("[nonsense]") + "=1"
	case twin.IntegerParam, twin.BooleanParam, twin.ObjectParam, twin.MapParam, twin.RangeParam, twin.DecimalParam:
		return name + "=nonsense"
	case twin.ListParam:
		return name + "=nonsense"
	}
	return ""
}

func escape(path string) string { return url.QueryEscape(path) }

// fields gives values to what is required and to some of the rest. The outermost
// come first: leaving one out leaves out what is in it.
func (g *generator) fields(table []twin.Param, prefix string) []given {
	var out []given
	for _, p := range table {
		if !p.Required && g.pick(g.seldom) != 0 {
			continue
		}
		path := bracket(prefix, p.Name)
		switch p.Type {
		case twin.ObjectParam:
			inner := g.fields(p.Fields, path)
			if len(inner) == 0 {
				continue
			}
			out = append(append(out, given{path, p, nil}), inner...)
		case twin.ListParam:
			if p.Elem == twin.ObjectParam {
				inner := g.fields(p.Fields, path+"[0]")
				if len(inner) == 0 {
					continue
				}
				out = append(append(out, given{path, p, nil}), inner...)
				continue
			}
			out = append(out, given{path, p, []string{escape(path+"[0]") + "=" + g.scalar(path+"[0]", p, p.Elem)}})
		case twin.MapParam:
			out = append(out, given{path, p, []string{escape(path+"[a]") + "=b"}})
		default:
			out = append(out, given{path, p, []string{escape(path) + "=" + g.scalar(path, p, p.Type)}})
		}
	}
	return out
}

func (g *generator) scalar(path string, p twin.Param, typ twin.ParamType) string {
	switch words := g.words(path); {
	case len(words) > 0 && g.knows:
		return words[g.pick(len(words))]
	case len(p.Enum) > 0:
		return p.Enum[g.pick(len(p.Enum))]
	case typ == twin.BooleanParam:
		return []string{"true", "false"}[g.pick(2)]
	case typ == twin.DecimalParam:
		return "12.5"
	case typ == twin.IntegerParam || typ == twin.RangeParam:
		least, most := int64(1), int64(1000)
		if p.HasMin {
			least = max(least, p.Min)
		}
		if p.HasMax {
			most = min(most, p.Max)
		}
		return fmt.Sprint(least + int64(g.pick(int(max(1, most-least+1)))))
	}
	if words := g.words(path); slices.Contains(words, "card") {
		return "card"
	} else if len(words) > 0 {
		return words[len(words)-1]
	}
	return "abc"
}

// startMock runs stripe-mock on a free port until the test ends. Where it cannot
// be had the test ends, or fails where it must not.
func startMock(t *testing.T) string {
	t.Helper()
	program, err := mockProgram()
	if err != nil {
		if os.Getenv("WORLDS_FORCE_SDK") != "" {
			t.Fatal(err)
		}
		t.Skipf("no stripe-mock: %v", err)
	}
	ctx, stop := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, program, "-http-addr", "127.0.0.1:0")
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(); _ = cmd.Wait() })
	listening := regexp.MustCompile(`127\.0\.0\.1:[1-9][0-9]*`)
	found := make(chan string, 1)
	go func() {
		for lines := bufio.NewScanner(stdout); lines.Scan(); {
			if at := listening.FindString(lines.Text()); at != "" {
				found <- at
			}
		}
	}()
	select {
	case at := <-found:
		return "http://" + at
	case <-time.After(time.Minute):
		t.Fatal("stripe-mock does not say where it listens")
	}
	return ""
}

// mockProgram is the path of stripe-mock, which is installed once for all into the
// user's cache.
func mockProgram() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, "worlds", strings.ReplaceAll(filepath.Base(stripeMock), "@", "-"))
	program := filepath.Join(dir, "stripe-mock")
	if _, err := os.Stat(program); err == nil {
		return program, nil
	}
	install := exec.Command("go", "install", stripeMock)
	install.Env = append(os.Environ(), "GOBIN="+dir)
	if out, err := install.CombinedOutput(); err != nil {
		return "", errors.New(string(out))
	}
	return program, nil
}
