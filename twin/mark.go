package twin

import (
	"fmt"

	"worlds/journal/canon"
	"worlds/projection"
)

// markArgs are the arguments of the mark operation.
type markArgs struct {
	Name string `json:"name"`
}

// MarkArgs returns the arguments of the operation "mark".
func MarkArgs(name string) canon.Raw { return canon.Marshal(&markArgs{Name: name}) }

// mark names the entry that carries it. A name is used once a world.
func mark(tx *Tx, args canon.Raw) (canon.Raw, error) {
	var a markArgs
	if err := canon.Unmarshal(args, &a); err != nil {
		return nil, &Refusal{Code: "invalid-arguments", Text: err.Error()}
	}
	if err := checkMarkName(a.Name); err != nil {
		return nil, err
	}
	if tx.st.Mark(a.Name) != nil {
		return nil, &Refusal{Code: "mark-exists", Text: fmt.Sprintf("there is a mark %q already", a.Name)}
	}
	tx.record(&projection.Mark{Name: a.Name})
	body := append(canon.AppendString([]byte(`{"name":`), a.Name), `,"seq":`...)
	return append(canon.AppendInt(body, int64(tx.seq)), '}'), nil
}

// checkMarkName refuses names that could be taken for a sequence number.
func checkMarkName(name string) error {
	switch {
	case name == "" || len(name) > MarkNameMax:
		return &Refusal{Code: "invalid-mark", Text: fmt.Sprintf("a mark's name has 1 to %d bytes", MarkNameMax)}
	case name[0] >= '0' && name[0] <= '9' || name[0] == '#':
		return &Refusal{Code: "invalid-mark", Text: "a mark's name does not begin with a digit or #"}
	}
	for _, c := range name {
		if c <= ' ' || c == 0x7f {
			return &Refusal{Code: "invalid-mark", Text: "a mark's name has no spaces or control characters"}
		}
	}
	return nil
}
