package serve

import "time"

// Limits of one request and of its connection.
const (
	BodyBytesMax      = 1 << 20
	HeaderBytesMax    = 64 << 10
	PathBytesMax      = 8 << 10
	QueryBytesMax     = 64 << 10
	ReadHeaderTimeout = 10 * time.Second
	ReadTimeout       = 60 * time.Second
	IdleTimeout       = 3 * time.Minute
)
