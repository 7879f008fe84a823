package testscripts

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"worlds/journal/canon"
)

func noNeg(ts *testscript.TestScript, neg bool) {
	if neg {
		ts.Fatalf("this command takes no !")
	}
}

func cmdWorld(r *Rig, ts *testscript.TestScript, neg bool, args []string) {
	noNeg(ts, neg)
	switch {
	case len(args) >= 2 && len(args) <= 3 && args[0] == "new":
		name := fmt.Sprintf("world-%d", len(r.order)+1)
		if len(args) == 3 {
			name = args[2]
		}
		_, err := r.world(args[1], name)
		ts.Check(err)
	case len(args) == 2 && args[0] == "use":
		s := r.worlds[args[1]]
		if s == nil {
			ts.Fatalf("there is no world %q", args[1])
		}
		r.now = s
	default:
		ts.Fatalf("usage: world new SEED [NAME] | world use NAME")
	}
	r.export(ts)
}

// export tells programs run with exec where the present world is.
func (r *Rig) export(ts *testscript.TestScript) {
	ts.Setenv("WORLDS_URL", r.server.URL)
	ts.Setenv("WORLDS_WORLD", r.now.info.ID)
	ts.Setenv("WORLDS_TOKEN", r.now.info.AdminToken)
	ts.Setenv("STRIPE_KEY", r.now.info.Keys[0].Secret)
	ts.Setenv("ZENDESK_EMAIL", r.now.info.Zendesk.Email)
	ts.Setenv("ZENDESK_TOKEN", r.now.info.Zendesk.APIToken)
}

func cmdStripe(r *Rig, ts *testscript.TestScript, neg bool, args []string) {
	c, err := r.Stripe("", args)
	ts.Check(err)
	ts.Check(r.do(c))
	fmt.Fprintf(ts.Stdout(), "%s\n", canon.AppendPretty(nil, r.last.Body, "id", "object"))
	if refused := r.last.Status >= 400; refused != neg {
		ts.Fatalf("%s %s answered %d: %s", c.Method, c.Path, r.last.Status, r.last.Body)
	}
}

// errNoWorld says what a scenario begins with.
var errNoWorld = errors.New("there is no world; begin with: world new SEED")

// Stripe reads the words of the command stripe, with the key of a label ("" is the
// first) unless they name another.
func (r *Rig) Stripe(label string, args []string) (Call, error) {
	if r.now == nil {
		return Call{}, errNoWorld
	}
	header := http.Header{}
	for len(args) >= 2 && strings.HasPrefix(args[0], "-") {
		switch args[0] {
		case "-key":
			label = args[1]
		case "-idem":
			header.Set("Idempotency-Key", args[1])
		case "-version":
			header.Set("Stripe-Version", args[1])
		default:
			return Call{}, fmt.Errorf("stripe has no option %s", args[0])
		}
		args = args[2:]
	}
	if len(args) < 2 {
		return Call{}, errors.New("usage: stripe [-key LABEL] [-idem KEY] [-version V] METHOD PATH [NAME=VALUE…]")
	}
	secret, err := r.now.secret(label)
	if err != nil {
		return Call{}, err
	}
	header.Set("Authorization", "Bearer "+secret)
	form, err := encodePairs(args[2:])
	return Call{Method: args[0], Path: args[1], Form: form, Header: header}, err
}

func cmdStatus(r *Rig, ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: status CODE")
	}
	if (strconv.Itoa(r.last.Status) == args[0]) == neg {
		ts.Fatalf("the status is %d: %s", r.last.Status, r.last.Body)
	}
}

func cmdHeader(r *Rig, ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: header NAME [VALUE]")
	}
	got, there := r.last.Header[http.CanonicalHeaderKey(args[0])]
	ok := there && (len(args) == 1 || got[0] == args[1])
	if ok == neg {
		ts.Fatalf("the header %s is %q", args[0], got)
	}
}

