package admin_test

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"worlds/admin"
	"worlds/journal/canon"
)

// The OpenAPI document is a valid one of version 3.1, as far as it uses it: every
// operation is named once, declares the parameters its path has and no others, and
// answers; every reference leads somewhere; every schema is a JSON Schema of draft
// 2020-12, which is what 3.1 says a schema is; no schema is left over.
func TestOpenAPIDocument(t *testing.T) {
	text := admin.OpenAPI()
	if err := canon.Valid(text); err != nil {
		t.Fatal(err)
	}
	var doc struct {
		OpenAPI string
		Info    struct{ Title, Version string }
		Paths   map[string]map[string]operation
		Components
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(doc.OpenAPI, "3.1.") || doc.Info.Title == "" || doc.Info.Version == "" {
		t.Errorf("openapi %q, info %+v", doc.OpenAPI, doc.Info)
	}
	ids := map[string]bool{}
	for path, methods := range doc.Paths {
		for method, op := range methods {
			if !slices.Contains([]string{"get", "put", "post", "delete"}, method) {
				t.Errorf("%s has the method %q", path, method)
			}
			if op.OperationID == "" || ids[op.OperationID] || op.Summary == "" {
				t.Errorf("%s %s: operation %q, summary %q", method, path, op.OperationID, op.Summary)
			}
			ids[op.OperationID] = true
			judgeParameters(t, method+" "+path, path, &op)
			judgeResponses(t, method+" "+path, &op)
		}
	}
	judgeReferences(t, text, doc.Components.Components.Schemas)
}

// Components are where the document keeps its schemas.
type Components struct {
	Components struct {
		Schemas         map[string]json.RawMessage
		SecuritySchemes map[string]struct{ Type, Scheme string }
	}
}

var pathName = regexp.MustCompile(`\{([a-z]+)\}`)

func judgeParameters(t *testing.T, name, path string, op *operation) {
	t.Helper()
	var want, got []string
	for _, m := range pathName.FindAllStringSubmatch(path, -1) {
		want = append(want, m[1])
	}
	if strings.Count(path, "{") != len(want) {
		t.Errorf("%s: a name in the path is no word", name)
	}
	seen := map[string]bool{}
	for _, p := range op.Parameters {
		if seen[p.In+p.Name] || p.In != "path" && p.In != "query" {
			t.Errorf("%s: parameter %+v", name, p)
		}
		seen[p.In+p.Name] = true
		if p.In == "path" {
			got = append(got, p.Name)
			if !p.Required {
				t.Errorf("%s: the path's %s is not required", name, p.Name)
			}
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s declares %v, the path has %v", name, got, want)
	}
}

func judgeResponses(t *testing.T, name string, op *operation) {
	t.Helper()
	success := 0
	for status, r := range op.Responses {
		if !regexp.MustCompile(`^([1-5][0-9][0-9]|default)$`).MatchString(status) || r.Description == "" {
			t.Errorf("%s: response %q, %q", name, status, r.Description)
		}
		if status[0] == '2' {
			success++
		}
	}
	if success == 0 || op.Responses["default"].Content["application/problem+json"].Schema.Ref == "" {
		t.Errorf("%s: responses %+v", name, op.Responses)
	}
	for _, s := range op.Security {
		if _, ok := s["token"]; !ok || len(s) != 1 {
			t.Errorf("%s: security %v", name, s)
		}
	}
}

// judgeReferences compiles every schema, which follows its references, and finds
// those that nothing refers to.
func judgeReferences(t *testing.T, text []byte, schemas map[string]json.RawMessage) {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	if err := c.AddResource(documentURL, value); err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	for _, ref := range regexp.MustCompile(`"\$ref":"([^"]*)"`).FindAllSubmatch(text, -1) {
		name, ok := strings.CutPrefix(string(ref[1]), "#/components/schemas/")
		if _, there := schemas[name]; !ok || !there {
			t.Errorf("a reference to %s", ref[1])
		}
		used[name] = true
	}
	for name := range schemas {
		if _, err := c.Compile(documentURL + "#/components/schemas/" + name); err != nil {
			t.Errorf("schema %s: %v", name, err)
		}
		if !used[name] {
			t.Errorf("nothing refers to the schema %s", name)
		}
	}
}

// Every answer's members are closed: an object that a route gives lists all it has.
func TestSchemasAreClosed(t *testing.T) {
	var doc Components
	if err := json.Unmarshal(admin.OpenAPI(), &doc); err != nil {
		t.Fatal(err)
	}
	for name, text := range doc.Components.Schemas {
		var schema struct {
			Type                 json.RawMessage
			Properties           map[string]json.RawMessage
			Required             []string
			AdditionalProperties json.RawMessage
		}
		if err := json.Unmarshal(text, &schema); err != nil {
			t.Fatal(err)
		}
		if string(schema.Type) == `"object"` && len(schema.Properties) > 0 && string(schema.AdditionalProperties) != "false" {
			t.Errorf("%s is open", name)
		}
		for _, r := range schema.Required {
			if _, ok := schema.Properties[r]; !ok {
				t.Errorf("%s requires %s, which it does not have", name, r)
			}
		}
	}
}
