package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"slices"

	"worlds/seed/fromstripe"
)

// readStripe reads an account. Nothing that it prints holds the key.
func (c *seedImportCmd) readStripe(ctx context.Context, t *terminal) (*made, error) {
	if err := c.checkStripe(); err != nil {
		return nil, err
	}
	p := t.progress("reading")
	defer p.end()
	src := fromstripe.Source{BaseURL: c.BaseURL, Key: c.Key, Limit: c.Limit, Progress: func(kind string, n int) {
		p.what = kind
		p.at(int64(n))
	}}
	got, err := fromstripe.Import(ctx, src, fromstripe.Options{Name: c.Name, KeepNames: c.KeepNames, KeepDescriptions: c.KeepDescriptions,
		KeepMetadata: c.KeepMetadata, Epoch: c.Epoch})
	var refused *fromstripe.Refused
	switch {
	case errors.As(err, &refused):
		return nil, coded(exitServer, err)
	case errors.Is(err, fromstripe.ErrEpoch):
		return nil, usage("--epoch: %w", err)
	case err != nil:
		return nil, err
	}
	p.end()
	for _, kind := range slices.Sorted(maps.Keys(got.LeftOut)) {
		t.say("left out by --limit %d: %d %s", c.Limit, got.LeftOut[kind], kind)
	}
	if got.Skipped > 0 {
		t.say("not representable, listed in the manifest: %d objects", got.Skipped)
	}
	return &made{got.Seed, got.Manifest, got.Map}, nil
}

// checkStripe refuses what would fail only after an account has been read.
func (c *seedImportCmd) checkStripe() error {
	switch u, err := url.Parse(c.BaseURL); {
	case c.Input != "":
		return usage("--input: only a help desk is read from a file")
	case c.Key == "":
		return usage("--from-stripe needs --key, or STRIPE_API_KEY")
	case !validKey(c.Key):
		return usage("--key: it holds characters that no key has")
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return usage("--base-url %q: want https://host", c.BaseURL)
	case c.Limit < 1:
		return usage("--limit %d: want at least 1", c.Limit)
	}
	for _, path := range []string{c.Out, c.Manifest, c.Map} {
		if path == "" {
			continue
		}
		to, err := targetOf(path, outFileMode)
		if err != nil {
			return usage("%s cannot be written: %w", path, err)
		}
		if to.through {
			continue
		}
		f, err := beside(to.path)
		if err != nil {
			return usage("%s cannot be written: %w", path, err)
		}
		_ = f.Close()
		if err := os.Remove(f.Name()); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return nil
}

// validKey reports whether a key can stand in a header.
func validKey(key string) bool {
	return !slices.ContainsFunc([]byte(key), func(b byte) bool { return b <= ' ' || b > '~' })
}
