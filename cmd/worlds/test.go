package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"worlds/testscripts"
)

type testCmd struct {
	Files   []string `arg:"" name:"file" help:"Scenario files (.txtar)." predictor:"file"`
	Verbose bool     `short:"v" help:"Print what every scenario does."`
}

// Run runs scenario files, each on worlds of its own.
func (c *testCmd) Run(ctx context.Context, t *terminal) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	// Scenarios call this very program by its name.
	failed, err := testscripts.RunFiles(ctx, c.Files, t.out, c.Verbose, testscripts.Options{Path: filepath.Dir(program)})
	switch {
	case errors.Is(err, os.ErrNotExist), errors.Is(err, os.ErrInvalid):
		return coded(exitUsage, err)
	case err != nil:
		return err
	case failed > 0:
		return coded(exitNo, fmt.Errorf("%d of %d scenarios failed", failed, len(c.Files)))
	}
	return nil
}
