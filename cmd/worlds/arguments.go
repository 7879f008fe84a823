package main

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/alecthomas/kong"
)

// below is a number below zero, which the parser takes for a flag.
var below = regexp.MustCompile(`^-[0-9]+$`)

// joinNegatives makes a number below zero the value of the flag before it, so that
// what refuses it is what knows the bounds.
func joinNegatives(args []string) []string {
	var out []string
	for i, arg := range args {
		if arg == "--" {
			return append(out, args[i:]...)
		}
		if last := len(out) - 1; last >= 0 && below.MatchString(arg) && strings.HasPrefix(out[last], "--") && !strings.Contains(out[last], "=") {
			out[last] += "=" + arg
			continue
		}
		out = append(out, arg)
	}
	return out
}

// noFlag says more of an argument that was taken for a flag than that there is none.
func noFlag(args []string, err error) error {
	for _, arg := range args {
		if below.MatchString(arg) && strings.HasPrefix(err.Error(), "unknown flag "+arg[:2]) {
			return fmt.Errorf("%s: positions are marks or numbers of entries, from 0 on", arg)
		}
	}
	return err
}

// checkText refuses bytes that are no text: the parser would put others in their place.
func checkText(args []string) error {
	for _, arg := range args {
		if !utf8.ValidString(arg) {
			return usage("%q: it is not UTF-8", arg)
		}
	}
	return nil
}

// checkEmpty refuses an empty word, as a shell makes of a variable that is not set: it
// would be taken for none.
func checkEmpty(parsed *kong.Context) error {
	for _, p := range parsed.Path {
		switch {
		case p.Flag != nil && slices.Contains(wordsOf(p.Flag.Target), ""):
			return fmt.Errorf("--%s: it is empty", p.Flag.Name)
		case p.Positional != nil && slices.Contains(wordsOf(p.Positional.Target), ""):
			return fmt.Errorf("<%s>: it is empty", p.Positional.Name)
		}
	}
	return nil
}

func wordsOf(v reflect.Value) []string {
	switch words := v.Interface().(type) {
	case string:
		return []string{words}
	case []string:
		return words
	}
	return nil
}

// printHelp shows in the usage which of the flags that are needed exclude each other.
func printHelp(o kong.HelpOptions, ctx *kong.Context) error {
	cmd := ctx.Selected()
	if cmd == nil {
		return kong.DefaultHelpPrinter(o, ctx)
	}
	o.NoAppSummary = true
	fmt.Fprintf(ctx.Stdout, "Usage: %s %s\n", ctx.Model.Name, choices(cmd))
	return kong.DefaultHelpPrinter(o, ctx)
}

// choices is the summary of a command with its exclusive flags as a choice.
func choices(cmd *kong.Node) string {
	var names []string
	var all []string
	for _, f := range cmd.Flags {
		if f.Required && len(f.Xor) > 0 {
			all = append(all, f.Summary())
			names = append(names, f.Xor[0])
		}
	}
	if len(slices.Compact(names)) != 1 {
		return cmd.Summary()
	}
	return strings.Replace(cmd.Summary(), strings.Join(all, " "), "("+strings.Join(all, " | ")+")", 1)
}
