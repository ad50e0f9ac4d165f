package paper_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/document"
	"tollkeeper/domain/letterhead"
	"tollkeeper/domain/money"
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

// BenchmarkRender draws an invoice of 2,000 lines. make bench has its target.
func BenchmarkRender(b *testing.B) {
	d := randomly{rand.New(rand.NewPCG(7, 7))}.document(2000)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := paper.Render(paper.BuiltIn, d); err != nil {
			b.Fatal(err)
		}
	}
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

	// The rule: semantics 19.5.2.
	It("draws the form of a logo that was made for it, and does not read the file that was sent", func() {
		d := madeUpDocument(1)
		d.Letterhead.Logo, d.Letterhead.LogoType, d.Letterhead.LogoDrawn = []byte("not an image"), "image/png", nil
		without, err := paper.Render(paper.BuiltIn, d)
		Expect(err).NotTo(HaveOccurred())
		Expect(string(without)).NotTo(ContainSubstring("/Subtype /Image"))
		d.Letterhead.LogoDrawn = logo()
		with, err := paper.Render(paper.BuiltIn, d)
		Expect(err).NotTo(HaveOccurred())
		Expect(string(with)).To(ContainSubstring("/Subtype /Image"))
	})

	It("takes no more time for each line the longer it is", func() {
		r := randomly{rand.New(rand.NewPCG(7, 7))}
		took := func(lines int) time.Duration {
			d := r.document(lines)
			least := time.Hour
			for range 5 { // the least is what it takes; the rest is what else the machine does
				began := processorTime()
				_, err := paper.Render(paper.BuiltIn, d)
				Expect(err).NotTo(HaveOccurred())
				least = min(least, processorTime()-began)
			}
			AddReportEntry(fmt.Sprintf("%d lines", lines), least.String())
			GinkgoWriter.Printf("%d lines: %s of processor time\n", lines, least)
			return least
		}
		short, long := took(100), took(2000)
		Expect(long).To(BeNumerically("<", 40*short), "20 times the lines; work that grows with their square would take 400 times as long")
	})

	It("has the text of the document and no other, all of it within the page", func() {
		needsPoppler()
		for seed := range madeUp() {
			checkDrawn(paper.BuiltIn, seed, madeUpDocument(seed))
		}
	})

	It("is found to differ from a document with another letter, amount or line", func() {
		needsPoppler()
		d := madeUpDocument(4)
		Expect(d.Lines).NotTo(BeEmpty())
		pages := readBack(draw(paper.BuiltIn, d))
		Expect(textFault(paper.BuiltIn, d, pages)).To(BeEmpty())
		for what, change := range map[string]func(d *document.Document){
			"a letter":  func(d *document.Document) { d.Buyer.Name += "x" },
			"an amount": func(d *document.Document) { d.Totals[0].Amount = d.Totals[0].Amount.Add(money.FromInt(1)) },
			"a line":    func(d *document.Document) { d.Lines = d.Lines[1:] },
			"a memo":    func(d *document.Document) { d.Memo += " Something else." },
		} {
			other := d
			other.Totals = slices.Clone(d.Totals)
			change(&other)
			Expect(textFault(paper.BuiltIn, other, pages)).NotTo(BeEmpty(), what)
		}
	})

	It("shows letters of the fonts of a folder, and Hebrew in the order in which it is read", func() {
		needsPoppler()
		const dejavu = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"
		font, err := os.ReadFile(dejavu)
		if err != nil {
			Skip("fonts-dejavu is not installed: there is no font with Hebrew")
		}
		folder := GinkgoT().TempDir()
		Expect(os.WriteFile(filepath.Join(folder, "dejavu.ttf"), font, 0o600)).To(Succeed())
		fonts, err := paper.LoadFonts(folder)
		Expect(err).NotTo(HaveOccurred())
		for seed := range max(3, madeUp()/10) {
			d := madeUpDocument(1000 + seed)
			d.Buyer.Name = "חברה בע״מ 12 אבג"
			checkDrawn(fonts, 1000+seed, d)
		}
		drawn := textOf(draw(fonts, hebrewOnly()))
		Expect(squeeze(drawn)).To(ContainSubstring(squeeze("חברה בע״מ")))
	})

	// The rule: semantics 19.3.3.
	It("has no box for a letter that no font has, and says so", func() {
		needsPoppler()
		d := madeUpDocument(3)
		d.Buyer.Name, d.Memo, d.Words = "株式会社日本", "", document.In(letterhead.English)
		drawn := textOf(draw(paper.BuiltIn, d))
		Expect(drawn).NotTo(ContainSubstring("\ufffd"))
		Expect(drawn).To(ContainSubstring("?"))
		Expect(strings.Join(strings.Fields(drawn), " ")).To(ContainSubstring("are not in the fonts"))
	})

	// The rule: semantics 19.3.4.
	It("shows the words of every language but Japanese, for which a font must be given", func() {
		for _, language := range letterhead.Languages {
			Expect(paper.BuiltIn.ShowsWords(document.In(language))).To(Equal(language != letterhead.Japanese), string(language))
		}
	})

	// The rule: semantics 19.3.2.
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
