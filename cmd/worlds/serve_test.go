package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.etcd.io/bbolt"
)

// running is a server in this process.
type running struct {
	readiness
	cancel context.CancelFunc
	ended  chan outcome
}

// start serves a folder on a free port and waits until it is ready.
func start(t *testing.T, dir string, args ...string) *running {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	read, write := io.Pipe()
	s := &running{cancel: cancel, ended: make(chan outcome, 1)}
	go func() {
		var stderr bytes.Buffer
		args := append([]string{"serve", "--json", "--data", dir, "--listen", "127.0.0.1:0"}, args...)
		code := runContext(ctx, args, strings.NewReader(""), write, &stderr)
		write.Close()
		s.ended <- outcome{code: code, stderr: stderr.String()}
	}()
	line, err := bufio.NewReader(read).ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &s.readiness)
	}
	if err != nil {
		t.Fatalf("not ready: %v %s %+v", err, line, <-s.ended)
	}
	t.Cleanup(func() { cancel() })
	return s
}

// stop ends the server as a signal would.
func (s *running) stop(t *testing.T) {
	t.Helper()
	s.cancel()
	if got := <-s.ended; got.code != exitDone {
		t.Fatalf("serve: %+v", got)
	}
}

// stripe sends a request to the Stripe twin and returns the status and the body.
func (s *running) stripe(t *testing.T, method, path, form string) (int, string) {
	t.Helper()
	req, err := http.NewRequest(method, s.URL+path, strings.NewReader(form))
	if err != nil {
		t.Fatal(err)
	}
	req.SetBasicAuth(s.Key, "")
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(body)
}

// customers makes n of them.
func (s *running) customers(t *testing.T, n int) {
	t.Helper()
	for i := range n {
		if code, body := s.stripe(t, "POST", "/v1/customers", fmt.Sprintf("name=Number+%d", i)); code != 200 {
			t.Fatalf("%d %s", code, body)
		}
	}
}

func TestServeReuse(t *testing.T) {
	clean(t)
	dir := filepath.Join(t.TempDir(), "data")
	first := start(t, dir, "--seed", "empty")
	if !first.Created || first.Name != defaultWorld || !strings.HasPrefix(first.Key, "sk_test_") {
		t.Fatalf("%+v", first.readiness)
	}
	first.customers(t, 2)
	hash := must(t, "world", "dump", "--hash")
	first.stop(t)
	second := start(t, dir, "--seed", "empty", "--durability", "relaxed")
	want := first.readiness
	want.URL, want.AdminURL, want.Created = second.URL, second.URL, false
	if second.readiness != want {
		t.Errorf("again: %+v, want %+v", second.readiness, want)
	}
	if got := must(t, "world", "dump", "--hash"); got != hash {
		t.Errorf("dump %s, want %s", got, hash)
	}
	second.stop(t)
	// Without the context file nobody knows the secrets; a new key is one more.
	t.Setenv(contextEnv, filepath.Join(t.TempDir(), "c.json"))
	third := start(t, dir, "--seed", "empty", "--key", "sk_test_chosen_by_me")
	if third.Created || third.AdminToken != "" || third.Key != "sk_test_chosen_by_me" {
		t.Errorf("without a memory: %+v", third.readiness)
	}
	if code, body := third.stripe(t, "GET", "/v1/customers", ""); code != 200 || strings.Count(body, `"cus_`) != 2 {
		t.Errorf("with the new key: %d %s", code, body)
	}
	third.stop(t)
}

// The current world stays so over a start of its own server; a start on another folder
// makes its world the current one.
func TestServeKeepsTheCurrentWorld(t *testing.T) {
	clean(t)
	dir := filepath.Join(t.TempDir(), "data")
	s := start(t, dir, "--seed", "empty")
	must(t, "world", "create", "--seed", "empty", "--name", "second")
	s.stop(t)
	s = start(t, dir, "--seed", "empty")
	if got := must(t, "world", "show"); !strings.Contains(got, "second") {
		t.Errorf("after a restart: %s", got)
	}
	s.stop(t)
	other := start(t, t.TempDir(), "--seed", "empty")
	other.stop(t)
	s = start(t, dir, "--seed", "empty")
	defer s.stop(t)
	if got := must(t, "world", "show"); !strings.Contains(got, defaultWorld) {
		t.Errorf("after another folder: %s", got)
	}
}

