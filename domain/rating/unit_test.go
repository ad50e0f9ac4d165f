package rating_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/rating"
)

var _ = Describe("unit", func() {
	apiCalls := `{"unit_amount": "0.035"}`
	seats := `{"unit_amount": "30", "prorated": true}`

	DescribeTable("charges the same for every unit",
		func(config string, u rating.Usage, subtotal string) {
			c := rating.Rate(model("unit", config), u)
			Expect(c.Subtotal.String()).To(Equal(subtotal))
			Expect(c.Quantity).To(Equal(u.Quantity))
			Expect(parts(c)).To(BeEmpty())
		},
		Entry("many", apiCalls, total("5210"), "182.35"),
		Entry("a fraction of one", apiCalls, total("12.5"), "0.4375"),
		Entry("none", apiCalls, total("0"), "0"),
		Entry("below zero, as a credit", apiCalls, total("-40"), "-1.4"),
		Entry("at a rate of zero", `{"unit_amount": "0"}`, total("5210"), "0"),
		Entry("all of what was used in part of a period", apiCalls, over("5210", 10, 30), "182.35"),
		Entry("in part of a period, if prorated", seats, over("2", 10, 30), "20"),
		Entry("in a full period, if prorated", seats, over("2", 30, 30), "60"),
		Entry("to the 20th digit, where days do not divide evenly", seats, over("1", 10, 31), "9.67741935483870967741"),
		Entry("nothing for no days", seats, over("2", 0, 30), "0"),
		Entry("a fixed fee by days", `{"unit_amount": "310.00"}`, fixed("1", 17, 31), "170"),
		Entry("a fixed fee by days only once, though prorated", seats, fixed("2", 10, 30), "20"),
		Entry("a fixed fee of a full period", `{"unit_amount": "900.00", "prorated": null}`, fixed("1", 90, 90), "900"),
		Entry("a fixed fee of 49 days in 90 (T-7)", `{"unit_amount": "900.00"}`, fixed("1", 49, 90), "490"),
	)
})
