package seed

// schemaNode is one schema of the published JSON Schema (draft 2020-12), with
// the keywords that the format needs.
type schemaNode struct {
	Schema               string                 `json:"$schema,omitempty"`
	Title                string                 `json:"title,omitempty"`
	Description          string                 `json:"description,omitempty"`
	AnyOf                []*schemaNode          `json:"anyOf,omitempty"`
	Type                 string                 `json:"type,omitempty"`
	Enum                 []string               `json:"enum,omitempty"`
	Const                *int64                 `json:"const,omitempty"`
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
		value.Description = f.doc
		node.Properties[f.name] = &value
		if f.needed {
			node.Required = append(node.Required, f.name)
		}
	}
	return node
}
