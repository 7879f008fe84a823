package zendesk_test

import (
	"fmt"
	"strings"
	"testing"

	"worlds/twin/zendesk"
	"worlds/twin/zendesk/oracle"
)

func TestEveryRouteHasASchema(t *testing.T) {
	for _, route := range zendesk.Catalog().Routes() {
		if name := route.Method + " " + route.Pattern; !oracle.Known(name) {
			t.Errorf("%s has no schema", name)
		}
	}
}

// Closed is final.
func TestClosedTicket(t *testing.T) {
	r := newRig(t, plain)
	r.ok(`POST /tickets.json {"ticket":{"subject":"A","comment":{"body":"b"}}}`).want(t, "ticket.id", "1", "ticket.status", "new")
	r.ok(`PUT /tickets/1.json {"ticket":{"status":"closed"}}`).want(t, "ticket.status", "closed")
	for _, change := range []string{`"comment":{"body":"more"}`, `"status":"open"`, `"tags":["x"]`, `"priority":"high"`, ``} {
		line := `PUT /tickets/1 {"ticket":{` + change + `}}`
		r.refused(line, `422 "status":[{"description":"Status: closed prevents ticket update","error":null}]`)
	}
	r.refused(`POST /tickets/1/tags {"tags":["x"]}`, "422 closed prevents ticket update")
	r.ok("GET /tickets/1.json").want(t, "ticket.status", "closed", "ticket.tags", "[]")
	r.ok("DELETE /tickets/1")
}

// A refusal uses no number up.
func TestCreateWithoutABody(t *testing.T) {
	r := newRig(t, plain)
	blank := `422 {"description":"Record validation errors","details":{"base":[{"description":"Description: cannot be blank","error":"BlankValue"}]}`
	for _, ticket := range []string{`"subject":"s"`, `"subject":"s","comment":{}`, `"subject":"s","comment":{"body":""}`, `"subject":"s","description":""`} {
		r.refused(`POST /tickets {"ticket":{`+ticket+`}}`, blank)
	}
	r.refused(`POST /tickets {"subject":"s","description":"d"}`, "400 ticket is missing")
	r.ok(`POST /tickets {"ticket":{"description":"d"}}`).want(t, "ticket.id", "1", "ticket.description", "d")
	r.ok(`GET /tickets/1/comments`).want(t, "comments.0.body", "d", "comments.#", "1")
}

func TestTags(t *testing.T) {
	r := newRig(t, plain)
	r.ok(`POST /tickets {"ticket":{"description":"d","tags":["a","b"]}}`)
	r.ok(`PUT /tickets/1 {"ticket":{"tags":["c"]}}`).want(t, "ticket.tags", `["c"]`)
	r.ok(`POST /tickets/1/tags.json {"tags":["d"]}`).want(t, "tags", `["c","d"]`)
	r.ok(`PUT /tickets/1/tags.json {"tags":["e","e","f"]}`).want(t, "tags", `["e","f"]`)
	r.ok(`DELETE /tickets/1/tags.json {"tags":["e"]}`).want(t, "tags", `["f"]`)
	r.ok(`PUT /tickets/1 {"ticket":{"priority":"low"}}`).want(t, "ticket.tags", `["f"]`)
	// Adding and taking away, on one ticket as on many.
	r.ok(`PUT /tickets/1 {"ticket":{"additional_tags":["x","F"],"remove_tags":["nope"]}}`).want(t, "ticket.tags", `["f","x"]`)
	r.ok(`PUT /tickets/1 {"ticket":{"remove_tags":["f"]}}`).want(t, "ticket.tags", `["x"]`)
	r.ok(`PUT /tickets/1 {"ticket":{"tags":["a","b"],"additional_tags":["c"],"remove_tags":["a"]}}`).want(t, "ticket.tags", `["b","c"]`)
	r.ok(`PUT /tickets/1 {"ticket":{"additional_tags":["b"]}}`).want(t, "ticket.tags", `["b","c"]`, "audit", "null")
	a := r.ok(`PUT /tickets/1 {"ticket":{"aditional_tags":["x"]}}`).want(t, "audit", "null")
	if !strings.Contains(string(a.out.Reply), `"ignored":["ticket[aditional_tags]"]`) {
		t.Errorf("the reply hides what was ignored: %s", a.out.Reply)
	}
}

// What a list does not look at stands in the reply's list of what was ignored.
func TestOddPagingIsNamed(t *testing.T) {
	r := newRig(t, plain)
	r.ok(`POST /tickets {"ticket":{"description":"d"}}`)
	for query, ignored := range map[string]string{
		"sort_by=nope":              `"ignored":["sort_by"]`,
		"sort_by=id&sort_order=up":  `"ignored":["sort_order"]`,
		"page=0":                    `"ignored":["page"]`,
		"page=-1&per_page=0":        `"ignored":["page","per_page"]`,
		"page%5Bsize%5D=0":          `"ignored":["page[size]"]`,
		"sort_by=status&per_page=2": `"status":200`,
	} {
		a := r.ok("GET /tickets?" + query)
		if !strings.Contains(string(a.out.Reply), ignored) {
			t.Errorf("%s: %s", query, a.out.Reply)
		}
	}
	a := r.ok("GET /search?query=d&sort_by=nope&per_page=0")
	if !strings.Contains(string(a.out.Reply), `"ignored":["per_page","sort_by"]`) {
		t.Errorf("search: %s", a.out.Reply)
	}
}

