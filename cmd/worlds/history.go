package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"worlds/admin"
	"worlds/journal"
	"worlds/journal/store"
	"worlds/twin"
	"worlds/twin/stripe"
	"worlds/twin/world"
	"worlds/twin/zendesk"
)

// catalogs are the twins of this program.
func catalogs() []*twin.Catalog { return []*twin.Catalog{stripe.Catalog(), zendesk.Catalog()} }

// history is the journal of one world as a file or a data folder holds it.
type history struct {
	name    string // for people
	genesis *world.Genesis
	entries world.Entries // from entry 1 on
	// failed is why the entries ended early: the file cannot be read there.
	failed error
}

// offline are the flags that name a journal without a server.
type offline struct {
	Data string `placeholder:"DIR" xor:"offline" help:"Read the data folder of a stopped server instead." predictor:"folder"`
	File string `placeholder:"FILE" xor:"offline" help:"Read an exported journal instead; - is stdin." predictor:"file"`
}

func (o *offline) given() bool { return o.Data != "" || o.File != "" }

// histories opens the journals that the flags name: the one of the file, or those
// of a folder, all of them if ref is empty. Each can be walked once, before done is
// called.
func (o *offline) histories(t *terminal, ref string) (list []*history, done func() error, err error) {
	if o.File != "" {
		if ref != "" && ref != os.Getenv("WORLDS_WORLD") {
			return nil, nil, usage("--file and a world: an exported journal holds one world, and no name of it")
		}
		h, done, err := exportFile(t, "--file", o.File)
		return []*history{h}, done, err
	}
	return folderHistories(o.Data, ref)
}

// one is histories for verbs that are about one world.
func (o *offline) one(t *terminal, ref string) (*history, func() error, error) {
	list, done, err := o.histories(t, ref)
	if err != nil {
		return nil, nil, err
	}
	if len(list) == 1 {
		return list[0], done, nil
	}
	_ = done()
	var names []string
	for _, h := range list {
		names = append(names, h.name)
	}
	return nil, nil, usage("--world: which one? %s has %d worlds: %s", o.Data, len(list), strings.Join(names, ", "))
}

// The files by which a data folder is known.
const (
	shelfFile  = "journal.db"
	tailFolder = "tail"
)

// openFolder opens a data folder that is there already.
func openFolder(dir string) (*store.Store, error) {
	if err := isFolder(dir); err != nil {
		return nil, err
	}
	return store.Open(dir, store.Options{})
}

// isFolder refuses what is no data folder, of which opening would make one.
func isFolder(dir string) error {
	if _, err := os.Stat(dir); err != nil {
		return usage("--data: %w", err)
	}
	_, errShelf := os.Lstat(filepath.Join(dir, shelfFile))
	_, errTail := os.Lstat(filepath.Join(dir, tailFolder))
	if errShelf != nil && errTail != nil {
		return usage("--data %s: there is no journal in it", dir)
	}
	return nil
}

func folderHistories(dir, ref string) (list []*history, done func() error, err error) {
	if err := isFolder(dir); err != nil {
		return nil, nil, err
	}
	s, err := store.OpenReadOnly(dir)
	if err != nil {
		return nil, nil, prefixed("--data "+dir, err)
	}
	defer func() {
		if err != nil {
			_ = s.Close()
		}
	}()
	a, err := admin.New(world.NewHost(s, world.Options{Catalogs: catalogs()}), admin.Options{})
	if err != nil {
		return nil, nil, coded(exitDamaged, fmt.Errorf("--data %s: %w", dir, err))
	}
	for _, info := range a.Worlds() {
		if ref == "" || ref == info.ID || ref == info.Name {
			h, err := folderHistory(a, &info)
			if err != nil {
				return nil, nil, err
			}
			list = append(list, h)
		}
	}
	if len(list) == 0 {
		return nil, nil, usage("--data %s: it has no world%s", dir, quoted(ref))
	}
	return list, s.Close, nil
}

