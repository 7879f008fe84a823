package zendesk_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"
)

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// sorted is a list of words in order.
func sorted(s string) string {
	words := strings.Fields(s)
	slices.SortFunc(words, func(a, b string) int { return len(a) - len(b) + strings.Compare(a, b) })
	return strings.Join(words, " ")
}

// Who may do what: the credential names a user, an admin may act for another.
func TestCallers(t *testing.T) {
	for _, row := range []struct{ as, behalf, line, want string }{
		{"", "", "GET /users/me", "200 \"id\":1,"},
		{"gus@desk.example", "", "GET /users/me", "200 \"id\":2,"},
		{"GUS@desk.example", "", "GET /tickets", "200 "},
		{"nobody@desk.example", "", "GET /tickets", "401 Couldn't authenticate you"},
		{"nobody@desk.example", "", "GET /nothing", "401 Couldn't authenticate you"},
		{"ada@acme.example", "", "GET /users/me", "200 \"id\":4,"},
		{"ada@acme.example", "", "GET /tickets", "403 Forbidden"},
		{"", "gus@desk.example", "GET /users/me", "200 \"id\":2,"},
		{"", "2", "GET /users/me", "200 \"id\":2,"},
		{"", "ada@acme.example", "GET /tickets", "403 Forbidden"},
		{"", "nobody", "GET /tickets", "401 "},
		{"gus@desk.example", "ana@desk.example", "GET /tickets", "403 Forbidden"},
		{"gus@desk.example", "", `POST /groups {"group":{"name":"x"}}`, "403 Forbidden"},
		{"gus@desk.example", "", `DELETE /users/4`, "403 Forbidden"},
		{"gus@desk.example", "", `PUT /users/2 {"user":{"role":"admin"}}`, "403 Forbidden"},
		{"gus@desk.example", "", `POST /users {"user":{"name":"x","role":"agent"}}`, "403 Forbidden"},
		{"gus@desk.example", "", `POST /organizations {"organization":{"name":"x"}}`, "403 Forbidden"},
		{"gus@desk.example", "", `POST /users {"user":{"name":"x"}}`, "201 end-user"},
	} {
		r := newRig(t, desk)
		r.as, r.behalf = row.as, row.behalf
		a := r.do(row.line)
		if row.want[:3] != itoa(a.Status) || !strings.Contains(string(a.Body), row.want[4:]) {
			t.Errorf("%s as %q for %q\n got %d %s\nwant %s", row.line, row.as, row.behalf, a.Status, a.Body, row.want)
		}
	}
	r := newRig(t, desk)
	r.behalf = "gus@desk.example"
	r.ok(`POST /tickets {"ticket":{"description":"d"}}`).want(t, "ticket.requester_id", "2", "audit.author_id", "2")
}

// Lists of users take one role, or several, in brackets.
func TestUsersOfRoles(t *testing.T) {
	r := newRig(t, desk)
	agents, admins := r.ok("GET /users?role=agent").get("count"), r.ok("GET /users?role=admin").get("count")
	for query, want := range map[string]string{"role[]=agent": agents, "role%5B%5D=admin": admins, "role[]=agent&role[]=admin": "3", "role[0]=agent&role[1]=admin": "3", "role[]=nobody": "0"} {
		r.ok("GET /users.json?"+query).want(t, "count", want)
		r.ok("GET /users/count?"+query).want(t, "count.value", want)
	}
	r.ok("GET /groups/11/users?role[]=end-user").want(t, "count", "0")
	r.ok("GET /organizations/21/users?role[]=agent").want(t, "count", "0")
}

