package main

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"worlds/admin"
)

type webhookSetCmd struct {
	target
	output
	URL     string   `arg:"" optional:"" help:"Where events go, http://… or https://…; without it, the endpoint there is changes, and where there is none, the flags hold for those that agents make."`
	Event   []string `placeholder:"TYPE" help:"Types of events to send: invoice.paid, invoice.* or * (default: all). Repeatable."`
	Version string   `placeholder:"VERSION" help:"API version to send events in (default: that of the account)."`
	Secret  string   `placeholder:"SECRET" help:"What to sign with; kept, or made, by default."`
	Auto    *bool    `negatable:"" help:"Deliver after each answer (default); with --no-auto, when told to."`
	Logical *bool    `negatable:"" help:"Sign with the world's clock instead of the wall's."`
}

// Run sets the endpoint and prints it, with its secret.
func (c *webhookSetCmd) Run(ctx context.Context, t *terminal) error {
	w, err := c.open(ctx)
	if err != nil {
		return err
	}
	req := admin.EndpointRequest{URL: c.URL, Secret: c.Secret, EnabledEvents: c.Event, APIVersion: c.Version, AutoDeliver: c.Auto}
	if c.Logical != nil {
		req.SignatureTime = map[bool]string{false: "wall", true: "logical"}[*c.Logical]
	}
	if c.URL == "" {
		if err := c.keep(ctx, w, &req); err != nil {
			return err
		}
	}
	var e admin.EndpointInfo
	if err := w.call(ctx, http.MethodPut, w.path("/webhooks/endpoint"), &req, &e); err != nil {
		return err
	}
	if c.JSON {
		return t.json(&e)
	}
	if e.Warning != "" {
		t.say("worlds: %s: %s", e.URL, e.Warning)
	}
	return printEndpoint(t, &e)
}

// keep fills in of the endpoint there is what the command does not say.
func (c *webhookSetCmd) keep(ctx context.Context, w *remote, req *admin.EndpointRequest) error {
	var now admin.EndpointInfo
	var refused *problem
	switch err := w.get(ctx, w.path("/webhooks/endpoint"), &now); {
	case errors.As(err, &refused) && refused.Code == "no-endpoint":
		return nil
	case err != nil:
		return err
	}
	req.URL = now.URL
	req.APIVersion = cmp.Or(req.APIVersion, now.APIVersion)
	req.SignatureTime = cmp.Or(req.SignatureTime, now.SignatureTime)
	if len(req.EnabledEvents) == 0 {
		req.EnabledEvents = now.EnabledEvents
	}
	if req.AutoDeliver == nil {
		req.AutoDeliver = &now.AutoDeliver
	}
	return nil
}

func printEndpoint(t *terminal, e *admin.EndpointInfo) error {
	return t.fields("url", e.URL, "secret", e.Secret, "events", strings.Join(e.EnabledEvents, " "), "version", e.APIVersion,
		"auto", strconv.FormatBool(e.AutoDeliver), "signed by", e.SignatureTime)
}
