package paper

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"codeberg.org/go-pdf/fpdf"

	"tollkeeper/domain/document"
)

// Attachment is a file within a PDF.
type Attachment struct {
	Name        string
	Description string
	Content     []byte
}

// Render draws a document. The same document, fonts and attachments give the same bytes.
func Render(fonts Fonts, d document.Document, attached ...Attachment) ([]byte, error) {
	p := newPage(fonts, d)
	p.describe()
	p.pdf.AddPage()
	p.y = topMargin
	p.head()
	p.parties()
	p.lines()
	p.totals()
	p.payment()
	p.notes()
	p.usageByDay()
	p.footers()
	var files []fpdf.Attachment
	for _, a := range attached {
		files = append(files, fpdf.Attachment{Content: a.Content, Filename: a.Name, Description: a.Description})
	}
	p.pdf.SetAttachments(files)
	var b bytes.Buffer
	if err := p.pdf.Output(&b); err != nil {
		return nil, fmt.Errorf("draw %s %s: %w", d.Kind, d.Number, err)
	}
	return b.Bytes(), nil
}

// describe writes what readers of the file show of it. Its dates are the document's.
func (p *page) describe() {
	d := p.doc
	day := d.Issued
	if d.Draft {
		day = d.InvoiceDate
	}
	at := time.Date(day.Year, day.Month, day.Day, 0, 0, 0, 0, time.UTC)
	p.pdf.SetCreationDate(at)
	p.pdf.SetModificationDate(at)
	p.pdf.SetTitle(d.Title(), true)
	p.pdf.SetAuthor(d.Seller, true)
	p.pdf.SetLang(string(d.Words.Language))
}

// head draws what the document is, and whose.
func (p *page) head() {
	d, w := p.doc, p.doc.Words
	title := p.accent
	if !readable(title) {
		title = dark
	}
	p.pdf.SetFillColor(p.accent[0], p.accent[1], p.accent[2])
	p.pdf.Rect(0, 0, pageWidth, 2.4, "F")
	p.put(bold, 20, leftMargin, base(p.y, 20), title, p.clean(w.KindName(d.Kind)))
	number := d.Number
	if d.Kind == document.KindReceipt {
		number = w.Fill(w.ForInvoice, "number", d.Number)
	}
	below := p.y + step(20)
	below = p.column(plain, 10, leftMargin, below, bodyWidth*0.5, muted, number)
	right := p.y
	if p.logo(p.y) {
		right += logoHeight
	} else {
		right = p.columnRight(bold, 11, pageWidth-rightMargin, p.y+1.5, bodyWidth*0.48, dark, d.Seller)
	}
	p.y = max(below, right) + 3
	mark, note := "", ""
	switch {
	case d.Draft:
		mark, note = w.Draft, w.DraftNote
	case d.Void:
		mark, note = w.Void, w.VoidNote
	}
	if mark != "" {
		p.banner(mark, note)
	}
	p.y += 3
}

// columnRight is column, with lines that end at x.
func (p *page) columnRight(w weight, size, x, y, width float64, color [3]int, text string) float64 {
	for _, line := range p.wrap(w, size, p.clean(text), width) {
		p.putRight(w, size, x, base(y, size), width, color, line)
		y += step(size)
	}
	return y
}

// banner says that a document is a draft or void.
func (p *page) banner(mark, note string) {
	mark = p.clean(mark)
	width := p.width(bold, 10, mark)
	lines := p.wrap(plain, small, p.clean(note), bodyWidth-width-14)
	height := max(8, float64(len(lines))*step(small)+4)
	p.pdf.SetFillColor(255, 243, 214)
	p.pdf.Rect(leftMargin, p.y, bodyWidth, height, "F")
	p.put(bold, 10, leftMargin+4, base(p.y+(height-step(10))/2, 10), dark, mark)
	y := p.y + (height-float64(len(lines))*step(small))/2
	for _, line := range lines {
		p.put(plain, small, leftMargin+width+10, base(y, small), dark, line)
		y += step(small)
	}
	p.y += height + 1
}

