package paper_test

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/document"
	"tollkeeper/domain/paper"
	"tollkeeper/domain/period"
)

func draw(fonts paper.Fonts, d document.Document) string {
	GinkgoHelper()
	content, err := paper.Render(fonts, d)
	Expect(err).NotTo(HaveOccurred())
	file := filepath.Join(GinkgoT().TempDir(), "document.pdf")
	Expect(os.WriteFile(file, content, 0o600)).To(Succeed())
	if keep := os.Getenv("SPEC_KEEP"); keep != "" {
		Expect(os.WriteFile(filepath.Join(keep, fmt.Sprintf("%s-%s-%d.pdf", d.Kind, d.Words.Language, len(d.Lines))), content, 0o600)).To(Succeed())
	}
	return file
}

func textOf(file string) string {
	GinkgoHelper()
	text, err := exec.Command("pdftotext", "-layout", file, "-").Output()
	Expect(err).NotTo(HaveOccurred())
	return string(text)
}

// word is one that pdftotext finds, with its place in points.
type word struct {
	XMin float64 `xml:"xMin,attr"`
	YMin float64 `xml:"yMin,attr"`
	XMax float64 `xml:"xMax,attr"`
	YMax float64 `xml:"yMax,attr"`
	Text string  `xml:",chardata"`
}

// sheet is a page that pdftotext finds.
type sheet struct {
	Width  float64 `xml:"width,attr"`
	Height float64 `xml:"height,attr"`
	Words  []word  `xml:"word"`
}

// point is one, in millimeters.
const point = 25.4 / 72

// readBack returns the pages of a file, with their words in the order in which they were drawn.
func readBack(file string) []sheet {
	GinkgoHelper()
	out, err := exec.Command("pdftotext", "-raw", "-bbox", file, "-").Output()
	Expect(err).NotTo(HaveOccurred())
	var found struct {
		Pages []sheet `xml:"body>doc>page"`
	}
	decoder := xml.NewDecoder(bytes.NewReader(out))
	decoder.Strict = false
	decoder.Entity = xml.HTMLEntity
	Expect(decoder.Decode(&found)).To(Succeed())
	Expect(found.Pages).NotTo(BeEmpty())
	return found.Pages
}

// checkDrawn reads a document back: all words are within the margins, above the foot or within it, no two are on each
// other, each has a glyph, and together they are the text of the document and nothing else.
func checkDrawn(fonts paper.Fonts, seed int, d document.Document) {
	GinkgoHelper()
	pages := readBack(draw(fonts, d))
	const margin = 18 / point
	for n, page := range pages {
		for k, w := range page.Words {
			where := fmt.Sprintf("seed %d page %d: %q", seed, n+1, w.Text)
			if slices.ContainsFunc([]rune(w.Text), func(r rune) bool { return !fonts.Shows(r) }) {
				Fail(where + " has a letter without a glyph")
			}
			if w.XMin < margin-1 || w.XMax > page.Width-margin+1 || w.YMin < 0 || w.YMax > page.Height {
				Fail(where + " is outside of the margins")
			}
			for _, other := range page.Words[max(0, k-60):k] {
				if overlap(w, other) {
					Fail(where + " is on " + other.Text)
				}
			}
		}
	}
	if fault := textFault(fonts, d, pages); fault != "" {
		Fail(fmt.Sprintf("seed %d: %s", seed, fault))
	}
}

