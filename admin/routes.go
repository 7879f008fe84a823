package admin

import "net/http"

// access says who may call a route.
type access int

const (
	anyone  access = iota // health, metrics, the OpenAPI document
	creator               // anybody on loopback, otherwise the root token
	keeper                // the world's admin token or the root token
	rooted                // the root token
)

// route is one line of the admin API.
type route struct {
	method  string
	path    string
	access  access
	handle  func(*call) error
	summary string
	query   []string // names of query parameters
	takes   string   // schema of the request body, "" for none
	gives   string   // schema of the answer, "" for no content
	status  int
	media   string // "" for JSON
}

const (
	jsonLines   = "application/jsonl"
	eventStream = "text/event-stream"
)

// routes is the admin API, in the order of the OpenAPI document.
func routes() []route {
	return append(serverRoutes(), append(append(worldRoutes(), deliveryRoutes()...), seedRoutes()...)...)
}

func serverRoutes() []route {
	return []route{
		{"GET", "/healthz", anyone, health, "The process answers", nil, "", "Health", 200, ""},
		{"GET", "/readyz", anyone, ready, "The journal takes entries", nil, "", "Health", 200, ""},
		{"GET", "/metrics", anyone, showMetrics, "Prometheus metrics", nil, "", "Text", 200, "text/plain"},
		{"GET", "/admin/openapi.json", anyone, showOpenAPI, "This document", nil, "", "Any", 200, ""},
		{"GET", "/admin/fidelity", anyone, showFidelity, "What the twins serve of their APIs, route by route", nil, "", "Any", 200, ""},
	}
}

func worldRoutes() []route {
	return []route{
		{"POST", "/admin/worlds", creator, createWorld, "Create a world from a seed", nil, "CreateWorld", "CreatedWorld", 201, ""},
		{"POST", "/admin/import", creator, importJournal, "Make an exported journal a world", []string{"name"}, "Lines", "CreatedWorld", 201, ""},
		{"POST", "/admin/backup", rooted, backupJournal, "Everything the server holds, as JSON Lines", nil, "", "Text", 200, jsonLines},
		{"GET", "/admin/worlds", creator, listWorlds, "List worlds", nil, "", "WorldList", 200, ""},
		{"GET", "/admin/worlds/{world}", keeper, showWorld, "Show a world", []string{"at"}, "", "World", 200, ""},
		{"DELETE", "/admin/worlds/{world}", keeper, deleteWorld, "Delete a world", nil, "", "", 204, ""},
		{"POST", "/admin/worlds/{world}/reset", keeper, resetWorld, "Take a world back to its genesis", nil, "", "World", 200, ""},
		{"GET", "/admin/worlds/{world}/clock", keeper, showClock, "The logical clock", []string{"at"}, "", "Clock", 200, ""},
		{"POST", "/admin/worlds/{world}/clock/advance", keeper, advanceClock, "Move the logical clock; everything due on the way happens",
			nil, "Advance", "Advanced", 200, ""},
		{"GET", "/admin/worlds/{world}/dump", keeper, dumpWorld, "The whole state, canonical", []string{"at"}, "", "Any", 200, ""},
		{"GET", "/admin/worlds/{world}/dump/hash", keeper, dumpHash, "The SHA-256 of the dump", []string{"at"}, "", "DumpHash", 200, ""},
		{"GET", "/admin/worlds/{world}/export-seed", keeper, exportSeed, "The world as a seed, and what the seed does not hold of it",
			[]string{"name", "at"}, "", "ExportedSeed", 200, ""},
		{"POST", "/admin/worlds/{world}/marks", keeper, addMark, "Name the present position", nil, "AddMark", "Mark", 201, ""},
		{"GET", "/admin/worlds/{world}/marks", keeper, listMarks, "List marks", []string{"at"}, "", "MarkList", 200, ""},
		{"GET", "/admin/worlds/{world}/diff", keeper, diffWorld, "What changed between two positions, with before-images",
			[]string{"from", "to"}, "", "Diff", 200, ""},
		{"GET", "/admin/worlds/{world}/events", keeper, listEvents, "The event log", []string{"at", "after", "limit"}, "", "EventList", 200, ""},
		{"GET", "/admin/worlds/{world}/requests", keeper, listRequests, "The request log", []string{"at", "after", "limit", "request"}, "", "RequestList", 200, ""},
		{"GET", "/admin/worlds/{world}/journal", keeper, listJournal, "Entries of the journal", []string{"at", "after", "limit"}, "", "Journal", 200, ""},
		{"GET", "/admin/worlds/{world}/journal/export", keeper, exportJournal, "The whole journal as JSON Lines, the genesis first",
			nil, "", "Text", 200, jsonLines},
		{"GET", "/admin/worlds/{world}/journal/{seq:[0-9]+}", keeper, showEntry, "One entry", nil, "", "Entry", 200, ""},
		{"GET", "/admin/worlds/{world}/stream/events", keeper, streamEvents, "Events as they become durable (server-sent events)",
			[]string{"after", "api", "type", "object"}, "", "Text", 200, eventStream},
		{"GET", "/admin/worlds/{world}/stream/journal", keeper, streamJournal, "Entries as they become durable (server-sent events)",
			[]string{"after", "actor"}, "", "Text", 200, eventStream},
		{"POST", "/admin/worlds/{world}/verify", keeper, verifyWorld, "Prove the chain and fold the facts", nil, "", "Report", 200, ""},
		{"POST", "/admin/worlds/{world}/replay", keeper, replayWorld, "Re-make the world and compare", nil, "Replay", "Report", 200, ""},
		{"POST", "/admin/worlds/{world}/fork", keeper, unlogged("fork", forkWorld), "Branch the world after an entry", nil, "Fork", "CreatedWorld", 201, ""},
		{"POST", "/admin/worlds/{world}/simulate", keeper, simulateWorld, "What a list of commands would do", nil, "Simulate", "Simulated", 200, ""},
		{"POST", "/admin/worlds/{world}/keys", keeper, unlogged("key.add", addKey), "Add an API key", nil, "AddKey", "Key", 201, ""},
		{"GET", "/admin/worlds/{world}/keys", keeper, listKeys, "List the labels of the keys", nil, "", "KeyList", 200, ""},
		{"DELETE", "/admin/worlds/{world}/keys/{label}", keeper, unlogged("key.remove", removeKey), "Remove an API key", nil, "", "", 204, ""},
	}
}

