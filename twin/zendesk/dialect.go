package zendesk

import (
	"slices"
	"strings"

	"worlds/journal/canon"
	"worlds/projection"
	"worlds/twin"
)

// prefix is where the API stands.
const prefix = "/api/v2"

func dialect() twin.Dialect {
	return twin.Dialect{
		JSON:       true,
		Lenient:    true,
		Canonical:  canonical,
		Admit:      admit,
		Idempotent: func(r *twin.Route) bool { return r.Pattern == prefix+"/tickets" },

		EventPrefix: "zen", EventDigits: 24,
		DefaultVersion: "v2",
		Version:        func(string) *twin.Error { return nil },
		Refuse:         refuse,
		NoRoute:        noRoute,
		NotExpandable:  func(path string, _ bool) *twin.Error { return errPage("cannot include " + path) },
		TooDeep:        func(path string) *twin.Error { return errPage("cannot include " + path) },
		KeyReused:      errKeyReused,
		KeyTooLong:     errKeyTooLong,
		Unserved:       errUnserved,
		TickRefused:    errTick,
		Internal:       errInternal,
		Meta:           func(_ *twin.Tx, previous canon.Raw) canon.Raw { return canon.Marshal(&eventMeta{Previous: previous}) },
		Event:          RenderEvent,
		Fault:          fault,
		Export:         exportSeed,
		Cover:          cover,
		Lacks:          lacks,
	}
}

// canonical takes the suffix off a path, and knows PATCH as PUT.
func canonical(method, path string) (string, string) {
	if method == "PATCH" {
		method = "PUT"
	}
	return method, strings.TrimSuffix(path, ".json")
}

// areas are what Zendesk has below its prefix, in order. A path below one that
// the twin lacks is refused as unserved, any other as unknown.
var areas = [...]string{
	"account", "activities", "any_channel", "apps", "attachments", "audit_logs", "automations", "bookmarks", "brands", "channels",
	"chat", "comment_redactions", "custom_objects", "custom_roles", "custom_statuses", "deleted_tickets", "deleted_users",
	"dynamic_content", "email_notifications", "group_memberships", "group_slas", "groups", "guide", "help_center", "imports", "incremental",
	"job_statuses", "locales", "macros", "oauth", "object_layouts", "organization_fields", "organization_memberships",
	"organization_merges", "organization_subscriptions", "organizations", "problems", "push_notification_devices", "queues",
	"recipient_addresses", "relationships", "requests", "resource_collections", "routing", "satisfaction_ratings",
	"satisfaction_reasons", "search", "sessions", "sharing_agreements", "side_conversations", "skips", "slas", "suspended_tickets",
	"tags", "target_failures", "targets", "ticket_audits", "ticket_content_pins", "ticket_fields", "ticket_forms",
	"ticket_metrics", "tickets", "triggers", "trigger_categories", "uploads", "user_fields", "users", "views", "webhooks", "workspaces",
}

func noRoute(method, path string) *twin.Error {
	area, _, _ := strings.Cut(strings.TrimPrefix(path, prefix+"/"), "/")
	if slices.Contains(areas[:], area) && !strings.HasSuffix(path, "/") {
		return errUnserved(method + " " + path)
	}
	return errNoRoute()
}

// eventMeta is what an event keeps beside its object.
type eventMeta struct {
	Previous canon.Raw `json:"previous,omitempty"`
}

// RenderEvent is an event of the world's log, canonical. Zendesk's own events are
// for its webhooks, which the twin does not send.
func RenderEvent(e *projection.EventRow) canon.Raw {
	previous, _ := canon.Get(e.Meta, "previous")
	parts := []part{
		{"created_at", canon.AppendString(nil, string(stampOf(twin.Time(e.Created))))},
		{"detail", e.Object},
		{"id", canon.AppendString(nil, e.ID)},
		{"type", canon.AppendString(nil, e.Type)},
	}
	if previous != nil {
		parts = append(parts, part{"previous", previous})
	}
	return object(parts...)
}