func TestCommentTexts(t *testing.T) {
	r := newRig(t, plain)
	for i, c := range []struct{ comment, body, html string }{
		{`"body":"<b>hi</b> & 1<2\nline"`, "<b>hi</b> & 1<2\nline", "&lt;b&gt;hi&lt;/b&gt; &amp; 1&lt;2<br>line"},
		{`"html_body":"<h2>hi</h2> &amp; <i>x</i>"`, "hi\n & x", "<h2>hi</h2> &amp; <i>x</i>"},
		{`"body":"plain","html_body":"<p>rich</p>"`, "rich", "<p>rich</p>"},
		{`"body":"b","plain_body":"p"`, "b", "b"},
	} {
		r.ok(`POST /tickets {"ticket":{"comment":{` + c.comment + `}}}`)
		a := r.ok(fmt.Sprintf("GET /tickets/%d/comments", i+1)).want(t, "comments.0.body", c.body, "comments.0.plain_body", c.body)
		if html := a.get("comments.0.html_body"); !strings.Contains(html, c.html) {
			t.Errorf("%s is shown as %s", c.comment, html)
		}
	}
}

// What is private stays private.
func TestPrivateNotes(t *testing.T) {
	r := newRig(t, plain)
	r.ok(`POST /tickets {"ticket":{"comment":{"body":"1","public":false}}}`).want(t, "ticket.is_public", "false")
	r.ok(`PUT /tickets/1 {"ticket":{"comment":{"body":"2"}}}`)
	if got := r.ok("GET /tickets/1/comments").each("comments", "public"); got != "false false" {
		t.Errorf("comments of a private ticket are %s", got)
	}
	r.ok(`POST /tickets {"ticket":{"comment":{"body":"1"}}}`)
	r.ok(`PUT /tickets/2 {"ticket":{"comment":{"body":"2"}}}`)
	r.ok(`PUT /tickets/2 {"ticket":{"comment":{"body":"3","public":false}}}`)
	r.ok(`PUT /tickets/2 {"ticket":{"comment":{"body":"4"}}}`)
	if got := r.ok("GET /tickets/2/comments").each("comments", "public"); got != "true true false true" {
		t.Errorf("comments of a public ticket are %s", got)
	}
	r.refused(`PUT /tickets/2 {"ticket":{"comment":{"body":"5","public":"false"}}}`, "422 must be of type boolean")
}

func TestPagingEnds(t *testing.T) {
	for _, n := range []int{5, 4, 0} {
		r := newRig(t, plain)
		for range n {
			r.ok(`POST /tickets {"ticket":{"description":"d"}}`)
		}
		ids := func(first, next string) (pages int, all string) {
			for at := first; at != "null" && at != ""; pages++ {
				a := r.ok("GET " + strings.TrimPrefix(at, origin))
				all += a.each("tickets", "id") + " "
				if at = a.get(next); !strings.HasPrefix(at, origin) && at != "null" {
					t.Fatalf("the link %s", at)
				}
			}
			return pages, strings.Join(strings.Fields(all), " ")
		}
		want := strings.TrimSpace("1 2 3 4 5"[:max(2*n-1, 0)])
		for _, way := range [][2]string{{"/tickets.json?per_page=2", "next_page"}, {"/tickets.json?page[size]=2&sort=id", "links.next"}} {
			if pages, all := ids(way[0], way[1]); pages != max((n+1)/2, 1) || all != want {
				t.Errorf("%d tickets by %s: %d pages of %q", n, way[0], pages, all)
			}
		}
		a := r.ok("GET /tickets?page[size]=2")
		for seen := 0; a.get("meta.has_more") == "true"; seen++ {
			if seen > n {
				t.Fatal("has_more never ends")
			}
			a = r.ok("GET /tickets?page[size]=2&page[after]=" + a.get("meta.after_cursor"))
		}
		if n == 5 {
			a.want(t, "tickets.0.id", "5", "links.next", "null", "meta.has_more", "false")
			r.ok("GET /tickets?page[size]=2&page[before]="+a.get("meta.before_cursor")).want(t, "tickets.0.id", "3", "tickets.1.id", "4")
		}
		if n == 0 {
			a.want(t, "meta.after_cursor", "null", "links.next", "null")
		}
	}
}

// A client sends the whole ticket back.
func TestWholeTicketSentBack(t *testing.T) {
	r := newRig(t, plain)
	r.ok(`POST /tickets {"ticket":{"subject":"s","description":"first"}}`)
	whole := string(r.ok("GET /tickets/1").Body)
	whole = strings.Replace(whole, `"priority":null`, `"priority":"urgent"`, 1)
	whole = strings.Replace(whole, `"description":"first"`, `"description":"other"`, 1)
	was := r.ok("GET /tickets/1")
	r.ok("PUT /tickets/1 "+whole).want(t, "ticket.priority", "urgent", "ticket.id", "1", "ticket.description", "first",
		"ticket.created_at", was.get("ticket.created_at"))
	r.ok("PUT /tickets/1 "+strings.Replace(whole, `"id":1,`, `"id":999,`, 1)).want(t, "ticket.id", "1", "audit", "null")
	r.refused("GET /tickets/999", "404 RecordNotFound")
	r.ok("GET /tickets/1/comments").want(t, "comments.0.body", "first", "comments.#", "1")
}
