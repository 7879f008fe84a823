package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"worlds/admin"
)

// contextEnv names the context file in place of the usual one.
const contextEnv = "WORLDS_CONTEXT"

// contextFileMode keeps secrets to their owner.
const contextFileMode = 0o600

// remembered is the content of the context file: the worlds whose secrets this
// program was shown. Servers keep only hashes, so nothing else can print them.
type remembered struct {
	Current string       `json:"current,omitempty"` // id of the world that verbs are about when none is named
	Server  string       `json:"server,omitempty"`  // where the current world was, when it is deleted
	Worlds  []worldNotes `json:"worlds"`
}

// worldNotes are the secrets of one world.
type worldNotes struct {
	URL        string    `json:"url"`
	ID         string    `json:"id"`
	Name       string    `json:"name,omitempty"`
	AdminToken string    `json:"admin_token"`
	Keys       []keyPair `json:"keys"`

	Zendesk admin.Login `json:"zendesk,omitzero"`
}

// keyPair is one API key of a world.
type keyPair struct {
	Label  string `json:"label,omitempty"`
	Secret string `json:"secret,omitempty"`
}

// contextPath is where the context file lies.
func contextPath() (string, error) {
	if path := os.Getenv(contextEnv); path != "" {
		return path, nil
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("%s: %w", contextEnv, err)
	}
	return filepath.Join(dir, "worlds", "context.json"), nil
}

// recall reads the context file; none is an empty one.
func recall() (*remembered, error) {
	path, err := contextPath()
	if err != nil {
		return &remembered{}, nil // no home, nothing to remember
	}
	return readContext(path)
}

func readContext(path string) (*remembered, error) {
	r := &remembered{}
	src, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) || err == nil && len(src) == 0 { // /dev/null remembers nothing
		return r, nil
	}
	if err == nil {
		err = json.Unmarshal(src, r)
	}
	if err != nil {
		return nil, usage("context file %s: %w", path, err)
	}
	return r, nil
}

// remember changes the context file. Programs that do so at once wait for each
// other.
func remember(change func(*remembered)) error {
	path, err := contextPath()
	if err != nil {
		return err
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("context file: %w", err)
	}
	// The folder carries the lock: the file itself is replaced.
	lock, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("context file: %w", err)
	}
	defer func() { _ = lock.Close() }()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return fmt.Errorf("context file: lock %s: %w", dir, err)
	}
	r, err := readContext(path)
	if err != nil {
		return err
	}
	change(r)
	return writeFile(path, contextFileMode, func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		return enc.Encode(r)
	})
}

// find returns the notes of a world by id or name, nil if there are none. An empty
// ref means the current world, an empty url any server.
func (r *remembered) find(url, ref string) *worldNotes {
	if ref == "" {
		ref = r.Current
	}
	if ref == "" {
		return nil
	}
	for _, by := range []func(*worldNotes) string{
		func(n *worldNotes) string { return n.ID },
		func(n *worldNotes) string { return n.Name },
	} {
		// The newest first: names may come again, ids do not.
		for i := range slices.Backward(r.Worlds) {
			if n := &r.Worlds[i]; by(n) == ref && (url == "" || n.URL == url) {
				return n
			}
		}
	}
	return nil
}

// put adds the notes of a world, or replaces those with its id.
func (r *remembered) put(n worldNotes) {
	i := slices.IndexFunc(r.Worlds, func(old worldNotes) bool { return old.ID == n.ID })
	if i < 0 {
		r.Worlds = append(r.Worlds, n)
		return
	}
	r.Worlds[i] = n
}

// drop forgets a world. If it was the current one there is none after it, for what is
// done next should not happen to another: only its server is still the usual one.
func (r *remembered) drop(id string) {
	if r.Current == id {
		r.Server, r.Current = r.server(), ""
	}
	r.Worlds = slices.DeleteFunc(r.Worlds, func(n worldNotes) bool { return n.ID == id })
}

// server is the server that verbs speak to when none is named.
func (r *remembered) server() string {
	if n := r.find("", ""); n != nil {
		return n.URL
	}
	return cmp.Or(r.Server, defaultURL)
}

// key returns the secret under a label, "" if it is not known.
func (n *worldNotes) key(label string) string {
	for _, k := range n.Keys {
		if k.Label == label {
			return k.Secret
		}
	}
	return ""
}

// setKey notes a secret, or forgets it if it is empty.
func (n *worldNotes) setKey(label, secret string) {
	n.Keys = slices.DeleteFunc(n.Keys, func(k keyPair) bool { return k.Label == label })
	if secret != "" {
		n.Keys = append(n.Keys, keyPair{label, secret})
	}
}

// tryRecall is recall for verbs that can do without.
func tryRecall(t *terminal) *remembered {
	r, err := recall()
	if err != nil {
		t.say("worlds: the secrets are not recalled: %s", err)
		return &remembered{}
	}
	return r
}

// tryRemember is remember for verbs whose work is done: what cannot be noted is
// said, and no failure, for the secrets stand in the answer.
func tryRemember(t *terminal, change func(*remembered)) {
	if err := remember(change); err != nil {
		t.say("worlds: the secrets are not remembered: %s", err)
	}
}
