package serve_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"worlds/journal/store"
	"worlds/twin"
	"worlds/twin/world"
)

// A read out of the past answers what was there, and is in no journal; nothing else
// can be done there.
func TestReadsOfThePast(t *testing.T) {
	r := newRig(t, nil, nil)
	change := "name=After"
	if res, body := r.raw("POST /v1/customers/cus_seed0001 HTTP/1.1\r\nHost: w\r\n" + authorized + length(change) + "\r\n" + change); res.StatusCode != 200 {
		t.Fatalf("%s", body)
	}
	name := twin.Command{Actor: "admin", API: "admin", Op: "mark", Args: twin.MarkArgs("changed")}
	if _, err := r.world.Do(context.Background(), world.Request{Command: name}); err != nil {
		t.Fatal(err)
	}
	get := "GET /v1/customers/cus_seed0001"
	for _, row := range []struct {
		line, at, body string
		status         int
		want, header   string
	}{
		{get, "", "", 200, `"name": "After"`, ""},
		{get, "0", "", 200, `"name": "`, "0"},
		{get, "1", "", 200, `"name": "After"`, "1"},
		{get, "#1", "", 200, `"name": "After"`, "1"},
		{get, "changed", "", 200, `"name": "After"`, "2"},
		{"GET /v1/customers/cus_nope", "0", "", 404, "No such customer", "0"},
		{"GET /v1/customers?frobnicate=1", "0", "", 400, "frobnicate", "0"},
		{get, "99", "", 400, "the world has no such entry", ""},
		{get, "nobody", "", 400, `the world has no such mark: \"nobody\"`, ""},
		{get, "\xff", "", 400, "the world has no such mark", ""},
		{"POST /v1/customers", "0", change, 400, "The past can only be read", ""},
		{"DELETE /v1/customers/cus_seed0001", "0", "", 400, "The past can only be read", ""},
	} {
		before, err := r.world.View(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		headers := authorized
		if row.at != "" {
			headers += "Worlds-At: " + row.at + "\r\n"
		}
		res, body := r.raw(row.line + " HTTP/1.1\r\nHost: w\r\n" + headers + "\r\n" + row.body)
		if res.StatusCode != row.status || !strings.Contains(string(body), row.want) || res.Header.Get("Worlds-At") != row.header {
			t.Errorf("%s at %q: %d %v %s", row.line, row.at, res.StatusCode, res.Header["Worlds-At"], body)
		}
		if row.at == "0" && row.status == 200 && strings.Contains(string(body), "After") {
			t.Errorf("the past holds what came later: %s", body)
		}
		after, err := r.world.View(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if row.at != "" && after.Hash != before.Hash {
			t.Errorf("%s at %q moved the head", row.line, row.at)
		}
	}
	if _, body := r.raw(get + " HTTP/1.1\r\nHost: w\r\nWorlds-At: 0\r\n\r\n"); !strings.Contains(string(body), "You did not provide an API key") {
		t.Errorf("the past without a key: %s", body)
	}
}

// Whatever goes wrong, the log names no key.
func TestKeysAreNotLogged(t *testing.T) {
	full := errors.New("no space left")
	var broken atomic.Bool
	r := newRig(t, nil, func(p store.Point) error {
		if broken.Load() && p == store.PointWrite {
			return full
		}
		return nil
	})
	broken.Store(true)
	for _, line := range []string{"POST /v1/customers", "GET /v1/customers"} {
		body := "name=" + secret
		r.raw(line + " HTTP/1.1\r\nHost: w\r\n" + authorized + "Idempotency-Key: " + secret + "\r\n" + length(body) + "\r\n" + body)
	}
	r.log.mu.Lock()
	defer r.log.mu.Unlock()
	text := r.log.text.String()
	if !strings.Contains(text, "no space left") {
		t.Fatalf("nothing went wrong: %q", text)
	}
	if strings.Contains(text, secret) {
		t.Errorf("the log holds the key: %s", text)
	}
}
