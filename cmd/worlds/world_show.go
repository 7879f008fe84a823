package main

import (
	"context"
	"encoding/json"
	"strconv"

	"worlds/admin"
)

type worldShowCmd struct {
	target
	output
	ID      string `arg:"" optional:"" name:"world" help:"World, by id or name." predictor:"world"`
	Secrets bool   `help:"Print the secrets that the context file remembers, too."`
}

// Run prints a world.
func (c *worldShowCmd) Run(ctx context.Context, t *terminal) error {
	c.use(c.ID)
	w, err := c.open(ctx)
	if err != nil {
		return err
	}
	if c.Secrets && w.notes == nil {
		return usage("--secrets: the context file has none of world %s on %s", w.id, w.base)
	}
	var info admin.WorldInfo
	if err := w.get(ctx, w.path(""), &info); err != nil {
		return err
	}
	if c.Secrets {
		w.reveal(info.Keys)
	}
	if c.JSON {
		token := ""
		if c.Secrets {
			token = w.notes.AdminToken
		}
		return t.json(struct {
			admin.WorldInfo
			AdminToken string `json:"admin_token,omitempty"`
		}{info, token})
	}
	entries := int64(0)
	if info.Seq != nil {
		entries = *info.Seq
	}
	pairs := []string{
		"world", info.ID, "name", info.Name, "server", w.base,
		"seed", info.Seed.Name + " " + info.Seed.Hash, "rules", strconv.FormatInt(info.Rules, 10),
		"clock", moment(info.Clock) + pending(info.Pending), "entries", strconv.FormatInt(entries, 10), "head", info.Head,
	}
	if c.Secrets {
		pairs = append(pairs, "admin token", w.notes.AdminToken)
		if desk := w.notes.Zendesk; desk.APIToken != "" {
			pairs = append(pairs, "help desk", desk.Email, "api token", desk.APIToken, "oauth token", desk.OAuthToken)
		}
	}
	for _, k := range info.Keys {
		pairs = append(pairs, k.Label, dash(k.Secret))
	}
	return t.fields(pairs...)
}

// reveal fills in the secrets of keys that the context file knows.
func (r *remote) reveal(keys []admin.KeyInfo) {
	for i := range keys {
		keys[i].Secret = r.notes.key(keys[i].Label)
	}
}

// dash stands for what is empty.
func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// print prints an answer of the server as it came.
func (t *terminal) print(raw json.RawMessage) error {
	return t.json(raw)
}
