package serve

import (
	"net/http"

	"github.com/gorilla/mux"
)

// NewRouter returns a router that leaves paths as they come: no cleaning, no
// redirects.
func NewRouter() *mux.Router {
	return mux.NewRouter().SkipClean(true).StrictSlash(false)
}

// NewServer returns an http.Server with the shell's limits and timeouts. There is
// no write timeout: dumps and streams take as long as their reader.
func NewServer(h http.Handler) *http.Server {
	return &http.Server{
		Handler:           h,
		MaxHeaderBytes:    HeaderBytesMax,
		ReadHeaderTimeout: ReadHeaderTimeout,
		ReadTimeout:       ReadTimeout,
		IdleTimeout:       IdleTimeout,
		ConnContext:       withConn,
		// OPTIONS * is a request like any other.
		DisableGeneralOptionsHandler: true,
	}
}
