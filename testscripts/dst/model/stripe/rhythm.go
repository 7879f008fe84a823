package stripe

import "time"

// from is the moment n intervals after an anchor. Months and years keep the anchor's
// day, or take the last day of a month that is too short; nothing is counted from a
// boundary before.
func (r *rhythm) from(anchor int64, n int64) int64 {
	steps := n * r.count
	switch r.interval {
	case "day":
		return anchor + steps*86400
	case "week":
		return anchor + steps*7*86400
	case "year":
		steps *= 12
	}
	at := time.Unix(anchor, 0).UTC()
	months := int64(at.Year())*12 + int64(at.Month()) - 1 + steps
	year, month := floorDiv(months, 12), time.Month(months-floorDiv(months, 12)*12+1)
	last := time.Date(int(year), month+1, 0, 0, 0, 0, 0, time.UTC).Day()
	return time.Date(int(year), month, min(at.Day(), last), at.Hour(), at.Minute(), at.Second(), 0, time.UTC).Unix()
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// next is the first boundary of an anchor after a moment.
func (r *rhythm) next(anchor, after int64) int64 {
	n := r.near(anchor, after)
	for r.from(anchor, n) > after {
		n--
	}
	for r.from(anchor, n) <= after {
		n++
	}
	return r.from(anchor, n)
}

// isBoundary reports whether a moment is one of an anchor's boundaries.
func (r *rhythm) isBoundary(anchor, at int64) bool {
	return r.next(anchor, at-1) == at
}

// near is about how many intervals lie between an anchor and a moment.
func (r *rhythm) near(anchor, at int64) int64 {
	days := map[string]int64{"day": 1, "week": 7, "month": 30, "year": 365}[r.interval]
	return floorDiv(at-anchor, days*86400*r.count)
}
