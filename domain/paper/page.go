package paper

import (
	"bytes"
	"image"
	_ "image/jpeg" // logos
	"image/png"
	"strconv"
	"strings"

	"codeberg.org/go-pdf/fpdf"

	"tollkeeper/domain/document"
)

// Measures of the page, in millimeters; sizes of letters in points.
const (
	pageWidth    = 210.0
	pageHeight   = 297.0
	leftMargin   = 18.0
	rightMargin  = 18.0
	topMargin    = 18.0
	bottomMargin = 24.0 // the footer is in it
	bodyWidth    = pageWidth - leftMargin - rightMargin
	bodyEnd      = pageHeight - bottomMargin

	body  = 9.0
	small = 7.5
	tiny  = 6.5

	lineHeight = 0.4939 // millimeters of height for a point of size: 1.4 times the size
)

// page draws one document. y is where the next thing goes.
type page struct {
	pdf     *fpdf.Fpdf
	fonts   Fonts
	doc     document.Document
	y       float64
	missing bool // a character is in no font
	accent  [3]int
	runHead func() // draws the head of a table that goes on
}

var (
	dark  = [3]int{24, 27, 33}
	muted = [3]int{96, 103, 115}
	rule  = [3]int{214, 218, 224}
)

func newPage(fonts Fonts, d document.Document) *page {
	pdf := fpdf.New("P", "mm", "A4", "")
	pdf.SetAutoPageBreak(false, 0)
	pdf.SetMargins(leftMargin, topMargin, rightMargin)
	pdf.SetCellMargin(0)
	pdf.SetCatalogSort(true)
	pdf.SetProducer("Tollkeeper", true)
	pdf.AddUTF8FontFromBytes(string(plain), "", fonts.regular.data)
	pdf.AddUTF8FontFromBytes(string(bold), "", fonts.bold.data)
	p := &page{pdf: pdf, fonts: fonts, doc: d, accent: accentOf(d.Letterhead.Content.Color)}
	return p
}

// accentOf is the color of titles: that of the letterhead where it can be read on white.
func accentOf(color string) [3]int {
	if len(color) != 7 {
		return dark
	}
	n, err := strconv.ParseUint(color[1:], 16, 32)
	if err != nil {
		return dark
	}
	return [3]int{int(n >> 16), int(n >> 8 & 0xff), int(n & 0xff)}
}

// readable reports a color that has a contrast of about 4.5 to white.
func readable(c [3]int) bool { return 2126*c[0]+7152*c[1]+722*c[2] < 1_250_000 }

// setFont chooses a font; "" is that of the weight.
func (p *page) setFont(w weight, font string, size float64) {
	if font == "" {
		font = string(w)
	} else if desc := p.pdf.GetFontDesc(font, ""); desc.Ascent == 0 {
		for _, other := range p.fonts.others {
			if other.name == font {
				p.pdf.AddUTF8FontFromBytes(font, "", other.data)
			}
		}
	}
	p.pdf.SetFont(font, "", size)
}

// width is that of a clean line.
func (p *page) width(w weight, size float64, line string) (width float64) {
	for _, r := range p.runs(w, line) {
		p.setFont(w, r.font, size)
		width += p.pdf.GetStringWidth(r.text)
	}
	return width
}

// put draws a clean line with its base at y, and returns its width.
func (p *page) put(w weight, size, x, y float64, color [3]int, line string) float64 {
	p.pdf.SetTextColor(color[0], color[1], color[2])
	from := x
	for _, r := range p.runs(w, line) {
		p.setFont(w, r.font, size)
		if r.text != "" {
			p.pdf.Text(x, y, r.text)
		}
		x += p.pdf.GetStringWidth(r.text)
	}
	return x - from
}

// putRight draws a clean line that ends at x. One that is wider than its place becomes smaller.
func (p *page) putRight(w weight, size, x, y, place float64, color [3]int, line string) {
	width := p.width(w, size, line)
	if width > place {
		size *= place / width
		width = place
	}
	p.put(w, size, x-width, y, color, line)
}

