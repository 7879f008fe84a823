package admin

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"worlds/journal/canon"
	"worlds/twin"
	"worlds/twin/world"
)

// EndpointInfo is the operator's endpoint of a world; the secret is shown when it
// is set.
type EndpointInfo struct {
	Label         string   `json:"label"` // what ledgers call it
	URL           string   `json:"url"`
	Secret        string   `json:"secret,omitempty"`
	EnabledEvents []string `json:"enabled_events"`
	APIVersion    string   `json:"api_version,omitempty"`
	AutoDeliver   bool     `json:"auto_deliver"`
	SignatureTime string   `json:"signature_time"`
	Warning       string   `json:"warning,omitempty"` // why nothing may arrive, when it is set
}

// The values of signature_time.
const (
	signWall    = "wall"
	signLogical = "logical"
)

// EndpointRequest sets the operator's endpoint. Without url there is none, and
// auto_deliver and signature_time hold for the endpoints that agents make.
type EndpointRequest struct {
	URL           string   `json:"url,omitempty"`
	Secret        string   `json:"secret,omitempty"` // kept, or made, when left out
	EnabledEvents []string `json:"enabled_events,omitempty"`
	APIVersion    string   `json:"api_version,omitempty"`
	AutoDeliver   *bool    `json:"auto_deliver,omitempty"`   // true when left out
	SignatureTime string   `json:"signature_time,omitempty"` // wall when left out
}

// endpointRecord is the endpoint in the server's own stream. The secret stands in
// it in clear, because every delivery is signed with it; it is harness identity and
// opens nothing.
type endpointRecord struct {
	URL     string   `json:"url,omitempty"`
	Secret  string   `json:"secret,omitempty"`
	Events  []string `json:"events,omitempty"`
	Version string   `json:"version,omitempty"`
	Auto    bool     `json:"auto,omitempty"`
	Logical bool     `json:"logical,omitempty"`
}

// live is the record as a world uses it.
func (e *endpointRecord) live() *world.Endpoint {
	if e == nil {
		return nil
	}
	return &world.Endpoint{URL: e.URL, Secret: e.Secret, Events: e.Events, Version: e.Version, Auto: e.Auto, Logical: e.Logical}
}

func (e *endpointRecord) info() *EndpointInfo {
	info := &EndpointInfo{
		Label: twin.EndpointLabel, URL: e.URL, EnabledEvents: e.Events, APIVersion: e.Version, AutoDeliver: e.Auto, SignatureTime: signWall,
	}
	if e.Logical {
		info.SignatureTime = signLogical
	}
	return info
}

// Limits of endpoints.
const (
	endpointEventsMax = 100
	endpointURLMax    = 2000
)

// record checks a request and fills in what it leaves out; old is the endpoint
// there is, nil for none. Paths of problems begin with at.
func (r *EndpointRequest) record(s *Server, old *endpointRecord, at string) (*endpointRecord, *Problem) {
	e := &endpointRecord{URL: r.URL, Secret: r.Secret, Events: r.EnabledEvents, Version: r.APIVersion, Auto: true}
	if r.AutoDeliver != nil {
		e.Auto = *r.AutoDeliver
	}
	switch r.SignatureTime {
	case "", signWall:
	case signLogical:
		e.Logical = true
	default:
		return nil, problem(http.StatusBadRequest, "invalid-endpoint", "signature_time is %q or %q", signWall, signLogical).at(at + ".signature_time")
	}
	if e.URL == "" {
		return e, nil
	}
	if p := s.checkURL(e.URL); p != nil {
		return nil, p.at(at + ".url")
	}
	if len(e.Events) == 0 {
		e.Events = []string{"*"}
	}
	if len(e.Events) > endpointEventsMax {
		return nil, problem(http.StatusBadRequest, "invalid-endpoint", "an endpoint lists at most %d types of events", endpointEventsMax).at(at + ".enabled_events")
	}
	for i, pattern := range e.Events {
		if !twin.FitsEvents(pattern, "", s.host.Catalogs()) {
			return nil, problem(http.StatusBadRequest, "invalid-endpoint", "no event delivered has a type like %q", pattern).
				at(at + ".enabled_events[" + string(canon.AppendInt(nil, int64(i))) + "]")
		}
	}
	if p := s.checkEndpointVersion(e.Version); p != nil {
		return nil, p.at(at + ".api_version")
	}
	switch {
	case e.Secret != "":
		if p := checkSecret(e.Secret); p != nil {
			return nil, p.at(at + ".secret")
		}
	case old != nil && old.Secret != "":
		e.Secret = old.Secret
	default:
		e.Secret = newSigningSecret()
	}
	return e, nil
}

