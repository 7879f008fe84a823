package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// TestClockAdvance moves the clock of a served world, by each flag.
func TestClockAdvance(t *testing.T) {
	clean(t)
	s := start(t, t.TempDir(), "--seed", "saas-billing-small")
	defer s.stop(t)
	for _, row := range []struct{ args, want string }{
		{"--seconds 0", "2026-01-01T00:00:00Z (1767225600): 0 renewals, 0 events\n"},
		{"--to 2026-01-02", "2026-01-02T00:00:00Z (1767312000)"},
		{"default --days 30", "2026-02-01T00:00:00Z (1769904000)"},
		{"--to 2026-02-01T00:00:01Z", "2026-02-01T00:00:01Z (1769904001): 0 renewals"},
		{"--to 1769904002 --json", `{"clock":1769904002,"from":1769904001,"fired":0,"events":0,"renewals_pending":0,"renewals":0}`},
	} {
		if got := must(t, append([]string{"clock", "advance"}, strings.Fields(row.args)...)...); !strings.HasPrefix(got, row.want) {
			t.Errorf("clock advance %s: %q", row.args, got)
		}
	}
	for _, row := range []struct {
		args string
		code int
		says string
	}{
		{"", exitUsage, "--seconds"},
		{"--days 1 --seconds 1", exitUsage, "--days"},
		{"--to tomorrow", exitUsage, "tomorrow"},
		{"--to 1", exitUsage, "it moves forward"},
		{"--seconds=-1", exitUsage, "moves forward"},
		{"--days -1", exitUsage, "moves forward"},
		{"--days 1 --world nobody", exitServer, ""},
	} {
		got := worlds(t, append([]string{"clock", "advance"}, strings.Fields(row.args)...)...)
		if got.code != row.code || !strings.Contains(got.stderr, row.says) || got.stdout != "" {
			t.Errorf("clock advance %s: %+v", row.args, got)
		}
	}
}

// An advance that ends early says where the clock is: at its target, when the end came
// between two rounds.
func TestClockAdvanceInterrupted(t *testing.T) {
	clean(t)
	for _, row := range []struct {
		name, clock, says string
		done              bool
	}{
		{"in the first round", `{"clock":5}`, "worlds: interrupted: the clock is at 1970-01-01T00:00:05Z, nothing is due\n", false},
		{"in the second", `{"clock":9,"renewals_pending":2}`,
			"worlds: interrupted: the clock is at 1970-01-01T00:00:09Z, still due: 2 renewals; to go on: worlds clock advance w --url URL --seconds 0\n", true},
	} {
		t.Run(row.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			asked := 0
			url := serverOf(t, func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodGet {
					io.WriteString(w, row.clock)
					return
				}
				if asked++; row.done && asked == 1 {
					io.WriteString(w, "event: done\ndata: {\"clock\":9,\"fired\":1,\"renewals_pending\":2}\n\n")
					return
				}
				w.(http.Flusher).Flush()
				cancel()
				<-r.Context().Done()
			})
			var stdout, stderr bytes.Buffer
			code := runContext(ctx, []string{"clock", "advance", "w", "--url", url, "--days", "7"}, strings.NewReader(""), &stdout, &stderr)
			outcome{code, stdout.String(), stderr.String()}.refuses(t, exitNo, strings.Replace(row.says, "URL", url, 1))
		})
	}
}

// What is pending shows in the world as it does in its clock.
func TestPendingShows(t *testing.T) {
	clean(t)
	url := serverOf(t, func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, `{"clock":9,"renewals_pending":2,"id":"w"}`)
	})
	for _, verb := range []string{"clock", "world"} {
		if got := must(t, verb, "show", "--world", "w", "--url", url); !strings.Contains(got, ", 2 pending (worlds clock advance --seconds 0)") {
			t.Errorf("%s show: %s", verb, got)
		}
		if got := must(t, verb, "show", "--world", "w", "--url", url, "--json"); !strings.Contains(got, `"renewals_pending":2`) {
			t.Errorf("%s show: %s", verb, got)
		}
	}
}

// TestClockAdvanceGoesOn: what one advance leaves pending the verb goes on with,
// and adds up; what the server says in the stream ends it.
func TestClockAdvanceGoesOn(t *testing.T) {
	clean(t)
	for _, row := range []struct {
		name    string
		answers []string
		code    int
		says    string
	}{
		{"three times", []string{
			"event: progress\ndata: {\"at\":5,\"fired\":32}\n\nevent: done\ndata: {\"clock\":9,\"from\":1,\"fired\":2500,\"events\":10,\"renewals\":2400,\"renewals_pending\":2}\n\n",
			"event: done\ndata: {\"clock\":9,\"from\":9,\"fired\":2,\"events\":1,\"renewals\":1,\"renewals_pending\":1}\n\n",
			"event: done\ndata: {\"clock\":9,\"from\":9,\"fired\":1,\"events\":1,\"renewals\":1,\"renewals_pending\":0}\n\n",
		}, exitDone, `{"clock":9,"from":1,"fired":2503,"events":12,"renewals_pending":0,"renewals":2402}`},
		{"refused", []string{"event: problem\ndata: {\"status\":409,\"code\":\"advance-refused\",\"detail\":\"in euros\"}\n\n"}, exitServer, "in euros"},
		{"cut off", []string{"event: progress\ndata: {\"at\":5,\"fired\":32}\n\n"}, exitServer, "worlds clock show --world w --url http"},
		{"stuck", []string{"event: done\ndata: {\"renewals_pending\":1}\n\n", "event: done\ndata: {\"renewals_pending\":1}\n\n"}, exitServer, "pending"},
	} {
		t.Run(row.name, func(t *testing.T) {
			var asked []string
			url := serverOf(t, func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				w.Header().Set("Content-Type", "text/event-stream")
				if len(asked) < len(row.answers) {
					io.WriteString(w, row.answers[len(asked)])
				}
				asked = append(asked, string(body))
			})
			got := worlds(t, "clock", "advance", "--url", url, "--world", "w", "--days", "7", "--json")
			if got.code != row.code || !strings.Contains(got.stdout+got.stderr, row.says) {
				t.Errorf("%+v", got)
			}
			want := []string{`{"days":7}`, `{"seconds":0}`, `{"seconds":0}`}[:len(row.answers)]
			if fmt.Sprint(asked) != fmt.Sprint(want) {
				t.Errorf("asked %s", asked)
			}
		})
	}
}
