package main

import (
	"context"

	"github.com/posener/complete"

	"worlds/admin"
	"worlds/seed"
)

type seedListCmd struct {
	URL   string `env:"WORLDS_URL" placeholder:"URL" help:"Ask this server, for what was published there too; without it, list the library of this program."`
	Token string `env:"WORLDS_TOKEN" placeholder:"TOKEN" help:"Root token of the server."`
	output
}

type seedList struct {
	Seeds []admin.SeedInfo `json:"seeds"`
}

// Run prints the seeds there are.
func (c *seedListCmd) Run(ctx context.Context, t *terminal) error {
	var list seedList
	if c.URL == "" {
		for _, name := range seed.Names() {
			s, err := seed.Lookup(name)
			if err != nil {
				return err
			}
			list.Seeds = append(list.Seeds, admin.SeedInfo{Name: name, Hash: s.Hash.String(), Source: "library"})
		}
	} else {
		server, err := newClient(c.URL, c.Token)
		if err != nil {
			return err
		}
		if err := server.get(ctx, "/admin/seeds", &list); err != nil {
			return err
		}
	}
	if c.JSON {
		return t.json(&list)
	}
	var rows [][]string
	for _, s := range list.Seeds {
		rows = append(rows, []string{s.Name, s.Source, s.Hash})
	}
	return t.table("SEED SOURCE HASH", rows)
}

func predictSeeds(complete.Args) []string { return seed.Names() }
