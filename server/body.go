package server

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"tollkeeper/domain/fault"
)

// largestBody bounds a body after decompression, except that of ingest, which
// has only the bound its account sets (semantics 2.2.10).
const largestBody = 10 << 20

// stalled is how long a client may send nothing in the midst of a body.
const stalled = 30 * time.Second

// readable lets the body be read: decompressed, bounded after that, so that a
// small body which unpacks into a huge one is stopped, and never waited for long.
// Nothing is read yet.
func readable(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		body := io.ReadCloser(&patient{body: r.Body, conn: http.NewResponseController(c.Response())})
		switch encoding := strings.ToLower(strings.TrimSpace(r.Header.Get(echo.HeaderContentEncoding))); encoding {
		case "", "identity":
		case "gzip":
			body = &unzipped{packed: body}
			r.ContentLength = -1
			r.Header.Del(echo.HeaderContentEncoding)
		default:
			return fault.Bad(echo.HeaderContentEncoding, "must be gzip or absent")
		}
		if limit := bodyLimit(requestOf(r.Context())); limit > 0 {
			body = http.MaxBytesReader(c.Response(), body, limit)
		}
		r.Body = telling{body}
		return next(c)
	}
}

// bodyLimit is in bytes; 0 is none.
func bodyLimit(r *request) int64 {
	if r.operation == nil || !r.operation.readsBody {
		return largestBody
	}
	if r.account.LargestIngestBytes != nil {
		return *r.account.LargestIngestBytes
	}
	return 0
}

// telling is a body whose errors say what the client can act on, so whoever reads
// it passes them on as they are.
type telling struct{ io.ReadCloser }

func (t telling) Read(b []byte) (int, error) {
	n, err := t.ReadCloser.Read(b)
	if err == nil || errors.Is(err, io.EOF) {
		return n, err
	}
	var tooLarge *http.MaxBytesError
	var corrupt flate.CorruptInputError
	switch {
	case errors.As(err, &tooLarge):
		return n, errTooLarge
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum), errors.As(err, &corrupt):
		return n, fault.Bad("body", "cannot be decompressed")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return n, fault.Bad("body", "ends too early")
	case errors.Is(err, os.ErrDeadlineExceeded):
		return n, fault.Bad("body", "did not arrive in time")
	}
	return n, fault.Bad("body", "did not arrive whole: its transfer broke off or is no HTTP") // such as chunks that are none
}

// patient reads a body from a connection and gives up when nothing comes. After its end
// it leaves the connection alone.
type patient struct {
	body  io.ReadCloser
	conn  *http.ResponseController
	ended error
}

func (p *patient) Read(b []byte) (int, error) {
	if p.ended != nil {
		return 0, p.ended
	}
	_ = p.conn.SetReadDeadline(time.Now().Add(stalled)) // unsupported outside a real connection
	n, err := p.body.Read(b)
	if err != nil {
		p.ended = err
		_ = p.conn.SetReadDeadline(time.Time{})
	}
	return n, err
}

func (p *patient) Close() error { return p.body.Close() }

// unzipped unpacks a body, from the first read on.
type unzipped struct {
	packed io.ReadCloser
	zip    *gzip.Reader
}

func (u *unzipped) Read(b []byte) (int, error) {
	if u.zip == nil {
		zip, err := gzip.NewReader(u.packed)
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return 0, gzip.ErrHeader
		}
		if err != nil {
			return 0, err
		}
		u.zip = zip
	}
	return u.zip.Read(b)
}

func (u *unzipped) Close() error { return u.packed.Close() }

// readBody reads all of it and puts it back, so that it can be bound.
func readBody(r *http.Request) ([]byte, error) {
	if r.Body == nil {
		return nil, nil
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	_ = r.Body.Close()
	r.Body = io.NopCloser(bytes.NewReader(body))
	r.ContentLength = int64(len(body))
	return body, nil
}
