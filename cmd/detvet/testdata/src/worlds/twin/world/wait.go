package world

import now "time"

func pause(m map[string]int) float64 {
	now.Sleep(1)
	_ = now.Now() // want `time.Now in worlds/twin/world: clock belongs in worlds/twin/serve, .*//worlds:boundary`
	for range m {
	}
	return 0.5
}
