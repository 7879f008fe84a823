package seed

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"worlds/journal/canon"
)

// nativeExport is the format of the interchange document that an import accepts
// beside an ordinary seed.
const nativeExport = "worlds-zendesk-native-export"

// Imported is what an import of a native help desk made. Manifest says what became
// of what, Map leads from the ids there were to those there are now; the map can
// undo the import and is private.
type Imported struct {
	Seed     *Seed
	Manifest []byte
	Map      []byte
}

// ImportZendesk reads a native help desk (a seed whose other sections are empty,
// or the interchange document) and makes a seed called name of it in which nobody
// can be recognised: ids are given anew, names, addresses and texts are replaced,
// what the format does not hold is counted and left out. The same input gives the
// same bytes. The error is an *Invalid for an input that is not one whole history.
func ImportZendesk(input []byte, name string) (*Imported, error) {
	if len(input) > MaxDocumentBytes {
		return nil, invalid(Problem{Path: rootPath, Offset: MaxDocumentBytes, Msg: "is too long"})
	}
	src, err := canon.Canonicalize(input)
	if err != nil {
		_, all := syntaxFaults(input, 0)
		return nil, all
	}
	p := &pruner{omitted: map[string]int64{}}
	doc, kind, err := p.document(src, name)
	if err != nil {
		return nil, err
	}
	was, err := Parse(doc)
	if err != nil {
		return nil, err
	}
	d := newDisguise(was.Document.Zendesk)
	d.apply()
	made := p.head(was, name)
	made.raw("zendesk", d.z.JSON())
	out, err := Parse(made.json())
	if err != nil {
		return nil, fmt.Errorf("the import made no valid seed: %w", err)
	}
	return &Imported{Seed: out, Manifest: manifest(src, kind, out, p, d), Map: d.privateMap()}, nil
}

// pruner takes out of an input what a seed has no place for, and counts it.
type pruner struct {
	omitted map[string]int64
	given   []member // the members of an ordinary seed that go along
}

func refusal(path, format string, args ...any) error {
	return invalid(Problem{Path: path, Offset: NoOffset, Msg: fmt.Sprintf(format, args...)})
}

// document makes a seed document of either kind of input.
func (p *pruner) document(src canon.Raw, name string) (doc canon.Raw, kind string, err error) {
	members, ok := membersOf(src)
	if !ok {
		return nil, "", refusal(rootPath, "is %s; must be an object", kindOf(src))
	}
	format, wrapper := canon.Get(src, "format")
	if kind = "seed"; wrapper {
		kind = nativeExport
		if s, _ := canon.Unquote(format); s != nativeExport {
			return nil, "", refusal("$.format", "is %s; must be %q", format, nativeExport)
		}
	}
	o := object{}
	o.text("name", name)
	if wrapper {
		o.number("version", 1)
	}
	for _, m := range members {
		switch {
		case m.name == "zendesk":
			block, err := p.block(m.value)
			if err != nil {
				return nil, "", err
			}
			o.raw(m.name, block)
		case m.name == "epoch":
			o.raw(m.name, m.value)
		case wrapper && m.name == "format":
		case wrapper && m.name == "version":
			if string(m.value) != "1" {
				return nil, "", refusal("$.version", "is %s; must be 1", m.value)
			}
		case wrapper:
			return nil, "", refusal("$."+m.name, "unknown key")
		case m.name == "name":
		case m.name == "data":
			for section, list := range canon.Members(m.value) {
				if string(list) != "[]" {
					return nil, "", refusal("$.data."+section, "is not empty; compose a seed of both afterwards")
				}
			}
		default:
			o.raw(m.name, m.value)
			p.given = append(p.given, m)
		}
	}
	if _, ok := canon.Get(src, "zendesk"); !ok {
		return nil, "", refusal("$.zendesk", "is missing")
	}
	return o.json(), kind, nil
}

// head begins the document that the import makes.
func (p *pruner) head(was *Seed, name string) *object {
	o := &object{}
	o.text("name", name)
	o.number("epoch", was.Document.Epoch)
	version := int64(1)
	for _, m := range p.given {
		if m.name == "version" {
			version = was.Document.Version
			continue
		}
		o.raw(m.name, m.value)
	}
	o.number("version", version)
	return o
}

// block takes unknown keys out of every record of the native block.
func (p *pruner) block(raw canon.Raw) (canon.Raw, error) {
	members, ok := membersOf(raw)
	if !ok {
		return nil, refusal("$.zendesk", "is %s; must be an object", kindOf(raw))
	}
	sections := map[string][]string{
		"users": zendeskUserTable.names(), "groups": zendeskGroupTable.names(), "organizations": zendeskOrganizationTable.names(),
		"group_memberships": zendeskGroupMembershipTable.names(), "organization_memberships": zendeskOrganizationMembershipTable.names(),
		"tickets": zendeskTicketTable.names(), "comments": zendeskCommentTable.names(), "audits": zendeskAuditTable.names(),
	}
	o := object{}
	for _, m := range members {
		names := sections[m.name]
		if names == nil {
			if zendeskTable.find(m.name) < 0 {
				p.omitted[m.name]++
				continue
			}
			o.raw(m.name, m.value)
			continue
		}
		o.raw(m.name, p.records(m.name, m.value, names))
	}
	return o.json(), nil
}

