package zendesk

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"worlds/testscripts/dst/model"
)

// page is what the last Do listed, for the tokens in its answer.
type page struct {
	list        string
	first, last cursor
}

// cursor is a place in a list.
type cursor struct {
	key string // what it was sorted by, "" for the id alone
	n   int
}

// learn keeps the tokens that an answer gave out. The same token may stand for
// another place in another list.
func (p *page) learn(known map[string]cursor, got model.Value) {
	if token := got.Get("meta").Get("after_cursor").Text; token != "" {
		known[p.list+" "+token] = p.last
	}
	if token := got.Get("meta").Get("before_cursor").Text; token != "" {
		known[p.list+" "+token] = p.first
	}
}

// maxPage is the most that one page holds.
const maxPage = 100

// list answers a list: by cursor if page[size] is given, by offset otherwise.
func (c *call) list(name string, rows []*record) (int, model.Value, *refusal) {
	if size := c.param("page[size]"); size != "" {
		return c.byCursor(name, rows, size)
	}
	by, down := "id", false
	if s := c.param("sort_by"); sortable(s) {
		by, down = s, c.param("sort_order") == "desc"
	} else if s == "" && name == "comments" {
		down = c.param("sort_order") == "desc"
	}
	rows = sorted(rows, by, down)
	size, at := positive(c.param("per_page"), maxPage), positive(c.param("page"), 1)
	if size = min(size, maxPage); size*at > 10000 {
		return 0, model.Value{}, &refusal{status: 400, name: "InvalidPaginationDepth"}
	}
	from := min((at-1)*size, len(rows))
	to := min(from+size, len(rows))
	next, previous := model.Nil, model.Nil
	if to < len(rows) {
		next = model.Any
	}
	if at > 1 {
		previous = model.Any
	}
	return 200, model.Obj(name, values(rows[from:to]), "count", len(rows), "next_page", next, "previous_page", previous), nil
}

// positive reads a number from 1 up.
func positive(text string, otherwise int) int {
	if n, err := strconv.Atoi(text); err == nil && n > 0 {
		return n
	}
	return otherwise
}

func (c *call) byCursor(name string, rows []*record, size string) (int, model.Value, *refusal) {
	column, down := strings.CutPrefix(c.param("sort"), "-")
	if column == "" {
		column = "id"
	}
	if !slices.Contains([]string{"id", "updated_at", "status"}, column) {
		return 0, model.Value{}, &refusal{status: 400, name: "InvalidPaginationParameter"}
	}
	rows = sorted(rows, column, down)
	from, to := 0, len(rows)
	n := min(positive(size, maxPage), maxPage)
	after, before := c.param("page[after]"), c.param("page[before]")
	place, ok := c.cursors[c.listName(column, down)+" "+after+before]
	if after+before != "" && !ok {
		return 0, model.Value{}, &refusal{status: 400, name: "InvalidPaginationParameter"}
	}
	direction := 1
	if down {
		direction = -1
	}
	more := false
	switch {
	case before != "":
		for to > 0 && direction*compare(rows[to-1], column, place) >= 0 {
			to--
		}
		from = max(0, to-n)
		more = from > 0
	default:
		for after != "" && from < to && direction*compare(rows[from], column, place) <= 0 {
			from++
		}
		to = min(to, from+n)
		more = to < len(rows)
	}
	return 200, c.cursorPage(name, rows[from:to], column, down, more, from > 0, to < len(rows)), nil
}

func (c *call) cursorPage(name string, rows []*record, column string, down, more, back, on bool) model.Value {
	first, last, next, prev := model.Nil, model.Nil, model.Nil, model.Nil
	if len(rows) > 0 {
		first, last = model.Any, model.Any
		c.page = &page{c.listName(column, down), placeOf(rows[0], column), placeOf(rows[len(rows)-1], column)}
	}
	if on && len(rows) > 0 {
		next = model.Any
	}
	if back && len(rows) > 0 {
		prev = model.Any
	}
	return model.Obj(name, values(rows), "meta", model.Obj("has_more", more, "after_cursor", last, "before_cursor", first),
		"links", model.Obj("next", next, "prev", prev))
}

// listName names a list in one order.
func (c *call) listName(column string, down bool) string {
	return fmt.Sprintf("%s %s %v", strings.TrimSuffix(c.op.Path, ".json"), column, down)
}

func placeOf(r *record, column string) cursor { return cursor{key(r, column), r.n} }

// key is what a record is sorted by, as a text that sorts so.
func key(r *record, column string) string {
	if column == "id" {
		return ""
	}
	text := r.text(column)
	for _, ranks := range [][]string{enums["status"], enums["priority"]} {
		if at := slices.Index(ranks, text); at >= 0 && (column == "status" || column == "priority") {
			return strconv.Itoa(at + 1)
		}
	}
	return text
}

func compare(r *record, column string, place cursor) int {
	return cmp.Or(strings.Compare(key(r, column), place.key), r.n-place.n)
}

func sortable(by string) bool {
	return slices.Contains([]string{"id", "created_at", "updated_at", "status", "priority"}, by)
}

func sorted(rows []*record, by string, down bool) []*record {
	rows = slices.Clone(rows)
	slices.SortFunc(rows, func(a, b *record) int { return compare(a, by, placeOf(b, by)) })
	if down {
		slices.Reverse(rows)
	}
	return rows
}

// some are the rows that a test holds for.
func some(rows []*record, holds func(*record) bool) []*record {
	return slices.DeleteFunc(slices.Clone(rows), func(r *record) bool { return !holds(r) })
}

// count is the answer to a count.
func (c *call) count(n int) (int, model.Value, *refusal) {
	return 200, model.Obj("count", model.Obj("value", n, "refreshed_at", stamp(c.now))), nil
}
