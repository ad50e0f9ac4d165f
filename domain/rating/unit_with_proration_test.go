package rating_test

import (
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"pgregory.net/rapid"
)

const licence = `{"unit_amount": "9"}`

var _ = golden("unit_with_proration",
	costs("every unit in a full period", licence, total("4"), "36"),
	costs("by days in part of a period", licence, over("4", 7, 28), "9"),
	costs("to the 20th digit, where days do not divide evenly", licence, over("4", 3, 31), "3.48387096774193548387"),
	atBound("in full for every day of a period", licence, over("4", 31, 31), "36"),
	costs("nothing for no days", licence, over("4", 0, 31), "0"),
	costs("fractions of a unit", licence, over("0.5", 10, 30), "1.5"),
	costs("nothing without usage", licence, over("0", 7, 28), "0"),
	costs("a credit by days below zero", licence, over("-4", 7, 28), "-9"),
	costs("a fixed fee by days only once", licence, fixed("4", 7, 28), "9"),
)

var _ = Describe("a unit_with_proration price", func() {
	DescribeTable("is refused",
		func(config string, fields ...string) {
			Expect(refused("unit_with_proration", config)).To(Equal(fields))
		},
		Entry("with nothing", `{}`, "unit_amount"),
		Entry("with a negative rate", `{"unit_amount": "-9"}`, "unit_amount"),
		Entry("with a number", `{"unit_amount": 9}`, "unit_amount"),
		Entry("with the flag it does not need", `{"unit_amount": "9", "prorated": true}`, "prorated"),
	)
})

var _ = propertyOf("unit_with_proration", func(t *rapid.T) string {
	return fmt.Sprintf(`{"unit_amount": %q}`, drawRate(t))
})
