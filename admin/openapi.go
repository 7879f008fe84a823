package admin

import (
	_ "embed"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"worlds/journal/canon"
)

// schemas is components.schemas of the OpenAPI document.
//
//go:embed schemas.json
var schemas []byte

func showOpenAPI(c *call) error { return c.raw(http.StatusOK, OpenAPI()) }

// OpenAPI returns the OpenAPI 3.1 document of the admin API, canonical. It is made
// from the table of routes.
func OpenAPI() []byte {
	var b strings.Builder
	b.WriteString(`{"openapi":"3.1.0","info":{"title":"Worlds admin API","version":"1","description":` +
		`"Create worlds, read and reset them, prove what happened in them."},"paths":{`)
	table := routes()
	paths := openPaths(table)
	for i, path := range paths {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(quote(openPath(path)) + ":{")
		n := 0
		for j := range table {
			if table[j].path != path {
				continue
			}
			if n++; n > 1 {
				b.WriteByte(',')
			}
			b.WriteString(quote(strings.ToLower(table[j].method)) + ":" + table[j].operation())
		}
		b.WriteByte('}')
	}
	b.WriteString(`},"components":{"securitySchemes":{"token":{"type":"http","scheme":"bearer"}},"schemas":`)
	b.Write(schemas)
	b.WriteString(`}}`)
	out, err := canon.Canonicalize([]byte(b.String()))
	if err != nil {
		panic("admin: the OpenAPI document: " + err.Error())
	}
	return out
}

func openPaths(table []route) []string {
	var paths []string
	for i := range table {
		if !slices.Contains(paths, table[i].path) {
			paths = append(paths, table[i].path)
		}
	}
	return paths
}

// openPath is a route's path without the router's patterns.
func openPath(path string) string { return strings.ReplaceAll(path, ":[0-9]+}", "}") }

func quote(s string) string { return string(canon.AppendString(nil, s)) }

// repeatable is the schema of requests that may come again under the same key.
const repeatable = "Fork"

// operation is one route as an OpenAPI operation object.
func (r *route) operation() string {
	var b strings.Builder
	b.WriteString(`{"summary":` + quote(r.summary) + `,"operationId":` + quote(r.operationID()))
	if r.access != anyone {
		b.WriteString(`,"security":[{"token":[]}]`)
	}
	b.WriteString(`,"parameters":[`)
	n := 0
	for _, seg := range strings.Split(openPath(r.path), "/") {
		if strings.HasPrefix(seg, "{") {
			if n++; n > 1 {
				b.WriteByte(',')
			}
			b.WriteString(`{"in":"path","required":true,"schema":{"type":"string"},"name":` + quote(strings.Trim(seg, "{}")) + `}`)
		}
	}
	for _, q := range r.query {
		if n++; n > 1 {
			b.WriteByte(',')
		}
		b.WriteString(`{"in":"query","schema":{"type":"string"},"name":` + quote(q) + `}`)
	}
	b.WriteString(`]`)
	if r.takes != "" {
		media := "application/json"
		if r.takes == "Lines" {
			media = jsonLines
		}
		b.WriteString(`,"requestBody":{"content":{` + quote(media) + `:{"schema":` + schemaRef(r.takes) + `}}}`)
	}
	b.WriteString(`,"responses":{` + quote(strconv.Itoa(r.status)) + `:{"description":` + quote(http.StatusText(r.status)))
	if r.gives != "" {
		media := r.media
		if media == "" {
			media = "application/json"
		}
		b.WriteString(`,"content":{` + quote(media) + `:{"schema":` + schemaRef(r.gives) + `}}`)
	}
	if r.takes == repeatable {
		b.WriteString(`},"200":{"description":"It was made before, under the same key","content":{"application/json":{"schema":` + schemaRef("World") + `}}`)
	}
	b.WriteString(`},"default":{"description":"A problem","content":{"application/problem+json":{"schema":` + schemaRef("Problem") + `}}}}}`)
	return b.String()
}

// operationID is the method and the path's words.
func (r *route) operationID() string {
	words := strings.FieldsFunc(openPath(r.path), func(c rune) bool { return strings.ContainsRune("/{}.", c) })
	return strings.ToLower(r.method) + "-" + strings.Join(words, "-")
}

func schemaRef(name string) string { return `{"$ref":` + quote("#/components/schemas/"+name) + `}` }
