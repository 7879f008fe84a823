package testscripts_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestZones: the zone of the host has no say in what falls due. Two servers, one
// of them where clocks are turned on 8 March 2026, live through that month alike,
// and so do the command's --to and its answers.
func TestZones(t *testing.T) {
	const document = `{"name":"zones","version":1,"epoch":1772782200,"data":{"customers":[{"id":"cus_a"}],
		"products":[{"id":"prod_a","name":"A"}],"prices":[
		{"id":"price_2w","product":"prod_a","unit_amount":700,"recurring":{"interval":"week","interval_count":2}},
		{"id":"price_m","product":"prod_a","unit_amount":900,"recurring":{"interval":"month"}}],
		"subscriptions":[{"id":"sub_w","customer":"cus_a","price":"price_2w"},{"id":"sub_m","customer":"cus_a","price":"price_m"}]}}`
	ends := map[string]bool{}
	for _, zone := range []string{"UTC", "America/New_York"} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "seed.json"), []byte(document), 0o600); err != nil {
			t.Fatal(err)
		}
		env := append(os.Environ(), "TZ="+zone, "WORLDS_CONTEXT="+filepath.Join(dir, "context.json"))
		serve := exec.Command(filepath.Join(bin, "worlds"), "serve", "--data", filepath.Join(dir, "data"), "--listen", "127.0.0.1:0",
			"--seed", filepath.Join(dir, "seed.json"), "--json")
		serve.Env = env
		out, err := serve.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := serve.Start(); err != nil {
			t.Fatal(err)
		}
		stop := func() {
			_ = serve.Process.Signal(os.Interrupt)
			_ = serve.Wait()
		}
		var ready struct{ URL string }
		if err := json.NewDecoder(out).Decode(&ready); err != nil {
			stop()
			t.Fatal(err)
		}
		var told bytes.Buffer
		for _, args := range []string{"clock advance --to 2026-03-20", "clock advance --seconds 1339200", "clock show", "world dump --hash"} {
			cmd := exec.Command(filepath.Join(bin, "worlds"), strings.Fields(args)...)
			cmd.Env = env
			text, err := cmd.CombinedOutput()
			if err != nil {
				t.Errorf("TZ=%s worlds %s: %v %s", zone, args, err, text)
			}
			fmt.Fprintf(&told, "%s", text)
		}
		stop()
		ends[told.String()] = true
		if want := "2026-03-20T00:00:00Z (1773964800): 0 renewals, 0 events\n2026-04-04T12:00:00Z (1775304000): 2 renewals, 18 events"; !strings.HasPrefix(told.String(), want) {
			t.Errorf("TZ=%s:\n%s", zone, told.String())
		}
	}
	if len(ends) != 1 {
		t.Errorf("the zone shows: %v", ends)
	}
}
