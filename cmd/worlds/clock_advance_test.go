package main

import (
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
		{"--days 1 --world nobody", exitServer, ""},
	} {
		got := worlds(t, append([]string{"clock", "advance"}, strings.Fields(row.args)...)...)
		if got.code != row.code || !strings.Contains(got.stderr, row.says) || got.stdout != "" {
			t.Errorf("clock advance %s: %+v", row.args, got)
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
		{"cut off", []string{"event: progress\ndata: {\"at\":5,\"fired\":32}\n\n"}, exitServer, "worlds clock show"},
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
