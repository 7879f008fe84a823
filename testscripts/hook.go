package testscripts

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"worlds/journal/canon"
	"worlds/projection"
)

// hookName is what a listener is called unless it is given a name.
const hookName = "hook"

// cmdHook starts and questions the listeners of a scenario.
func cmdHook(r *Rig, ts *testscript.TestScript, neg bool, args []string) {
	if len(args) == 0 {
		ts.Fatalf("usage: hook start|listen|answer|expect|verify …")
	}
	verb, args := args[0], args[1:]
	switch verb {
	case "start":
		r.startHook(ts, neg, args)
		return
	case "listen":
		noNeg(ts, neg)
		if len(args) != 1 {
			ts.Fatalf("usage: hook listen NAME")
		}
		r.listen(ts, args[0])
		return
	}
	noNeg(ts, neg)
	name := hookName
	if len(args) >= 2 && args[0] == "-name" {
		name, args = args[1], args[2:]
	}
	h := r.hooks[name]
	if h == nil {
		ts.Fatalf("there is no listener %s; begin with: hook start", name)
	}
	switch verb {
	case "answer":
		ts.Check(h.Answer(args...))
	case "expect":
		var got []string
		for _, d := range h.Unseen() {
			got = append(got, d.Type)
		}
		if strings.Join(got, " ") != strings.Join(args, " ") {
			ts.Fatalf("there came %q, not %q", got, args)
		}
	case "verify":
		secret := r.now.hookSecret
		if len(args) == 1 {
			secret = args[0]
		}
		ts.Check(verify(h.Received(), secret))
	default:
		ts.Fatalf("hook has no verb %s", verb)
	}
}

// listen starts a listener and tells programs where it is.
func (r *Rig) listen(ts *testscript.TestScript, name string) *Listener {
	if r.hooks[name] == nil {
		listen := r.opt.Listen
		if listen == nil {
			listen = func() (*Listener, error) { return StartListener() }
		}
		h, err := listen()
		ts.Check(err)
		if r.hooks == nil {
			r.hooks = map[string]*Listener{}
		}
		r.hooks[name] = h
	}
	ts.Setenv(strings.ToUpper(name)+"_URL", r.hooks[name].URL)
	return r.hooks[name]
}

// startHook starts the listener and makes it the world's endpoint.
func (r *Rig) startHook(ts *testscript.TestScript, neg bool, args []string) {
	auto, rest := "false", ""
	for len(args) > 0 {
		switch {
		case args[0] == "-auto":
			auto, args = "true", args[1:]
		case args[0] == "-logical":
			rest += `,"signature_time":"logical"`
			args = args[1:]
		case args[0] == "-version" && len(args) > 1:
			rest += `,"api_version":` + string(canon.AppendString(nil, args[1]))
			args = args[2:]
		case args[0] == "-events" && len(args) > 1:
			rest += `,"enabled_events":["` + strings.ReplaceAll(args[1], ",", `","`) + `"]`
			args = args[2:]
		default:
			ts.Fatalf("usage: hook start [-auto] [-logical] [-version V] [-events TYPE,…]")
		}
	}
	h := r.listen(ts, hookName)
	r.adminOK(ts, neg, "PUT", "/webhooks/endpoint", `{"url":"`+h.URL+`","auto_deliver":`+auto+rest+`}`)
	r.now.hookSecret, _ = member(r.last.Body, ".secret")
}

// verify checks the signature of every delivery, and that an event has the same
// bytes whenever it comes.
func verify(got []Received, secret string) error {
	bodies := map[string]string{}
	for i, d := range got {
		stamp, digest, ok := strings.Cut(strings.TrimPrefix(d.Signature, "t="), ",v1=")
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write([]byte(stamp + "."))
		mac.Write(d.Body)
		switch {
		case !ok || hex.EncodeToString(mac.Sum(nil)) != digest:
			return fmt.Errorf("delivery %d (%s): the signature %q is not that of its body", i+1, d.ID, d.Signature)
		case d.Length != int64(len(d.Body)):
			return fmt.Errorf("delivery %d (%s): Content-Length %d of %d bytes", i+1, d.ID, d.Length, len(d.Body))
		case bodies[d.ID] != "" && bodies[d.ID] != string(d.Body):
			return fmt.Errorf("delivery %d (%s): other bytes than before", i+1, d.ID)
		}
		bodies[d.ID] = string(d.Body)
	}
	return nil
}

