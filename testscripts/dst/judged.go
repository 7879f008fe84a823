package dst

import (
	"fmt"
	"io"
	"strings"
)

// Judged says how much of what the twin of an API said its model had an opinion of. A
// model that has none lets everything pass, and a sweep must not live on that.
type Judged struct {
	Answers int64 `json:"answers"` // of requests that reached the world
	Judged  int64 `json:"judged"`  // of those: predicted, and compared
	Worlds  int64 `json:"worlds"`  // that came to rest
	Whole   int64 `json:"whole"`   // of those: compared as a whole
}

// The counters behind it, by API.
const (
	countAnswers = "answers."
	countJudged  = "judged."
	countWorlds  = "worlds."
	countWhole   = "whole."
)

// models are the APIs whose twins have a model, in an order that stays.
var models = [...]string{apiStripe, apiZendesk}

// judge sums up a run.
func (m *Metrics) judge() {
	m.Judged = map[string]Judged{}
	for _, api := range models {
		m.Judged[api] = Judged{m.total(countAnswers + api), m.total(countJudged + api), m.total(countWorlds + api), m.total(countWhole + api)}
	}
}

// total is a counter of all phases.
func (m *Metrics) total(name string) int64 {
	return m.counted(phaseSetup, name) + m.counted(phaseScheduled, name) + m.counted(phaseDrain, name)
}

// What the models must have judged of a sweep, in thousandths of the answers, from so
// many answers on; and from how many worlds on one must have been compared as a whole.
// Below that, what a sweep did not find says little.
const (
	judgedFrom  = 500
	judgedLeast = 400
	wholeFrom   = 20
)

// add adds a run.
func (s *Sweep) add(run map[string]Judged) {
	for api, j := range run {
		all := s.Judged[api]
		s.Judged[api] = Judged{all.Answers + j.Answers, all.Judged + j.Judged, all.Worlds + j.Worlds, all.Whole + j.Whole}
	}
}

// hold says how much the models judged, and keeps it as an error if it was too little
// of what they were asked for.
func (s *Sweep) hold(asked string, out io.Writer) {
	for _, api := range models {
		j := s.Judged[api]
		if !strings.Contains(asked, api) || j.Answers == 0 {
			continue
		}
		thousandths := 1000 * j.Judged / j.Answers
		fmt.Fprintf(out, "the model of %s judged %d of %d answers (%d %%), and %d of %d whole worlds\n", api, j.Judged, j.Answers, thousandths/10, j.Whole, j.Worlds)
		switch {
		case j.Answers >= judgedFrom && thousandths < judgedLeast:
			s.Blind = fmt.Errorf("the model of %s judged %d ‰ of the answers, and %d ‰ is the least that says something", api, thousandths, judgedLeast)
		case j.Worlds >= wholeFrom && j.Whole == 0:
			s.Blind = fmt.Errorf("the model of %s followed none of %d worlds to the end", api, j.Worlds)
		}
	}
}
