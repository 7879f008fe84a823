package seed

import (
	"bytes"
	"encoding/json"
)

// Schema returns the JSON Schema of the format, printed from the tables that
// Parse reads by. It knows keys, types and limits, not what relates two places
// of a document. The same bytes are published as schema.json.
func Schema() []byte {
	node := documentTable.schema()
	node.Schema = "https://json-schema.org/draft/2020-12/schema"
	node.Title = "Worlds seed"
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(node); err != nil {
		panic(err) // no schemaNode holds what JSON cannot
	}
	return b.Bytes()
}

// schemaNode is one schema of the published JSON Schema (draft 2020-12), with
// the keywords that the format needs.
type schemaNode struct {
	Schema               string                 `json:"$schema,omitempty"`
	Title                string                 `json:"title,omitempty"`
	Description          string                 `json:"description,omitempty"`
	Default              any                    `json:"default,omitempty"` // a string, an int64 or a bool
	AnyOf                []*schemaNode          `json:"anyOf,omitempty"`
	Not                  *schemaNode            `json:"not,omitempty"`
	Type                 string                 `json:"type,omitempty"`
	Enum                 []string               `json:"enum,omitempty"`
	Minimum              *int64                 `json:"minimum,omitempty"`
	Maximum              *int64                 `json:"maximum,omitempty"`
	MinLength            int                    `json:"minLength,omitempty"`
	MaxLength            int                    `json:"maxLength,omitempty"`
	Pattern              string                 `json:"pattern,omitempty"`
	MinItems             int                    `json:"minItems,omitempty"`
	MaxItems             int                    `json:"maxItems,omitempty"`
	Items                *schemaNode            `json:"items,omitempty"`
	MaxProperties        int                    `json:"maxProperties,omitempty"`
	PropertyNames        *schemaNode            `json:"propertyNames,omitempty"`
	Required             []string               `json:"required,omitempty"`
	Properties           map[string]*schemaNode `json:"properties,omitempty"`
	AdditionalProperties any                    `json:"additionalProperties,omitempty"` // false or a *schemaNode
}

// schema returns the table as a schema.
func (t table[T]) schema() *schemaNode {
	node := &schemaNode{Type: "object", Properties: map[string]*schemaNode{}, AdditionalProperties: false}
	for _, f := range t.fields {
		value := *f.schema
		if f.null {
			value = schemaNode{AnyOf: []*schemaNode{f.schema, {Type: "null"}}}
		}
		value.Description, value.Default = f.doc, f.usual
		node.Properties[f.name] = &value
		if f.needed {
			node.Required = append(node.Required, f.name)
		}
	}
	return node
}

// usualOf returns what an absent key means, if the shape could have written it.
func usualOf(absent any, schema *schemaNode) any {
	switch v := absent.(type) {
	case bool:
		return v
	case string:
		if v != "" {
			return v
		}
	case int64:
		if schema.Minimum != nil && v >= *schema.Minimum {
			return v
		}
	}
	return nil
}
