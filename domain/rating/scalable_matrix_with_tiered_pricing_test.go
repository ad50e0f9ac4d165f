package rating_test

import (
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"tollkeeper/domain/rating"
)

const gpuTiers = `{` + factors + `, "tiers": [
	{"tier_lower_bound": "200", "unit_amount": "0.30"},
	{"tier_lower_bound": "0", "unit_amount": "0.40"}]}`

var _ = golden("scalable_matrix_with_tiered_pricing",
	costs("what all scaled units cost over the tiers, spread in proportion to them", gpuTiers, cells("100 a10", "20 h100"), "83",
		`matrix "h100": 20 scaled 110 for 43.47619047619047619047`,
		`matrix "a10": 100 scaled 100 for 39.52380952380952380953`),
	atBound("on a bound, all in the tier below", gpuTiers, cells("200 a10"), "80", `matrix "a10": 200 scaled 200 for 80`),
	costs("just above a bound, a fraction of a unit", gpuTiers, cells("200.5 a10"), "80.15", `matrix "a10": 200.5 scaled 200.5 for 80.15`),
	costs("unlisted values and missing ones as they are, in one run of the tiers", gpuTiers, cells("150 t4", "150 -"), "110",
		`matrix "none": 150 scaled 150 for 55`,
		`matrix "t4": 150 scaled 150 for 55`),
	costs("nothing for a cell below zero, which takes nothing from others", gpuTiers, cells("-100 a10", "10 h100"), "22",
		`matrix "h100": 10 scaled 55 for 22`,
		`matrix "a10": 0 scaled 0 for 0`),
	costs("all of what was used in part of a period", gpuTiers, within(1, 2, cells("10 a10")), "4", `matrix "a10": 10 scaled 10 for 4`),
	costs("nothing for cells of zero", gpuTiers, cells("0 a10"), "0", `matrix "a10": 0 scaled 0 for 0`),
	costs("nothing without usage", gpuTiers, cells(), "0"),
)

var _ = Describe("a scalable_matrix_with_tiered_pricing price", func() {
	It("is split by its dimensions, and its line is of all cells, not scaled", func() {
		m := model("scalable_matrix_with_tiered_pricing", gpuTiers)
		Expect(m.Needs()).To(Equal(rating.Needs{Split: []string{"gpu"}}))
		Expect(rating.Rate(m, cells("100 a10", "20 h100")).Quantity.String()).To(Equal("120"))
	})

	DescribeTable("is refused",
		func(config string, fields ...string) {
			Expect(refused("scalable_matrix_with_tiered_pricing", config)).To(Equal(fields))
		},
		Entry("with nothing", `{}`, "first_dimension", "matrix_scaling_factors", "tiers"),
		Entry("with one tier", `{`+factors+`, "tiers": [{"tier_lower_bound": "0", "unit_amount": "1"}]}`, "tiers"),
		Entry("with a lowest tier above 0", `{`+factors+`, "tiers": [
			{"tier_lower_bound": "1", "unit_amount": "1"}, {"tier_lower_bound": "2", "unit_amount": "1"}]}`, "tiers[0].tier_lower_bound"),
		Entry("with two tiers from one bound", `{`+factors+`, "tiers": [
			{"tier_lower_bound": "0", "unit_amount": "1"}, {"tier_lower_bound": "0.0", "unit_amount": "1"}]}`, "tiers[1].tier_lower_bound"),
		Entry("with a negative rate", `{`+factors+`, "tiers": [
			{"tier_lower_bound": "0", "unit_amount": "1"}, {"tier_lower_bound": "2", "unit_amount": "-1"}]}`, "tiers[1].unit_amount"),
	)
})

var _ = propertyOf("scalable_matrix_with_tiered_pricing", func(t *rapid.T) string {
	return fmt.Sprintf(`{%s, "tiers": %s}`,
		drawPairFields(t, "matrix_scaling_factors", "scaling_factor"), drawTierTable(t, 2, "0.5").rated(t, "unit_amount"))
})
