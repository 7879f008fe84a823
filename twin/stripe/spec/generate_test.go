package spec_test

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stripe/stripe-mock/embedded"
)

var update = flag.Bool("update", false, "write table.txt anew")

const (
	tableFile     = "table.txt"
	tableBytesMax = 500_000
)

// TestTableIsCurrent makes the table in memory and compares.
func TestTableIsCurrent(t *testing.T) {
	want, err := generate(embedded.OpenAPISpec)
	if err != nil {
		t.Fatal(err)
	}
	if len(want) > tableBytesMax {
		t.Errorf("the table has %d bytes, at most %d are wanted", len(want), tableBytesMax)
	}
	if *update {
		if err := os.WriteFile(tableFile, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(tableFile)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s is not what the OpenAPI document gives: run go generate", tableFile)
	}
}

// document is the part of an OpenAPI document that the table is made from.
type document struct {
	Paths map[string]map[string]*operation `json:"paths"`
}

type operation struct {
	Parameters []struct {
		Name     string  `json:"name"`
		In       string  `json:"in"`
		Required bool    `json:"required"`
		Schema   *schema `json:"schema"`
	} `json:"parameters"`
	RequestBody struct {
		Content map[string]struct {
			Schema *schema `json:"schema"`
		} `json:"content"`
	} `json:"requestBody"`
}

type schema struct {
	Type                 string             `json:"type"`
	Enum                 []string           `json:"enum"`
	AnyOf                []*schema          `json:"anyOf"`
	Items                *schema            `json:"items"`
	Properties           map[string]*schema `json:"properties"`
	Required             []string           `json:"required"`
	AdditionalProperties json.RawMessage    `json:"additionalProperties"`
}

// overlay is what the endive train added and the document does not have yet:
// an operation, where in its parameters (through lists, without index), and
// the schema. An empty place is the whole form of a new operation.
var overlay = []struct{ method, path, place, schema string }{
	{"post", "/v1/subscriptions", "items.current_trial", currentTrial},
	{"post", "/v1/subscriptions/{subscription_exposed_id}", "items.current_trial", currentTrial},
	{"post", "/v1/subscription_items", "current_trial", currentTrial},
	{"post", "/v1/subscription_items/{item}", "current_trial", currentTrial},
	{"post", "/v1/invoices/create_preview", "subscription_details.items.current_trial", currentTrial},
	{"post", "/v1/subscriptions", "items.plan", oldPlan},
	{"post", "/v1/subscriptions/{subscription_exposed_id}", "items.plan", oldPlan},
	{"post", "/v1/subscription_items", "plan", oldPlan},
	{"post", "/v1/subscription_items/{item}", "plan", oldPlan},
	{"post", "/v1/invoices/create_preview", "subscription_details.items.plan", oldPlan},
	{"post", "/v1/customers/{customer}/subscriptions", "items.plan", oldPlan},
	{"post", "/v1/customers/{customer}/subscriptions/{subscription_exposed_id}", "items.plan", oldPlan},
	{"post", "/v1/invoiceitems/{invoiceitem}", "invoicing_rules", `{"type":"string","enum":[""]}`},
	{"post", "/v1/subscriptions/{subscription}/pause", "", `{"type":"object","properties":{
		"bill_for":{"type":"object","properties":{
			"outstanding_usage_through":{"type":"object","required":["type"],"properties":{"type":{"type":"string","enum":["none","now"]}}},
			"unused_time_from":{"type":"object","required":["type"],"properties":{"type":{"type":"string","enum":["item_current_period_start","none","now"]}}}}},
		"expand":` + listOfStrings + `,
		"invoicing_behavior":{"type":"string","enum":["invoice","pending_invoice_item"]},
		"type":{"type":"string","enum":["subscription"]}}}`},
}

const (
	oldPlan       = `{"type":"string"}` // which SDKs still have, and the document has not
	listOfStrings = `{"type":"array","items":{"type":"string"}}`
	currentTrial  = `{"type":"object","required":["trial_offer"],"properties":{"trial_offer":{"type":"string"}}}`
)

// generate makes the table; the same document gives the same bytes.
func generate(openAPI []byte) (string, error) {
	var doc document
	if err := json.Unmarshal(openAPI, &doc); err != nil {
		return "", err
	}
	type row struct {
		method, path string
		form         *schema
	}
	var rows []row
	for path, operations := range doc.Paths {
		for method, op := range operations {
			rows = append(rows, row{method, path, op.form()})
		}
	}
	for _, over := range overlay {
		var added schema
		if err := json.Unmarshal([]byte(over.schema), &added); err != nil {
			return "", fmt.Errorf("overlay of %s %s: %w", over.method, over.path, err)
		}
		i := slices.IndexFunc(rows, func(r row) bool { return r.method == over.method && r.path == over.path })
		switch {
		case over.place == "" && i < 0:
			rows = append(rows, row{over.method, over.path, &added})
		case over.place == "" || i < 0 || !rows[i].form.lay(strings.Split(over.place, "."), &added):
			return "", fmt.Errorf("overlay of %s %s: no place for %q, or the document has it now", over.method, over.path, over.place)
		}
	}
	slices.SortFunc(rows, func(a, b row) int {
		return cmp.Or(cmp.Compare(a.path, b.path), cmp.Compare(a.method, b.method))
	})
	w := writer{numbers: map[string]int{}}
	var operations strings.Builder
	for _, r := range rows {
		number, err := w.shape(r.form)
		if err != nil {
			return "", fmt.Errorf("%s %s: %w", r.method, r.path, err)
		}
		fmt.Fprintf(&operations, "%s %s @%d\n", strings.ToUpper(r.method), r.path, number)
	}
	for i, fields := range w.shapes {
		operations.WriteString(strings.TrimRight(fmt.Sprintf("@%d %s", i, fields), " ") + "\n")
	}
	return operations.String(), nil
}

// form joins query and body into one object; path variables are no parameters.
func (op *operation) form() *schema {
	all := &schema{Type: "object", Properties: map[string]*schema{}}
	for _, p := range op.Parameters {
		if p.In == "query" {
			all.Properties[p.Name] = p.Schema
			if p.Required {
				all.Required = append(all.Required, p.Name)
			}
		}
	}
	for _, media := range op.RequestBody.Content {
		maps.Copy(all.Properties, media.Schema.Properties)
		all.Required = append(all.Required, media.Schema.Required...)
	}
	return all
}

// lay puts a schema at a place that must be free.
func (s *schema) lay(place []string, added *schema) bool {
	switch {
	case s == nil:
		return false
	case s.Items != nil:
		return s.Items.lay(place, added)
	case len(s.AnyOf) > 0:
		return slices.ContainsFunc(s.AnyOf, func(b *schema) bool { return b.lay(place, added) })
	case s.Properties == nil:
		return false
	case len(place) > 1:
		return s.Properties[place[0]].lay(place[1:], added)
	case s.Properties[place[0]] != nil:
		return false
	}
	s.Properties[place[0]] = added
	return true
}

// writer numbers the shapes; equal ones share a number.
type writer struct {
	numbers map[string]int
	shapes  []string
}

var safe = regexp.MustCompile(`^[A-Za-z0-9_.*/+-]+$`)

func (w *writer) shape(s *schema) (int, error) {
	var fields []string
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if !safe.MatchString(name) {
			return 0, fmt.Errorf("the name %q does not fit the grammar", name)
		}
		text, err := w.typ(s.Properties[name])
		if err != nil {
			return 0, fmt.Errorf("%s: %w", name, err)
		}
		if slices.Contains(s.Required, name) {
			text += "!"
		}
		fields = append(fields, name+"="+text)
	}
	line := strings.Join(fields, " ")
	number, known := w.numbers[line]
	if !known {
		number = len(w.shapes)
		w.numbers[line] = number
		w.shapes = append(w.shapes, line)
	}
	return number, nil
}

