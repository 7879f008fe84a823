package main

import (
	"context"
	"errors"
	"os"
	"time"
)

// rest is how long a server is left alone before its memory is read.
const rest = 1500 * time.Millisecond

// start measures how long a server takes from its first instruction to its first
// answer, with nothing and with many worlds in its folder, and what it holds in
// memory.
func (b *benchRun) start(ctx context.Context) error {
	var idle int64
	empty, err := b.starts(ctx, func() (*benchServer, error) {
		dir := b.folder("empty")
		return serveOwn("", dir, "sync")
	}, func(s *benchServer) error {
		if err := s.answers(); err != nil {
			return err
		}
		return nil
	}, func(s *benchServer) {
		time.Sleep(rest)
		idle = s.burden().resident
		_ = os.RemoveAll(b.folder("empty"))
	})
	if err != nil {
		return err
	}
	b.report.note(empty, "ms", figureStartEmpty)
	b.report.note(mebibytes(idle), "MiB", figureIdle)
	return b.startMany(ctx)
}

// startMany is start with as many worlds as the bench has at most.
func (b *benchRun) startMany(ctx context.Context) error {
	n, dir := b.cmd.Worlds[len(b.cmd.Worlds)-1], b.folder("many")
	s, err := serveOwn("", dir, "relaxed")
	if err != nil {
		return err
	}
	err = s.raise(n, 1)
	worlds := s.worlds
	if err = errors.Join(err, s.stop()); err != nil {
		return err
	}
	var one, all int64
	took, err := b.starts(ctx, func() (*benchServer, error) {
		return serveOwn("", dir, "sync")
	}, func(s *benchServer) error {
		return s.touch(worlds[n-1:])
	}, func(s *benchServer) {
		time.Sleep(rest)
		one = s.burden().resident
		if s.touch(worlds) == nil {
			time.Sleep(rest)
			all = s.burden().resident
		}
	})
	if err != nil {
		return err
	}
	b.report.note(took, "ms", "start to first answer, %d worlds", n)
	b.report.note(mebibytes(one), "MiB", "resident with one of %d worlds in use", n)
	b.report.note(mebibytes(all-one), "MiB", "%d worlds over one", n)
	return nil
}

// starts is the median time of a start to its first answer, in milliseconds; after
// looks at the started server.
func (b *benchRun) starts(ctx context.Context, start func() (*benchServer, error), answer func(*benchServer) error, after func(*benchServer)) (float64, error) {
	var spent []float64
	for round := range b.cmd.Rounds {
		var s *benchServer
		took, err := timed(func() (err error) {
			if s, err = start(); err == nil {
				s.rounds = 100 * round // its idempotency keys are new ones
				err = answer(s)
			}
			return err
		})
		if err == nil {
			after(s)
		}
		if err = errors.Join(err, s.stop(), ctx.Err()); err != nil {
			return 0, err
		}
		spent = append(spent, micros(took)/1000)
	}
	return median(spent), nil
}

// touch lists and makes a customer in each of the worlds.
func (s *benchServer) touch(worlds []benchWorld) error {
	c, err := s.dialOne()
	if err != nil {
		return err
	}
	defer c.close()
	for i := range worlds {
		if err := c.people(&worlds[i], 1); err != nil {
			return err
		}
	}
	return nil
}

func mebibytes(n int64) float64 { return float64(n) / (1 << 20) }