// textFault compares the letters that were drawn with those of the document: each text is there as a whole, and all texts
// together have as many of each letter as was drawn. The heads of pages that go on, and the feet, are left out; "" is no fault.
func textFault(fonts paper.Fonts, d document.Document, pages []sheet) string {
	const (
		foot    = (297 - 24 + 3) / point
		runHead = (18 + 7) / point
	)
	w := d.Words
	var drawn strings.Builder
	for n, page := range pages {
		var body, feet strings.Builder
		for _, one := range page.Words {
			switch {
			case one.YMin > foot:
				feet.WriteString(one.Text)
			case n > 0 && one.YMax < runHead:
			default:
				body.WriteString(one.Text)
			}
		}
		number := squeeze(w.Fill(w.Page, "page", fmt.Sprint(n+1), "pages", fmt.Sprint(len(pages))))
		if !strings.Contains(squeeze(feet.String()), number) {
			return fmt.Sprintf("page %d has no number", n+1)
		}
		text := squeeze(body.String())
		if n > 0 {
			for _, dated := range []bool{true, false} {
				text = strings.TrimPrefix(text, tableHead(d, dated))
			}
		}
		drawn.WriteString(text)
	}
	got := drawn.String()
	left := count(got)
	texts := textsOf(fonts, d)
	if len(d.Lines) > 0 { // where figures are long, the period of a line is below its name
		texts = append(texts, tableHead(d, strings.Contains(got, tableHead(d, true))))
	}
	for _, text := range texts {
		// pdftotext puts the letters of a word that runs from right to left in order, not the words.
		if !strings.Contains(got, text) && !strings.ContainsFunc(text, rightToLeft) {
			return fmt.Sprintf("%q is not drawn", text)
		}
		for r, n := range count(text) {
			left[r] -= n
		}
	}
	for r, n := range left {
		if n != 0 {
			return fmt.Sprintf("%q is drawn %+d times too often", r, n)
		}
	}
	return ""
}

func count(text string) map[rune]int {
	all := map[rune]int{}
	for _, r := range text {
		all[r]++
	}
	return all
}

func rightToLeft(r rune) bool { return unicode.In(r, unicode.Hebrew) }

// tableHead is what stands above the lines, with a column of periods or without.
func tableHead(d document.Document, dated bool) string {
	w := d.Words
	counted, rated := false, false
	for _, l := range d.Lines {
		counted = counted || d.Kind != document.KindReceipt
		rated = rated || d.Kind == document.KindInvoice && (l.Rate != "" || slices.ContainsFunc(l.Parts, func(p document.Part) bool { return p.Rate != "" }))
	}
	head := w.Description
	for _, column := range []struct {
		shown bool
		name  string
	}{{dated, w.Period}, {counted, w.Quantity}, {rated, w.RateColumn}, {true, w.AmountColumn + ", " + string(d.Currency)}} {
		if column.shown {
			head += column.name
		}
	}
	return squeeze(head)
}

