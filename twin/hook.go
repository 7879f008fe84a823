package twin

import (
	"strings"

	"worlds/journal/mutant"
	"worlds/projection"
)

// Hook is an endpoint that events go to.
type Hook struct {
	Endpoint string   // EndpointLabel, or the id of an endpoint that an API made
	Version  string   // API version its events are rendered in, "" for the API's own
	Events   []string // what it wants: types, invoice.* or *
	URL      string   // of an endpoint that an API made, as is Secret
	Secret   string
}

// EndpointLabel is what journals and ledgers call the operator's endpoint, whose
// address and secret are no part of a world.
const EndpointLabel = "endpoint:1"

// noVersion stands for the API's own version in Command.Hooks.
const noVersion = "-"

// HookText words the operator's endpoint for Command.Hooks.
func HookText(version string, events []string) string {
	if version == "" {
		version = noVersion
	}
	return EndpointLabel + " " + version + " " + strings.Join(events, ",")
}

// parseHook reads what HookText wrote.
func parseHook(text string) (Hook, bool) {
	words := strings.Split(text, " ")
	if len(words) != 3 {
		return Hook{}, false
	}
	h := Hook{Endpoint: words[0], Version: words[1], Events: strings.Split(words[2], ",")}
	if h.Version == noVersion {
		h.Version = ""
	}
	return h, true
}

// wants reports whether the endpoint asked for events of a type.
func (h *Hook) wants(typ string) bool {
	for _, pattern := range h.Events {
		if MatchType(pattern, typ) {
			return true
		}
	}
	return false
}

// MatchType compares an event type with a pattern such as invoice.* or *.
func MatchType(pattern, typ string) bool {
	if prefix, ok := strings.CutSuffix(pattern, "*"); ok {
		return strings.HasPrefix(typ, prefix)
	}
	return pattern == typ
}

// hooks lists the endpoints that an event of the present API goes to, the
// operator's first.
func (tx *Tx) hooks(typ string) []Hook {
	if tx.quiet || tx.catalog.Delivery == nil {
		return nil
	}
	var out []Hook
	if tx.cmd.Hooks != "" {
		if h, ok := parseHook(tx.cmd.Hooks); ok && h.wants(typ) {
			out = append(out, h)
		}
	}
	if tx.catalog.Hooks == nil {
		return out
	}
	for _, h := range tx.catalog.Hooks(tx.st, tx.m.Spec) {
		if h.wants(typ) {
			out = append(out, h)
		}
	}
	return out
}

// Listeners is the number of endpoints that the event being emitted goes to.
func (tx *Tx) Listeners() int64 { return tx.listeners }

// enqueue puts the ledger rows of an event on its way to an endpoint, as the
// fault rules for deliveries have it.
func (tx *Tx) enqueue(h *Hook, event, typ string) {
	d := projection.Delivery{
		Number: tx.st.Deliveries() + 1, Event: event, Endpoint: h.Endpoint, Version: h.Version, Status: projection.Pending,
	}
	d.Turn = d.Number
	held := tx.heldBack(h.Endpoint)
	twice := false
	for _, r := range tx.rules() {
		if !r.wantsEvent(tx.catalog.Name, typ, h.Endpoint) || r.Effect.DropEveryNth != 0 {
			continue
		}
		if !r.turn() || r.Effect.Reorder && held != nil {
			r.record(tx, false)
			continue
		}
		r.record(tx, true)
		switch {
		case r.Effect.Reorder:
			d.Turn = 0
		case r.Effect.Duplicate:
			twice = true
		case r.Effect.DelaySeconds != 0:
			d.Due = min(int64(tx.Now())+r.Effect.DelaySeconds, ClockMax)
		}
	}
	switch {
	case held != nil: // it comes behind its successor, which is this one
		late := *held
		d.Turn, late.Turn = late.Number, d.Number
		tx.record(&projection.Counter{Name: heldCounter(h.Endpoint)})
		tx.record(&late)
	case d.Turn == 0:
		tx.record(&projection.Counter{Name: heldCounter(h.Endpoint), Value: d.Number})
	}
	tx.record(&d)
	if twice || mutant.Is("event-queued-twice") {
		again := d
		again.Number++
		again.Turn = again.Number
		tx.record(&again)
	}
}

// keepEvents keeps what the deliveries that are new take from other rows than
// their events. It is called whenever something is done with: a request, an
// operation, one object that time acted on; so it does not matter how often a
// clock stops on its way.
func (tx *Tx) keepEvents() {
	catalog := tx.catalog
	for ; tx.kept < len(tx.facts); tx.kept++ {
		d, ok := tx.facts[tx.kept].(*projection.Delivery)
		if !ok || d.Attempts != 0 || d.Status != projection.Pending {
			continue
		}
		e := tx.Event(d.Event)
		for _, c := range tx.m.catalogs {
			if c.Name == e.API && c.Keep != nil {
				tx.catalog = c
				c.Keep(tx, e, d.Version)
			}
		}
	}
	tx.catalog = catalog
}

// heldCounter holds the number of the delivery that an endpoint's next one
// overtakes, 0 for none.
func heldCounter(endpoint string) string { return "webhook.held." + endpoint }

// heldBack is the delivery that the endpoint's next one overtakes, nil for none.
func (tx *Tx) heldBack(endpoint string) *projection.Delivery {
	n := tx.st.Counter(heldCounter(endpoint))
	if n == 0 {
		return nil
	}
	d := tx.st.Delivery(n)
	if d == nil || d.Status != projection.Pending || d.Turn != 0 {
		return nil
	}
	return d
}

// Undeliver fails the pending deliveries of an endpoint that is no more.
func (tx *Tx) Undeliver(endpoint string) {
	if !tx.st.HasPending() {
		return
	}
	for _, d := range tx.st.PendingDeliveries() {
		if d.Endpoint != endpoint {
			continue
		}
		lost := *d
		lost.Status, lost.Due, lost.Outcome = projection.Failed, 0, OutcomeDeleted
		tx.record(&lost)
	}
}

// Emits reports whether executing a command could emit events, and so must know
// the operator's endpoint.
func (m *Machine) Emits(cmd *Command) bool {
	switch cmd.Op {
	case "":
		return cmd.Method != "GET" || m.Spec.AutoTickSeconds != 0
	case DelayOp, "deliver", "mark", "scenario.add", "scenario.rm":
		return false
	}
	return true
}

// DerivedID is an id that parent implies under label.
func (s Spec) DerivedID(prefix string, digits int, parent, label string) string {
	return derivedID(prefix, s.SeedHash, parent, label, digits)
}

// FitsEvents reports whether a pattern is well formed and fits the type of an event
// that one of the catalogs delivers; api, if not "", is the only one that counts.
func FitsEvents(pattern, api string, catalogs []*Catalog) bool {
	word, _ := strings.CutSuffix(pattern, "*")
	for i := range len(word) {
		c := word[i]
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '_' && c != '.' {
			return false
		}
	}
	for _, c := range catalogs {
		if c.Delivery == nil || api != "" && api != c.Name {
			continue
		}
		if c.EventTypes == nil {
			return true
		}
		for _, typ := range c.EventTypes() {
			if MatchType(pattern, typ) && typ != "*" {
				return true
			}
		}
	}
	return false
}
