package linear

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2" //worlds:boundary every draw is from the seed of the run
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"time"
)

// created is what the clients know of their world.
type created struct {
	ID   string
	Keys []struct{ Secret string }
	Desk struct {
		Email string
		Token string `json:"api_token"`
	} `json:"zendesk"`
}

// target is one part: how to draw a call on it, and how to make it.
type target struct {
	kind, part string
	draw       func(r *rand.Rand, client, n int) call
	ask        func(context.Context, *runner, call) (outcome, error)
}

// How many parts there are of a kind.
const partsOfKind = 2

// answered is one answer: status 0 if none came.
type answered struct {
	status int
	body   []byte
}

// send sends one request; no whole answer is no error.
func (r *runner) send(ctx context.Context, method, path, body string, header http.Header) (answered, error) {
	req, err := http.NewRequestWithContext(ctx, method, r.Server()+path, strings.NewReader(body))
	if err != nil {
		return answered{}, err
	}
	req.Header = header
	res, err := http.DefaultClient.Do(req)
	if errors.Is(err, syscall.ECONNREFUSED) && ctx.Err() == nil {
		// Nobody was there to take it: it is made once somebody is.
		time.Sleep(time.Millisecond) //worlds:boundary a server that starts is waited for
		return r.send(ctx, method, path, body, header)
	}
	if err != nil {
		return answered{}, nil //nolint:nilerr // what came of it is not known: it stays open
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return answered{}, nil //nolint:nilerr // as above
	}
	return answered{res.StatusCode, text}, nil
}

// stripe sends a request as an agent; key is an idempotency key, "" for none.
func (r *runner) stripe(ctx context.Context, method, path string, params url.Values, key string) (answered, error) {
	header := http.Header{"Authorization": {"Bearer " + r.world.Keys[0].Secret}}
	if key != "" {
		header.Set("Idempotency-Key", key)
	}
	if method == "GET" {
		return r.send(ctx, method, path+"?"+params.Encode(), "", header)
	}
	header.Set("Content-Type", "application/x-www-form-urlencoded")
	return r.send(ctx, method, path, params.Encode(), header)
}

// desk sends a request to the help desk.
func (r *runner) desk(ctx context.Context, method, path, body string) (answered, error) {
	login := base64.StdEncoding.EncodeToString([]byte(r.world.Desk.Email + "/token:" + r.world.Desk.Token))
	return r.send(ctx, method, "/api/v2"+path, body, http.Header{"Authorization": {"Basic " + login}, "Content-Type": {"application/json"}})
}

// read decodes an answer that must be a success; open says that none came.
func read(a answered, err error, out any) (open bool, _ error) {
	switch {
	case err != nil:
		return false, err
	case a.status == 0:
		return true, nil
	case a.status >= 300:
		return false, fmt.Errorf("answered %d %.300s", a.status, a.body)
	}
	return false, json.NewDecoder(bytes.NewReader(a.body)).Decode(out)
}

// prepare makes the world and its parts.
func (r *runner) prepare(ctx context.Context) error {
	a, err := r.send(ctx, "POST", "/admin/worlds", `{"seed":"empty"}`, http.Header{"Content-Type": {"application/json"}})
	if open, err := read(a, err, &r.world); err != nil || open {
		return fmt.Errorf("making a world: %v %w", open, err)
	}
	for n := range partsOfKind {
		customer, err := r.customer(ctx, fmt.Sprintf("c%d", n))
		if err != nil {
			return err
		}
		charge, err := r.charge(ctx, customer)
		if err != nil {
			return err
		}
		var made struct{ Ticket struct{ ID int64 } }
		a, err := r.desk(ctx, "POST", "/tickets", `{"ticket":{"comment":{"body":"one"}}}`)
		if open, err := read(a, err, &made); err != nil || open {
			return fmt.Errorf("making a ticket: %v %w", open, err)
		}
		r.targets = append(r.targets, registerOf(customer), balanceOf(customer), refundsOf(charge), keyOf(n), listOf(n), commentsOf(made.Ticket.ID))
	}
	return nil
}

func (r *runner) customer(ctx context.Context, name string) (string, error) {
	var made struct{ ID string }
	a, err := r.stripe(ctx, "POST", "/v1/customers", url.Values{"name": {name}}, "")
	if open, err := read(a, err, &made); err != nil || open {
		return "", fmt.Errorf("making a customer: %v %w", open, err)
	}
	return made.ID, nil
}

// charge charges a customer chargeAmount.
func (r *runner) charge(ctx context.Context, customer string) (string, error) {
	var made struct {
		Charge string `json:"latest_charge"`
	}
	a, err := r.stripe(ctx, "POST", "/v1/payment_intents", url.Values{"customer": {customer}, "amount": {fmt.Sprint(chargeAmount)},
		"currency": {"usd"}, "confirm": {"true"}, "payment_method": {"pm_card_visa"}, "off_session": {"true"}}, "")
	if open, err := read(a, err, &made); err != nil || open {
		return "", fmt.Errorf("making a charge: %v %w", open, err)
	}
	return made.Charge, nil
}

// readOr draws a read once in two, or another call.
func readOr(part string, other func(r *rand.Rand, client, n int) call) func(*rand.Rand, int, int) call {
	return func(r *rand.Rand, client, n int) call {
		c := call{verb: "read"}
		if r.IntN(2) == 0 {
			c = other(r, client, n)
		}
		c.part = part
		return c
	}
}

