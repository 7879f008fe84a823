package seed_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"worlds/seed"
)

// nativeDesk is a small help desk with everything that can be recognised in one.
const nativeDesk = `{"version":1,"principal_id":71,
 "users":[{"id":71,"name":"Real Admin","email":"real.admin@corp.test","role":"admin","default_group_id":81,"phone":"+1 999","notes":"secret note","signature":"Yours, Real"},
  {"id":73,"name":"Real Person","email":"real.person@mail.test","organization_id":91,"external_id":"CRM-42","tags":["vip-real"],"user_fields":{"ssn":"000-real"},"photo":{"file":"x"}}],
 "groups":[{"id":81,"name":"Real Group","default":true}],
 "organizations":[{"id":91,"name":"Real Corp","domain_names":["realcorp.test"],"details":"real detail"}],
 "group_memberships":[{"id":61,"user_id":71,"group_id":81,"default":true}],
 "organization_memberships":[{"id":62,"user_id":73,"organization_id":91,"default":true}],
 "tickets":[
  {"id":9001,"subject":"Real subject","status":"closed","requester_id":73,"assignee_id":71,"group_id":81,"organization_id":91,"tags":["zeta-real","alpha-real"],"external_id":"JIRA-9",
   "custom_fields":[{"id":360,"value":"real value"},{"id":361,"value":true}],"created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-02T00:00:00Z","url":"https://real.zendesk.test/9001"},
  {"id":9005,"subject":"Follow real","status":"solved","requester_id":73,"assignee_id":71,"via_followup_source_id":9001,"solved_at":"2026-01-03T00:00:00Z","created_at":"2026-01-02T00:00:00Z","updated_at":"2026-01-03T00:00:00Z"}],
 "comments":[{"id":501,"ticket_id":9001,"author_id":73,"audit_id":401,"body":"Real words by me","created_at":"2026-01-01T00:00:00Z","attachments":[{"name":"a.png"}]}],
 "audits":[{"id":401,"ticket_id":9001,"author_id":73,"created_at":"2026-01-01T00:00:00Z","events":[{"id":501,"type":"Comment","body":"Real words by me"},
   {"id":502,"type":"Create","field_name":"subject","value":"Real subject"},{"id":503,"type":"Create","field_name":"requester_id","value":"73"},
   {"id":504,"type":"Create","field_name":"tags","value":["alpha-real","zeta-real"]},{"id":505,"type":"Create","field_name":"360","value":"real value"},
   {"id":506,"type":"Create","field_name":"assignee_id","value":"71"}]}],
 "lifecycle":{"closure":{"after_hours":96,"sweep_phase_seconds":0,"author_id":71}}}`

const wrapped = `{"format":"worlds-zendesk-native-export","version":1,"epoch":1767571200,"zendesk":` + nativeDesk + `}`

func TestZendeskImportHidesPeople(t *testing.T) {
	first, err := seed.ImportZendesk([]byte(wrapped), "desk-copy")
	if err != nil {
		t.Fatal(err)
	}
	again, err := seed.ImportZendesk([]byte(wrapped), "desk-copy")
	if err != nil || !bytes.Equal(first.Seed.Canonical, again.Seed.Canonical) || !bytes.Equal(first.Manifest, again.Manifest) || !bytes.Equal(first.Map, again.Map) {
		t.Errorf("two imports differ: %v", err)
	}
	made := string(first.Seed.Canonical)
	for _, word := range []string{"Real", "real", "corp", "999", "CRM", "JIRA", "ssn", "9001", "9005", ":501", ":401", ":71", `"73"`} {
		if strings.Contains(made, word) {
			t.Errorf("the seed tells %q\n%s", word, made)
		}
	}
	z := first.Seed.Document.Zendesk
	ticket, audit := z.Tickets[0], z.Audits[0]
	if string(audit.Events[1].Value) != `"`+ticket.Subject+`"` || audit.Events[0].ID != z.Comments[0].ID || z.Comments[0].AuditID != audit.ID ||
		ticket.Description != z.Comments[0].Body || z.Tickets[1].ViaFollowupSourceID != ticket.ID || string(audit.Events[4].Value) != string(ticket.CustomFields[0].Value) ||
		z.Tickets[1].SolvedAt != 1767398400 || z.Lifecycle.Closure.AuthorID != z.PrincipalID || string(ticket.CustomFields[1].Value) != "true" {
		t.Errorf("the history does not hang together: %s", made)
	}
	for _, line := range []string{`"comments[].attachments": 1`, `"tickets[].url": 1`, `"users[].photo": 1`, `"users[].phone": 1`, `"audits[].events[].body": 1`, `"kind": "worlds-zendesk-native-export"`} {
		if !strings.Contains(string(first.Manifest), line) {
			t.Errorf("the manifest lacks %s\n%s", line, first.Manifest)
		}
	}
	if bytes.Contains(first.Manifest, []byte("9001")) || !bytes.Contains(first.Map, []byte(`"9001": 1`)) {
		t.Errorf("the map is\n%s", first.Map)
	}
}

