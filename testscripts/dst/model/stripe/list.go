package stripe

import (
	"slices"
	"strconv"

	"worlds/testscripts/dst/model"
)

// Parameters of every list.
const paging = " limit:p ending_before:s starting_after:s"

// list is a page of a table: the objects that a test holds for, newest first.
func list[T any](c *call, t *table[T], url string, holds func(*T) bool) model.Value {
	return page(c, t.order, url, func(id string) bool { return holds(t.rows[id]) }, t.value)
}

// cursorsHold refuses cursors that a list of its own hides, as if they were not there.
func (c *call) cursorsHold(holds func(id string) bool) {
	for _, name := range []string{"starting_after", "ending_before"} {
		c.unless(!c.has(name) || holds(c.str(name)), missingRef(name))
	}
}

// page cuts a page out of ids that stand oldest first.
func page(c *call, order []string, url string, holds func(string) bool, body func(string) model.Value) model.Value {
	limit := c.num(10, "limit")
	c.unlessEarly(limit <= 100, badInteger("limit"))
	cursor := func(name string) (at int) {
		if !c.has(name) {
			return -1
		}
		at = slices.Index(order, c.str(name))
		c.unless(at >= 0, missingRef(name))
		return at
	}
	after, before := cursor("starting_after"), cursor("ending_before")
	c.unless(after < 0 || before < 0, invalid("", ""))
	data, more := []model.Value{}, false
	if before >= 0 { // towards the newest, nearest first, then turned round
		for i := before + 1; i < len(order); i++ {
			if !holds(order[i]) {
				continue
			}
			if more = int64(len(data)) == limit; more {
				break
			}
			data = append(data, body(order[i]))
		}
		slices.Reverse(data)
	} else {
		if after < 0 {
			after = len(order)
		}
		for i := after - 1; i >= 0; i-- {
			if !holds(order[i]) {
				continue
			}
			if more = int64(len(data)) == limit; more {
				break
			}
			data = append(data, body(order[i]))
		}
	}
	return model.Obj("object", "list", "data", data, "has_more", more, "url", url)
}

// all is a list within an object, whole.
func all(url string, data []model.Value) model.Value {
	return model.Obj("object", "list", "data", data, "has_more", false, "total_count", len(data), "url", url)
}

// within reports whether a moment lies in the range that was asked for.
func (c *call) within(at int64, name string) bool {
	n := c.at(name)
	if n == nil {
		return true
	}
	if at == 0 { // there is no date
		return false
	}
	if n.leaf {
		return n.text == strconv.FormatInt(at, 10)
	}
	for word, part := range n.parts {
		bound, _ := strconv.ParseInt(part.text, 10, 64)
		if word == "gt" && at <= bound || word == "gte" && at < bound || word == "lt" && at >= bound || word == "lte" && at > bound {
			return false
		}
	}
	return true
}

// same reports whether a filter was not sent or has this value.
func (c *call) same(value, name string) bool { return !c.has(name) || c.str(name) == value }
