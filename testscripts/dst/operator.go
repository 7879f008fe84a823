package dst

import (
	"strconv"
)

// act makes an operator's operation.
func (g *generator) act(s *space, method, path, body string, params ...pair) Op {
	return Op{N: g.number(), Space: s.index, API: apiAdmin, Method: method, Path: path, Body: body, Params: params, Route: method + " " + path, Aim: aimSound}
}

// own makes an act of the harness itself.
func (g *generator) own(s *space, name string, count int) Op {
	return Op{N: g.number(), Space: s.index, API: apiAct, Route: name, Count: count}
}

// The acts of the harness itself.
const (
	actDown   = "listener-down" // for Count rounds
	actFull   = "poll-full"     // the consumer lists everything anew
	actDelta  = "poll-delta"    // the consumer goes on behind the last it worked on
	actCross  = "cross"         // a credential of this world is tried on another
	actTwoSSE = "stream"        // the stream is read with operations in its middle
	actPages  = "pages"         // a list is read page by page with operations between
	actDump   = "dump-cut"      // a dump is read with operations in its middle
	actDiff   = "diff-cut"
	actExport = "export-cut"
)

// cuts are the acts that have operations in their middle.
var cuts = []string{actTwoSSE, actPages, actDump, actDiff, actExport}

// clock makes a step of the clock.
func (g *generator) clock(s *space) Op {
	span := pick(g.rand, []string{`"seconds":1`, `"seconds":59`, `"seconds":3600`, `"days":1`, `"days":3`, `"seconds":600`, `"days":1`, `"days":2`, `"days":7`, `"days":31`, `"seconds":0`})
	return g.act(s, "POST", "/clock/advance", "{"+span+"}")
}

// fault makes a fault rule, or takes one away.
func (g *generator) fault(s *space) Op {
	if rules := s.view.State.Rules(); len(rules) > 0 && (g.rand.Of(500) || len(rules) > 3) {
		op := g.act(s, "DELETE", "/scenarios/"+pick(g.rand, rules).ID, "")
		op.Route = "DELETE /scenarios/{rule}"
		return op
	}
	return g.act(s, "POST", "/scenarios", pick(g.rand, faultRules))
}

// faultRules are what goes wrong by rule. Latency is short: it is real.
var faultRules = []string{
	`{"match":{"api":"stripe","method":"POST"},"from":2,"every":3,"count":2,"effect":{"answer":{"status":500}}}`,
	`{"match":{"api":"stripe","method":"POST","path":"/v1/customers"},"count":1,"effect":{"answer":{"status":429,"should_retry":true}}}`,
	`{"match":{"api":"stripe","path":"/v1/invoices/*/pay"},"count":2,"effect":{"answer":{"status":402,"code":"card_declined","decline_code":"generic_decline"}}}`,
	`{"match":{"api":"stripe","method":"GET"},"every":2,"count":3,"effect":{"answer":{"status":503}}}`,
	`{"match":{"api":"stripe","method":"POST"},"count":1,"effect":{"close":1}}`,
	`{"match":{"api":"zendesk"},"every":2,"count":2,"effect":{"answer":{"status":429}}}`,
	`{"match":{"api":"zendesk","method":"PUT"},"count":1,"effect":{"answer":{"status":409}}}`,
	`{"match":{"api":"stripe","method":"POST"},"count":1,"effect":{"latency_ms":1}}`,
	`{"match":{"api":"stripe"},"effect":{"drop_every_nth":3}}`,
	`{"match":{"api":"stripe"},"every":4,"effect":{"reorder":true}}`,
	`{"match":{"api":"stripe","event":"invoice.*"},"effect":{"duplicate":true}}`,
	`{"match":{"api":"stripe","event":"*"},"every":3,"effect":{"delay_seconds":60}}`,
	`{"match":{"api":"stripe","key":"second"},"count":1,"effect":{"expire_after":3}}`,
	`{"match":{"api":"stripe","key":"nobody"},"effect":{"answer":{"status":500}}}`,
	`{"match":{"api":"stripe"},"effect":{"answer":{"status":404,"code":"nonsense"}}}`,
}

