package document_test

import (
	"regexp"
	"slices"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/document"
	"tollkeeper/domain/letterhead"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
)

var _ = Describe("The words of documents", func() {
	It("are there in every language, with the same names to fill in", func() {
		named := regexp.MustCompile(`\{[a-z]+\}`)
		names := func(text string) []string {
			found := named.FindAllString(text, -1)
			slices.Sort(found)
			return found
		}
		english := document.In(letterhead.English).All()
		for _, language := range letterhead.Languages {
			for k, text := range document.In(language).All() {
				Expect(text).NotTo(BeEmpty(), "%s: word %d, %s", language, k, english[k])
				if k > 0 { // the first is the language itself
					Expect(names(text)).To(Equal(names(english[k])), "%s: %s", language, text)
				}
			}
		}
	})

	// The rule: semantics 19.2.2.
	DescribeTable("write amounts as the language does, with the places of the currency",
		func(language letterhead.Language, amount string, currency money.Currency, written string) {
			Expect(document.In(language).Money(money.Must(amount), currency)).To(Equal(written))
		},
		Entry("English", letterhead.English, "1234567.5", money.Currency("USD"), "USD\u00a01,234,567.50"),
		Entry("German", letterhead.German, "-1234.5", money.Currency("EUR"), "−1.234,50\u00a0EUR"),
		Entry("French", letterhead.French, "1234.5", money.Currency("EUR"), "1\u00a0234,50\u00a0EUR"),
		Entry("Spanish groups from five digits on", letterhead.Spanish, "1234.5", money.Currency("EUR"), "1234,50\u00a0EUR"),
		Entry("Spanish groups five digits", letterhead.Spanish, "12345.5", money.Currency("EUR"), "12.345,50\u00a0EUR"),
		Entry("Portuguese", letterhead.Portuguese, "999", money.Currency("BRL"), "999,00\u00a0BRL"),
		Entry("yen have no places", letterhead.Japanese, "1234", money.Currency("JPY"), "JPY\u00a01,234"),
		Entry("dinars have three", letterhead.English, "0.005", money.Currency("KWD"), "KWD\u00a00.005"),
		Entry("a custom unit has its own", letterhead.English, "1000.125", money.Currency("credits"), "credits\u00a01,000.125"),
	)

	DescribeTable("write dates",
		func(language letterhead.Language, short, long string) {
			day := period.Date{Year: 2025, Month: time.March, Day: 1}
			Expect(document.In(language).Date(day)).To(Equal(short))
			Expect(document.In(language).LongDate(day)).To(Equal(long))
		},
		Entry(nil, letterhead.English, "1 Mar 2025", "1 March 2025"),
		Entry(nil, letterhead.German, "01.03.2025", "1. März 2025"),
		Entry(nil, letterhead.French, "01/03/2025", "1 mars 2025"),
		Entry(nil, letterhead.Spanish, "01/03/2025", "1 de marzo de 2025"),
		Entry(nil, letterhead.Portuguese, "01/03/2025", "1 de março de 2025"),
		Entry(nil, letterhead.Japanese, "2025/03/01", "2025年3月1日"),
	)

	It("keep the digits of rates", func() {
		Expect(document.In(letterhead.German).Rate("0.000190")).To(Equal("0,000190"))
		Expect(document.In(letterhead.English).Rate("12500")).To(Equal("12,500"))
	})
})
