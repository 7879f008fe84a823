package testscripts

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/rogpeppe/go-internal/txtar"

	"worlds/journal"
	"worlds/twin/world"
)

// Options are for Params.
type Options struct {
	// Wrap is ServerOptions.Wrap, made anew for each scenario; nil for none.
	Wrap func(t testscript.T) func(http.Handler) http.Handler
	// Update rewrites the expected files in the scenarios.
	Update bool
	// Keep, if not nil, is handed the journal of every world at the scenario's end: its
	// genesis and what follows. It is called by several scenarios at once.
	Keep func(world string, g *world.Genesis, entries []*journal.Entry)
	// Path is put in front of PATH: where the worlds command is.
	Path string

	// The rest is for whoever plays scenarios in a way of their own.

	// Commands are more scenario commands; they go before ours of the same name.
	Commands map[string]Command
	// Start is called instead of StartServer; the server is then not stopped by the
	// scenario, and may be shared.
	Start func(ServerOptions) (*Server, error)
	// Transport carries the requests of the scenario; nil is the network.
	Transport http.RoundTripper
	// Listen makes a listener; nil is one on a port of 127.0.0.1.
	Listen func() (*Listener, error)
	// Judge is called at the end of a scenario, also of one that failed, instead of
	// holding its worlds to the law.
	Judge func(r *Rig, failed bool) error
}

// Command is a scenario command. neg says that it stood behind a "!".
type Command func(r *Rig, ts *testscript.TestScript, neg bool, args []string)

// Params are the testscript parameters for scenario files in dir, or the given
// files when dir is "".
func Params(dir string, files []string, opt Options) testscript.Params {
	return testscript.Params{
		Dir: dir, Files: files,
		UpdateScripts:       opt.Update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds:                opt.commands(),
		Setup:               func(env *testscript.Env) error { return setUp(env, opt) },
	}
}

// rigKey finds a scenario's rig among its values.
type rigKey struct{}

// setUp gives a scenario its rig. The server starts with the first world.
func setUp(env *testscript.Env, opt Options) error {
	r := &Rig{opt: opt, dir: filepath.Join(env.WorkDir, ".data"), work: env.WorkDir, worlds: map[string]*scene{}}
	if opt.Wrap != nil {
		r.wrap = opt.Wrap(env.T())
	}
	if opt.Path != "" {
		env.Setenv("PATH", opt.Path+string(os.PathListSeparator)+env.Getenv("PATH"))
	}
	env.Setenv("WORLDS_CONTEXT", filepath.Join(env.WorkDir, ".context.json"))
	env.Values[rigKey{}] = r
	env.Defer(func() {
		defer r.stop()
		f, ok := env.T().(interface{ Failed() bool })
		failed := ok && f.Failed()
		if opt.Judge != nil {
			if err := opt.Judge(r, failed); err != nil && !failed {
				env.T().Fatal(err.Error())
			}
			return
		}
		if failed {
			return
		}
		if err := r.law(); err != nil {
			env.T().Fatal(fmt.Sprintf("the law is broken: %v", err))
		}
	})
	return nil
}

// table are the scenario commands; doc.go describes them in the same order.
func table() map[string]Command {
	return map[string]Command{
		"clock":      cmdClock,
		"deliveries": cmdDeliveries,
		"diff":       cmdDiff,
		"dump":       cmdDump,
		"events":     cmdEvents,
		"fork":       cmdFork,
		"fault":      cmdFault,
		"flush":      cmdFlush,
		"header":     cmdHeader,
		"hook":       cmdHook,
		"journal":    cmdJournal,
		"json":       cmdJSON,
		"key":        cmdKey,
		"mark":       cmdMark,
		"quiesce":    cmdQuiesce,
		"replay":     cmdReplay,
		"requests":   cmdRequests,
		"resend":     cmdResend,
		"reset":      cmdReset,
		"restart":    cmdRestart,
		"save":       cmdSave,
		"status":     cmdStatus,
		"stripe":     cmdStripe,
		"world":      cmdWorld,
		"zendesk":    cmdZendesk,
	}
}

