package main

import (
	"context"
	"encoding/json"
	"fmt"
)

type eventsCmd struct {
	target
	output
	window
}

var eventLog = log{
	path: "/events", member: "events", number: "number", headings: "NUMBER\tENTRY\tTIME\tAPI\tTYPE\tEVENT\tOBJECT",
	row: func(raw json.RawMessage) ([]string, error) {
		var e struct {
			Number, Seq uint64
			API         string
			Event       struct {
				ID      string
				Type    string
				Created int64
				Data    struct{ Object struct{ ID string } }
			}
		}
		err := json.Unmarshal(raw, &e)
		return []string{fmt.Sprint(e.Number), fmt.Sprint(e.Seq), moment(e.Event.Created), e.API, e.Event.Type,
			e.Event.ID, e.Event.Data.Object.ID}, err
	},
}

// Run prints the events, oldest first.
func (c *eventsCmd) Run(ctx context.Context, t *terminal) error {
	w, err := c.open(ctx)
	if err != nil {
		return err
	}
	return t.printLog(ctx, w, &eventLog, c.window, c.JSON)
}
