package seed

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
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
// byte-order mark. The error is always an *Invalid: the first fault of the JSON
// itself with its offset, or else everything that the format's rules have
// against the document, in document order.
func Parse(src []byte) (*Seed, error) {
	if len(src) > MaxDocumentBytes {
		return nil, invalid(Problem{Path: rootPath, Offset: MaxDocumentBytes,
			Msg: fmt.Sprintf("is %d bytes long; a seed may have %d", len(src), MaxDocumentBytes)})
	}
	body := bytes.TrimPrefix(src, []byte("\xef\xbb\xbf"))
	canonical, err := canon.Canonicalize(body)
	if err != nil {
		return nil, syntaxProblem(err, body, len(src)-len(body))
	}
	d := decoder{}
	doc := documentTable.read(&d, nil, canonical)
	checkDocument(&d, &doc)
	if len(d.problems) > 0 {
		return nil, &Invalid{Problems: d.problems, More: d.more}
	}
	return &Seed{Document: doc, Hash: sha256.Sum256(canonical), Canonical: canonical}, nil
}

// syntaxProblem turns canon's refusal into an Invalid whose offset counts from
// the start of the file, so that editors find it when a byte-order mark was skipped.
func syntaxProblem(err error, body []byte, skipped int) error {
	var syntax *canon.Error
	if !errors.As(err, &syntax) {
		return invalid(Problem{Path: rootPath, Offset: NoOffset, Msg: err.Error()})
	}
	before := body[:min(syntax.Offset, int64(len(body)))]
	return invalid(Problem{Path: syntax.Path, Offset: syntax.Offset + int64(skipped), Msg: syntax.Msg,
		Line: 1 + bytes.Count(before, []byte("\n")), Column: len(before) - bytes.LastIndexByte(before, '\n')})
}