// After the current world is deleted no other is taken for it: verbs ask which, and
// speak to its server still.
func TestDeleteTheCurrentWorld(t *testing.T) {
	clean(t)
	s := start(t, t.TempDir(), "--seed", "empty")
	defer s.stop(t)
	must(t, "world", "create", "--seed", "empty", "--name", "second")
	if got := must(t, "world", "delete", "second"); !strings.Contains(got, "it was the current world; there is none now") {
		t.Error(got)
	}
	worlds(t, "world", "reset").refuses(t, exitUsage, s.URL, "which has default")
	if got := must(t, "world", "delete", "default"); strings.Contains(got, "current") {
		t.Error(got)
	}
	if got := must(t, "world", "list"); strings.Count(got, "\n") != 1 { // and not of whatever listens on the usual port
		t.Error(got)
	}
	worlds(t, "clock", "show").refuses(t, exitUsage, s.URL, "there is none")
	t.Setenv(contextEnv, filepath.Join(t.TempDir(), "fresh.json"))
	worlds(t, "clock", "show", "--url", s.URL).refuses(t, exitUsage, s.URL, "there is none")
}

// A key that a start gives to a world that is there is remembered as any other.
func TestServeRemembersAKey(t *testing.T) {
	clean(t)
	dir := t.TempDir()
	start(t, dir, "--seed", "empty").stop(t)
	for range 2 { // the second time it has the key
		s := start(t, dir, "--seed", "empty", "--key", "sk_test_chosen_by_me")
		if got := must(t, "key", "list", "--secrets"); strings.Count(got, "sk_test_chosen_by_me") != 1 || !strings.Contains(got, "key:2") {
			t.Error(got)
		}
		s.stop(t)
	}
}

// A context file that cannot be read costs the secrets, not the start.
func TestServeWithABrokenContextFile(t *testing.T) {
	clean(t)
	dir := t.TempDir()
	start(t, dir, "--seed", "empty").stop(t)
	if err := os.WriteFile(os.Getenv(contextEnv), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"--seed", "empty"}, nil} {
		ctx, cancel := context.WithCancel(t.Context())
		read, write := io.Pipe()
		var stderr bytes.Buffer
		ended := make(chan int, 1)
		go func() {
			args := append([]string{"serve", "--data", dir, "--listen", "127.0.0.1:0"}, args...)
			ended <- runContext(ctx, args, strings.NewReader(""), write, &stderr)
			write.Close()
		}()
		var text strings.Builder
		for in := bufio.NewReader(read); !strings.Contains(text.String(), "Ctrl-C"); {
			line, err := in.ReadString('\n')
			if err != nil {
				t.Fatal(err, text.String(), stderr.String())
			}
			text.WriteString(line)
		}
		cancel()
		if code := <-ended; code != exitDone || !strings.Contains(stderr.String(), os.Getenv(contextEnv)) {
			t.Errorf("%v: %d %s", args, code, stderr.String())
		}
	}
}

// A start that finds its port taken leaves no folder.
func TestServePortTakenLeavesNothing(t *testing.T) {
	clean(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	dir := filepath.Join(t.TempDir(), "data")
	worlds(t, "serve", "--data", dir, "--listen", l.Addr().String()).refuses(t, exitServer, "--listen")
	if _, err := os.Stat(dir); err == nil {
		t.Error("the folder is there")
	}
}

// What serve prints for people is enough to paste.
func TestServePaste(t *testing.T) {
	clean(t)
	ctx, cancel := context.WithCancel(t.Context())
	read, write := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		args := []string{"serve", "--seed", "empty", "--key", "sk_test_paste", "--data", t.TempDir(), "--listen", "127.0.0.1:0"}
		ended <- runContext(ctx, args, strings.NewReader(""), write, io.Discard)
		write.Close()
	}()
	var text strings.Builder
	for in := bufio.NewReader(read); !strings.Contains(text.String(), "Ctrl-C"); {
		line, err := in.ReadString('\n')
		if err != nil {
			t.Fatal(err, text.String())
		}
		text.WriteString(line)
	}
	for _, part := range []string{"base URL     http://127.0.0.1:", "API key      sk_test_paste", "admin token  wadm_", "curl -u sk_test_paste: 'http://127.0.0.1:",
		"new Stripe('sk_test_paste', {host: '127.0.0.1', port: ", "protocol: 'http'}", "stripe.NewClient(\"sk_test_paste\"", "stripe.api_base"} {
		if !strings.Contains(text.String(), part) {
			t.Errorf("no %q in:\n%s", part, text.String())
		}
	}
	cancel()
	if code := <-ended; code != exitDone {
		t.Error(code)
	}
}

