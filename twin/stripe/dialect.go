package stripe

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"worlds/journal/canon"
	"worlds/twin"
	"worlds/twin/stripe/spec"
)

// Version is the API version of a world's account: requests that name none are
// answered in it, events are rendered in it.
const Version = "2026-08-26.dahlia"

func dialect() twin.Dialect {
	return twin.Dialect{
		EventPrefix: "evt", EventDigits: 24,
		ExpandParam:    "expand",
		DefaultVersion: Version,
		Version:        checkVersion,
		Refuse:         refuse,
		Reserved:       fixedPaths(),
		NoRoute:        noRoute,
		NotExpandable:  notExpandable,
		TooDeep:        tooDeep,
		KeyReused:      errKeyReused,
		KeyTooLong:     errKeyTooLong,
		Unserved:       func(what string) *twin.Error { return errUnserved(what, "") },
		TickRefused:    errTick,
		Internal:       errInternal,
		Meta:           eventMeta,
		Event:          RenderEvent,
		Delivery:       deliverEvent,
		Keep:           keepLinks,
		Shape:          shapeOf,
		Cover:          cover,
		Lacks:          lacks,
		Hooks:          hooks,
		EventTypes:     eventTypes,
		Fault:          fault,
		FaultNames:     faultNames,
		Export:         exportSeed,
	}
}

// train is a release that has a name, from its first version on.
type train struct{ from, name string }

// trains are those of Stripe's changelog. A version of one is dated before the next
// one begins.
var trains = [...]train{
	{"2024-09-30", "acacia"}, {"2025-03-31", "basil"}, {"2025-09-30", "clover"},
	{"2026-03-25", "dahlia"}, {"2026-09-30", "endive"},
}

// trainPreview is what previews are named by at all times.
const trainPreview = "preview"

// checkVersion accepts YYYY-MM-DD and YYYY-MM-DD.train from versionOldest on. The
// day need not be that of a release, but it must exist and be of that train; what
// comes after the trains known here may have any name.
func checkVersion(asked string) *twin.Error {
	day, train, dotted := strings.Cut(asked, ".")
	if !isDay(day) || dotted && !isTrain(day, train) {
		return invalid("", "Invalid Stripe API version: %s", asked)
	}
	if day < versionOldest {
		return errUnserved(fmt.Sprintf("API version %s; the oldest it answers in is %s", asked, versionOldest), "")
	}
	return nil
}

func isDay(s string) bool {
	_, err := time.ParseInLocation(time.DateOnly, s, time.UTC)
	return err == nil
}

// isTrain reports whether a version of the day can be of the train.
func isTrain(day, name string) bool {
	last := len(trains) - 1
	switch i := slices.IndexFunc(trains[:], func(t train) bool { return t.name == name }); {
	case i == last:
		return day >= trains[i].from
	case i >= 0:
		return day >= trains[i].from && day < trains[i+1].from
	case name == trainPreview:
		return day >= trains[0].from
	}
	return day >= trains[last].from && isWord(name)
}

func isWord(s string) bool {
	for i := range len(s) {
		if s[i] < 'a' || s[i] > 'z' {
			return false
		}
	}
	return s != ""
}

// fixedPaths lists the operations of Stripe that name no object in their path,
// /v1/customers/search among them.
func fixedPaths() []string {
	var out []string
	for _, op := range spec.Operations() {
		if !strings.Contains(op.Path, "{") {
			out = append(out, op.Method+" "+op.Path)
		}
	}
	return out
}

// noRoute tells what Stripe has and the twin lacks from what neither has.
func noRoute(method, path string) *twin.Error {
	if _, _, ok := spec.Lookup(method, path); ok {
		return errUnserved(method+" "+path, "")
	}
	return errNoRoute(method, path)
}

// refuseUnknown tells parameters that Stripe has in a version, and the twin lacks, from
// those that neither has; the latter are named first, as Stripe would.
func refuseUnknown(r *twin.Route, names []string, version string) *twin.Error {
	op, _, ok := spec.Lookup(r.Method, r.Pattern)
	var unserved, unknown []string
	for _, name := range names {
		if ok {
			_, real := op.Param(segments(name))
			if real || spec.Older(version[:len(versionOldest)], op.Method, op.Path, segments(name)) {
				unserved = append(unserved, name)
				continue
			}
		}
		unknown = append(unknown, name)
	}
	if len(unknown) > 0 {
		return errUnknown(unknown)
	}
	return errUnserved(fmt.Sprintf("the parameter %s of %s %s", strings.Join(unserved, ", "), r.Method, r.Pattern), unserved[0])
}

// isWordOf reports whether a value that the twin's table refuses is one of the
// words that Stripe has for the parameter.
func isWordOf(r *twin.Route, v *twin.Violation) bool {
	if v.Kind != twin.BadEnum && v.Kind != twin.BadInteger && v.Kind != twin.BadType {
		return false
	}
	op, _, ok := spec.Lookup(r.Method, r.Pattern)
	if !ok {
		return false
	}
	p, _ := op.Param(segments(v.Param))
	for _, f := range p.Forms {
		if f.Kind == spec.Enum && slices.Contains(f.Values, v.Value) {
			return true
		}
	}
	return false
}

// segments splits a bracket path.
func segments(param string) []string {
	return strings.Split(strings.ReplaceAll(param, "]", ""), "[")
}

// eventMetaDoc is what an event keeps beside its object.
type eventMetaDoc struct {
	APIVersion         string       `json:"api_version"`
	PendingWebhooks    int64        `json:"pending_webhooks"`
	PreviousAttributes canon.Raw    `json:"previous_attributes,omitempty"`
	Request            eventRequest `json:"request"`
}

type eventRequest struct {
	ID             *string `json:"id"`
	IdempotencyKey *string `json:"idempotency_key"`
}

// quietMeta is the meta of most of what time causes: nobody asked for it, nobody
// listens, and nothing says how it was before.
var quietMeta = canon.Marshal(&eventMetaDoc{APIVersion: Version})

func eventMeta(tx *twin.Tx, previous canon.Raw) canon.Raw {
	if previous == nil && tx.Request() == "" && tx.IdemKey() == "" && tx.Listeners() == 0 {
		return quietMeta
	}
	meta := eventMetaDoc{APIVersion: Version, PreviousAttributes: previous, PendingWebhooks: tx.Listeners()}
	if id := tx.Request(); id != "" {
		meta.Request.ID = &id
	}
	if key := tx.IdemKey(); key != "" {
		meta.Request.IdempotencyKey = &key
	}
	return canon.Marshal(&meta)
}
