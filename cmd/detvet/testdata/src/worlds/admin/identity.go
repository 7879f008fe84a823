package admin

import "crypto/rand"

func newToken() string { return rand.Text() }
