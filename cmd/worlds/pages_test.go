package main

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
)

// TestPages: every row of a long log once, and as many as were asked for.
func TestPages(t *testing.T) {
	clean(t)
	const rows = 2500
	fail := 0 // the page that fails, from 1; 0 for none
	pages := 0
	url := serverOf(t, func(w http.ResponseWriter, r *http.Request) {
		if pages++; pages == fail {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		after, _ := strconv.Atoi(r.FormValue("after"))
		limit, _ := strconv.Atoi(r.FormValue("limit"))
		if limit < 1 || limit > 1000 {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		io.WriteString(w, `{"requests":[`)
		for n := after + 1; n <= min(rows, after+limit); n++ {
			if n > after+1 {
				io.WriteString(w, ",")
			}
			fmt.Fprintf(w, `{"seq":%d,"method":"GET","path":"/v1/x%d"}`, n, n)
		}
		io.WriteString(w, "]}")
	})
	for _, row := range []struct {
		flags       string
		first, last int
	}{
		{"", 1, rows},
		{"--limit 1", 1, 1},
		{"--limit 1000", 1, 1000},
		{"--limit 1500", 1, 1500},
		{"--limit 9000", 1, rows},
		{"--after 2000", 2001, rows},
		{"--after 999 --limit 2", 1000, 1001},
	} {
		args := append([]string{"requests", "--world", "w", "--url", url}, strings.Fields(row.flags)...)
		var want strings.Builder
		for n := row.first; n <= row.last; n++ {
			fmt.Fprintf(&want, `{"seq":%d,"method":"GET","path":"/v1/x%d"}`+"\n", n, n)
		}
		if got := must(t, append(args, "--json")...); got != want.String() {
			t.Errorf("%q: %d lines, want %d to %d", row.flags, strings.Count(got, "\n"), row.first, row.last)
		}
		if got := strings.Count(must(t, args...), "\n"); got != row.last-row.first+2 {
			t.Errorf("%q: a table of %d lines", row.flags, got)
		}
	}
	pages, fail = 0, 2
	if got := worlds(t, "requests", "--json", "--world", "w", "--url", url); got.code != exitServer || strings.Count(got.stdout, "\n") != 1000 {
		t.Errorf("a log that breaks off: exit %d, %d lines", got.code, strings.Count(got.stdout, "\n"))
	}
}
