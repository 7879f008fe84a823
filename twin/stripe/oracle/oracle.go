package oracle

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stripe/stripe-mock/embedded"
)

// Oracle holds Stripe's API document and the schemas compiled from it so far.
// It is safe for concurrent use.
type Oracle struct {
	components map[string]json.RawMessage
	routes     []route
	eventTypes map[string]bool
	older      map[string]map[string]json.RawMessage // undeclared of its version alone

	compiled sync.Map // component name or response location → *lazySchema
	vocab    *jsonschema.Vocabulary
}

// route is one operation of the document.
type route struct {
	method   string   // upper case
	segments []string // of the path template, "{x}" for a variable
	literals int      // how many segments are not variables
	ok       json.RawMessage
}

// lazySchema is compiled by the first caller; the others wait for it.
type lazySchema struct {
	once   sync.Once
	schema *jsonschema.Schema
	err    error
}

// Default returns the process's own Oracle, made at the first call. It panics
// when the embedded document cannot be read, which is a broken build.
func Default() *Oracle { return defaultOracle() }

var defaultOracle = sync.OnceValue(func() *Oracle {
	o, err := New()
	if err != nil {
		panic(err)
	}
	return o
})

// document is the part of an OpenAPI document that the oracle reads.
type document struct {
	Components struct {
		Schemas map[string]json.RawMessage `json:"schemas"`
	} `json:"components"`
	Paths map[string]map[string]operation `json:"paths"`
}

type operation struct {
	Responses map[string]struct {
		Content map[string]struct {
			Schema json.RawMessage `json:"schema"`
		} `json:"content"`
	} `json:"responses"`
	RequestBody json.RawMessage `json:"requestBody"`
}

// New reads the document. Schemas are compiled later, each when first used.
func New() (*Oracle, error) { return read(embedded.OpenAPISpec, nil) }

func read(spec []byte, older map[string]map[string]json.RawMessage) (*Oracle, error) {
	var doc document
	if err := json.Unmarshal(spec, &doc); err != nil {
		return nil, fmt.Errorf("oracle: reading the OpenAPI document: %w", err)
	}
	o := &Oracle{components: doc.Components.Schemas, older: older}
	o.vocab = o.newVocabulary()
	for path, operations := range doc.Paths {
		for method, op := range operations {
			ok := op.Responses["200"].Content["application/json"].Schema
			o.routes = append(o.routes, newRoute(method, path, ok))
		}
	}
	for path, component := range overlayRoutes {
		method, path, _ := strings.Cut(path, " ")
		o.routes = append(o.routes, newRoute(method, path, ref(component)))
	}
	slices.SortFunc(o.routes, func(a, b route) int { return b.literals - a.literals })
	var err error
	o.eventTypes, err = eventTypes(doc.Paths["/v1/webhook_endpoints"]["post"].RequestBody)
	return o, err
}

func newRoute(method, path string, ok json.RawMessage) route {
	r := route{method: strings.ToUpper(method), segments: strings.Split(path, "/"), ok: ok}
	for _, s := range r.segments {
		if !strings.HasPrefix(s, "{") {
			r.literals++
		}
	}
	return r
}

func ref(component string) json.RawMessage {
	return json.RawMessage(`{"$ref":"` + refPrefix + component + `"}`)
}

// eventTypes reads the closed list of event types: what a webhook endpoint may
// enable, less the wildcard.
func eventTypes(body json.RawMessage) (map[string]bool, error) {
	var form struct {
		Content map[string]struct {
			Schema struct {
				Properties struct {
					EnabledEvents struct {
						Items struct {
							Enum []string `json:"enum"`
						} `json:"items"`
					} `json:"enabled_events"`
				} `json:"properties"`
			} `json:"schema"`
		} `json:"content"`
	}
	if err := json.Unmarshal(body, &form); err != nil {
		return nil, fmt.Errorf("oracle: reading the event types: %w", err)
	}
	types := map[string]bool{}
	for _, media := range form.Content {
		for _, name := range media.Schema.Properties.EnabledEvents.Items.Enum {
			types[name] = name != "*"
		}
	}
	if len(types) == 0 {
		return nil, errors.New("oracle: the document lists no event types")
	}
	return types, nil
}

