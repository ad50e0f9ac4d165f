package server

import (
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"
)

// Deadlines of bodies.
const (
	stalledBody = 30 * time.Second // see Config.StalledBody
	slowestBody = 1 << 10          // bytes a second that a client must send beyond that time
	lingering   = time.Second      // for what is on its way after a refusal
)

// readDeadline gives each read of a body a deadline, also of one that nothing here reads:
// net/http itself reads on after the answer. A refusal that leaves a body unread closes the
// connection, since the client may never send the rest.
func (s *Server) readDeadline(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		if r.Body == nil || r.Body == http.NoBody {
			return next(c)
		}
		body := &timedBody{body: r.Body, conn: http.NewResponseController(c.Response()), left: s.stalled}
		body.deadline(s.stalled)
		r.Body = body
		c.Response().Before(func() {
			if c.Response().Status >= http.StatusBadRequest && !errors.Is(body.ended, io.EOF) {
				c.Response().Header().Set(echo.HeaderConnection, "close")
				body.deadline(lingering)
			}
		})
		return next(c)
	}
}

// timedBody reads a body from a connection and gives up when nothing comes, or too little.
// Only the time in which it waits for the client counts. After its end it leaves the
// connection alone.
type timedBody struct {
	body  io.ReadCloser
	conn  *http.ResponseController
	left  time.Duration // that the client may let us wait, which grows with what it sends
	ended error         // io.EOF: it was read to its end
}

func (t *timedBody) deadline(in time.Duration) {
	_ = t.conn.SetReadDeadline(time.Now().Add(in)) // unsupported outside a real connection
}

func (t *timedBody) Read(b []byte) (int, error) {
	if t.ended != nil {
		return 0, t.ended
	}
	t.deadline(min(t.left, stalledBody))
	began := time.Now()
	n, err := t.body.Read(b)
	t.left += time.Duration(n)*time.Second/slowestBody - time.Since(began)
	switch {
	case errors.Is(err, io.EOF):
		t.ended = err
		_ = t.conn.SetReadDeadline(time.Time{}) // the next request has deadlines of its own
	case err != nil:
		t.ended = err
		t.deadline(lingering) // net/http reads on
	}
	return n, err
}

func (t *timedBody) Close() error { return t.body.Close() }
