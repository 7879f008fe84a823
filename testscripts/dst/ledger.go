package dst

import (
	"net/http"
	"strings"

	"worlds/testscripts/dst/model"
)

// acked is what the server has acknowledged of one object, kept outside of it: the
// last answer that showed it, until an operation changes it by the way.
type acked struct {
	path string // where it is read; "" if the answer is superseded
	body model.Value
	op   int
}

// acknowledge keeps what an answer showed of an object that the step wrote.
func (r *run) acknowledge(s *space, t *step) {
	for _, list := range [][]change{changesOf(t)} {
		for _, c := range list {
			if a := s.ledger[c.table+"/"+c.id]; a != nil {
				a.path = "" // something newer has been acknowledged
			}
		}
	}
	if t.op.API != apiStripe || t.op.Method != http.MethodPost || t.answer.status >= 300 || t.answer.cut || t.op.Version != "" || hasExpand(&t.op) {
		return
	}
	v, err := model.Parse(t.answer.body)
	if err != nil {
		return
	}
	id := v.Get("id").Text
	if v.Get("object").Text == "card" { // read below its customer
		return
	}
	for _, c := range t.diff.Created {
		if c.Table == "stripe.dispute" { // it comes after the answer, as it does live
			return
		}
	}
	for _, c := range changesOf(t) {
		if c.id == id && readPaths[c.table] != "" {
			s.ledger[c.table+"/"+id] = &acked{path: readPaths[c.table] + id, body: v, op: t.op.N}
		}
	}
}

// change is a row that a step touched.
type change struct{ table, id string }

func changesOf(t *step) (out []change) {
	for _, c := range t.diff.Created {
		out = append(out, change{c.Table, c.ID})
	}
	for _, c := range t.diff.Updated {
		out = append(out, change{c.Table, c.ID})
	}
	for _, c := range t.diff.Deleted {
		out = append(out, change{c.Table, c.ID})
	}
	return out
}

func hasExpand(o *Op) bool {
	for _, p := range o.Params {
		if strings.HasPrefix(p.Name, "expand") {
			return true
		}
	}
	return false
}

// readPaths is where an object is read, by table.
var readPaths = map[string]string{
	"stripe.charge": "/v1/charges/", "stripe.coupon": "/v1/coupons/", "stripe.credit_note": "/v1/credit_notes/",
	"stripe.customer": "/v1/customers/", "stripe.dispute": "/v1/disputes/", "stripe.invoice": "/v1/invoices/",
	"stripe.invoice_item": "/v1/invoiceitems/", "stripe.payment_intent": "/v1/payment_intents/",
	"stripe.payment_method": "/v1/payment_methods/", "stripe.price": "/v1/prices/", "stripe.product": "/v1/products/",
	"stripe.promotion_code": "/v1/promotion_codes/", "stripe.refund": "/v1/refunds/", "stripe.setup_intent": "/v1/setup_intents/",
	tableSubscription: "/v1/subscriptions/",
}

// retained: everything acknowledged and not superseded is read back as it was
// answered.
func (r *run) retained(s *space) *Failure {
	for _, key := range sortedKeys(s.ledger) {
		a := s.ledger[key]
		if a.path == "" {
			continue
		}
		answer := s.send(&Op{API: apiStripe, Method: http.MethodGet, Path: a.path})
		r.count("acked.read", 1)
		got, err := model.Parse(answer.body)
		if answer.status != http.StatusOK || err != nil {
			return failed("acked.retained", "%s was acknowledged by #%d and is now answered %d %s", a.path, a.op, answer.status, answer.body)
		}
		want := a.body.With("client_secret", model.Free, "secret", model.Free, "ephemeral", model.Free)
		if diffs := model.Compare(want, got, model.NewNames(nil)); len(diffs) > 0 {
			return failed("acked.retained", "%s was acknowledged by #%d otherwise: %v", a.path, a.op, diffs)
		}
	}
	if err := s.refresh(); err != nil {
		return failed("worlds.view", "%v", err)
	}
	return nil
}
