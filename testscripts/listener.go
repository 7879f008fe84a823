package testscripts

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"worlds/journal/canon"
)

// Listener is an HTTP server that takes deliveries and answers them as it was
// told: the n-th with the n-th word, later ones with the last.
type Listener struct {
	URL    string
	server *http.Server
	done   chan struct{}

	mu    sync.Mutex
	words []string
	got   []Received
	seen  int // of got, shown so far
}

// Received is one delivery as it came.
type Received struct {
	ID, Type  string
	Path      string
	Signature string
	Length    int64 // what the header said
	Body      []byte
}

// The words a listener may be told, beside a status in three digits.
const (
	AnswerHang    = "hang"    // no answer at all
	AnswerEndless = "endless" // 200, then bytes for ever
	AnswerBig     = "big"     // 200, then 300 MB
	AnswerReset   = "reset"   // the connection is cut
	AnswerGarbage = "garbage" // something that is not HTTP
	AnswerDown    = "down"    // nobody listens; only of a listener that is on no network
)

var answers = []string{AnswerHang, AnswerEndless, AnswerBig, AnswerReset, AnswerGarbage}

// StartListener listens on a free port of 127.0.0.1.
func StartListener(words ...string) (*Listener, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	h := &Listener{URL: "http://" + l.Addr().String() + "/hook", words: words, done: make(chan struct{})}
	h.server = &http.Server{Handler: h, ReadHeaderTimeout: time.Minute}
	go func() {
		_ = h.server.Serve(l) // until Close
		close(h.done)
	}()
	return h, nil
}

// NewListener returns a Listener that is on no network: deliveries come by RoundTrip.
func NewListener(url string, words ...string) *Listener {
	return &Listener{URL: url, words: words}
}

// RoundTrip takes a delivery and answers it as it was told, at once: who would keep
// the sender waiting lets its time be over. It implements http.RoundTripper.
func (h *Listener) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	switch word := h.take(r, body); word {
	case AnswerHang:
		return nil, context.DeadlineExceeded
	case AnswerReset:
		return nil, syscall.ECONNRESET
	case AnswerDown:
		return nil, syscall.ECONNREFUSED
	case AnswerGarbage:
		return nil, errors.New("malformed HTTP response")
	case AnswerEndless, AnswerBig:
		return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody, Request: r}, nil
	default:
		status, err := strconv.Atoi(word)
		return &http.Response{StatusCode: status, Header: http.Header{}, Body: http.NoBody, Request: r}, err
	}
}

// Close ends the listener and its connections.
func (h *Listener) Close() {
	if h.server == nil {
		return
	}
	_ = h.server.Close() // nothing of it is needed any more
	<-h.done
}

// Answer tells the listener how to answer from now on.
func (h *Listener) Answer(words ...string) error {
	for _, w := range words {
		switch {
		case w == AnswerDown && h.server == nil:
		case slices.Contains(answers, w):
		default:
			if n, err := strconv.Atoi(w); err != nil || n < 200 || n > 599 {
				return fmt.Errorf("a listener answers with a status or hang, endless, big, reset, garbage; not %q", w)
			}
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.words = words
	return nil
}

// Received lists what came so far.
func (h *Listener) Received() []Received {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]Received(nil), h.got...)
}

// Unseen lists what came since the last call.
func (h *Listener) Unseen() []Received {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := append([]Received(nil), h.got[h.seen:]...)
	h.seen = len(h.got)
	return out
}

// take notes a delivery and returns the word for it.
func (h *Listener) take(r *http.Request, body []byte) string {
	got := Received{Path: r.URL.Path, Signature: r.Header.Get("Stripe-Signature"), Length: r.ContentLength, Body: body}
	if event, err := canon.Canonicalize(quoteDecimals(body)); err == nil {
		got.ID, _ = member(event, ".id")
		got.Type, _ = member(event, ".type")
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.got = append(h.got, got)
	if len(h.words) == 0 {
		return "200"
	}
	word := h.words[0]
	if len(h.words) > 1 {
		h.words = h.words[1:]
	}
	return word
}

// bigAnswerBytes is how much AnswerBig sends.
const bigAnswerBytes = 300 << 20

// ServeHTTP takes one delivery.
func (h *Listener) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	switch word := h.take(r, body); word {
	case AnswerHang:
		<-r.Context().Done()
		panic(http.ErrAbortHandler)
	case AnswerEndless:
		pour(w, r, -1)
	case AnswerBig:
		pour(w, r, bigAnswerBytes)
	case AnswerReset, AnswerGarbage:
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		if word == AnswerGarbage {
			_, _ = io.WriteString(conn, "220 mail.example ESMTP\r\n\r\n") // whatever becomes of it
		} else if tcp, ok := conn.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0)
		}
		_ = conn.Close()
	default:
		status, _ := strconv.Atoi(word)
		if status >= 300 && status < 400 {
			w.Header().Set("Location", strings.TrimSuffix(h.URL, "/hook")+"/final")
		}
		w.WriteHeader(status)
	}
}

// pour answers 200 and sends so many bytes; for ever, if total is below 0.
func pour(w http.ResponseWriter, r *http.Request, total int) {
	w.WriteHeader(http.StatusOK)
	chunk := make([]byte, 64<<10)
	for sent := 0; (total < 0 || sent < total) && r.Context().Err() == nil; sent += len(chunk) {
		if _, err := w.Write(chunk); err != nil {
			return
		}
	}
}
