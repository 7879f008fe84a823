package testscripts

import (
	"github.com/rogpeppe/go-internal/testscript"

	"worlds/admin"
	"worlds/journal/canon"
)

// cmdFork branches the present world and goes on in the branch.
func cmdFork(r *Rig, ts *testscript.TestScript, neg bool, args []string) {
	if len(args) == 0 || len(args) > 4 {
		ts.Fatalf("usage: fork NAME [AT] [-key KEY]")
	}
	name := args[0]
	shown := name
	if r.opt.Start != nil {
		shown = "" // the server may serve other scenarios
	}
	body := canon.AppendString([]byte(`{"name":`), shown)
	args = args[1:]
	if len(args) >= 2 && args[len(args)-2] == "-key" {
		body = canon.AppendString(append(body, `,"key":`...), args[len(args)-1])
		args = args[:len(args)-2]
	}
	if len(args) == 1 {
		body = canon.AppendString(append(body, `,"at":`...), args[0])
	}
	r.adminOK(ts, neg, "POST", "/fork", string(append(body, '}')))
	if neg {
		return
	}
	if r.last.Status == 200 { // made before, under the same key
		id, _ := member(r.last.Body, ".id")
		for _, s := range r.order {
			if s.info.ID == id {
				r.now = s
			}
		}
		r.export(ts)
		return
	}
	s, err := r.adopt(name, r.last.Body)
	ts.Check(err)
	r.now = s
	r.export(ts)
}

// Adopt makes a fork, with which the operator was answered, a world of the scenario.
func (r *Rig) Adopt(name string, a Answer) error {
	_, err := r.adopt(name, a.Body)
	return err
}

func (r *Rig) adopt(name string, body canon.Raw) (*scene, error) {
	var info admin.CreatedWorld
	if err := canon.Unmarshal(body, &info); err != nil {
		return nil, err
	}
	s := &scene{name: name, info: info}
	r.worlds[s.name] = s
	r.order = append(r.order, s)
	return s, nil
}
