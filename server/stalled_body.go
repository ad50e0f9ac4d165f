package server

import (
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"
)

// Deadlines of bodies (semantics 14.5.6).
const (
	stalledBody = 30 * time.Second // see Config.StalledBody
	slowestBody = 64 << 10         // bytes a second that a client must send, as they are on the way
	behindBody  = 2                // times Config.StalledBody that it may fall behind that rate
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
		body := newTimedBody(r.Body, http.NewResponseController(c.Response()), s.stalled, time.Now)
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

// timedBody reads a body from a connection and gives up when nothing comes, or too little. What came
// before helps no client that then sends a byte now and then: its body may hold much by then. Only the
// time in which it waits for the client counts. After its end it leaves the connection alone.
type timedBody struct {
	body    io.ReadCloser
	conn    readConnection
	stalled time.Duration // that the client may send nothing
	left    time.Duration // that it may let us wait, which grows with what it sends
	now     func() time.Time
	ended   error // io.EOF: it was read to its end
}

// readConnection is that of a client.
type readConnection interface {
	SetReadDeadline(at time.Time) error
}

func newTimedBody(body io.ReadCloser, conn readConnection, stalled time.Duration, now func() time.Time) *timedBody {
	t := &timedBody{body: body, conn: conn, stalled: stalled, left: behindBody * stalled, now: now}
	t.deadline(stalled)
	return t
}

func (t *timedBody) deadline(in time.Duration) {
	_ = t.conn.SetReadDeadline(t.now().Add(in)) // unsupported outside a real connection
}

func (t *timedBody) Read(b []byte) (int, error) {
	if t.ended != nil {
		return 0, t.ended
	}
	t.deadline(min(t.left, t.stalled))
	began := t.now()
	n, err := t.body.Read(b)
	t.left += time.Duration(n)*time.Second/slowestBody - t.now().Sub(began)
	t.left = min(t.left, behindBody*t.stalled)
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
