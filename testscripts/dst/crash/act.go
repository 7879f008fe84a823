package crash

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2" //worlds:boundary every draw is from the seed of the run
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"worlds/admin"
)

// worldsKept is how many worlds a run works on.
const worldsKept = 3

// send sends one request. It fails with errDied when no whole answer comes.
func (r *runner) send(ctx context.Context, method, path, body string, header http.Header) (int, []byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, r.server.URL+path, strings.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	req.Header = header
	if body != "" && header.Get("Content-Type") == "" {
		header.Set("Content-Type", "application/json")
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, nil, errors.Join(errDied, ctx.Err())
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return 0, nil, errors.Join(errDied, ctx.Err())
	}
	if res.Header.Get("Idempotent-Replayed") != "" {
		return replayed, text, nil
	}
	return res.StatusCode, text, nil
}

// replayed stands for the status of a stored answer.
const replayed = -1

// admin sends a request to the operators' side; out, if not nil, takes the answer.
func (r *runner) admin(ctx context.Context, method, path, body string, out any) error {
	header := http.Header{"Authorization": {"Bearer " + rootToken}}
	status, text, err := r.send(ctx, method, "/admin"+path, body, header)
	switch {
	case err != nil:
		return err
	case status >= 300:
		return fmt.Errorf("%s /admin%s: %d %.300s", method, path, status, text)
	}
	switch out := out.(type) {
	case nil:
		return nil
	case *[]byte:
		*out = text
		return nil
	default:
		return json.Unmarshal(text, out)
	}
}

func (l *ledger) path(rest string) string { return "/worlds/" + l.info.ID + rest }

// prepare brings the folder to where a round begins: enough worlds, something to
// deliver, something dead on the shelf.
func (r *runner) prepare(ctx context.Context) error {
	for len(r.worlds) < worldsKept {
		l := &ledger{}
		if err := r.admin(ctx, "POST", "/worlds", `{"seed":"saas-billing-small"}`, &l.info); err != nil {
			return err
		}
		r.worlds = append(r.worlds, l)
		if err := r.furnish(ctx, l); err != nil {
			return err
		}
	}
	switch r.place.Act {
	case actFlush:
		for range 4 {
			if err := r.change(ctx, r.worlds[0], r.rand); err != nil {
				return err
			}
		}
	case actCompact:
		if err := r.server.order("compact"); err != nil {
			return err
		}
		return r.reset(ctx, r.worlds[r.rand.IntN(len(r.worlds))])
	case actImport:
		return r.admin(ctx, "GET", r.worlds[0].path("/journal/export"), "", &r.export)
	}
	return nil
}

// furnish sets a new world's endpoint and learns its charges.
func (r *runner) furnish(ctx context.Context, l *ledger) error {
	body := fmt.Sprintf(`{"url":%q,"auto_deliver":false,"enabled_events":["*"]}`, r.listener.URL+"/"+l.info.ID)
	if err := r.admin(ctx, "PUT", l.path("/webhooks/endpoint"), body, nil); err != nil {
		return err
	}
	status, text, err := r.send(ctx, "GET", "/v1/charges?limit=100", "", l.auth())
	if err != nil || status != 200 {
		return fmt.Errorf("charges: %d %s %w", status, text, err)
	}
	var list struct {
		Data []struct {
			ID       string
			Amount   int64
			Refunded int64 `json:"amount_refunded"`
			Paid     bool
		}
	}
	if err := json.Unmarshal(text, &list); err != nil {
		return err
	}
	for _, c := range list.Data {
		if c.Paid && c.Refunded == 0 && c.Amount >= 1000 {
			l.charges = append(l.charges, c.ID)
		}
	}
	return nil
}

func (l *ledger) auth() http.Header {
	return http.Header{"Authorization": {"Bearer " + l.info.Keys[0].Secret}, "Content-Type": {"application/x-www-form-urlencoded"}}
}

// change makes a customer or a refund.
func (r *runner) change(ctx context.Context, l *ledger, rnd *rand.Rand) error {
	a := &attempt{key: fmt.Sprintf("crash-%016x", rnd.Uint64())}
	if len(l.charges) > 0 && rnd.IntN(3) == 0 {
		a.path, a.body = "/v1/refunds", "amount=1&charge="+l.charges[rnd.IntN(len(l.charges))]
	} else {
		a.path, a.body = "/v1/customers", url.Values{"name": {a.key}, "description": {strings.Repeat("x", rnd.IntN(3000))}}.Encode()
	}
	err := r.try(ctx, l, a)
	if err == nil || errors.Is(err, errDied) {
		l.settled(a, err == nil)
	}
	if err == nil {
		r.acked.Add(1)
	}
	return err
}

