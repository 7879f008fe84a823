package zendesk_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"worlds/twin"
	"worlds/twin/zendesk"
)

// values are what anybody may send: good in places, bad in most.
var values = []string{`null`, `""`, `"x"`, `"a@b.example"`, `"ada@acme.example"`, `"open"`, `"solved"`, `"closed"`, `"high"`, `"incident"`, `"problem"`,
	`0`, `1`, `2`, `3`, `4`, `5`, `11`, `12`, `21`, `22`, `101`, `102`, `103`, `-1`, `9007199254740991`, `true`, `false`, `[]`, `["x","y"]`, `[4,5]`, `[101,102]`, `{}`,
	`{"a":"b"}`, `"2026-01-01"`, `"2026-01-01T00:00:00Z"`, `"admin"`, `"agent"`, `"charged"`, `"${origin}/x"`, `"\u0000 ☃"`}

// likely are values that a parameter of the name may well have.
var likely = map[string][]string{
	"body": {`"words"`}, "description": {`"words"`}, "html_body": {`"<p>words</p>"`}, "name": {`"Nora"`, `"Otto Ost"`}, "email": {`"n@x.example"`, `"o@x.example"`},
	"role": {`"end-user"`, `"agent"`}, "status": {`"open"`, `"pending"`, `"solved"`}, "priority": {`"low"`}, "type": {`"problem"`, `"incident"`}, "tags": {`["a","b"]`},
	"user_id": {`2`, `3`, `5`}, "group_id": {`11`, `12`}, "organization_id": {`21`, `22`}, "requester_id": {`4`, `6`}, "assignee_id": {`2`, `3`}, "author_id": {`4`, `2`},
	"ids": {`[101]`, `[102]`}, "id": {`101`, `102`, `4`}, "public": {`true`, `false`}, "external_id": {`"e1"`}, "text": {`"charged"`}, "due_at": {`"2026-02-01"`},
	"default_group_id": {`11`}, "problem_id": {`101`}, "via_followup_source_id": {`103`}, "value": {`"v"`, `null`}, "custom_fields": {`[]`},
}

var segments = []string{"1", "2", "4", "5", "11", "12", "21", "31", "34", "41", "101", "102", "103", "104", "201", "202", "301", "302", "1000001", "0", "x", "me"}

// places are the ids that stand behind a path.
var places = []struct {
	area string
	ids  []string
}{
	{"/tickets/", []string{"101", "102", "104"}}, {"/users/", []string{"2", "3", "4", "5"}}, {"/groups/", []string{"11", "12"}},
	{"/organizations/", []string{"21", "22"}}, {"/comments/", []string{"201", "203"}}, {"/audits/", []string{"301", "303"}},
	{"/group_memberships/", []string{"32", "33"}}, {"/organization_memberships/", []string{"41", "42"}}, {"/deleted_tickets/", []string{"101", "102"}},
}

var queries = []string{"1", "2", "100", "0", "-1", "x", "id", "-updated_at", "desc", "users,groups,organizations,comment_count", "101,102,4", "type:ticket status:open",
	"0", "1767225600", "agent", "ada", "crm-5", "ticket", ""}

// arbitrary makes a request for a route out of its own parameter table.
func arbitrary(rng *rand.Rand, route *twin.Route) string {
	pick := func(list []string) string { return list[rng.IntN(len(list))] }
	path := route.Pattern
	for strings.Contains(path, "{") {
		i, j := strings.Index(path, "{"), strings.Index(path, "}")
		list := segments
		for _, p := range places {
			if strings.HasSuffix(path[:i], p.area) && rng.IntN(4) > 0 {
				list = p.ids
			}
		}
		path = path[:i] + pick(list) + path[j+1:]
	}
	tree := &nest{}
	var query []string
	sane := rng.IntN(3) > 0
	names := route.Params()
	for _, name := range names {
		last := strings.TrimSuffix(name, "[]")
		if i := strings.LastIndexByte(last, '['); i >= 0 {
			last = strings.TrimSuffix(last[i+1:], "]")
		}
		good, known := likely[last]
		if rng.IntN(max(len(names)/2, 3)) > 0 && !(sane && known && rng.IntN(max(len(names)/3, 2)) == 0) && name != "start_time" {
			continue
		}
		if route.Method == "GET" || !strings.Contains(name, "[") {
			query = append(query, strings.TrimSuffix(name, "[]")+"="+strings.NewReplacer(" ", "+").Replace(pick(queries)))
		}
		switch value := pick(values); {
		case route.Method == "GET":
		case sane && known:
			tree.set(strings.Split(strings.ReplaceAll(name, "]", ""), "["), pick(good))
		case !sane:
			tree.set(strings.Split(strings.ReplaceAll(name, "]", ""), "["), value)
		}
	}
	line := route.Method + " " + path + "?" + strings.Join(query, "&")
	if route.Method != "GET" {
		line += " " + tree.json()
	}
	return line
}

// nest is a JSON object in the making; the name "" makes an array of it.
type nest struct {
	names []string
	kids  map[string]*nest
	leaf  string
}

func (n *nest) set(path []string, value string) {
	if len(path) == 0 || len(path) == 1 && path[0] == "" {
		n.leaf = value
		return
	}
	if n.kids == nil {
		n.kids = map[string]*nest{}
	}
	k := n.kids[path[0]]
	if k == nil {
		k = &nest{}
		n.kids[path[0]] = k
		n.names = append(n.names, path[0])
	}
	k.set(path[1:], value)
}

func (n *nest) json() string {
	if k := n.kids[""]; k != nil {
		return "[" + k.json() + "]"
	}
	if n.kids == nil {
		if n.leaf == "" {
			return "{}"
		}
		return n.leaf
	}
	var parts []string
	for _, name := range n.names {
		parts = append(parts, fmt.Sprintf("%q:%s", name, n.kids[name].json()))
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// Whatever is asked of whatever route, the answer has its shape, nothing panics,
// reads change nothing, and the law holds; and every route is answered well at
// least once.
func TestAnythingAnybodyAsks(t *testing.T) {
	routes := zendesk.Catalog().Routes()
	well := map[string]bool{}
	rng := rand.New(rand.NewPCG(7, 7))
	for round := 0; round < 40; round++ {
		r := newRig(t, desk)
		for range 80 {
			route := routes[rng.IntN(len(routes))]
			if a := r.do(arbitrary(rng, route)); a.Status < 400 {
				well[route.Method+" "+route.Pattern] = true
			}
			if rng.IntN(20) == 0 {
				r.advance(int64(rng.IntN(100_000)))
			}
		}
	}
	missing := 0
	for _, route := range routes {
		if !well[route.Method+" "+route.Pattern] {
			missing++
			t.Logf("%s %s was never answered well", route.Method, route.Pattern)
		}
	}
	if missing > len(routes)/10 {
		t.Errorf("%d of %d routes were never answered well", missing, len(routes))
	}
}
