package linear

import (
	"fmt"
	"slices"
	"strings"

	"github.com/anishathalye/porcupine"
)

// call is what was asked of a part.
type call struct {
	part string
	verb string // write, add, refund, create, read
	text string // of a write, a create
	n    int64  // of an add, a refund; of a part of refunds the whole charge
}

// outcome is what came of it.
type outcome struct {
	open    bool // never answered
	refused bool
	text    string // what was read; the id of what was made
	n       int64  // what was read
}

// state is a part as the model has it. It is a value, so that states can be compared.
type state struct {
	text string
	n    int64
	made bool
}

// kind is how a part behaves: whether a call can have had an outcome in a state, and
// the state after it.
type kind func(s state, c call, o outcome) (bool, state)

// kinds by name.
var kinds = map[string]kind{
	"register": register, "balance": counter, "comments": tally, "refunds": refunds, "key": once, "list": list,
}

// register keeps the last text that was written.
func register(s state, c call, o outcome) (bool, state) {
	if c.verb == "write" {
		return true, state{text: c.text}
	}
	return o.open || o.text == s.text, s
}

// counter adds up; an add answers the new sum.
func counter(s state, c call, o outcome) (bool, state) {
	if c.verb == "add" {
		s.n += c.n
	}
	return o.open || o.n == s.n, s
}

// tally counts; an add does not say how far.
func tally(s state, c call, o outcome) (bool, state) {
	if c.verb == "add" {
		s.n += c.n
		return true, s
	}
	return o.open || o.n == s.n, s
}

// refunds add up and never exceed their charge.
func refunds(s state, c call, o outcome) (bool, state) {
	if c.verb == "read" {
		return o.open || o.n == s.n, s
	}
	fits := s.n+c.n <= chargeAmount
	if !o.open && o.refused == fits {
		return false, s
	}
	if fits {
		s.n += c.n
	}
	return true, s
}

// chargeAmount is what each charge of a part of refunds is over.
const chargeAmount = 1000

// once is one idempotency key: its first use makes something, every other gets the
// same answer; a read counts what there is.
func once(s state, c call, o outcome) (bool, state) {
	if c.verb == "read" {
		there := int64(0)
		if s.made {
			there = 1
		}
		return o.open || o.n == there, s
	}
	s.made = true
	switch {
	case o.open:
		return true, s
	case s.text == "":
		s.text = o.text
		return true, s
	}
	return o.text == s.text, s
}

// list holds what was created, in the order of creation; a read shows all of it. What
// an open call made has no known id: it is any one that nobody else has made.
func list(s state, c call, o outcome) (bool, state) {
	if c.verb == "create" {
		name := o.text
		if o.open {
			name = "?"
		}
		s.text = strings.TrimPrefix(s.text+" "+name, " ")
		return true, s
	}
	want, got := strings.Fields(s.text), strings.Fields(o.text)
	if o.open {
		return true, s
	}
	if len(want) != len(got) {
		return false, s
	}
	for i := range want {
		if want[i] != got[i] && want[i] != "?" {
			return false, s
		}
	}
	return true, state{text: strings.Join(got, " ")}
}

// model is a kind as Porcupine wants it.
func model(k kind) porcupine.Model {
	return porcupine.Model{
		Partition: func(history []porcupine.Operation) (parts [][]porcupine.Operation) {
			at := map[string]int{}
			for _, op := range history {
				part := op.Input.(call).part
				if _, ok := at[part]; !ok {
					at[part] = len(parts)
					parts = append(parts, nil)
				}
				parts[at[part]] = append(parts[at[part]], op)
			}
			return parts
		},
		Init: func() any { return state{} },
		Step: func(s, input, output any) (bool, any) {
			return wrap(k(s.(state), input.(call), output.(outcome)))
		},
		DescribeOperation: func(input, output any) string {
			c, o := input.(call), output.(outcome)
			return fmt.Sprintf("%s %s %s%d → %s", c.part, c.verb, c.text, c.n, o)
		},
		DescribeState: func(s any) string { return fmt.Sprintf("%+v", s) },
	}
}

func wrap(ok bool, s state) (bool, any) { return ok, s }

// String says what came of a call.
func (o outcome) String() string {
	switch {
	case o.open:
		return "never answered"
	case o.refused:
		return "refused"
	}
	return fmt.Sprintf("%s%d", o.text, o.n)
}

// names are the kinds in a fixed order.
func names() (list []string) {
	for name := range kinds {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}
