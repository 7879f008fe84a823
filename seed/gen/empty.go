package gen

// Empty returns the seed of a world in which nothing exists yet.
func Empty() []byte {
	d := document{name: "empty", version: 1}
	return d.bytes()
}
