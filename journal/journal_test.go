package journal_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"worlds/journal"
	"worlds/journal/canon"
)

func raws(list ...string) []canon.Raw {
	var out []canon.Raw
	for _, s := range list {
		out = append(out, canon.Raw(s))
	}
	return out
}

var frames = []journal.Frame{
	{Command: canon.Raw(`{}`), Reply: canon.Raw(`null`), Format: journal.FrameFormat},
	{At: 1767225600, Command: canon.Raw(`{"do":"create"}`), Facts: raws(`["put",{"name":"Zoë 😀"}]`), Reply: canon.Raw(`{"status":200}`), Format: journal.FrameFormat},
	{At: -1, Command: canon.Raw(`"ä\n\"\\"`), Facts: raws(`[]`, `["a","]",{"b":[1,2,[3]]}]`, `["c"]`), Reply: canon.Raw(`[1,"}"]`), Format: 1},
}

// chain is the entries of frames.
func chain() []journal.Entry {
	var list []journal.Entry
	var prev journal.Hash
	for i, f := range frames {
		e := journal.Entry{Seq: journal.Seq(i + 1), Prev: prev, Body: f.AppendBody(nil)}
		e.Hash = journal.Link(prev, e.Seq, e.Body)
		if i == 1 {
			e.Side = []byte("key\x00\xff")
		}
		list = append(list, e)
		prev = e.Hash
	}
	return list
}

func TestFrameIsReadAsWritten(t *testing.T) {
	for _, f := range frames {
		body := f.AppendBody(nil)
		got, err := journal.ParseBody(body)
		if err != nil || !reflect.DeepEqual(got, f) {
			t.Errorf("%v: got %+v, want %+v", err, got, f)
		}
		for i := range body {
			if _, err := journal.ParseBody(body[:i]); !errors.Is(err, journal.ErrFrame) {
				t.Errorf("cut at %d: %v", i, err)
			}
		}
		if _, err := journal.ParseBody(append(body, 0)); !errors.Is(err, journal.ErrFrame) {
			t.Errorf("a byte more: %v", err)
		}
		body[0] = journal.FrameFormat + 1
		if _, err := journal.ParseBody(body); !errors.Is(err, journal.ErrFrame) {
			t.Errorf("another format: %v", err)
		}
	}
}

// A body that is made in pieces is the body.
func TestBodyInPieces(t *testing.T) {
	for _, f := range frames {
		f.Format = 0
		body := journal.AppendOpening(nil, f.Command)
		for i := range f.Facts {
			body = journal.AppendFacts(body, f.Facts[i:i+1])
		}
		body = journal.AppendClosing(body, f.Reply, f.At, len(f.Facts))
		if want := f.AppendBody(nil); !bytes.Equal(body, want) {
			t.Errorf("got %x, want %x", body, want)
		}
		l := journal.NewLinker(journal.Hash{7}, 300)
		for i := range body {
			l.Write(body[i : i+1])
		}
		if got, want := l.Sum(), journal.Link(journal.Hash{7}, 300, body); got != want {
			t.Errorf("got %v, want %v", got, want)
		}
	}
}

func TestPartsOfAFrameCannotGrowIntoEachOther(t *testing.T) {
	body := frames[1].AppendBody(nil)
	f, err := journal.ParseBody(body)
	if err != nil {
		t.Fatal(err)
	}
	before := bytes.Clone(body)
	_ = append(f.Command, "xxxx"...)
	_ = append(f.Facts[0], "xxxx"...)
	if !bytes.Equal(body, before) {
		t.Fatal("append to a part wrote into the body")
	}
}

// The hash by the words of docs/format.md.
func TestLink(t *testing.T) {
	prev := journal.Hash{1, 2, 3}
	b := append(prev[:], 0, 0, 0, 0, 0, 0, 1, 2)
	b = append(b, "body"...)
	if got, want := journal.Link(prev, 258, []byte("body")), journal.Hash(sha256.Sum256(b)); got != want {
		t.Fatalf("%s, want %s", got, want)
	}
}

