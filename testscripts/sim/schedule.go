package sim

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// schedule words the permits given so far: one letter a permit, and who the letters
// are.
func (s *sched) schedule() (text string, who map[string]string) {
	var out strings.Builder
	for _, c := range s.taken {
		out.WriteString(c.among[c.taken])
	}
	who = map[string]string{}
	for _, w := range s.letters {
		who[s.letter(w)] = w
	}
	return out.String(), who
}

func letters(who map[string]string) string {
	var words []string
	for _, l := range slices.Sorted(maps.Keys(who)) {
		words = append(words, l+"="+who[l])
	}
	return " (" + strings.Join(words, " ") + ")"
}

// permitted is whom a permit to the item is for. An attempt that has lost its claim
// is not the writer's present one.
func (it *item) permitted() string {
	if it.lost {
		return fmt.Sprintf("%s/lost-%d", it.writer, it.id)
	}
	return it.writer
}

// note takes down a permit and returns its index.
func (s *sched) note(list []*item, pick func(among []string) int) int {
	among := make([]string, len(list))
	for i, it := range list {
		among[i] = s.letter(it.permitted())
	}
	i := pick(among)
	s.taken = append(s.taken, choice{among: among, taken: i})
	return i
}

// follow gives permits as a schedule has them. Where it names somebody who cannot
// go, it is not a schedule of this scenario; behind its end the first goes.
func (p *play) follow(schedule string) func([]*item) int {
	rest, lost := splitSchedule(schedule), false
	return func(list []*item) int {
		return p.sched.note(list, func(among []string) int {
			if len(rest) == 0 {
				return 0
			}
			next := rest[0]
			rest = rest[1:]
			i := slices.Index(among, next)
			if i < 0 {
				if !lost {
					p.problem("the schedule %s names %s at permit %d, where only %s can go", schedule, next, len(p.sched.taken)+1, strings.Join(among, ", "))
				}
				lost = true
				return 0
			}
			return i
		})
	}
}

// splitSchedule takes a schedule apart: letters, and numbers in brackets.
func splitSchedule(text string) []string {
	var out []string
	for i := 0; i < len(text); i++ {
		if text[i] == '(' {
			if end := strings.IndexByte(text[i:], ')'); end > 0 {
				out = append(out, text[i:i+end+1])
				i += end
				continue
			}
		}
		out = append(out, text[i:i+1])
	}
	return out
}
