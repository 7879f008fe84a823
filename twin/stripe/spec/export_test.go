package spec

// Load reads the table afresh, for measuring.
func Load() { load() }
