package world

import (
	"math/rand"
	"time"
)

var started, luck = time.Now(), rand.Int()
