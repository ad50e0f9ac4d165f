package paper_test

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/document"
	"tollkeeper/domain/letterhead"
	"tollkeeper/domain/paper"
)

// madeUp is how many documents are drawn and read back: SPEC_DOCUMENTS, else a few.
func madeUp() int {
	if n, err := strconv.Atoi(os.Getenv("SPEC_DOCUMENTS")); err == nil {
		return n
	}
	return 12
}

// lengths of lists of lines.
var lengths = []int{0, 1, 2, 5, 10, 11, 12, 13, 30, 60}

func madeUpDocument(seed int) document.Document {
	r := randomly{rand.New(rand.NewPCG(uint64(seed), 1))}
	n := lengths[r.IntN(len(lengths))]
	if seed%100 == 99 {
		n = 2000
	}
	return r.document(n)
}

var _ = Describe("A PDF", func() {
	It("has the same bytes each time", func() {
		for seed := range madeUp() {
			d := madeUpDocument(seed)
			first, err := paper.Render(paper.BuiltIn, d, paper.Attachment{Name: "a.xml", Content: []byte("<a/>")})
			Expect(err).NotTo(HaveOccurred())
			second, err := paper.Render(paper.BuiltIn, d, paper.Attachment{Name: "a.xml", Content: []byte("<a/>")})
			Expect(err).NotTo(HaveOccurred())
			Expect(bytes.Equal(first, second)).To(BeTrue(), "seed %d", seed)
		}
	})

	It("is drawn fast enough", func() {
		r := randomly{rand.New(rand.NewPCG(7, 7))}
		for _, most := range []struct {
			lines int
			took  time.Duration
		}{{10, 50 * time.Millisecond}, {2000, 500 * time.Millisecond}} {
			d := r.document(most.lines)
			least := time.Hour
			for range 5 { // the least is what it takes; the rest is what else the machine does
				began := processorTime()
				_, err := paper.Render(paper.BuiltIn, d)
				Expect(err).NotTo(HaveOccurred())
				least = min(least, processorTime()-began)
			}
			AddReportEntry(fmt.Sprintf("%d lines", most.lines), least.String())
			GinkgoWriter.Printf("%d lines: %s of processor time\n", most.lines, least)
			if !raceDetector {
				Expect(least).To(BeNumerically("<", most.took), "%d lines", most.lines)
			}
		}
	})

	It("shows all text within the page, and the totals", func() {
		needsPoppler()
		for seed := range madeUp() {
			checkDrawn(seed, madeUpDocument(seed))
		}
	})

	It("has no box for a letter that no font has, and says so", func() {
		needsPoppler()
		d := madeUpDocument(3)
		d.Buyer.Name, d.Memo, d.Words = "株式会社日本", "", document.In(letterhead.English)
		drawn := textOf(draw(d))
		Expect(drawn).NotTo(ContainSubstring("\ufffd"))
		Expect(drawn).To(ContainSubstring("?"))
		Expect(strings.Join(strings.Fields(drawn), " ")).To(ContainSubstring("are not in the fonts"))
	})

	It("shows the words of every language but Japanese, for which a font must be given", func() {
		for _, language := range letterhead.Languages {
			Expect(paper.BuiltIn.ShowsWords(document.In(language))).To(Equal(language != letterhead.Japanese), string(language))
		}
	})

	It("has fonts of a folder", func() {
		_, err := paper.LoadFonts(filepath.Join(GinkgoT().TempDir(), "none"))
		Expect(err).To(HaveOccurred())
		folder := GinkgoT().TempDir()
		Expect(os.WriteFile(filepath.Join(folder, "broken.ttf"), []byte("no font"), 0o600)).To(Succeed())
		_, err = paper.LoadFonts(folder)
		Expect(err).To(MatchError(ContainSubstring("broken.ttf")))
	})
})

func processorTime() time.Duration {
	var used syscall.Rusage
	Expect(syscall.Getrusage(syscall.RUSAGE_SELF, &used)).To(Succeed())
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// needsPoppler leaves a spec out, and says so, where its commands are not installed.
func needsPoppler() {
	if _, err := exec.LookPath("pdftotext"); err != nil {
		Skip("poppler-utils is not installed: PDFs are not read back")
	}
}

func draw(d document.Document) string {
	GinkgoHelper()
	content, err := paper.Render(paper.BuiltIn, d)
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

type pages struct {
	Pages []struct {
		Width  float64 `xml:"width,attr"`
		Height float64 `xml:"height,attr"`
		Words  []word  `xml:"word"`
	} `xml:"body>doc>page"`
}

// checkDrawn reads a document back: all words are within the margins and above the foot, no two are
// on each other, and the totals are those of the document.
func checkDrawn(seed int, d document.Document) {
	GinkgoHelper()
	file := draw(d)
	out, err := exec.Command("pdftotext", "-bbox", file, "-").Output()
	Expect(err).NotTo(HaveOccurred())
	var found pages
	decoder := xml.NewDecoder(bytes.NewReader(out))
	decoder.Strict = false
	decoder.Entity = xml.HTMLEntity
	Expect(decoder.Decode(&found)).To(Succeed())
	Expect(found.Pages).NotTo(BeEmpty())
	const margin = 18 * 72 / 25.4
	var all []string
	for n, page := range found.Pages {
		for k, w := range page.Words {
			all = append(all, w.Text)
			for _, r := range w.Text {
				Expect(paper.BuiltIn.Shows(r)).To(BeTrue(), "seed %d page %d: %q has no glyph for %q", seed, n+1, w.Text, r)
			}
			Expect(w.XMin).To(BeNumerically(">=", margin-1), "seed %d page %d: %q", seed, n+1, w.Text)
			Expect(w.XMax).To(BeNumerically("<=", page.Width-margin+1), "seed %d page %d: %q", seed, n+1, w.Text)
			Expect(w.YMin).To(BeNumerically(">=", 0), "seed %d page %d: %q", seed, n+1, w.Text)
			Expect(w.YMax).To(BeNumerically("<=", page.Height), "seed %d page %d: %q", seed, n+1, w.Text)
			for _, other := range page.Words[max(0, k-60):k] {
				Expect(overlap(w, other)).To(BeFalse(), "seed %d page %d: %q is on %q", seed, n+1, w.Text, other.Text)
			}
		}
	}
	drawn := squeeze(strings.Join(all, ""))
	for _, t := range d.Totals {
		Expect(drawn).To(ContainSubstring(squeeze(d.Words.Amount(t.Amount, d.Currency))), "seed %d: %s", seed, t.Label)
	}
	for _, l := range d.Lines[:min(len(d.Lines), 40)] {
		Expect(drawn).To(ContainSubstring(squeeze(d.Words.Amount(l.Shown, d.Currency))), "seed %d: %s", seed, l.ID)
	}
	Expect(drawn).To(ContainSubstring(d.Number))
}

func squeeze(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '−' { // Noto Sans has none, and an en dash looks the same
			return '–'
		}
		if r == ' ' || r == '\u00a0' || r == '\n' || r == '\t' {
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
