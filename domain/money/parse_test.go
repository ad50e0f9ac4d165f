package money_test

import (
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"tollkeeper/domain/money"
)

var _ = Describe("Parse", func() {
	DescribeTable("refuses what is not a decimal string of the wire",
		func(s string) {
			_, err := money.Parse(s)
			Expect(err).To(HaveOccurred())
		},
		Entry("nothing", ""),
		Entry("a plus sign", "+1"),
		Entry("an exponent", "1e3"),
		Entry("no digit before the point", ".5"),
		Entry("no digit after the point", "5."),
		Entry("a blank", " 1"),
		Entry("a line end", "1\n"),
		Entry("two points", "1.2.3"),
		Entry("a comma", "1,5"),
		Entry("an underscore", "1_0"),
		Entry("hexadecimal", "0x10"),
		Entry("NaN", "NaN"),
		Entry("infinity", "Infinity"),
		Entry("digits of another script", "١٢"),
		Entry("31 digits before the point", strings.Repeat("1", 31)),
		Entry("21 digits after the point", "0."+strings.Repeat("1", 21)),
	)

	It("accepts the longest", func() {
		longest := "-" + strings.Repeat("9", 30) + "." + strings.Repeat("9", 20)
		Expect(money.Must(longest).String()).To(Equal(longest))
	})
})

var _ = Describe("ParseNumber", func() {
	DescribeTable("resolves the exponent",
		func(in, out string) {
			d, err := money.ParseNumber(in)
			Expect(err).NotTo(HaveOccurred())
			Expect(d.String()).To(Equal(out))
		},
		Entry("none", "12.50", "12.5"),
		Entry("as Python prints small floats", "1e-05", "0.00001"),
		Entry("a plus sign", "1.5E+3", "1500"),
		Entry("the largest", "9.9e29", "99"+strings.Repeat("0", 28)),
		Entry("the smallest place", "1e-60", "0."+strings.Repeat("0", 59)+"1"),
		Entry("zeros at the end are no digits", "1."+strings.Repeat("0", 80), "1"),
		Entry("zeros at the front are no digits", "0."+strings.Repeat("0", 50)+"1", "0."+strings.Repeat("0", 50)+"1"),
		Entry("zero whatever its exponent", "0e999999999", "0"),
		Entry("no negative zero", "-0.0", "0"),
	)

	DescribeTable("refuses, without expanding it,",
		func(in string) {
			_, err := money.ParseNumber(in)
			Expect(err).To(HaveOccurred())
		},
		Entry("a number of 1e30", "1e30"),
		Entry("a huge exponent", "1e400000"),
		Entry("an exponent beyond an int", "1e99999999999999999999"),
		Entry("an exponent that would overflow when shifted", "1.5e-9223372036854775808"),
		Entry("61 places", "1e-61"),
		Entry("39 significant digits", strings.Repeat("1", 20)+"."+strings.Repeat("1", 19)),
		Entry("a leading zero", "01"),
		Entry("a plus sign", "+1"),
		Entry("no digit after the point", "1."),
		Entry("a string", `"1"`),
		Entry("nothing", ""),
	)

	property("reads the text of every Decimal within its bounds", func(t *rapid.T) {
		s := rapid.StringMatching(`-?[1-9][0-9]{0,17}(\.[0-9]{1,20})?(e-?[0-9])?`).Draw(t, "number")
		d, err := money.ParseNumber(s)
		if err != nil {
			t.Fatalf("%s: %v", s, err)
		}
		if got, want := d.String(), text(rat(s)); got != want {
			t.Fatalf("%s reads as %s, want %s", s, got, want)
		}
		again, err := money.ParseNumber(d.String())
		if err != nil || !again.Equal(d) {
			t.Fatalf("%s reads as %s, %v", d, again, err)
		}
	})
})
