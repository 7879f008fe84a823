package main

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"

	"worlds/twin"
)

type webhookDeliveriesCmd struct {
	target
	output
	window
}

const deliveryHeadings = "NUMBER EVENT TYPE ENDPOINT STATUS ATTEMPTS DUE OUTCOME"

// deliveryRow is a row of the ledger for people.
func deliveryRow(d *twin.DeliveryInfo) []string {
	due := "-"
	if d.Due != 0 {
		due = moment(d.Due)
	}
	return []string{strconv.FormatInt(d.Number, 10), d.Event, dash(d.Type), d.Endpoint, d.Status,
		strconv.FormatInt(d.Attempts, 10), due, dash(d.Outcome)}
}

var deliveryLog = log{
	path: "/webhooks/deliveries", member: "deliveries", number: "number", headings: strings.ReplaceAll(deliveryHeadings, " ", "\t"),
	row: func(raw json.RawMessage) ([]string, error) {
		var d twin.DeliveryInfo
		err := json.Unmarshal(raw, &d)
		return deliveryRow(&d), err
	},
}

// Run prints the delivery ledger, oldest first.
func (c *webhookDeliveriesCmd) Run(ctx context.Context, t *terminal) error {
	w, err := c.open(ctx)
	if err != nil {
		return err
	}
	return t.printLog(ctx, w, &deliveryLog, c.window, c.JSON)
}
