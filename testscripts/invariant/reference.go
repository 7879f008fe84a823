package invariant

import (
	"sort"
	"strings"

	"worlds/journal/canon"
)

// graph lists the members of stored objects that name other objects: for each
// table, the path of a member ([] goes into a list) and the tables one of which has
// the object. Ids of 0 name nothing.
var graph = map[string][]string{
	"stripe.balance_transaction": {"source stripe.charge stripe.refund stripe.dispute"},
	"stripe.charge": {
		"balance_transaction stripe.balance_transaction", "customer stripe.customer", "payment_intent stripe.payment_intent",
		"payment_method stripe.payment_method stripe.spent_payment_method", "source.id stripe.payment_method stripe.spent_payment_method",
		"failure_balance_transaction stripe.balance_transaction",
	},
	"stripe.credit_note": {
		"customer stripe.customer", "customer_balance_transaction stripe.customer_balance_transaction", "invoice stripe.invoice",
		"refunds[].refund stripe.refund",
	},
	"stripe.customer": {
		"invoice_settings.default_payment_method stripe.payment_method", "default_source stripe.payment_method",
	},
	"stripe.customer_balance_transaction": {
		"credit_note stripe.credit_note", "customer stripe.customer", "invoice stripe.invoice",
	},
	"stripe.deadline": {"of stripe.refund stripe.subscription stripe.invoice stripe.charge stripe.dispute stripe.test_clock stripe.payment_intent"},
	"stripe.discount": {
		"customer stripe.customer", "promotion_code stripe.promotion_code", "source.coupon stripe.coupon stripe.coupon_deleted",
		"subscription stripe.subscription",
	},
	"stripe.dispute": {
		"balance_transactions[].id stripe.balance_transaction", "charge stripe.charge", "payment_intent stripe.payment_intent",
	},
	"stripe.invoice": {
		"customer stripe.customer", "discounts[] stripe.discount", "default_payment_method stripe.payment_method",
		"lines.data[].invoice stripe.invoice", "lines.data[].pricing.price_details.price stripe.price",
		"lines.data[].pricing.price_details.product stripe.product", "lines.data[].subscription stripe.subscription",
		"lines.data[].parent.invoice_item_details.invoice_item stripe.invoice_item",
		"lines.data[].parent.invoice_item_details.subscription stripe.subscription",
		"lines.data[].parent.subscription_item_details.subscription stripe.subscription",
		"lines.data[].discount_amounts[].discount stripe.discount", "lines.data[].discounts[] stripe.discount",
		"parent.subscription_details.subscription stripe.subscription", "total_discount_amounts[].discount stripe.discount",
	},
	"stripe.invoice_item": {
		"customer stripe.customer", "discounts[] stripe.discount", "parent.subscription_details.subscription stripe.subscription",
		"pricing.price_details.price stripe.price", "pricing.price_details.product stripe.product",
	},
	"stripe.line": {
		"invoice stripe.invoice", "pricing.price_details.price stripe.price", "pricing.price_details.product stripe.product",
		"parent.invoice_item_details.invoice_item stripe.invoice_item", "subscription stripe.subscription",
		"parent.subscription_item_details.subscription stripe.subscription",
	},
	"stripe.invoice_payment": {"invoice stripe.invoice", "payment.payment_intent stripe.payment_intent"},
	"stripe.payment_intent": {
		"customer stripe.customer", "latest_charge stripe.charge", "last_payment_error.charge stripe.charge",
		"payment_method stripe.payment_method stripe.spent_payment_method",
	},
	"stripe.payment_link_items": {"id stripe.payment_link", "items[].price stripe.price"},
	"stripe.payment_method":     {"customer stripe.customer"},
	"stripe.price":              {"product stripe.product"},
	"stripe.promotion_code":     {"promotion.coupon stripe.coupon stripe.coupon_deleted", "customer stripe.customer"},
	"stripe.refund": {
		"balance_transaction stripe.balance_transaction", "charge stripe.charge", "payment_intent stripe.payment_intent",
		"failure_balance_transaction stripe.balance_transaction", "customer stripe.customer",
		"payment_method stripe.payment_method stripe.spent_payment_method",
	},
	"stripe.tax_id":       {"customer stripe.customer"},
	"stripe.setup_intent": {"customer stripe.customer", "payment_method stripe.payment_method stripe.spent_payment_method"},
	"stripe.subscription": {
		"customer stripe.customer", "default_payment_method stripe.payment_method", "latest_invoice stripe.invoice",
		"items.data[].price.id stripe.price", "items.data[].price.product stripe.product", "items.data[].plan.id stripe.price",
		"items.data[].plan.product stripe.product", "items.data[].subscription stripe.subscription",
		"plan.id stripe.price", "plan.product stripe.product", "discounts[] stripe.discount",
	},
	"zendesk.account": {"close_author_id zendesk.user", "principal_id zendesk.user"},
	"zendesk.audit": {
		"author_id zendesk.user", "ticket_id zendesk.ticket", "events[].audit_id zendesk.audit", "events[].author_id zendesk.user",
		"events[].comment_id zendesk.comment",
	},
	"zendesk.comment":          {"audit_id zendesk.audit", "author_id zendesk.user"},
	"zendesk.group_membership": {"group_id zendesk.group", "user_id zendesk.user"},
	"zendesk.life":             {"id zendesk.ticket", "deleted_by zendesk.user", "followup_source_id zendesk.ticket"},
	"zendesk.organization":     {"group_id zendesk.group"},
	"zendesk.organization_membership": {
		"organization_id zendesk.organization", "user_id zendesk.user",
	},
	"zendesk.ticket": { // one keeps the organization that it was raised for, deleted or not
		"assignee_id zendesk.user", "group_id zendesk.group", "requester_id zendesk.user",
		"submitter_id zendesk.user", "problem_id zendesk.ticket", "collaborator_ids[] zendesk.user", "email_cc_ids[] zendesk.user",
		"follower_ids[] zendesk.user", "followup_ids[] zendesk.ticket",
	},
	"zendesk.user": {"organization_id zendesk.organization", "default_group_id zendesk.group"},
}

