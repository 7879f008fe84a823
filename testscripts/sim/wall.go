package sim

import "time"

// now is the time of the wall, which bounds how long a play may take; nothing of a
// world depends on it.
func now() time.Time { return time.Now() } //worlds:boundary budgets of a play

// since is how long ago that was.
func since(t time.Time) time.Duration { return now().Sub(t) }

// bound is a timer over how long something may take.
func bound(d time.Duration) *time.Timer { return time.NewTimer(d) } //worlds:boundary budgets of a play

// drawer draws numbers, the same ones from the same seed (splitmix64).
type drawer struct{ state uint64 }

func (d *drawer) below(n int) int {
	d.state += 0x9e3779b97f4a7c15
	z := d.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return int((z ^ z>>31) % uint64(n))
}
