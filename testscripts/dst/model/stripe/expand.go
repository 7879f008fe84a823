package stripe

import (
	"slices"
	"strings"

	"worlds/testscripts/dst/model"
)

// expandable are the members of an object that are ids and can be asked for whole.
var expandable = map[string][]string{
	"charge":              {"customer", "payment_intent", "balance_transaction", "failure_balance_transaction"},
	"refund":              {"charge", "payment_intent", "balance_transaction", "failure_balance_transaction"},
	"payment_intent":      {"customer", "latest_charge", "payment_method"},
	"setup_intent":        {"customer", "payment_method"},
	"invoice":             {"customer", "default_payment_method", "discounts"},
	"subscription":        {"customer", "latest_invoice", "default_payment_method"},
	"price":               {"product"},
	"product":             {"default_price"},
	"balance_transaction": {"source"},
	"invoice_payment":     {"invoice"},
	"payment_method":      {"customer"},
	"credit_note":         {"invoice", "customer", "customer_balance_transaction"},
	"dispute":             {"charge", "payment_intent"},
}

// expanded puts the objects that were asked for in the place of their ids.
func (c *call) expanded(v model.Value) model.Value {
	n := c.at("expand")
	if n == nil {
		return v
	}
	list, _ := n.elements()
	for _, part := range list {
		path := strings.Split(part.text, ".")
		if len(path) > 4 {
			panic(noOpinion("an expansion deeper than four"))
		}
		v = c.expand(v, path)
	}
	return v
}

func (c *call) expand(v model.Value, path []string) model.Value {
	if v.Kind == model.Array {
		whole := slices.Clone(v.List)
		for i := range whole {
			whole[i] = c.expand(whole[i], path)
		}
		return model.Seq(whole...)
	}
	if len(path) == 0 || v.Kind != model.Object {
		return v
	}
	name, kind := path[0], v.Get("object").Text
	at := v.Get(name)
	switch {
	case kind == "list" && name == "data":
		return v.With("data", c.expand(at, path[1:]))
	case kind == "invoice" && name == "payments":
		at = c.m.paymentsOf(v.Get("id").Text)
	case kind == "charge" && name == "refunds":
		at = c.m.refundsOf(v.Get("id").Text)
	case kind == "" && name == "payment_intent" && v.Get("type").Text == "payment_intent":
		at = c.whole(at)
	case at.Kind == model.Object && len(path) > 1 && at.Get("object").Kind == model.Absent:
	case !slices.Contains(expandable[kind], name):
		panic(noOpinion("an expansion that is not modelled"))
	default:
		at = c.whole(at)
	}
	return v.With(name, c.expand(at, path[1:]))
}

// whole is the object of an id, or the objects of a list of them.
func (c *call) whole(v model.Value) model.Value {
	if v.Kind == model.Array {
		list := slices.Clone(v.List)
		for i := range list {
			list[i] = c.whole(list[i])
		}
		return model.Seq(list...)
	}
	if v.Kind != model.String {
		return v
	}
	for _, s := range c.m.tables {
		if slices.Contains(s.order(), v.Text) {
			return s.body(v.Text)
		}
	}
	panic(noOpinion("an expansion of an object that is in no table"))
}
