package admin

import (
	"crypto/subtle"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"

	"github.com/gorilla/mux"
	"github.com/prometheus/client_golang/prometheus"

	"worlds/seed"
	"worlds/twin/webhook"
	"worlds/twin/world"
)

// Server is the admin API of one Host. It is safe for concurrent use.
type Server struct {
	host     *world.Host
	registry *registry
	opt      Options
	root     string // digest of the root token, "" for none
	metrics  *metrics
	allow    webhook.Allow
	// Deliverer sends the events of the worlds.
	Deliverer *webhook.Deliverer
	ending    chan struct{} // closed when streams are to end
	endOnce   sync.Once
	parsed    sync.Map // seeds of the library that were asked for, parsed, by name
}

// Options are for New.
type Options struct {
	// RootToken opens everything; "" for none.
	RootToken string
	// Open lets anybody create and list worlds: on loopback.
	Open bool
	// BaseURL is how clients reach the server, "http://127.0.0.1:7357".
	BaseURL string
	// AdminURL is where the admin API is, when that is elsewhere.
	AdminURL string
	Logger   *slog.Logger // nil discards
	// WebhookHosts are hosts that events may be sent to beside this machine's own.
	WebhookHosts []string
	// Webhooks, if not nil, takes the place of the network for deliveries.
	Webhooks http.RoundTripper
	// NoAuthoring refuses new seeds: worlds start from the library and from what was
	// published before.
	NoAuthoring bool
	// ForksMax is how many forks one world may have, 0 for the usual number.
	ForksMax int
	// Queue is the Deliverer's; nil lets it deliver by itself.
	Queue func(*world.World)
	// Library looks up a seed by name; nil means the built-in one.
	Library func(name string) (*seed.Seed, error)
}

// New folds the registry from the server's own stream. It reads no world.
func New(h *world.Host, opt Options) (*Server, error) {
	if opt.Logger == nil {
		opt.Logger = slog.New(slog.DiscardHandler)
	}
	if opt.Library == nil {
		opt.Library = seed.Lookup
	}
	s := &Server{host: h, registry: newRegistry(), opt: opt, ending: make(chan struct{})}
	if opt.RootToken != "" {
		s.root = digest(opt.RootToken)
	}
	if err := s.registry.load(h); err != nil {
		return nil, err
	}
	s.metrics = newMetrics(s)
	s.allow = webhook.Allow{Hosts: opt.WebhookHosts, Ports: s.ports}
	sender := webhook.NewSender(s.allow)
	if opt.Webhooks != nil {
		sender = webhook.NewSenderOver(opt.Webhooks)
	}
	s.Deliverer = webhook.NewDeliverer(sender, h.Catalogs(), opt.Logger)
	s.Deliverer.Queue = opt.Queue
	h.SetDeliver(s.Deliverer.Wake)
	return s, nil
}

// EndStreams ends all live streams, which never end by themselves, so that a server
// can drain. Their readers can resume.
func (s *Server) EndStreams() { s.endOnce.Do(func() { close(s.ending) }) }

// Close ends the delivery of events. It must be called before the journal closes.
func (s *Server) Close() { s.Deliverer.Close() }

// ports are those the server listens on, as far as it knows.
func (s *Server) ports() (all []uint16) {
	for _, at := range []string{s.opt.BaseURL, s.opt.AdminURL} {
		u, err := url.Parse(at)
		if err != nil {
			continue
		}
		if n, err := strconv.ParseUint(u.Port(), 10, 16); err == nil {
			all = append(all, uint16(n))
		}
	}
	return all
}

// SetBaseURL says how clients reach the server, once the port is known.
func (s *Server) SetBaseURL(url string) { s.opt.BaseURL = url }

// Resolve finds the world of an API key. It is the twins' resolver.
func (s *Server) Resolve(api, secret string) (world.Origin, bool) {
	key := fingerprintOf(secret)
	s.registry.mu.RLock()
	defer s.registry.mu.RUnlock()
	o, ok := s.registry.byKey[key]
	if !ok || o.api != "" && o.api != api {
		return world.Origin{}, false
	}
	return world.Origin{World: o.entry.world, Actor: o.label, Expires: o.expires}, true
}

// Observe counts an answer of a twin; it is the shell's observer.
func (s *Server) Observe(api string, status int) { s.metrics.observe(api, status) }

// Registry holds the collectors behind /metrics.
func (s *Server) Registry() *prometheus.Registry { return s.metrics.registry }

// Mount adds the admin routes to a router. Whatever no route matches is answered
// as a problem.
func (s *Server) Mount(r *mux.Router) {
	for _, route := range routes() {
		// The path first: a router that has matched the method forgets that it missed one.
		r.Path(route.path).Methods(route.method).Handler(s.handler(&route))
	}
	missing := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		problem(http.StatusNotFound, "no-such-route", "there is no route %s %s", r.Method, r.URL.Path).write(w)
	})
	r.NotFoundHandler = missing
	methods := methodsByPath()
	r.MethodNotAllowedHandler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Allow", strings.Join(methods(r), ", "))
		problem(http.StatusMethodNotAllowed, "no-such-method", "%s is not a method of %s", r.Method, r.URL.Path).write(w)
	})
}

// methodsByPath tells which methods the path of a request has. What it knows that by
// is made when it is first asked, not while a server starts.
func methodsByPath() func(*http.Request) []string {
	paths := sync.OnceValue(func() (paths []*mux.Route) {
		alone := mux.NewRouter()
		for _, route := range routes() {
			paths = append(paths, alone.Path(route.path))
		}
		return paths
	})
	return func(r *http.Request) (methods []string) {
		for i, route := range routes() {
			if paths()[i].Match(r, &mux.RouteMatch{}) {
				methods = append(methods, route.method)
			}
		}
		return methods
	}
}

// handler wraps a route with its access rule and its errors.
func (s *Server) handler(route *route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			switch p := recover(); p {
			case nil:
			case http.ErrAbortHandler:
				panic(p) // the connection is to be cut
			default:
				s.opt.Logger.Error("admin request panicked", "path", r.URL.Path, "panic", p)
				problem(http.StatusInternalServerError, "internal", "the server failed to answer").write(w)
			}
		}()
		c := &call{s: s, w: w, r: r}
		if err := s.admit(c, route); err != nil {
			problemOf(err).write(w)
			return
		}
		if err := c.check(route); err != nil {
			problemOf(err).write(w)
			return
		}
		if err := c.handle(route); err != nil {
			problemOf(err).write(w)
		}
		if c.world != nil {
			c.world.Answered()
		}
	})
}

// admit checks the caller's token and finds the world a route is about.
func (s *Server) admit(c *call, route *route) error {
	token, given := bearer(c.r)
	root := s.root != "" && given && equal(digest(token), s.root)
	ref, onWorld := mux.Vars(c.r)["world"]
	switch {
	case route.access == anyone, root && !onWorld:
		return nil
	case route.access == creator && s.opt.Open:
		return nil
	case !onWorld:
		return problem(http.StatusUnauthorized, "unauthorized", "this needs the root token")
	}
	e, p := s.registry.find(ref)
	switch {
	case p != nil && (root || s.opt.Open):
		return p
	case p != nil, !root && (!given || !equal(digest(token), e.token)):
		return problem(http.StatusUnauthorized, "unauthorized", "this needs the world's admin token or the root token")
	}
	c.entry, c.world = e, e.world
	return nil
}

func equal(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

func bearer(r *http.Request) (string, bool) {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	return strings.TrimSpace(token), strings.EqualFold(scheme, "bearer") && token != ""
}
