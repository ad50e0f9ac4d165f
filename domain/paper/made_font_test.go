package paper_test

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/document"
	"tollkeeper/domain/letterhead"
	"tollkeeper/domain/money"
	"tollkeeper/domain/paper"
)

// makeFont is a TrueType font in which some characters, of the basic plane, have shapes of Latin letters: that of the program
// with another table of characters.
func makeFont(characters []rune) []byte {
	GinkgoHelper()
	font, err := os.ReadFile("fonts/NotoSans-Regular.ttf")
	Expect(err).NotTo(HaveOccurred())
	slices.Sort(characters)
	characters = append(slices.Compact(characters), 0xffff) // which ends the table
	n := len(characters)
	word := func(b []byte, v int) []byte { return binary.BigEndian.AppendUint16(b, uint16(v)) }
	table := word(nil, 4)
	for _, v := range []int{16 + 8*n, 0, 2 * n, 0, 0, 0} {
		table = word(table, v)
	}
	for _, r := range characters { // ends of segments of one character each
		table = word(table, int(r))
	}
	table = word(table, 0)
	for _, r := range characters {
		table = word(table, int(r))
	}
	for k, r := range characters {
		glyph := 36 + k%50
		if r == 0xffff {
			glyph = 0
		}
		table = word(table, (glyph-int(r))&0xffff)
	}
	for range characters {
		table = word(table, 0)
	}
	head := []byte{0, 0, 0, 1, 0, 3, 0, 1, 0, 0, 0, 12} // one table, of Unicode
	table = append(head, table...)
	for len(font)%4 != 0 {
		font = append(font, 0)
	}
	for k := range int(binary.BigEndian.Uint16(font[4:])) {
		entry := font[12+16*k:]
		if string(entry[:4]) == "cmap" {
			binary.BigEndian.PutUint32(entry[8:], uint32(len(font)))
			binary.BigEndian.PutUint32(entry[12:], uint32(len(table)))
			return append(font, table...)
		}
	}
	Fail("the font has no table of characters")
	return nil
}

var _ = Describe("A font of the folder with Japanese characters", func() {
	It("lets documents be in Japanese, with lines that are broken between characters", func() {
		needsPoppler()
		words := document.In(letterhead.Japanese)
		name := ""
		for range 12 {
			name += "株式会社日本語音声認識"
		}
		var characters []rune
		for _, text := range append(words.All(), name, words.LongDate(hebrewOnly().Issued)) {
			for _, r := range text {
				if r > 0x2000 {
					characters = append(characters, r)
				}
			}
		}
		folder := GinkgoT().TempDir()
		Expect(os.WriteFile(filepath.Join(folder, "made.ttf"), makeFont(characters), 0o600)).To(Succeed())
		fonts, err := paper.LoadFonts(folder)
		Expect(err).NotTo(HaveOccurred())
		Expect(fonts.ShowsWords(words)).To(BeTrue())
		for seed := range max(4, madeUp()/10) {
			d := madeUpDocument(2000 + seed)
			d.Words, d.Buyer.Name, d.Memo, d.Totals = words, "株式会社日本", name, d.Totals[len(d.Totals)-1:]
			d.Totals[0].Label = words.ToPay
			d.Payable = d.Totals[0].Amount
			for k := range d.Lines {
				d.Lines[k].Adjusted = nil
			}
			checkDrawn(fonts, 2000+seed, d)
		}
		sample := document.Loader{Shows: fonts.ShowsWords}.Sample(letterhead.Letterhead{Content: letterhead.Content{
			Language: letterhead.Japanese, Bank: letterhead.Bank{IBAN: "IE29AIBK93115212345678"},
		}}, "日本")
		Expect(sample.Words.Language).To(Equal(letterhead.Japanese))
		Expect(sample.Payable.Cmp(money.Must("535"))).To(BeZero())
		sample.Page = "https://bill.example/i/i_sample"
		checkDrawn(fonts, 0, sample)
		without := document.Loader{Shows: paper.BuiltIn.ShowsWords}.Sample(letterhead.Letterhead{Content: letterhead.Content{Language: letterhead.Japanese}}, "Ours")
		Expect(without.Words.Language).To(Equal(letterhead.English))
	})
})
