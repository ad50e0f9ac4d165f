package contract

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"

	"github.com/labstack/echo/v4"

	"tollkeeper/store/fault"
)

// LargestBody bounds a body after decompression, in bytes, except that of ingest, which has
// only the bound of its account (semantics 2.2.10).
const LargestBody = 10 << 20

// Turn waits for a share of the processors for a request, which is held until free is called.
type Turn func() (free func(), err error)

// LimitBody prepares the body of a request to be read: decompressed, of at most limit bytes
// after that (0 is no limit). Nothing is read yet. A packed body takes turns to be unpacked; its Close
// gives up the one that it has.
func LimitBody(c echo.Context, limit int64, turn Turn) error {
	r := c.Request()
	body := r.Body
	switch encoding := strings.ToLower(strings.TrimSpace(r.Header.Get(echo.HeaderContentEncoding))); encoding {
	case "", "identity":
	case "gzip":
		body = &gzipBody{packed: body, limited: limit > 0, turn: turns{take: turn}}
		r.ContentLength = -1
		r.Header.Del(echo.HeaderContentEncoding)
	default:
		return fault.Bad(echo.HeaderContentEncoding, "must be gzip or absent")
	}
	if limit > 0 {
		body = http.MaxBytesReader(c.Response(), body, limit)
	}
	r.Body = faultReader{body}
	return nil
}

// faultReader is a body whose errors are faults for the client, so every reader of the body
// returns them unchanged.
type faultReader struct{ io.ReadCloser }

func (r faultReader) Read(b []byte) (int, error) {
	n, err := r.ReadCloser.Read(b)
	if err == nil || errors.Is(err, io.EOF) {
		return n, err
	}
	var tooLarge *http.MaxBytesError
	var corrupt flate.CorruptInputError
	switch {
	case errors.Is(err, errUnpacked), errors.As(err, new(noTurn)):
		return n, err
	case errors.As(err, &tooLarge):
		return n, ErrTooLarge
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum), errors.As(err, &corrupt):
		return n, fault.Bad("body", "cannot be decompressed")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return n, fault.Bad("body", "ends too early")
	case errors.Is(err, os.ErrDeadlineExceeded):
		return n, fault.Bad("body", "did not arrive in time")
	}
	return n, fault.Bad("body", "did not arrive whole: its transfer broke off or is no HTTP") // such as malformed chunks
}

// readBody reads the whole body and puts it back, so that it can be bound.
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
