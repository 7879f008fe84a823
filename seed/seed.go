package seed

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"worlds/journal/canon"
)

// Hash is the SHA-256 of a seed document's canonical bytes.
type Hash [sha256.Size]byte

const hashPrefix = "sha256:"

// String returns the hash as "sha256:" and 64 lower-case hexadecimal digits.
func (h Hash) String() string { return hashPrefix + hex.EncodeToString(h[:]) }

// ParseHash reads what Hash.String writes, and nothing else.
func ParseHash(s string) (Hash, error) {
	var h Hash
	if len(s) != len(hashPrefix)+2*len(h) || s[:len(hashPrefix)] != hashPrefix {
		return Hash{}, fmt.Errorf("seed: %q is not a hash: want %s and 64 hexadecimal digits", s, hashPrefix)
	}
	if _, err := hex.Decode(h[:], []byte(s[len(hashPrefix):])); err != nil || h.String() != s {
		return Hash{}, fmt.Errorf("seed: %q is not a hash: want %s and 64 lower-case hexadecimal digits", s, hashPrefix)
	}
	return h, nil
}

// Seed is one valid seed document. It is immutable and safe for concurrent use.
type Seed struct {
	// Document is what the file says, defaults filled in.
	Document Document
	// Hash identifies the document as written: the SHA-256 of Canonical.
	Hash Hash
	// Canonical is the document as written, in canonical form, without a
	// byte-order mark. Parse(Canonical) gives an equal Seed.
	Canonical []byte
}

// Parse reads a seed document. It accepts UTF-8 JSON with or without a
// byte-order mark. The error is always an *Invalid: the faults of the JSON itself
// with their offsets, then everything that the format's rules have against the
// document, in document order. With faults of the JSON the rules that hold values
// against each other are left out.
func Parse(src []byte) (*Seed, error) {
	if len(src) > MaxDocumentBytes {
		return nil, invalid(Problem{Path: rootPath, Offset: MaxDocumentBytes,
			Msg: fmt.Sprintf("is %d bytes long; a seed may have %d", len(src), MaxDocumentBytes)})
	}
	body := bytes.TrimPrefix(src, []byte("\xef\xbb\xbf"))
	canonical, err := canon.Canonicalize(body)
	if err != nil {
		return nil, faulty(body, len(src)-len(body))
	}
	d := decoder{}
	doc := documentTable.read(&d, nil, canonical)
	checkDocument(&d, &doc)
	if len(d.problems) > 0 {
		return nil, &Invalid{Problems: d.problems, More: d.more}
	}
	return &Seed{Document: doc, Hash: sha256.Sum256(canonical), Canonical: canonical}, nil
}

// faulty lists the faults of the JSON itself and, where everything could be read, what
// else is wrong with the document, as far as that does not come of them.
func faulty(body []byte, skipped int) *Invalid {
	canonical, all := syntaxFaults(body, skipped)
	if canonical == nil {
		return all
	}
	known := map[string]bool{}
	for _, p := range all.Problems {
		known[p.Path] = true
	}
	d := decoder{}
	documentTable.read(&d, nil, canonical)
	all.More += d.more
	for _, p := range d.problems {
		switch {
		case known[p.Path]:
		case len(all.Problems) == MaxProblems:
			all.More++
		default:
			all.Problems = append(all.Problems, p)
		}
	}
	return all
}

// syntaxFaults lists the faults of the JSON itself, one of each place, and returns what
// is left of the document without them, nil where that cannot be told.
func syntaxFaults(body []byte, skipped int) (canonical []byte, all *Invalid) {
	canonical, faults := canon.Faults(body, MaxProblems)
	all = &Invalid{}
	known := map[string]bool{}
	for _, f := range faults {
		if !known[f.Path] {
			all.Problems = append(all.Problems, syntaxProblem(f, body, skipped))
		}
		known[f.Path] = true
	}
	return canonical, all
}

// syntaxProblem words a fault of syntax; its offset counts from the start of the file,
// so that editors find it when a byte-order mark was skipped.
func syntaxProblem(f *canon.Error, body []byte, skipped int) Problem {
	before := body[:min(f.Offset, int64(len(body)))]
	return Problem{Path: f.Path, Offset: f.Offset + int64(skipped), Msg: f.Msg,
		Line: 1 + bytes.Count(before, []byte("\n")), Column: len(before) - bytes.LastIndexByte(before, '\n')}
}
