package main

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// certified makes a certificate of 127.0.0.1 and returns its files and who trusts
// it.
func certified(t *testing.T) (cert, key string, trust *http.Client) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	public, err := x509.CreateCertificate(rand.Reader, &template, &template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for path, block := range map[string]pem.Block{cert: {Type: "CERTIFICATE", Bytes: public}, key: {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(&block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	known, err := x509.ParseCertificate(public)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(known)
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}
	t.Cleanup(transport.CloseIdleConnections)
	return cert, key, &http.Client{Transport: transport}
}

func fetched(t *testing.T, c *http.Client, url, key string) (status int, body string) {
	t.Helper()
	req, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+key)
	res, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(text)
}

func TestServeTLS(t *testing.T) {
	clean(t)
	cert, key, client := certified(t)
	s := start(t, t.TempDir(), "--seed", "saas-billing-small", "--tls-cert", cert, "--tls-key", key)
	if !strings.HasPrefix(s.URL, "https://127.0.0.1:") {
		t.Fatalf("it serves at %s", s.URL)
	}
	if status, body := fetched(t, client, s.URL+"/v1/customers?limit=1", s.Key); status != 200 || !strings.Contains(body, "cus_seed") {
		t.Errorf("%d %s", status, body)
	}
	if status, body := fetched(t, client, s.URL+"/admin/worlds", ""); status != 200 || !strings.Contains(body, s.World) {
		t.Errorf("%d %s", status, body)
	}
	if status, body := fetched(t, client, s.URL+"/api/v2/users/me.json", s.Zendesk.OAuthToken); status != 200 || !strings.Contains(body, `"url":"`+s.URL+`/api/v2/users/`) {
		t.Errorf("%d %s", status, body)
	}
	if res, err := http.Get(s.URL + "/v1/customers"); err == nil {
		res.Body.Close()
		t.Error("a client that does not know the certificate was answered")
	}
	s.stop(t)
	for _, args := range [][]string{{"--tls-cert", cert}, {"--tls-key", key}, {"--tls-cert", cert, "--tls-key", cert}} {
		got := worlds(t, append([]string{"serve", "--data", t.TempDir(), "--listen", "127.0.0.1:0"}, args...)...)
		if got.code != exitUsage || !strings.Contains(got.stderr, "--tls-cert") {
			t.Errorf("%v: %+v", args, got)
		}
	}
}

func TestServeAdminElsewhere(t *testing.T) {
	clean(t)
	s := start(t, t.TempDir(), "--seed", "saas-billing-small", "--admin-listen", "127.0.0.1:0")
	if s.URL == s.AdminURL {
		t.Fatalf("both are at %s", s.URL)
	}
	for _, row := range []struct {
		url, key string
		status   int
	}{
		{s.URL + "/v1/customers", s.Key, 200},
		{s.URL + "/admin/worlds", "", 404},
		{s.URL + "/metrics", "", 404},
		{s.AdminURL + "/admin/worlds", "", 200},
		{s.AdminURL + "/healthz", "", 200},
		{s.AdminURL + "/v1/customers", s.Key, 404},
	} {
		if status, body := fetched(t, http.DefaultClient, row.url, row.key); status != row.status {
			t.Errorf("%s: %d %s", row.url, status, body)
		}
	}
	if got := must(t, "world", "show"); !strings.Contains(got, s.World) { // by the address in the context file
		t.Errorf("world show: %s", got)
	}
	s.stop(t)
	got := worlds(t, "serve", "--data", t.TempDir(), "--listen", "127.0.0.1:0", "--admin-listen", "0.0.0.0:0")
	if got.code != exitUsage || !strings.Contains(got.stderr, "--root-token") {
		t.Errorf("an admin API that others can reach: %+v", got)
	}
}

// A folder that has worlds is served with a list of them.
func TestServeLists(t *testing.T) {
	clean(t)
	dir := t.TempDir()
	s := start(t, dir, "--seed", "saas-billing-small")
	s.stop(t)
	read, write := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan int, 1)
	go func() {
		var stderr bytes.Buffer
		ended <- runContext(ctx, []string{"serve", "--data", dir, "--listen", "127.0.0.1:0"}, strings.NewReader(""), write, &stderr)
		write.Close()
	}()
	var text strings.Builder
	buf := make([]byte, 4096)
	for !strings.Contains(text.String(), "Ctrl-C") {
		n, err := read.Read(buf)
		if err != nil {
			t.Fatalf("%v after %s", err, text.String())
		}
		text.Write(buf[:n])
	}
	cancel()
	<-ended
	for _, want := range []string{s.World, "default", "saas-billing-small", s.Key, "worlds key add"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %s in\n%s", want, text.String())
		}
	}
}