func (s *Server) checkURL(text string) *Problem {
	u, err := url.Parse(text)
	if err == nil && u.Port() != "" {
		if n, bad := strconv.ParseUint(u.Port(), 10, 16); bad != nil || n == 0 {
			return problem(http.StatusBadRequest, "invalid-endpoint", "url has the port %s; ports are 1 to 65535", u.Port())
		}
	}
	switch {
	case err != nil, u.Scheme != "http" && u.Scheme != "https", u.Hostname() == "", u.User != nil, len(text) > endpointURLMax:
		return problem(http.StatusBadRequest, "invalid-endpoint", "url is http://host… or https://host…, without a user")
	case !s.allow.Hopeful(u.Hostname(), u.Host):
		return problem(http.StatusForbidden, "endpoint-forbidden",
			"this server sends to addresses of its own machine and to the hosts it was started with (--webhook-allow)")
	}
	return nil
}

// doubt says why events may not arrive at a URL that is not refused; "" if there is no
// reason to think so.
func (s *Server) doubt(text string) string {
	u, err := url.Parse(text)
	switch {
	case err != nil || text == "":
		return ""
	case s.allow.Own(u.Hostname(), u.Port()):
		return "this is the server itself, to which it sends nothing"
	case !s.allow.Certain(u.Hostname(), u.Host):
		return "this server sends there only if " + u.Hostname() + " is a name of its own machine; start it with --webhook-allow " + u.Hostname() + " to allow it"
	}
	return ""
}

// checkEndpointVersion refuses an API version in which no API renders events.
func (s *Server) checkEndpointVersion(version string) *Problem {
	if version == "" {
		return nil
	}
	for _, c := range s.host.Catalogs() {
		if c.Delivery != nil && c.Version(version) == nil && !strings.Contains(version, " ") {
			return nil
		}
	}
	return problem(http.StatusBadRequest, "invalid-endpoint", "events are not rendered in the API version %q", version)
}

func setEndpoint(c *call) error {
	var req EndpointRequest
	if err := body(c, &req); err != nil {
		return err
	}
	c.s.registry.changing.Lock()
	defer c.s.registry.changing.Unlock()
	record, p := req.record(c.s, c.entry.endpoint, "$")
	if p != nil {
		return p
	}
	if err := c.s.record(&change{Op: "endpoint", World: int64(c.entry.number), Endpoint: record}); err != nil {
		return err
	}
	c.s.Deliverer.Wake(c.world) // what waited for an endpoint, or for being told
	info := record.info()
	info.Secret, info.Warning = record.Secret, c.s.doubt(record.URL)
	return reply(c, http.StatusOK, info)
}

func showEndpoint(c *call) error {
	c.s.registry.mu.RLock()
	record := c.entry.endpoint
	c.s.registry.mu.RUnlock()
	if record == nil {
		return problem(http.StatusNotFound, "no-endpoint", "the world has no endpoint of the operator's")
	}
	return reply(c, http.StatusOK, record.info())
}

func removeEndpoint(c *call) error {
	c.s.registry.changing.Lock()
	defer c.s.registry.changing.Unlock()
	if err := c.s.record(&change{Op: "endpoint", World: int64(c.entry.number)}); err != nil {
		return err
	}
	return c.none()
}

func flushWebhooks(c *call) error {
	batch, err := c.s.Deliverer.Flush(c.r.Context(), c.world, nil)
	if err != nil {
		return err
	}
	return reply(c, http.StatusOK, batch)
}

func quiesceWorld(c *call) error {
	rest, err := c.s.Deliverer.Quiesce(c.r.Context(), c.world)
	if err != nil {
		return err
	}
	return reply(c, http.StatusOK, rest)
}

type deliveryList struct {
	Deliveries []twin.DeliveryInfo `json:"deliveries"`
	HasMore    bool                `json:"has_more"`
}

// listDeliveries answers the ledger, oldest first; after is the number of a row.
func listDeliveries(c *call) error {
	after, limit, err := c.page()
	if err != nil {
		return err
	}
	v, err := c.view()
	if err != nil {
		return err
	}
	list := deliveryList{Deliveries: []twin.DeliveryInfo{}}
	for d := range v.State.OldestDeliveries(after) {
		if len(list.Deliveries) == limit {
			list.HasMore = true
			break
		}
		info := twin.DeliveryInfoOf(d)
		if e := v.State.EventByID(d.Event); e != nil {
			info.Type = e.Type
		}
		list.Deliveries = append(list.Deliveries, info)
	}
	return reply(c, http.StatusOK, &list)
}

type resendRequest struct {
	Event    string `json:"event"`
	Endpoint string `json:"endpoint,omitempty"` // all that want it when left out
}

// resendEvent puts an event into the ledger once more and delivers it at once.
func resendEvent(c *call) error {
	var req resendRequest
	if err := body(c, &req); err != nil {
		return err
	}
	answer, err := c.operate("resend", twin.ResendArgs(req.Event, req.Endpoint))
	if err != nil {
		return err
	}
	var resent twin.Resent
	if err := canon.Unmarshal(answer.Body, &resent); err != nil {
		return err
	}
	batch, err := c.s.Deliverer.Flush(c.r.Context(), c.world, resent.Deliveries)
	if err != nil {
		return err
	}
	return reply(c, http.StatusOK, batch)
}
