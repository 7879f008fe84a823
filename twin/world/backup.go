package world

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"

	"worlds/journal"
	"worlds/journal/canon"
	"worlds/journal/store"
	"worlds/twin"
)

// Versions of the form of a backup. In 1 there are no entries of frame format 2.
const (
	backupFormat       = 2
	backupFormatOldest = 1
)

// A backup is lines of canonical JSON: a head, the blobs, and each stream as a line
// that announces it and its entries as an export has them; then an end, with the
// number and the hash of the lines before it. docs/format.md specifies it.
type (
	backupHead struct {
		Backup int64          `json:"backup"`
		Rules  int64          `json:"rules"`
		Worlds []backupStream `json:"worlds"`
	}
	backupStream struct {
		Entries int64  `json:"entries"`
		Head    string `json:"head"`
		Inc     int64  `json:"inc"`
		World   int64  `json:"world"`
	}
	backupBlob struct {
		Blob string `json:"blob"`
		Data string `json:"data"`
	}
	backupEnd struct {
		End    bool   `json:"end"`
		Lines  int64  `json:"lines"`
		SHA256 string `json:"sha256"`
	}
)

// ErrBackup says that a file is not a whole backup.
var ErrBackup = errors.New("not a whole backup")

// Backup writes everything the journal holds, as of one moment for the server's own
// stream and no earlier moment for each world. Requests go on meanwhile; the caller
// keeps worlds from beginning and ending.
func (h *Host) Backup(w io.Writer) error {
	out := &lineWriter{w: w, hash: sha256.New()}
	head := backupHead{Backup: backupFormat, Rules: twin.Rules}
	for _, id := range h.store.Worlds() {
		at, _ := h.store.Head(id)
		n := int64(0)
		if at.Seq > 0 {
			first, err := h.firstSeq(id, at.Inc)
			if err != nil {
				return err
			}
			n = int64(at.Seq-first) + 1
		}
		head.Worlds = append(head.Worlds, backupStream{Entries: n, Head: at.Hash.String(), Inc: int64(at.Inc), World: int64(id)})
	}
	if err := out.line(canon.Marshal(&head)); err != nil {
		return err
	}
	err := h.store.Blobs(func(key string, data []byte) error {
		return out.line(canon.Marshal(&backupBlob{Blob: key, Data: base64.StdEncoding.EncodeToString(data)}))
	})
	if err != nil {
		return err
	}
	for i := range head.Worlds {
		if err := h.backupStream(out, &head.Worlds[i]); err != nil {
			return err
		}
	}
	end := backupEnd{End: true, Lines: out.lines, SHA256: hex.EncodeToString(out.hash.Sum(nil))}
	return out.line(canon.Marshal(&end))
}

// firstSeq is the number of a stream's first entry: a fork's is not 1.
func (h *Host) firstSeq(id ID, inc Incarnation) (first journal.Seq, err error) {
	enough := errors.New("enough")
	err = h.store.Scan(id, inc, 1, 0, func(e *journal.Entry) error {
		first = e.Seq
		return enough
	})
	if errors.Is(err, enough) {
		err = nil
	}
	return first, err
}

func (h *Host) backupStream(out *lineWriter, s *backupStream) error {
	if err := out.line(canon.Marshal(s)); err != nil || s.Entries == 0 {
		return err
	}
	var buf []byte
	n, enough := int64(0), errors.New("enough")
	err := h.store.Scan(ID(s.World), Incarnation(s.Inc), 1, 0, func(e *journal.Entry) error {
		if n == s.Entries {
			return enough
		}
		n++
		buf = journal.AppendLine(buf[:0], e)
		return out.line(buf[:len(buf)-1])
	})
	switch {
	case err != nil && !errors.Is(err, enough):
		return err
	case n != s.Entries:
		return fmt.Errorf("world %d lost entries while it was read: %d of %d", s.World, n, s.Entries)
	}
	return nil
}

// lineWriter counts and hashes lines.
type lineWriter struct {
	w     io.Writer
	hash  hash.Hash
	lines int64
	err   error
}

func (l *lineWriter) line(b []byte) error {
	if l.err != nil {
		return l.err
	}
	b = append(bytes.Clone(b), '\n')
	l.lines++
	l.hash.Write(b)
	_, l.err = l.w.Write(b)
	return l.err
}

