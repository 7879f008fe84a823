package seed

// Calendar arithmetic in UTC over Unix seconds, without the time package: a
// boundary is always counted from the anchor, so that a 31st comes back after a
// short month.

const daySeconds = 86400

// Boundary returns the moment n periods after the anchor, n of either sign. In a
// month that lacks the anchor's day it is that month's last day, at the anchor's
// time of day. The receiver must not be zero.
func (r Recurring) Boundary(anchor, n int64) int64 {
	n *= r.IntervalCount
	switch r.Interval {
	case "day":
		return anchor + n*daySeconds
	case "week":
		return anchor + n*7*daySeconds
	case "year":
		n *= 12
	}
	days := floorDiv(anchor, daySeconds)
	year, month, day := civil(days)
	months := year*12 + month - 1 + n
	year, month = floorDiv(months, 12), months-floorDiv(months, 12)*12+1
	return dayNumber(year, month, min(day, monthLength(year, month)))*daySeconds + anchor - days*daySeconds
}

// Next returns the first boundary later than the given moment.
func (r Recurring) Next(anchor, after int64) int64 {
	shortest, longest := r.spanDays()
	span := longest
	if after < anchor {
		span = shortest
	}
	n := floorDiv(after-anchor, span*r.IntervalCount*daySeconds)
	for r.Boundary(anchor, n) > after {
		n--
	}
	for r.Boundary(anchor, n) <= after {
		n++
	}
	return r.Boundary(anchor, n)
}

// spanDays returns the least and the greatest number of days in one interval.
func (r Recurring) spanDays() (shortest, longest int64) {
	switch r.Interval {
	case "day":
		return 1, 1
	case "week":
		return 7, 7
	case "month":
		return 28, 31
	}
	return 365, 366
}

// maxIntervalCount is the greatest interval_count of an interval: three years in all.
func maxIntervalCount(interval string) int64 {
	switch interval {
	case "day":
		return maxIntervalDays
	case "week":
		return 156
	case "month":
		return 36
	}
	return 3
}

// The calendar repeats every 400 years of 146,097 days. Years are counted from
// March, so that a leap day is the last day of its year.
const (
	eraDays        = 146_097
	eraYears       = 400
	daysBeforeUnix = 719_468 // from 0000-03-01 to 1970-01-01
)

// dayNumber returns the days from 1970-01-01 to a date.
func dayNumber(year, month, day int64) int64 {
	if month <= 2 {
		year, month = year-1, month+12
	}
	era := floorDiv(year, eraYears)
	yearOfEra := year - era*eraYears
	dayOfYear := (153*(month-3)+2)/5 + day - 1
	return era*eraDays + yearOfEra*365 + yearOfEra/4 - yearOfEra/100 + dayOfYear - daysBeforeUnix
}

// civil returns the date that is the given number of days after 1970-01-01.
func civil(days int64) (year, month, day int64) {
	days += daysBeforeUnix
	era := floorDiv(days, eraDays)
	dayOfEra := days - era*eraDays
	yearOfEra := (dayOfEra - dayOfEra/1460 + dayOfEra/36524 - dayOfEra/146096) / 365
	dayOfYear := dayOfEra - (yearOfEra*365 + yearOfEra/4 - yearOfEra/100)
	month = (5*dayOfYear+2)/153 + 3
	day = dayOfYear - (153*(month-3)+2)/5 + 1
	year = yearOfEra + era*eraYears
	if month > 12 {
		year, month = year+1, month-12
	}
	return year, month, day
}

func monthLength(year, month int64) int64 {
	if month == 12 {
		return 31
	}
	return dayNumber(year, month+1, 1) - dayNumber(year, month, 1)
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}
