package projection

import "sync"

// eventIDs finds events by id. Most worlds are never asked for one, and none while it
// loads: there is an index from IndexEvents on, and before that each State that is
// asked makes one that is good until it changes.
type eventIDs struct {
	index index[*EventRow]
	kept  bool        // index holds all events
	twice bool        // some id of index was that of two events
	once  *eventsOnce // where it does not; shared by copies that do not differ
}

type eventsOnce struct {
	sync.Once
	made  bool
	index index[*EventRow]
}

func (x eventIDs) fork() eventIDs {
	if !x.kept {
		return eventIDs{once: new(eventsOnce)}
	}
	x.index = x.index.fork()
	return x
}

// EventByID returns a line of the event log, nil if there is none. See IndexEvents.
func (s *State) EventByID(id string) *EventRow {
	if s.eventIDs.kept {
		return s.eventIDs.index.get(id)
	}
	once := s.eventIDs.once
	once.Do(func() {
		once.index, _ = s.indexEvents()
		once.made = true
	})
	return once.index.get(id)
}

// IndexEvents says that events will be asked for by id again and again while s
// changes: the index is kept from now on, by s and copies to come. It is for who may
// change s.
func (s *State) IndexEvents() {
	if !s.eventIDs.kept {
		ids, twice := s.indexEvents()
		s.eventIDs = eventIDs{index: ids, kept: true, twice: twice}
	}
}

func (s *State) indexEvents() (ids index[*EventRow], twice bool) {
	s.events.ascend(0, func(_ uint64, e *EventRow) bool {
		twice = ids.put(s.owner, e) != nil || twice
		return true
	})
	return ids, twice
}

// learn takes in an event that is added. kept is whether the index did, and same the
// event that the id found before.
func (s *State) learn(e *EventRow) (same *EventRow, kept bool) {
	if !s.eventIDs.kept {
		s.forgetEvents()
		return nil, false
	}
	same = s.eventIDs.index.put(s.owner, e)
	s.eventIDs.twice = s.eventIDs.twice || same != nil
	return same, true
}

// forgetEvents drops what EventByID has made.
func (s *State) forgetEvents() {
	if s.eventIDs.once == nil || s.eventIDs.once.made {
		s.eventIDs = eventIDs{once: new(eventsOnce)}
	}
}

// unlearn takes back a learn.
func (s *State) unlearn(u *undo) {
	switch ids := &s.eventIDs; {
	case !ids.kept:
		s.forgetEvents()
	case !u.had && ids.twice: // it is kept since then, and does not know what the id found before
		*ids = eventIDs{once: new(eventsOnce)}
	case u.same != nil:
		ids.index.put(s.owner, u.same)
	default:
		ids.index.delete(s.owner, u.event.ID)
	}
}
