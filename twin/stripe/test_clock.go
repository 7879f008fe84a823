package stripe

import (
	"worlds/journal/canon"
	"worlds/projection"
	"worlds/seed"
	"worlds/twin"
)

// TestClock is an agent's handle on the world's clock: every test clock shows
// it, and advancing one advances the world. A world has them only where its
// seed says so.
type TestClock struct {
	Created       twin.Time          `json:"created"`
	DeletesAfter  twin.Time          `json:"deletes_after"`
	FrozenTime    twin.Time          `json:"frozen_time"`
	ID            string             `json:"id"`
	Livemode      bool               `json:"livemode"`
	Name          *string            `json:"name"`
	Object        string             `json:"object"`
	Status        string             `json:"status"`
	StatusDetails clockStatusDetails `json:"status_details"`
}

// clockStatusDetails say where an advancing clock is going.
type clockStatusDetails struct {
	Advancing canon.Raw `json:"advancing,omitempty"`
}

// The statuses of a test clock.
const (
	clockReady     = "ready"
	clockAdvancing = "advancing"
)

// clockLife is how long a test clock is kept, in days; the twin keeps it for as
// long as the world.
const clockLife = 30

var testClocks = twin.Resource[TestClock]{
	Kind: twin.Kind{Table: "stripe.test_clock", Object: "test_helpers.test_clock", Prefix: "clock", Digits: 24},
	Key:  func(k *TestClock) string { return k.ID },
	Due: func(k *TestClock) int64 {
		if k.Status == clockAdvancing {
			return int64(k.FrozenTime)
		}
		return 0
	},
}

func testClockAPI() twin.API {
	return twin.API{
		Kind: testClocks.Kind,
		Routes: []twin.Route{
			twin.On("POST /v1/test_helpers/test_clocks", createTestClock),
			twin.On("GET /v1/test_helpers/test_clocks", listTestClocks),
			twin.On("GET /v1/test_helpers/test_clocks/{test_clock}", retrieveTestClock),
			twin.On("DELETE /v1/test_helpers/test_clocks/{test_clock}", deleteTestClock),
			twin.On("POST /v1/test_helpers/test_clocks/{test_clock}/advance", advanceTestClock),
		},
		Fire: fireTestClock,
	}
}

// clockNoun is what a test clock is called in a refusal.
const clockNoun = "test_clock"

type createTestClockParams struct {
	FrozenTime twin.Opt[twin.Time] `param:"frozen_time" rule:"required,min=0,max=253402300799"`
	Name       twin.Opt[string]    `param:"name" rule:"len=300"`
}

func createTestClock(tx *twin.Tx, p *createTestClockParams) (twin.Doc, *twin.Error) {
	if !tx.Spec().TestClocks {
		return twin.Doc{}, errClocksOff()
	}
	now := tx.Now()
	if p.FrozenTime.V != now {
		return twin.Doc{}, errFrozenTime(now)
	}
	k := &TestClock{
		ID: testClocks.NewID(tx), Object: testClocks.Object, Created: now, FrozenTime: now,
		DeletesAfter: now + clockLife*daySeconds, Status: clockReady,
	}
	p.Name.Apply(&k.Name)
	doc := testClocks.Put(tx, k)
	tx.Emit("test_helpers.test_clock.created", doc, nil)
	return doc, nil
}

type listTestClocksParams struct{ page }

func listTestClocks(tx *twin.Tx, p *listTestClocksParams) (twin.Doc, *twin.Error) {
	if !tx.Spec().TestClocks {
		return twin.Doc{}, errClocksOff()
	}
	f := filter{show: func(row *projection.Row) canon.Raw { return showClock(tx, row.Body) }}
	return list(tx, testClocks.Kind, clockNoun, "/v1/test_helpers/test_clocks", p.page, f)
}

type testClockPath struct {
	TestClock string `path:"test_clock"`
}

// clock finds a test clock, as a copy to change.
func clock(tx *twin.Tx, id string) (*TestClock, *twin.Error) {
	if !tx.Spec().TestClocks {
		return nil, errClocksOff()
	}
	k, ok := testClocks.Get(tx, id)
	if !ok {
		return nil, errNoSuch(clockNoun, "test_clock", id)
	}
	return k, nil
}

// knownClock refuses a reference to a test clock that there is not.
func knownClock(tx *twin.Tx, id twin.Opt[string]) *twin.Error {
	return known(tx, testClocks.Kind, "test_clock", id)
}

