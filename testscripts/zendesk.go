package testscripts

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"worlds/journal/canon"
)

func cmdZendesk(r *Rig, ts *testscript.TestScript, neg bool, args []string) {
	c, err := r.Desk(args)
	ts.Check(err)
	ts.Check(r.do(c))
	if r.last.Body != nil {
		fmt.Fprintf(ts.Stdout(), "%s\n", canon.AppendPretty(nil, r.last.Body, "id"))
	}
	if refused := r.last.Status >= 400; refused != neg {
		ts.Fatalf("%s %s answered %d: %s", c.Method, c.Path, r.last.Status, r.last.Body)
	}
}

// Desk reads the words of the command zendesk.
func (r *Rig) Desk(args []string) (Call, error) {
	if r.now == nil {
		return Call{}, errNoWorld
	}
	login := r.now.info.Zendesk
	email, header := login.Email, http.Header{"Content-Type": {"application/json"}}
	anonymous, bearer := false, ""
	for len(args) >= 2 && strings.HasPrefix(args[0], "-") {
		if args[0] == "-none" {
			anonymous, args = true, args[1:]
			continue
		}
		switch args[0] {
		case "-as":
			email = args[1]
		case "-bearer":
			bearer = args[1]
		case "-behalf":
			header.Set("X-On-Behalf-Of", args[1])
		case "-idem":
			header.Set("Idempotency-Key", args[1])
		default:
			return Call{}, fmt.Errorf("zendesk has no option %s", args[0])
		}
		args = args[2:]
	}
	if len(args) < 2 || len(args) > 3 {
		return Call{}, errors.New("usage: zendesk [-as EMAIL] [-bearer TOKEN] [-behalf WHO] [-idem KEY] [-none] METHOD PATH [JSON]")
	}
	switch {
	case bearer != "":
		header.Set("Authorization", "Bearer "+bearer)
	case !anonymous:
		basic := base64.StdEncoding.EncodeToString([]byte(email + "/token:" + login.APIToken))
		header.Set("Authorization", "Basic "+basic)
	}
	c := Call{Method: args[0], Path: args[1], Header: header}
	if len(args) == 3 {
		c.Body = args[2]
	}
	return c, nil
}
