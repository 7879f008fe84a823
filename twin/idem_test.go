package twin_test

import (
	"fmt"
	"strings"
	"testing"

	"worlds/twin"
)

// What an idempotency key keeps and what leaves it free. Every row is executed
// twice under one key, in a world that has the thing x.
func TestWhatIsStoredUnderAKey(t *testing.T) {
	for _, row := range []struct {
		line, first string
		stored      bool
	}{
		// Everything the endpoint decided.
		{"POST /things id=y", `200 {"friends":[],"id":"y","name":"","object":"thing","owner":null,"parts":null,"place":{"keeper":null},"sub":[]}`, true},
		{"POST /things/x/fine name=n", `200 {"friends":[],"id":"x","name":"n!","object":"thing","owner":null,"parts":null,"place":{"keeper":null},"sub":[]}`, true},
		{"POST /things/nope/fine", "404 no thing nope", true},
		{"POST /things/x/refuse", "409 refused", true},
		{"POST /things/x/keep", "402 refused, kept", true},
		{"POST /things/x/panic", "500 internal", true},
		// What never reached it.
		{"POST /things nope=1", "400 unknown nope", false},
		{"POST /things name=%zz", "400 malformed name 'the value is not valid form encoding'", false},
		{"POST /params name=toolong", "400 too long name 5", false},
		{"POST /params", "400 missing name", false},
		{"POST /params name=x&amount=0", "400 below amount '0' 1", false},
		{"POST /params name=x&amount=1&count=1", "400 amount and count", false},
		{"POST /things/x/check", "400 checked", false},
		{"POST /things/x/unstored", "409 refused, unstored", false},
		{"POST /things expand=a", "400 bad type array expand 'a'", false},
		{"POST /things expand[]=nonsense", "400 cannot expand nonsense", false},
		{"POST /nowhere", "404 no route POST /nowhere", false},
		// Keys are for POST.
		{"GET /things/x", `200 {"friends":[],"id":"x","name":"","object":"thing","owner":null,"parts":null,"place":{"keeper":null},"sub":[]}`, false},
		{"DELETE /owners/o", `200 {"deleted":true,"id":"o","object":"owner"}`, false},
	} {
		w := newWorld(t)
		w.do("", "POST /things id=x")
		w.do("", "POST /owners id=o")
		first := w.do("ik_1", row.line)
		if got := said(first); got != row.first {
			t.Errorf("%s\n got %s\nwant %s", row.line, got, row.first)
		}
		if first.Replayed != "" {
			t.Errorf("%s: the first is a replay", row.line)
		}
		if got := w.machine.State.Idem("toy", "ik_1") != nil; got != row.stored {
			t.Errorf("%s: stored is %v", row.line, got)
			continue
		}
		before := w.dump()
		second := w.do("ik_1", row.line)
		if !row.stored {
			if second.Replayed != "" {
				t.Errorf("%s: replayed", row.line)
			}
			continue
		}
		if second.Replayed != first.Request || second.Status != first.Status || string(second.Body) != string(first.Body) || second.Version != first.Version {
			t.Errorf("%s: the second is %d %s, of %q", row.line, second.Status, second.Body, second.Replayed)
		}
		if second.Request == first.Request {
			t.Errorf("%s: two requests have one id", row.line)
		}
		if w.dump() != before || second.Changed {
			t.Errorf("%s: the replay changed the world", row.line)
		}
	}
}

// A refused request leaves its key free for the corrected one.
func TestARefusalLeavesItsKeyFree(t *testing.T) {
	w := newWorld(t)
	w.do("ik_1", "POST /params name=x&amount=abc")
	if got := w.do("ik_1", "POST /params name=x&amount=5"); said(got) != "200 amount=5" || got.Replayed != "" {
		t.Errorf("the corrected request: %s", said(got))
	}
}

