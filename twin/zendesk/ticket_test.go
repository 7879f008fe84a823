package zendesk_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// The moves of a ticket: what an update makes of a status, by whom.
func TestStatusMoves(t *testing.T) {
	for _, row := range []struct{ from, change, want string }{
		{"new", `"assignee_id":2`, "open"},
		{"new", `"status":"new","assignee_id":2`, "open"},
		{"new", `"priority":"low"`, "new"},
		{"new", `"comment":{"body":"x","author_id":4}`, "new"},
		{"new", `"status":"pending"`, "pending"},
		{"new", `"status":"solved"`, "422 Assignee: is required when solving a ticket"},
		{"new", `"status":"solved","assignee_id":2`, "solved"},
		{"new", `"status":"closed"`, "closed"},
		{"open", `"status":"new"`, "422 cannot go back to new"},
		{"open", `"status":"hold"`, "hold"},
		{"pending", `"comment":{"body":"x","author_id":4}`, "open"},
		{"hold", `"comment":{"body":"x","author_id":4}`, "open"},
		{"solved", `"comment":{"body":"x","author_id":4}`, "open"},
		{"solved", `"comment":{"body":"x","author_id":5}`, "solved"},
		{"solved", `"comment":{"body":"x","author_id":4},"status":"solved"`, "solved"},
		{"solved", `"comment":{"body":"x"}`, "solved"},
		{"solved", `"status":"pending"`, "pending"},
		{"open", `"status":"deleted"`, "422 is not included in the list"},
		{"open", `"priority":"top"`, "422 top is not included in the list"},
		{"open", `"assignee_id":4`, "422 InvalidValue"},
		{"open", `"assignee_id":999`, "422 InvalidValue"},
		{"open", `"assignee_id":2,"group_id":12`, "422 is not a member of group 12"},
		{"open", `"group_id":99`, "422 InvalidValue"},
		{"open", `"organization_id":99`, "422 InvalidValue"},
		{"open", `"requester_id":99`, "422 InvalidValue"},
		{"open", `"problem_id":101,"type":"incident"`, "422 InvalidValue"},
		{"open", `"due_at":"tomorrow"`, "422 is not a valid date"},
		{"open", `"requester_id":"four"`, "422 must be of type integer"},
		{"open", `"tags":"x"`, "422 must be of type array"},
		{"open", `"comment":"x"`, "422 must be a hash"},
		{"open", `"collaborator_ids":[4,99]`, "422 InvalidValue"},
		{"open", `"custom_fields":[{"id":7,"value":{"a":1}}]`, "422 custom_fields"},
		{"open", `"comment":{"body":"x","uploads":["tok"]}`, "403 attachments"},
		{"open", `"safe_update":true,"updated_stamp":"2020-01-01T00:00:00Z","priority":"low"`, "409 UpdateConflict"},
	} {
		r := newRig(t, desk)
		assignee := ""
		if row.from == "solved" || row.from == "open" {
			assignee = `,"assignee_id":2`
		}
		id := r.ok(`POST /tickets {"ticket":{"description":"d","requester_id":4,"status":"` + row.from + `"` + assignee + `}}`).get("ticket.id")
		line := "PUT /tickets/" + id + ` {"ticket":{` + row.change + `}}`
		if strings.Contains(row.want, " ") {
			r.refused(line, row.want)
			continue
		}
		r.ok(line).want(t, "ticket.status", row.want)
	}
}

