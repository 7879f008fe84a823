package stripe

import (
	"slices"
	"strings"

	"worlds/journal/canon"
	"worlds/journal/mutant"
	"worlds/projection"
	"worlds/twin"
	"worlds/twin/stripe/spec"
)

// WebhookEndpoint is where an agent has events sent. Secret is shown once, when it
// is made; it derives from the id.
type WebhookEndpoint struct {
	APIVersion    *string           `json:"api_version"`
	Application   canon.Raw         `json:"application"`
	Created       twin.Time         `json:"created"`
	Description   *string           `json:"description"`
	EnabledEvents []string          `json:"enabled_events"`
	ID            string            `json:"id"`
	Livemode      bool              `json:"livemode"`
	Metadata      map[string]string `json:"metadata"`
	Object        string            `json:"object"`
	Secret        string            `json:"secret,omitempty"`
	Status        string            `json:"status"`
	URL           string            `json:"url"`
}

// The states of an endpoint.
const (
	endpointEnabled  = "enabled"
	endpointDisabled = "disabled"
)

// Limits and shapes of endpoints.
const (
	webhookEndpointsMax  = 16
	webhookURLMax        = 5000
	signingSecretPrefix  = "whsec"
	signingSecretDigits  = 32
	webhookEndpointNoun  = "webhook endpoint"
	webhookEndpointParam = "webhook_endpoint"
)

var webhookEndpoints = twin.Resource[WebhookEndpoint]{
	Kind:  twin.Kind{Table: "stripe.webhook_endpoint", Object: "webhook_endpoint", Prefix: "we", Digits: 24},
	Key:   func(e *WebhookEndpoint) string { return e.ID },
	Terms: func(e *WebhookEndpoint) []string { return []string{"status=" + e.Status} },
}

func webhookEndpointAPI() twin.API {
	return twin.API{
		Kind: webhookEndpoints.Kind,
		Routes: []twin.Route{
			twin.On("POST /v1/webhook_endpoints", createWebhookEndpoint),
			twin.On("GET /v1/webhook_endpoints", listWebhookEndpoints),
			twin.On("GET /v1/webhook_endpoints/{id}", retrieveWebhookEndpoint),
			twin.On("POST /v1/webhook_endpoints/{id}", updateWebhookEndpoint),
			twin.On("DELETE /v1/webhook_endpoints/{id}", deleteWebhookEndpoint),
		},
	}
}

// hooks lists the enabled endpoints with their addresses and secrets.
func hooks(st *projection.State, w twin.Spec) []twin.Hook {
	if st.Len(webhookEndpoints.Table) == 0 {
		return nil
	}
	var out []twin.Hook
	rows := st.OldestWith(webhookEndpoints.Table, "status="+endpointEnabled, 0)
	if mutant.Is("hears-when-disabled") {
		rows = st.Oldest(webhookEndpoints.Table, 0)
	}
	for row := range rows {
		e := webhookEndpoints.Decode(row)
		h := twin.Hook{Endpoint: e.ID, Events: e.EnabledEvents, URL: e.URL, Secret: w.DerivedID(signingSecretPrefix, signingSecretDigits, e.ID, "secret")}
		if e.APIVersion != nil {
			h.Version = *e.APIVersion
		}
		out = append(out, h)
	}
	return out
}

type createWebhookEndpointParams struct {
	APIVersion    twin.Opt[string]        `param:"api_version"`
	Description   twin.Opt[string]        `param:"description" rule:"empty"`
	EnabledEvents twin.Opt[[]string]      `param:"enabled_events" rule:"required"`
	Metadata      twin.Opt[twin.Metadata] `param:"metadata"`
	URL           twin.Opt[string]        `param:"url" rule:"required"`
}

// Check refuses what no endpoint can have.
func (p *createWebhookEndpointParams) Check() *twin.Error {
	if p.APIVersion.Given() {
		switch err := checkVersion(p.APIVersion.V); {
		case err != nil && err.Status == 400:
			return invalid("api_version", "Invalid Stripe API version: %s", p.APIVersion.V)
		case err != nil:
			return err
		}
	}
	return checkEndpoint(p.URL, p.EnabledEvents)
}

func createWebhookEndpoint(tx *twin.Tx, p *createWebhookEndpointParams) (twin.Doc, *twin.Error) {
	if tx.State().Len(webhookEndpoints.Table) >= webhookEndpointsMax {
		return twin.Doc{}, invalid("", "You have reached the maximum of %d test webhook endpoints.", webhookEndpointsMax)
	}
	e := WebhookEndpoint{
		ID: webhookEndpoints.NewID(tx), Object: webhookEndpoints.Object, Created: tx.Now(),
		EnabledEvents: p.EnabledEvents.V, Status: endpointEnabled, URL: p.URL.V,
	}
	p.APIVersion.Apply(&e.APIVersion)
	p.Description.Apply(&e.Description)
	var err *twin.Error
	if e.Metadata, err = applyMetadata(map[string]string{}, p.Metadata); err != nil {
		return twin.Doc{}, err
	}
	webhookEndpoints.Put(tx, &e)
	e.Secret = tx.DerivedID(signingSecretPrefix, signingSecretDigits, e.ID, "secret")
	return twin.Doc{Body: canon.Marshal(&e)}, nil
}

