package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// client speaks the admin API of one server.
type client struct {
	base  string // without a slash at the end
	token string
	http  *http.Client
	// elsewhere is the server to which the context file's token of the world belongs, if
	// it is not this one.
	elsewhere string
}

// dialTimeout bounds how long a server may take to accept a connection. Answers
// may take as long as the work does.
const dialTimeout = 5 * time.Second

// answerBytesMax bounds a JSON answer that is read whole.
const answerBytesMax = 1 << 30

func newClient(base, token string) (*client, error) {
	u, err := url.Parse(base)
	if err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil || u.RawQuery+u.Fragment != "" {
		return nil, usage("--url %q: want http://host:port", base)
	}
	if strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, usage("--token: it has only visible ASCII characters")
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.DialContext = (&net.Dialer{Timeout: dialTimeout}).DialContext
	return &client{base: strings.TrimRight(base, "/"), token: token, http: &http.Client{
		Transport: transport,
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		},
	}}, nil
}

// problem is a refusal by the server, an RFC 9457 document.
type problem struct {
	Status int    `json:"status"`
	Code   string `json:"code"`
	Title  string `json:"title"`
	Detail string `json:"detail"`
	Path   string `json:"path"`
}

// Error says what the server said.
func (p *problem) Error() string {
	text := p.Detail
	if text == "" {
		text = p.Title
	}
	if p.Path != "" && !strings.HasPrefix(text, p.Path+": ") {
		text = p.Path + ": " + text
	}
	return fmt.Sprintf("the server refused (%d %s): %s", p.Status, p.Code, text)
}

// do sends a request and returns the response of a success; every other answer is
// an error, a *problem where it is one.
func (c *client) do(ctx context.Context, method, path string, in any) (*http.Response, error) {
	return c.send(ctx, method, path, "application/json", in)
}

// stream is do for an answer that comes as server-sent events.
func (c *client) stream(ctx context.Context, method, path string, in any) (*http.Response, error) {
	return c.send(ctx, method, path, "text/event-stream", in)
}

func (c *client) send(ctx context.Context, method, path, accept string, in any) (*http.Response, error) {
	if in == nil {
		return c.sendBody(ctx, method, path, accept, "", nil)
	}
	raw, err := json.Marshal(in)
	if err != nil {
		return nil, err
	}
	return c.sendBody(ctx, method, path, accept, "application/json", bytes.NewReader(raw))
}

func (c *client) sendBody(ctx context.Context, method, path, accept, media string, body io.Reader) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, body)
	if err != nil {
		return nil, usage("--url: %w", err)
	}
	if media != "" {
		req.Header.Set("Content-Type", media)
	}
	req.Header.Set("Accept", accept)
	if c.token != "" {
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	res, err := c.http.Do(req)
	if err != nil {
		var inner *url.Error
		if errors.As(err, &inner) {
			err = inner.Err
		}
		var untrusted *tls.CertificateVerificationError
		if errors.As(err, &untrusted) {
			return nil, coded(exitServer, fmt.Errorf("%s: %w (SSL_CERT_FILE names a file of certificates to trust)", c.base, err))
		}
		return nil, coded(exitServer, fmt.Errorf("no answer from %s: %w (is it running? worlds serve)", c.base, err))
	}
	if res.StatusCode/100 == 2 {
		return res, nil
	}
	defer func() { _ = res.Body.Close() }()
	return nil, c.refusal(res)
}

func (c *client) refusal(res *http.Response) error {
	media, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	if media == "application/problem+json" {
		p := &problem{}
		if err := json.NewDecoder(io.LimitReader(res.Body, answerBytesMax)).Decode(p); err == nil {
			p.Status = res.StatusCode
			if p.Status == http.StatusUnauthorized && c.elsewhere != "" {
				p.Detail += "; the context file has one, for " + c.elsewhere + " and no other address"
			}
			return p
		}
	}
	return coded(exitServer, fmt.Errorf("%s answered %s in %q: not the admin API of a worlds server", c.base, res.Status, media))
}

// call sends a request with a JSON body, if in is not nil, and reads the answer
// into out, if that is not nil.
func (c *client) call(ctx context.Context, method, path string, in, out any) error {
	res, err := c.do(ctx, method, path, in)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	if out == nil {
		return nil
	}
	if err := json.NewDecoder(io.LimitReader(res.Body, answerBytesMax)).Decode(out); err != nil {
		return coded(exitServer, fmt.Errorf("%s%s: the answer cannot be read: %w", c.base, path, err))
	}
	return nil
}

// upload posts a body as it is and reads the answer into out.
func (c *client) upload(ctx context.Context, path, media string, body io.Reader, out any) error {
	res, err := c.sendBody(ctx, http.MethodPost, path, "application/json", media, body)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	if err := json.NewDecoder(io.LimitReader(res.Body, answerBytesMax)).Decode(out); err != nil {
		return coded(exitServer, fmt.Errorf("%s%s: the answer cannot be read: %w", c.base, path, err))
	}
	return nil
}

func (c *client) get(ctx context.Context, path string, out any) error {
	return c.call(ctx, http.MethodGet, path, nil, out)
}

func (c *client) post(ctx context.Context, path string, in, out any) error {
	return c.call(ctx, http.MethodPost, path, in, out)
}

// Codes of problems that have an exit code of their own.
const (
	codeVersion      = "version-refused"
	codeDamaged      = "journal-damaged"
	codeInvalidSeed  = "invalid-seed"
	codeUnservedSeed = "seed-unserved"
)