func cmdJSON(r *Rig, ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: json PATH [VALUE]")
	}
	if ok, got := r.last.Holds(args[0], args[1:]...); ok == neg {
		ts.Fatalf("%s is %s, in %s", args[0], got, r.last.Body)
	}
}

// Holds reports whether a member of the answer is there and not null, or has the
// value; got is what it is.
func (a *Answer) Holds(path string, value ...string) (ok bool, got string) {
	got, there := member(a.Body, path)
	if len(value) == 0 {
		return there && got != "null", got
	}
	return there && got == value[0], got
}

func cmdSave(r *Rig, ts *testscript.TestScript, neg bool, args []string) {
	noNeg(ts, neg)
	if len(args) != 2 {
		ts.Fatalf("usage: save VAR PATH")
	}
	got, there := member(r.last.Body, args[1])
	if !there {
		ts.Fatalf("there is no %s in %s", args[1], r.last.Body)
	}
	ts.Setenv(args[0], got)
}

// member reads a path such as .data[0].id; strings come without quotes. A path
// that ends in .length is the number of elements.
func member(body canon.Raw, path string) (string, bool) {
	path, count := strings.CutSuffix(path, ".length")
	at := body
	for path != "" {
		var ok bool
		if at, path, ok = stepInto(at, path); !ok {
			return "(absent)", false
		}
	}
	if count {
		n := 0
		for range canon.Elements(at) {
			n++
		}
		return strconv.Itoa(n), true
	}
	if s, ok := canon.Unquote(at); ok {
		return s, true
	}
	return string(at), true
}

// stepInto takes the first segment off a path.
func stepInto(at canon.Raw, path string) (canon.Raw, string, bool) {
	switch path[0] {
	case '.':
		end := strings.IndexAny(path[1:], ".[")
		name := path[1:]
		if end >= 0 {
			name = path[1 : end+1]
		}
		value, ok := canon.Get(at, name)
		return value, path[1+len(name):], ok
	case '[':
		text, rest, ok := strings.Cut(path[1:], "]")
		n, err := strconv.Atoi(text)
		var list []canon.Raw
		for e := range canon.Elements(at) {
			list = append(list, e)
		}
		if n < 0 {
			n += len(list)
		}
		if !ok || err != nil || n < 0 || n >= len(list) {
			return nil, "", false
		}
		return list[n], rest, true
	}
	return nil, "", false
}

// adminOK calls the admin API and fails the script on a refusal, or, with neg, on
// anything else.
func (r *Rig) adminOK(ts *testscript.TestScript, neg bool, method, path, body string) {
	ts.Check(r.admin(method, path, body))
	if refused := r.last.Status >= 400; refused != neg {
		ts.Fatalf("%s %s answered %d: %s", method, path, r.last.Status, r.last.Body)
	}
}

func cmdMark(r *Rig, ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: mark NAME")
	}
	r.adminOK(ts, neg, "POST", "/marks", `{"name":`+string(canon.AppendString(nil, args[0]))+`}`)
}

// spans are the units of clock +N.
var spans = map[byte]int64{'s': 1, 'm': 60, 'h': 3600, 'd': 86400}

func cmdClock(r *Rig, ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 || args[0] == "" {
		ts.Fatalf("usage: clock +N[s|m|h|d] | clock UNIX")
	}
	body, err := AdvanceBody(args[0])
	ts.Check(err)
	for {
		r.adminOK(ts, neg, "POST", "/clock/advance", body)
		if pending, _ := member(r.last.Body, ".renewals_pending"); neg || pending == "0" {
			return
		}
		body = `{"seconds":0}`
	}
}

