package oracle

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
)

// The versions of stripe-mock whose documents describe the older shapes, and the
// API version that each is of.
const (
	MockBasil = "v0.195.0" // 2025-05-28.basil
	MockOld   = "v0.162.0" // 2022-11-15
)

// undeclaredOlder is what undeclared is, for the documents of older shapes alone:
// what live versions of that shape send beyond the document's own.
var undeclaredOlder = map[string]map[string]map[string]json.RawMessage{
	MockBasil: {
		// Since 2025-06-30.basil.
		"subscription": {"billing_mode": json.RawMessage(`{"type":"object","properties":{"type":{"type":"string","enum":["classic","flexible"]}},"required":["type"]}`)},
	},
	MockOld: {
		// The older view of a price, which Stripe's SDKs declare and its document hides.
		"line_item":   {"plan": nullablePlan},
		"invoiceitem": {"plan": nullablePlan},
	},
}

// The first versions of the newest shape and of the one before it.
const (
	firstClover = "2025-09-30"
	firstBasil  = "2025-03-31"
)

var (
	basil = sync.OnceValues(func() (*Oracle, error) { return Older(MockBasil) })
	old   = sync.OnceValues(func() (*Oracle, error) { return Older(MockOld) })
)

// Of is the judge of a version's shape, "" being the account's. An error means that
// the document cannot be had.
func Of(version string) (*Oracle, error) {
	switch {
	case version == "" || version >= firstClover:
		return Default(), nil
	case version >= firstBasil:
		return basil()
	}
	return old()
}

// Older reads the document of another version of stripe-mock out of the module
// cache, having it downloaded when it is not there. An error means that it cannot
// be had.
func Older(mock string) (*Oracle, error) {
	spec, err := Document(mock)
	if err != nil {
		return nil, err
	}
	return read(spec, undeclaredOlder[mock])
}

// Document is the OpenAPI document of another version of stripe-mock, from the module
// cache. An error means that it cannot be had.
func Document(mock string) ([]byte, error) {
	out, err := exec.Command("go", "mod", "download", "-json", "github.com/stripe/stripe-mock@"+mock).Output()
	if err != nil {
		return nil, fmt.Errorf("oracle: stripe-mock %s: %w", mock, err)
	}
	var module struct{ Dir string }
	if err := json.Unmarshal(out, &module); err != nil {
		return nil, fmt.Errorf("oracle: stripe-mock %s: %w", mock, err)
	}
	spec, err := os.ReadFile(filepath.Join(module.Dir, "embedded", "openapi", "spec3.json"))
	if err != nil {
		return nil, fmt.Errorf("oracle: stripe-mock %s: %w", mock, err)
	}
	return spec, nil
}
