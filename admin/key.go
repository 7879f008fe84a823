package admin

import "net/http"

type keyList struct {
	Keys []KeyInfo `json:"keys"`
}

func addKey(c *call) error {
	var req keyRequest
	if err := body(c, &req); err != nil {
		return err
	}
	k, err := c.s.addKey(c.entry, KeyInfo(req))
	if err != nil {
		return err
	}
	return reply(c, http.StatusCreated, &k)
}

func (s *Server) addKey(e *entry, k KeyInfo) (KeyInfo, error) {
	s.registry.changing.Lock()
	defer s.registry.changing.Unlock()
	if len(e.keys) >= keysMax {
		return k, problem(http.StatusConflict, "too-many-keys", "a world has at most %d keys", keysMax)
	}
	k, err := s.nameKey(e, k)
	if err != nil {
		return k, err
	}
	ch := change{Op: "key.add", World: int64(e.number), Keys: []keyRecord{{Label: k.Label, Digest: digest(k.Secret), Expires: k.ExpiresAfter}}}
	return k, s.record(&ch)
}

// ensureKey makes secret a key of the world, if it is not.
func (s *Server) ensureKey(e *entry, secret string) error {
	s.registry.mu.RLock()
	o, ok := s.registry.byKey[fingerprintOf(secret)]
	s.registry.mu.RUnlock()
	if ok && o.entry == e {
		return nil
	}
	_, err := s.addKey(e, KeyInfo{Secret: secret})
	return err
}

func listKeys(c *call) error {
	c.s.registry.mu.RLock()
	list := keyList{Keys: c.s.info(c.entry).Keys}
	c.s.registry.mu.RUnlock()
	return reply(c, http.StatusOK, &list)
}

func removeKey(c *call) error {
	label := c.path("label")
	c.s.registry.changing.Lock()
	defer c.s.registry.changing.Unlock()
	if !c.entry.hasLabel(label) {
		return problem(http.StatusNotFound, "no-such-key", "the world has no key %q", label)
	}
	ch := change{Op: "key.remove", World: int64(c.entry.number), Keys: []keyRecord{{Label: label}}}
	if err := c.s.record(&ch); err != nil {
		return err
	}
	return c.none()
}