// AdvanceBody is the body of an advance by a span (+30d) or to an instant.
func AdvanceBody(to string) (string, error) {
	span, ok := strings.CutPrefix(to, "+")
	if !ok || span == "" {
		return `{"to":` + to + `}`, nil
	}
	unit, known := spans[span[len(span)-1]]
	if known {
		span = span[:len(span)-1]
	} else {
		unit = 1
	}
	n, err := strconv.ParseInt(span, 10, 64)
	if err != nil {
		return "", fmt.Errorf("clock %s: want +N, +Ns, +Nm, +Nh or +Nd, N a whole number", to)
	}
	return `{"seconds":` + strconv.FormatInt(n*unit, 10) + `}`, nil
}

func cmdDiff(r *Rig, ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: diff FROM [TO]")
	}
	query := "from=" + args[0]
	if len(args) == 2 {
		query += "&to=" + args[1]
	}
	r.adminOK(ts, neg, "GET", "/diff", query)
	fmt.Fprintf(ts.Stdout(), "%s\n", canon.AppendPretty(nil, r.last.Body, "table", "id"))
}

func cmdDump(r *Rig, ts *testscript.TestScript, neg bool, args []string) {
	noNeg(ts, neg)
	if len(args) > 1 {
		ts.Fatalf("usage: dump [VAR]")
	}
	if len(args) == 1 {
		r.adminOK(ts, false, "GET", "/dump/hash", "")
		hash, _ := member(r.last.Body, ".sha256")
		ts.Setenv(args[0], hash)
		return
	}
	r.adminOK(ts, false, "GET", "/dump", "")
	fmt.Fprintf(ts.Stdout(), "%s\n", r.last.Body)
}

func cmdEvents(r *Rig, ts *testscript.TestScript, neg bool, args []string) {
	noNeg(ts, neg)
	if len(args) != 0 {
		ts.Fatalf("usage: events")
	}
	out := ts.Stdout() // also when there is nothing to print
	for {
		r.adminOK(ts, false, "GET", "/events", "after="+strconv.FormatUint(r.now.events, 10)+"&limit=1000")
		list, _ := canon.Get(r.last.Body, "events")
		for e := range canon.Elements(list) {
			kind, _ := member(e, ".event.type")
			fmt.Fprintln(out, kind)
			r.now.events++
		}
		if more, _ := member(r.last.Body, ".has_more"); more != "true" {
			return
		}
	}
}

func cmdJournal(r *Rig, ts *testscript.TestScript, neg bool, args []string) {
	noNeg(ts, neg)
	if len(args) != 0 {
		ts.Fatalf("usage: journal")
	}
	r.adminOK(ts, false, "GET", "/journal", "limit=1000")
	list, _ := canon.Get(r.last.Body, "entries")
	for e := range canon.Elements(list) {
		words := make([]string, 0, 5)
		for _, path := range []string{".seq", ".command.actor", ".command.method", ".command.op", ".command.path", ".reply.status"} {
			if text, ok := member(e, path); ok {
				words = append(words, text)
			}
		}
		fmt.Fprintln(ts.Stdout(), "#"+strings.Join(words, " "))
	}
}

func cmdReset(r *Rig, ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 0 {
		ts.Fatalf("usage: reset")
	}
	r.adminOK(ts, neg, "POST", "/reset", "")
	r.now.events = 0
}

func cmdReplay(r *Rig, ts *testscript.TestScript, neg bool, args []string) {
	mode := "re-decide"
	if len(args) == 1 {
		mode = args[0]
	} else if len(args) != 0 {
		ts.Fatalf("usage: replay [fold|re-decide]")
	}
	r.adminOK(ts, false, "POST", "/replay", `{"mode":"`+mode+`"}`)
	if valid, _ := member(r.last.Body, ".valid"); (valid == "true") == neg {
		ts.Fatalf("the replay says: %s", r.last.Body)
	}
}

func cmdRestart(r *Rig, ts *testscript.TestScript, neg bool, args []string) {
	noNeg(ts, neg)
	if len(args) != 0 {
		ts.Fatalf("usage: restart")
	}
	if r.server != nil {
		ts.Check(r.end())
	}
	ts.Check(r.start())
	if r.now != nil {
		r.export(ts)
	}
}
