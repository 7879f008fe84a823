package fromstripe_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"worlds/journal/canon"
	"worlds/seed"
	"worlds/seed/fromstripe"
	"worlds/twin"
	"worlds/twin/stripe"
)

// Lists within objects are read to their end, too; the same account gives the same
// bytes; what lies beyond the limit is counted and nothing refers to it.
func TestImportReadsWholeLists(t *testing.T) {
	a := serveSeed(t, manyCustomers(130))
	first, second := a.read(t, 500, fromstripe.Options{}), a.read(t, 500, fromstripe.Options{})
	d := first.Seed.Document.Data
	most := slices.MaxFunc(d.Invoices, func(a, b seed.Invoice) int { return len(a.Lines) - len(b.Lines) })
	if len(d.Customers) != 130 || len(d.Invoices) != 130 || len(most.Lines) != 25 || most.Total() != 500+24*7 {
		t.Errorf("%d customers, %d invoices, %d lines", len(d.Customers), len(d.Invoices), len(most.Lines))
	}
	if string(first.Seed.Canonical) != string(second.Seed.Canonical) || string(first.Manifest) != string(second.Manifest) || string(first.Map) != string(second.Map) {
		t.Error("two imports differ")
	}
	few := a.read(t, 50, fromstripe.Options{})
	if n := len(few.Seed.Document.Data.Customers); n != 50 || few.LeftOut["customers"] != 80 || few.LeftOut["invoices"] != 80 {
		t.Errorf("%d customers, left out %v", n, few.LeftOut)
	}
}

// shape is what of a seed an import keeps, without ids and words.
func shape(d *seed.Data, epoch int64) (out []string) {
	number := map[string]int{}
	for _, c := range d.Customers {
		for _, in := range d.Invoices {
			if in.Customer == c.ID {
				number[c.ID]++
			}
		}
	}
	for _, p := range d.Products {
		out = append(out, fmt.Sprintf("product %s %v %d", p.ID, p.Active, epoch-p.CreatedOffset))
	}
	for _, p := range d.Prices {
		out = append(out, fmt.Sprintf("price %s %s %d %s %v %v %d", p.ID, p.Product, p.UnitAmount, p.Currency, p.Recurring, p.Active, epoch-p.CreatedOffset))
	}
	for _, c := range d.Customers {
		out = append(out, fmt.Sprintf("customer of %d invoices %d name %v email %v", number[c.ID], epoch-c.CreatedOffset, c.Name != "", c.Email != ""))
	}
	for _, in := range d.Invoices {
		line := fmt.Sprintf("invoice %s %s %d", in.Status, in.Currency, epoch-in.CreatedOffset)
		for _, l := range in.Lines {
			line += fmt.Sprintf(" [%d × %d %s]", l.Quantity, l.Amount, l.Price)
		}
		charges := slices.Clone(in.Charges)
		slices.SortFunc(charges, func(a, b seed.Charge) int {
			return cmp.Or(cmp.Compare(a.Amount, b.Amount), cmp.Compare(a.AmountRefunded, b.AmountRefunded))
		})
		for _, c := range charges {
			line += fmt.Sprintf(" charge %d-%d", c.Amount, c.AmountRefunded)
		}
		out = append(out, line)
	}
	for _, s := range d.Subscriptions {
		out = append(out, fmt.Sprintf("subscription %s × %d %d..%d %v %s anchor %d trial %d created %d", s.Price, s.Quantity, s.CurrentPeriodStart, s.CurrentPeriodEnd,
			s.CancelAtPeriodEnd, s.Status, s.BillingCycleAnchor, s.TrialEnd, epoch-s.CreatedOffset))
	}
	slices.Sort(out)
	return out
}

// An account made from a seed is imported in the same shape.
func TestImportKeepsTheShape(t *testing.T) {
	for _, name := range seed.Names() {
		a, was := serveNamed(t, name)
		got := a.read(t, unlimited, fromstripe.Options{})
		want, have := shape(&was.Document.Data, was.Document.Epoch), shape(&got.Seed.Document.Data, got.Seed.Document.Epoch)
		if !slices.Equal(want, have) {
			t.Errorf("%s: %d rows became %d", name, len(want), len(have))
			for i := range min(len(want), len(have)) {
				if want[i] != have[i] {
					t.Errorf("%s\n%s", want[i], have[i])
					break
				}
			}
		}
		if got.Skipped > 0 || got.Calls != int(a.calls.Load()) {
			t.Errorf("%s: skipped %d, %d calls of %d\n%s", name, got.Skipped, got.Calls, a.calls.Load(), got.Manifest)
		}
	}
}

