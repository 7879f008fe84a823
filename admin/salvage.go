package admin

import (
	"fmt"

	"worlds/journal/canon"
	"worlds/twin/world"
)

// Rescued is a world that could be read from a damaged folder, under the id and
// name it had where the server's own stream could be read too.
type Rescued struct {
	*world.Rescued
	Name string // the id, or the number
}

// Salvage reads what can still be read of a damaged folder, changing nothing.
// Streams that only forks read are not among the answers, unless nothing tells
// which they are.
func Salvage(dir string) ([]Rescued, error) {
	worlds, server, err := world.Salvage(dir)
	if err != nil {
		return nil, err
	}
	names := map[world.ID]string{}
	for _, command := range server {
		var c change
		if canon.Unmarshal(command, &c) != nil {
			continue
		}
		switch id := world.ID(c.World); c.Op {
		case "create", "fork", "import":
			names[id] = c.ID
		case "reset":
			if c.Moved != 0 {
				names[world.ID(c.Moved)] = names[id]
				delete(names, id)
			}
		case "delete":
			delete(names, id)
		}
	}
	var out []Rescued
	for _, w := range worlds {
		name, ok := names[w.ID]
		switch {
		case ok:
		case server == nil:
			name = fmt.Sprintf("world-%d", w.ID)
		default:
			continue
		}
		out = append(out, Rescued{Rescued: w, Name: name})
	}
	return out, nil
}
