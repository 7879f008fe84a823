package twin_test

import (
	"testing"

	"worlds/twin"
)

type routePath struct {
	A string `path:"a"`
	B string `path:"b"`
}

type routeID struct {
	A string `path:"a"`
}

// answers makes an endpoint that says which it is.
func answers[P any](name string, values func(*P) string) func(*twin.Tx, *P) (twin.Doc, *twin.Error) {
	return func(_ *twin.Tx, p *P) (twin.Doc, *twin.Error) {
		return twin.Doc{}, plainly(200, "%s %s", name, values(p))
	}
}

func TestRouting(t *testing.T) {
	none := func(*struct{}) string { return "" }
	a := func(p *routeID) string { return p.A }
	ab := func(p *routePath) string { return p.A + "," + p.B }
	c := twin.NewCatalog("toy", toyDialect(), twin.Wire{}, twin.API{Routes: []twin.Route{
		twin.On("GET /x", answers("list", none)),
		twin.On("GET /x/{a}", answers("one", a)),
		twin.On("GET /x/search", answers("search", none)),
		twin.On("POST /x/{a}", answers("change", a)),
		twin.On("GET /x/{a}/y/{b}", answers("two", ab)),
		twin.On("GET /x/{b}/{a}", answers("any", ab)),
	}})
	w := &world{t: t, machine: twin.NewMachine(newWorld(t).machine.State, twin.Spec{SeedHash: toySeedHash}, c)}
	for _, row := range [][2]string{
		{"GET /x", "200 list "},
		{"GET /x/1", "200 one 1"},
		{"GET /x/search", "200 search "},
		{"GET /x/searching", "200 one searching"},
		{"POST /x/search", "200 change search"},
		{"GET /x/1/y/2", "200 two 1,2"},
		{"GET /x/1/z", "200 any z,1"},
		{"GET /x/1/y", "200 any y,1"},
		{"GET /x/search/y/2", "200 two search,2"},
		{"GET /x/a%2Fb", "200 one a%2Fb"},
		{"POST /x", "404 no route POST /x"},
		{"DELETE /x/1", "404 no route DELETE /x/1"},
		{"get /x", "404 no route get /x"},
		{"GET /x/", "404 no route GET /x/"},
		{"GET /x/1/", "404 no route GET /x/1/"},
		{"GET //x", "404 no route GET //x"},
		{"GET /x//y", "404 no route GET /x//y"},
		{"GET /", "404 no route GET /"},
		{"GET /X", "404 no route GET /X"},
		{"GET /x/1/y/2/z", "404 no route GET /x/1/y/2/z"},
	} {
		if got := said(w.do("", row[0])); got != row[1] {
			t.Errorf("%s: %s, want %s", row[0], got, row[1])
		}
	}
}
