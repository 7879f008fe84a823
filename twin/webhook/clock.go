package webhook

import "time"

// wallNow is the time of a delivery, which is part of its envelope and of nothing
// that a world keeps.
func wallNow() int64 {
	return time.Now().Unix()
}