func TestUsers(t *testing.T) {
	r := newRig(t, desk)
	a := r.ok(`POST /users {"user":{"name":"Dee","email":"dee@x.example","organization_id":22,"tags":["VIP","b"],"user_fields":{"plan":"gold"}}}`)
	id := a.want(t, "user.organization_id", "22", "user.tags", `["b","vip"]`, "user.user_fields.plan", "gold", "user.id", "1000001").get("user.id")
	r.ok("GET /users/"+id+"/organization_memberships").want(t, "organization_memberships.0.default", "true", "organization_memberships.0.organization_name", "Else")
	for _, row := range [][2]string{
		{`POST /users {"user":{"name":"X","email":"DEE@x.example"}}`, `422 "error":"DuplicateValue"`},
		{`POST /users {"user":{"name":"X","email":"nonsense"}}`, "422 is not properly formatted"},
		{`POST /users {"user":{"email":"x@x.example"}}`, "422 Name: cannot be blank"},
		{`POST /users {"user":{"name":"X","organization_id":9}}`, "422 Organization: 9 is not valid"},
		{`POST /users {"user":{"name":"X","role":"king"}}`, "422 king is not included in the list"},
		{`PUT /users/` + id + ` {"user":{"user_fields":{"url":"x"}}}`, "422 url is not valid"},
		{`PUT /users/1 {"user":{"role":"end-user"}}`, "422 the owner"},
		{`DELETE /users/1`, "422 the owner"},
		{`PUT /users/77 {"user":{"name":"X"}}`, "404 "},
		{`POST /users`, "400 user is missing"},
	} {
		r.refused(row[0], row[1])
	}
	r.ok("PUT /users/"+id+` {"user":{"phone":"123","user_fields":{"size":"9"}}}`).want(t, "user.user_fields.plan", "gold", "user.user_fields.size", "9")
	r.ok("PUT /users/"+id+` {"user":{"organization_id":null}}`).want(t, "user.organization_id", "null")
	r.ok("GET /users/"+id+"/organizations").want(t, "count", "0")
	r.ok(`POST /users/create_or_update {"user":{"name":"Dee Dee","email":"dee@x.example"}}`).want(t, "user.id", id, "user.name", "Dee Dee")
	if a := r.ok(`POST /users/create_or_update {"user":{"name":"Eve","external_id":"e1"}}`); a.Status != 201 {
		t.Errorf("status %d", a.Status)
	}
	r.ok("GET /users/search?query=dee").want(t, "count", "1")
	r.ok("GET /users/search?query=email:dee@x.example").want(t, "users.0.id", id)
	r.ok("GET /users/search?external_id=crm-5").want(t, "users.0.id", "5")
	r.ok("GET /users/autocomplete?name=de").want(t, "users.0.id", id)
	r.ok("GET /users/show_many?ids=4,6,99").want(t, "users.#", "2")
	r.ok("GET /users?role=agent").want(t, "users.0.id", "2", "users.1.id", "3", "count", "2")
	r.ok("GET /users/count").want(t, "count.value", "8")
	r.ok("DELETE /users/"+id).want(t, "user.active", "false")
	r.ok("GET /users/"+id).want(t, "user.active", "false")
	r.ok("GET /users/count").want(t, "count.value", "7")
	r.ok(`POST /users {"user":{"name":"Again","email":"dee@x.example"}}`)
	r.ok(`PUT /users/4/tags {"tags":["x"]}`)
	r.ok(`POST /users/4/tags {"tags":["y"]}`).want(t, "tags", `["x","y"]`)
	r.ok(`DELETE /users/4/tags {"tags":["x"]}`)
	r.ok("GET /users/4/tags").want(t, "tags", `["y"]`)
}