// textsOf are all texts of a document as they are drawn, squeezed.
func textsOf(fonts paper.Fonts, d document.Document) (texts []string) {
	w := d.Words
	missing := false
	add := func(all ...string) {
		for _, text := range all {
			text, lost := drawable(fonts, text)
			missing = missing || lost
			if text = squeeze(text); text != "" {
				texts = append(texts, text)
			}
		}
	}
	short := func(text string) string {
		if runes := []rune(text); len(runes) > 200 {
			return string(runes[:200]) + "…"
		}
		return text
	}
	content := d.Letterhead.Content
	add(w.KindName(d.Kind))
	if d.Kind == document.KindReceipt {
		add(w.Fill(w.ForInvoice, "number", d.Number))
	} else {
		add(d.Number)
	}
	if len(d.Letterhead.Logo) == 0 {
		add(d.Seller)
	}
	switch {
	case d.Draft:
		add(w.Draft, w.DraftNote)
	case d.Void:
		add(w.Void, w.VoidNote)
	}
	add(w.From, short(d.Seller))
	for _, line := range document.SellerLines(content.Address) {
		add(short(line))
	}
	for _, n := range d.SellerNumbers() {
		add(short(n.Name + " " + n.Value))
	}
	add(short(content.Email), short(content.Phone), short(content.Website))
	add(w.To, short(d.Buyer.Name))
	for _, line := range document.AddressLines(d.Billing) {
		add(short(line))
	}
	if d.TaxID != nil {
		add(short(w.VATNumber + " " + d.TaxID.Value))
	}
	add(short(d.Buyer.Email))
	if shipped := document.AddressLines(d.Shipping); len(shipped) > 0 {
		add(w.ShipTo)
		for _, line := range shipped {
			add(short(line))
		}
	}
	for _, f := range d.Facts() {
		add(short(f.Name), short(f.Value))
	}
	add(d.Headline())
	for _, g := range d.Groups() {
		add(g.Name)
		for _, l := range g.Lines {
			add(l.Name, d.Days(l))
			if d.Kind != document.KindReceipt {
				add(w.Number(l.Quantity))
			}
			if l.Rate != "" {
				add(w.Rate(l.Rate))
			}
			add(w.Amount(l.Shown, d.Currency))
			if l.Converted(d) {
				add(w.Fill(w.InUnits, "amount", w.Money(l.Subtotal, l.Currency)))
			}
			for _, part := range l.Parts {
				add(part.Name, w.Number(part.Quantity), w.Rate(part.Rate), w.Amount(part.Amount, l.Currency))
			}
			for _, a := range l.Adjusted {
				add(a.Label, w.Amount(a.Amount, l.Currency))
			}
		}
		if g.Name != "" {
			add(w.Subtotal+" "+g.Name, w.Amount(g.Subtotal, d.Currency))
		}
	}
	for _, t := range d.Totals {
		label := t.Label
		if t.Grand {
			label += ", " + string(d.Currency)
		}
		add(label, w.Amount(t.Amount, d.Currency))
	}
	if d.Kind == document.KindInvoice && !d.Draft && !d.Void && !d.Payable.IsZero() {
		add(w.HowToPay)
		for _, f := range d.Bank() {
			add(f.Name, f.Value)
		}
		add(w.Fill(w.PayReference, "number", d.Number), content.Instructions)
	}
	add(d.Memo, w.Fill(w.Online, "address", d.Page))
	if missing {
		add(w.MissingGlyphs)
	}
	if len(d.ByDay()) > 0 {
		add(w.UsageByDay, w.UsageByDayNote)
		if d.DaysLeftOut > 0 {
			add(w.Fill(w.DaysLeftOut, "count", fmt.Sprint(d.DaysLeftOut)))
		}
	}
	for _, l := range d.ByDay() {
		add(l.Name, d.Days(l), w.DaysTotal, w.Number(l.Quantity))
		for _, day := range l.Days {
			add(w.Date(day.On), w.Number(day.Quantity))
		}
	}
	return texts
}

// drawable is a text as the fonts can show it: neighbors that none has are one "?", which is missed.
func drawable(fonts paper.Fonts, text string) (_ string, missed bool) {
	alike := map[rune]rune{'−': '–', '‑': '-', '\u202f': '\u00a0', '\u2009': ' '}
	lost := false // the letter before has no glyph
	var b strings.Builder
	for _, r := range text {
		switch {
		case unicode.IsControl(r):
			r = ' '
			b.WriteRune(r)
		case unicode.Is(unicode.Cf, r), unicode.Is(unicode.Mn, r) && !fonts.Shows(r):
		case fonts.Shows(r):
			lost = false
			b.WriteRune(r)
		case fonts.Shows(alike[r]):
			lost = false
			b.WriteRune(alike[r])
		default:
			missed = true
			if !lost {
				b.WriteRune('?')
			}
			lost = true
		}
	}
	return b.String(), missed
}

func squeeze(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '−' { // Noto Sans has none, and an en dash looks the same
			return '–'
		}
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, text)
}

// overlap reports two words whose middles of height and width cover each other.
func overlap(a, b word) bool {
	const slack = 1.2 // points; boxes of lines touch
	height := min(a.YMax, b.YMax) - max(a.YMin, b.YMin)
	width := min(a.XMax, b.XMax) - max(a.XMin, b.XMin)
	return width > slack && height > 0.45*min(a.YMax-a.YMin, b.YMax-b.YMin)
}

// hebrewOnly is a document with one name that runs from right to left.
func hebrewOnly() document.Document {
	d := madeUpDocument(3)
	d.Buyer.Name, d.Memo, d.Lines, d.Fields, d.Shipping = "חברה בע״מ", "", nil, nil, nil
	d.Issued = period.Date{Year: 2025, Month: time.February, Day: 2}
	return d
}
