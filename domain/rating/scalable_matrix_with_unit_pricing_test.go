package rating_test

import (
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"tollkeeper/domain/rating"
)

const (
	factors = `"first_dimension": "gpu", "matrix_scaling_factors": [
		{"first_dimension_value": "h100", "scaling_factor": "5.5"},
		{"first_dimension_value": "a10", "scaling_factor": "1"}]`
	gpuHours    = `{"unit_price": "0.40", ` + factors + `}`
	teamHours   = `{"unit_price": "0.40", "grouping_key": "team", ` + factors + `}`
	rentedHours = `{"unit_price": "3", "prorate": true, ` + factors + `}`
)

var _ = golden("scalable_matrix_with_unit_pricing",
	costs("the same for every scaled unit", gpuHours, cells("100 a10", "20 h100"), "84",
		`matrix "h100": 20 scaled 110 for 44`,
		`matrix "a10": 100 scaled 100 for 40`),
	costs("an unlisted value or a missing one as it is", gpuHours, cells("10 t4", "2 -"), "4.8",
		`matrix "none": 2 scaled 2 for 0.8`,
		`matrix "t4": 10 scaled 10 for 4`),
	costs("a fraction of a unit", gpuHours, cells("0.5 h100"), "1.1", `matrix "h100": 0.5 scaled 2.75 for 1.1`),
	costs("below zero, as a credit", gpuHours, cells("-10 h100", "1 a10"), "-21.6",
		`matrix "h100": -10 scaled -55 for -22`,
		`matrix "a10": 1 scaled 1 for 0.4`),
	costs("the same by groups, each in the order of the list, missing ones first", teamHours,
		cells("100 red a10", "10 red h100", "10 - h100", "5 red t4"), "86",
		`matrix "h100": 10 scaled 55 for 22 (team=-)`,
		`matrix "h100": 10 scaled 55 for 22 (team=red)`,
		`matrix "a10": 100 scaled 100 for 40 (team=red)`,
		`matrix "t4": 5 scaled 5 for 2 (team=red)`),
	costs("all of what was used in part of a period", gpuHours, within(1, 2, cells("20 h100")), "44", `matrix "h100": 20 scaled 110 for 44`),
	costs("in part of a period, if prorated", rentedHours, within(10, 30, cells("20 h100", "1 a10")), "111",
		`matrix "h100": 20 scaled 110 for 110`,
		`matrix "a10": 1 scaled 1 for 1`),
	atBound("all of it in a full period, if prorated", rentedHours, within(30, 30, cells("2 a10")), "6", `matrix "a10": 2 scaled 2 for 6`),
	costs("nothing at a factor of zero", `{"first_dimension": "a", "unit_price": "1", "grouping_key": null, "prorate": null, "matrix_scaling_factors": [
		{"first_dimension_value": "x", "scaling_factor": "0"}]}`, cells("10 x"), "0", `matrix "x": 10 scaled 0 for 0`),
	costs("nothing without usage", teamHours, cells(), "0"),
)

var _ = Describe("a scalable_matrix_with_unit_pricing price", func() {
	It("is split by its group and dimensions, and its line is of all cells, not scaled", func() {
		m := model("scalable_matrix_with_unit_pricing", teamHours)
		Expect(m.Needs()).To(Equal(rating.Needs{Split: []string{"team", "gpu"}}))
		Expect(model("scalable_matrix_with_unit_pricing", gpuHours).Needs().Split).To(Equal([]string{"gpu"}))
		Expect(rating.Rate(m, cells("100 red a10", "20 blue h100")).Quantity.String()).To(Equal("120"))
	})

	It("has factors of pairs of values, and a missing one is no wildcard", func() {
		m := model("scalable_matrix_with_unit_pricing", `{"first_dimension": "a", "second_dimension": "b", "unit_price": "1", "matrix_scaling_factors": [
			{"first_dimension_value": "x", "second_dimension_value": "y", "scaling_factor": "2"},
			{"first_dimension_value": "x", "second_dimension_value": null, "scaling_factor": "3"}]}`)
		Expect(rating.Rate(m, cells("1 x y", "10 x -", "100 x z")).Subtotal.String()).To(Equal("132"))
	})

	DescribeTable("is refused",
		func(config string, fields ...string) {
			Expect(refused("scalable_matrix_with_unit_pricing", config)).To(Equal(fields))
		},
		Entry("with nothing", `{}`, "first_dimension", "matrix_scaling_factors", "unit_price"),
		Entry("without factors", `{"first_dimension": "a", "unit_price": "1", "matrix_scaling_factors": []}`, "matrix_scaling_factors"),
		Entry("with an empty group", `{"first_dimension": "a", "unit_price": "1", "grouping_key": "", "matrix_scaling_factors": [
			{"first_dimension_value": "x", "scaling_factor": "1"}]}`, "grouping_key"),
		Entry("with an empty second dimension", `{"first_dimension": "a", "second_dimension": "", "unit_price": "1", "matrix_scaling_factors": [
			{"first_dimension_value": "x", "scaling_factor": "1"}]}`, "second_dimension"),
		Entry("with a negative factor and price", `{"first_dimension": "a", "unit_price": "-1", "matrix_scaling_factors": [
			{"first_dimension_value": "x", "scaling_factor": "-1"}]}`, "matrix_scaling_factors[0].scaling_factor", "unit_price"),
		Entry("with a cell twice", `{"first_dimension": "a", "unit_price": "1", "matrix_scaling_factors": [
			{"first_dimension_value": "x", "scaling_factor": "1"}, {"first_dimension_value": "x", "scaling_factor": "1"}]}`,
			"matrix_scaling_factors[1].first_dimension_value"),
		Entry("with a text for a flag", `{"first_dimension": "a", "unit_price": "1", "prorate": "yes", "matrix_scaling_factors": [
			{"first_dimension_value": "x", "scaling_factor": "1"}]}`, "prorate"),
	)
})

var _ = propertyOf("scalable_matrix_with_unit_pricing", func(t *rapid.T) string {
	group := rapid.SampledFrom([]string{`null`, `"k"`}).Draw(t, "group")
	return fmt.Sprintf(`{%s, "unit_price": %q, "prorate": %v, "grouping_key": %s}`,
		drawPairFields(t, "matrix_scaling_factors", "scaling_factor"), drawRate(t), rapid.Bool().Draw(t, "prorate"), group)
})
