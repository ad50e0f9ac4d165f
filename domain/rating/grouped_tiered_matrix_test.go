package rating_test

import (
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"tollkeeper/domain/rating"
)

const regions = `{"dimension": "region", "default_unit_amount": "0.5", "tiers": [
	{"dimension_value": "eu", "tier_lower_bound": "50", "unit_amount": "0.2"},
	{"dimension_value": "jp", "tier_lower_bound": "0", "unit_amount": "1"},
	{"dimension_value": "eu", "tier_lower_bound": "0", "unit_amount": "0.4"}]}`

var _ = golden("grouped_tiered_matrix",
	costs("each value over its own tiers, and others at the default", regions, cells("10 us", "80 eu"), "31",
		`tier "0 - 50": 50 for 20 (region=eu)`,
		`tier "50+": 30 for 6 (region=eu)`,
		`tier "0+": 10 for 5 (region=us)`),
	atBound("on a bound, all in the tier below", regions, cells("50 eu"), "20", `tier "0 - 50": 50 for 20 (region=eu)`),
	costs("just above a bound, a fraction of a unit", regions, cells("50.5 eu"), "20.1",
		`tier "0 - 50": 50 for 20 (region=eu)`,
		`tier "50+": 0.5 for 0.1 (region=eu)`),
	costs("a value with one tier", regions, cells("3 jp"), "3", `tier "0+": 3 for 3 (region=jp)`),
	costs("a missing value at the default, first", regions, cells("1 EU", "2 -"), "1.5",
		`tier "0+": 2 for 1 (region=-)`,
		`tier "0+": 1 for 0.5 (region=EU)`),
	costs("nothing for a value below zero, which takes nothing from others", regions, cells("-10 eu", "1 us"), "0.5",
		`tier "0+": 1 for 0.5 (region=us)`),
	costs("all of what was used in part of a period", regions, within(1, 2, cells("50 eu")), "20", `tier "0 - 50": 50 for 20 (region=eu)`),
	costs("nothing without usage", regions, cells(), "0"),
)

var _ = Describe("a grouped_tiered_matrix price", func() {
	It("is split by its dimension, and its line is of all values", func() {
		m := model("grouped_tiered_matrix", regions)
		Expect(m.Needs()).To(Equal(rating.Needs{Split: []string{"region"}}))
		Expect(rating.Rate(m, cells("80 eu", "-5 us", "20 jp")).Quantity.String()).To(Equal("100"))
	})

	DescribeTable("is refused",
		func(config string, fields ...string) {
			Expect(refused("grouped_tiered_matrix", config)).To(Equal(fields))
		},
		Entry("with nothing", `{}`, "dimension", "default_unit_amount", "tiers"),
		Entry("without a property or tiers", `{"dimension": "", "default_unit_amount": "1", "tiers": []}`, "dimension", "tiers"),
		Entry("with an empty tier", `{"dimension": "a", "default_unit_amount": "1", "tiers": [{}]}`,
			"tiers[0].dimension_value", "tiers[0].tier_lower_bound", "tiers[0].unit_amount"),
		Entry("with a value without a tier from 0", `{"dimension": "a", "default_unit_amount": "1", "tiers": [
			{"dimension_value": "x", "tier_lower_bound": "0", "unit_amount": "1"},
			{"dimension_value": "y", "tier_lower_bound": "5", "unit_amount": "1"}]}`, "tiers[1].tier_lower_bound"),
		Entry("with two tiers of a value from one bound, whatever their spelling", `{"dimension": "a", "default_unit_amount": "1", "tiers": [
			{"dimension_value": "x", "tier_lower_bound": "0", "unit_amount": "1"},
			{"dimension_value": "x", "tier_lower_bound": "5", "unit_amount": "1"},
			{"dimension_value": "x", "tier_lower_bound": "5.0", "unit_amount": "1"}]}`, "tiers[2].tier_lower_bound"),
		Entry("with a negative default", `{"dimension": "a", "default_unit_amount": "-1", "tiers": [
			{"dimension_value": "x", "tier_lower_bound": "0", "unit_amount": "1"}]}`, "default_unit_amount"),
	)
})

var _ = propertyOf("grouped_tiered_matrix", func(t *rapid.T) string {
	var rows []string
	for _, value := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"x", "X", "", "null"}), 1, 3, rapid.ID).Draw(t, "values") {
		tiers := drawTierTable(t, 1, "0.5")
		for i := range tiers.bounds {
			rows = append(rows, fmt.Sprintf(`{"dimension_value": %q, "tier_lower_bound": %q, "unit_amount": %q}`, value, tiers.bounds[i], tiers.rates[i]))
		}
	}
	return fmt.Sprintf(`{"dimension": "k", "default_unit_amount": %q, "tiers": %s}`, drawRate(t), inAnyOrder(t, rows))
})
