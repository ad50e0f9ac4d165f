package download

import (
	"errors"
	"io"
	"net/http"
	"time"
)

// Connection is that of a client. [http.ResponseController] is one.
type Connection interface {
	SetWriteDeadline(at time.Time) error
}

// Writer writes a file to a client, and gives up a client that takes too little, or too long. Only the time in which
// it waits for the client counts against the rate. It is for one goroutine.
type Writer struct {
	to     io.Writer
	conn   Connection
	limits Limits
	now    func() time.Time
	left   time.Duration // that the client may let us wait, which grows with what it takes
	end    time.Time     // of the download
}

// NewWriter begins a download of the client, by that clock.
func NewWriter(to io.Writer, conn Connection, limits Limits, now func() time.Time) *Writer {
	return &Writer{to: to, conn: conn, limits: limits, now: now, left: limits.Lag, end: now().Add(limits.Longest)}
}

// piece is how many bytes have one deadline. A client that takes the least rate takes a piece in two seconds.
const piece = 64 << 10

// Write writes piece by piece: a library may have the whole of a workbook to write at once.
func (w *Writer) Write(b []byte) (written int, err error) {
	for len(b) > written && err == nil {
		var n int
		n, err = w.write(b[written:min(len(b), written+piece)])
		written += n
	}
	return written, err
}

func (w *Writer) write(b []byte) (int, error) {
	began := w.now()
	at := began.Add(min(w.left, w.limits.Lag))
	if at.After(w.end) {
		at = w.end
	}
	if err := w.set(at); err != nil {
		return 0, err
	}
	n, err := w.to.Write(b)
	w.left += time.Duration(n)*time.Second/time.Duration(w.limits.Slowest) - w.now().Sub(began)
	return n, err
}

// Cut ends the connection without the end of the file, so that no browser takes a part for the whole.
func (w *Writer) Cut() { _ = w.set(time.Unix(1, 0)) }

func (w *Writer) set(at time.Time) error {
	err := w.conn.SetWriteDeadline(at)
	if errors.Is(err, http.ErrNotSupported) { // outside a real connection
		return nil
	}
	return err
}
