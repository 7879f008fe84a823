package twin

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"worlds/journal/canon"
)

// Coverage is how near one route comes to the API that it is a twin of. A
// catalog's dialect writes the judgement, the tables give the rest.
type Coverage struct {
	Differs    string   `json:"differs,omitempty"` // what differs from the live API, and why
	Method     string   `json:"method"`
	Parameters []string `json:"parameters"`        // that it takes
	Path       string   `json:"path"`              //
	Proof      []string `json:"proof"`             // how it is shown to be right
	Refused    []string `json:"refused,omitempty"` // parameters of the API that it answers 501
	Tier       int64    `json:"tier,omitempty"`    // 1: what agents need; 2: what SDK users expect; 3: nice
}

// Fidelity is the coverage of one API.
type Fidelity struct {
	API     string     `json:"api"`
	Routes  []Coverage `json:"routes"`
	Refused []string   `json:"refused,omitempty"` // operations of the API that are answered 501
	Version string     `json:"version,omitempty"` // that requests without one are answered in
}

// Fidelity tells how near the catalog comes to its API, route by route.
func (c *Catalog) Fidelity() Fidelity {
	f := Fidelity{API: c.Name, Version: c.DefaultVersion, Routes: []Coverage{}}
	for _, r := range c.Routes() {
		one := Coverage{Method: r.Method, Path: r.Pattern, Parameters: append([]string{}, r.Params()...), Proof: []string{}}
		if c.Cover != nil {
			c.Cover(r, &one)
		}
		slices.Sort(one.Parameters)
		f.Routes = append(f.Routes, one)
	}
	slices.SortFunc(f.Routes, func(a, b Coverage) int { return strings.Compare(a.Path+" "+a.Method, b.Path+" "+b.Method) })
	if c.Lacks != nil {
		f.Refused = c.Lacks(c)
	}
	return f
}

// FidelityJSON is the coverage of several APIs as one canonical document.
func FidelityJSON(catalogs []*Catalog) canon.Raw {
	out := struct {
		APIs []Fidelity `json:"apis"`
	}{APIs: []Fidelity{}}
	for _, c := range catalogs {
		out.APIs = append(out.APIs, c.Fidelity())
	}
	return canon.Marshal(&out)
}

// FidelityText is the same as a Markdown document for people.
func FidelityText(catalogs []*Catalog) string {
	var b strings.Builder
	b.WriteString("# What the twins serve\n\nMade from the route tables; `go test ./testscripts -run TestFidelity -update` writes it anew, and\n" +
		"`GET /admin/fidelity` serves the same as JSON. What an API has and its twin lacks is refused by name and\n" +
		"changes nothing: by 501, or by 403 where SDKs take a 501 for a success (zendesk).\n\nTier 1 is what agents need, 2 what SDK users expect, 3 the rest. *501* are the parameters of the API that a\n" +
		"route does not take.\n")
	for _, c := range catalogs {
		f := c.Fidelity()
		fmt.Fprintf(&b, "\n## %s\n", f.API)
		if f.Version != "" {
			fmt.Fprintf(&b, "\nAPI version %s where a request names none. %d operations are served, %d more are answered 501.\n",
				f.Version, len(f.Routes), len(f.Refused))
		}
		for i := range f.Routes {
			f.Routes[i].text(&b)
		}
		if len(f.Refused) > 0 {
			b.WriteString("\n### Answered 501\n\n")
			for _, operation := range f.Refused {
				b.WriteString("- `" + operation + "`\n")
			}
		}
	}
	return b.String()
}

func (c *Coverage) text(b *strings.Builder) {
	fmt.Fprintf(b, "\n### %s %s\n\n", c.Method, c.Path)
	var line []string
	if c.Tier != 0 {
		line = append(line, "tier "+strconv.FormatInt(c.Tier, 10))
	}
	if len(c.Proof) > 0 {
		line = append(line, "proven by "+strings.Join(c.Proof, ", "))
	}
	if len(line) > 0 {
		b.WriteString("- " + strings.Join(line, "; ") + "\n")
	}
	if c.Differs != "" {
		b.WriteString("- differs: " + c.Differs + "\n")
	}
	if len(c.Parameters) > 0 {
		b.WriteString("- parameters: `" + strings.Join(c.Parameters, "` `") + "`\n")
	}
	if len(c.Refused) > 0 {
		b.WriteString("- *501*: `" + strings.Join(c.Refused, "` `") + "`\n")
	}
}
