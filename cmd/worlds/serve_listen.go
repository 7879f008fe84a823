package main

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"

	"worlds/admin"
	"worlds/twin/serve"
	"worlds/twin/world"
)

// listeners are where a server is reached: the twins, and the admin API beside them
// or at an address of its own.
type listeners struct {
	twins, admin net.Listener // admin is nil when one serves both
	scheme       string
}

// open takes the ports.
func (c *serveCmd) open(certificate *tls.Certificate) (*listeners, error) {
	l := &listeners{scheme: "http"}
	wrap := func(l net.Listener) net.Listener { return l }
	if certificate != nil {
		l.scheme = "https"
		config := &tls.Config{Certificates: []tls.Certificate{*certificate}, MinVersion: tls.VersionTLS12}
		wrap = func(l net.Listener) net.Listener { return tls.NewListener(l, config) }
	}
	twins, err := net.Listen("tcp", c.Listen)
	if err != nil {
		return nil, coded(exitServer, prefixed("--listen "+c.Listen, err))
	}
	l.twins = wrap(twins)
	if c.AdminListen == "" {
		return l, nil
	}
	own, err := net.Listen("tcp", c.AdminListen)
	if err != nil {
		_ = twins.Close()
		return nil, coded(exitServer, prefixed("--admin-listen "+c.AdminListen, err))
	}
	l.admin = wrap(own)
	return l, nil
}

func (l *listeners) close() {
	_ = l.twins.Close()
	if l.admin != nil {
		_ = l.admin.Close()
	}
}

// urls are how this machine reaches the twins and the admin API.
func (l *listeners) urls() (twins, operators string) {
	twins = baseURL(l.scheme, l.twins)
	if l.admin == nil {
		return twins, twins
	}
	return twins, baseURL(l.scheme, l.admin)
}

// serve serves until the context ends.
func (l *listeners) serve(ctx context.Context, host *world.Host, operator *admin.Server, log *slog.Logger) error {
	if l.admin == nil {
		return serveHTTP(ctx, serve.NewListener(l.twins, host.Catalogs()[0]), newHandler(host, operator, log), operator.EndStreams)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		router := serve.NewRouter()
		operator.Mount(router)
		ended <- serveHTTP(ctx, l.admin, router, operator.EndStreams)
		cancel()
	}()
	twins := serve.NewRouter()
	mountTwins(twins, host, operator, log)
	err := serveHTTP(ctx, serve.NewListener(l.twins, host.Catalogs()[0]), twins, func() {})
	cancel()
	return errors.Join(err, <-ended)
}

// certificate reads --tls-cert and --tls-key, nil without them.
func (c *serveCmd) certificate() (*tls.Certificate, error) {
	if c.TLSCert == "" && c.TLSKey == "" {
		return nil, nil
	}
	if c.TLSCert == "" || c.TLSKey == "" {
		return nil, usage("--tls-cert and --tls-key go together")
	}
	pair, err := tls.LoadX509KeyPair(c.TLSCert, c.TLSKey)
	if err != nil {
		return nil, usage("--tls-cert %s: %w", c.TLSCert, err)
	}
	return &pair, nil
}