func TestZendeskImportInputs(t *testing.T) {
	ordinary := `{"name":"mine","version":3,"epoch":1767571200,"clock_mode":"auto","auto_tick_seconds":5,"data":{"customers":[]},"zendesk":` + nativeDesk + `}`
	got, err := seed.ImportZendesk([]byte(ordinary), "copy")
	if err != nil {
		t.Fatal(err)
	}
	if d := &got.Seed.Document; d.Name != "copy" || d.Version != 3 || d.ClockMode != seed.ClockAuto || d.AutoTickSeconds != 5 {
		t.Errorf("%s", got.Seed.Canonical)
	}
	for _, row := range []struct{ name, from, to, want string }{
		{"populated", `"customers":[]`, `"customers":[{"id":"cus_a"}]`, "$.data.customers: is not empty"},
		{"no block", `"zendesk":`, `"zen":`, "$.zendesk: is missing"},
		{"another format", `"name":"mine"`, `"format":"x"`, "$.format"},
		{"a missing user", `"requester_id":73`, `"requester_id":74`, "$.zendesk.tickets[0].requester_id: no user has the id 74"},
		{"an audit of another", `"audit_id":401`, `"audit_id":402`, "$.zendesk.comments[0].audit_id: no audit has the id 402"},
		{"text after it", `"sweep_phase_seconds":0,"author_id":71}}}}`, `"sweep_phase_seconds":0,"author_id":71}}}}x`, "text after the value"},
	} {
		_, err := seed.ImportZendesk([]byte(strings.Replace(ordinary, row.from, row.to, 1)), "copy")
		var invalid *seed.Invalid
		if !errors.As(err, &invalid) || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: %v, want %s", row.name, err, row.want)
		}
	}
}

// Each rule of the native block, broken once.
func TestZendeskRules(t *testing.T) {
	document := `{"name":"d","version":1,"epoch":1767571200,"zendesk":` + strings.NewReplacer(`,"photo":{"file":"x"}`, "", `,"url":"https://real.zendesk.test/9001"`, "",
		`,"attachments":[{"name":"a.png"}]`, "", `"type":"Comment","body":"Real words by me"`, `"type":"Comment"`).Replace(nativeDesk) + `}`
	if _, err := seed.Parse([]byte(document)); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct{ from, to, want string }{
		{`"principal_id":71`, `"principal_id":73`, "$.zendesk.principal_id: 73 is no active agent or admin of users"},
		{`"role":"admin"`, `"role":"admin","suspended":true`, "$.zendesk.principal_id: 71 is no active agent or admin of users"},
		{`{"id":73,"name"`, `{"id":71,"name"`, "$.zendesk.users[1].id: 71 is already the id of another record"},
		{`"real.person@mail.test"`, `"REAL.admin@corp.test"`, `$.zendesk.users[1].email: "REAL.admin@corp.test" belongs to another user already`},
		{`"default_group_id":81`, `"default_group_id":82`, "$.zendesk.users[0].default_group_id: the user is not in group 82"},
		{`"user_id":71,"group_id":81`, `"user_id":73,"group_id":81`, "$.zendesk.group_memberships[0].user_id: 73 is an end user"},
		{`"user_id":73,"organization_id":91`, `"user_id":73,"organization_id":92`, "$.zendesk.organization_memberships[0].organization_id: no organization has the id 92"},
		{`"assignee_id":71,"group_id":81`, `"assignee_id":73,"group_id":81`, "$.zendesk.tickets[0].assignee_id: 73 is an end user"},
		{`"ssn":"000-real"`, `"url":"x"`, "$.zendesk.users[1].user_fields.url: is a name kept for links"},
		{`"updated_at":"2026-01-02T00:00:00Z"`, `"updated_at":"2025-01-02T00:00:00Z"`, "$.zendesk.tickets[0].updated_at: is earlier than created_at"},
		{`"updated_at":"2026-01-03T00:00:00Z"`, `"updated_at":"2027-01-03T00:00:00Z"`, "$.zendesk.tickets[1].updated_at: is later than the epoch"},
		{`"solved_at":"2026-01-03T00:00:00Z"`, `"solved_at":"2026-01-04T00:00:00Z"`, "$.zendesk.tickets[1].solved_at: is not between created_at and updated_at"},
		{`"solved_at":"2026-01-03T00:00:00Z",`, ``, "$.zendesk.tickets[1].solved_at: is missing"},
		{`"status":"solved"`, `"status":"open"`, "$.zendesk.tickets[1].solved_at: a ticket whose status is open is not solved"},
		{`"status":"closed"`, `"status":"open"`, "$.zendesk.tickets[1].via_followup_source_id: ticket 9001 is not closed"},
		{`"via_followup_source_id":9001`, `"via_followup_source_id":9005`, "$.zendesk.tickets[1].via_followup_source_id: a ticket does not follow itself"},
		{`"via_followup_source_id":9001`, `"via_followup_source_id":1`, "$.zendesk.tickets[1].via_followup_source_id: no ticket has the id 1"},
		{`"body":"Real words by me"`, `"body":"Real words by me","public":"no"`, "$.zendesk.comments[0].public: is a string; must be true or false"},
		{`{"id":501,"type":"Comment"}`, `{"id":507,"type":"Comment"}`, "$.zendesk.audits[0].events[0].id: no comment has the id 507"},
		{`"field_name":"subject",`, ``, "$.zendesk.audits[0].events[1].field_name: is missing"},
		{`"value":"73"`, `"value":73`, "$.zendesk.audits[0].events[2].value: is a number; audits write null, strings and arrays of strings"},
		{`"id":502`, `"id":503`, "$.zendesk.audits[0].events[2].id: 503 is already the id of another record"},
		{`"after_hours":96`, `"after_hours":673`, "$.zendesk.lifecycle.closure.after_hours: is 673; must be at most 672"},
		{`"sweep_phase_seconds":0`, `"sweep_phase_seconds":3600`, "$.zendesk.lifecycle.closure.sweep_phase_seconds: is 3600; must be at most 3599"},
		{`"author_id":71}}}`, `"author_id":73}}}`, "$.zendesk.lifecycle.closure.author_id: 73 is no agent or admin of users"},
		{`"created_at":"2026-01-01T00:00:00Z","events"`, `"created_at":"2025-01-01T00:00:00Z","events"`, "$.zendesk.audits[0].created_at: is earlier than the ticket's"},
		{`"created_at":"2026-01-02T00:00:00Z"`, `"created_at":"2026-1-2"`, `$.zendesk.tickets[1].created_at: is "2026-1-2"; must be an instant`},
		{`"subject":"Real subject","status"`, `"subject":"Real subject","description":"other","status"`, "$.zendesk.tickets[0].description: is not the body of the first comment, 501"},
		{`"name":"Real Corp"`, `"name":"Real Corp","name2":1`, `$.zendesk.organizations[0].name2: unknown key`},
	} {
		if !strings.Contains(document, row.from) {
			t.Errorf("%s is not in the document", row.from)
			continue
		}
		_, err := seed.Parse([]byte(strings.Replace(document, row.from, row.to, 1)))
		if err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s → %s\n got %v\nwant %s", row.from, row.to, err, row.want)
		}
	}
}

