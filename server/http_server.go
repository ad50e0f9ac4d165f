package server

import (
	"net/http"
	"time"

	"github.com/labstack/echo/v4"
)

// Deadlines of connections. Bodies have one by progress (see timedBody). An answer
// may take as long as its work does, since moving a clock over a year is one
// request; from its first byte on it has one too.
const (
	headerWithin = 10 * time.Second
	answerWithin = time.Minute
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

// writeDeadline gives up an answer that the client does not take.
func writeDeadline(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		conn := http.NewResponseController(c.Response().Writer)
		c.Response().Before(func() {
			_ = conn.SetWriteDeadline(time.Now().Add(answerWithin)) // unsupported outside a real connection
		})
		return next(c)
	}
}
