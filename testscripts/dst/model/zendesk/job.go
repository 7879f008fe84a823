package zendesk

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"worlds/testscripts/dst/model"
)

// tooMany refuses a list of records that is too long.
var tooMany = &refusal{status: 400, name: "TooManyIds"}

// job keeps a bulk job, which is done at once, and answers that it is queued.
func (c *call) job(kind string, total int, results []model.Value) (int, model.Value, *refusal) {
	n, jobID := c.mint(kindJob)
	queued := model.Obj("id", jobID, "job_type", kind, "message", nil, "progress", nil, "results", nil, "status", "queued",
		"total", total, "url", link("job_statuses", jobID))
	c.jobs = append(c.jobs, &record{n, jobID, queued.With("status", "completed", "progress", total, "results", results,
		"message", "Completed at "+time.Unix(c.now, 0).UTC().Format(time.RFC3339))})
	return 200, model.Obj("job_status", queued), nil
}

// result is what became of one record of a job; subject is its id, "" if it has none.
func result(index int, action, done, subject string, refused *refusal) model.Value {
	v := model.Obj("action", action, "index", index)
	if subject != "" {
		v = v.With("id", id(subject))
	}
	if refused != nil {
		return v.With("success", false, "error", refused.name, "details", model.Any)
	}
	return v.With("success", true, "status", done)
}

// isListed reports what can be a record's number: one above 0, or the model's name for it.
func isListed(text string) bool {
	n, err := strconv.ParseInt(text, 10, 64)
	return strings.ContainsAny(text, "123456789") && (err != nil || strconv.FormatInt(n, 10) == text && n > 0)
}

// ids are the records that a query names.
func (c *call) ids() ([]string, *refusal) {
	list := strings.Split(c.param("ids"), ",")
	switch {
	case c.param("ids") == "":
		return nil, &refusal{status: 400, name: "Invalid attribute"}
	case len(list) > maxPage:
		return nil, tooMany
	}
	for i, text := range list {
		if !isListed(strings.TrimSpace(text)) {
			return nil, &refusal{status: 400, name: "Invalid attribute"}
		}
		list[i] = c.symbol(kindTicket, text)
	}
	return list, nil
}

func (c *call) createTickets() (int, model.Value, *refusal) {
	list := c.body.Get("tickets")
	if list.Kind != model.Array {
		return 0, list, &refusal{status: 400, name: "Invalid attribute"}
	}
	if len(list.List) > maxPage {
		return 0, list, tooMany
	}
	var results []model.Value
	for i, p := range list.List {
		t, _, refused := c.makeTicket(p, c.caller)
		made := ""
		if refused == nil {
			made = t.id
		}
		results = append(results, result(i, "create", "Created", made, refused))
	}
	return c.job("Bulk Create Ticket", len(results), results)
}

func (c *call) updateTickets() (int, model.Value, *refusal) {
	var changes []model.Value
	var ids []string
	if c.param("ids") != "" {
		p, refused := c.wrapped("ticket")
		if refused != nil {
			return 0, p, refused
		}
		if ids, refused = c.ids(); refused != nil {
			return 0, p, refused
		}
		for range ids {
			changes = append(changes, p)
		}
	} else {
		list := c.body.Get("tickets")
		if list.Kind != model.Array {
			return 0, list, &refusal{status: 400, name: "Invalid attribute"}
		}
		if changes = list.List; len(changes) > maxPage {
			return 0, list, tooMany
		}
		for _, p := range changes {
			ids = append(ids, c.ref(kindTicket, p.Get("id")))
		}
	}
	var results []model.Value
	for i, p := range changes {
		refused := notFound
		if t := c.ticket(ids[i]); t != nil {
			_, refused = c.updateTicket(t, c.bulkTags(t, p), c.caller)
		}
		results = append(results, result(i, "update", "Updated", ids[i], refused))
	}
	return c.job("Bulk Update Ticket", len(results), results)
}

// bulkTags turns additional_tags and remove_tags into tags.
func (c *call) bulkTags(t *ticket, p model.Value) model.Value {
	more, less := p.Get("additional_tags"), p.Get("remove_tags")
	if more.Kind != model.Array && less.Kind != model.Array {
		return p
	}
	tags := t.get("tags")
	if v := p.Get("tags"); v.Kind == model.Array {
		tags = v
	}
	tags = tagsOf(append(words(tags), words(more)...))
	return p.With("tags", tagsOf(without(tags, words(less))))
}

func (c *call) deleteTickets() (int, model.Value, *refusal) {
	ids, refused := c.ids()
	if refused != nil {
		return 0, model.Value{}, refused
	}
	var results []model.Value
	for i, one := range ids {
		t, why := c.ticket(one), notFound
		if t != nil {
			why = nil
			c.remove(t)
		}
		results = append(results, result(i, "delete", "Deleted", one, why))
	}
	return c.job("Bulk Delete Ticket", len(results), results)
}

// merge closes tickets into another one: all or none of them.
func (c *call) merge(target *ticket) (int, model.Value, *refusal) {
	list := c.body.Get("ids")
	switch {
	case list.Kind != model.Array:
		return 0, list, &refusal{status: 400, name: "Invalid attribute"}
	case len(list.List) == 0:
		return 0, list, &refusal{status: 400, name: "Invalid attribute"}
	case len(list.List) > maxPage:
		return 0, list, tooMany
	}
	if target.text("status") == "closed" {
		return 0, list, faults{{faultClosed, ""}}.refusal()
	}
	var sources []*ticket
	var refused *refusal
	for _, v := range list.List {
		s := c.ticketByRef(v)
		if s == nil || s == target || s.text("status") == "closed" || slices.Contains(sources, s) {
			refused = faults{{"ids", invalid}}.refusal()
			break
		}
		sources = append(sources, s)
	}
	if refused == nil {
		c.mergeAll(target, sources)
	}
	return c.job("Ticket Merge", 1, []model.Value{result(0, "merge", "Merged", target.id, refused).With("index", model.Free)})
}

func (c *call) mergeAll(target *ticket, sources []*ticket) {
	into := c.body.Get("source_comment").Text
	for _, s := range sources {
		words := said{model.Any, model.Any, true}
		if into != "" {
			words = text(model.Obj("comment", model.Obj("body", into)))
		}
		old := s.v
		s.set("status", "closed", "tags", tagsOf(append(wordsOf(s), "closed_by_merge")))
		s.solved = 0
		c.audit(s, old, c.caller.id, "api", &newComment{c.caller, words, c.body.Get("source_comment_is_public").Kind == model.True, ""})
	}
	words := said{model.Any, model.Any, true}
	if said := c.body.Get("target_comment").Text; said != "" {
		words = text(model.Obj("comment", model.Obj("body", said)))
	}
	public, old := c.body.Get("target_comment_is_public").Kind == model.True, target.v
	if public && c.caller.id == target.text("requester_id") && waits(target) {
		target.set("status", "open")
		c.settle(target, old.Get("status").Text)
	}
	c.audit(target, old, c.caller.id, "api", &newComment{c.caller, words, public, ""})
}

func wordsOf(t *ticket) []string { return words(t.get("tags")) }

func (c *call) listJobs() (int, model.Value, *refusal) { return c.list("job_statuses", c.jobs) }

func (c *call) showJob() (int, model.Value, *refusal) {
	j := find(c.jobs, c.arg(0, kindJob))
	if j == nil {
		return 0, model.Value{}, notFound
	}
	return 200, shown("job_status", j), nil
}
