package stripe

import (
	"worlds/journal/canon"
	"worlds/projection"
	"worlds/twin"
)

// eventLinks is what the older shapes of an event show of other objects, as it was
// when the event happened: an invoice's charge, the price of a line. The row is made
// for the endpoints that get the event in such a shape, and says at every attempt,
// and when the event is sent again, what it said at the first.
type eventLinks struct {
	ID    string    `json:"id"`    // of the event
	Links canon.Raw `json:"links"` // what was looked up, by "what:of"
}

var eventLinkRows = twin.Resource[eventLinks]{
	Kind: twin.Kind{Table: "stripe.event_links"},
	Key:  func(l *eventLinks) string { return l.ID },
}

func eventLinksAPI() twin.API { return twin.API{Kind: eventLinkRows.Kind} }

// keepLinks keeps what a version of an event takes from other objects.
func keepLinks(tx *twin.Tx, e *projection.EventRow, version string) {
	if version == "" {
		return
	}
	t := turnerOf(tx.State(), version)
	if t == nil {
		return
	}
	t.links = linksOf(tx.State(), e.ID)
	had := len(*t.links)
	turnEvent(t, e.Object, eventMetaOf(e))
	if len(*t.links) > had {
		eventLinkRows.Put(tx, &eventLinks{ID: e.ID, Links: t.links.bytes()})
	}
}

// linksOf are the links kept of an event.
func linksOf(st *projection.State, event string) *hash {
	links := hash{}
	if row := st.Get(eventLinkRows.Table, event); row != nil {
		links = hashOf(eventLinkRows.Decode(row).Links)
	}
	return &links
}
