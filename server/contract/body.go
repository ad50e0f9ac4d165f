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

// LimitBody prepares the body of a request to be read: decompressed, of at most limit bytes
// after that (0 is no limit). Nothing is read yet.
func LimitBody(c echo.Context, limit int64) error {
	r := c.Request()
	body := r.Body
	switch encoding := strings.ToLower(strings.TrimSpace(r.Header.Get(echo.HeaderContentEncoding))); encoding {
	case "", "identity":
	case "gzip":
		body = &gzipBody{packed: body, limited: limit > 0}
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
	case errors.Is(err, errUnpacked):
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

// A packed body may unpack to freelyUnpacked bytes whatever it holds, and beyond that to
// mostUnpacked bytes for each packed byte. Events pack to between a tenth and a hundredth of
// their size. Zeros pack to a thousandth: 10 MB of them would be 10 GB of work.
const (
	freelyUnpacked = LargestBody
	mostUnpacked   = 200
)

var errUnpacked = fault.Bad("body", "must not unpack to more than %d times its packed size", mostUnpacked)

// gzipBody decompresses a body, from the first read on.
type gzipBody struct {
	packed   io.ReadCloser
	zip      *gzip.Reader
	limited  bool  // in bytes, so not by the packed size
	read     int64 // packed bytes
	unpacked int64
}

func (g *gzipBody) Read(b []byte) (int, error) {
	if g.zip == nil {
		zip, err := gzip.NewReader(packedReader{g})
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return 0, gzip.ErrHeader
		}
		if err != nil {
			return 0, err
		}
		g.zip = zip
	}
	n, err := g.zip.Read(b)
	if g.unpacked += int64(n); !g.limited && g.unpacked > freelyUnpacked && g.unpacked > mostUnpacked*g.read {
		return 0, errUnpacked
	}
	return n, err
}

// packedReader counts what is read of a packed body.
type packedReader struct{ body *gzipBody }

func (r packedReader) Read(b []byte) (int, error) {
	n, err := r.body.packed.Read(b)
	r.body.read += int64(n)
	return n, err
}

func (g *gzipBody) Close() error { return g.packed.Close() }

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
