package sim

import (
	"strconv"
	"strings"

	"worlds/journal/canon"
	"worlds/projection"
	"worlds/twin"
	"worlds/twin/webhook"
	"worlds/twin/world"
)

const operatorEndpoint = twin.EndpointLabel

// place is what the scheduler knows of a world.
type place struct {
	world  *world.World
	name   string
	epoch  int64 // where the clock stood first
	now    int64
	head   int64 // the last entry
	served int64 // the latest entry whose answer was written
	names  *names
	gone   bool
	events int
	life   int // how often it was reset
	// answered are the changes that somebody was told of, of this life.
	answered []answered
	// changes are the entries that changed something, by whom.
	changes []changeBy
}

type changeBy struct {
	seq    int64
	writer string
	types  []string
}

// place finds or makes the place of a world.
func (s *sched) place(w *world.World) *place {
	for _, pl := range s.places {
		if pl.world == w {
			return pl
		}
	}
	pl := &place{world: w, names: newNames()}
	s.places = append(s.places, pl)
	if w == nil {
		return pl
	}
	s.syncing = true
	defer func() { s.syncing = false }()
	if v, err := w.View(s.play.script.context()); err == nil {
		pl.epoch, pl.now, pl.head = v.State.Now(), v.State.Now(), int64(v.Seq)
	}
	if g, err := w.Genesis(); err == nil {
		pl.names.seeded = g.State()
	}
	return pl
}

// dues lists what a world waits to deliver.
func (s *sched) dues(pl *place) []webhook.Due {
	s.syncing = true
	defer func() { s.syncing = false }()
	list, err := s.play.rig.Server().Admin.Deliverer.Dues(s.play.script.context(), pl.world)
	if err != nil {
		return nil // it is being reset, or is no more
	}
	return list
}

func (pl *place) automatic() bool {
	e := pl.world.Endpoint()
	return e == nil || e.Auto
}

// restart puts the place at its beginning after a reset.
func (pl *place) restart() {
	pl.now, pl.head, pl.served, pl.changes, pl.answered = pl.epoch, 0, 0, nil, nil
	pl.life++
	seeded := pl.names.seeded
	pl.names = newNames()
	pl.names.seeded = seeded
}

// taken is what an entry's facts say, as far as a trace shows it.
type taken struct {
	created []string // aliases
	events  []string // types
}

// take reads the facts of an entry.
func (pl *place) take(seq int64, facts []canon.Raw) taken {
	var t taken
	for _, f := range facts {
		words := elements(f, 4)
		if len(words) < 2 {
			continue
		}
		switch words[0] {
		case "clock":
			pl.now, _ = strconv.ParseInt(words[1], 10, 64)
		case "put":
			if alias, fresh := pl.names.learn(seq, words[1], words[2]); fresh {
				t.created = append(t.created, alias)
			}
		case "event":
			pl.names.learn(seq, "", words[1])
			t.events = append(t.events, words[3])
			pl.events++
		}
	}
	return t
}

// elements reads the first n elements of an array; texts come without quotes.
func elements(list canon.Raw, n int) []string {
	var out []string
	for e := range canon.Elements(list) {
		if text, ok := canon.Unquote(e); ok {
			out = append(out, text)
		} else {
			out = append(out, string(e))
		}
		if len(out) == n {
			break
		}
	}
	return out
}

// names gives the ids of a world names that say where they come from: re@5 is the
// refund made by entry 5. Ids of the seed stay as they are: they are names already.
type names struct {
	seeded  *projection.State
	aliases map[string]string // by id; numbers, which are of a kind, by kind/id
	count   map[string]int
}

func newNames() *names { return &names{aliases: map[string]string{}, count: map[string]int{}} }

// learn names an id that an entry made; fresh says that it is new.
func (n *names) learn(seq int64, table, id string) (alias string, fresh bool) {
	kind, _, ok := strings.Cut(id, "_")
	key := id
	if !ok {
		_, kind, _ = strings.Cut(table, ".")
		key = kind + "/" + id
	}
	if a := n.aliases[key]; a != "" {
		return a, false
	}
	if table == lifeTable || table != "" && n.seeded != nil && n.seeded.Get(table, id) != nil {
		return id, false
	}
	alias = kind + "@" + strconv.FormatInt(seq, 10)
	n.count[alias]++
	if c := n.count[alias]; c > 1 {
		alias += "." + strconv.Itoa(c)
	}
	n.aliases[key] = alias
	return alias, true
}

// lifeTable holds what the help desk keeps beside a ticket, under the ticket's id.
const lifeTable = "zendesk.life"

// text rewrites the ids in a text. A number is one only in a path, behind the name
// of its kind: /tickets/7.
func (n *names) text(s string) string {
	if n == nil || len(n.aliases) == 0 {
		return s
	}
	var out strings.Builder
	for i := 0; i < len(s); {
		j := i
		for j < len(s) && isNameByte(s[j]) {
			j++
		}
		if j == i {
			out.WriteByte(s[i])
			i++
			continue
		}
		word := s[i:j]
		alias := n.aliases[word]
		if word[0] >= '0' && word[0] <= '9' {
			alias = n.aliases[kindBefore(s[:i])+"/"+word]
		}
		if alias == "" {
			alias = word
		}
		out.WriteString(alias)
		i = j
	}
	return out.String()
}

// kindBefore is the kind of object that a path goes on with: ticket for
// /api/v2/tickets/.
func kindBefore(path string) string {
	path, ok := strings.CutSuffix(path, "/")
	if !ok {
		return ""
	}
	return strings.TrimSuffix(path[strings.LastIndexByte(path, '/')+1:], "s")
}

func isNameByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
