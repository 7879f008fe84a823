package stripe_test

import (
	"testing"

	"worlds/seed"
	"worlds/testscripts/invariant"
	"worlds/twin"
)

// The books of every library seed are right, when it is loaded and after two months.
func TestLibraryBooks(t *testing.T) {
	for _, name := range seed.Names() {
		t.Run(name, func(t *testing.T) {
			s, err := seed.Lookup(name)
			if err != nil {
				t.Fatal(err)
			}
			days := int64(65)
			if len(s.Document.Data.Customers) > 500 {
				days = 3
			}
			m := freshMachine(t, s)
			if faults := invariant.Objects(m.State); len(faults) > 0 {
				t.Fatalf("loaded: %v", faults)
			}
			out := m.Execute(1, &twin.Command{Actor: "admin", Op: "advance", Args: twin.AdvanceBy(days * 86400)})
			if out.Status != 200 {
				t.Fatalf("%s", out.Body)
			}
			if faults := invariant.Objects(m.State); len(faults) > 0 {
				t.Errorf("later: %v", faults)
			}
		})
	}
}