func TestHashText(t *testing.T) {
	h := journal.Link(journal.Hash{}, 1, nil)
	var again struct{ H journal.Hash }
	text, err := json.Marshal(struct{ H journal.Hash }{h})
	if err != nil || string(text) != `{"H":"`+h.String()+`"}` {
		t.Fatal(string(text), err)
	}
	if err := json.Unmarshal(text, &again); err != nil || again.H != h {
		t.Fatal(again, err)
	}
	for _, bad := range []string{"", h.String()[1:], h.String() + "0", strings.ToUpper(h.String()), "g" + h.String()[1:]} {
		if _, err := journal.ParseHash(bad); !errors.Is(err, journal.ErrHash) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestVerifier(t *testing.T) {
	rows := []struct {
		name   string
		change func(list []journal.Entry)
		seq    journal.Seq
		reason journal.Reason
	}{
		{"whole", func([]journal.Entry) {}, 0, 0},
		{"a body changed", func(l []journal.Entry) { l[1].Body[20]++ }, 2, journal.HashDiffers},
		{"a body changed, hashed again", func(l []journal.Entry) {
			l[0].Body[9+4+4]++
			l[0].Hash = journal.Link(l[0].Prev, 1, l[0].Body)
		}, 2, journal.ChainBroken},
		{"a hash changed", func(l []journal.Entry) { l[2].Hash[31]++ }, 3, journal.HashDiffers},
		{"one left out", func(l []journal.Entry) { l[1] = l[2] }, 3, journal.NotContiguous},
		{"two swapped", func(l []journal.Entry) { l[0], l[1] = l[1], l[0] }, 2, journal.NotContiguous},
		{"one twice", func(l []journal.Entry) { l[2] = l[1] }, 2, journal.NotContiguous},
		{"another genesis", func(l []journal.Entry) { l[0].Prev[0]++ }, 1, journal.ChainBroken},
		{"no frame", func(l []journal.Entry) {
			l[2].Body = []byte("x")
			l[2].Hash = journal.Link(l[2].Prev, 3, l[2].Body)
		}, 3, journal.BadFrame},
		{"a side changed", func(l []journal.Entry) { l[1].Side = nil }, 0, 0},
	}
	for _, row := range rows {
		list := chain()
		row.change(list)
		v := journal.NewVerifier(journal.Hash{}, 1)
		var err error
		for i := range list {
			err = v.Next(&list[i])
		}
		var broken *journal.ChainError
		switch {
		case row.reason == 0 && err != nil:
			t.Errorf("%s: %v", row.name, err)
		case row.reason == 0:
			if seq, hash := v.Head(); seq != 3 || hash != list[2].Hash {
				t.Errorf("%s: head %d", row.name, seq)
			}
		case !errors.As(err, &broken) || broken.Seq != row.seq || broken.Reason != row.reason:
			t.Errorf("%s: %v, want entry %d %s", row.name, err, row.seq, row.reason)
		}
	}
}

func TestVerifierOfAFork(t *testing.T) {
	list := chain()
	v := journal.NewVerifier(list[0].Hash, 2)
	for i := range list[1:] {
		if err := v.Next(&list[1+i]); err != nil {
			t.Fatal(err)
		}
	}
}

const wantLines = `{"at":0,"command":{},"facts":[],"format":2,"hash":"HASH","prev":"HASH","reply":null,"seq":1}
{"at":1767225600,"command":{"do":"create"},"facts":[["put",{"name":"Zoë 😀"}]],"format":2,"hash":"HASH","prev":"HASH","reply":{"status":200},"seq":2,"side":"a2V5AP8="}
{"at":-1,"command":"ä\n\"\\","facts":[[],["a","]",{"b":[1,2,[3]]}],["c"]],"hash":"HASH","prev":"HASH","reply":[1,"}"],"seq":3}
{"body":"eA==","hash":"HASH","prev":"HASH","seq":4}
`

func TestLines(t *testing.T) {
	list := chain()
	list = append(list, journal.Entry{Seq: 4, Body: []byte("x")})
	var out []byte
	want := wantLines
	for i := range list {
		from := len(out)
		out = journal.AppendLine(out, &list[i])
		want = strings.Replace(want, "HASH", list[i].Hash.String(), 1)
		want = strings.Replace(want, "HASH", list[i].Prev.String(), 1)
		line := out[from:]
		if err := canon.Valid(line[:len(line)-1]); err != nil {
			t.Errorf("not canonical: %v", err)
		}
		for _, line := range [][]byte{line, line[:len(line)-1]} {
			got, err := journal.ParseLine(line)
			if err != nil || !reflect.DeepEqual(got, list[i]) {
				t.Errorf("%v: got %+v, want %+v", err, got, list[i])
			}
		}
	}
	if string(out) != want {
		t.Errorf("got\n%s\nwant\n%s", out, want)
	}
}

func TestRefusedLines(t *testing.T) {
	list := chain()
	good := string(journal.AppendLine(nil, &list[1]))
	hash := list[1].Hash.String()
	rows := map[string]string{
		"empty":            "",
		"no object":        "[]\n",
		"two lines":        good + good,
		"a blank":          strings.Replace(good, ":", ": ", 1),
		"a member more":    strings.Replace(good, `,"seq"`, `,"rest":1,"seq"`, 1),
		"a member twice":   strings.Replace(good, `"seq":2`, `"seq":2,"seq":2`, 1),
		"a format to come": strings.Replace(good, `"format":2`, `"format":3`, 1),
		"format 1 named":   strings.Replace(good, `"format":2`, `"format":1`, 1),
		"format is a text": strings.Replace(good, `"format":2`, `"format":"2"`, 1),
		"keys out of line": strings.Replace(strings.Replace(good, `"at":1767225600,`, "", 1), `"seq":2`, `"seq":2,"at":1767225600`, 1),
		"no seq":           strings.Replace(good, `,"seq":2`, "", 1),
		"seq as text":      strings.Replace(good, `"seq":2`, `"seq":"2"`, 1),
		"negative seq":     strings.Replace(good, `"seq":2`, `"seq":-2`, 1),
		"no reply":         strings.Replace(good, `,"reply":{"status":200}`, "", 1),
		"facts no array":   strings.Replace(good, `"facts":[["put",{"name":"Zoë 😀"}]]`, `"facts":{}`, 1),
		"hash too short":   strings.Replace(good, hash, hash[1:], 1),
		"side no base64":   strings.Replace(good, "a2V5AP8=", "a2V5AP8", 1),
		"side not strict":  strings.Replace(good, "a2V5AP8=", "a2V5AP9=", 1),
		"side empty":       strings.Replace(good, "a2V5AP8=", "", 1),
		"body and members": strings.Replace(good, `,"command"`, `,"body":"eA==","command"`, 1),
		"broken Unicode":   strings.Replace(good, "Zoë", "Zo\xeb", 1),
	}
	for name, line := range rows {
		if line == good {
			t.Fatalf("%s: the row changes nothing", name)
		}
		if e, err := journal.ParseLine([]byte(line)); !errors.Is(err, journal.ErrLine) {
			t.Errorf("%s: %v %+v", name, err, e)
		}
	}
}

func FuzzParseBody(f *testing.F) {
	for _, frame := range frames {
		f.Add(frame.AppendBody(nil))
	}
	for format := byte(1); format <= journal.FrameFormat; format++ {
		f.Add(binary.LittleEndian.AppendUint32(append([]byte{format}, make([]byte, 8)...), 1<<31))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		frame, err := journal.ParseBody(body)
		if err != nil {
			if !errors.Is(err, journal.ErrFrame) {
				t.Fatal(err)
			}
			return
		}
		if again := frame.AppendBody(nil); !bytes.Equal(again, body) {
			t.Fatalf("%x became %x", body, again)
		}
	})
}

func FuzzParseLine(f *testing.F) {
	list := chain()
	for i := range list {
		f.Add(journal.AppendLine(nil, &list[i]))
	}
	f.Add([]byte(wantLines))
	f.Fuzz(func(t *testing.T, line []byte) {
		e, err := journal.ParseLine(line)
		if err != nil {
			if !errors.Is(err, journal.ErrLine) {
				t.Fatal(err)
			}
			return
		}
		if again := journal.AppendLine(nil, &e); !bytes.Equal(bytes.TrimSuffix(line, []byte("\n")), again[:len(again)-1]) {
			t.Fatalf("%q became %q", line, again)
		}
	})
}

func TestAllocations(t *testing.T) {
	list := chain()
	buf := make([]byte, 0, 4096)
	rows := []struct {
		name   string
		budget float64
		do     func()
	}{
		{"AppendBody", 0, func() { buf = frames[1].AppendBody(buf[:0]) }},
		{"ParseBody", 1, func() { _, _ = journal.ParseBody(list[1].Body) }},
		{"Link", 0, func() { _ = journal.Link(list[1].Prev, 2, list[1].Body) }},
		{"AppendLine", 1, func() { buf = journal.AppendLine(buf[:0], &list[1]) }},
	}
	for _, row := range rows {
		if n := testing.AllocsPerRun(100, row.do); n > row.budget {
			t.Errorf("%s: %v allocations, budget %v", row.name, n, row.budget)
		}
	}
}