// A block that is written reads as itself.
func TestZendeskBlockWritten(t *testing.T) {
	made, err := seed.ImportZendesk([]byte(wrapped), "a")
	if err != nil {
		t.Fatal(err)
	}
	doc := `{"name":"a","version":1,"epoch":1767571200,"zendesk":` + string(made.Seed.Document.Zendesk.JSON()) + `}`
	again, err := seed.Parse([]byte(doc))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := again.Document.Zendesk.JSON(), made.Seed.Document.Zendesk.JSON(); !bytes.Equal(got, want) {
		t.Errorf("%s\n%s", got, want)
	}
}

func TestCompose(t *testing.T) {
	billing, err := seed.Parse([]byte(`{"name":"b","version":2,"epoch":1767225600,"data":{"customers":[{"id":"cus_a","created_offset":10},{"id":"cus_b"}]}}`))
	if err != nil {
		t.Fatal(err)
	}
	desk, err := seed.ImportZendesk([]byte(wrapped), "d")
	if err != nil {
		t.Fatal(err)
	}
	both, err := seed.Compose(billing, desk.Seed, "both")
	if err != nil {
		t.Fatal(err)
	}
	d := both.Document
	if d.Epoch != 1767571200 || d.Epoch-d.Data.Customers[0].CreatedOffset != 1767225590 || d.Epoch-d.Data.Customers[1].CreatedOffset != 1767225600 ||
		len(d.Zendesk.Tickets) != 2 || d.Version != 2 || d.Name != "both" {
		t.Errorf("%s", both.Canonical)
	}
	for _, pair := range [][2]*seed.Seed{{both, desk.Seed}, {billing, billing}, {billing, both}} {
		if _, err := seed.Compose(pair[0], pair[1], "x"); err == nil {
			t.Errorf("%s and %s compose", pair[0].Document.Name, pair[1].Document.Name)
		}
	}
}

func TestClosureSweeps(t *testing.T) {
	c := seed.ZendeskClosure{AfterHours: 1, SweepPhaseSeconds: 900, AuthorID: 1}
	for _, row := range [][2]int64{{7200, 11700}, {8100, 11700}, {8101, 15300}, {0, 0}} {
		if got := c.CloseAt(row[0]); got != row[1] {
			t.Errorf("solved at %d, closed at %d, want %d", row[0], got, row[1])
		}
	}
}