// printDeliveries prints rows of the ledger, one a line: #n type endpoint status
// attempts outcome.
func (r *Rig) printDeliveries(ts *testscript.TestScript) {
	out := ts.Stdout()
	list, _ := canon.Get(r.last.Body, "deliveries")
	for d := range canon.Elements(list) {
		words := make([]string, 0, 6)
		for _, path := range []string{".number", ".type", ".endpoint", ".status", ".attempts", ".outcome"} {
			if text, ok := member(d, path); ok {
				words = append(words, text)
			}
		}
		fmt.Fprintln(out, "#"+strings.Join(words, " "))
	}
}

func cmdFlush(r *Rig, ts *testscript.TestScript, neg bool, args []string) {
	noNeg(ts, neg)
	if len(args) != 0 {
		ts.Fatalf("usage: flush")
	}
	r.adminOK(ts, false, "POST", "/webhooks/flush", "")
	r.printDeliveries(ts)
}

func cmdDeliveries(r *Rig, ts *testscript.TestScript, neg bool, args []string) {
	noNeg(ts, neg)
	if len(args) != 0 {
		ts.Fatalf("usage: deliveries")
	}
	r.adminOK(ts, false, "GET", "/webhooks/deliveries", "limit=1000")
	r.printDeliveries(ts)
}

func cmdResend(r *Rig, ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: resend EVENT [ENDPOINT]")
	}
	body := `{"event":` + string(canon.AppendString(nil, args[0]))
	if len(args) == 2 {
		body += `,"endpoint":` + string(canon.AppendString(nil, args[1]))
	}
	r.adminOK(ts, neg, "POST", "/webhooks/resend", body+"}")
	r.printDeliveries(ts)
}

func cmdQuiesce(r *Rig, ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 0 {
		ts.Fatalf("usage: quiesce")
	}
	r.adminOK(ts, false, "POST", "/quiesce", "")
	if quiet, _ := member(r.last.Body, ".quiet"); (quiet == "true") == neg {
		ts.Fatalf("the world is not at rest: %s", r.last.Body)
	}
}

func cmdFault(r *Rig, ts *testscript.TestScript, neg bool, args []string) {
	switch {
	case len(args) == 2 && args[0] == "add":
		spec := args[1]
		if !strings.HasPrefix(spec, "{") {
			src, err := os.ReadFile(ts.MkAbs(spec))
			ts.Check(err)
			spec = string(src)
		}
		r.adminOK(ts, neg, "POST", "/scenarios", spec)
	case len(args) == 2 && args[0] == "rm":
		r.adminOK(ts, neg, "DELETE", "/scenarios/"+args[1], "")
	case len(args) == 1 && args[0] == "list":
		r.adminOK(ts, neg, "GET", "/scenarios", "")
		list, _ := canon.Get(r.last.Body, "rules")
		out := ts.Stdout()
		for rule := range canon.Elements(list) {
			id, _ := member(rule, ".id")
			matched, _ := member(rule, ".matched")
			acted, _ := member(rule, ".acted")
			fmt.Fprintln(out, id+" matched "+matched+" acted "+acted)
		}
	default:
		ts.Fatalf("usage: fault add JSON|FILE | fault list | fault rm ID")
	}
}

func cmdKey(r *Rig, ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: key LABEL [REQUESTS]")
	}
	body := `{"label":` + string(canon.AppendString(nil, args[0]))
	if len(args) == 2 {
		body += `,"expires_after":` + args[1]
	}
	r.adminOK(ts, neg, "POST", "/keys", body+"}")
	if !neg {
		r.now.addKey(r.last.Body)
	}
}

func cmdRequests(r *Rig, ts *testscript.TestScript, neg bool, args []string) {
	noNeg(ts, neg)
	if len(args) != 0 {
		ts.Fatalf("usage: requests")
	}
	r.adminOK(ts, false, "GET", "/requests", "limit=1000")
	list, _ := canon.Get(r.last.Body, "requests")
	out := ts.Stdout()
	for e := range canon.Elements(list) {
		words := make([]string, 0, 8)
		for _, path := range []string{".method", ".route", ".status", ".rule", ".why"} {
			if text, ok := member(e, path); ok {
				words = append(words, text)
			}
		}
		fmt.Fprintln(out, strings.Join(words, " "))
	}
}

// idleRules names the fault rules that never acted: a scenario that thinks it
// tests a failure must have had it.
func idleRules(st *projection.State) []string {
	var out []string
	for _, rule := range st.Rules() {
		if rule.Acted == 0 {
			out = append(out, rule.ID)
		}
	}
	return out
}
