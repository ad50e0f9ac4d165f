package rating_test

import (
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"tollkeeper/domain/rating"
)

const commission = `{"unit_amount": "2.40", "percent": "12.5"}`

var _ = golden("unit_with_percent",
	costs("a percentage of what units are worth", commission, total("300"), "90"),
	costs("the same of a fraction of a unit", commission, total("0.01"), "0.003"),
	costs("nothing without usage", commission, total("0"), "0"),
	costs("a credit below zero", commission, total("-40"), "-12"),
	atBound("all of it at 100 percent", `{"unit_amount": "2.40", "percent": "100"}`, total("300"), "720"),
	costs("more than all of it above", `{"unit_amount": "2.40", "percent": "150"}`, total("300"), "1080"),
	costs("nothing at 0 percent", `{"unit_amount": "2.40", "percent": "0"}`, total("300"), "0"),
	costs("all of what was used in part of a period", commission, over("300", 10, 30), "90"),
	costs("a fixed fee by days", commission, fixed("300", 10, 30), "30"),
)

var _ = Describe("a unit_with_percent price", func() {
	It("says what was charged of what was used", func() {
		c := rating.Rate(model("unit_with_percent", commission), total("300"))
		Expect(c.Quantity.String()).To(Equal("300"))
		Expect(working(c)).To(Equal([]string{"12.5% of units: 300 scaled 37.5 at 2.40 for 90"}))
	})

	DescribeTable("is refused",
		func(config string, fields ...string) {
			Expect(refused("unit_with_percent", config)).To(Equal(fields))
		},
		Entry("with nothing", `{}`, "unit_amount", "percent"),
		Entry("with a negative percentage", `{"unit_amount": "1", "percent": "-1"}`, "percent"),
		Entry("with a negative rate", `{"unit_amount": "-1", "percent": "1"}`, "unit_amount"),
		Entry("with a number for a percentage", `{"unit_amount": "1", "percent": 1}`, "percent"),
		Entry("with a percent sign", `{"unit_amount": "1", "percent": "1%"}`, "percent"),
		Entry("with an unknown key", `{"unit_amount": "1", "percent": "1", "prorated": true}`, "prorated"),
	)
})

var _ = propertyOf("unit_with_percent", func(t *rapid.T) string {
	return fmt.Sprintf(`{"unit_amount": %q, "percent": %q}`, drawRate(t), drawRate(t))
})
