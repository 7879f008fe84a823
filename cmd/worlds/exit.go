package main

import (
	"errors"
	"fmt"
	"net"
	"net/http"

	"worlds/journal"
	"worlds/journal/store"
	"worlds/seed"
	"worlds/twin/world"
)

// Exit codes.
const (
	exitDone    = 0
	exitNo      = 1 // the answer is no: diverged, invalid, a failed test
	exitUsage   = 2 // flags, arguments, and files named by them
	exitVersion = 3 // written under other rules, or by a later version
	exitDamaged = 4 // a file does not hold what it should
	exitServer  = 5 // unreachable, or it refused; or the data folder is in use
)

// codedError is an error with its exit code.
type codedError struct {
	code int
	err  error
}

func (e *codedError) Error() string { return e.err.Error() }
func (e *codedError) Unwrap() error { return e.err }

func coded(code int, err error) error {
	if err == nil {
		return nil
	}
	return &codedError{code, err}
}

func usage(format string, args ...any) error {
	return &codedError{exitUsage, fmt.Errorf(format, args...)}
}

// answered says that the answer is no and stands on stdout already.
type answered struct{ code int }

func (e *answered) Error() string { return "the answer is no" }

// exitCode is the exit code of an error.
func exitCode(err error) int {
	var own *codedError
	var said *answered
	var p *problem
	var damage *store.DamageError
	var invalid *seed.Invalid
	var network net.Error
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &own):
		return own.code
	case errors.As(err, &said):
		return said.code
	case errors.As(err, &p):
		return p.exitCode()
	case errors.Is(err, world.ErrRules), errors.Is(err, store.ErrVersion):
		return exitVersion
	case errors.As(err, &damage), errors.Is(err, store.ErrForeign), errors.Is(err, journal.ErrLine), errors.Is(err, journal.ErrFrame):
		return exitDamaged
	case errors.Is(err, store.ErrLocked), errors.Is(err, store.ErrSealed), errors.As(err, &network):
		return exitServer
	case errors.As(err, &invalid):
		return exitNo
	}
	return exitNo
}

// exitCode is that of a refusal by the server.
func (p *problem) exitCode() int {
	switch {
	case p.Code == codeVersion:
		return exitVersion
	case p.Code == codeDamaged:
		return exitDamaged
	case p.Code == codeInvalidSeed, p.Code == codeUnservedSeed:
		return exitNo
	case p.Status == http.StatusBadRequest:
		return exitUsage
	}
	return exitServer
}