// Nobody can be recognised: no name, address, text or id of the account but those of
// products and prices is in what an import makes, and no field but the listed ones.
func TestImportShowsNobody(t *testing.T) {
	for _, name := range append(seed.Names(), "everything") {
		var a *account
		var was *seed.Seed
		if name == "everything" {
			was = mustParse(t, everything)
			a = serveSeed(t, everything)
		} else {
			a, was = serveNamed(t, name)
		}
		secret := map[string]bool{}
		d := &was.Document.Data
		for _, c := range d.Customers {
			for _, s := range []string{c.ID, c.Name, c.Email, c.Description, c.Phone} {
				secret[s] = true
			}
			texts(c.Metadata, func(s string) { secret[s] = true })
		}
		for _, p := range d.Products {
			secret[p.Name], secret[p.Description] = true, true
		}
		for _, p := range d.Prices {
			secret[p.Nickname] = true
		}
		for _, in := range d.Invoices {
			secret[in.ID] = true
			for _, l := range in.Lines {
				secret[l.Description] = true
			}
			for _, c := range in.Charges {
				secret[c.ID] = true
			}
		}
		for _, s := range d.Subscriptions {
			secret[s.ID] = true
		}
		delete(secret, "")
		for _, p := range d.Products {
			delete(secret, p.ID)
		}
		got := a.read(t, unlimited, fromstripe.Options{})
		for what, src := range map[string][]byte{"seed": got.Seed.Canonical, "manifest": got.Manifest} {
			raw, err := canon.Canonicalize(src)
			if err != nil {
				t.Fatal(err)
			}
			texts(raw, func(s string) {
				if secret[s] {
					t.Errorf("%s: the %s holds %q", name, what, s)
				}
				if len(secret) > 1000 {
					return // whole words only: the product of both is too much
				}
				for one := range secret {
					if len(one) > 8 && strings.Contains(s, one) {
						t.Errorf("%s: the %s holds %q within %q", name, what, one, s)
					}
				}
			})
			if strings.Contains(string(src), key) {
				t.Errorf("%s: the %s holds the key", name, what)
			}
		}
		onlyListedFields(t, got.Seed.Canonical)
	}
}

// everything is a small account with words in every place that has any.
const everything = `{"name":"everything","version":1,"epoch":1767225600,"data":{
 "customers":[
  {"id":"cus_realone","name":"Realname One","email":"One@Real.test","description":"real description","phone":"+49 real 1","metadata":{"real_key":"real value"},"created_offset":500},
  {"id":"cus_realtwo","name":"Realname Two","email":"one@real.test","created_offset":400},
  {"id":"cus_realthree","created_offset":300}],
 "products":[{"id":"gold","name":"Real product","description":"real product text","metadata":{"k":"real product value"}}],
 "prices":[{"id":"price_gold","product":"gold","unit_amount":1200,"nickname":"Real nickname","recurring":{"interval":"month"}},
           {"id":"price_bare","product":"gold","unit_amount":300}],
 "invoices":[{"id":"in_realone","customer":"cus_realone","status":"paid","created_offset":200,"lines":[
   {"description":"Real line one","amount":1200,"price":"price_gold"},{"description":"Real line two","amount":300,"price":"price_bare"},{"description":"Real line three","amount":50}],
   "charges":[{"id":"ch_realone","amount":1550},{"id":"ch_realtwo","amount":1550,"amount_refunded":50}]}],
 "subscriptions":[{"id":"sub_realone","customer":"cus_realone","price":"price_gold","created_offset":200}],
 "disputes":[{"id":"dp_realone","charge":"ch_realone"}]}}`

