package server

import (
	"net/http"
	"time"
)

// Deadlines of connections. Bodies have one by progress (see patient), and an
// answer may take as long as its work does: moving a clock over a year is one
// request.
const (
	headerWithin = 10 * time.Second
	idleWithin   = 2 * time.Minute
	largestHead  = 64 << 10 // bytes
)

// NewHTTPServer returns a server for handler with the deadlines of a public port.
func NewHTTPServer(addr string, handler http.Handler) *http.Server {
	return &http.Server{
		Addr:              addr,
		Handler:           handler,
		ReadHeaderTimeout: headerWithin,
		IdleTimeout:       idleWithin,
		MaxHeaderBytes:    largestHead,
	}
}
