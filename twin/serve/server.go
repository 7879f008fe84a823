package serve

import (
	"context"
	"net"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/gorilla/mux"

	"worlds/twin"
)

// NewRouter returns a router that leaves paths as they come: no cleaning, no
// redirects.
func NewRouter() *mux.Router {
	return mux.NewRouter().SkipClean(true).StrictSlash(false)
}

// NewServer returns an http.Server with the shell's limits and timeouts. There is
// no write timeout: dumps and streams take as long as their reader.
func NewServer(h http.Handler) *http.Server {
	return &http.Server{
		Handler:           h,
		MaxHeaderBytes:    HeaderBytesMax,
		ReadHeaderTimeout: ReadHeaderTimeout,
		ReadTimeout:       ReadTimeout,
		IdleTimeout:       IdleTimeout,
		// OPTIONS * is a request like any other.
		DisableGeneralOptionsHandler: true,
	}
}

// Server is an http.Server that reads the plain requests of agents by itself, each
// connection in a lane, and answers in JSON what net/http refuses before any handler.
// With the first request that is not plain, a connection goes over to net/http, for
// good and with all that it has sent.
type Server struct {
	*http.Server
	catalogs []*twin.Catalog

	ending atomic.Bool
	mu     sync.Mutex
	lanes  map[*lane]struct{}
	ended  chan struct{} // closed once ending and without lanes
}

// NewTwinServer returns a Server, with the limits of NewServer, of a handler that has
// the catalogs' prefixes mounted. What net/http refuses has no path yet: it is worded
// by the first catalog.
func NewTwinServer(h http.Handler, catalogs []*twin.Catalog) *Server {
	return &Server{Server: NewServer(h), catalogs: catalogs, lanes: map[*lane]struct{}{}, ended: make(chan struct{})}
}

// Serve serves the connections of l until Shutdown or Close.
func (s *Server) Serve(l net.Listener) error {
	return s.Server.Serve(newListener(l, s))
}

// Shutdown lets the requests in flight finish, for as long as ctx allows.
func (s *Server) Shutdown(ctx context.Context) error {
	s.endLanes((*lane).endIdle)
	if err := s.Server.Shutdown(ctx); err != nil {
		return err
	}
	select {
	case <-s.ended:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Close closes every connection at once.
func (s *Server) Close() error {
	s.endLanes((*lane).end)
	return s.Server.Close()
}

// enter lists a lane; false if the server ends.
func (s *Server) enter(l *lane) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ending.Load() {
		return false
	}
	s.lanes[l] = struct{}{}
	return true
}

func (s *Server) leave(l *lane) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.lanes, l)
	if s.ending.Load() && len(s.lanes) == 0 {
		close(s.ended)
	}
}

// endLanes lets no lane begin any more and ends those that are there.
func (s *Server) endLanes(end func(*lane)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.ending.Swap(true) && len(s.lanes) == 0 {
		close(s.ended)
	}
	for l := range s.lanes {
		end(l)
	}
}