// try sends an attempt with its key and learns the id of what it made.
func (r *runner) try(ctx context.Context, l *ledger, a *attempt) error {
	header := l.auth()
	header.Set("Idempotency-Key", a.key)
	status, text, err := r.send(ctx, "POST", a.path, a.body, header)
	if err != nil {
		return err
	}
	var made struct{ ID string }
	if err := json.Unmarshal(text, &made); err != nil || status != 200 && status != replayed {
		return fmt.Errorf("POST %s %.100s: %d %.300s", a.path, a.body, status, text)
	}
	if a.id != "" && a.id != made.ID {
		return fmt.Errorf("POST %s with key %s made %s, and now %s", a.path, a.key, a.id, made.ID)
	}
	if a.id != "" && status != replayed {
		return fmt.Errorf("POST %s with key %s was done again", a.path, a.key)
	}
	a.id = made.ID
	return nil
}

func (r *runner) reset(ctx context.Context, l *ledger) error {
	l.reset = true
	err := r.admin(ctx, "POST", l.path("/reset"), "", nil)
	if err == nil {
		l.reset, l.acked, l.unknown, l.sent = false, nil, nil, nil
	}
	return err
}

// act asks for what the place is about, while clients work on other worlds, until
// the server is dead.
func (r *runner) act(ctx context.Context, wait time.Duration) error {
	quiet := r.place.Act == actCompact || r.place.Act == actBackup
	if !quiet {
		go r.server.watch()
	}
	var working sync.WaitGroup
	failed := make(chan error, clients+1)
	work := func(l *ledger, seed uint64) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		for ctx.Err() == nil {
			if err := r.change(ctx, l, rnd); err != nil {
				if !errors.Is(err, errDied) {
					failed <- err
				}
				return
			}
		}
	}
	crowd := r.place.Act == actChange || r.place.Act == actBackup
	for n := 0; crowd && n < clients; n++ {
		seed := r.rand.Uint64()
		working.Go(func() { work(r.worlds[n%len(r.worlds)], seed) })
	}
	err := r.once(ctx)
	if errors.Is(err, errDied) {
		err = nil
	}
	if quiet {
		go r.server.watch()
	}
	if !crowd && r.place.Act != actAdvance {
		wait = min(wait, time.Second) // it was passed, or will not be
	}
	err = errors.Join(err, r.died(wait))
	working.Wait()
	close(failed)
	for e := range failed {
		err = errors.Join(err, e)
	}
	return err
}

// once does what is done once in a round.
func (r *runner) once(ctx context.Context) error {
	l := r.worlds[0]
	switch r.place.Act {
	case actFlush:
		return r.admin(ctx, "POST", l.path("/webhooks/flush"), "", nil)
	case actReset:
		return r.reset(ctx, l)
	case actAdvance:
		return r.admin(ctx, "POST", l.path("/clock/advance"), `{"days":31}`, nil)
	case actFork:
		return r.admin(ctx, "POST", l.path("/fork"), fmt.Sprintf(`{"key":"crash-%d"}`, r.round), nil)
	case actImport:
		return r.admin(ctx, "POST", "/import", string(r.export), nil)
	case actCreate:
		return r.admin(ctx, "POST", "/worlds", `{"seed":"empty"}`, nil)
	case actDelete:
		last := r.worlds[len(r.worlds)-1]
		last.deleted = true
		return r.admin(ctx, "DELETE", last.path(""), "", nil)
	case actCompact:
		return r.server.order("compact")
	case actBackup:
		return r.server.order("backup")
	}
	return nil
}

// listed are the ids of the worlds that the server has.
func (r *runner) listed(ctx context.Context) ([]string, error) {
	var list struct{ Worlds []admin.CreatedWorld }
	var text []byte
	if err := r.admin(ctx, "GET", "/worlds", "", &text); err != nil {
		return nil, err
	}
	if err := json.NewDecoder(bytes.NewReader(text)).Decode(&list); err != nil {
		return nil, err
	}
	var ids []string
	for _, w := range list.Worlds {
		ids = append(ids, w.ID)
	}
	return ids, nil
}