func mustParse(t testing.TB, src string) *seed.Seed {
	t.Helper()
	s, err := seed.Parse([]byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func onlyListedFields(t *testing.T, seedJSON canon.Raw) {
	t.Helper()
	fields := fromstripe.SeedFields()
	var check func(kind string, list canon.Raw)
	check = func(kind string, list canon.Raw) {
		for e := range canon.Elements(list) {
			for name, v := range canon.Members(e) {
				if !slices.Contains(fields[kind], name) {
					t.Errorf("%s has a field %s, which is not listed", kind, name)
				}
				if len(fields[kind+"."+name]) > 0 {
					check(kind+"."+name, v)
				}
			}
		}
	}
	data, _ := canon.Get(seedJSON, "data")
	for section, list := range canon.Members(data) {
		check(section, list)
	}
}

// post is an agent's request.
func (a *account) post(t *testing.T, path, body string) (id string) {
	t.Helper()
	req, err := http.NewRequest(http.MethodPost, a.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+key)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var answer struct {
		ID string `json:"id"`
	}
	if err := json.NewDecoder(res.Body).Decode(&answer); err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("POST %s %s: %s %v", path, body, res.Status, err)
	}
	return answer.ID
}

// What the importer makes of a world through its API has the shape of what the world
// itself exports: two ways that share no code.
func TestImportAgreesWithExport(t *testing.T) {
	a := serveSeed(t, everything)
	c := a.post(t, "/v1/customers", "name=Worked+In")
	card := a.post(t, "/v1/payment_methods/pm_card_visa/attach", "customer="+c)
	a.post(t, "/v1/customers/"+c, "invoice_settings[default_payment_method]="+card)
	half := a.post(t, "/v1/coupons", "percent_off=50&duration=once")
	a.post(t, "/v1/subscriptions", "customer="+c+"&items[0][price]=price_gold&items[0][quantity]=3&discounts[0][coupon]="+half)
	a.post(t, "/v1/subscriptions", "customer="+c+"&items[0][price]=price_gold&trial_period_days=9")
	ended := a.post(t, "/v1/subscriptions", "customer="+c+"&items[0][price]=price_gold")
	a.cancel(t, ended)
	for range 14 {
		a.post(t, "/v1/invoiceitems", "customer="+c+"&currency=usd&amount=111")
	}
	long := a.post(t, "/v1/invoices", "customer="+c+"&pending_invoice_items_behavior=include")
	a.post(t, "/v1/invoices/"+long+"/pay", "")
	a.post(t, "/v1/refunds", "charge=ch_realtwo&amount=300")
	a.post(t, "/v1/invoiceitems", "customer="+c+"&currency=usd&amount=900")
	outside := a.post(t, "/v1/invoices", "customer="+c+"&pending_invoice_items_behavior=include")
	a.post(t, "/v1/invoices/"+outside+"/pay", "paid_out_of_band=true")
	a.post(t, "/v1/payment_intents", "amount=700&currency=usd&customer="+c+"&payment_method=pm_card_visa&confirm=true&off_session=true")

	w, err := a.operator.World("account")
	if err != nil {
		t.Fatal(err)
	}
	v, err := w.View(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	exported, _, err := twin.ExportSeed(v.State, twin.SpecOf(mustParse(t, everything)), "exported", stripe.Catalog())
	if err != nil {
		t.Fatal(err)
	}
	imported := a.read(t, 100, fromstripe.Options{}).Seed
	want, got := shape(&exported.Document.Data, exported.Document.Epoch), shape(&imported.Document.Data, imported.Document.Epoch)
	if !slices.Equal(want, got) {
		t.Errorf("exported\n%s\nimported\n%s", strings.Join(want, "\n"), strings.Join(got, "\n"))
	}
}

func (a *account) cancel(t *testing.T, id string) {
	t.Helper()
	req, err := http.NewRequest(http.MethodDelete, a.URL+"/v1/subscriptions/"+id, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+key)
	res, err := http.DefaultClient.Do(req)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatal(err, res)
	}
	res.Body.Close()
}

// An account that asks to slow down is asked again, but not for ever.
func TestImportSlowsDown(t *testing.T) {
	for _, row := range []struct {
		busy int64
		ok   bool
	}{{5, true}, {1000, false}} {
		a := serveSeed(t, everything)
		a.fail = func(n int64, w http.ResponseWriter, _ *http.Request) bool {
			if n < 3 || n >= 3+row.busy {
				return false
			}
			w.Header().Set("Stripe-Should-Retry", "false")
			w.WriteHeader(http.StatusTooManyRequests)
			fmt.Fprint(w, `{"error":{"type":"invalid_request_error","code":"rate_limit","message":"Request rate limit exceeded."}}`)
			return true
		}
		got, err := fromstripe.Import(context.Background(), fromstripe.Source{BaseURL: a.URL, Key: key, Limit: 100, Pause: 1}, fromstripe.Options{Name: "x"})
		if (got != nil) != row.ok || !row.ok && !strings.Contains(err.Error(), "(429)") {
			t.Errorf("busy for %d calls: %v", row.busy, err)
		}
	}
}

// What a flag keeps is kept, and the manifest says so.
func TestImportFlags(t *testing.T) {
	a := serveSeed(t, everything)
	plain := a.read(t, 100, fromstripe.Options{})
	c, in := plain.Seed.Document.Data.Customers, plain.Seed.Document.Data.Invoices[0]
	if c[0].Email != c[1].Email || c[0].Email == "" || c[0].Name == c[1].Name || c[2].Email != "" || c[2].Name != "" {
		t.Errorf("who shares an address, and who has none: %+v", c)
	}
	prices := plain.Seed.Document.Data.Prices
	nickname := map[string]string{}
	for _, p := range prices {
		nickname[p.ID] = p.Nickname
	}
	if !strings.HasPrefix(nickname["price_gold"], "Plan ") || nickname["price_bare"] != "" || in.Lines[0].Description != nickname["price_gold"] ||
		!strings.HasPrefix(in.Lines[1].Description, "Plan ") || in.Lines[2].Description != "Line item 3" {
		t.Errorf("%v %+v", nickname, in.Lines)
	}
	for _, want := range []string{`"gold"`, `"refunded_charges": 1`, `"disputed_charges": [`, `"customers.phone": 1`, `"customers.email": 2`,
		`"customers.metadata": 1`, `"products.name": 1`, `"invoices.lines.description": 3`, `"left_out": {}`} {
		if !strings.Contains(string(plain.Manifest), want) {
			t.Errorf("the manifest lacks %s:\n%s", want, plain.Manifest)
		}
	}
	for _, id := range []string{"cus_realone", "in_realone", "ch_realtwo", "sub_realone"} {
		if !strings.Contains(string(plain.Map), id) {
			t.Errorf("the map lacks %s", id)
		}
	}
	all := a.read(t, 100, fromstripe.Options{KeepNames: true, KeepDescriptions: true, KeepMetadata: true})
	text := string(all.Seed.Canonical)
	for _, want := range []string{"Real product", "Real nickname", "Real line three", "real value"} {
		if !strings.Contains(text, want) || !strings.Contains(string(all.Manifest), want) {
			t.Errorf("%q was not kept, or not said to be", want)
		}
	}
	for _, never := range []string{"Realname", "eal.test", "real description", "+49", "real product value", "real product text", "cus_real"} {
		if strings.Contains(text, never) {
			t.Errorf("%q was kept", never)
		}
	}
	if plain.Seed.Document.Epoch != 1767225600 {
		t.Errorf("epoch %d", plain.Seed.Document.Epoch)
	}
	later := a.read(t, 100, fromstripe.Options{Epoch: 1767225600 + 86400})
	if later.Seed.Document.Data.Customers[0].CreatedOffset != c[0].CreatedOffset+86400 {
		t.Errorf("%+v", later.Seed.Document.Data.Customers[0])
	}
	_, err := fromstripe.Import(context.Background(), fromstripe.Source{BaseURL: a.URL, Key: key, Limit: 9}, fromstripe.Options{Name: "x", Epoch: 1700000000})
	if !errors.Is(err, fromstripe.ErrEpoch) {
		t.Errorf("an epoch before the newest object: %v", err)
	}
}

// What goes wrong is one error that says where, without the key.
func TestImportFailsWhole(t *testing.T) {
	answer := func(status int, body string) func(int64, http.ResponseWriter, *http.Request) bool {
		return func(n int64, w http.ResponseWriter, r *http.Request) bool {
			if n < 3 {
				return false
			}
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Stripe-Should-Retry", "false")
			w.WriteHeader(status)
			fmt.Fprint(w, body)
			return true
		}
	}
	for _, row := range []struct {
		status int
		body   string
		want   string
	}{
		{401, `{"error":{"type":"invalid_request_error","message":"Invalid API Key provided: ` + key + `"}}`, "reading customers: the key is not accepted (401)"},
		{403, `{"error":{"type":"invalid_request_error","message":"The provided key '` + key + `' does not have the required permissions"}}`, "read permission"},
		{400, `{"error":{"type":"invalid_request_error","message":"odd key ` + key + `"}}`, "odd key (the key) (400)"},
		{200, `{"object":`, "reading customers"},
	} {
		a := serveSeed(t, everything)
		a.fail = answer(row.status, row.body)
		got, err := fromstripe.Import(context.Background(), fromstripe.Source{BaseURL: a.URL, Key: key, Limit: 100}, fromstripe.Options{Name: "x"})
		var refused *fromstripe.Refused
		if got != nil || !errors.As(err, &refused) || !strings.Contains(err.Error(), row.want) || strings.Contains(err.Error(), key) {
			t.Errorf("%d: %v", row.status, err)
		}
	}
	a := serveSeed(t, everything)
	ctx, cancel := context.WithCancel(context.Background())
	a.fail = func(n int64, _ http.ResponseWriter, _ *http.Request) bool {
		if n == 3 {
			cancel()
		}
		return false
	}
	if _, err := fromstripe.Import(ctx, fromstripe.Source{BaseURL: a.URL, Key: key, Limit: 100}, fromstripe.Options{Name: "x"}); !errors.Is(err, context.Canceled) {
		t.Errorf("given up: %v", err)
	}
	var invalid *seed.Invalid
	a.calls.Store(0)
	if _, err := fromstripe.Import(context.Background(), fromstripe.Source{BaseURL: a.URL, Key: key, Limit: 100}, fromstripe.Options{Name: "Not Kebab"}); !errors.As(err, &invalid) || a.calls.Load() > 0 {
		t.Errorf("a bad name: %v after %d calls", err, a.calls.Load())
	}
}