func (p *pruner) records(section string, list canon.Raw, names []string) canon.Raw {
	elements, ok := elementsOf(list)
	if !ok {
		return list // Parse says what is wrong with it
	}
	out := []byte{'['}
	for i, e := range elements {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, p.record(section+"[]", e, names)...)
	}
	return append(out, ']')
}

func (p *pruner) record(path string, e canon.Raw, names []string) canon.Raw {
	members, ok := membersOf(e)
	if !ok {
		return e
	}
	o := object{}
	for _, m := range members {
		switch {
		case !slices.Contains(names, m.name):
			if !isEmpty(m.value) {
				p.omitted[path+"."+m.name]++
			}
		case path == "audits[]" && m.name == "events":
			o.raw(m.name, p.records("audits[].events", m.value, zendeskAuditEventTable.names()))
		case path == "tickets[]" && m.name == "custom_fields":
			o.raw(m.name, p.records("tickets[].custom_fields", m.value, zendeskCustomFieldTable.names()))
		default:
			o.raw(m.name, m.value)
		}
	}
	return o.json()
}

// isEmpty reports whether nothing is lost with a value.
func isEmpty(v canon.Raw) bool {
	switch string(v) {
	case "null", "[]", "{}", `""`:
		return true
	}
	return false
}

// manifest is the record of an import: what was counted, replaced and kept.
func manifest(src canon.Raw, kind string, made *Seed, p *pruner, d *disguise) []byte {
	sum := sha256.Sum256(src)
	from, to, counts := object{}, object{}, object{}
	from.text("kind", kind)
	from.text("sha256", hex.EncodeToString(sum[:]))
	to.text("name", made.Document.Name)
	to.text("hash", made.Hash.String())
	z := made.Document.Zendesk
	for _, c := range []struct {
		name string
		n    int
	}{{"users", len(z.Users)}, {"groups", len(z.Groups)}, {"organizations", len(z.Organizations)}, {"group_memberships", len(z.GroupMemberships)},
		{"organization_memberships", len(z.OrganizationMemberships)}, {"tickets", len(z.Tickets)}, {"comments", len(z.Comments)}, {"audits", len(z.Audits)}} {
		counts.always(c.name, int64(c.n))
	}
	o := object{}
	o.text("format", "worlds-zendesk-import-manifest")
	o.number("version", 1)
	o.raw("source", from.json())
	o.raw("seed", to.json())
	o.raw("records", counts.json())
	o.raw("replaced", tally(d.replaced))
	o.raw("dropped", tally(d.dropped))
	o.raw("omitted", tally(p.omitted))
	o.raw("remapped", canon.Raw(`"every id"`))
	o.raw("kept", canon.Raw(`["roles","statuses","priorities","types","moments","visibility","relations","audit structure","closure","custom field ids"]`))
	return append(canon.AppendPretty(nil, o.json(), "format", "version"), '\n')
}

func tally(counts map[string]int64) canon.Raw {
	names := make([]string, 0, len(counts))
	for name := range counts { //worlds:sorted below
		names = append(names, name)
	}
	slices.Sort(names)
	o := object{}
	for _, name := range names {
		o.always(name, counts[name])
	}
	return o.json()
}

// Bases of the ids that an import gives, kind by kind.
const (
	importUsers         = 1_000
	importGroups        = 2_000_000
	importOrganizations = 3_000_000
	importMemberships   = 4_000_000
	importHomes         = 5_000_000
	importAudits        = 6_000_000
	importLines         = 7_000_000
)

// ids gives new ids in the order of the old ones.
type ids map[int64]int64

func number64(base int64, old []int64) ids {
	slices.Sort(old)
	old = slices.Compact(old)
	m := ids{}
	for i, id := range old {
		m[id] = base + int64(i) + 1
	}
	return m
}

func (m ids) of(id int64) int64 {
	if id == 0 {
		return 0
	}
	return m[id]
}

func (m ids) all(list []int64) []int64 {
	out := make([]int64, 0, len(list))
	for _, id := range list {
		out = append(out, m[id])
	}
	return out
}

// text writes a new id for an old one that audits wrote as text.
func (m ids) text(s string) string {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || m[n] == 0 {
		return "0"
	}
	return strconv.FormatInt(m[n], 10)
}

// token is a short word that stands for a text and does not give it away.
func token(kind, s string) string {
	sum := sha256.Sum256([]byte("worlds import:" + kind + ":" + strings.ToLower(s)))
	return hex.EncodeToString(sum[:])[:tokenLength]
}

// tokenLength keeps two texts of one import apart; it need not keep them secret
// from somebody who guesses.
const tokenLength = 10
