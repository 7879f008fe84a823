package serve

import (
	"bytes"
	"net/http"
)

// ReadPlain reads requests one after the other as a lane does, and returns the last;
// false when one of them is not plain.
func ReadPlain(requests ...[]byte) (*http.Request, []byte, bool) {
	l := &lane{request: &http.Request{}, plain: plain{prefixes: []string{"/v1/"}, header: http.Header{}}}
	var body []byte
	for _, in := range requests {
		head := bytes.Index(in, headEnd)
		if head < 0 || !l.plain.parse(in[:head]) || len(in)-head-len(headEnd) < l.plain.length {
			return nil, nil, false
		}
		body = in[head+len(headEnd):][:l.plain.length]
		l.ready(body)
	}
	return l.request, body, true
}
