//go:build mutant

package mutant_test

import (
	"os"
	"os/exec"
	"testing"

	"worlds/journal/mutant"
)

func TestSet(t *testing.T) {
	defer mutant.Set("")
	mutant.Set("lost-update")
	if !mutant.Is("lost-update") || mutant.Is("early-publish") || mutant.Reached() != 1 {
		t.Error("not just the one that was set is on, or its site was not counted")
	}
	mutant.Set("")
	if mutant.Is("lost-update") || mutant.Reached() != 0 {
		t.Error("it is still on")
	}
	defer func() {
		if recover() == nil {
			t.Error("a mutant that is not in the catalog was set")
		}
	}()
	mutant.Set("no-such-bug")
}

// TestInherit: a process of its own is told by its environment.
func TestInherit(t *testing.T) {
	const name = "early-publish"
	if os.Getenv(mutant.Variable) == name {
		if !mutant.Is(name) || mutant.Is("lost-update") {
			t.Error("not just the one that the environment names is on")
		}
		return
	}
	child := exec.Command(os.Args[0], "-test.run=^TestInherit$")
	child.Env = append(os.Environ(), mutant.Variable+"="+name)
	if out, err := child.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}
