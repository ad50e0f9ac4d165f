package console_test

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/server/console"
)

var _ = Describe("Figures", func() {
	DescribeTable("show an amount",
		func(value, currency, text, fine string) {
			shown, rest := console.AmountFigure(value, currency)
			Expect([]string{shown, rest}).To(Equal([]string{text, fine}))
		},
		Entry("with groups of thousands", "1049.92", "USD", "1,049.92", ""),
		Entry("with the places of its currency", "5", "USD", "5.00", ""),
		Entry("without places where the currency has none", "1200", "JPY", "1,200", ""),
		Entry("with three places", "1.5", "KWD", "1.500", ""),
		Entry("below zero with a minus sign", "-12.30", "USD", "−12.30", ""),
		Entry("with further digits apart", "272.243043", "USD", "272.24", "3043"),
		Entry("with further digits of a currency without places", "12.5", "JPY", "12", ".5"),
		Entry("of a custom unit as it is", "12.5", "credits", "12.5", ""),
		Entry("that no double holds", "123456789012345678901234.12", "USD", "123,456,789,012,345,678,901,234.12", ""),
	)

	DescribeTable("show a rate with the digits it was entered with",
		func(value, text string) { Expect(console.NumberText(value)).To(Equal(text)) },
		Entry("small", "0.000190", "0.000190"), Entry("whole", "1000000", "1,000,000"), Entry("negative", "-3", "−3"),
	)

	day := func(text string) time.Time {
		at, err := time.Parse(time.DateOnly, text)
		Expect(err).NotTo(HaveOccurred())
		return at
	}
	DescribeTable("name both days of a period",
		func(start, end, text string) { Expect(console.PeriodText(day(start), day(end))).To(Equal(text)) },
		Entry("in one year", "2025-01-01", "2025-02-01", "1 Jan – 31 Jan 2025"),
		Entry("over the end of a year", "2024-12-15", "2025-01-15", "15 Dec 2024 – 14 Jan 2025"),
		Entry("of one day", "2025-03-01", "2025-03-02", "1 Mar 2025"),
	)

	It("write names in words", func() {
		Expect(console.Words("fixed_fee_quantity")).To(Equal("Fixed fee quantity"))
		Expect(console.Initials("Mira Kovač")).To(Equal("MK"))
		Expect(console.Initials("")).To(BeEmpty())
	})
})