// A server that ends lets the requests in flight finish, and takes no new ones.
func TestServeDrains(t *testing.T) {
	clean(t)
	s := start(t, t.TempDir(), "--seed", "empty")
	body, fill := io.Pipe()
	req, err := http.NewRequest("POST", s.URL+"/v1/customers", body)
	if err != nil {
		t.Fatal(err)
	}
	req.SetBasicAuth(s.Key, "")
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	answered := make(chan int, 1)
	go func() {
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Error(err)
			answered <- 0
			return
		}
		res.Body.Close()
		answered <- res.StatusCode
	}()
	io.WriteString(fill, "name=")
	address := strings.TrimPrefix(s.URL, "http://")
	time.Sleep(50 * time.Millisecond) // the server is in the request
	s.cancel()
	for deadline := time.Now().Add(5 * time.Second); ; {
		c, err := net.Dial("tcp", address)
		if err != nil {
			break
		}
		c.Close()
		if time.Now().After(deadline) {
			t.Fatal("it still takes connections")
		}
	}
	io.WriteString(fill, "Late")
	fill.Close()
	if code := <-answered; code != 200 {
		t.Errorf("the request in flight: %d", code)
	}
	if got := <-s.ended; got.code != exitDone {
		t.Errorf("%+v", got)
	}
}

func TestServeTwice(t *testing.T) {
	clean(t)
	dir := t.TempDir()
	s := start(t, dir, "--seed", "empty")
	began := time.Now()
	worlds(t, "serve", "--data", dir, "--listen", "127.0.0.1:0").refuses(t, exitServer, dir, "in use")
	worlds(t, "journal", "verify", "--data", dir).refuses(t, exitServer, dir, "in use")
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("two refusals took %s", took)
	}
	s.customers(t, 1) // the first is undisturbed
	address := strings.TrimPrefix(s.URL, "http://")
	worlds(t, "serve", "--data", t.TempDir(), "--listen", address).refuses(t, exitServer, "--listen "+address)
	s.stop(t)
}

// TestDamage: a folder that does not hold what it should is named, and stays as it
// is.
func TestDamage(t *testing.T) {
	clean(t)
	good := t.TempDir()
	s := start(t, good, "--seed", "empty")
	s.customers(t, 3)
	s.stop(t)
	for name, spoil := range map[string]func(path string) error{
		"empty":        func(path string) error { return os.Truncate(path, 0) },
		"a text":       func(path string) error { return os.WriteFile(path, []byte("hello\n"), 0o644) },
		"zeroed front": func(path string) error { return overwrite(path, make([]byte, 8192)) },
		"gone":         os.Remove,
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "data")
			if err := os.CopyFS(dir, os.DirFS(good)); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(dir, "journal.db")
			if err := spoil(path); err != nil {
				t.Fatal(err)
			}
			before, _ := os.ReadFile(path)
			for _, verb := range []string{"serve --listen 127.0.0.1:0", "journal verify", "journal cat", "journal export", "replay"} {
				worlds(t, append(strings.Fields(verb), "--data", dir)...).refuses(t, exitDamaged, path)
			}
			if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
				t.Error("the file was changed")
			}
		})
	}
}