func quoted(ref string) string {
	if ref == "" {
		return ""
	}
	return fmt.Sprintf(" %q", ref)
}

// errEnough ends the walk of a reader that has seen enough.
var errEnough = errors.New("enough")

// folderHistory reads past the world, whose loading would refuse what is damaged
// or of other rules before a verb could say where.
func folderHistory(a *admin.Server, info *admin.WorldInfo) (*history, error) {
	w, err := a.World(info.ID)
	if err != nil {
		return nil, err
	}
	g, err := w.Genesis()
	if err != nil {
		return nil, coded(exitDamaged, fmt.Errorf("world %s: %w", info.ID, err))
	}
	h := &history{name: info.ID, genesis: g}
	if info.Name != "" {
		h.name += " (" + info.Name + ")"
	}
	h.entries = func(yield func(*journal.Entry, error) bool) { // each is overwritten by those behind it
		err := w.Recorded(func(e *journal.Entry) error {
			if !yield(e, nil) {
				return errEnough
			}
			return nil
		})
		if err != nil && !errors.Is(err, errEnough) {
			h.failed = coded(exitDamaged, fmt.Errorf("world %s: %w", info.ID, err))
			yield(nil, err)
		}
	}
	return h, nil
}

// exportFile opens an exported journal, "-" being stdin; flag is what names it.
func exportFile(t *terminal, flag, path string) (h *history, closeFile func() error, err error) {
	f, err := openInput(t, path)
	if err != nil {
		return nil, nil, usage("%s: %w", flag, err)
	}
	expanded, err := expand(f)
	if err == nil {
		h, err = (&lineReader{path: path, in: bufio.NewReader(expanded)}).history()
	}
	if err != nil {
		_ = f.Close()
		return nil, nil, coded(exitDamaged, err)
	}
	return h, f.Close, nil
}

// lineReader reads the lines of an exported journal.
type lineReader struct {
	path string
	line int
	in   *bufio.Reader
}

// next returns the next entry, nil at the end.
func (l *lineReader) next() (*journal.Entry, error) {
	line, err := l.in.ReadBytes('\n')
	switch {
	case errors.Is(err, io.EOF) && len(line) == 0:
		return nil, nil
	case errors.Is(err, io.EOF):
		return nil, fmt.Errorf("%s:%d: the line does not end: the file is cut short: %w", l.path, l.line+1, journal.ErrLine)
	case err != nil:
		return nil, fmt.Errorf("%s:%d: %w", l.path, l.line+1, err)
	case len(line) > store.EntryBytesMax*2:
		return nil, fmt.Errorf("%s:%d: the line is too long: %w", l.path, l.line+1, journal.ErrLine)
	}
	l.line++
	e, err := journal.ParseLine(line)
	if err != nil {
		return nil, fmt.Errorf("%s:%d: %w", l.path, l.line, err)
	}
	return &e, nil
}

func (l *lineReader) history() (*history, error) {
	first, err := l.next()
	switch {
	case err != nil:
		return nil, err
	case first == nil:
		return nil, fmt.Errorf("%s: the file is empty: %w", l.path, journal.ErrLine)
	case first.Seq != 0:
		return nil, fmt.Errorf("%s:1: entry %d stands where the genesis belongs: %w", l.path, first.Seq, journal.ErrLine)
	}
	g, err := world.ParseGenesis(first.Body)
	if err != nil {
		return nil, fmt.Errorf("%s:1: %w", l.path, err)
	}
	if g.Entry.Hash != first.Hash {
		return nil, fmt.Errorf("%s:1: %w", l.path, &journal.ChainError{Seq: 0, Reason: journal.HashDiffers})
	}
	h := &history{name: l.path, genesis: g}
	h.entries = func(yield func(*journal.Entry, error) bool) {
		for {
			e, err := l.next()
			if err != nil {
				h.failed = coded(exitDamaged, err)
				yield(nil, err)
				return
			}
			if e == nil || !yield(e, nil) {
				return
			}
		}
	}
	return h, nil
}
