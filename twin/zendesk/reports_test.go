package zendesk_test

import (
	"strings"
	"testing"
)

// What clients were seen to send, and what others were seen to lose.

// Ids come as texts of digits, too.
func TestIdsAsTexts(t *testing.T) {
	r := newRig(t, desk)
	r.ok(`PUT /tickets/101 {"ticket":{"assignee_id":"2","custom_fields":[{"id":"7","value":"x"}],"collaborator_ids":["4"]}}`).
		want(t, "ticket.assignee_id", "2", "ticket.custom_fields.0.id", "7", "ticket.collaborator_ids", "[4]")
	for _, id := range []string{`""`, `"2x"`, `" 2"`, `"2.0"`, `true`} {
		r.refused(`PUT /tickets/101 {"ticket":{"assignee_id":`+id+`}}`, "422 ")
	}
}

// Copies are set, added and taken away by id, by address and by name.
func TestCopies(t *testing.T) {
	r := newRig(t, desk)
	a := r.ok(`PUT /tickets/101 {"ticket":{"collaborators":[4,"new@cc.example",{"name":"Cy","email":"cy@cc.example"}]}}`)
	fresh := r.ok("GET /users/search?query=email:new@cc.example").get("users.0.id")
	cy := r.ok("GET /users/search?query=email:cy@cc.example").want(t, "users.0.name", "Cy").get("users.0.id")
	a.want(t, "ticket.collaborator_ids", "[4,"+fresh+","+cy+"]")
	r.ok(`PUT /tickets/101 {"ticket":{"additional_collaborators":[2,4]}}`).want(t, "ticket.collaborator_ids", "[2,4,"+fresh+","+cy+"]")
	r.ok(`PUT /tickets/101 {"ticket":{"collaborators":["2"]}}`).want(t, "ticket.collaborator_ids", "[2]")
	r.ok(`PUT /tickets/101 {"ticket":{"email_ccs":[{"user_id":"4"},{"user_email":"NEW@cc.example","action":"put"}],"followers":[{"user_id":2,"action":"put"}]}}`).
		want(t, "ticket.email_cc_ids", "[4,"+fresh+"]", "ticket.follower_ids", "[2]")
	r.ok(`PUT /tickets/101 {"ticket":{"email_ccs":[{"user_email":"new@cc.example","action":"delete"}],"followers":[{"user_id":1,"action":"delete"}]}}`).
		want(t, "ticket.email_cc_ids", "[4]", "ticket.follower_ids", "[2]")
	r.ok(`POST /tickets {"ticket":{"description":"d","email_ccs":[{"user_id":4}]}}`).want(t, "ticket.email_cc_ids", "[4]")
	for _, bad := range []string{`"email_ccs":[{}]`, `"email_ccs":[{"user_id":99}]`, `"followers":[{"user_email":"no@cc.example","action":"delete"}]`,
		`"followers":[{"user_id":2,"action":"up"}]`, `"collaborators":"2"`, `"collaborators":[true]`, `"collaborators":["nonsense"]`,
		`"collaborators":[{"name":5,"email":"dy@cc.example"}]`, `"collaborators":[{"email":[]}]`, `"additional_collaborators":[2,{"name":"D","email":{}}]`,
		`"collaborators":[{"name":"D"}]`, `"collaborators":[{"name":"` + strings.Repeat("n", 256) + `","email":"dy@cc.example"}]`} {
		r.refused(`PUT /tickets/101 {"ticket":{`+bad+`}}`, "422 ")
	}
	a = r.ok(`PUT /tickets/101 {"ticket":{"collaborators":[2,{"name":null,"email":"cy@cc.example","foo":1}]}}`).want(t, "ticket.collaborator_ids", "[2,"+cy+"]")
	if !strings.Contains(string(a.out.Reply), `"ignored":["ticket[collaborators][1][foo]"]`) {
		t.Errorf("the reply hides what was ignored: %s", a.out.Reply)
	}
}

// The lists of a seed may come in any order, and be changed like any other.
func TestSeededCopies(t *testing.T) {
	document := strings.Replace(desk, `"status":"solved",`, `"status":"solved","email_cc_ids":[6,5,4],"follower_ids":[3,2],"collaborator_ids":[5,4],`, 1)
	document = strings.Replace(document, `{"id":225,`, `{"id":227,"type":"Create","field_name":"email_cc_ids","value":["4","5","6"]},
	 {"id":228,"type":"Create","field_name":"follower_ids","value":["2","3"]},{"id":229,"type":"Create","field_name":"collaborator_ids","value":["4","5"]},{"id":225,`, 1)
	r := newRig(t, document)
	r.ok("GET /tickets/102").want(t, "ticket.email_cc_ids", "[4,5,6]", "ticket.follower_ids", "[2,3]", "ticket.collaborator_ids", "[4,5]")
	r.ok(`PUT /tickets/102 {"ticket":{"email_ccs":[{"user_id":6,"action":"delete"},{"user_id":4}],"followers":[{"user_id":3}],"additional_collaborators":[5]}}`).
		want(t, "ticket.email_cc_ids", "[4,5]", "ticket.follower_ids", "[2,3]", "ticket.collaborator_ids", "[4,5]")
}

// An export that goes on from where it was sees what changed in the same second.
func TestExportsLoseNothing(t *testing.T) {
	r := newRig(t, desk)
	byTime := r.ok("GET /incremental/tickets?start_time=0").get("next_page")
	byCursor := r.ok("GET /incremental/tickets/cursor?start_time=0").get("after_url")
	r.ok(`PUT /tickets/101 {"ticket":{"priority":"low"}}`)
	byTime = r.ok("GET "+strings.TrimPrefix(byTime, origin)).want(t, "tickets.0.id", "101").get("next_page")
	byCursor = r.ok("GET "+strings.TrimPrefix(byCursor, origin)).want(t, "tickets.#", "1", "tickets.0.id", "101").get("after_url")
	for _, priority := range []string{"high", "urgent"} { // again, and with another changed in between
		r.ok(`PUT /tickets/102 {"ticket":{"priority":"` + priority + `"}}`)
		r.ok(`PUT /tickets/101 {"ticket":{"priority":"` + priority + `"}}`)
		byCursor = r.ok("GET "+strings.TrimPrefix(byCursor, origin)).want(t, "tickets.#", "2", "tickets.1.id", "101").get("after_url")
		byTime = r.ok("GET "+strings.TrimPrefix(byTime, origin)).want(t, "tickets.#", "2", "tickets.1.priority", priority).get("next_page")
	}
	r.advance(10) // the moment is over, and is not shown again
	r.ok(`PUT /tickets/102 {"ticket":{"priority":"low"}}`)
	r.ok("GET "+strings.TrimPrefix(byCursor, origin)).want(t, "tickets.#", "1")
}

// A phrase is found however its words are set apart; a moment that cannot be read is not
// passed over.
func TestSearchPhrasesAndMoments(t *testing.T) {
	r := newRig(t, plain)
	r.ok(`POST /tickets {"ticket":{"description":"hello\n\nbig   world"}}`)
	r.ok("GET /search?query=%22hello%20%20big%20world%22").want(t, "count", "1")
	r.ok("GET /search?query=created%3E=2020-01-01").want(t, "count", "2")
	for _, moment := range []string{"1hour", "yesterday", "2020-13-01"} {
		r.refused("GET /search?query=created%3E"+moment, "403 the moment "+moment+" in a search")
	}
}
