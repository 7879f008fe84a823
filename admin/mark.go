package admin

import (
	"net/http"

	"worlds/journal/canon"
	"worlds/twin"
	"worlds/twin/world"
)

type addMarkRequest struct {
	Name string `json:"name"`
}

// MarkInfo is a named position.
type MarkInfo struct {
	Name string `json:"name"`
	Seq  int64  `json:"seq"`
}

type markList struct {
	Marks []MarkInfo `json:"marks"`
}

func addMark(c *call) error {
	var req addMarkRequest
	if err := body(c, &req); err != nil {
		return err
	}
	answer, err := c.operate("mark", twin.MarkArgs(req.Name))
	if err != nil {
		return blamed(err, "$.name", "invalid-mark", "mark-exists")
	}
	return c.raw(http.StatusCreated, answer.Body)
}

// operate executes an admin operation on the call's world; a refusal is an error.
func (c *call) operate(op string, args canon.Raw) (*world.Answer, error) {
	return c.operateWith(world.Request{Command: operation(op, args)})
}

// operation is the command of an admin operation.
func operation(op string, args canon.Raw) twin.Command {
	return twin.Command{Actor: "admin", API: "admin", Op: op, Args: args}
}

func (c *call) operateWith(req world.Request) (*world.Answer, error) {
	answer, err := c.world.Do(c.r.Context(), req)
	if err != nil {
		return nil, err
	}
	if answer.Status == http.StatusOK {
		return answer, nil
	}
	return nil, refusalOf(answer)
}

// refusalOf reads the answer of an operation that was refused.
func refusalOf(answer *world.Answer) error {
	var r refusalBody
	if err := canon.Unmarshal(answer.Body, &r); err != nil {
		return err
	}
	return &twin.Refusal{Code: r.Code, Text: r.Detail, Path: r.Path}
}

type refusalBody struct {
	Code   string `json:"code"`
	Detail string `json:"detail"`
	Path   string `json:"path,omitempty"`
}

func listMarks(c *call) error {
	v, err := c.view()
	if err != nil {
		return err
	}
	list := markList{Marks: []MarkInfo{}}
	for _, m := range v.State.Marks() {
		list.Marks = append(list.Marks, MarkInfo{Name: m.Name, Seq: int64(m.Seq)})
	}
	return reply(c, http.StatusOK, &list)
}
