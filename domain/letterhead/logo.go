package letterhead

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"time"

	"tollkeeper/store/fault"
)

// Bounds of a logo (semantics 19.5.2). It is drawn into every document.
const (
	mostLogoBytes  = 256 << 10
	mostLogoPixels = 2000 // wide or high
	mostLogoScans  = 64   // of a JPEG: a few bytes are a scan, and decoding one visits all of the image
)

// logoTime bounds how long a logo waits for others. How long it is decoded is bounded by its pixels and
// scans, and by its request.
const logoTime = 10 * time.Second

// logoTurn is taken by the logo that is being decoded: one at a time, whatever accounts they are of. Each
// has up to 32 MB then.
var logoTurn = make(chan struct{}, 1)

// readLogo returns the media type of a logo, and the form in which documents draw it, nil for the file itself. It checks
// the header first and decodes only what passes.
func readLogo(ctx context.Context, logo []byte) (kind string, form []byte, err error) {
	if len(logo) == 0 {
		return "", nil, nil
	}
	if len(logo) > mostLogoBytes {
		return "", nil, errLogoSize
	}
	kind, head, decode := "image/png", png.DecodeConfig, png.Decode
	if bytes.HasPrefix(logo, []byte("\xff\xd8")) {
		kind, head, decode = "image/jpeg", jpeg.DecodeConfig, jpeg.Decode
	}
	size, err := head(bytes.NewReader(logo))
	switch {
	case err != nil:
		return "", nil, fault.Bad("logo", "must be a PNG or a JPEG in base64")
	case size.Width > mostLogoPixels || size.Height > mostLogoPixels:
		return "", nil, errLogoSize
	case kind == "image/jpeg" && scans(logo) > mostLogoScans:
		return "", nil, fault.Bad("logo", "must have at most %d scans", mostLogoScans)
	}
	form, err = decodeInTurn(ctx, logo, decode, kind == "image/png")
	return kind, form, err
}

var errLogoSize = fault.Bad("logo", "must have at most %d bytes and %d pixels in width and height", mostLogoBytes, mostLogoPixels)

// scans is how many scans a JPEG may have, at most: each begins with this marker, which its data cannot contain.
func scans(file []byte) int { return bytes.Count(file, []byte("\xff\xda")) }

// decodeInTurn refuses a logo that is not whole. It waits for others and is decoded as long as its request is. Where
// asked, it returns the form that documents draw.
func decodeInTurn(ctx context.Context, logo []byte, decode func(io.Reader) (image.Image, error), forms bool) ([]byte, error) {
	patience, done := context.WithTimeout(ctx, logoTime)
	defer done()
	select {
	case logoTurn <- struct{}{}:
		defer func() { <-logoTurn }()
	case <-patience.Done():
		return nil, fmt.Errorf("wait to decode a logo: %w", patience.Err())
	}
	decoded, err := decode(stoppingReader{ctx, bytes.NewReader(logo)})
	if late := ctx.Err(); late != nil {
		return nil, fmt.Errorf("decode a logo: %w", late)
	}
	if err != nil {
		return nil, fault.Bad("logo", "must be a whole PNG or JPEG")
	}
	if !forms {
		return nil, nil
	}
	return drawn(decoded)
}

// stoppingReader ends with its context.
type stoppingReader struct {
	ctx  context.Context
	from io.Reader
}

func (r stoppingReader) Read(b []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.from.Read(b[:min(len(b), 4096)])
}
