package fromstripe_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"worlds/admin"
	"worlds/journal/canon"
	"worlds/journal/store"
	"worlds/seed"
	"worlds/seed/fromstripe"
	"worlds/twin"
	"worlds/twin/serve"
	"worlds/twin/stripe"
	"worlds/twin/world"
)

const key = "sk_test_the_key_of_the_account"

// account is a world, served as the account that is imported.
type account struct {
	*httptest.Server
	operator *admin.Server
	calls    atomic.Int64
	fail     func(call int64, w http.ResponseWriter, r *http.Request) bool // answers in the account's place
}

func serveSeed(t testing.TB, document string) *account {
	t.Helper()
	journal, err := store.Open(t.TempDir(), store.Options{Durability: store.Relaxed})
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.DiscardHandler)
	host := world.NewHost(journal, world.Options{Catalogs: []*twin.Catalog{stripe.Catalog()}, Logger: log})
	operator, err := admin.New(host, admin.Options{Open: true, Logger: log})
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := seed.Parse([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := operator.Ensure("account", parsed, key); err != nil {
		t.Fatal(err)
	}
	router := serve.NewRouter()
	serve.NewShell(operator.Resolve, log).Mount(router, host.Catalogs())
	a := &account{operator: operator}
	a.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := a.calls.Add(1)
		if a.fail == nil || !a.fail(n, w, r) {
			router.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(func() {
		a.Close()
		operator.Close()
		journal.Close()
	})
	return a
}

func serveNamed(t testing.TB, name string) (*account, *seed.Seed) {
	t.Helper()
	src, _ := seed.Source(name)
	s, err := seed.Parse(src)
	if err != nil {
		t.Fatal(err)
	}
	return serveSeed(t, string(src)), s
}

func (a *account) read(t testing.TB, limit int, opt fromstripe.Options) *fromstripe.Imported {
	t.Helper()
	opt.Name = "imported"
	got, err := fromstripe.Import(context.Background(), fromstripe.Source{BaseURL: a.URL, Key: key, Limit: limit}, opt)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// unlimited is a limit that no account of a test reaches.
const unlimited = 100_000

// manyCustomers is a seed of n customers with an invoice each, the first of 25 lines.
func manyCustomers(n int) string {
	var customers, invoices []string
	for i := range n {
		customers = append(customers, fmt.Sprintf(`{"id":"cus_%03d","name":"Real Person %d","email":"real%d@corp.test","created_offset":%d}`, i, i, i, 1000-i))
		lines := `{"description":"A real line","amount":500}`
		if i == n-1 {
			lines += strings.Repeat(`,{"description":"A real line","amount":7}`, 24)
		}
		invoices = append(invoices, fmt.Sprintf(`{"id":"in_%03d","customer":"cus_%03d","status":"open","created_offset":%d,"lines":[%s]}`, i, i, 900-i, lines))
	}
	return `{"name":"many","version":1,"epoch":1767225600,"data":{"customers":[` + strings.Join(customers, ",") + `],"invoices":[` + strings.Join(invoices, ",") + `]}}`
}

// strings of a canonical value, keys included.
func texts(raw canon.Raw, yield func(string)) {
	switch raw[0] {
	case '{':
		for k, v := range canon.Members(raw) {
			yield(k)
			texts(v, yield)
		}
	case '[':
		for v := range canon.Elements(raw) {
			texts(v, yield)
		}
	case '"':
		s, _ := canon.Unquote(raw)
		yield(s)
	}
}
