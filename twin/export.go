package twin

import "worlds/journal/canon"

// SeedMember is a member of a seed document as an API writes it.
type SeedMember struct {
	Name  string // "data", "zendesk"
	Value canon.Raw
}

// Lost is what a seed cannot say of a state: so many of a kind.
type Lost struct {
	What  string `json:"what"`
	Count int64  `json:"count"`
}
