package rating_test

import (
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"tollkeeper/domain/rating"
)

const bulkSeats = `{"tiers": [{"unit_amount": "12"}, {"unit_amount": "9", "tier_lower_bound": "10"}]}`

var _ = golden("bulk_with_proration",
	costs("all units at the rate of the tier reached", bulkSeats, total("14"), "126"),
	costs("by days in part of a period", bulkSeats, over("14", 20, 30), "84"),
	atBound("a bound is in the tier it begins", bulkSeats, total("10"), "90"),
	costs("just below a bound, which costs more", bulkSeats, total("9.99"), "119.88"),
	costs("by days of the tier that the whole quantity reaches", bulkSeats, over("10", 10, 30), "30"),
	costs("to the 20th digit, where days do not divide evenly", bulkSeats, over("1", 1, 31), "0.38709677419354838709"),
	costs("nothing without usage", bulkSeats, over("0", 20, 30), "0"),
	costs("nothing below zero", bulkSeats, total("-14"), "0"),
	costs("a fixed fee by days only once", bulkSeats, fixed("14", 20, 30), "84"),
)

var _ = Describe("a bulk_with_proration price", func() {
	It("says at which tier units were charged", func() {
		c := rating.Rate(model("bulk_with_proration", bulkSeats), total("14"))
		Expect(c.Quantity.String()).To(Equal("14"))
		Expect(working(c)).To(Equal([]string{"all units, from 10: 14 at 9 for 126"}))
	})

	DescribeTable("is refused",
		func(config string, fields ...string) {
			Expect(refused("bulk_with_proration", config)).To(Equal(fields))
		},
		Entry("with nothing", `{}`, "tiers"),
		Entry("with one tier", `{"tiers": [{"unit_amount": "12"}]}`, "tiers"),
		Entry("with two tiers without a bound", `{"tiers": [{"unit_amount": "12", "tier_lower_bound": null}, {"unit_amount": "9"}]}`, "tiers[1].tier_lower_bound"),
		Entry("with a bound of 0 beside none", `{"tiers": [{"unit_amount": "12", "tier_lower_bound": "0"}, {"unit_amount": "9"}]}`, "tiers[1].tier_lower_bound"),
		Entry("with a lowest bound above 0",
			`{"tiers": [{"unit_amount": "12", "tier_lower_bound": "9"}, {"unit_amount": "9", "tier_lower_bound": "1"}]}`, "tiers[1].tier_lower_bound"),
		Entry("with a bound below 0", `{"tiers": [{"unit_amount": "12"}, {"unit_amount": "9", "tier_lower_bound": "-1"}]}`, "tiers[1].tier_lower_bound"),
		Entry("with a number for a bound", `{"tiers": [{"unit_amount": "12"}, {"unit_amount": "9", "tier_lower_bound": 10}]}`, "tiers[1].tier_lower_bound"),
		Entry("with empty tiers", `{"tiers": [{}, {}]}`, "tiers[0].unit_amount", "tiers[1].unit_amount"),
	)
})

var _ = propertyOf("bulk_with_proration", func(t *rapid.T) string {
	return fmt.Sprintf(`{"tiers": %s}`, drawTierTable(t, 2, "1").bulk(t))
})
