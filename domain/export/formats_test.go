package export_test

import (
	"bytes"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/xuri/excelize/v2"
	"pgregory.net/rapid"

	"tollkeeper/domain/export"
	"tollkeeper/domain/money"
)

var _ = Describe("A cell of CSV", func() {
	// The rule: semantics 22.2.3.
	DescribeTable("is no formula",
		func(text, shown string) { Expect(export.Guard(text)).To(Equal(shown)) },
		Entry("plain text", "Acme", "Acme"),
		Entry("a formula", `=HYPERLINK("http://evil.test")`, `'=HYPERLINK("http://evil.test")`),
		Entry("a sum", "+1", "'+1"),
		Entry("a difference", "-1+cmd|' /C calc'!A0", "'-1+cmd|' /C calc'!A0"),
		Entry("a function of old", "@SUM(A1)", "'@SUM(A1)"),
		Entry("behind a tab", "\t=1", "'\t=1"),
		Entry("behind a line break", "\r\n=1", "'\r\n=1"),
		Entry("in full width", "＝1", "'＝1"),
		Entry("an apostrophe of its own", "'tis", "''tis"),
		Entry("a sign inside", "a=1", "a=1"),
		Entry("nothing", "", ""),
	)

	It("can be read back, whatever it is: an apostrophe at the start is taken off", func() {
		rapid.Check(GinkgoT(), func(rt *rapid.T) {
			text := rapid.StringOf(rapid.SampledFrom([]rune("=+-@'\t\r\n＝a1"))).Draw(rt, "text")
			if shown := export.Guard(text); strings.TrimPrefix(shown, "'") != text {
				rt.Fatalf("%q is shown as %q", text, shown)
			}
		})
	})
})

var _ = Describe("A number of XLSX", func() {
	// The rule: semantics 22.2.1.
	DescribeTable("is a number cell where it keeps its value, and text otherwise",
		func(digits string, kept bool) {
			value, err := export.XLSXNumber(digits)
			Expect(err).NotTo(HaveOccurred())
			if !kept {
				Expect(value).To(Equal(digits))
				return
			}
			Expect(value).To(BeNumerically("~", value), "it is a number")
		},
		Entry("an amount", "20.25", true),
		Entry("a debt", "-0.10", true),
		Entry("fifteen digits", "9999999999999.99", true),
		Entry("trailing zeros beyond them", "120.00000000000000000", true),
		Entry("sixteen digits", "99999999999999.99", false),
		Entry("a price of many digits", "0.123456789012345678", false),
		Entry("a large number of round digits", "1000000000000000000000", false),
		Entry("a small one", "0.000000000123", true),
	)

	It("has the same value in the file, whatever it is", func() {
		rapid.Check(GinkgoT(), func(rt *rapid.T) {
			digits := rapid.StringMatching(`-?(0|[1-9][0-9]{0,17})(\.[0-9]{1,12})?`).Draw(rt, "number")
			var file bytes.Buffer
			if err := export.WriteSheets(&file, 10, digits); err != nil {
				rt.Fatal(err)
			}
			book, err := excelize.OpenReader(&file)
			if err != nil {
				rt.Fatal(err)
			}
			shown, err := book.GetCellValue("lines", "A2", excelize.Options{RawCellValue: true})
			if err != nil || !money.Must(shown).Equal(money.Must(digits)) {
				rt.Fatalf("%s is %q: %v", digits, shown, err)
			}
		})
	})

	// The rule: semantics 22.2.4.
	It("is on the next sheet where one is full, under the header", func() {
		var file bytes.Buffer
		Expect(export.WriteSheets(&file, 2, "1", "2", "3", "4", "5")).To(Succeed())
		book, err := excelize.OpenReader(&file)
		Expect(err).NotTo(HaveOccurred())
		Expect(book.GetSheetList()).To(Equal([]string{"lines", "lines 2", "lines 3"}))
		for sheet, rows := range map[string][][]string{
			"lines": {{"amount"}, {"1"}, {"2"}}, "lines 2": {{"amount"}, {"3"}, {"4"}}, "lines 3": {{"amount"}, {"5"}},
		} {
			Expect(book.GetRows(sheet)).To(Equal(rows))
		}
	})
})
