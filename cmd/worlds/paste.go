package main

import (
	"net/url"
	"strings"
	"text/template"

	"worlds/admin"
)

// paste is what a person needs to let an agent work in a world.
type paste struct {
	URL, World, AdminToken, Key string
	Desk                        *admin.Login // of the help desk; nil when not known
}

// Host, Port and Protocol are what stripe-node takes in place of a URL.
func (p *paste) Host() string     { return p.part((*url.URL).Hostname) }
func (p *paste) Port() string     { return p.part((*url.URL).Port) }
func (p *paste) Protocol() string { return p.part(func(u *url.URL) string { return u.Scheme }) }

func (p *paste) part(of func(*url.URL) string) string {
	u, err := url.Parse(p.URL)
	if err != nil {
		return ""
	}
	return of(u)
}

var pasteTemplate = template.Must(template.New("paste").Parse(strings.TrimLeft(`
base URL     {{.URL}}
API key      {{with .Key}}{{.}}{{else}}(not remembered; make one: worlds key add --world {{$.World}}){{end}}
admin token  {{with .AdminToken}}{{.}}{{else}}(not remembered){{end}}
{{with .Desk}}{{if .APIToken}}help desk    {{.Email}} with the token {{.APIToken}}
{{end}}{{end}}{{if .Key}}
curl           curl -u {{.Key}}: '{{.URL}}/v1/customers?limit=3'
stripe-node    new Stripe('{{.Key}}', {host: '{{.Host}}', port: {{.Port}}, protocol: '{{.Protocol}}'})
stripe-go      stripe.NewClient("{{.Key}}", stripe.WithBackends(stripe.NewBackendsWithConfig(
                   &stripe.BackendConfig{URL: stripe.String("{{.URL}}")})))
stripe-python  stripe.api_key, stripe.api_base = "{{.Key}}", "{{.URL}}"
{{with .Desk}}{{if .APIToken}}node-zendesk   createClient({username: '{{.Email}}', token: '{{.APIToken}}', endpointUri: '{{$.URL}}/api/v2'})
{{end}}{{end}}{{end}}`, "\n")))

func printPaste(t *terminal, p *paste) error { return pasteTemplate.Execute(t.out, p) }
