package stripe

import (
	. "time"
	t "time"
)

type stamp struct{ t.Time }

func aliased() int64 { return t.Now().Unix() } // want `time.Now in pure package worlds/twin/stripe: use tx.Now\(\)`

func dotted() Duration { return Since(Time{}) } // want `time.Since in pure package`

var asValue = t.Now // want `time.Now in pure package`

func waits() {
	t.Sleep(1)          // want `time.Sleep in pure package .*Due and Fire`
	<-t.After(t.Second) // want `time.After in pure package` `channel receive in pure package`
	_ = t.NewTimer(1)   // want `time.NewTimer in pure package`
	_ = t.AfterFunc     // want `time.AfterFunc in pure package`
}

func localZone(s stamp) {
	_ = s.Local()                  // want `time.Time.Local in pure package .*UTC`
	_ = t.Local                    // want `time.Local in pure package .*time.UTC`
	_ = t.Unix(1, 0)               // want `time.Unix in pure package .*\.UTC\(\)`
	_, _ = t.Parse("2006", "1999") // want `time.Parse in pure package .*ParseInLocation`
}

func harmless(at int64) (int, error) {
	_, err := t.ParseInLocation("2006", "1999", t.UTC)
	return t.Unix(at, 0).UTC().Day(), err
}
