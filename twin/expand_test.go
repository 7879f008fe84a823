package twin_test

import (
	"strings"
	"testing"

	"worlds/journal/canon"
	"worlds/twin"
)

// populate makes owners a (boss b), b, gone (deleted) and things x (of a, friends
// b and gone, kept by b) and y (of nobody).
func populate(t *testing.T) *world {
	w := newWorld(t)
	for _, line := range []string{
		"POST /owners id=b", "POST /owners id=a&boss=b", "POST /owners id=gone&boss=b", "DELETE /owners/gone",
		"POST /things id=x&owner=a&friends[]=b&friends[]=gone&keeper=b", "POST /things id=y",
	} {
		if out := w.do("", line); out.Status != 200 {
			t.Fatalf("%s: %s", line, said(out))
		}
	}
	return w
}

const (
	ownerA    = `{"boss":"b","id":"a","object":"owner"}`
	ownerB    = `{"boss":null,"id":"b","object":"owner"}`
	ownerGone = `{"deleted":true,"id":"gone","object":"owner"}`
)

func TestExpand(t *testing.T) {
	w := populate(t)
	for _, row := range []struct{ line, path, want string }{
		{"GET /things/x", "owner", `"a"`},
		{"GET /things/x expand[]=owner", "owner", ownerA},
		{"GET /things/x expand[0]=owner&expand[1]=owner", "owner", ownerA},
		{"GET /things/x expand[]=owner.boss", "owner", `{"boss":` + ownerB + `,"id":"a","object":"owner"}`},
		{"GET /things/x expand[]=owner&expand[]=owner.boss.boss", "owner", `{"boss":` + ownerB + `,"id":"a","object":"owner"}`},
		{"GET /things/x expand[]=friends", "friends", "[" + ownerB + "," + ownerGone + "]"},
		{"GET /things/x expand[]=friends.boss", "friends", "[" + ownerB + "," + ownerGone + "]"},
		{"GET /things/x expand[]=place.keeper", "place", `{"keeper":` + ownerB + `}`},
		{"GET /things/x expand[]=parts.data.owner", "parts", `{"data":[{"object":"piece","owner":` + ownerA + `},{"object":"piece","owner":null}],"object":"list"}`},
		{"GET /things/x expand[]=sub.owner", "sub", `[{"object":"piece","owner":` + ownerA + `},{"object":"piece","owner":null}]`},
		{"GET /things/y expand[]=sub.owner", "sub", "[]"},
		// What is null stays null, and so does all below it.
		{"GET /things/y expand[]=owner", "owner", "null"},
		{"GET /things/y expand[]=owner.boss", "owner", "null"},
		{"GET /things/y expand[]=place.keeper.boss", "place", `{"keeper":null}`},
		{"GET /things/y expand[]=parts.data.owner", "parts", "null"},
		{"GET /things/y expand[]=friends", "friends", "[]"},
		// A kind that is not served: the member is absent, and stays so.
		{"GET /things/y expand[]=ghost", "ghost", ""},
		{"GET /things/y expand[]=ghost.any", "ghost", ""},
		// What only an expansion shows.
		{"GET /things/x", "count", ""},
		{"GET /things/x expand[]=count", "count", "2"},
		{"GET /things/x expand[]=first.boss", "first", ownerB},
		// On a change, too: of the object as it is afterwards.
		{"POST /things/x/fine name=n&expand[]=owner&expand[]=count", "owner", ownerA},
		{"POST /owners id=c&boss=a&expand[]=boss.boss", "boss", `{"boss":` + ownerB + `,"id":"a","object":"owner"}`},
		// Of lists, below data.
		{"GET /things expand[]=data.count", "object", `"list"`},
	} {
		out := w.do("", row.line)
		if out.Status != 200 {
			t.Errorf("%s: %s", row.line, said(out))
			continue
		}
		if err := canon.Valid(out.Body); err != nil {
			t.Errorf("%s: %v in %s", row.line, err, out.Body)
		}
		if got, _ := canon.Get(out.Body, row.path); string(got) != row.want {
			t.Errorf("%s: %s is\n     %s\nwant %s", row.line, row.path, got, row.want)
		}
	}
	list := string(w.do("", "GET /things expand[]=data.owner.boss&expand[]=data.friends").Body)
	if strings.Count(list, ownerB) != 2 || !strings.Contains(list, `"owner":null`) {
		t.Errorf("list: %s", list)
	}
}