func registerOf(customer string) target {
	path := "/v1/customers/" + customer
	return target{"register", customer, readOr(customer, func(_ *rand.Rand, client, n int) call {
		return call{verb: "write", text: fmt.Sprintf("%d.%d", client, n)}
	}), func(ctx context.Context, r *runner, c call) (o outcome, err error) {
		var shown struct{ Description *string }
		var a answered
		if c.verb == "write" {
			a, err = r.stripe(ctx, "POST", path, url.Values{"description": {c.text}}, "")
		} else {
			a, err = r.stripe(ctx, "GET", path, nil, "")
		}
		o.open, err = read(a, err, &shown)
		if shown.Description != nil {
			o.text = *shown.Description
		}
		return o, err
	}}
}

func balanceOf(customer string) target {
	path := "/v1/customers/" + customer
	return target{"balance", customer, readOr(customer, func(r *rand.Rand, _, _ int) call {
		return call{verb: "add", n: 1 + r.Int64N(9)}
	}), func(ctx context.Context, r *runner, c call) (o outcome, err error) {
		var shown struct {
			Balance int64
			Ending  int64 `json:"ending_balance"`
		}
		if c.verb == "add" {
			a, err := r.stripe(ctx, "POST", path+"/balance_transactions", url.Values{"amount": {fmt.Sprint(c.n)}, "currency": {"usd"}}, "")
			o.open, err = read(a, err, &shown)
			o.n = shown.Ending
			return o, err
		}
		a, err := r.stripe(ctx, "GET", path, nil, "")
		o.open, err = read(a, err, &shown)
		o.n = shown.Balance
		return o, err
	}}
}

func refundsOf(charge string) target {
	return target{"refunds", charge, readOr(charge, func(r *rand.Rand, _, _ int) call {
		return call{verb: "refund", n: 50 + r.Int64N(200)}
	}), func(ctx context.Context, r *runner, c call) (o outcome, err error) {
		if c.verb == "refund" {
			a, err := r.stripe(ctx, "POST", "/v1/refunds", url.Values{"charge": {charge}, "amount": {fmt.Sprint(c.n)}}, "")
			if o.refused = a.status == http.StatusBadRequest; o.refused {
				return o, err
			}
			o.open, err = read(a, err, &struct{}{})
			return o, err
		}
		var shown struct {
			Refunded int64 `json:"amount_refunded"`
		}
		a, err := r.stripe(ctx, "GET", "/v1/charges/"+charge, nil, "")
		o.open, err = read(a, err, &shown)
		o.n = shown.Refunded
		return o, err
	}}
}

// keyOf is an idempotency key under which everybody makes the same customer.
func keyOf(n int) target {
	part := fmt.Sprintf("key-%d", n)
	email := part + "@example.com"
	return target{"key", part, readOr(part, func(*rand.Rand, int, int) call { return call{verb: "create"} }),
		func(ctx context.Context, r *runner, c call) (o outcome, err error) {
			if c.verb == "create" {
				var made struct{ ID string }
				a, err := r.stripe(ctx, "POST", "/v1/customers", url.Values{"email": {email}}, part)
				o.open, err = read(a, err, &made)
				o.text = made.ID
				return o, err
			}
			ids, open, err := r.customers(ctx, email)
			return outcome{open: open, n: int64(len(ids))}, err
		}}
}

// listOf is the customers of one address, of whom there may be many.
func listOf(n int) target {
	part := fmt.Sprintf("list-%d", n)
	email := part + "@example.com"
	return target{"list", part, readOr(part, func(*rand.Rand, int, int) call { return call{verb: "create"} }),
		func(ctx context.Context, r *runner, c call) (o outcome, err error) {
			if c.verb == "create" {
				var made struct{ ID string }
				a, err := r.stripe(ctx, "POST", "/v1/customers", url.Values{"email": {email}}, "")
				o.open, err = read(a, err, &made)
				o.text = made.ID
				return o, err
			}
			ids, open, err := r.customers(ctx, email)
			return outcome{open: open, text: strings.Join(ids, " ")}, err
		}}
}

// customers are the ids of the customers with an address, oldest first.
func (r *runner) customers(ctx context.Context, email string) (ids []string, open bool, err error) {
	var shown struct{ Data []struct{ ID string } }
	a, err := r.stripe(ctx, "GET", "/v1/customers", url.Values{"email": {email}, "limit": {"100"}}, "")
	open, err = read(a, err, &shown)
	for i := len(shown.Data) - 1; i >= 0; i-- {
		ids = append(ids, shown.Data[i].ID)
	}
	return ids, open, err
}

func commentsOf(ticket int64) target {
	path := fmt.Sprintf("/tickets/%d", ticket)
	return target{"comments", path, readOr(path, func(*rand.Rand, int, int) call { return call{verb: "add", n: 1} }),
		func(ctx context.Context, r *runner, c call) (o outcome, err error) {
			var shown struct{ Count struct{ Value int64 } }
			if c.verb == "add" {
				a, err := r.desk(ctx, "PUT", path, `{"ticket":{"comment":{"body":"more"}}}`)
				o.open, err = read(a, err, &struct{}{})
				return o, err
			}
			a, err := r.desk(ctx, "GET", path+"/comments/count", "")
			o.open, err = read(a, err, &shown)
			o.n = shown.Count.Value - 1 // beside the first
			return o, err
		}}
}
