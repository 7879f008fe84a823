package fromstripe

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"worlds/journal/canon"
	"worlds/seed"
)

// SeedFields lists, by kind of object, what an import writes into a seed, and nothing
// else.
func SeedFields() map[string][]string {
	return map[string][]string{
		"customers":        {"created_offset", "email", "id", "metadata", "name"},
		"products":         {"active", "created_offset", "id", "name"},
		"prices":           {"active", "created_offset", "currency", "id", "nickname", "product", "recurring", "unit_amount"},
		"invoices":         {"charges", "created_offset", "currency", "customer", "id", "lines", "status"},
		"invoices.lines":   {"amount", "description", "price", "quantity"},
		"invoices.charges": {"amount", "amount_refunded", "id"},
		"subscriptions": {"billing_cycle_anchor", "cancel_at_period_end", "created_offset", "current_period_end", "current_period_start",
			"customer", "id", "price", "quantity", "status", "trial_end"},
	}
}

// samplesMax is how many examples of a kind a manifest shows.
const samplesMax = 3

// manifest is the record of an import. All ids in it but those copied verbatim are
// those of the seed.
type manifest struct {
	Format          string              `json:"format"`
	Version         int                 `json:"version"`
	Seed            map[string]string   `json:"seed"`
	Flags           map[string]bool     `json:"flags"`
	Records         map[string]int      `json:"records"`
	Replaced        map[string]int      `json:"replaced"`
	Dropped         map[string]int      `json:"dropped"`
	Kept            map[string]int      `json:"kept"`
	KeptSamples     map[string][]string `json:"kept_samples"`
	Remapped        map[string]int      `json:"remapped"`
	Verbatim        map[string]verbatim `json:"verbatim"`
	Adjusted        int                 `json:"invoices_with_a_line_for_discount_or_tax"`
	RefundedCharges int                 `json:"refunded_charges"`
	DisputedCharges []string            `json:"disputed_charges"`
	Skipped         []skipped           `json:"skipped"`
	LeftOut         map[string]string   `json:"left_out"`
	SeedFields      map[string][]string `json:"seed_fields"`

	private map[string]string // seed id → original id
}

// verbatim are the ids that a merchant chose, which may be words.
type verbatim struct {
	Count    int      `json:"count"`
	Examples []string `json:"examples"`
}

type skipped struct {
	Kind string `json:"kind"`
	ID   string `json:"id"`
	Why  string `json:"why"`
}

func newManifest(opt Options) manifest {
	return manifest{Format: "worlds-stripe-import-manifest", Version: 1,
		Flags:   map[string]bool{"keep_names": opt.KeepNames, "keep_descriptions": opt.KeepDescriptions, "keep_metadata": opt.KeepMetadata},
		Records: map[string]int{}, Replaced: map[string]int{}, Dropped: map[string]int{}, Kept: map[string]int{},
		KeptSamples: map[string][]string{}, Remapped: map[string]int{}, Verbatim: map[string]verbatim{}, DisputedCharges: []string{},
		Skipped: []skipped{}, LeftOut: map[string]string{}, SeedFields: SeedFields(), private: map[string]string{}}
}

// id gives an object its id in the seed.
func (m *manifest) id(prefix, id string) string {
	made := hashedID(prefix, id)
	if _, known := m.private[made]; !known {
		m.private[made] = id
		m.Remapped[strings.TrimSuffix(prefix, "_")]++
	}
	return made
}

// skip notes an object that the seed does not hold, under the id it would have had.
func (m *manifest) skip(kind, prefix, id, why string) {
	m.Skipped = append(m.Skipped, skipped{kind, m.hidden(prefix, id), why})
}

// hidden is an id for the manifest; the private map knows it.
func (m *manifest) hidden(prefix, id string) string {
	made := hashedID(strings.TrimSuffix(prefix, "_")+"_", id)
	m.private[made] = id
	return made
}

func (m *manifest) drop(field string, is bool) {
	if is {
		m.Dropped[field]++
	}
}

// keep notes a text that a flag let through.
func (m *manifest) keep(field, text string) {
	m.Kept[field]++
	if s := m.KeptSamples[field]; len(s) < samplesMax && !slices.Contains(s, text) {
		m.KeptSamples[field] = append(s, text)
	}
}

// metadata keeps the metadata of a customer.
func (m *manifest) metadata(of map[string]string) canon.Raw {
	for _, key := range slices.Sorted(maps.Keys(of)) {
		m.keep("customers.metadata", key+"="+of[key])
	}
	return canon.Marshal(&of)
}

// verbatim notes an id that is kept and that Stripe did not make.
func (m *manifest) verbatim(kind, id string) {
	if strings.HasPrefix(id, "prod_") && generated(id[len("prod_"):], 14) || strings.HasPrefix(id, "price_") && generated(id[len("price_"):], 24) {
		return
	}
	v := m.Verbatim[kind]
	if v.Count++; len(v.Examples) < samplesMax {
		v.Examples = append(v.Examples, id)
	}
	m.Verbatim[kind] = v
}

// generated reports whether the rest of an id looks like one that Stripe made.
func generated(rest string, n int) bool {
	return len(rest) == n && !strings.ContainsFunc(rest, func(r rune) bool { return !strings.ContainsRune(alphabet, r) })
}

func (m *manifest) leave(more map[string]leftOut) {
	for kind, l := range more {
		m.LeftOut[kind] = string(canon.AppendInt(nil, int64(l.Count)))
		if l.Beyond {
			m.LeftOut[kind] = "more than " + m.LeftOut[kind]
		}
	}
}

// json writes the manifest of a seed; maps are written in order of their keys.
func (m *manifest) json(made *seed.Seed) []byte {
	d := &made.Document.Data
	m.Seed = map[string]string{"name": made.Document.Name, "hash": made.Hash.String()}
	m.Records = map[string]int{"customers": len(d.Customers), "products": len(d.Products), "prices": len(d.Prices),
		"invoices": len(d.Invoices), "subscriptions": len(d.Subscriptions)}
	for _, in := range d.Invoices {
		m.Records["charges"] += len(in.Charges)
	}
	out, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		panic("fromstripe: the manifest: " + err.Error())
	}
	return append(out, '\n')
}
