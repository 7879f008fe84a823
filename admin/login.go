package admin

import (
	"slices"

	"worlds/projection"
)

// Login is what a client of the Zendesk twin calls it with: an address with a
// token, or a bearer's token. The tokens are shown once.
type Login struct {
	Email      string `json:"email"`
	APIToken   string `json:"api_token,omitempty"`
	OAuthToken string `json:"oauth_token,omitempty"`
}

// Labels of the keys that a login is made of, below the name of its API.
const (
	apiTokenLabel   = ":api_token"
	oauthTokenLabel = ":oauth_token"
)

// login makes the credentials of every API that has its own: who they stand for
// in the genesis, and what is recorded of them. The caller holds the registry.
func (s *Server) login(genesis *projection.State, asked Login, taken []keyRecord) (*Login, []keyRecord, error) {
	for _, c := range s.host.Catalogs() {
		if c.Wire.Login == nil {
			continue
		}
		asked.Email = c.Wire.Login(genesis)
		var records []keyRecord
		for _, want := range []struct {
			label  string
			secret *string
		}{{apiTokenLabel, &asked.APIToken}, {oauthTokenLabel, &asked.OAuthToken}} {
			if *want.secret == "" {
				*want.secret = newAPIToken()
			}
			if p := checkSecret(*want.secret); p != nil {
				return nil, nil, p.at("$.zendesk")
			}
			d := digest(*want.secret)
			_, used := s.registry.byKey[fingerprintOf(*want.secret)]
			if used || slices.ContainsFunc(slices.Concat(taken, records), func(k keyRecord) bool { return k.Digest == d }) {
				return nil, nil, problem(409, "secret-taken", "another key has the same secret").at("$.zendesk")
			}
			records = append(records, keyRecord{Label: c.Name + want.label, Digest: d, API: c.Name})
		}
		return &asked, records, nil
	}
	return nil, nil, nil
}
