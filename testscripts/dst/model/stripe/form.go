package stripe

import (
	"slices"
	"sort"
	"strconv"
	"strings"

	"worlds/testscripts/dst/model"
)

// node is one parameter as it was sent: a text, or parts by key.
type node struct {
	text  string
	leaf  bool
	parts map[string]*node
	order []string
}

// readForm makes the tree that names with brackets mean. ok is false for forms that
// the model has no opinion of: a name that is both a text and an object, say.
func readForm(pairs []model.Pair, symbol func(string) string) (root *node, ok bool) {
	root = &node{}
	appended := map[*node]int{}
	for _, p := range pairs {
		path, fine := splitName(p.Name)
		if !fine {
			return nil, false
		}
		at := root
		for i, key := range path {
			if key == "" { // the next element, or the one in hand if it lacks what comes
				n := appended[at]
				if n == 0 || i == len(path)-1 || at.parts[strconv.Itoa(n-1)].has(path[i+1:]) {
					n++
					appended[at] = n
				}
				key = strconv.Itoa(n - 1)
			}
			if at.leaf {
				return nil, false
			}
			next := at.parts[key]
			if next == nil {
				next = &node{}
				if at.parts == nil {
					at.parts = map[string]*node{}
				}
				at.parts[key] = next
				at.order = append(at.order, key)
			}
			at = next
		}
		if at.leaf || at.parts != nil {
			return nil, false
		}
		at.leaf, at.text = true, symbol(p.Value)
	}
	return root, true
}

func (n *node) has(path []string) bool {
	for _, key := range path {
		if n == nil || key == "" {
			return false
		}
		n = n.parts[key]
	}
	return n != nil
}

// splitName splits a[b][0] into a, b, 0.
func splitName(name string) (path []string, ok bool) {
	first, rest, nested := strings.Cut(name, "[")
	path = []string{first}
	for nested {
		key, after, closed := strings.Cut(rest, "]")
		if !closed {
			return nil, false
		}
		path = append(path, key)
		if after == "" {
			break
		}
		if rest, nested = strings.CutPrefix(after, "["); !nested {
			return nil, false
		}
	}
	return path, first != "" && !strings.Contains(first, "]")
}

// elements are the parts of a list, by number. ok is false if they are not numbered.
func (n *node) elements() (list []*node, ok bool) {
	numbers := make([]int, 0, len(n.order))
	for _, key := range n.order {
		i, err := strconv.Atoi(key)
		if err != nil || i < 0 {
			return nil, false
		}
		numbers = append(numbers, i)
	}
	sort.Ints(numbers)
	for _, i := range numbers {
		list = append(list, n.parts[strconv.Itoa(i)])
	}
	return list, len(list) == len(n.parts)
}

// canonical is a spelling that does not depend on the order in which the
// parameters were sent.
func (n *node) canonical(b *strings.Builder) {
	if n.leaf {
		b.WriteString(strconv.Quote(n.text))
		return
	}
	b.WriteByte('{')
	for _, key := range slices.Sorted(slices.Values(n.order)) {
		b.WriteString(strconv.Quote(key))
		n.parts[key].canonical(b)
	}
	b.WriteByte('}')
}
