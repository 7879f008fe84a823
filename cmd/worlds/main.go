package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"
	kongcompletion "github.com/jotaen/kong-completion"
)

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// run does what the arguments say and returns the exit code. SIGINT and SIGTERM
// end it in order; a second one ends it at once.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	return runContext(ctx, args, stdin, stdout, stderr)
}

// leave is the panic by which kong's own exits (--help, completions) come back to
// runContext, which is not the end of the process in tests.
type leave struct{ code int }

func runContext(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) (code int) {
	defer func() {
		if p := recover(); p != nil {
			l, ok := p.(leave)
			if !ok {
				panic(p)
			}
			code = l.code
		}
	}()
	parser, err := newParser(stdout, stderr)
	if err != nil {
		panic(err) // the grammar is wrong, which no argument can cause
	}
	kongcompletion.Register(parser, kongcompletion.WithPredictors(predictors()))
	if slices.Equal(args, []string{"--version"}) {
		args = []string{"version"}
	}
	if err := checkText(args); err != nil {
		return fail(stderr, err)
	}
	parsed, err := parser.Parse(joinNegatives(args))
	if err != nil {
		return fail(stderr, usage("%w (see %s --help)", noFlag(args, err), commandOf(err)))
	}
	if err := checkEmpty(parsed); err != nil {
		return fail(stderr, usage("%w (see %s --help)", err, commandName(parsed)))
	}
	parsed.BindTo(ctx, (*context.Context)(nil))
	err = parsed.Run(&terminal{in: stdin, out: stdout, err: stderr})
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		err = coded(exitNo, errors.New("interrupted"))
	}
	return fail(stderr, err)
}

func newParser(stdout, stderr io.Writer) (*kong.Kong, error) {
	return kong.New(&grammar{},
		kong.Name("worlds"),
		kong.Description("Deterministic, resettable copies of a business for agents to work in."),
		kong.Writers(stdout, stderr),
		kong.Exit(func(code int) { panic(leave{code}) }),
		kong.ConfigureHelp(kong.HelpOptions{NoExpandSubcommands: true, WrapUpperBound: helpColumns}),
		kong.Help(printHelp),
	)
}

// helpColumns is the widest that help is printed.
const helpColumns = 100

// commandOf is the command that an error of the parser is about.
func commandOf(err error) string {
	var parse *kong.ParseError
	if !errors.As(err, &parse) || parse.Context == nil {
		return "worlds"
	}
	return commandName(parse.Context)
}

func commandName(c *kong.Context) string {
	name := "worlds"
	for _, p := range c.Path {
		if p.Command != nil {
			name += " " + p.Command.Name
		}
	}
	return name
}

// fail prints an error, if there is one, and returns its exit code.
func fail(stderr io.Writer, err error) int {
	if err == nil {
		return exitDone
	}
	var quiet *answered
	if !errors.As(err, &quiet) {
		fmt.Fprintln(stderr, "worlds: "+lines(strings.TrimSpace(err.Error())))
	}
	return exitCode(err)
}