// parties draws the seller, the buyer and the facts side by side, and the headline below them.
func (p *page) parties() {
	d, w := p.doc, p.doc.Words
	const gap = 6.0
	width := (bodyWidth - 2*gap) / 3
	top := p.y
	left := p.party(leftMargin, top, width, w.From, append([]string{d.Seller}, p.sellerLines()...))
	middle := p.party(leftMargin+width+gap, top, width, w.To, p.buyerLines())
	if shipped := document.AddressLines(d.Shipping); len(shipped) > 0 && strings.Join(shipped, "\n") != strings.Join(document.AddressLines(d.Billing), "\n") {
		middle = p.party(leftMargin+width+gap, middle+2, width, w.ShipTo, append([]string{""}, shipped...))
	}
	right := p.facts(leftMargin+2*(width+gap), top, width)
	p.y = max(left, middle, right) + 5
	p.paragraph(bold, 13, leftMargin, bodyWidth, dark, d.Headline())
	p.y += 3
}

func (p *page) sellerLines() []string {
	content := p.doc.Letterhead.Content
	lines := document.SellerLines(content.Address)
	for _, n := range p.doc.SellerNumbers() {
		lines = append(lines, n.Name+" "+n.Value)
	}
	for _, contact := range []string{content.Email, content.Phone, content.Website} {
		if contact != "" {
			lines = append(lines, contact)
		}
	}
	return lines
}

func (p *page) buyerLines() []string {
	d := p.doc
	lines := append([]string{d.Buyer.Name}, document.AddressLines(d.Billing)...)
	if d.TaxID != nil {
		lines = append(lines, d.Words.VATNumber+" "+d.TaxID.Value)
	}
	return append(lines, d.Buyer.Email)
}

// party draws a name and what is below it; the first line is the name.
func (p *page) party(x, y, width float64, title string, lines []string) float64 {
	y = p.column(bold, tiny, x, y, width, muted, title) + 0.6
	for k, line := range lines {
		if line == "" {
			continue
		}
		style := plain
		if k == 0 {
			style = bold
		}
		y = p.column(style, body, x, y, width, dark, shorten(line))
	}
	return y
}

// shorten bounds what stands at the head of a document, so that the head fits on a page.
func shorten(line string) string {
	const most = 200
	if runes := []rune(line); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return line
}

func (p *page) facts(x, y, width float64) float64 {
	facts := p.doc.Facts()
	names := 0.0
	for _, f := range facts {
		names = max(names, p.width(plain, small, p.clean(shorten(f.Name))))
	}
	names = min(names, width*0.5)
	for _, f := range facts {
		name := p.column(plain, small, x, y+0.5, names, muted, shorten(f.Name))
		value := p.column(plain, body, x+names+3, y, width-names-3, dark, shorten(f.Value))
		y = max(name, value) + 0.4
	}
	return y
}

// totals draws the rows from the subtotal to what is to pay.
func (p *page) totals() {
	d := p.doc
	const labels = bodyWidth * 0.36
	x := leftMargin + bodyWidth*0.42
	p.runHead = nil
	p.y += 2
	type row struct {
		document.Total
		style  weight
		size   float64
		lines  []string
		height float64
	}
	var rows []row
	whole := 0.0
	for _, t := range d.Totals {
		r := row{Total: t, style: plain, size: body}
		label := t.Label
		if t.Grand {
			r.style, r.size = bold, 11
			label += ", " + string(d.Currency)
		}
		r.lines = p.wrap(r.style, r.size, p.clean(label), labels)
		r.height = float64(len(r.lines))*step(r.size) + 2
		rows, whole = append(rows, r), whole+r.height
	}
	p.room(min(whole+4, bodyEnd-topMargin-30)) // all of them stand on one page, unless they fill more
	for _, t := range rows {
		style, size, lines, height := t.style, t.size, t.lines, t.height
		p.room(height + 2)
		if t.Grand {
			p.hairline(x, pageWidth-rightMargin, p.y, dark, 0.35)
		}
		p.putRight(style, size, pageWidth-rightMargin, base(p.y+1, size), bodyWidth-bodyWidth*0.42-labels-2, dark, d.Words.Amount(t.Amount, d.Currency))
		for k, line := range lines {
			p.put(style, size, x, base(p.y+1+float64(k)*step(size), size), dark, line)
		}
		p.y += height
		if !t.Grand {
			p.hairline(x, pageWidth-rightMargin, p.y, rule, 0.15)
		}
	}
	p.y += 6
}