// Restore fills an empty journal with a backup. Every chain and the end are proved
// on the way; after an error the journal is of no use.
func Restore(s Journal, r io.Reader) error {
	in := &restorer{store: s, in: bufio.NewReaderSize(r, 1<<20), hash: sha256.New()}
	if err := in.read(); err != nil {
		return fmt.Errorf("line %d: %w", in.lines, err)
	}
	return in.last.Wait()
}

type restorer struct {
	store    Journal
	in       *bufio.Reader
	hash     hash.Hash
	lines    int64
	controls []*store.Control // still to be recorded
	last     store.Ticket
}

// next reads a line without hashing it.
func (r *restorer) next() ([]byte, error) {
	line, err := r.in.ReadBytes('\n')
	r.lines++
	if err != nil {
		return nil, fmt.Errorf("%w: it is cut short", ErrBackup)
	}
	return line, nil
}

// object reads a line into v; other lines than that are refused.
func object[T any](line []byte, v *T) error {
	if err := canon.Unmarshal(canon.Raw(bytes.TrimSuffix(line, []byte("\n"))), v); err != nil {
		return fmt.Errorf("%w: %w", ErrBackup, err)
	}
	return nil
}

func (r *restorer) read() error {
	var head backupHead
	line, err := r.next()
	if err == nil {
		r.hash.Write(line)
		err = object(line, &head)
	}
	if err == nil && (head.Backup < backupFormatOldest || head.Backup > backupFormat) {
		err = fmt.Errorf("%w: its form has number %d, ours %d", ErrBackup, head.Backup, backupFormat)
	}
	if err != nil {
		return err
	}
	for _, w := range head.Worlds {
		if w.World != 0 {
			r.controls = append(r.controls, &store.Control{Op: store.Create, World: ID(w.World), Inc: Incarnation(w.Inc)})
		}
	}
	if line, err = r.blobs(); err != nil {
		return err
	}
	for _, want := range head.Worlds {
		var s backupStream
		if err := object(line, &s); err != nil {
			return err
		}
		if s != want {
			return fmt.Errorf("%w: world %d stands where world %d belongs", ErrBackup, s.World, want.World)
		}
		if err := r.stream(&s); err != nil {
			return fmt.Errorf("world %d: %w", s.World, err)
		}
		if line, err = r.next(); err != nil {
			return err
		}
		if want.World != head.Worlds[len(head.Worlds)-1].World {
			r.hash.Write(line)
		}
	}
	var end backupEnd
	if err := object(line, &end); err != nil {
		return err
	}
	if end.Lines != r.lines-1 || end.SHA256 != hex.EncodeToString(r.hash.Sum(nil)) {
		return fmt.Errorf("%w: its end does not fit what stands before", ErrBackup)
	}
	return nil
}

// blobs keeps the blobs and returns the line after them.
func (r *restorer) blobs() ([]byte, error) {
	for {
		line, err := r.next()
		if err != nil {
			return nil, err
		}
		r.hash.Write(line)
		if !bytes.HasPrefix(line, []byte(`{"blob":`)) {
			return line, nil
		}
		var b backupBlob
		if err := object(line, &b); err != nil {
			return nil, err
		}
		data, err := base64.StdEncoding.DecodeString(b.Data)
		if err == nil {
			err = r.store.PutBlob(b.Blob, data)
		}
		if err != nil {
			return nil, err
		}
	}
}

// stream appends the entries of one stream. The first entries of the server's own
// carry the beginnings of all worlds: there is never a world without an entry there.
func (r *restorer) stream(s *backupStream) error {
	var v *journal.Verifier
	for range s.Entries {
		line, err := r.next()
		if err != nil {
			return err
		}
		r.hash.Write(line)
		e, err := journal.ParseLine(line)
		if err != nil {
			return err
		}
		if v == nil {
			v = journal.NewVerifier(e.Prev, e.Seq)
		}
		if err := v.Next(&e); err != nil {
			return err
		}
		record := store.Record{World: ID(s.World), Inc: Incarnation(s.Inc), Entry: e}
		if s.World == 0 && len(r.controls) > 0 {
			record.Control, r.controls = r.controls[0], r.controls[1:]
		}
		if r.last, err = r.store.Append(record); err != nil {
			return err
		}
	}
	if v != nil {
		if _, hash := v.Head(); hash.String() != s.Head {
			return fmt.Errorf("%w: its entries end in %s, not in %s", ErrBackup, hash, s.Head)
		}
	}
	if s.World == 0 && len(r.controls) > 0 {
		return fmt.Errorf("%w: the server's own stream is too short for %d worlds", ErrBackup, len(r.controls))
	}
	return nil
}