// TestDataIsOnlyRead: what reads the folder of a stopped server leaves it as it is, also
// where a server was killed in it.
func TestDataIsOnlyRead(t *testing.T) {
	clean(t)
	dir := t.TempDir()
	s := start(t, dir, "--seed", "empty")
	s.customers(t, 3)
	killed := filepath.Join(t.TempDir(), "data")
	if err := os.CopyFS(killed, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	s.stop(t)
	for _, dir := range []string{dir, killed} {
		before := contents(t, dir)
		for _, verb := range []string{"journal verify", "journal cat", "journal export", "replay"} {
			must(t, append(strings.Fields(verb), "--data", dir)...)
		}
		if after := contents(t, dir); !maps.Equal(before, after) {
			t.Errorf("%s is changed", dir)
		}
	}
}

// contents are the files of a folder.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(dir, path))
		files[path] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func overwrite(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.Write(data)
	return err
}

// TestSignal ends a real process in order.
func TestSignal(t *testing.T) {
	clean(t)
	for _, sig := range []os.Signal{syscall.SIGINT, syscall.SIGTERM} {
		dir := t.TempDir()
		cmd := exec.Command(os.Args[0], "serve", "--json", "--seed", "empty", "--data", dir, "--listen", "127.0.0.1:0")
		cmd.Env = append(os.Environ(), asProgram+"=1")
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		stdout, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := bufio.NewReader(stdout).ReadBytes('\n'); err != nil {
			t.Fatal(err, stderr.String())
		}
		if err := cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err != nil || stderr.Len() > 0 {
			t.Errorf("%s: %v %s", sig, err, stderr.String())
		}
		if got := must(t, "journal", "verify", "--data", dir); !strings.Contains(got, "the chain holds") {
			t.Error(got)
		}
	}
}

// TestOneBadEntry: when one world's entry is changed on disk, the others serve, and
// the bad one answers an error that names it and the place.
func TestOneBadEntry(t *testing.T) {
	clean(t)
	for _, tampered := range []bool{false, true} { // with a checksum that is right again
		t.Run(fmt.Sprintf("tampered=%v", tampered), func(t *testing.T) {
			dir := t.TempDir()
			s := start(t, dir, "--seed", "empty")
			s.customers(t, 3)
			must(t, "world", "create", "--seed", "empty", "--name", "good")
			must(t, "mark", "m", "--world", "good")
			s.stop(t)
			changeEntry(t, filepath.Join(dir, "journal.db"), 1, 2, tampered)

			list := worlds(t, "journal", "verify", "--data", dir)
			want := exitDamaged
			if tampered {
				want = exitNo // the file is whole; the chain is not
			}
			if list.code != want || !strings.Contains(list.stdout, "(good): the chain holds, 1 entries") {
				t.Errorf("verify: %+v, want exit %d", list, want)
			}
			if both := list.stdout + list.stderr; !strings.Contains(both, s.World) || !strings.Contains(both, "2") {
				t.Errorf("verify does not name the world and the entry: %s", both)
			}
			s = start(t, dir, "--seed", "empty")
			defer s.stop(t)
			worlds(t, "world", "show", s.World).refuses(t, exitDamaged, "journal-damaged", "entry 2")
			if code, body := s.stripe(t, "GET", "/v1/customers", ""); code != 500 || !strings.Contains(body, "entry 2") {
				t.Errorf("the bad world: %d %s", code, body)
			}
			must(t, "replay", "good")
		})
	}
}

// changeEntry changes one byte of an entry on the shelf, see docs/format.md.
func changeEntry(t *testing.T, path string, world, seq uint64, again bool) {
	t.Helper()
	db, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	err = db.Update(func(tx *bbolt.Tx) error {
		b := tx.Bucket([]byte("entries"))
		for k, v := b.Cursor().First(); k != nil; {
			if binary.BigEndian.Uint64(k) == world && binary.BigEndian.Uint64(k[16:]) == seq {
				v = bytes.Clone(v)
				at := bytes.Index(v, []byte("name=Number"))
				v[at+len("name=")] = 'X'
				if again {
					sum := crc32.MakeTable(crc32.Castagnoli)
					binary.LittleEndian.PutUint32(v, crc32.Update(crc32.Checksum(k, sum), sum, v[4:]))
				}
				return b.Put(k, v)
			}
			k, v = b.Cursor().Seek(append(bytes.Clone(k), 0))
		}
		return fmt.Errorf("no entry %d of world %d", seq, world)
	})
	if err != nil {
		t.Fatal(err)
	}
}