func TestMalformedBodies(t *testing.T) {
	r := newRig(t, desk)
	for _, row := range [][2]string{
		{`PUT /tickets/101 {"ticket":`, "422 Server could not parse JSON"},
		{`PUT /tickets/101 []`, "422 not a JSON object"},
		{`PUT /tickets/101 {"ticket":{"tags":["a"],"tags":["b"]}}`, "422 Server could not parse JSON"},
		{`PUT /tickets/101 {"ticket":{"priority":1.5}}`, "422 Server could not parse JSON"},
		{`PUT /tickets/101 {"ticket":null}`, "400 ticket is missing"},
		{`PUT /tickets/101 {"ticket":[]}`, "400 ticket must be a hash"},
		{`PUT /tickets/0101 {"ticket":{}}`, "404 RecordNotFound"},
		{`GET /tickets/abc`, "400 id must be an integer"},
		{`GET /tickets?page=101`, "400 InvalidPaginationDepth"},
		{`GET /tickets?page[size]=2&page[after]=zzz`, "400 InvalidPaginationParameter"},
		{`GET /tickets?page[size]=2&sort=subject`, "400 InvalidPaginationParameter"},
		{`GET /nothing`, "404 InvalidEndpoint"},
		{`GET /tickets/`, "404 InvalidEndpoint"},
		{`GET /views.json`, "403 GET /api/v2/views"},
		{`GET /macros`, "403 This twin does not serve"},
		{`POST /tickets/101`, "403 POST /api/v2/tickets/101"},
		{`GET /search?query=a&page[size]=3`, "400 page must be an integer"},
		{`GET /search`, "400 query is missing"},
		{`GET /search?query=brand:5`, "403 does not serve the search keyword brand"},
		{`GET /search/count?query=type:ticket%20-has_attachment:true`, "403 does not serve the search keyword has_attachment"},
		{`GET /search/export?query=Satisfaction:good&filter[type]=ticket`, "403 does not serve the search keyword satisfaction"},
		{`GET /search/export?query=a`, "400 filter[type] is missing"},
		{`GET /incremental/tickets.json`, "400 start_time is missing"},
		{`GET /incremental/tickets.json?start_time=1767225601`, "422 Too recent start_time."},
	} {
		r.refused(row[0], row[1])
	}
}

// A change of an assignee brings a group along, and one of a group may lose the
// assignee.
func TestAssigneeAndGroup(t *testing.T) {
	r := newRig(t, desk)
	r.ok(`POST /tickets {"ticket":{"description":"d","assignee_id":3}}`).want(t, "ticket.id", "104", "ticket.group_id", "12", "ticket.status", "open")
	r.ok(`PUT /tickets/104 {"ticket":{"group_id":11}}`).want(t, "ticket.assignee_id", "3")
	r.ok(`PUT /tickets/104 {"ticket":{"assignee_email":"gus@desk.example"}}`).want(t, "ticket.assignee_id", "2", "ticket.group_id", "11")
	r.ok(`PUT /tickets/104 {"ticket":{"group_id":12}}`).want(t, "ticket.assignee_id", "null", "ticket.group_id", "12")
	r.ok(`PUT /tickets/104 {"ticket":{"assignee_id":null,"group_id":null}}`).want(t, "ticket.group_id", "null")
}

// A requester who is not known is made; a known one is found by address.
func TestRequesters(t *testing.T) {
	r := newRig(t, desk)
	a := r.ok(`POST /tickets {"ticket":{"description":"d","requester":{"name":"New","email":"new@x.example"}}}`)
	r.ok("GET /users/"+a.get("ticket.requester_id")).want(t, "user.name", "New", "user.role", "end-user")
	r.ok(`POST /tickets {"ticket":{"description":"d","requester":{"email":"NEW@x.example"}}}`).want(t, "ticket.requester_id", a.get("ticket.requester_id"))
	r.ok(`POST /tickets {"ticket":{"description":"d","requester":{"email":"ada@acme.example"}}}`).want(t, "ticket.requester_id", "4", "ticket.organization_id", "21")
	r.refused(`POST /tickets {"ticket":{"description":"d","requester":{}}}`, "422 Requester: Name:  is too short")
	if got := r.events(); got != "user.created ticket.created ticket.created ticket.created" {
		t.Errorf("events %s", got)
	}
}

