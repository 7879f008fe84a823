package stripe_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"worlds/twin"
	"worlds/twin/stripe"
	"worlds/twin/stripe/spec"
)

// specDifferences are where the twin's parameter tables differ from Stripe's
// document on purpose, and why. Each is a pattern of "METHOD /path name: what", and
// one that finds nothing fails the test.
var specDifferences = []struct{ pattern, why string }{
	{`may be unset: Stripe false, twin true$`,
		"the document marks what only an object or a list can tell; live takes an empty text for unset wherever a field may be null (cases.md O-S05)"},
	{` (amount|currency|customer|source|items|card|price|type|items\[\]\[price\]|.*price_data\]?\[(product|unit_amount)\]): required: Stripe false, twin true$`,
		"live refuses without it, though the document does not say so: either it has alternatives that the twin lacks, or only the endpoint knows"},
	{`^POST /v1/tokens card\[(exp_month|exp_year|number)\]: required: Stripe true, twin false$`,
		"what a card needs is checked once for all the places that take one, after the table"},
	{`^POST /v1/setup_intents/\{intent\} allowed_payment_method_types: may be unset: Stripe true, twin false$`,
		"cards are all that the twin has"},
	{`payment_method_data\[card\]: Stripe has no such parameter$`,
		"live takes card data here, the document hides it"},
	{`^POST /v1/(tokens card\[exp_(month|year)\]|customers/\{customer\}/sources/\{id\} exp_(month|year)): integer, which Stripe's is not$`,
		"Stripe's is a text of digits, which is what is read"},
	{` (type|.*\[type\]|enabled_events\[\]|(allowed_)?payment_method_types\[\]|.*\[payment_method_types\]\[\]|api_version): any text; Stripe: `,
		"the list is long: the endpoint looks the word up, refuses what is none and answers 501 to what the twin lacks"},
}

// Every parameter of every route is one that Stripe has, of a type that Stripe's
// can be, required where Stripe requires it and to be unset where Stripe's can be.
func TestParametersAgainstTheDocument(t *testing.T) {
	found := map[string]bool{}
	for _, r := range stripe.Catalog().Routes() {
		operation := r.Method + " " + r.Pattern
		op, _, ok := spec.Lookup(r.Method, r.Pattern)
		if !ok {
			found[operation+": Stripe has no such operation"] = true
			continue
		}
		at := func(name, format string, args ...any) {
			found[operation+" "+name+": "+fmt.Sprintf(format, args...)] = true
		}
		compareFields(op.Params(), r.Table(), "", at)
	}
	used := make([]bool, len(specDifferences))
	for _, d := range sorted(found) {
		known := false
		for i, c := range specDifferences {
			if regexp.MustCompile(c.pattern).MatchString(d) {
				used[i], known = true, true
			}
		}
		if !known {
			t.Error(d)
		}
	}
	for i, c := range specDifferences {
		if !used[i] {
			t.Errorf("no longer so: %s", c.pattern)
		}
	}
}

func sorted(set map[string]bool) []string {
	var all []string
	for k := range set {
		all = append(all, k)
	}
	slices.Sort(all)
	return all
}

type report func(name, format string, args ...any)

// compareFields compares the members of one object; required parameters that the
// twin lacks are reported, others not: they are refused by name.
func compareFields(want []spec.Param, have []twin.Param, prefix string, at report) {
	byName := map[string]twin.Param{}
	for _, p := range have {
		name := bracket(prefix, p.Name)
		byName[p.Name] = p
		i := slices.IndexFunc(want, func(w spec.Param) bool { return w.Name == p.Name })
		if i < 0 {
			at(name, "Stripe has no such parameter")
			continue
		}
		compareParam(want[i], p, name, at)
	}
	for _, w := range want {
		p, ok := byName[w.Name]
		switch name := bracket(prefix, w.Name); {
		case w.Required && !ok:
			at(name, "required by Stripe, not served")
		case ok && w.Required != p.Required:
			at(name, "required: Stripe %v, twin %v", w.Required, p.Required)
		}
	}
}

func bracket(prefix, name string) string {
	if prefix == "" {
		return name
	}
	return prefix + "[" + name + "]"
}

func compareParam(want spec.Param, p twin.Param, name string, at report) {
	if want.Unset != p.Unset && (p.Type != twin.MapParam || want.Unset) {
		at(name, "may be unset: Stripe %v, twin %v", want.Unset, p.Unset)
	}
	form, ok := formOf(want, p.Type)
	if !ok {
		at(name, "%s, which Stripe's is not", p.Type)
		return
	}
	compareEnum(want, form, p.Enum, name, at)
	switch p.Type {
	case twin.ObjectParam:
		compareFields(fieldsOf(want), p.Fields, name, at)
	case twin.MapParam:
		if p.Elem == twin.ObjectParam {
			compareFields(fieldsOf(*form.Elem), p.Fields, name+"[]", at)
		}
	case twin.ListParam:
		inner, ok := formOf(*form.Elem, p.Elem) // of a list
		if !ok {
			at(name+"[]", "%s, which Stripe's is not", p.Elem)
			return
		}
		if p.Elem == twin.ObjectParam {
			compareFields(fieldsOf(*form.Elem), p.Fields, name+"[]", at)
		} else {
			compareEnum(*form.Elem, inner, p.Enum, name+"[]", at)
		}
	}
}

// fieldsOf lists the members of the objects that a parameter can be; one is
// required where all of them require it.
func fieldsOf(p spec.Param) []spec.Param {
	var out []spec.Param
	count, required := 0, map[string]int{}
	for _, f := range p.Forms {
		if f.Kind != spec.Object {
			continue
		}
		count++
		for _, m := range f.Fields() {
			if m.Required {
				required[m.Name]++
			}
			if !slices.ContainsFunc(out, func(o spec.Param) bool { return o.Name == m.Name }) {
				out = append(out, m)
			}
		}
	}
	for i := range out {
		out[i].Required = required[out[i].Name] == count
	}
	return out
}

// compareEnum compares the words that a text may be. Those that Stripe has and the
// twin lacks are refused as not served, and no difference; a text that may be
// something else besides has no list of ours.
func compareEnum(p spec.Param, form spec.Form, have []string, name string, at report) {
	words := form.Values
	for _, f := range p.Forms {
		if f.Kind == spec.Boolean {
			words = append(slices.Clone(words), "true", "false")
		}
	}
	switch {
	case form.Kind == spec.Enum && have == nil && len(p.Forms) == 1:
		at(name, "any text; Stripe: %s", strings.Join(words, " "))
	case form.Kind != spec.Enum && have != nil:
		at(name, "one of %s; Stripe: any text", strings.Join(have, " "))
	}
	for _, word := range have {
		if form.Kind == spec.Enum && !slices.Contains(words, word) {
			at(name, "Stripe has no %s", word)
		}
	}
}

// forms are the forms of Stripe's that a type of ours may stand for.
var forms = map[twin.ParamType][]spec.Kind{
	twin.TextParam:    {spec.String, spec.Enum},
	twin.IntegerParam: {spec.Integer},
	twin.BooleanParam: {spec.Boolean},
	twin.DecimalParam: {spec.Number, spec.String},
	twin.ListParam:    {spec.List},
	twin.ObjectParam:  {spec.Object},
	twin.RangeParam:   {spec.Object},
	twin.MapParam:     {spec.Map},
}

func formOf(p spec.Param, typ twin.ParamType) (spec.Form, bool) {
	for _, f := range p.Forms {
		if slices.Contains(forms[typ], f.Kind) {
			return f, true
		}
	}
	return spec.Form{}, false
}
