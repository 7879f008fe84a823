package main

import (
	"context"
	"encoding/json"

	"worlds/twin"
)

type webhookFlushCmd struct {
	target
	output
}

// batch is what a flush answers.
type batch struct {
	Deliveries []twin.DeliveryInfo `json:"deliveries"`
	Unreached  int64               `json:"unreached"`
}

// Run delivers what is due and prints what came of it.
func (c *webhookFlushCmd) Run(ctx context.Context, t *terminal) error {
	w, err := c.open(ctx)
	if err != nil {
		return err
	}
	var raw json.RawMessage
	if err := w.post(ctx, w.path("/webhooks/flush"), nil, &raw); err != nil {
		return err
	}
	return t.printBatch(raw, c.JSON)
}

// printBatch prints the rows of the ledger that were tried.
func (t *terminal) printBatch(raw json.RawMessage, asJSON bool) error {
	if asJSON {
		return t.print(raw)
	}
	var b batch
	if err := json.Unmarshal(raw, &b); err != nil {
		return err
	}
	if b.Unreached > 0 {
		t.say("worlds: there was no time for %d more; flush again", b.Unreached)
	}
	rows := make([][]string, 0, len(b.Deliveries))
	for i := range b.Deliveries {
		rows = append(rows, deliveryRow(&b.Deliveries[i]))
	}
	return t.table(deliveryHeadings, rows)
}
