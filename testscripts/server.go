package testscripts

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"worlds/admin"
	"worlds/journal/store"
	"worlds/twin"
	"worlds/twin/serve"
	"worlds/twin/stripe"
	"worlds/twin/world"
	"worlds/twin/zendesk"
)

// Server is a whole server in this process: journal, twins and admin.
type Server struct {
	URL     string
	Handler http.Handler
	Admin   *admin.Server
	Host    *world.Host
	store   journalStore
	http    *http.Server
	done    chan error
}

// ServerOptions are for StartServer.
type ServerOptions struct {
	Dir        string
	Durability store.Durability
	Logger     *slog.Logger
	Hook       world.Hook
	// StoreHook and SegmentBytes are those of the journal's store.
	StoreHook    func(store.Point) error
	SegmentBytes int64
	// Memory, if not nil, keeps the journal instead of Dir, and is left open.
	Memory *store.Memory
	// RootToken, if not "", opens everything.
	RootToken string
	// Offline takes no port: requests go to the server's Handler.
	Offline bool
	// Webhooks and Queue are those of admin.Options.
	Webhooks http.RoundTripper
	Queue    func(*world.World)
	// Wrap, if not nil, stands between the clients and the server: a judge of every
	// answer.
	Wrap func(http.Handler) http.Handler
}

// journalStore is a journal that this process has opened.
type journalStore interface {
	world.Journal
	Close() error
}

// Catalogs are the twins a scenario's server has.
func Catalogs() []*twin.Catalog { return []*twin.Catalog{stripe.Catalog(), zendesk.Catalog()} }

// left is a journal that its server leaves open.
type left struct{ *store.Memory }

// Close leaves it open.
func (left) Close() error { return nil }

func (opt *ServerOptions) open() (journalStore, error) {
	if opt.Memory != nil {
		return left{opt.Memory}, nil
	}
	return store.Open(opt.Dir, store.Options{
		Durability: opt.Durability, Logger: opt.Logger, Hook: opt.StoreHook, SegmentBytes: opt.SegmentBytes,
	})
}

// StartServer opens the journal in Dir and serves on a free port of 127.0.0.1.
func StartServer(opt ServerOptions) (*Server, error) {
	if opt.Logger == nil {
		opt.Logger = slog.New(slog.DiscardHandler)
	}
	st, err := opt.open()
	if err != nil {
		return nil, err
	}
	s := &Server{store: st, done: make(chan error, 1)}
	s.Host = world.NewHost(st, world.Options{Catalogs: Catalogs(), Logger: opt.Logger, Hook: opt.Hook})
	if s.Admin, err = admin.New(s.Host, admin.Options{Open: true, RootToken: opt.RootToken, Logger: opt.Logger, Webhooks: opt.Webhooks, Queue: opt.Queue}); err != nil {
		_ = st.Close()
		return nil, err
	}
	router := serve.NewRouter()
	shell := serve.NewShell(s.Admin.Resolve, opt.Logger)
	shell.Mount(router, s.Host.Catalogs())
	s.Admin.Mount(router)
	s.Handler = router
	if opt.Wrap != nil {
		s.Handler = opt.Wrap(router)
	}
	if opt.Offline {
		s.URL = offlineURL
		s.Admin.SetBaseURL(s.URL)
		return s, nil
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		_ = st.Close()
		return nil, err
	}
	s.URL = "http://" + listener.Addr().String()
	s.Admin.SetBaseURL(s.URL)
	s.http = serve.NewServer(s.Handler)
	go func() { s.done <- s.http.Serve(serve.NewListener(listener, s.Host.Catalogs()[0])) }()
	return s, nil
}

// offlineURL is how a server is called that takes no port.
const offlineURL = "http://worlds.example"

// Compact compacts a journal on disk while the server goes on.
func (s *Server) Compact() error {
	if st, ok := s.store.(*store.Store); ok {
		return st.Compact()
	}
	return nil
}

// stopWait bounds how long a stop waits for requests in flight.
const stopWait = 5 * time.Second

// Stop drains the requests and closes the journal.
func (s *Server) Stop() error {
	if s.http != nil {
		ctx, cancel := context.WithTimeout(context.Background(), stopWait)
		defer cancel()
		if err := s.http.Shutdown(ctx); err != nil {
			_ = s.http.Close()
		}
		if err := <-s.done; !errors.Is(err, http.ErrServerClosed) {
			return err
		}
	}
	s.Admin.Close()
	if err := s.store.Close(); err != nil {
		return fmt.Errorf("closing the journal: %w", err)
	}
	return nil
}
