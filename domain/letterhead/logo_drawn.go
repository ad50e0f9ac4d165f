package letterhead

import (
	"bytes"
	"image"
	"image/png"

	"golang.org/x/image/draw"
)

// Bounds of a logo as documents draw it, in pixels: 52 by 16 mm at 600 dots an inch.
const (
	drawnWidth  = 1228
	drawnHeight = 378
)

// drawn returns a PNG of 8 bits a channel, of the proportions of an image, that is no larger than documents show.
func drawn(logo image.Image) ([]byte, error) {
	from := logo.Bounds()
	width, height := from.Dx(), from.Dy()
	if width > drawnWidth {
		width, height = drawnWidth, height*drawnWidth/width
	}
	if height > drawnHeight {
		width, height = width*drawnHeight/height, drawnHeight
	}
	scaled := image.NewNRGBA(image.Rect(0, 0, max(width, 1), max(height, 1)))
	if scaled.Rect.Size() == from.Size() {
		draw.Draw(scaled, scaled.Rect, logo, from.Min, draw.Src)
	} else {
		draw.CatmullRom.Scale(scaled, scaled.Rect, logo, from, draw.Src, nil)
	}
	var b bytes.Buffer
	err := png.Encode(&b, scaled)
	return b.Bytes(), err
}