func TestNoChangeNoAudit(t *testing.T) {
	r := newRig(t, desk)
	before := r.dump()
	r.ok(`PUT /tickets/101 {"ticket":{"priority":"high","tags":["billing"]}}`).want(t, "audit", "null")
	if r.dump() != before {
		t.Error("an update that changes nothing changed the world")
	}
	r.advance(60)
	a := r.ok(`PUT /tickets/101 {"ticket":{"priority":"low","custom_fields":[{"id":9,"value":"x"},{"id":8,"value":true}],"comment":{"body":"c"}}}`)
	a.want(t, "audit.events.0.type", "Comment", "audit.events.1.field_name", "priority", "audit.events.1.previous_value", "high",
		"audit.events.2.field_name", "8", "audit.events.2.value", "true", "ticket.custom_fields.1.value", "x", "ticket.updated_at", "2026-01-01T00:01:00Z")
	r.ok("GET /tickets/101/audits/"+a.get("audit.id")).want(t, "audit.author_id", "1")
	r.refused("GET /tickets/102/audits/"+a.get("audit.id"), "404")
	r.ok("GET /tickets/101/audits/count").want(t, "count.value", "3")
	r.ok("GET /tickets/101/comments/count").want(t, "count.value", "3")
}

func TestFollowUps(t *testing.T) {
	r := newRig(t, desk)
	r.refused(`POST /tickets {"ticket":{"description":"d","via_followup_source_id":101}}`, "422 closed ticket")
	r.refused(`POST /tickets {"ticket":{"description":"d","via_followup_source_id":9}}`, "422 InvalidValue")
	r.ok(`POST /tickets {"ticket":{"description":"d","via_followup_source_id":103}}`).want(t, "ticket.id", "104",
		"ticket.via.source.rel", "follow_up", "ticket.via.source.from.ticket_id", "103", "ticket.via.source.from.subject", "Old")
	r.ok("GET /tickets/103").want(t, "ticket.followup_ids", "[104]", "ticket.status", "closed")
}

func TestDeleteAndRestore(t *testing.T) {
	r := newRig(t, desk)
	if a := r.ok("DELETE /tickets/101.json"); a.Status != 204 {
		t.Errorf("status %d", a.Status)
	}
	for _, path := range []string{"/tickets/101", "/tickets/101/comments", "/tickets/101/audits"} {
		r.refused("GET "+path, "404 RecordNotFound")
	}
	r.ok("GET /tickets").want(t, "count", "2")
	r.ok("GET /deleted_tickets").want(t, "deleted_tickets.0.id", "101", "deleted_tickets.0.previous_state", "open", "deleted_tickets.0.actor.name", "Ana Admin")
	r.ok("GET /incremental/tickets?start_time=0").want(t, "tickets.2.status", "deleted")
	r.ok("PUT /deleted_tickets/101/restore")
	r.ok("GET /tickets/101").want(t, "ticket.status", "open")
	r.refused("PUT /deleted_tickets/101/restore", "404")
}

func TestCommentsHiddenAndRedacted(t *testing.T) {
	r := newRig(t, desk)
	r.ok("PUT /tickets/101/comments/201/redact "+`{"text":"charged"}`).want(t, "comment.body", "I was ▇▇▇▇▇▇▇ twice.")
	r.ok("GET /tickets/101").want(t, "ticket.description", "I was ▇▇▇▇▇▇▇ twice.")
	r.ok("PUT /tickets/101/comments/201/make_private")
	r.ok("GET /tickets/101/comments?sort_order=desc").want(t, "comments.1.public", "false", "comments.0.id", "202")
	r.ok("GET /tickets/101/audits?sort_order=desc").want(t, "audits.0.events.0.type", "CommentPrivacyChange", "audits.1.events.0.type", "CommentRedactionEvent")
	r.refused("PUT /tickets/101/comments/203/make_private", "404")
}

