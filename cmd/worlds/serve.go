package main

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"runtime/debug"
	"runtime/pprof"
	"slices"
	"time"

	"github.com/gorilla/mux"

	"worlds/admin"
	"worlds/journal/store"
	"worlds/seed"
	"worlds/twin/heap"
	"worlds/twin/serve"
	"worlds/twin/world"
)

type serveCmd struct {
	Seed         string        `placeholder:"SEED" help:"Make a world named default from this seed, unless there is one: a name of the library, a file, or - for stdin." predictor:"seed"`
	Data         string        `default:"./worlds-data" placeholder:"DIR" help:"Data folder (default ./worlds-data)." predictor:"folder"`
	Listen       string        `default:"127.0.0.1:7357" placeholder:"HOST:PORT" help:"Address (default 127.0.0.1:7357); port 0 takes any free one."`
	AdminListen  string        `placeholder:"HOST:PORT" help:"Address of its own for the admin API; by default it is beside the twins."`
	TLSCert      string        `name:"tls-cert" placeholder:"FILE" help:"Certificate (PEM), to serve https."`
	TLSKey       string        `name:"tls-key" placeholder:"FILE" help:"Its private key (PEM)."`
	Durability   string        `enum:"sync,relaxed" default:"sync" help:"sync: answer a change when it is on disk (default). relaxed: when it is written; it survives a killed process, not a power cut."`
	Key          string        `placeholder:"SECRET" help:"API key of the world default; made by default."`
	RootToken    string        `env:"WORLDS_ROOT_TOKEN" placeholder:"SECRET" help:"Token that opens everything; required to listen beyond loopback."`
	NoAuthoring  bool          `help:"Take no new seeds: worlds start from the library and from what was published before."`
	WebhookAllow []string      `placeholder:"HOST[:PORT]" help:"Send events to this host too, not only to this machine; * is anywhere. Repeatable."`
	UnloadAfter  time.Duration `default:"10m" placeholder:"TIME" help:"Take a world out of memory when nobody has used it for so long; it loads again when it is next used (default 10m, 0 for never)."`
	ForksMax     int           `default:"1000" placeholder:"N" help:"How many forks one world may have."`
	CPUProfile   string        `name:"cpu-profile" hidden:"" help:"Write a profile of the processor time to this file."`
	output
}

// Help is the long help of the verb.
func (*serveCmd) Help() string {
	return "It serves until SIGINT or SIGTERM, then waits for the requests in flight, at most " + drainBound.String() + "."
}

// defaultWorld is the name of the world that --seed makes.
const defaultWorld = "default"

// drainBound is how long an ending server waits for the requests in flight.
const drainBound = 10 * time.Second

// startedAfter is when a start is over, its work in the background included.
const startedAfter = time.Second

// profile writes a profile of the processor time until stop is called; with no path
// it does nothing.
func profile(path string) (stop func(), err error) {
	if path == "" {
		return func() {}, nil
	}
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() {
		pprof.StopCPUProfile()
		_ = f.Close()
	}, nil
}

// readiness is what serve prints for programs once it serves.
type readiness struct {
	URL        string `json:"url"`
	AdminURL   string `json:"admin_url"` // as url, unless the admin API has an address of its own
	Data       string `json:"data"`
	World      string `json:"world,omitempty"`
	Name       string `json:"name,omitempty"`
	Created    bool   `json:"created"` // the world was made by this start
	Key        string `json:"key,omitempty"`
	AdminToken string `json:"admin_token,omitempty"`

	Zendesk admin.Login `json:"zendesk,omitzero"`
}