// commands are the scenario commands with those that the options add.
func (o *Options) commands() map[string]func(*testscript.TestScript, bool, []string) {
	out := map[string]func(*testscript.TestScript, bool, []string){}
	all := table()
	maps.Copy(all, o.Commands)
	for name, cmd := range all {
		out[name] = func(ts *testscript.TestScript, neg bool, args []string) {
			cmd(ts.Value(rigKey{}).(*Rig), ts, neg, args)
		}
	}
	return out
}

// Run runs one of the scenario commands, as a line of the script would.
func (r *Rig) Run(ts *testscript.TestScript, neg bool, words []string) {
	cmd := table()[words[0]]
	if cmd == nil {
		ts.Fatalf("there is no scenario command %q", words[0])
	}
	cmd(r, ts, neg, words[1:])
}

// RunFiles runs scenario files and prints one line for each, and the log of those
// that fail (of all, when verbose). It returns how many failed.
func RunFiles(ctx context.Context, files []string, out io.Writer, verbose bool, opt Options) (failed int, err error) {
	for _, f := range files {
		switch info, err := os.Stat(f); {
		case err != nil:
			return 0, err
		case info.IsDir():
			return 0, fmt.Errorf("%s is a folder: name the files in it, %s: %w", f, filepath.Join(f, "*.txtar"), os.ErrInvalid)
		}
	}
	for _, f := range files {
		if ctx.Err() != nil {
			return failed, ctx.Err()
		}
		log, ok := RunFile(f, verbose, opt)
		verdict := "ok  "
		if !ok {
			verdict = "FAIL"
			failed++
		}
		fmt.Fprintf(out, "%s %s\n", verdict, f)
		if !ok || verbose {
			fmt.Fprint(out, log)
		}
	}
	return failed, nil
}

// RunFile runs one scenario file and returns its log, which is empty when it passed
// and verbose is false.
func RunFile(file string, verbose bool, opt Options) (log string, ok bool) {
	t := &printer{verbose: verbose}
	if why := unfit(file); why != "" {
		return "FAIL: " + file + ": " + why + "\n", false
	}
	t.guard(func() { testscript.RunT(t, Params("", []string{file}, opt)) })
	log = t.text()
	if t.Failed() {
		// The script was through before the law was asked.
		log = strings.TrimSuffix(strings.TrimRight(log, "\n"), "\nPASS") + "\n"
	}
	return log, !t.Failed()
}

// unfit says why a file that can be read is no scenario, "" if it is one.
func unfit(file string) string {
	src, err := os.ReadFile(file)
	switch {
	case err != nil:
		return "" // the script says so better
	case bytes.HasPrefix(src, []byte("\ufeff")):
		return "it starts with a byte-order mark; save it without one"
	}
	for line := range strings.Lines(string(txtar.Parse(src).Comment)) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			return ""
		}
	}
	return "there is no command in it"
}

// printer is a testscript.T that gathers a log.
type printer struct {
	verbose bool
	mu      sync.Mutex
	log     strings.Builder
	failed  bool
}

// stopped is what a printer panics with to leave a script.
type stopped struct{}

func (p *printer) guard(fn func()) {
	defer func() {
		if x := recover(); x != nil && x != (stopped{}) {
			panic(x)
		}
	}()
	fn()
}

func (p *printer) text() string { p.mu.Lock(); defer p.mu.Unlock(); return p.log.String() }

// Failed reports whether the script failed.
func (p *printer) Failed() bool { p.mu.Lock(); defer p.mu.Unlock(); return p.failed }

// Skip implements testscript.T.
func (p *printer) Skip(args ...any) { p.Log(args...); panic(stopped{}) }

// Fatal implements testscript.T.
func (p *printer) Fatal(args ...any) { p.Log(args...); p.FailNow() }

// Parallel implements testscript.T: files run one after the other.
func (p *printer) Parallel() {}

// Log implements testscript.T.
func (p *printer) Log(args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	fmt.Fprintln(&p.log, args...)
}

// FailNow implements testscript.T.
func (p *printer) FailNow() {
	p.mu.Lock()
	p.failed = true
	p.mu.Unlock()
	panic(stopped{})
}

// Run implements testscript.T.
func (p *printer) Run(_ string, fn func(testscript.T)) { p.guard(func() { fn(p) }) }

// Verbose implements testscript.T.
func (p *printer) Verbose() bool { return p.verbose }
