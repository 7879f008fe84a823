package stripe

import (
	"worlds/journal/canon"
	"worlds/projection"
	"worlds/twin"
)

// Events have no rows of their own: they are the world's log, and each refers
// to the snapshot it carries. Only those of this API show here.

// eventNoun is what an event is called in a refusal.
const eventNoun = "event"

func eventAPI() twin.API {
	return twin.API{
		Kind: twin.Kind{Object: "event", Prefix: "evt", Digits: 24},
		Routes: []twin.Route{
			twin.On("GET /v1/events", listEvents),
			twin.On("GET /v1/events/{id}", retrieveEvent),
		},
	}
}

// changesOf is what the event of an update says of the values before: nothing, when what
// changed does not show in the object by itself.
func changesOf(previous canon.Raw) canon.Raw {
	if previous == nil {
		return canon.Raw("{}")
	}
	return previous
}

// RenderEvent is an event as the wire shows it, canonical.
func RenderEvent(e *projection.EventRow) canon.Raw { return deliverEvent(nil, e, "") }

// deliverEvent is an event in an API version, "" for the one it was made in.
func deliverEvent(st *projection.State, e *projection.EventRow, version string) canon.Raw {
	meta, object := eventMetaOf(e), e.Object
	if version != "" {
		meta.APIVersion = version
		if t := turnerOf(st, version); t != nil {
			t.links = linksOf(st, e.ID)
			object = turnEvent(t, object, meta)
		}
	}
	out := make([]byte, 0, len(object)+len(meta.PreviousAttributes)+320)
	out = canon.AppendString(append(out, `{"api_version":`...), meta.APIVersion)
	out = canon.AppendInt(append(out, `,"created":`...), e.Created)
	out = append(append(out, `,"data":{"object":`...), object...)
	if meta.PreviousAttributes != nil {
		out = append(append(out, `,"previous_attributes":`...), meta.PreviousAttributes...)
	}
	out = canon.AppendString(append(out, `},"id":`...), e.ID)
	out = canon.AppendInt(append(out, `,"livemode":false,"object":"event","pending_webhooks":`...), meta.PendingWebhooks)
	out = canon.Append(append(out, `,"request":`...), &meta.Request)
	out = canon.AppendString(append(out, `,"type":`...), e.Type)
	return append(out, '}')
}

// eventMetaOf is what an event carries beside its object.
func eventMetaOf(e *projection.EventRow) *eventMetaDoc {
	meta := new(eventMetaDoc)
	if err := canon.Unmarshal(e.Meta, meta); err != nil {
		panic("stripe: event " + e.ID + ": " + err.Error())
	}
	return meta
}

type listEventsParams struct {
	page
	Created twin.Opt[twin.Range] `param:"created"`
	// DeliverySuccess asks for those that every endpoint has, or for the others.
	DeliverySuccess twin.Opt[bool] `param:"delivery_success"`

	Type  twin.Opt[string]   `param:"type"`
	Types twin.Opt[[]string] `param:"types"`
}

// typesMax is how many types one list may ask for.
const typesMax = 20

func (p *listEventsParams) Check() *twin.Error {
	if p.Type.Given() && p.Types.Given() {
		return invalid("types", "You may only specify one of these parameters: type, types.")
	}
	if len(p.Types.V) > typesMax {
		return invalid("types", "You may not specify more than %d types.", typesMax)
	}
	return nil
}

// wants reports whether the request asks for events of type t.
func (p *listEventsParams) wants(e *projection.EventRow) bool {
	if e.API != Name || p.Created.Given() && !p.Created.V.Has(e.Created) {
		return false
	}
	patterns := p.Types.V
	if p.Type.Given() {
		patterns = []string{p.Type.V}
	}
	for _, want := range patterns {
		if twin.MatchType(want, e.Type) {
			return true
		}
	}
	return len(patterns) == 0
}

func listEvents(tx *twin.Tx, p *listEventsParams) (twin.Doc, *twin.Error) {
	st := tx.State()
	after, err := eventCursor(tx, "starting_after", p.StartingAfter)
	if err != nil {
		return twin.Doc{}, err
	}
	before, err := eventCursor(tx, "ending_before", p.EndingBefore)
	if err != nil {
		return twin.Doc{}, err
	}
	if after != 0 && before != 0 {
		return twin.Doc{}, errBothCursors()
	}
	limit := int(p.Limit.Or(pageDefault))
	rows := make([]canon.Raw, 0, limit+1)
	missed := map[string]bool{}
	if p.DeliverySuccess.Given() {
		missed = undelivered(st)
	}
	take := func(e *projection.EventRow) bool {
		if p.wants(e) && (!p.DeliverySuccess.Given() || p.DeliverySuccess.V != missed[e.ID]) {
			rows = append(rows, RenderEvent(e))
		}
		return len(rows) <= limit
	}
	if before != 0 {
		st.OldestEvents(before)(take)
	} else {
		st.NewestEvents(after)(take)
	}
	return pageDoc(rows, limit, before != 0, "/v1/events"), nil
}

// undelivered are the events that some endpoint does not have: what is pending, and
// what failed for good and was not sent again with success.
func undelivered(st *projection.State) map[string]bool {
	missed, endpoints := map[string]bool{}, map[string]bool{}
	for d := range st.OldestDeliveries(0) {
		endpoints[d.Event+" "+d.Endpoint] = d.Status != projection.Delivered
	}
	for d := range st.OldestDeliveries(0) {
		if endpoints[d.Event+" "+d.Endpoint] {
			missed[d.Event] = true
		}
	}
	return missed
}

func eventCursor(tx *twin.Tx, param string, id twin.Opt[string]) (uint64, *twin.Error) {
	if !id.Given() {
		return 0, nil
	}
	e := tx.Event(id.V)
	if e == nil || e.API != Name {
		return 0, errNoSuchRef(eventNoun, param, id.V)
	}
	return e.Number, nil
}

type retrieveEventParams struct {
	ID string `path:"id"`
}

func retrieveEvent(tx *twin.Tx, p *retrieveEventParams) (twin.Doc, *twin.Error) {
	e := tx.Event(p.ID)
	if e == nil || e.API != Name {
		return twin.Doc{}, errNoSuch(eventNoun, "id", p.ID)
	}
	return twin.Doc{Body: RenderEvent(e)}, nil
}