// Run serves until the context ends.
func (c *serveCmd) Run(ctx context.Context, t *terminal) (err error) {
	if c.ForksMax < 1 {
		return usage("--forks-max %d: it is at least 1", c.ForksMax)
	}
	if c.Key != "" && c.Seed == "" {
		return usage("--key: it is the key of the world that --seed makes; there is no --seed")
	}
	if c.UnloadAfter < 0 {
		return usage("--unload-after %s: it is above zero, or 0 for never", c.UnloadAfter)
	}
	if c.RootToken != "" {
		if err := admin.CheckRootToken(c.RootToken); err != nil {
			return usage("--root-token (WORLDS_ROOT_TOKEN): %w", err)
		}
	}
	loopback, err := c.loopback()
	if err != nil {
		return err
	}
	certificate, err := c.certificate()
	if err != nil {
		return err
	}
	start, err := c.seed(t)
	if err != nil {
		return err
	}
	stop, err := profile(c.CPUProfile)
	if err != nil {
		return err
	}
	defer stop()
	log := slog.New(slog.NewTextHandler(t.err, nil))
	journal, ports, err := c.take(certificate, log)
	if err != nil {
		return err
	}
	defer func() {
		if closed := journal.Close(); err == nil {
			err = closed
		}
	}()
	defer ports.close()
	host := world.NewHost(journal, world.Options{Catalogs: catalogs(), Logger: log})
	ready := readiness{Data: c.Data}
	ready.URL, ready.AdminURL = ports.urls()
	operator, err := admin.New(host, admin.Options{RootToken: c.RootToken, Open: loopback, BaseURL: ready.URL, AdminURL: ready.AdminURL, Logger: log, WebhookHosts: c.WebhookAllow, NoAuthoring: c.NoAuthoring,
		ForksMax: c.ForksMax})
	if err != nil {
		return coded(exitDamaged, prefixed("--data "+c.Data, err))
	}
	defer operator.Close()
	if start != nil {
		if err := c.ensure(t, operator, start, &ready); err != nil {
			return err
		}
	}
	noteURL(t, operator.Worlds(), ready.AdminURL)
	defer unloadIdle(host, c.UnloadAfter)()
	if err := c.announce(t, &ready, operator.Worlds()); err != nil {
		return err
	}
	go heap.Settle()                                 // not before: a start is quickest in a small heap
	time.AfterFunc(startedAfter, debug.FreeOSMemory) // a start needs several times what a server at rest does
	return ports.serve(ctx, host, operator, log)
}

// take opens the folder and the ports. The folder first: who finds it in use is told
// so, and has taken no port. But a folder that is still to be made comes last, for a
// start that finds its port in use leaves nothing behind.
func (c *serveCmd) take(certificate *tls.Certificate, log *slog.Logger) (journal *store.Store, ports *listeners, err error) {
	found, _ := os.ReadDir(c.Data)
	isNew := len(found) == 0
	if isNew {
		if ports, err = c.open(certificate); err != nil {
			return nil, nil, err
		}
	}
	if journal, err = store.Open(c.Data, store.Options{Durability: c.durability(), Logger: log}); err != nil {
		if isNew {
			ports.close()
		}
		return nil, nil, prefixed("--data "+c.Data, err)
	}
	if isNew {
		return journal, ports, nil
	}
	if ports, err = c.open(certificate); err != nil {
		return nil, nil, errors.Join(err, journal.Close())
	}
	return journal, ports, nil
}

// unloadIdle takes worlds out of memory that nobody has used for a time, at the
// latest when it has passed twice, until stop is called.
func unloadIdle(host *world.Host, after time.Duration) (stop func()) {
	if after == 0 {
		return func() {}
	}
	ended := make(chan struct{})
	go func() {
		tick := time.NewTicker(after)
		defer tick.Stop()
		for {
			select {
			case <-ended:
				return
			case <-tick.C:
			}
			if host.Unload() > 0 {
				debug.FreeOSMemory() // else it is kept for a heap that may never come
			}
		}
	}()
	return func() { close(ended) }
}

