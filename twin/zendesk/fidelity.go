package zendesk

import (
	"slices"
	"strings"

	"worlds/twin"
)

// judgement is what is known of routes: the first line whose path is the route's,
// or what the route's begins with when it ends in "*", counts. Paths are below the
// prefix.
type judgement struct {
	route   string // "METHOD /path", METHOD may be "*"
	tier    int64
	differs string
}

var judgements = [...]judgement{
	{"GET /users/me", 1, "without a credential it answers the anonymous user of no world; a wrong password is refused, where live answers that user too"},
	{"GET /users/search", 1, "an index of everything at once; matches words, not stems"},
	{"GET /users/show_many", 2, ""},
	{"GET /users/autocomplete", 2, ""},
	{"GET /users/{id}/tickets/*", 2, ""},
	{"* /users/{id}/*", 2, ""},
	{"GET /users*", 1, ""},
	{"DELETE /users/destroy_many", 3, "done at once"},
	{"* /users/*_many", 3, "done at once"},
	{"* /users*", 2, "no identities, no passwords; an agent makes end users, an admin everybody"},
	{"GET /tickets/recent", 2, "what changed last: reads leave no trace"},
	{"GET /tickets/count", 1, "exact at any number"},
	{"GET /tickets/{id}/comments*", 1, "no attachments"},
	{"PUT /tickets/{id}/comments/{comment}/redact", 2, "blots the words out of the audits too"},
	{"* /tickets/{id}/comments*", 2, ""},
	{"* /tickets/{id}/audits*", 1, "no notifications and no place or device in the metadata"},
	{"* /tickets/{id}/tags", 2, "POST adds, PUT replaces"},
	{"POST /tickets/{id}/merge", 2, "done at once"},
	{"GET /tickets/{id}/incidents", 2, ""},
	{"POST /tickets", 1, "no triggers run and nobody is notified; custom fields need not be declared"},
	{"PUT /tickets/{id}", 1, "no triggers run and nobody is notified; attachments are refused"},
	{"DELETE /tickets/{id}", 2, ""},
	{"* /tickets/*_many", 2, "done at once: the first look at the job finds it completed"},
	{"* /tickets*", 1, "a sideload that is not served is ignored and named in the request log"},
	{"* /deleted_tickets*", 2, "deleted tickets are kept for the world's whole life"},
	{"* /job_statuses*", 2, "kept for the world's whole life"},
	{"GET /search", 1, "an index of everything at once; matches words, not stems; relevance is the last change"},
	{"GET /search/*", 2, ""},
	{"* /incremental/*", 2, "until the present moment, and without the limit of ten a minute"},
	{"GET /organizations/autocomplete", 2, ""},
	{"GET /organizations*", 1, ""},
	{"* /organizations/*_many", 3, "done at once"},
	{"* /organizations*", 2, "users are not joined by their address's domain"},
	{"GET /groups*", 1, ""},
	{"* /groups*", 2, "tickets of a deleted group keep naming it"},
	{"* /group_memberships/*_many", 3, "done at once"},
	{"* /organization_memberships/*_many", 3, "done at once"},
	{"*", 2, ""},
}

// matches reports whether the judgement is about a route.
func (j judgement) matches(method, path string) bool {
	if j.route == "*" {
		return true
	}
	m, pattern, _ := strings.Cut(j.route, " ")
	if m != "*" && m != method {
		return false
	}
	begin, end, starred := strings.Cut(pattern, "*")
	if !starred {
		return path == pattern
	}
	return strings.HasPrefix(path, begin) && strings.HasSuffix(path, end)
}

// cover judges one route.
func cover(r *twin.Route, c *twin.Coverage) {
	path := strings.TrimPrefix(r.Pattern, prefix)
	for i := range judgements {
		if j := judgements[i]; j.matches(r.Method, path) {
			c.Tier, c.Differs = j.tier, j.differs
			break
		}
	}
	c.Proof = []string{"a strict JSON Schema of the answer"}
	if slices.Contains(proven[:], r.Method+" "+path) {
		c.Proof = append(c.Proof, "node-zendesk 6.0.1")
	}
}

// proven are the routes that the stock SDK's job takes.
var proven = [...]string{
	"GET /search", "GET /search/count", "GET /search/export", "GET /tickets", "POST /tickets", "GET /tickets/{id}", "PUT /tickets/{id}",
	"DELETE /tickets/{id}", "GET /tickets/show_many", "POST /tickets/create_many", "PUT /tickets/update_many", "POST /tickets/{id}/merge",
	"GET /tickets/{id}/comments", "GET /tickets/{id}/audits", "GET /tickets/{id}/audits/count", "POST /tickets/{id}/tags", "PUT /tickets/{id}/tags",
	"GET /users/{id}", "GET /users/me", "POST /users", "PUT /users/{id}", "GET /users/search", "GET /users/show_many", "POST /users/create_or_update",
	"GET /users/{id}/tickets/requested", "GET /organizations/{id}/tickets", "POST /organizations", "PUT /organizations/{id}", "GET /organizations",
	"POST /groups", "GET /groups", "POST /group_memberships", "GET /users/{id}/group_memberships", "PUT /users/{id}/group_memberships/{membership}/make_default",
	"GET /job_statuses/{id}", "GET /incremental/tickets", "GET /tags",
}

// lacks lists, area by area, what Zendesk has and the catalog does not touch.
func lacks(c *twin.Catalog) []string {
	served := map[string]bool{}
	for _, r := range c.Routes() {
		area, _, _ := strings.Cut(strings.TrimPrefix(r.Pattern, prefix+"/"), "/")
		served[area] = true
	}
	var out []string
	for _, area := range areas {
		if !served[area] {
			out = append(out, "* "+prefix+"/"+area)
		}
	}
	return out
}