// step is the height of a line.
func step(size float64) float64 { return size * lineHeight }

// base is where the letters of a line stand whose top is at y.
func base(y, size float64) float64 { return y + size*0.3528*1.08 }

// paragraph draws a text from y on, over pages if need be, and moves y below it.
func (p *page) paragraph(w weight, size, x, width float64, color [3]int, text string) {
	for _, line := range p.wrap(w, size, p.clean(text), width) {
		p.room(step(size))
		p.put(w, size, x, base(p.y, size), color, line)
		p.y += step(size)
	}
}

// column draws lines from a place on that all fit, and returns where they end.
func (p *page) column(w weight, size, x, y, width float64, color [3]int, text string) float64 {
	for _, line := range p.wrap(w, size, p.clean(text), width) {
		p.put(w, size, x, base(y, size), color, line)
		y += step(size)
	}
	return y
}

// room begins another page where so much height is not left.
func (p *page) room(height float64) {
	if p.y+height <= bodyEnd {
		return
	}
	p.nextPage()
}

func (p *page) nextPage() {
	p.pdf.AddPage()
	p.y = topMargin
	w := p.doc.Words
	seller := p.clean(p.doc.Seller)
	title := p.clean(w.Fill(w.Continued, "title", p.doc.Title()))
	p.put(bold, small, leftMargin, base(p.y, small), muted, p.cut(bold, small, title, bodyWidth*0.6))
	p.putRight(plain, small, pageWidth-rightMargin, base(p.y, small), bodyWidth*0.38, muted, p.cut(plain, small, seller, bodyWidth*0.38))
	p.y += step(small) + 4
	if p.runHead != nil {
		p.runHead()
	}
}

// cut shortens a clean line to a width.
func (p *page) cut(w weight, size float64, line string, width float64) string {
	if p.width(w, size, line) <= width {
		return line
	}
	lines := p.wrapParagraph(w, size, line, width-p.width(w, size, "…"))
	if len(lines) == 0 {
		return ""
	}
	return strings.TrimRight(lines[0], " ") + "…"
}

// hairline draws a rule at y.
func (p *page) hairline(x1, x2, y float64, color [3]int, width float64) {
	p.pdf.SetDrawColor(color[0], color[1], color[2])
	p.pdf.SetLineWidth(width)
	p.pdf.Line(x1, y, x2, y)
}

// Bounds of the logo on paper, in millimeters.
const (
	logoWidth  = 52.0
	logoHeight = 16.0
)

// logo draws the seller's at the right, and reports whether there is one.
func (p *page) logo(y float64) bool {
	head := p.doc.Letterhead
	if len(head.Logo) == 0 {
		return false
	}
	data, kind := head.Logo, "JPG"
	if len(head.LogoDrawn) > 0 {
		data, kind = head.LogoDrawn, "PNG"
	}
	config, format, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return false
	}
	if format == "png" && len(head.LogoDrawn) == 0 { // of before: as one of the forms that the library reads
		decoded, err := png.Decode(bytes.NewReader(data))
		if err != nil {
			return false
		}
		flat := image.NewNRGBA(decoded.Bounds())
		for x := flat.Rect.Min.X; x < flat.Rect.Max.X; x++ {
			for y := flat.Rect.Min.Y; y < flat.Rect.Max.Y; y++ {
				flat.Set(x, y, decoded.At(x, y))
			}
		}
		var b bytes.Buffer
		if err := png.Encode(&b, flat); err != nil {
			return false
		}
		data, kind = b.Bytes(), "PNG"
	}
	options := fpdf.ImageOptions{ImageType: kind}
	p.pdf.RegisterImageOptionsReader("logo", options, bytes.NewReader(data))
	width, height := logoWidth, logoWidth*float64(config.Height)/float64(config.Width)
	if height > logoHeight {
		width, height = width*logoHeight/height, logoHeight
	}
	p.pdf.ImageOptions("logo", pageWidth-rightMargin-width, y, width, height, false, options, 0, "")
	return true
}
