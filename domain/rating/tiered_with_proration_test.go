package rating_test

import (
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"pgregory.net/rapid"
)

const tieredSeats = `{"tiers": [{"tier_lower_bound": "0", "unit_amount": "3"}, {"tier_lower_bound": "20", "unit_amount": "2"}]}`

var _ = golden("tiered_with_proration",
	costs("each unit at its own tier's rate", tieredSeats, total("32"), "84",
		`tier "0 - 20": 20 for 60`, `tier "20+": 12 for 24`),
	costs("in part of a period by days, the bounds unmoved", tieredSeats, over("32", 15, 30), "42",
		`tier "0 - 20": 20 for 30`, `tier "20+": 12 for 12`),
	atBound("a bound begins no tier", tieredSeats, total("20"), "60", `tier "0 - 20": 20 for 60`),
	costs("a fraction of a unit above it is in the next", tieredSeats, total("20.25"), "60.5",
		`tier "0 - 20": 20 for 60`, `tier "20+": 0.25 for 0.5`),
	costs("parts that sum to the last digit", tieredSeats, over("21", 1, 31), "2",
		`tier "0 - 20": 20 for 1.93548387096774193548`, `tier "20+": 1 for 0.06451612903225806452`),
	costs("nothing without usage, and no parts", tieredSeats, over("0", 15, 30), "0"),
	costs("nothing below zero", tieredSeats, total("-32"), "0"),
	costs("a fixed fee by days only once", tieredSeats, fixed("32", 15, 30), "42",
		`tier "0 - 20": 20 for 30`, `tier "20+": 12 for 12`),
	costs("one tier alone", `{"tiers": [{"tier_lower_bound": "0", "unit_amount": "3"}]}`, over("4", 10, 30), "4", `tier "0+": 4 for 4`),
)

var _ = Describe("a tiered_with_proration price", func() {
	DescribeTable("is refused",
		func(config string, fields ...string) {
			Expect(refused("tiered_with_proration", config)).To(Equal(fields))
		},
		Entry("with nothing", `{}`, "tiers"),
		Entry("without tiers", `{"tiers": []}`, "tiers"),
		Entry("with a tier that is no object", `{"tiers": ["0"]}`, "tiers[0]"),
		Entry("with a first bound above 0", `{"tiers": [{"tier_lower_bound": "1", "unit_amount": "3"}]}`, "tiers[0].tier_lower_bound"),
		Entry("without a bound", `{"tiers": [{"unit_amount": "3"}]}`, "tiers[0].tier_lower_bound"),
		Entry("with a bound that is no number, without word of the others",
			`{"tiers": [{"tier_lower_bound": "none", "unit_amount": "3"}, {"tier_lower_bound": "0", "unit_amount": "3"}]}`, "tiers[0].tier_lower_bound"),
		Entry("with a bound twice",
			`{"tiers": [{"tier_lower_bound": "0", "unit_amount": "3"}, {"tier_lower_bound": "0", "unit_amount": "2"}]}`, "tiers[1].tier_lower_bound"),
		Entry("with a negative rate", `{"tiers": [{"tier_lower_bound": "0", "unit_amount": "-3"}]}`, "tiers[0].unit_amount"),
		Entry("with a flag it does not have", `{"prorated": true, "tiers": [{"tier_lower_bound": "0", "unit_amount": "3"}]}`, "prorated"),
	)
})

var _ = propertyOf("tiered_with_proration", func(t *rapid.T) string {
	return fmt.Sprintf(`{"tiers": %s}`, drawTierTable(t, 1, "1").rated(t, "unit_amount"))
})