// baseURL is how this machine reaches a listener.
func baseURL(scheme string, l net.Listener) string {
	addr := l.Addr().(*net.TCPAddr)
	if addr.IP.IsUnspecified() {
		return fmt.Sprintf("%s://127.0.0.1:%d", scheme, addr.Port)
	}
	return scheme + "://" + addr.String()
}

// newHandler puts the admin API and the twins behind one port.
func newHandler(host *world.Host, operator *admin.Server, log *slog.Logger) http.Handler {
	router := serve.NewRouter()
	mountTwins(router, host, operator, log) // first: the router tries its routes in order
	operator.Mount(router)
	return router
}

func mountTwins(router *mux.Router, host *world.Host, operator *admin.Server, log *slog.Logger) {
	shell := serve.NewShell(operator.Resolve, log)
	shell.Observe = operator.Observe
	shell.Mount(router, host.Catalogs())
}

// serveHTTP serves until the context ends, then calls ending and lets the requests
// in flight finish.
func serveHTTP(ctx context.Context, l net.Listener, h http.Handler, ending func()) error {
	server := serve.NewServer(h)
	server.RegisterOnShutdown(ending)
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	select {
	case err := <-ended:
		return coded(exitServer, err)
	case <-ctx.Done():
	}
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainBound)
	defer cancel()
	if err := server.Shutdown(drain); errors.Is(err, context.DeadlineExceeded) {
		return server.Close() // who has not finished by now is cut off
	} else if err != nil {
		return err
	}
	return nil
}

func (c *serveCmd) durability() store.Durability {
	if c.Durability == "relaxed" {
		return store.Relaxed
	}
	return store.Sync
}

// loopback reports whether only this machine can reach the admin API. Addresses that
// others can reach are refused without a root token.
func (c *serveCmd) loopback() (bool, error) {
	operators := false
	for _, a := range [...]struct{ flag, address string }{{"--listen", c.Listen}, {"--admin-listen", c.AdminListen}} {
		if a.address == "" {
			continue
		}
		addr, err := net.ResolveTCPAddr("tcp", a.address)
		if err != nil {
			return false, usage("%s %q: %w", a.flag, a.address, err)
		}
		operators = addr.IP.IsLoopback() // the last one serves the admin API
		if !operators && c.RootToken == "" {
			return false, usage("%s %s: others can reach this address; give a --root-token", a.flag, a.address)
		}
	}
	return operators, nil
}

// seed reads the seed of --seed, nil without one.
func (c *serveCmd) seed(t *terminal) (*seed.Seed, error) {
	if c.Seed == "" {
		return nil, nil
	}
	if !isSeedFile(c.Seed) {
		s, err := seed.Lookup(c.Seed)
		return s, coded(exitUsage, prefixed("--seed", err))
	}
	s, err := readSeed(t, c.Seed)
	return s, prefixed("--seed "+c.Seed, err)
}

func prefixed(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}

// ensure makes the default world, or finds it with the secrets that the context
// file remembers.
func (c *serveCmd) ensure(t *terminal, operator *admin.Server, start *seed.Seed, ready *readiness) error {
	made, there, err := operator.Ensure(defaultWorld, start, c.Key)
	if err != nil {
		return prefixed("--seed "+c.Seed, err)
	}
	ready.Name = defaultWorld
	if made != nil {
		ready.World, ready.Created = made.ID, true
		ready.Key, ready.AdminToken, ready.Zendesk = made.Keys[0].Secret, made.AdminToken, *made.Zendesk
		tryRemember(t, func(r *remembered) {
			r.put(notesOf(ready.AdminURL, made))
			r.Current = made.ID
		})
		return nil
	}
	ready.World, ready.Key = there.ID, c.Key
	if there.Seed.Hash != start.Hash.String() {
		t.say("worlds: the world %s stays as it is: it was made from the seed %s, not from %s", defaultWorld, there.Seed.Hash, c.Seed)
	}
	c.recallSecrets(t, there, ready, operator.Worlds())
	return nil
}