// What is shown whole, on the way to what can be expanded, can be asked for.
func TestExpandWhole(t *testing.T) {
	w := populate(t)
	for _, id := range []string{"x", "y"} {
		plain := string(w.do("", "GET /things/"+id).Body)
		for _, path := range []string{"place", "parts", "parts.data", "sub"} {
			if out := w.do("", "GET /things/"+id+" expand[]="+path); string(out.Body) != plain {
				t.Errorf("%s of %s: %s", path, id, out.Body)
			}
		}
	}
}

// The refusals do not depend on what happens to be null, and nothing remains of a
// change whose answer could not be expanded.
func TestExpandRefusals(t *testing.T) {
	w := populate(t)
	before := w.dump()
	for _, row := range [][2]string{
		{"GET /things/x expand[]=nonsense", "400 cannot expand nonsense"},
		{"GET /things/x expand[]=name", "400 cannot expand name"},
		{"GET /things/x expand[]=place.nonsense", "400 cannot expand place.nonsense"},
		{"GET /things/x expand[]=owner.nonsense", "400 cannot expand owner.nonsense"},
		{"GET /things/y expand[]=owner.nonsense", "400 cannot expand owner.nonsense"},
		{"GET /things/x expand[]=owner.boss.nonsense", "400 cannot expand owner.boss.nonsense"},
		{"GET /things/x expand[]=friends.id", "400 cannot expand friends.id"},
		{"GET /things/x expand[]=parts.owner", "400 cannot expand parts.owner, try data.parts.owner"},
		{"GET /things/x expand[]=sub.nonsense", "400 cannot expand sub.nonsense"},
		{"GET /things/x expand[]=owner&expand[]=nonsense", "400 cannot expand nonsense"},
		{"GET /things/x expand[]=owner.boss.boss.boss.boss", "400 too deep owner.boss.boss.boss.boss"},
		{"GET /things expand[]=owner", "400 cannot expand owner, try data.owner"},
		{"GET /things expand[]=data", "400 cannot expand data, try data.data"},
		{"GET /things expand[]=data.nonsense", "400 cannot expand data.nonsense"},
		{"GET /things expand[]=data.owner.boss.boss.boss", "400 too deep data.owner.boss.boss.boss"},
		{"GET /things/x expand=owner", "400 bad type array expand 'owner'"},
		{"GET /things/x expand=", "400 bad type array expand"},
		{"GET /things/x expand[a]=owner", "400 bad type array expand"},
		{"GET /things/x expand[]=", "400 bad type string expand[0]"},
		{"GET /things/x expand[0][a]=owner", "400 bad type string expand[0]"},
		{"GET /things/x " + strings.Repeat("expand[]=owner&", 51), "400 above array expand 50"},
		{"GET /things/x nope=1&expand[]=nonsense", "400 unknown nope"},
		{"GET /things/nope expand[]=nonsense", "404 no thing nope"},
		{"POST /things/x/fine expand[]=nonsense", "400 cannot expand nonsense"},
		{"POST /things id=z&expand[]=owner.nonsense", "400 cannot expand owner.nonsense"},
		{"POST /things expand[]=nonsense", "400 cannot expand nonsense"},
	} {
		if got := said(w.do("", row[0])); got != row[1] {
			t.Errorf("%.60s\n got %s\nwant %s", row[0], got, row[1])
		}
		if w.dump() != before {
			t.Fatalf("%.60s changed the world", row[0])
		}
	}
	// The ids of what was taken back are given out again.
	fresh := populate(t)
	if a, b := w.do("", "POST /things"), fresh.do("", "POST /things"); string(a.Body) != string(b.Body) {
		t.Errorf("after refusals an id is %s, without them %s", a.Body, b.Body)
	}
}

// The stored object and the event do not hold what was expanded.
func TestExpansionIsNotStored(t *testing.T) {
	w := populate(t)
	out := w.do("", "POST /things id=z&owner=a&expand[]=owner")
	for _, f := range out.Facts {
		if strings.Contains(string(f), ownerA) {
			t.Errorf("a fact holds the expansion: %s", f)
		}
	}
	if got, _ := canon.Get(w.do("", "GET /things/z").Body, "owner"); string(got) != `"a"` {
		t.Errorf("stored %s", got)
	}
	if twin.ExpandDepthMax != 4 {
		t.Errorf("the depth is %d", twin.ExpandDepthMax)
	}
}