// payment says how an invoice is paid.
func (p *page) payment() {
	d, w := p.doc, p.doc.Words
	bank := d.Bank()
	how := d.Letterhead.Content.Instructions
	if d.Kind != document.KindInvoice || d.Draft || d.Void || d.Payable.IsZero() || len(bank) == 0 && how == "" {
		return
	}
	p.room(4 * step(body))
	p.paragraph(bold, body, leftMargin, bodyWidth, dark, w.HowToPay)
	names := 0.0
	for _, f := range bank {
		names = max(names, p.width(plain, body, p.clean(f.Name)))
	}
	for _, f := range bank {
		lines := p.wrap(plain, body, p.clean(f.Value), bodyWidth-names-4)
		p.room(float64(len(lines)) * step(body))
		p.put(plain, body, leftMargin, base(p.y, body), muted, p.clean(f.Name))
		for _, line := range lines {
			p.put(plain, body, leftMargin+names+4, base(p.y, body), dark, line)
			p.y += step(body)
		}
	}
	p.paragraph(plain, body, leftMargin, bodyWidth, dark, w.Fill(w.PayReference, "number", d.Number))
	if how != "" {
		p.paragraph(plain, body, leftMargin, bodyWidth, dark, how)
	}
	p.y += 4
}

// notes draws the memo and where the document is online.
func (p *page) notes() {
	d, w := p.doc, p.doc.Words
	if d.Memo != "" {
		p.paragraph(plain, body, leftMargin, bodyWidth, dark, d.Memo)
		p.y += 4
	}
	if d.Page != "" {
		p.paragraph(plain, small, leftMargin, bodyWidth, muted, w.Fill(w.Online, "address", d.Page))
	}
	if p.missing {
		p.paragraph(plain, small, leftMargin, bodyWidth, muted, w.MissingGlyphs)
	}
}

// footers draws the foot of every page, once their number is known.
func (p *page) footers() {
	d, w := p.doc, p.doc.Words
	text := d.Letterhead.Content.Footer
	if text == "" {
		text = strings.Join(append([]string{d.Seller}, document.SellerLines(d.Letterhead.Content.Address)...), ", ")
	}
	pages := p.pdf.PageCount()
	for n := 1; n <= pages; n++ {
		p.pdf.SetPage(n)
		p.setFont(bold, "", tiny) // so that the font is set again on this page
		p.setFont(plain, "", tiny)
		y := pageHeight - bottomMargin + 6
		p.hairline(leftMargin, pageWidth-rightMargin, y-2, rule, 0.15)
		at := p.clean(d.Number + ", " + w.Fill(w.Page, "page", fmt.Sprint(n), "pages", fmt.Sprint(pages)))
		const side = bodyWidth * 0.36
		p.putRight(plain, tiny, pageWidth-rightMargin, base(y, tiny), side, muted, at)
		lines := p.wrap(plain, tiny, p.clean(text), bodyWidth-side-4)
		const most = 4 // lines of a footer
		if len(lines) > most {
			lines = append(lines[:most-1], p.cut(plain, tiny, lines[most-1]+"…", bodyWidth-side-4))
		}
		for _, line := range lines {
			p.put(plain, tiny, leftMargin, base(y, tiny), muted, line)
			y += step(tiny)
		}
	}
}