func TestGroupsAndMemberships(t *testing.T) {
	r := newRig(t, desk)
	r.ok(`POST /groups {"group":{"name":"New"}}`).want(t, "group.id", "2000001", "group.default", "false")
	r.ok(`PUT /groups/2000001 {"group":{"name":"Newer"}}`).want(t, "group.name", "Newer")
	r.refused(`POST /groups {"group":{"name":""}}`, "422 BlankValue")
	r.refused(`DELETE /groups/11`, "422 default group")
	r.ok(`POST /group_memberships {"group_membership":{"user_id":2,"group_id":2000001}}`).want(t, "group_membership.id", "4000001", "group_membership.default", "false")
	r.refused(`POST /group_memberships {"group_membership":{"user_id":2,"group_id":2000001}}`, "422 DuplicateValue")
	r.refused(`POST /group_memberships {"group_membership":{"user_id":4,"group_id":11}}`, "422 InvalidValue")
	r.ok("PUT /users/2/group_memberships/4000001/make_default").want(t, "group_memberships.#", "2", "group_memberships.1.default", "true", "group_memberships.0.default", "false")
	r.ok("GET /users/2").want(t, "user.default_group_id", "2000001")
	r.ok("GET /users/2/groups").want(t, "count", "2")
	r.ok("GET /groups/11/users").want(t, "count", "3")
	r.ok("DELETE /group_memberships/4000001")
	r.ok("GET /users/2").want(t, "user.default_group_id", "11")
	r.ok("GET /groups/11/memberships?page[size]=2").want(t, "meta.has_more", "true")
	r.ok("DELETE /groups/12")
	r.ok("GET /groups").want(t, "count", "2")
	r.ok("GET /users/3").want(t, "user.default_group_id", "11")
	r.ok(`POST /users {"user":{"name":"Ag","role":"agent"}}`).want(t, "user.default_group_id", "11")
}

func TestOrganizations(t *testing.T) {
	r := newRig(t, desk)
	r.ok(`POST /organizations {"organization":{"name":"Third","domain_names":["third.example"],"external_id":"x1"}}`).want(t, "organization.id", "3000001")
	r.refused(`POST /organizations {"organization":{"name":"ACME"}}`, "422 DuplicateValue")
	r.refused(`POST /organizations {"organization":{}}`, "422 BlankValue")
	r.ok(`PUT /organizations/21 {"organization":{"notes":"n","organization_fields":{"tier":"a"}}}`).want(t, "organization.notes", "n")
	r.ok(`POST /organizations/create_or_update {"organization":{"external_id":"x1","name":"3rd"}}`).want(t, "organization.name", "3rd")
	r.ok("GET /organizations/search?external_id=x1").want(t, "count", "1")
	r.ok("GET /organizations/autocomplete?name=ac").want(t, "organizations.0.id", "21")
	r.ok("GET /organizations/21/tickets").want(t, "count", "2")
	r.ok("GET /organizations/21/users").want(t, "count", "2")
	r.ok(`POST /organization_memberships {"organization_membership":{"user_id":4,"organization_id":22}}`).want(t, "organization_membership.default", "false")
	r.ok("PUT /users/4/organization_memberships/5000001/make_default").want(t, "organization_memberships.1.default", "true")
	r.ok("GET /users/4").want(t, "user.organization_id", "22")
	r.ok("DELETE /organizations/22")
	r.ok("GET /users/4").want(t, "user.organization_id", "21")
	r.ok("GET /organizations/count").want(t, "count.value", "2")
	r.ok(`PUT /organizations/21/tags {"tags":["gold"]}`).want(t, "tags", `["gold"]`)
}

