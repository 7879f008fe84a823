package projection

import (
	"math"
	"strconv"
)

const million = int64(1e6)

const share = 0.5 // want `float in pure package worlds/projection: use integers`

type price float64 // want `float in pure package`

type row struct {
	Percent float32 // want `float in pure package`
	Amount  int64
}

func half(r row) int64 {
	return int64(float64(r.Amount) / 2) // want `float in pure package`
}

func parse(s string) int64 {
	f, err := strconv.ParseFloat(s, 64) // want `float in pure package`
	if err != nil {
		return 0
	}
	return int64(f) // want `float in pure package`
}

func root(n int64) int64 { return int64(math.Sqrt(4)) + n*million } // want `float in pure package`
