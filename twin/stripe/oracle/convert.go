package oracle

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/message"
)

const refPrefix = "#/components/schemas/"

// Two keywords of our own in the converted schemas.
const (
	keyComponent = "component" // the name of a component to go on with, compiled when reached
	keyInteger   = "literal"   // "integer": the number has neither point nor exponent
)

// convert turns an OpenAPI 3.0 schema of the named component into JSON Schema
// 2020-12, strict. Annotations are dropped and nullable becomes a null type,
// enum member or branch.
func convert(name string, in map[string]any) map[string]any {
	if target, ok := in["$ref"].(string); ok {
		return map[string]any{keyComponent: strings.TrimPrefix(target, refPrefix)}
	}
	out := map[string]any{}
	for _, key := range []string{"type", "enum", "required", "maxLength", "pattern"} {
		if v, ok := in[key]; ok {
			out[key] = v
		}
	}
	if in["type"] == "integer" {
		out[keyInteger] = "integer"
	}
	if items, ok := in["items"].(map[string]any); ok {
		out["items"] = convert("", items)
	}
	if branches, ok := in["anyOf"].([]any); ok {
		out["anyOf"] = convertAll(branches)
	}
	switch extra := in["additionalProperties"].(type) {
	case map[string]any:
		out["additionalProperties"] = convert("", extra)
	case bool:
		out["additionalProperties"] = extra
	}
	if properties, ok := in["properties"].(map[string]any); ok {
		out["properties"] = convertProperties(name, properties)
		out["additionalProperties"] = false
	}
	if in["nullable"] == true {
		addNull(out)
	}
	return out
}

func convertAll(branches []any) []any {
	out := make([]any, len(branches))
	for i, b := range branches {
		out[i] = convert("", b.(map[string]any))
	}
	return out
}

func convertProperties(name string, in map[string]any) map[string]any {
	out := map[string]any{}
	for key, v := range in {
		out[key] = convert("", v.(map[string]any))
	}
	for key, schema := range undeclared[name] {
		out[key] = convert("", mustDecode(schema))
	}
	if object, ok := in["object"].(map[string]any); ok {
		if enum, ok := object["enum"].([]any); ok && slices.Equal(enum, []any{"list"}) {
			for key, schema := range undeclaredOfLists {
				out[key] = convert("", mustDecode(schema))
			}
		}
	}
	return out
}

func addNull(out map[string]any) {
	if t, ok := out["type"]; ok {
		out["type"] = []any{t, "null"}
	}
	if enum, ok := out["enum"].([]any); ok {
		out["enum"] = append(slices.Clone(enum), nil)
	}
	if branches, ok := out["anyOf"].([]any); ok {
		out["anyOf"] = append(branches, map[string]any{"type": "null"})
	}
}

func mustDecode(schema json.RawMessage) map[string]any {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		panic(err)
	}
	return v.(map[string]any)
}

// component returns a component's schema, compiling it at the first call.
func (o *Oracle) component(name string) (*jsonschema.Schema, error) {
	raw, ok := o.components[name]
	if !ok {
		return nil, fmt.Errorf("oracle: the document has no component %q", name)
	}
	return o.schema(name, raw)
}

// schema returns the compiled schema of that key, compiling raw at the first
// call. A key that is a component's name gets that component's allowances.
func (o *Oracle) schema(key string, raw json.RawMessage) (*jsonschema.Schema, error) {
	entry, ok := o.compiled.Load(key)
	if !ok {
		entry, _ = o.compiled.LoadOrStore(key, &lazySchema{})
	}
	lazy := entry.(*lazySchema)
	lazy.once.Do(func() { lazy.schema, lazy.err = o.compile(key, raw) })
	return lazy.schema, lazy.err
}

func (o *Oracle) compile(key string, raw json.RawMessage) (*jsonschema.Schema, error) {
	in, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil, fmt.Errorf("oracle: %s: %w", key, err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.AssertVocabs()
	compiler.RegisterVocabulary(o.vocab)
	const location = "stripe:///schema"
	out := convert(key, in.(map[string]any))
	if properties, ok := out["properties"].(map[string]any); ok {
		for member, schema := range o.older[key] {
			properties[member] = convert("", mustDecode(schema))
		}
	}
	if err := compiler.AddResource(location, out); err != nil {
		return nil, fmt.Errorf("oracle: %s: %w", key, err)
	}
	schema, err := compiler.Compile(location)
	if err != nil {
		return nil, fmt.Errorf("oracle: %s: %w", key, err)
	}
	return schema, nil
}

func (o *Oracle) newVocabulary() *jsonschema.Vocabulary {
	return &jsonschema.Vocabulary{
		URL: "stripe:///vocabulary",
		Compile: func(_ *jsonschema.CompilerContext, obj map[string]any) (jsonschema.SchemaExt, error) {
			if name, ok := obj[keyComponent].(string); ok {
				return &toComponent{o, name}, nil
			}
			if _, ok := obj[keyInteger].(string); ok {
				return integerLiteral{}, nil
			}
			return nil, nil
		},
	}
}

// toComponent goes on with another component.
type toComponent struct {
	oracle *Oracle
	name   string
}

// Validate implements jsonschema.SchemaExt.
func (c *toComponent) Validate(ctx *jsonschema.ValidatorContext, v any) {
	schema, err := c.oracle.component(c.name)
	if err != nil {
		ctx.AddError(complaint(err.Error()))
		return
	}
	if err := ctx.Validate(schema, v, nil); err != nil {
		ctx.AddErr(err)
	}
}

// integerLiteral refuses 10.0 and 1e3, which JSON Schema counts as integers
// and typed SDKs do not.
type integerLiteral struct{}

// Validate implements jsonschema.SchemaExt.
func (integerLiteral) Validate(ctx *jsonschema.ValidatorContext, v any) {
	if n, ok := v.(json.Number); ok && strings.ContainsAny(n.String(), ".eE") {
		ctx.AddError(complaint("got " + n.String() + ", want an integer without point or exponent"))
	}
}

// complaint is an error of our own keywords.
type complaint string

// KeywordPath implements jsonschema.ErrorKind.
func (complaint) KeywordPath() []string { return nil }

// LocalizedString implements jsonschema.ErrorKind.
func (c complaint) LocalizedString(*message.Printer) string { return string(c) }