func TestPeopleInBulk(t *testing.T) {
	r := newRig(t, desk)
	job := func(line string) answer {
		return r.ok("GET /job_statuses/" + r.ok(line).get("job_status.id"))
	}
	job(`POST /users/create_many {"users":[{"name":"A","email":"a@x.example"},{"name":"B","email":"a@x.example"},{"name":"C","external_id":"c"}]}`).want(t,
		"job_status.results.0.id", "1000001", "job_status.results.1.error", "RecordInvalid", "job_status.results.2.status", "Created")
	job(`POST /users/create_or_update_many {"users":[{"name":"AA","email":"a@x.example"},{"name":"D"}]}`).want(t,
		"job_status.results.0.status", "Updated", "job_status.results.1.status", "Created")
	job(`PUT /users/update_many?ids=4,5,999 {"user":{"notes":"n"}}`).want(t, "job_status.results.2.error", "RecordNotFound")
	job(`PUT /users/update_many {"users":[{"id":4,"phone":"1"},{"id":5,"phone":"2"}]}`)
	r.ok("GET /users/5").want(t, "user.notes", "n", "user.phone", "2")
	job(`DELETE /users/destroy_many?ids=1,1000001`).want(t, "job_status.results.0.success", "false", "job_status.results.1.success", "true")
	job(`POST /organizations/create_many {"organizations":[{"name":"N1"},{"name":"N1"}]}`).want(t, "job_status.results.1.success", "false")
	job(`DELETE /organizations/destroy_many?ids=22`)
	job(`POST /group_memberships/create_many {"group_memberships":[{"user_id":2,"group_id":12},{"user_id":4,"group_id":12}]}`).want(t, "job_status.results.1.success", "false")
	job(`DELETE /group_memberships/destroy_many?ids=34`)
	job(`POST /organization_memberships/create_many {"organization_memberships":[{"user_id":6,"organization_id":21}]}`)
	job(`DELETE /organization_memberships/destroy_many?ids=42`)
	r.ok("GET /users/5").want(t, "user.organization_id", "null")
	r.ok(`POST /users/1/group_memberships {"group_membership":{"group_id":12}}`).want(t, "group_membership.user_id", "1")
	r.refused(`PUT /users/update_many {}`, "400 users must be an array")
}

func TestSearch(t *testing.T) {
	r := newRig(t, desk)
	r.ok(`PUT /tickets/101 {"ticket":{"custom_fields":[{"id":7,"value":"red"}],"comment":{"body":"the needle is here"}}}`)
	for _, row := range [][2]string{
		{"type:ticket", "101 102 103"},
		{"type:ticket status:open", "101"},
		{"type:ticket status:open status:closed", "101 103"},
		{"type:ticket status<solved", "101"},
		{"type:ticket status>=solved", "102 103"},
		{"type:ticket -status:open", "102 103"},
		{"type:ticket priority:high", "101"},
		{"type:ticket priority>normal", "101"},
		{"type:ticket priority:none", "102 103"},
		{"needle type:ticket", "101"},
		{`"charged twice"`, "101"},
		{`"twice charged"`, ""},
		{"INV-7", "101"},
		{"charged inv-7", "101"},
		{"charged banana", ""},
		{"requester:ada@acme.example", "101"},
		{"requester:4", "101"},
		{"requester:me", ""},
		{"assignee:gus@desk.example", "101"},
		{"assignee:none type:ticket", "103"},
		{"organization:acme type:ticket", "101 102"},
		{"organization:none type:ticket", "103"},
		{"group:support type:ticket", "101"},
		{"tags:billing", "101"},
		{"subject:done type:ticket", "102"},
		{"type:ticket created>2025-12-15", "101 102"},
		{"type:ticket created:2025-12-01", "103"},
		{"type:ticket created<=2025-12-30", "101 102 103"},
		{"type:ticket updated>2025-12-30T12:00:00Z", "101 102"},
		{"solved:2025-12-31", "102"},
		{"custom_field_7:red", "101"},
		{"custom_field_7:blue", ""},
		{"type:user role:agent", "2 3"},
		{"type:user ada", "4"},
		{"type:organization acme", "21"},
		{"type:group billing", "12"},
		{"type:nothing", ""},
	} {
		q := strings.NewReplacer(" ", "+", `"`, "%22").Replace(row[0])
		a := r.ok("GET /search.json?sort_by=created_at&sort_order=asc&query=" + q)
		if got := sorted(a.each("results", "id")); got != row[1] {
			t.Errorf("%s finds %q, want %q", row[0], got, row[1])
		}
		r.ok("GET /search/count?query="+q).want(t, "count", itoa(int64(len(strings.Fields(row[1])))))
	}
	r.ok("GET /search?query=type:ticket&sort_by=status&sort_order=asc").want(t, "results.0.id", "101", "results.2.id", "103", "results.0.result_type", "ticket")
	r.ok("GET /search?query=type:ticket&per_page=2&page=2").want(t, "results.#", "1", "next_page", "null", "count", "3")
	r.ok("GET /search/export?query=status:open&filter[type]=ticket&page[size]=10").want(t, "results.#", "1", "links.next", "null")
}

