package world

import (
	"context"
	"fmt"

	"worlds/journal"
	"worlds/journal/canon"
	"worlds/journal/store"
	"worlds/projection"
	"worlds/twin"
)

// LineBytesMax bounds a line of an exported journal: an entry, in base64 at worst.
const LineBytesMax = store.EntryBytesMax * 2

// Imported is a journal from elsewhere as it stands in this one.
type Imported struct {
	ID     ID    // the number of the stream with the last entries
	Base   *Base // where that begins, if the journal is a fork's
	Report *Report
	State  *projection.State
	// Actors are the labels of the keys that its requests came with, in order of
	// first use, and how many requests each lasts for, 0 for ever.
	Actors  []string
	Expires map[string]int64
}

// Import proves a journal by deciding every command of it again and appends its
// entries as they are: the past of a fork as streams of their own, as a fork's past
// is. begin begins a stream and returns its number. What was begun stays if Import
// fails, or if Report is not Valid; the caller drops it.
func (h *Host) Import(ctx context.Context, g *Genesis, entries Entries, begin func() (ID, error)) (*Imported, error) {
	first, err := begin()
	if err != nil {
		return nil, err
	}
	in := &importer{host: h, begin: begin, links: NewLinks(g.Entry.Hash), out: &Imported{ID: first, Expires: map[string]int64{}}}
	in.out.Report, in.out.State = Replay(Redecide, g, in.tee(ctx, entries), h.catalogs, nil)
	if in.err == nil {
		in.err = in.last.Wait()
	}
	return in.out, in.err
}

// importer appends what it hands on.
type importer struct {
	host  *Host
	begin func() (ID, error)
	out   *Imported
	links *Links
	last  store.Ticket
	err   error
}

func (in *importer) tee(ctx context.Context, entries Entries) Entries {
	return func(yield func(*journal.Entry, error) bool) {
		for e, err := range entries {
			if err == nil {
				err = ctx.Err()
			}
			if err == nil {
				in.err = in.take(e)
				err = in.err
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// take appends one entry, or begins another stream at a joint.
func (in *importer) take(e *journal.Entry) error {
	joint, err := in.links.Next(e)
	if err != nil {
		return nil // the replay names it, and ends
	}
	if joint {
		base := &Base{ID: in.out.ID, Inc: 1, Seq: e.Seq, Hash: e.Prev, Of: in.out.Base}
		if base.entry().Hash != e.Hash {
			return fmt.Errorf("%w: entry %d: it joins a fork in another way than ours", ErrRules, e.Seq)
		}
		in.out.Base = base
		in.out.ID, err = in.begin()
		return err
	}
	in.actor(e.Body)
	in.last, err = in.host.store.Append(store.Record{World: in.out.ID, Inc: 1, Entry: *e})
	return err
}

func (in *importer) actor(body []byte) {
	frame, err := journal.ParseBody(body)
	var cmd twin.Command
	if err != nil || canon.Unmarshal(frame.Command, &cmd) != nil || cmd.Op != "" {
		return
	}
	if _, known := in.out.Expires[cmd.Actor]; !known {
		in.out.Actors = append(in.out.Actors, cmd.Actor)
	}
	in.out.Expires[cmd.Actor] = cmd.Expires
}
