package seed

import "slices"

// feature is something that a document may use: its name and whether it does.
type feature struct {
	name string
	used func(*Document) bool
}

// unserved are the features of the format that no twin of this version serves.
// Whoever builds one deletes its row.
var unserved = []feature{
	{"clock_mode auto", func(d *Document) bool { return d.ClockMode == ClockAuto }},
	{"data.disputes", func(d *Document) bool { return len(d.Data.Disputes) > 0 }},
	{"data.tickets", func(d *Document) bool { return len(d.Data.Tickets) > 0 }},
	{"data.subscriptions[].trial_end", anySubscription(func(s Subscription) bool { return s.TrialEnd != 0 })},
	{"data.subscriptions[].status other than active", anySubscription(func(s Subscription) bool {
		return s.Status != SubscriptionActive
	})},
	{"settings.test_clocks", func(d *Document) bool { return d.Settings.TestClocks }},
	{"settings.dunning", func(d *Document) bool {
		own, usual := d.Settings.Dunning, defaultDunning()
		return own.Exhausted != usual.Exhausted || !slices.Equal(own.RetryDays, usual.RetryDays)
	}},
	{"zendesk", func(d *Document) bool { return d.Zendesk != nil }},
}

func anySubscription(is func(Subscription) bool) func(*Document) bool {
	return func(d *Document) bool { return slices.ContainsFunc(d.Data.Subscriptions, is) }
}

// Unserved returns the names of the features that the document uses and that
// this version does not serve, in a fixed order. A world may only be made from
// a seed with none.
func (s *Seed) Unserved() []string {
	var names []string
	for _, f := range unserved {
		if f.used(&s.Document) {
			names = append(names, f.name)
		}
	}
	return names
}