// Offsets reach a thousand results, the export all of them.
func TestSearchDepth(t *testing.T) {
	r := newRig(t, plain)
	batch := `{"tickets":[` + strings.TrimSuffix(strings.Repeat(`{"description":"d"},`, 100), ",") + `]}`
	for range 11 {
		r.ok("POST /tickets/create_many " + batch)
	}
	r.ok("GET /search?query=type:ticket&page=10").want(t, "count", "1100", "results.#", "100", "next_page", origin+"/api/v2/search?query=type:ticket&page=11")
	r.refused("GET /search?query=type:ticket&page=11", "422 Search Response Limits")
	seen := 0
	for at := "/api/v2/search/export?query=type:ticket&filter[type]=ticket&page[size]=100"; at != "null"; seen++ {
		at = strings.TrimPrefix(r.ok("GET "+at).get("links.next"), origin)
	}
	if seen != 11 {
		t.Errorf("the export has %d pages", seen)
	}
	r.ok("GET /search/export?query=type:ticket&filter[type]=ticket&page[size]=1000").want(t, "results.#", "1000", "meta.has_more", "true")
}

func TestIncrementalExports(t *testing.T) {
	r := newRig(t, desk)
	r.advance(100)
	r.ok(`PUT /tickets/101 {"ticket":{"priority":"low"}}`)
	r.ok("GET /incremental/tickets.json?start_time=1767225600").want(t, "count", "1", "tickets.0.id", "101", "end_of_stream", "true", "end_time", "1767225700")
	a := r.ok("GET /incremental/tickets.json?start_time=0&per_page=1").want(t, "tickets.0.id", "103", "end_of_stream", "false")
	a = r.ok("GET "+strings.TrimPrefix(a.get("next_page"), origin)).want(t, "tickets.0.id", "102")
	r.ok("GET "+strings.TrimPrefix(a.get("next_page"), origin)).want(t, "tickets.0.id", "101", "end_of_stream", "true")
	a = r.ok("GET /incremental/tickets/cursor.json?start_time=0&per_page=2").want(t, "tickets.#", "2", "end_of_stream", "false")
	a = r.ok("GET "+strings.TrimPrefix(a.get("after_url"), origin)).want(t, "tickets.#", "1", "end_of_stream", "true")
	r.ok("GET /incremental/tickets/cursor?cursor="+a.get("after_cursor")).want(t, "tickets.#", "0", "after_cursor", a.get("after_cursor"))
	r.ok("GET /incremental/users?start_time=0").want(t, "count", "6")
	r.ok("GET /incremental/users/cursor?start_time=0&per_page=4").want(t, "users.#", "4")
	r.ok("GET /incremental/organizations?start_time=0").want(t, "count", "2")
	r.ok("GET /incremental/ticket_events?start_time=0").want(t, "count", "4", "ticket_events.0.child_events.0.type", "Comment")
}

// One key, one ticket.
func TestIdempotency(t *testing.T) {
	r := newRig(t, desk)
	r.idem = "ik_1"
	a := r.ok(`POST /tickets {"ticket":{"description":"d"}}`)
	again := r.ok(`POST /tickets {"ticket":{"description":"d"}}`)
	if string(a.Body) != string(again.Body) || again.out.Replayed == "" {
		t.Errorf("the second answer is %s", again.Body)
	}
	r.refused(`POST /tickets {"ticket":{"description":"e"}}`, "400 IdempotentRequestError")
	r.ok(`POST /users {"user":{"name":"x"}}`)
	r.ok("GET /tickets").want(t, "count", "4")
}