func deliveryRoutes() []route {
	return []route{
		{"PUT", "/admin/worlds/{world}/webhooks/endpoint", keeper, unlogged("endpoint.set", setEndpoint), "Set where events go", nil, "SetEndpoint", "Endpoint", 200, ""},
		{"GET", "/admin/worlds/{world}/webhooks/endpoint", keeper, showEndpoint, "Where events go", nil, "", "Endpoint", 200, ""},
		{"DELETE", "/admin/worlds/{world}/webhooks/endpoint", keeper, unlogged("endpoint.remove", removeEndpoint), "Send events nowhere", nil, "", "", 204, ""},
		{"POST", "/admin/worlds/{world}/webhooks/flush", keeper, flushWebhooks, "Deliver what is due now", nil, "", "Batch", 200, ""},
		{"GET", "/admin/worlds/{world}/webhooks/deliveries", keeper, listDeliveries, "The delivery ledger",
			[]string{"at", "after", "limit"}, "", "DeliveryList", 200, ""},
		{"POST", "/admin/worlds/{world}/webhooks/resend", keeper, resendEvent, "Deliver an event once more", nil, "Resend", "Batch", 200, ""},
		{"POST", "/admin/worlds/{world}/quiesce", keeper, quiesceWorld, "Wait until no request is in flight and nothing is due",
			nil, "", "Rest", 200, ""},
		{"POST", "/admin/worlds/{world}/scenarios", keeper, addRule, "Add a fault rule", nil, "AddRule", "Rule", 201, ""},
		{"GET", "/admin/worlds/{world}/scenarios", keeper, listRules, "The fault rules and their counts", []string{"at"}, "", "RuleList", 200, ""},
		{"DELETE", "/admin/worlds/{world}/scenarios/{rule}", keeper, removeRule, "Remove a fault rule", nil, "", "", 204, ""},
	}
}

func seedRoutes() []route {
	return []route{
		{"GET", "/admin/seeds", creator, listSeeds, "The library and what was published", nil, "", "SeedList", 200, ""},
		{"POST", "/admin/seeds", creator, publishSeed, "Publish a seed under its hash", nil, "Any", "Seed", 201, ""},
		{"GET", "/admin/seeds/{hash}", creator, showSeed, "A seed by hash or library name", nil, "", "Any", 200, ""},
	}
}

func health(c *call) error { return c.raw(http.StatusOK, []byte(`{"status":"ok"}`)) }

// ready answers 503 while the journal is sealed.
func ready(c *call) error {
	if err := c.s.host.Ready(); err != nil {
		return problem(http.StatusServiceUnavailable, "journal-unavailable", "%v", err)
	}
	return c.raw(http.StatusOK, []byte(`{"status":"ready"}`))
}