// recallSecrets fills in what the context file knows of a world and notes a key that
// it was given. The world becomes the current one, unless that is served here too.
func (c *serveCmd) recallSecrets(t *terminal, there *admin.WorldInfo, ready *readiness, served []admin.WorldInfo) {
	tryRemember(t, func(r *remembered) {
		n := r.find("", there.ID)
		if n == nil && c.Key == "" {
			return
		}
		if n == nil {
			r.put(worldNotes{URL: ready.AdminURL, ID: there.ID, Name: there.Name})
			n = r.find("", there.ID)
		}
		for _, k := range there.Keys {
			if k.Secret != "" {
				n.setKey(k.Label, k.Secret)
			}
		}
		ready.AdminToken, ready.Zendesk = n.AdminToken, n.Zendesk
		if ready.Key == "" && len(n.Keys) > 0 {
			ready.Key = n.Keys[0].Secret
		}
		if !slices.ContainsFunc(served, func(w admin.WorldInfo) bool { return w.ID == r.Current }) {
			r.Current = n.ID
		}
	})
}

// noteURL notes where the worlds that the context file knows are served now.
func noteURL(t *terminal, served []admin.WorldInfo, url string) {
	moved := func(n worldNotes) bool {
		return n.URL != url && slices.ContainsFunc(served, func(w admin.WorldInfo) bool { return w.ID == n.ID })
	}
	if r, err := recall(); err != nil || !slices.ContainsFunc(r.Worlds, moved) {
		return
	}
	tryRemember(t, func(r *remembered) {
		for i := range r.Worlds {
			if moved(r.Worlds[i]) {
				r.Worlds[i].URL = url
			}
		}
	})
}

// announce prints that the server serves, and how to reach it.
func (c *serveCmd) announce(t *terminal, ready *readiness, served []admin.WorldInfo) error {
	if c.JSON {
		return t.json(ready)
	}
	if ready.AdminURL != ready.URL {
		fmt.Fprintf(t.out, "the admin API is at %s\n", ready.AdminURL)
	}
	if ready.World == "" && len(served) > 0 {
		return c.announceAll(t, ready, served)
	}
	if ready.World == "" {
		_, err := fmt.Fprintf(t.out, "worlds serves %s at %s\nmake a world: worlds world create --seed saas-billing-small\n", c.Data, ready.URL)
		return err
	}
	verb := "is here again"
	if ready.Created {
		verb = "is made from " + c.Seed
	}
	fmt.Fprintf(t.out, "worlds serves %s; world %s (%s) %s\n\n", c.Data, ready.Name, ready.World, verb)
	if err := printPaste(t, &paste{URL: ready.URL, World: ready.World, AdminToken: ready.AdminToken, Key: ready.Key, Desk: &ready.Zendesk}); err != nil {
		return err
	}
	_, err := fmt.Fprintf(t.out, "\nCtrl-C ends it.\n")
	return err
}

// announceAll prints the worlds of a folder and how to reach them.
func (c *serveCmd) announceAll(t *terminal, ready *readiness, served []admin.WorldInfo) error {
	fmt.Fprintf(t.out, "worlds serves %s at %s\n\n", c.Data, ready.URL)
	r := tryRecall(t)
	rows := make([][]string, 0, len(served))
	for _, w := range served {
		key := "(not remembered)"
		if n := r.find("", w.ID); n != nil && len(n.Keys) > 0 {
			key = n.Keys[0].Secret
		}
		rows = append(rows, []string{w.ID, w.Name, cmp.Or(w.Seed.Name, w.Seed.Hash), key})
	}
	if err := t.table("WORLD NAME SEED KEY", rows); err != nil {
		return err
	}
	_, err := fmt.Fprintf(t.out, "\nmake another: worlds world create --seed saas-billing-small\na new key: worlds key add --world WORLD\nCtrl-C ends it.\n")
	return err
}
