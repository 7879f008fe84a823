package zendesk

import (
	"time"

	"worlds/twin"
)

// Stamp is a moment as the API writes it, in UTC and whole seconds. Stamps of one
// century compare as strings do.
type Stamp string

// stampLayout is the only form of a Stamp.
const stampLayout = "2006-01-02T15:04:05Z"

func stampOf(t twin.Time) Stamp { return Stamp(time.Unix(int64(t), 0).UTC().Format(stampLayout)) }

// stampOrNull is nil for no moment.
func stampOrNull(unix int64) *Stamp {
	if unix == 0 {
		return nil
	}
	s := stampOf(twin.Time(unix))
	return &s
}

// unix is the moment in seconds; a Stamp is never malformed.
func (s Stamp) unix() int64 {
	n, _ := parseMoment(string(s))
	return n
}

// parseMoment reads what callers may write for a moment: a Stamp, one with an
// offset, or a day.
func parseMoment(s string) (unix int64, ok bool) {
	for _, layout := range [...]string{stampLayout, "2006-01-02T15:04:05Z07:00", "2006-01-02"} {
		if t, err := time.ParseInLocation(layout, s, time.UTC); err == nil {
			return t.Unix(), true
		}
	}
	return 0, false
}