// key makes the second key, anew or for a few requests, or takes it away.
func (g *generator) key(s *space) Op {
	if s.keys[keyLabels[1]] != "" {
		op := g.act(s, "DELETE", "/keys/"+keyLabels[1], "")
		op.Route = "DELETE /keys/{label}"
		return op
	}
	body := `{"label":"` + keyLabels[1] + `"`
	if g.rand.Of(500) {
		body += `,"expires_after":` + strconv.Itoa(1+g.rand.N(4))
	}
	return g.act(s, "POST", "/keys", body+"}")
}

// operator makes one of the operator's operations.
func (g *generator) operator(s *space) Op {
	at := strconv.Itoa(g.rand.N(int(s.view.Seq) + 1))
	switch g.rand.N(22) {
	case 0, 1:
		return g.act(s, "POST", "/marks", `{"name":"m`+strconv.Itoa(g.rand.N(6))+`"}`)
	case 2:
		return g.act(s, "GET", "/dump", "")
	case 3:
		return g.act(s, "GET", "/dump/hash", "", pair{Name: "at", Value: at})
	case 4:
		return g.act(s, "GET", "/diff", "", pair{Name: "from", Value: at})
	case 5:
		return g.act(s, "GET", "/diff", "", pair{Name: "from", Value: pick(g.rand, []string{"m0", "m1", "m2"})})
	case 6:
		return g.act(s, "GET", "/export-seed", "")
	case 7:
		return g.act(s, "POST", "/webhooks/flush", "")
	case 8:
		return g.act(s, "POST", "/quiesce", "")
	case 9:
		return g.act(s, "POST", "/verify", "")
	case 10:
		return g.act(s, "POST", "/replay", `{"mode":"`+pick(g.rand, []string{"fold", "re-decide"})+`"}`)
	case 11:
		return g.act(s, "GET", pick(g.rand, []string{"/events", "/requests", "/journal", "/webhooks/deliveries"}), "", pair{Name: "limit", Value: pick(g.rand, []string{"1", "7", "1000"})})
	case 12:
		return g.act(s, "GET", pick(g.rand, []string{"", "/clock", "/marks", "/scenarios", "/keys", "/webhooks/endpoint", "/journal/export"}), "")
	case 13:
		op := g.act(s, "GET", "/journal/"+at, "")
		op.Route = "GET /journal/{seq}"
		return op
	case 14:
		return g.fork(s, at)
	case 15:
		return g.simulate(s)
	case 16:
		return g.setEndpoint(s)
	case 17, 18:
		return g.resend(s)
	case 19:
		return g.act(s, "POST", "/marks", pick(g.rand, []string{`{"name":"1st"}`, `{}`, `{"name":"m0"}`, `{"nonsense":1}`}))
	case 20:
		return g.act(s, "POST", "/clock/advance", pick(g.rand, []string{`{"seconds":-1}`, `{"to":1}`, `{}`, `{"to":99999999999999}`, `{"seconds":1,"days":1}`}))
	}
	return g.own(s, actCross, 0)
}

func (g *generator) fork(s *space, at string) Op {
	return g.act(s, "POST", "/fork", `{"at":`+at+`,"key":"f`+strconv.Itoa(g.rand.N(4))+`"}`)
}

func (g *generator) simulate(s *space) Op {
	return g.act(s, "POST", "/simulate", `{"commands":[{"api":"stripe","method":"POST","path":"/v1/customers","body":"name=`+s.mark+`"},{"api":"stripe","method":"GET","path":"/v1/customers"}]}`)
}

// setEndpoint changes what the operator's endpoint gets. It stays one that waits for
// a flush.
func (g *generator) setEndpoint(s *space) Op {
	events := pick(g.rand, []string{`["*"]`, `["invoice.*","customer.*"]`, `["*"]`})
	body := `{"url":"` + s.post.url(s.mark, operatorBox) + `","secret":"whsec_dst` + s.mark + `","enabled_events":` + events +
		`,"auto_deliver":false,"signature_time":"logical"` + pick(g.rand, []string{"", `,"api_version":"2024-06-20"`}) + `}`
	return g.act(s, "PUT", "/webhooks/endpoint", body)
}

func (g *generator) resend(s *space) Op {
	e := &errand{g: g, s: s, st: s.view.State}
	id := e.some("events", "")
	if id == "" {
		id = gone
	}
	return g.act(s, "POST", "/webhooks/resend", `{"event":"`+id+`"}`)
}
