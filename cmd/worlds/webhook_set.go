package main

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"worlds/admin"
)

type webhookSetCmd struct {
	target
	output
	URL     string   `arg:"" optional:"" help:"Where events go, http://… or https://…; without it, the flags hold for the endpoints that agents make."`
	Event   []string `placeholder:"TYPE" help:"Types of events to send: invoice.paid, invoice.* or * (default: all). Repeatable."`
	Version string   `placeholder:"VERSION" help:"API version to send events in (default: that of the account)."`
	Secret  string   `placeholder:"SECRET" help:"What to sign with; kept, or made, by default."`
	Auto    bool     `default:"true" negatable:"" help:"Deliver after each answer (default); with --no-auto, when told to."`
	Logical bool     `help:"Sign with the world's clock instead of the wall's."`
	Remove  bool     `help:"Send events nowhere."`
}

// Run sets the endpoint and prints it, with its secret.
func (c *webhookSetCmd) Run(ctx context.Context, t *terminal) error {
	w, err := c.open()
	if err != nil {
		return err
	}
	if c.Remove {
		return w.call(ctx, http.MethodDelete, w.path("/webhooks/endpoint"), nil, nil)
	}
	req := admin.EndpointRequest{URL: c.URL, Secret: c.Secret, EnabledEvents: c.Event, APIVersion: c.Version, AutoDeliver: &c.Auto}
	if c.Logical {
		req.SignatureTime = "logical"
	}
	var e admin.EndpointInfo
	if err := w.call(ctx, http.MethodPut, w.path("/webhooks/endpoint"), &req, &e); err != nil {
		return err
	}
	if c.JSON {
		return t.json(&e)
	}
	return printEndpoint(t, &e)
}

func printEndpoint(t *terminal, e *admin.EndpointInfo) error {
	return t.fields("url", e.URL, "secret", e.Secret, "events", strings.Join(e.EnabledEvents, " "), "version", e.APIVersion,
		"auto", strconv.FormatBool(e.AutoDeliver), "signed by", e.SignatureTime)
}