type listWebhookEndpointsParams struct{ page }

func listWebhookEndpoints(tx *twin.Tx, p *listWebhookEndpointsParams) (twin.Doc, *twin.Error) {
	return list(tx, webhookEndpoints.Kind, webhookEndpointNoun, "/v1/webhook_endpoints", p.page, filter{})
}

type retrieveWebhookEndpointParams struct {
	ID string `path:"id"`
}

func retrieveWebhookEndpoint(tx *twin.Tx, p *retrieveWebhookEndpointParams) (twin.Doc, *twin.Error) {
	doc, ok := webhookEndpoints.Doc(tx, p.ID)
	if !ok {
		return twin.Doc{}, errNoSuch(webhookEndpointNoun, webhookEndpointParam, p.ID)
	}
	return doc, nil
}

type updateWebhookEndpointParams struct {
	ID            string                  `path:"id"`
	Description   twin.Opt[string]        `param:"description" rule:"empty"`
	Disabled      twin.Opt[bool]          `param:"disabled"`
	EnabledEvents twin.Opt[[]string]      `param:"enabled_events"`
	Metadata      twin.Opt[twin.Metadata] `param:"metadata"`
	URL           twin.Opt[string]        `param:"url"`
}

// Check refuses what no endpoint can have.
func (p *updateWebhookEndpointParams) Check() *twin.Error {
	return checkEndpoint(p.URL, p.EnabledEvents)
}

func updateWebhookEndpoint(tx *twin.Tx, p *updateWebhookEndpointParams) (twin.Doc, *twin.Error) {
	e, ok := webhookEndpoints.Get(tx, p.ID)
	if !ok {
		return twin.Doc{}, errNoSuch(webhookEndpointNoun, webhookEndpointParam, p.ID)
	}
	now := *e
	p.Description.Apply(&now.Description)
	now.URL = p.URL.Or(now.URL)
	now.EnabledEvents = p.EnabledEvents.Or(now.EnabledEvents)
	if p.Disabled.Given() {
		now.Status = endpointEnabled
		if p.Disabled.V {
			now.Status = endpointDisabled
		}
	}
	var err *twin.Error
	if now.Metadata, err = applyMetadata(now.Metadata, p.Metadata); err != nil {
		return twin.Doc{}, err
	}
	doc, _, _ := webhookEndpoints.Replace(tx, &now)
	return doc, nil
}

type deleteWebhookEndpointParams struct {
	ID string `path:"id"`
}

// deleteWebhookEndpoint gives up what is still on its way to the endpoint.
func deleteWebhookEndpoint(tx *twin.Tx, p *deleteWebhookEndpointParams) (twin.Doc, *twin.Error) {
	if _, ok := webhookEndpoints.Get(tx, p.ID); !ok {
		return twin.Doc{}, errNoSuch(webhookEndpointNoun, webhookEndpointParam, p.ID)
	}
	webhookEndpoints.Delete(tx, p.ID)
	tx.Undeliver(p.ID)
	return twin.Doc{Body: deletedStub(p.ID, webhookEndpoints.Object)}, nil
}

// checkEndpoint refuses addresses that are none, and types of events that Stripe
// does not have.
func checkEndpoint(url twin.Opt[string], events twin.Opt[[]string]) *twin.Error {
	if url.Given() && !isWebAddress(url.V) {
		return invalidCode("url_invalid", "url", "Not a valid URL")
	}
	if events.Sent() && len(events.V) == 0 {
		return errMissing("enabled_events")
	}
	known := eventTypes()
	for i, typ := range events.V {
		if !slices.Contains(known, typ) {
			return invalid("enabled_events["+string(canon.AppendInt(nil, int64(i)))+"]", "Invalid enabled_events[%d]: %s is not a type of event", i, typ)
		}
	}
	return nil
}

func isWebAddress(s string) bool {
	rest, ok := strings.CutPrefix(s, "http://")
	if !ok {
		rest, ok = strings.CutPrefix(s, "https://")
	}
	host, _, _ := strings.Cut(rest, "/")
	return ok && host != "" && len(s) <= webhookURLMax && !strings.ContainsFunc(s, func(c rune) bool { return c <= ' ' || c == 0x7f })
}

// eventTypes lists the types of events that Stripe has, and *.
func eventTypes() []string {
	op, _, ok := spec.Lookup("POST", "/v1/webhook_endpoints")
	if !ok {
		return nil
	}
	p, _ := op.Param([]string{"enabled_events", "0"})
	for _, f := range p.Forms {
		if f.Kind == spec.Enum {
			return f.Values
		}
	}
	return nil
}