func TestBulk(t *testing.T) {
	r := newRig(t, desk)
	job := func(line string) answer {
		a := r.ok(line).want(t, "job_status.status", "queued", "job_status.results", "null")
		return r.ok("GET /job_statuses/"+a.get("job_status.id")).want(t, "job_status.status", "completed")
	}
	job(`POST /tickets/create_many {"tickets":[{"description":"a"},{"subject":"no words"},{"description":"c"}]}`).want(t,
		"job_status.results.0.id", "104", "job_status.results.0.status", "Created", "job_status.results.1.success", "false",
		"job_status.results.1.error", "RecordInvalid", "job_status.results.2.id", "105", "job_status.total", "3")
	job(`PUT /tickets/update_many?ids=104,103,105,999 {"ticket":{"additional_tags":["x"],"priority":"low"}}`).want(t,
		"job_status.results.0.success", "true", "job_status.results.1.details", "Status: closed prevents ticket update", "job_status.results.3.error", "RecordNotFound")
	job(`PUT /tickets/update_many {"tickets":[{"id":104,"remove_tags":["x"],"additional_tags":["y"]},{"id":105,"status":"pending"}]}`)
	r.ok("GET /tickets/show_many?ids=105,104").want(t, "tickets.0.status", "pending", "tickets.1.tags", `["y"]`, "tickets.1.priority", "low")
	job(`POST /tickets/101/merge {"ids":[104,105],"target_comment":"two more"}`).want(t, "job_status.results.0.success", "true")
	r.ok("GET /tickets/104").want(t, "ticket.status", "closed", "ticket.tags", `["closed_by_merge","y"]`)
	r.ok("GET /tickets/101/comments?sort_order=desc").want(t, "comments.0.body", "two more", "comments.0.public", "false")
	job(`DELETE /tickets/destroy_many?ids=101,104,7`).want(t, "job_status.results.2.success", "false")
	r.refused("GET /tickets/101", "404")
	r.refused(`PUT /tickets/update_many {"ticket":{}}`, "400 ids is missing")
	r.refused(`PUT /tickets/update_many {}`, "400 tickets must be an array")
	for _, row := range []string{"PUT /tickets/update_many?ids=101,abc {\"ticket\":{}}", "DELETE /tickets/destroy_many?ids=abc", "GET /tickets/show_many?ids=101,x",
		"GET /users/show_many?ids=1.5", "DELETE /users/destroy_many?ids=-1", "GET /organizations/show_many?ids=0", "DELETE /organizations/destroy_many?ids=1;2"} {
		r.refused(row, "400 ids must be a list of integers")
	}
	r.refused(`POST /tickets/102/merge {"ids":[]}`, "400 ids cannot be empty")
	r.ok(`GET /tickets/show_many?ids=%20102%20,,103,`).want(t, "tickets.0.id", "102", "tickets.1.id", "103")
	r.ok("GET /job_statuses").want(t, "count", "5")
}

func TestProblemsAndIncidents(t *testing.T) {
	r := newRig(t, desk)
	r.ok(`PUT /tickets/101 {"ticket":{"type":"problem"}}`).want(t, "ticket.has_incidents", "false")
	r.ok(`POST /tickets {"ticket":{"description":"i","type":"incident","problem_id":101}}`).want(t, "ticket.problem_id", "101")
	r.ok("GET /tickets/101/incidents").want(t, "tickets.0.id", "104")
	r.ok("GET /tickets/101").want(t, "ticket.has_incidents", "true")
	r.ok("GET /problems").want(t, "count", "1")
	r.ok(`PUT /tickets/104 {"ticket":{"type":"question"}}`).want(t, "ticket.problem_id", "null")
	r.ok("GET /tickets/101").want(t, "ticket.has_incidents", "false")
}

// Time closes what was solved: in one step as in hourly ones, with the same
// audits at the same moments.
func TestClosure(t *testing.T) {
	const hour = 3600
	run := func(step int64) *rig {
		r := newRig(t, desk)
		r.ok(`PUT /tickets/101 {"ticket":{"status":"solved"}}`)
		for gone := int64(0); gone < 200*hour; gone += step {
			r.advance(step)
		}
		return r
	}
	once, hourly := run(200*hour), run(hour)
	if a, b := once.dump(), hourly.dump(); a != b {
		t.Errorf("hourly steps end elsewhere\n%s\n%s", a, b)
	}
	// 102 was solved at 10:00 on the 31st: 96 hours on it is 10:00, swept at 10:15.
	a := once.ok("GET /tickets/102/audits?sort_order=desc").want(t, "audits.0.created_at", "2026-01-04T10:15:00Z", "audits.0.author_id", "1",
		"audits.0.via.channel", "rule", "audits.0.events.0.previous_value", "solved", "audits.0.events.0.value", "closed")
	once.ok("GET /tickets/102").want(t, "ticket.status", "closed", "ticket.updated_at", a.get("audits.0.created_at"))
	once.ok("GET /tickets/101/audits?sort_order=desc").want(t, "audits.0.created_at", "2026-01-05T00:15:00Z")
	if got := once.events(); got != "ticket.updated ticket.updated ticket.updated" {
		t.Errorf("events %s", got)
	}
}

