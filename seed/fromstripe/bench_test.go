package fromstripe_test

import (
	"io"
	"net/http"
	"testing"
	"time"

	"worlds/seed/fromstripe"
)

// BenchmarkImport imports 2,000 customers and sets its time beside that of the same
// requests alone, sent one after the other and read to their end.
func BenchmarkImport(b *testing.B) {
	a, _ := serveNamed(b, "saas-billing-mid")
	var urls []string
	a.fail = func(_ int64, _ http.ResponseWriter, r *http.Request) bool {
		urls = append(urls, r.URL.String())
		return false
	}
	var calls int
	for b.Loop() {
		urls = urls[:0]
		calls = a.read(b, unlimited, fromstripe.Options{}).Calls
	}
	imports := b.Elapsed() / time.Duration(b.N)
	a.fail = nil
	from := time.Now()
	for _, url := range urls {
		get(b, a.URL+url)
	}
	b.ReportMetric(float64(calls), "calls/op")
	b.ReportMetric(float64(imports)/float64(time.Since(from)), "ratio")
}

func get(b *testing.B, url string) {
	b.Helper()
	req, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		b.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+key)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		b.Fatal(err)
	}
	defer res.Body.Close()
	if _, err := io.Copy(io.Discard, res.Body); err != nil || res.StatusCode != http.StatusOK {
		b.Fatal(res.Status, err)
	}
}
