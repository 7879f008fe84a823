package seed

// feature is something that a document may use: its name and whether it does.
type feature struct {
	name string
	used func(*Document) bool
}

// unserved are the features of the format that no twin of this version serves:
// none. Whoever lets the format run ahead adds a row, whoever builds it deletes it.
var unserved = []feature{}

// Unserved returns the names of the features that the document uses and that
// this version does not serve, in a fixed order. A world may only be made from
// a seed with none.
func (s *Seed) Unserved() []string {
	var names []string
	for _, f := range unserved {
		if f.used(&s.Document) {
			names = append(names, f.name)
		}
	}
	return names
}
