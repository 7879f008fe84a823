package admin

import (
	"fmt"
	"net/http"

	"worlds/journal"
	"worlds/journal/canon"
	"worlds/projection"
	"worlds/twin"
)

// listEvents answers the event log of every API, oldest first, each event as its
// API's wire shows it.
func listEvents(c *call) error {
	after, limit, err := c.page()
	if err != nil {
		return err
	}
	v, err := c.view()
	if err != nil {
		return err
	}
	out := append([]byte(nil), `{"events":[`...)
	n, more := 0, false
	for e := range v.State.OldestEvents(after) {
		if n == limit {
			more = true
			break
		}
		if n++; n > 1 {
			out = append(out, ',')
		}
		out = c.appendEvent(out, e)
	}
	return c.raw(http.StatusOK, appendMore(append(out, ']'), more))
}

func appendMore(dst []byte, more bool) []byte {
	if more {
		return append(dst, `,"has_more":true}`...)
	}
	return append(dst, `,"has_more":false}`...)
}

func (c *call) appendEvent(dst []byte, e *projection.EventRow) []byte {
	dst = canon.AppendString(append(dst, `{"api":`...), e.API)
	dst = append(dst, `,"event":`...)
	for _, cat := range c.s.host.Catalogs() {
		if cat.Name == e.API {
			dst = append(dst, cat.Event(e)...)
		}
	}
	dst = canon.AppendInt(append(dst, `,"number":`...), int64(e.Number))
	dst = canon.AppendInt(append(dst, `,"seq":`...), int64(e.Seq))
	return append(dst, '}')
}

// RequestInfo is one line of the request log.
type RequestInfo struct {
	Seq      int64    `json:"seq"`
	Actor    string   `json:"actor"`
	API      string   `json:"api"`
	Method   string   `json:"method"`
	Path     string   `json:"path"`
	Query    string   `json:"query,omitempty"`
	Body     string   `json:"body,omitempty"`
	As       string   `json:"as,omitempty"`
	Behalf   string   `json:"behalf,omitempty"`
	Idem     string   `json:"idempotency_key,omitempty"`
	Version  string   `json:"version,omitempty"`
	Status   int64    `json:"status"`
	Request  string   `json:"request"`
	Replayed string   `json:"replayed,omitempty"`
	Ignored  []string `json:"ignored,omitempty"`
	Changed  bool     `json:"changed"`
	// Route is the pattern the request took, "" for none.
	Route string `json:"route,omitempty"`
	// Rule is the fault rule that answered, Why at which of its matches; DelayedBy
	// the entry of the rule that held the request up before.
	Rule      string `json:"rule,omitempty"`
	Why       string `json:"why,omitempty"`
	DelayedBy int64  `json:"delayed_by,omitempty"`
}

type requestList struct {
	Requests []RequestInfo `json:"requests"`
	HasMore  bool          `json:"has_more"`
}

// listRequests answers the requests of the twins, oldest first; after is the
// sequence number of an entry.
func listRequests(c *call) error {
	after, limit, err := c.page()
	if err != nil {
		return err
	}
	wanted, all := c.r.URL.Query().Get("request"), !c.r.URL.Query().Has("request")
	list := requestList{Requests: []RequestInfo{}}
	v, err := c.view()
	if err != nil {
		return err
	}
	err = c.world.EntriesOf(v, journal.Seq(after)+1, v.Seq, func(e *journal.Entry) error {
		info, ok, err := c.s.requestOf(e)
		switch {
		case err != nil || !ok || !all && wanted != info.Request:
			return err
		case len(list.Requests) == limit:
			list.HasMore = true
			return errEnough
		}
		list.Requests = append(list.Requests, info)
		return nil
	})
	if err != nil && !list.HasMore {
		return err
	}
	return reply(c, http.StatusOK, &list)
}

// requestOf reads an entry as a line of the request log; ok is false for admin
// operations.
func (s *Server) requestOf(e *journal.Entry) (info RequestInfo, ok bool, err error) {
	frame, err := journal.ParseBody(e.Body)
	if err != nil {
		return info, false, err
	}
	var cmd twin.Command
	var rep twin.Reply
	if err := canon.Unmarshal(frame.Command, &cmd); err != nil {
		return info, false, err
	}
	if err := canon.Unmarshal(frame.Reply, &rep); err != nil {
		return info, false, err
	}
	info = RequestInfo{
		Seq: int64(e.Seq), Actor: cmd.Actor, API: cmd.API, Method: cmd.Method, Path: cmd.Path, Query: cmd.Query, Body: cmd.Body,
		As: cmd.As, Behalf: cmd.Behalf, Ignored: rep.Ignored, Idem: cmd.Idem, Version: cmd.Version, Status: rep.Status, Request: rep.Request, Replayed: rep.Replayed,
		Changed: len(frame.Facts) > 1, Rule: rep.Rule, DelayedBy: cmd.After,
	}
	if rep.Rule != "" {
		info.Why = fmt.Sprintf("it was match number %d of the rule", rep.Match)
	}
	for _, cat := range s.host.Catalogs() {
		if cat.Name == cmd.API {
			info.Route = cat.Pattern(cmd.Method, cmd.Path)
		}
	}
	return info, cmd.Op == "", nil
}