// A ticket that is opened again in time is not closed; solved again, it waits
// anew.
func TestClosureIsPutOff(t *testing.T) {
	r := newRig(t, desk)
	r.advance(80 * 3600)
	r.ok(`PUT /tickets/102 {"ticket":{"status":"open"}}`)
	r.advance(100 * 3600)
	r.ok("GET /tickets/102").want(t, "ticket.status", "open")
	r.ok(`PUT /tickets/102 {"ticket":{"status":"solved"}}`)
	r.advance(95 * 3600)
	r.ok("GET /tickets/102").want(t, "ticket.status", "solved")
	r.ok("DELETE /tickets/102")
	r.advance(95 * 3600)
	r.ok("PUT /deleted_tickets/102/restore")
	r.ok("GET /tickets/102").want(t, "ticket.status", "solved")
	r.advance(3600)
	r.ok("GET /tickets/102").want(t, "ticket.status", "closed")
}

// Whatever is done to tickets, their audits rebuild them (rig.law).
func TestAuditsRebuildTickets(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r := newRig(quiet{t, rt}, desk)
		defer r.law()
		field := rapid.SampledFrom([]string{
			`"subject":"s%d"`, `"priority":"low"`, `"priority":null`, `"priority":"urgent"`, `"status":"open"`, `"status":"pending"`, `"status":"solved"`,
			`"status":"hold"`, `"type":"problem"`, `"type":"incident"`, `"type":null`, `"problem_id":104`, `"assignee_id":2`, `"assignee_id":3`, `"assignee_id":null`,
			`"group_id":11`, `"group_id":12`, `"requester_id":5`, `"requester_id":6`, `"organization_id":22`, `"organization_id":null`, `"external_id":"e%d"`,
			`"due_at":"2026-02-0%dT00:00:00Z"`, `"tags":["a","b%d"]`, `"tags":[]`, `"collaborator_ids":[4,6]`, `"follower_ids":[2]`, `"email_cc_ids":[]`,
			`"custom_fields":[{"id":%d,"value":"x"},{"id":7,"value":["p","q"]}]`, `"custom_fields":[{"id":7,"value":null}]`, `"comment":{"body":"c%d"}`,
			`"comment":{"body":"c%d","author_id":4,"public":true}`,
		})
		for i := range rapid.IntRange(5, 25).Draw(rt, "steps") {
			change := field.Draw(rt, "first")
			if other := field.Draw(rt, "second"); other[:6] != change[:6] {
				change += "," + other
			}
			change = strings.ReplaceAll(change, "%d", fmt.Sprint(1+i%9))
			switch rapid.IntRange(0, 5).Draw(rt, "what") {
			case 0:
				if !strings.Contains(change, `"comment"`) {
					change += `,"description":"d"`
				}
				r.do(`POST /tickets {"ticket":{` + change + `}}`)
			case 1:
				r.advance(int64(rapid.IntRange(1, 90).Draw(rt, "hours")) * 3600)
			default:
				r.do(fmt.Sprintf(`PUT /tickets/%d {"ticket":{%s}}`, rapid.IntRange(101, 106).Draw(rt, "ticket"), change))
			}
		}
	})
}

// quiet is a test whose clean-ups wait for nobody: rapid runs many worlds in one
// test.
type quiet struct {
	testing.TB
	rt *rapid.T
}

func (q quiet) Cleanup(func())            {}
func (q quiet) Errorf(f string, a ...any) { q.rt.Errorf(f, a...) }
func (q quiet) Error(a ...any)            { q.rt.Error(a...) }
func (q quiet) Fatalf(f string, a ...any) { q.rt.Fatalf(f, a...) }