// EventType reports a type of event that Stripe does not have.
func (o *Oracle) EventType(name string) error {
	if !o.eventTypes[name] {
		return fmt.Errorf("oracle: no event type %q", name)
	}
	return nil
}

// Response judges the answer to METHOD path (a query may follow the path):
// a status of 200 by the operation's own schema, one of 400 and above by the
// error schema, any other is refused. An operation that Stripe does not have
// may only be answered by an error. The error lists the faults, one a line,
// each with its JSON pointer.
func (o *Oracle) Response(method, path string, status int, body []byte) error {
	path, _, _ = strings.Cut(path, "?")
	r, found := o.match(method, path)
	var schema *jsonschema.Schema
	var err error
	switch {
	case status >= http.StatusBadRequest:
		schema, err = o.component("error")
	case status != http.StatusOK:
		return fmt.Errorf("oracle: status %d: Stripe answers 200, 4xx or 5xx only", status)
	case !found:
		return errors.New("oracle: status 200, but Stripe has no such operation")
	case r.ok == nil:
		return errors.New("oracle: the operation does not answer JSON")
	default:
		schema, err = o.schema(r.method+" "+strings.Join(r.segments, "/"), r.ok)
	}
	if err != nil {
		return err
	}
	value, err := decode(body)
	if err != nil {
		return err
	}
	faults := validate(schema, value)
	if status == http.StatusOK {
		faults = append(faults, o.laws(path, value)...)
	} else {
		faults = append(faults, errorLaws(value)...)
	}
	return faults.err()
}

// Object judges one object by the component of that name, as for the
// data.object of an event. A deleted stub is judged as one; of a list, the
// envelope and each element.
func (o *Oracle) Object(objectName string, body []byte) error {
	value, err := decode(body)
	if err != nil {
		return err
	}
	faults := o.object(objectName, value)
	return append(faults, o.laws("", value)...).err()
}

// object validates without the laws, which walk into nested objects themselves.
func (o *Oracle) object(name string, value any) faults {
	fields, _ := value.(map[string]any)
	if fields["object"] != name {
		return faults{{"/object", fmt.Sprintf("got %v, want %q", fields["object"], name)}}
	}
	if fields["deleted"] == true {
		name = "deleted_" + name
	}
	var schema *jsonschema.Schema
	var err error
	if name == "list" {
		schema, err = o.schema("list", listSchema)
	} else {
		schema, err = o.component(name)
	}
	if err != nil {
		return faults{{"", err.Error()}}
	}
	found := validate(schema, value)
	if name != "list" {
		return found
	}
	data, _ := fields["data"].([]any)
	for i, element := range data {
		inner, _ := element.(map[string]any)
		elementName, _ := inner["object"].(string)
		found = append(found, o.object(elementName, element).under(fmt.Sprintf("/data/%d", i))...)
	}
	return found
}

// Knows reports whether Stripe has the operation METHOD path.
func (o *Oracle) Knows(method, path string) bool {
	_, ok := o.match(method, path)
	return ok
}

// match finds the operation; of several templates the most literal one wins.
func (o *Oracle) match(method, path string) (route, bool) {
	segments := strings.Split(path, "/")
	for _, r := range o.routes {
		if r.method == method && r.matches(segments) {
			return r, true
		}
	}
	return route{}, false
}

func (r route) matches(segments []string) bool {
	if len(segments) != len(r.segments) {
		return false
	}
	for i, s := range r.segments {
		if strings.HasPrefix(s, "{") {
			if segments[i] == "" {
				return false
			}
		} else if s != segments[i] {
			return false
		}
	}
	return true
}