// What counts as the same request.
func TestKeysUsedAgain(t *testing.T) {
	w := newWorld(t)
	w.do("", "POST /things id=x")
	first := w.do("ik_1", "POST /params name=x&tags[]=a&tags[]=b&item[price]=p")
	before := w.dump()
	for _, row := range [][2]string{
		{"POST /params name=x&tags[]=a&tags[]=b&item[price]=p", "same"},
		{"POST /params tags[0]=a&item[price]=p&tags[1]=b&name=x", "same"},
		{"POST /params name=y&name=x&tags[]=a&tags[]=b&item%5Bprice%5D=p", "same"},
		{"POST /params name=x&tags[]=b&tags[]=a&item[price]=p", "400 key reused for other parameters"},
		{"POST /params name=x&tags[]=a&tags[]=b&item[price]=q", "400 key reused for other parameters"},
		{"POST /params name=x&tags[]=a&tags[]=b&item[price]=p&limit=1", "400 key reused for other parameters"},
		{"POST /params name=x", "400 key reused for other parameters"},
		{"POST /things/x/fine", "400 key reused: POST /params, POST /things/x/fine"},
		{"POST /params name=toolong", "400 key reused for other parameters"},
		{"POST /params nope=1", "400 unknown nope"},
	} {
		out := w.do("ik_1", row[0])
		if row[1] == "same" {
			if out.Replayed != first.Request || string(out.Body) != string(first.Body) {
				t.Errorf("%s: %s, not a replay", row[0], said(out))
			}
		} else if got := said(out); got != row[1] || out.Replayed != "" {
			t.Errorf("%s\n got %s\nwant %s", row[0], got, row[1])
		}
		if w.dump() != before {
			t.Fatalf("%s changed the world", row[0])
		}
	}
	if got := w.do("ik_2", "POST /params name=x"); got.Replayed != "" || got.Status != 200 {
		t.Errorf("another key: %s", said(got))
	}
	if got := w.do("ik_1", "GET /things/x"); got.Status != 200 || got.Replayed != "" {
		t.Errorf("a read with a used key: %s", said(got))
	}
}

// A replay is answered in the version it was first answered in, with what was
// expanded then.
func TestReplayKeepsVersionAndExpansion(t *testing.T) {
	w := newWorld(t)
	w.do("", "POST /owners id=a")
	cmd := twin.Command{Actor: "key:1", API: "toy", Method: "POST", Path: "/things", Body: "id=x&owner=a&expand[]=owner", Idem: "ik_1", Version: "2"}
	again := cmd
	again.Version = "1"
	first, second := w.run(&cmd), w.run(&again)
	if second.Version != "2" || string(second.Body) != string(first.Body) || !strings.Contains(string(second.Body), `"owner":{`) {
		t.Errorf("version %s, %s", second.Version, second.Body)
	}
	third := cmd
	third.Version = "3"
	if got := said(w.run(&third)); got != "400 version 3" {
		t.Errorf("an unknown version: %s", got)
	}
}

// A key is the world's: whichever API key repeats a request, it is the same request.
func TestKeysOfAnotherCaller(t *testing.T) {
	w := newWorld(t)
	cmd := twin.Command{Actor: "key:1", API: "toy", Method: "POST", Path: "/owners", Body: "id=a", Idem: "ik_1"}
	again := cmd
	again.Actor = "key:2"
	first, second := w.run(&cmd), w.run(&again)
	if second.Replayed == "" || string(second.Body) != string(first.Body) {
		t.Errorf("replayed %q, %s", second.Replayed, second.Body)
	}
}

func TestAKeyTooLong(t *testing.T) {
	w := newWorld(t)
	if got := said(w.do(twin.IdemTooLong, "POST /things id=x")); got != "400 key too long" {
		t.Error(got)
	}
	if got := said(w.do("", "GET /things/x")); got != "404 no thing x" {
		t.Errorf("it was executed: %s", got)
	}
}

// Facts of the same commands are the same, key or no key, and fold to one state.
func TestKeysInFacts(t *testing.T) {
	w := newWorld(t)
	w.do("", "POST /things id=x")
	for _, line := range []string{"POST /things/x/fine name=a", "POST /things/x/keep name=b", "POST /things/x/refuse name=c"} {
		out := w.do("ik_"+line[len(line)-1:], line)
		last := string(out.Facts[len(out.Facts)-1])
		if !strings.HasPrefix(last, `["idem",`) {
			t.Errorf("%s: the last fact is %s", line, last)
		}
		if got := fmt.Sprint(w.machine.State.Counter("tries")); got == "3" {
			t.Errorf("%s: the refused try counts", line)
		}
	}
}
