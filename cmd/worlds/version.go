package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"worlds/twin"
	"worlds/twin/stripe"
)

type versionCmd struct {
	output
}

// versionInfo is what this program is.
type versionInfo struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Rules    int    `json:"rules"`
	Stripe   string `json:"stripe_version"`
	Go       string `json:"go"`
}

// Run prints the version, the number of its rules and that of the API it speaks.
func (c *versionCmd) Run(t *terminal) error {
	v := versionInfo{Version: "(devel)", Rules: twin.Rules, Stripe: stripe.Version, Go: runtime.Version()}
	if build, ok := debug.ReadBuildInfo(); ok {
		if build.Main.Version != "" {
			v.Version = build.Main.Version
		}
		for _, s := range build.Settings {
			if s.Key == "vcs.revision" {
				v.Revision = s.Value
			}
		}
	}
	if c.JSON {
		return t.json(&v)
	}
	return t.fields("worlds", v.Version, "revision", v.Revision, "rules", fmt.Sprint(v.Rules), "stripe", v.Stripe, "go", v.Go)
}
