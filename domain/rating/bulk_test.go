package rating_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/rating"
)

var _ = Describe("bulk", func() {
	messages := `{"tiers": [
		{"unit_amount": "0.06", "maximum_units": 1000},
		{"unit_amount": "0.045", "maximum_units": 5000},
		{"unit_amount": "0.03"}]}`
	bounded := `{"tiers": [
		{"unit_amount": "0.40", "maximum_units": 100},
		{"unit_amount": "0.50", "maximum_units": 10}]}`

	DescribeTable("charges the whole quantity at the rate of the tier it reaches",
		func(config string, u rating.Usage, subtotal string) {
			c := rating.Rate(model("bulk", config), u)
			Expect(c.Subtotal.String()).To(Equal(subtotal))
			Expect(c.Quantity).To(Equal(u.Quantity))
			Expect(parts(c)).To(BeEmpty())
		},
		Entry("in a middle tier", messages, total("3200"), "144"),
		Entry("on a bound, which is in the tier below", messages, total("1000"), "60"),
		Entry("half a unit above it, which costs less", messages, total("1000.5"), "45.0225"),
		Entry("in the tier without end", messages, total("10000"), "300"),
		Entry("none", messages, total("0"), "0"),
		Entry("nothing below zero", messages, total("-40"), "0"),
		Entry("ten units up to a bound of ten, tiers in any order", bounded, total("10"), "5"),
		Entry("more than ten", bounded, total("11"), "4.4"),
		Entry("beyond the last bound, at the last rate", bounded, total("101"), "40.4"),
		Entry("all of what was used in part of a period", messages, over("1000", 1, 2), "60"),
		Entry("a fixed fee by days", messages, fixed("1000", 1, 2), "30"),
	)
})