func retrieveTestClock(tx *twin.Tx, p *testClockPath) (twin.Doc, *twin.Error) {
	k, err := clock(tx, p.TestClock)
	if err != nil {
		return twin.Doc{}, err
	}
	return k.show(tx), nil
}

// show is the clock as it stands: one that is ready shows the world's time.
func (k *TestClock) show(tx *twin.Tx) twin.Doc {
	if k.Status == clockReady {
		k.FrozenTime = tx.Now()
	}
	return twin.Doc{Body: canon.Marshal(k)}
}

// showClock is a stored test clock as it stands.
func showClock(tx *twin.Tx, stored canon.Raw) canon.Raw {
	var k TestClock
	if err := canon.Unmarshal(stored, &k); err != nil {
		panic("stripe: test clock: " + err.Error())
	}
	return k.show(tx).Body
}

// showClockOf expands the test_clock of an object.
func showClockOf(tx *twin.Tx, of canon.Raw) canon.Raw {
	raw, _ := canon.Get(of, "test_clock")
	id, _ := canon.Unquote(raw)
	if doc, ok := testClocks.Doc(tx, id); ok {
		return showClock(tx, doc.Body)
	}
	return raw
}

// deleteTestClock takes the customers along that were made on the clock.
func deleteTestClock(tx *twin.Tx, p *testClockPath) (twin.Doc, *twin.Error) {
	k, err := clock(tx, p.TestClock)
	if err != nil {
		return twin.Doc{}, err
	}
	var held []*Customer
	for c := range customers.With(tx, "test_clock="+k.ID) {
		held = append(held, c)
	}
	for _, c := range held {
		removeCustomer(tx, c)
	}
	tx.Emit("test_helpers.test_clock.deleted", k.show(tx), nil)
	testClocks.Delete(tx, k.ID)
	return twin.Doc{Body: deletedStub(k.ID, testClocks.Object)}, nil
}

type advanceTestClockParams struct {
	TestClock  string              `path:"test_clock"`
	FrozenTime twin.Opt[twin.Time] `param:"frozen_time" rule:"required,min=0,max=253402300799"`
}

// advanceTestClock moves the world's clock within the request: when it is
// answered, everything that fell due has happened, unless there was more than
// one advance does; the clock is then still advancing, and the next one goes on.
func advanceTestClock(tx *twin.Tx, p *advanceTestClockParams) (twin.Doc, *twin.Error) {
	k, err := clock(tx, p.TestClock)
	if err != nil {
		return twin.Doc{}, err
	}
	to := p.FrozenTime.V
	if to <= tx.Now() {
		return twin.Doc{}, errClockBack()
	}
	if limit := k.limit(tx); to > limit {
		return twin.Doc{}, errClockFar(limit)
	}
	k.Status, k.FrozenTime = clockAdvancing, tx.Now()
	k.StatusDetails.Advancing = append(canon.AppendInt([]byte(`{"target_frozen_time":`), int64(to)), '}')
	tx.Emit("test_helpers.test_clock.advancing", twin.Doc{Body: canon.Marshal(k)}, nil)
	done, fault := tx.Advance(to)
	if fault != nil {
		return twin.Doc{}, errClockRefused(fault)
	}
	k.FrozenTime = to
	if done.Pending > 0 {
		return testClocks.Put(tx, k), nil
	}
	return k.ready(tx), nil
}

// ready ends an advance.
func (k *TestClock) ready(tx *twin.Tx) twin.Doc {
	k.Status, k.StatusDetails.Advancing = clockReady, nil
	doc := testClocks.Put(tx, k)
	tx.Emit("test_helpers.test_clock.ready", doc, nil)
	return doc
}

func fireTestClock(tx *twin.Tx, id string) error {
	k, _ := testClocks.Get(tx, id)
	k.ready(tx)
	return nil
}

// limit is how far the clock may go at once: two of the shortest intervals of
// the subscriptions of its customers, or two years.
func (k *TestClock) limit(tx *twin.Tx) twin.Time {
	now := int64(tx.Now())
	yearly := seed.Recurring{Interval: "year", IntervalCount: 1}
	limit := yearly.Boundary(now, 2)
	for c := range customers.With(tx, "test_clock="+k.ID) {
		for s := range subscriptions.With(tx, "customer="+c.ID) {
			if !s.ended() {
				limit = min(limit, rhythm(&s.Items.Data[0].Price).Boundary(now, 2))
			}
		}
	}
	return twin.Time(limit)
}
