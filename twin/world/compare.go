package world

import (
	"bytes"
	"fmt"

	"worlds/journal"
	"worlds/journal/canon"
)

// differencesMax is how many differences a report names.
const differencesMax = 20

// absentValue stands for a member that one side lacks.
const absentValue = "(absent)"

// CompareEntries names the places where what two entries say parts; the first is
// the Recorded side. Nil where both say the same or one is no frame.
func CompareEntries(a, b *journal.Entry) []Difference { return compareBodies(a.Body, b.Body) }

func compareBodies(a, b []byte) []Difference {
	x, errA := journal.ParseBody(a)
	y, errB := journal.ParseBody(b)
	if errA != nil || errB != nil {
		return nil
	}
	return compareFrames(&x, &y)
}

// compareFrames names the places where two frames part.
func compareFrames(a, b *journal.Frame) []Difference {
	var out []Difference
	out = compareValues("command", a.Command, b.Command, out)
	for i := range max(len(a.Facts), len(b.Facts)) {
		out = compareValues(fmt.Sprintf("facts[%d]", i), at(a.Facts, i), at(b.Facts, i), out)
	}
	return compareValues("reply", a.Reply, b.Reply, out)
}

func at(list []canon.Raw, i int) canon.Raw {
	if i < len(list) {
		return list[i]
	}
	return nil
}

// compareValues walks two canonical values side by side.
func compareValues(path string, a, b canon.Raw, out []Difference) []Difference {
	if len(out) >= differencesMax || bytes.Equal(a, b) {
		return out
	}
	switch {
	case len(a) > 0 && len(b) > 0 && a[0] == '{' && b[0] == '{':
		return compareObjects(path, a, b, out)
	case len(a) > 0 && len(b) > 0 && a[0] == '[' && b[0] == '[':
		return compareArrays(path, a, b, out)
	}
	return append(out, Difference{Part: path, Recorded: shownValue(a), Replayed: shownValue(b)})
}

func compareObjects(path string, a, b canon.Raw, out []Difference) []Difference {
	for k, x := range canon.Members(a) {
		y, _ := canon.Get(b, k)
		out = compareValues(path+"."+k, x, y, out)
	}
	for k, y := range canon.Members(b) {
		if _, ok := canon.Get(a, k); !ok {
			out = compareValues(path+"."+k, nil, y, out)
		}
	}
	return out
}

func compareArrays(path string, a, b canon.Raw, out []Difference) []Difference {
	var x, y []canon.Raw
	for e := range canon.Elements(a) {
		x = append(x, e)
	}
	for e := range canon.Elements(b) {
		y = append(y, e)
	}
	for i := range max(len(x), len(y)) {
		out = compareValues(fmt.Sprintf("%s[%d]", path, i), at(x, i), at(y, i), out)
	}
	return out
}

func shownValue(v canon.Raw) string {
	if v == nil {
		return absentValue
	}
	return string(v)
}
