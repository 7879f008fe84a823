package testscripts

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"

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
}

// Params are the testscript parameters for scenario files in dir, or the given
// files when dir is "".
func Params(dir string, files []string, opt Options) testscript.Params {
	return testscript.Params{
		Dir: dir, Files: files,
		UpdateScripts:       opt.Update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds:                commands(),
		Setup:               func(env *testscript.Env) error { return setUp(env, opt) },
	}
}

// rigKey finds a scenario's rig among its values.
type rigKey struct{}

// setUp gives a scenario its rig. The server starts with the first world.
func setUp(env *testscript.Env, opt Options) error {
	r := &rig{dir: filepath.Join(env.WorkDir, ".data"), work: env.WorkDir, worlds: map[string]*scene{}}
	if opt.Wrap != nil {
		r.wrap = opt.Wrap(env.T())
	}
	r.keep = opt.Keep
	if opt.Path != "" {
		env.Setenv("PATH", opt.Path+string(os.PathListSeparator)+env.Getenv("PATH"))
	}
	env.Setenv("WORLDS_CONTEXT", filepath.Join(env.WorkDir, ".context.json"))
	env.Values[rigKey{}] = r
	env.Defer(func() {
		defer r.stop()
		if f, ok := env.T().(interface{ Failed() bool }); ok && f.Failed() {
			return
		}
		if err := r.law(); err != nil {
			env.T().Fatal(fmt.Sprintf("the law is broken: %v", err))
		}
	})
	return nil
}

// commands are the scenario commands; doc.go describes them in the same order.
func commands() map[string]func(*testscript.TestScript, bool, []string) {
	table := map[string]func(*rig, *testscript.TestScript, bool, []string){
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
	out := map[string]func(*testscript.TestScript, bool, []string){}
	for name, cmd := range table {
		out[name] = func(ts *testscript.TestScript, neg bool, args []string) {
			cmd(ts.Value(rigKey{}).(*rig), ts, neg, args)
		}
	}
	return out
}

// Commands lists the names of the scenario commands.
func Commands() []string { return slices.Sorted(maps.Keys(commands())) }

// RunFiles runs scenario files and prints one line for each, and the log of those
// that fail (of all, when verbose). It returns how many failed.
func RunFiles(ctx context.Context, files []string, out io.Writer, verbose bool, opt Options) (failed int, err error) {
	for _, f := range files {
		if _, err := os.Stat(f); err != nil {
			return 0, err
		}
	}
	for _, f := range files {
		if ctx.Err() != nil {
			return failed, ctx.Err()
		}
		t := &printer{verbose: verbose}
		t.guard(func() { testscript.RunT(t, Params("", []string{f}, opt)) })
		verdict := "ok  "
		if t.Failed() {
			verdict = "FAIL"
			failed++
		}
		fmt.Fprintf(out, "%s %s\n", verdict, f)
		if t.Failed() || verbose {
			fmt.Fprint(out, t.text())
		}
	}
	return failed, nil
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