// branch is one step of the paths of a table, in a tree.
type branch struct {
	name   string
	list   bool // the member is a list: the rest is of each element
	tables []string
	below  []*branch
}

// trees are the graph, by table, as trees that one walk over an object follows.
var trees = plant()

func plant() map[string]*branch {
	out := map[string]*branch{}
	for table, refs := range graph {
		root := &branch{}
		for _, ref := range refs {
			words := strings.Fields(ref)
			at := root
			for _, name := range strings.Split(words[0], ".") {
				plain, list := strings.CutSuffix(name, "[]")
				at = at.child(plain, list)
			}
			at.tables = words[1:]
		}
		out[table] = root
	}
	return out
}

func (b *branch) child(name string, list bool) *branch {
	for _, c := range b.below {
		if c.name == name {
			return c
		}
	}
	c := &branch{name: name, list: list}
	b.below = append(b.below, c)
	return c
}

// walk yields the references within a value.
func (b *branch) walk(v canon.Raw, path string, yield func(path, id string, tables []string)) {
	if isNull(v) {
		return
	}
	if b.list {
		element := branch{name: b.name, tables: b.tables, below: b.below}
		for e := range canon.Elements(v) {
			element.walk(e, path, yield)
		}
		return
	}
	if b.tables != nil {
		id, ok := canon.Unquote(v)
		if !ok {
			id = string(v)
		}
		if id != "" && id != "0" && v[0] != '{' {
			yield(path, id, b.tables)
		}
	}
	for _, c := range b.below {
		w, _ := canon.Get(v, c.name)
		c.walk(w, path+"."+c.name, yield)
	}
}

// references checks that what the changed rows name is there, and that nothing
// names what is gone.
func (c *Checker) references() {
	gone := map[string]bool{}
	for _, r := range c.step.changed {
		if c.fold.last(r.table, r.id) != r {
			continue
		}
		if r.there() {
			c.resolve(r)
		} else {
			gone[r.table] = true
		}
	}
	if len(gone) == 0 {
		return
	}
	tables := make([]string, 0, len(graph))
	for table := range graph {
		tables = append(tables, table)
	}
	sort.Strings(tables)
	for _, table := range tables {
		if namesOne(table, gone) {
			for _, r := range c.fold.rows(table) {
				if r.seq != c.seq {
					c.resolve(r)
				}
			}
		}
	}
}

func namesOne(table string, gone map[string]bool) bool {
	for _, ref := range graph[table] {
		for _, target := range strings.Fields(ref)[1:] {
			if gone[target] {
				return true
			}
		}
	}
	return false
}

// resolve checks the references of one row.
func (c *Checker) resolve(r *row) {
	tree := trees[r.table]
	if tree == nil {
		return
	}
	tree.walk(r.body, "", func(path, id string, tables []string) {
		for _, table := range tables {
			if c.fold.get(table, id) != nil {
				return
			}
		}
		if !c.mayBeGone(r, path) {
			c.failRow("rows.refs-resolve", r, "%s %s is not there", path[1:], id)
		}
	})
}

// mayBeGone are references that outlive what they name: what shows an invoice that
// was paid keeps its instrument, and a ticket its old company.
func (c *Checker) mayBeGone(r *row, path string) bool {
	return r.table == "stripe.invoice" && path == ".default_payment_method" && text(r.body, "status") != "draft"
}

// unique checks what only one object can hold.
func (c *Checker) unique() {
	for _, r := range c.step.changed {
		if r.was.there() && r.was.seq != r.seq || !r.there() {
			for _, k := range holds(r.was) {
				if c.owners[k] == r.id {
					delete(c.owners, k)
				}
			}
		}
	}
	for _, r := range c.step.changed {
		if c.fold.last(r.table, r.id) != r {
			continue
		}
		for _, k := range holds(r) {
			if other := c.owners[k]; other != "" && other != r.id {
				c.failRow("rows.unique", r, "%s is %s's", k, other)
			}
			c.owners[k] = r.id
		}
	}
}

// holds lists what a row holds that no other row may, as texts that name it.
func holds(r *row) []string {
	if !r.there() {
		return nil
	}
	switch r.table {
	case "stripe.invoice":
		if n := text(r.body, "number"); n != "" {
			return []string{"invoice number " + n}
		}
	case "stripe.subscription":
		var out []string
		for item := range canon.Elements(member(r.body, "items", "data")) {
			out = append(out, "item "+text(item, "id"))
		}
		return out
	case "zendesk.user":
		if email := text(r.body, "email"); email != "" && string(member(r.body, "active")) == "true" {
			return []string{"address " + strings.ToLower(email)}
		}
	case "zendesk.group_membership":
		return memberOf(r, "group_id")
	case "zendesk.organization_membership":
		return memberOf(r, "organization_id")
	case "zendesk.group":
		if string(member(r.body, "default")) == "true" && string(member(r.body, "deleted")) != "true" {
			return []string{"being the default group"}
		}
	}
	return nil
}

func memberOf(r *row, of string) []string {
	out := []string{"membership of user " + string(member(r.body, "user_id")) + " in " + of + " " + string(member(r.body, of))}
	if string(member(r.body, "default")) == "true" {
		out = append(out, "default "+of+" of user "+string(member(r.body, "user_id")))
	}
	return out
}