// The older section: its people and tickets have the ids that its order gives.
func TestOlderTickets(t *testing.T) {
	r := newRig(t, `{"name":"old","version":1,"epoch":1767225600,"data":{"tickets":[
	 {"subject":"One","body":"first","requester":{"name":"Ada","email":"ada@x.example"},"created_offset":3600},
	 {"subject":"Two","body":"second","requester":{"email":"ADA@x.example"},"status":"solved","priority":"high","tags":["b","a"]},
	 {"subject":"Three","body":"third","requester":{"email":"bo@x.example"},"status":"closed"}]}}`)
	r.ok("GET /tickets").want(t, "count", "3", "tickets.0.id", "1", "tickets.0.created_at", "2025-12-31T23:00:00Z", "tickets.1.tags", `["a","b"]`,
		"tickets.1.requester_id", "1000002", "tickets.2.status", "closed", "tickets.1.assignee_id", "1000001")
	r.ok("GET /users").want(t, "count", "3", "users.0.email", "agent@support.example", "users.2.name", "bo")
	r.ok("GET /tickets/1/comments").want(t, "comments.0.body", "first")
	r.ok(`POST /tickets {"ticket":{"description":"d"}}`).want(t, "ticket.id", "4")
	r.ok(`PUT /tickets/2 {"ticket":{"status":"open"}}`)
}

func TestSideloads(t *testing.T) {
	r := newRig(t, desk)
	r.ok("GET /tickets?include=users,groups,organizations,comment_count").want(t, "users.#", "5", "groups.#", "2", "organizations.#", "1", "tickets.0.comment_count", "2")
	r.ok("GET /tickets/101?include=users").want(t, "users.#", "2")
	r.ok("GET /tickets/101/comments?include=users").want(t, "users.#", "2")
	r.ok("GET /tickets/recent").want(t, "tickets.0.id", "102")
	r.ok("GET /users/4/tickets/requested").want(t, "count", "1")
	r.ok("GET /users/2/tickets/assigned").want(t, "tickets.0.id", "101")
	r.ok(`PUT /tickets/101 {"ticket":{"email_cc_ids":[6]}}`)
	r.ok("GET /users/6/tickets/ccd").want(t, "count", "1")
	r.ok("GET /tags").want(t, "tags.0.name", "billing", "tags.0.count", "1")
	r.ok("GET /autocomplete/tags?name=bil").want(t, "tags", `["billing"]`)
}

// An external id names one record of its kind; one that is gone frees it.
func TestExternalIDs(t *testing.T) {
	r := newRig(t, plain)
	for _, kind := range []string{"user", "organization"} {
		r.ok(`POST /` + kind + `s {"` + kind + `":{"name":"one","external_id":"e1"}}`)
		r.refused(`POST /`+kind+`s {"`+kind+`":{"name":"two","external_id":"e1"}}`, "422 External has already been taken")
		b := r.ok(`POST /` + kind + `s {"` + kind + `":{"name":"two","external_id":"e2"}}`).get(kind + ".id")
		r.refused(`PUT /`+kind+`s/`+b+` {"`+kind+`":{"external_id":"e1"}}`, "422 External has already been taken")
		r.ok(`PUT /` + kind + `s/` + b + ` {"` + kind + `":{"external_id":"e2","name":"three"}}`)
		r.ok(`POST /`+kind+`s/create_or_update {"`+kind+`":{"name":"four","external_id":"e2"}}`).want(t, kind+".id", b)
		r.ok(`POST /` + kind + `s {"` + kind + `":{"name":"five","external_id":""}}`)
		r.ok(`POST /` + kind + `s {"` + kind + `":{"name":"six","external_id":""}}`)
		r.ok(`DELETE /` + kind + `s/` + b)
		r.ok(`POST /` + kind + `s {"` + kind + `":{"name":"seven","external_id":"e2"}}`)
	}
}
