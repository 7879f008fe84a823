package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"

	"worlds/admin"
	"worlds/journal/store"
	"worlds/seed"
	"worlds/twin/serve"
	"worlds/twin/world"
)

// benchServer is a server of this process, its worlds, and a bare handler beside
// it.
type benchServer struct {
	dir      string
	store    *store.Store
	operator *admin.Server
	addr     string
	floor    string
	worlds   []admin.CreatedWorld
	close    []func() error
	rounds   int // driven so far: idempotency keys differ between them
}

func startBench(dir, durability string, log *slog.Logger) (*benchServer, error) {
	s := &benchServer{dir: dir}
	level := store.Sync
	if durability == "relaxed" {
		level = store.Relaxed
	}
	var err error
	if s.store, err = store.Open(dir, store.Options{Durability: level, Logger: log}); err != nil {
		return nil, err
	}
	s.close = append(s.close, s.store.Close)
	host := world.NewHost(s.store, world.Options{Catalogs: catalogs(), Logger: log})
	if s.operator, err = admin.New(host, admin.Options{Open: true, Logger: log}); err != nil {
		return nil, errors.Join(err, s.stop())
	}
	s.close = append(s.close, func() error { s.operator.Close(); return nil })
	if s.addr, err = s.listen(newHandler(host, s.operator, log)); err != nil {
		return nil, errors.Join(err, s.stop())
	}
	if s.floor, err = s.listen(http.HandlerFunc(bare)); err != nil {
		return nil, errors.Join(err, s.stop())
	}
	return s, nil
}

// listen serves a handler on a free port of this machine.
func (s *benchServer) listen(h http.Handler) (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	server := serve.NewServer(h)
	go func() { _ = server.Serve(l) }()
	s.close = append(s.close, server.Close)
	return l.Addr().String(), nil
}

// bare answers as many bytes as its query says, and does nothing else: what
// net/http itself costs.
func bare(w http.ResponseWriter, r *http.Request) {
	var n int
	_, _ = fmt.Sscan(r.URL.RawQuery, &n) // 0 where it is no number
	h := w.Header()
	h["Content-Type"] = []string{"application/json"}
	h["Content-Length"] = []string{fmt.Sprint(n)}
	_, _ = w.Write(zeros[:min(n, len(zeros))])
}

// zeros are what the bare handler answers.
var zeros [1 << 20]byte

// world makes one more world.
func (s *benchServer) world(doc *seed.Seed) error {
	created, err := s.operator.Create(doc, admin.CreateOptions{})
	if err == nil {
		s.worlds = append(s.worlds, *created)
	}
	return err
}

// live is a world by its place in the list.
func (s *benchServer) live(i int) (*world.World, error) {
	o, ok := s.operator.Resolve("stripe", s.worlds[i].Keys[0].Secret)
	if !ok {
		return nil, fmt.Errorf("world %s is not there", s.worlds[i].ID)
	}
	return o.World, nil
}

// stop ends what was started, the newest first, and removes the folder.
func (s *benchServer) stop() error {
	var errs []error
	for i := len(s.close) - 1; i >= 0; i-- {
		errs = append(errs, s.close[i]())
	}
	return errors.Join(append(errs, os.RemoveAll(s.dir))...)
}

// check drives all worlds at once by one script, each with keys of its own, and
// compares what they end in.
func (c *benchCmd) check(ctx context.Context, t *terminal) (err error) {
	s, err := c.server("sync")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	errs := make(chan error, len(s.worlds))
	for i := range s.worlds {
		go func() { errs <- s.script(i) }()
	}
	for range s.worlds {
		err = errors.Join(err, <-errs)
	}
	if err != nil {
		return err
	}
	ends := map[string]int{}
	var end string
	for i := range s.worlds {
		w, err := s.live(i)
		if err != nil {
			return err
		}
		v, err := w.View(ctx)
		if err != nil {
			return err
		}
		end = "head " + v.Hash.String() + "\ndump " + world.DumpHash(v.State)
		ends[end]++
	}
	if len(ends) != 1 {
		return coded(exitNo, fmt.Errorf("%d worlds of one script end in %d states", len(s.worlds), len(ends)))
	}
	_, err = fmt.Fprintf(t.out, "%d worlds, one state\n%s\n", len(s.worlds), end)
	return err
}
