package testscripts

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"worlds/journal/canon"
)

func cmdZendesk(r *rig, ts *testscript.TestScript, neg bool, args []string) {
	if r.now == nil {
		ts.Fatalf("there is no world; begin with: world new SEED")
	}
	login := r.now.info.Zendesk
	email, header := login.Email, http.Header{"Content-Type": {"application/json"}}
	anonymous := false
	for len(args) >= 2 && strings.HasPrefix(args[0], "-") {
		if args[0] == "-none" {
			anonymous, args = true, args[1:]
			continue
		}
		switch args[0] {
		case "-as":
			email = args[1]
		case "-behalf":
			header.Set("X-On-Behalf-Of", args[1])
		case "-idem":
			header.Set("Idempotency-Key", args[1])
		default:
			ts.Fatalf("zendesk has no option %s", args[0])
		}
		args = args[2:]
	}
	if len(args) < 2 || len(args) > 3 {
		ts.Fatalf("usage: zendesk [-as EMAIL] [-behalf WHO] [-idem KEY] [-none] METHOD PATH [JSON]")
	}
	if !anonymous {
		basic := base64.StdEncoding.EncodeToString([]byte(email + "/token:" + login.APIToken))
		header.Set("Authorization", "Basic "+basic)
	}
	c := call{method: args[0], path: args[1], header: header}
	if len(args) == 3 {
		c.body = args[2]
	}
	ts.Check(r.do(c))
	if r.last.body != nil {
		fmt.Fprintf(ts.Stdout(), "%s\n", canon.AppendPretty(nil, r.last.body, "id"))
	}
	if refused := r.last.status >= 400; refused != neg {
		ts.Fatalf("%s %s answered %d: %s", args[0], args[1], r.last.status, r.last.body)
	}
}