// typ writes the forms of a schema, with "~" when one of them is the empty text.
func (w *writer) typ(s *schema) (string, error) {
	branches := s.AnyOf
	if branches == nil {
		branches = []*schema{s}
	}
	var forms []string
	unset := ""
	for _, b := range branches {
		one := *b
		one.Enum = slices.DeleteFunc(slices.Clone(b.Enum), func(v string) bool { return v == "" })
		if len(one.Enum) < len(b.Enum) {
			unset = "~"
			if len(one.Enum) == 0 && len(branches) > 1 {
				continue // nothing but the empty text
			}
		}
		if len(one.Enum) == 0 {
			one.Enum = nil
		}
		form, err := w.form(&one)
		if err != nil {
			return "", err
		}
		forms = append(forms, form)
	}
	return strings.Join(forms, "|") + unset, nil
}

func (w *writer) form(s *schema) (string, error) {
	switch {
	case s.Enum != nil:
		for _, v := range s.Enum {
			if !safe.MatchString(v) {
				return "", fmt.Errorf("the value %q does not fit the grammar", v)
			}
		}
		return "(" + strings.Join(s.Enum, ",") + ")", nil
	case s.Type == "string" || s.Type == "number":
		return s.Type, nil
	case s.Type == "integer":
		return "int", nil
	case s.Type == "boolean":
		return "bool", nil
	case s.Type == "array" && s.Items != nil:
		elem, err := w.typ(s.Items)
		return "[" + elem + "]", err
	case s.Type == "object" && s.Properties != nil:
		number, err := w.shape(s)
		return fmt.Sprintf("@%d", number), err
	case s.Type == "object" && s.AdditionalProperties != nil:
		var elem schema
		if err := json.Unmarshal(s.AdditionalProperties, &elem); err != nil {
			return "", fmt.Errorf("map: %w", err)
		}
		text, err := w.typ(&elem)
		return "{" + text + "}", err
	}
	return "", fmt.Errorf("the schema %+v does not fit the grammar", *s)
}
