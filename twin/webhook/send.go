package webhook

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"syscall"
	"time"

	"worlds/twin"
)

// userAgent is who sends, as listeners of Stripe know it.
const userAgent = "Stripe/1.0 (+https://stripe.com/docs/webhooks)"

// Sender makes attempts to deliver.
type Sender struct{ client *http.Client }

// NewSender returns a Sender that goes where allow lets it. It follows no
// redirect, uses no proxy and keeps no connection.
func NewSender(allow Allow) *Sender {
	return &Sender{client: &http.Client{
		Transport: &http.Transport{
			DialContext:            allow.dial,
			DisableKeepAlives:      true,
			DisableCompression:     true,
			MaxResponseHeaderBytes: answerHeadBytesMax,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// NewSenderOver returns a Sender that hands every attempt to a transport, wherever it
// goes: for simulations, which have no network.
func NewSenderOver(transport http.RoundTripper) *Sender {
	return &Sender{client: &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Send posts body, which is at most AttemptTimeout on its way, and returns what
// came of it: the status of the answer, or one of twin's outcomes.
func (s *Sender) Send(ctx context.Context, url, signature string, body []byte) string {
	ctx, cancel := context.WithTimeout(ctx, AttemptTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return twin.OutcomeForbidden
	}
	req.Header = http.Header{
		"Content-Type":     {"application/json; charset=utf-8"},
		"User-Agent":       {userAgent},
		"Accept":           {"*/*"},
		"Stripe-Signature": {signature},
	}
	res, err := s.client.Do(req)
	if err != nil {
		return reason(ctx, err)
	}
	// The status decides. What follows is read only so that a short answer does not
	// end in a reset for its listener.
	timer := time.AfterFunc(answerWait, cancel)
	_, _ = io.CopyN(io.Discard, res.Body, answerBytesMax)
	timer.Stop()
	_ = res.Body.Close()
	if res.StatusCode < 100 || res.StatusCode > 599 {
		return twin.OutcomeGarbled
	}
	return strconv.Itoa(res.StatusCode)
}

// reason words why there was no answer.
func reason(ctx context.Context, err error) string {
	var dns *net.DNSError
	var timeout net.Error
	var record tls.RecordHeaderError
	var verify *tls.CertificateVerificationError
	var unknown x509.UnknownAuthorityError
	var alert tls.AlertError
	switch {
	case errors.Is(err, errForbidden):
		return twin.OutcomeForbidden
	case ctx.Err() != nil, errors.As(err, &timeout) && timeout.Timeout():
		return twin.OutcomeTimeout
	case errors.As(err, &dns):
		return twin.OutcomeDNS
	case errors.Is(err, syscall.ECONNREFUSED):
		return twin.OutcomeRefused
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return twin.OutcomeReset
	case errors.As(err, &record), errors.As(err, &verify), errors.As(err, &unknown), errors.As(err, &alert),
		strings.Contains(err.Error(), "HTTP response to HTTPS client"):
		return twin.OutcomeTLS
	case strings.Contains(err.Error(), "malformed"), strings.Contains(err.Error(), "exceeded"):
		return twin.OutcomeGarbled
	}
	return twin.OutcomeNetwork
}
