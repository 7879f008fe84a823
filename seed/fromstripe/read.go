package fromstripe

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/stripe/stripe-go/v85"
)

// Source is the account that is read.
type Source struct {
	BaseURL string // "" for Stripe's own
	Key     string // a restricted key that may only read is enough
	Limit   int    // objects of each kind
	// Pause is how long to wait when the account asks to slow down, twice as long each
	// time; 0 for a second.
	Pause time.Duration
	// Progress, if not nil, is told how many objects of a kind have been read.
	Progress func(kind string, n int)
}

// DefaultBaseURL is Stripe's own API.
const DefaultBaseURL = "https://api.stripe.com"

const (
	pageSize = 100
	// countedPages bounds how many pages beyond the limit are read to count them.
	countedPages = 20
	retries      = 3
	// slowdowns bounds how often one request is sent again because the account asked to
	// slow down.
	slowdowns = 6
	timeout   = 80 * time.Second
)

// leftOut is what lies beyond the limit: at least Count, and more if Beyond.
type leftOut struct {
	Count  int
	Beyond bool
}

// Refused is the error of an account that did not answer. It never holds the key.
type Refused struct {
	Kind   string // what was read
	Status int    // 0 if there was no answer
	Why    string
}

// Error says what was read and why that failed.
func (e *Refused) Error() string {
	switch e.Status {
	case 0:
		return fmt.Sprintf("reading %s: no answer: %s", e.Kind, e.Why)
	case http.StatusUnauthorized:
		return fmt.Sprintf("reading %s: the key is not accepted (401)", e.Kind)
	case http.StatusForbidden:
		return fmt.Sprintf("reading %s: the key may not (403); a restricted key needs read permission for customers, products, prices, invoices, subscriptions and charges", e.Kind)
	}
	return fmt.Sprintf("reading %s: %s (%d)", e.Kind, e.Why, e.Status)
}

// reader reads one account.
type reader struct {
	Source
	backend stripe.Backend
	calls   int
}

func newReader(src Source) *reader {
	if src.BaseURL == "" {
		src.BaseURL = DefaultBaseURL
	}
	return &reader{Source: src, backend: stripe.GetBackendWithConfig(stripe.APIBackend, &stripe.BackendConfig{
		URL:               stripe.String(strings.TrimRight(src.BaseURL, "/")),
		EnableTelemetry:   stripe.Bool(false),
		MaxNetworkRetries: stripe.Int64(retries),
		LeveledLogger:     &stripe.LeveledLogger{Level: stripe.LevelNull},
		HTTPClient: &http.Client{Timeout: timeout, CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse // the key goes nowhere else
		}},
	})}
}

// read reads the account: parents before what refers to them.
func (r *reader) read(ctx context.Context) (*account, error) {
	a := &account{more: map[string]leftOut{}}
	err := firstError(
		func() error { return list(ctx, r, a, "products", "/v1/products", nil, &a.products) },
		func() error { return list(ctx, r, a, "prices", "/v1/prices", nil, &a.prices) },
		func() error { return list(ctx, r, a, "customers", "/v1/customers", nil, &a.customers) },
		func() error {
			return list(ctx, r, a, "subscriptions", "/v1/subscriptions", url.Values{"status": {"all"}}, &a.subscriptions)
		},
		func() error {
			return list(ctx, r, a, "invoices", "/v1/invoices", url.Values{"expand[]": {"data.payments"}}, &a.invoices)
		},
		func() error { return r.readLines(ctx, a) },
		func() error { return list(ctx, r, a, "charges", "/v1/charges", nil, &a.charges) },
		func() error { return r.readCharges(ctx, a) },
	)
	return a, err
}

