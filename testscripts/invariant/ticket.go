package invariant

import (
	"worlds/journal/canon"
)

// audited are the members of a ticket whose change an audit tells of.
var audited = [...]string{
	"status", "priority", "type", "subject", "assignee_id", "group_id", "organization_id", "requester_id", "tags", "problem_id", "external_id",
}

// tickets checks that each change of a ticket has an audit in its entry.
func (c *Checker) tickets() {
	var told map[string]bool
	for _, r := range c.step.changed {
		if r.table != "zendesk.ticket" || !r.there() {
			continue
		}
		if told == nil {
			told = c.told()
		}
		switch {
		case !r.was.there():
			if !told[r.id] {
				c.failRow("ticket.audit-per-change", r, "no audit tells how it was made")
			}
		case text(r.body, "status") == "deleted" || text(r.was.body, "status") == "deleted":
		default:
			if name := changedMember(r); name != "" && !told[r.id] {
				c.failRow("ticket.audit-per-change", r, "no audit tells of its %s", name)
			}
			if text(r.was.body, "status") == "closed" {
				if name := changedMember(r); name != "" {
					c.failRow("ticket.closed-final", r, "it is closed, and its %s changes", name)
				}
			}
		}
	}
}

func changedMember(r *row) string {
	for _, name := range audited {
		if !equal(member(r.was.body, name), member(r.body, name)) {
			return name
		}
	}
	return ""
}

// told are the tickets that new audits of the entry are about.
func (c *Checker) told() map[string]bool {
	out := map[string]bool{}
	for _, r := range c.step.changed {
		if r.table == "zendesk.audit" && !r.was.there() && r.there() {
			n, _ := canon.Int(member(r.body, "ticket_id"))
			out[string(canon.AppendInt(nil, n))] = true
		}
	}
	return out
}