func firstError(steps ...func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// readLines completes the lists within invoices, which show their first entries.
func (r *reader) readLines(ctx context.Context, a *account) error {
	for i := range a.invoices {
		in := &a.invoices[i]
		if in.Lines.HasMore {
			in.Lines.Data = nil
			if err := all(ctx, r, "invoice lines", "/v1/invoices/"+url.PathEscape(in.ID)+"/lines", nil, &in.Lines.Data); err != nil {
				return err
			}
		}
		if in.Payments != nil && in.Payments.HasMore {
			in.Payments.Data = nil
			if err := all(ctx, r, "invoice payments", "/v1/invoice_payments", url.Values{"invoice": {in.ID}}, &in.Payments.Data); err != nil {
				return err
			}
		}
	}
	return nil
}

// readCharges reads the charges of paid invoices that lie beyond the limit: a paid
// invoice without its charges would be another one.
func (r *reader) readCharges(ctx context.Context, a *account) error {
	have := map[ref]bool{}
	for _, c := range a.charges {
		have[c.PaymentIntent], have[ref(c.ID)] = true, true
	}
	for i := range a.invoices {
		in := &a.invoices[i]
		if in.Status != "paid" {
			continue
		}
		if in.Charge != "" && !have[in.Charge] {
			if err := r.one(ctx, a, string(in.Charge)); err != nil {
				return err
			}
		}
		if in.Payments == nil {
			continue
		}
		for _, p := range in.Payments.Data {
			var err error
			switch pi, ch := p.Payment.PaymentIntent, p.Payment.Charge; {
			case p.Status != "paid" || pi != "" && have[pi] || ch != "" && have[ch]:
			case pi != "":
				err = all(ctx, r, "charges", "/v1/charges", url.Values{"payment_intent": {string(pi)}}, &a.charges)
			case ch != "":
				err = r.one(ctx, a, string(ch))
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// one reads a single charge.
func (r *reader) one(ctx context.Context, a *account, id string) error {
	var c struct {
		stripe.APIResource
		charge
	}
	if err := r.get(ctx, "charges", "/v1/charges/"+url.PathEscape(id), nil, &c); err != nil {
		return err
	}
	a.charges = append(a.charges, c.charge)
	return nil
}

// page is one answer of a list endpoint.
type page[T any] struct {
	stripe.APIResource
	stripe.ListMeta
	Data []T `json:"data"`
}

// list reads up to the limit, and counts what lies beyond.
func list[T interface{ identity() string }](ctx context.Context, r *reader, a *account, kind, path string, query url.Values, into *[]T) error {
	var beyond leftOut
	counted := 0
	err := pages(ctx, r, kind, path, query, func(got []T, more bool) bool {
		room := max(min(r.Limit-len(*into), len(got)), 0)
		*into = append(*into, got[:room]...)
		beyond.Count += len(got) - room
		if r.Progress != nil {
			r.Progress(kind, len(*into))
		}
		if len(*into) < r.Limit {
			return true
		}
		counted++
		beyond.Beyond = more && counted > countedPages
		return counted <= countedPages
	})
	if beyond.Count > 0 {
		a.more[kind] = beyond
	}
	return err
}

// all reads a whole list.
func all[T interface{ identity() string }](ctx context.Context, r *reader, kind, path string, query url.Values, into *[]T) error {
	return pages(ctx, r, kind, path, query, func(got []T, _ bool) bool {
		*into = append(*into, got...)
		return true
	})
}

// pages reads page after page until there is no more or take wants none.
func pages[T interface{ identity() string }](ctx context.Context, r *reader, kind, path string, query url.Values, take func(got []T, more bool) bool) error {
	q := url.Values{"limit": {strconv.Itoa(pageSize)}}
	for name, values := range query {
		q[name] = values
	}
	for {
		var p page[T]
		if err := r.get(ctx, kind, path, q, &p); err != nil {
			return err
		}
		if !take(p.Data, p.HasMore) || !p.HasMore || len(p.Data) == 0 {
			return nil
		}
		q.Set("starting_after", p.Data[len(p.Data)-1].identity())
	}
}

// get sends one request, and sends it again when the account asks to slow down.
func (r *reader) get(ctx context.Context, kind, path string, q url.Values, v stripe.LastResponseSetter) error {
	for pause, again := cmp.Or(r.Pause, time.Second), 0; ; pause, again = 2*pause, again+1 {
		err := r.try(ctx, kind, path, q, v)
		var refused *Refused
		if again == slowdowns || !errors.As(err, &refused) || refused.Status != http.StatusTooManyRequests {
			return err
		}
		select {
		case <-time.After(pause): //worlds:boundary a server that asks for a pause gets it
		case <-ctx.Done():
			return fmt.Errorf("reading %s: %w", kind, ctx.Err())
		}
	}
}

func (r *reader) try(ctx context.Context, kind, path string, q url.Values, v stripe.LastResponseSetter) error {
	r.calls++
	err := r.backend.CallRaw(http.MethodGet, path, r.Key, []byte(q.Encode()), &stripe.Params{Context: ctx}, v)
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return fmt.Errorf("reading %s: %w", kind, ctx.Err())
	}
	refused := &Refused{Kind: kind, Why: err.Error()}
	var answer *stripe.Error
	if errors.As(err, &answer) && answer.HTTPStatusCode != 0 {
		refused.Status, refused.Why = answer.HTTPStatusCode, answer.Msg
	}
	if r.Key != "" {
		refused.Why = strings.ReplaceAll(refused.Why, r.Key, "(the key)")
	}
	return refused
}
