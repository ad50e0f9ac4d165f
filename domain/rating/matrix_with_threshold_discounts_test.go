package rating_test

import (
	"fmt"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"tollkeeper/domain/rating"
)

const (
	shapes = `{"first_dimension": "color", "second_dimension": "shape", "default_unit_amount": "1.00", "matrix_values": [
		{"first_dimension_value": "blue", "second_dimension_value": "circle", "unit_amount": "2.00"},
		{"first_dimension_value": "green", "second_dimension_value": "triangle", "unit_amount": "5.00"}],
		"threshold_discount_groups": [{"cell_coordinates": "blue,circle;green,triangle", "threshold_amount": "200",
			"below_threshold_discount_percentage": "0", "above_threshold_discount_percentage": "10"}]}`
	colors = `{"first_dimension": "color", "default_unit_amount": "1", "matrix_values": [
		{"first_dimension_value": "blue,dark", "unit_amount": "2"}],
		"threshold_discount_groups": [
			{"cell_coordinates": " blue,dark ; red ", "threshold_amount": "10", "description": "Volume",
				"below_threshold_discount_percentage": "2.5", "above_threshold_discount_percentage": "50"},
			{"cell_coordinates": "green", "threshold_amount": "0", "description": "",
				"below_threshold_discount_percentage": "100", "above_threshold_discount_percentage": "100"}]}`
)

var _ = golden("matrix_with_threshold_discounts",
	costs("less for what cells of a group cost together above its threshold", shapes,
		cells("7 red circle", "20 green triangle", "100 blue circle"), "297",
		`matrix "blue / circle": 100 for 200`,
		`matrix "green / triangle": 20 for 100`,
		`matrix "red / circle": 7 for 7`,
		`'null' "Threshold discount": 0 for -10`),
	atBound("all of it on the threshold", shapes, cells("100 blue circle"), "200",
		`matrix "blue / circle": 100 for 200`),
	costs("less by the lower percentage up to the threshold", colors, cells("2 red", "3 blue,dark"), "7.8",
		`matrix "blue,dark": 3 for 6`,
		`matrix "red": 2 for 2`,
		`'null' "Volume": 0 for -0.2`),
	costs("less by both percentages above the threshold, and by those of other groups", colors, cells("10.5 blue,dark", "3 green"), "15.25",
		`matrix "blue,dark": 10.5 for 21`,
		`matrix "green": 3 for 3`,
		`'null' "Volume": 0 for -5.75`,
		`'null' "Threshold discount": 0 for -3`),
	costs("missing values at the default, in no group", shapes, cells("300 - circle"), "300",
		`matrix "none / circle": 300 for 300`),
	costs("nothing for a cell below zero, which takes nothing from its group", shapes, cells("-10 green triangle", "110 blue circle"), "218",
		`matrix "blue / circle": 110 for 220`,
		`matrix "green / triangle": 0 for 0`,
		`'null' "Threshold discount": 0 for -2`),
	costs("all of what was used in part of a period, by a full threshold", shapes, within(1, 2, cells("110 blue circle")), "218",
		`matrix "blue / circle": 110 for 220`,
		`'null' "Threshold discount": 0 for -2`),
	costs("nothing without usage", shapes, cells(), "0"),
)

var _ = Describe("a matrix_with_threshold_discounts price", func() {
	group := func(fields string) string {
		return `{"first_dimension": "a", "second_dimension": "b", "default_unit_amount": "1",
			"matrix_values": [{"first_dimension_value": "x", "unit_amount": "1"}],
			"threshold_discount_groups": [{"cell_coordinates": "x,y", "threshold_amount": "1", "below_threshold_discount_percentage": "0",
				"above_threshold_discount_percentage": "0"}, {` + fields + `}]}`
	}
	rest := `, "threshold_amount": "1", "below_threshold_discount_percentage": "0", "above_threshold_discount_percentage": "0"`

	It("is split by its dimensions, and its line is of all cells", func() {
		m := model("matrix_with_threshold_discounts", shapes)
		Expect(m.Needs()).To(Equal(rating.Needs{Split: []string{"color", "shape"}}))
		Expect(model("matrix_with_threshold_discounts", colors).Needs().Split).To(Equal([]string{"color"}))
		Expect(rating.Rate(m, cells("110 blue circle", "1 red circle")).Quantity.String()).To(Equal("111"))
	})

	It("may have no groups", func() {
		m := model("matrix_with_threshold_discounts", `{"first_dimension": "a", "second_dimension": null, "default_unit_amount": "1",
			"matrix_values": [{"first_dimension_value": "x", "second_dimension_value": null, "unit_amount": "3"}], "threshold_discount_groups": []}`)
		Expect(rating.Rate(m, cells("2 x")).Subtotal.String()).To(Equal("6"))
	})

	DescribeTable("is refused",
		func(config string, fields ...string) {
			Expect(refused("matrix_with_threshold_discounts", config)).To(Equal(fields))
		},
		Entry("with nothing", `{}`, "first_dimension", "matrix_values", "default_unit_amount"),
		Entry("without a property", `{"first_dimension": "", "default_unit_amount": "1", "matrix_values": [
			{"first_dimension_value": "x", "unit_amount": "1"}]}`, "first_dimension"),
		Entry("with a row for a missing value of the first dimension", `{"first_dimension": "a", "default_unit_amount": "1", "matrix_values": [
			{"first_dimension_value": null, "unit_amount": "1"}]}`, "matrix_values[0].first_dimension_value"),
		Entry("with a row twice", `{"first_dimension": "a", "default_unit_amount": "1", "matrix_values": [
			{"first_dimension_value": "x", "unit_amount": "1"}, {"first_dimension_value": "x", "unit_amount": "2"}]}`,
			"matrix_values[1].first_dimension_value"),
		Entry("with values of a dimension that is not named", `{"first_dimension": "a", "default_unit_amount": "1", "matrix_values": [
			{"first_dimension_value": "x", "second_dimension_value": "y", "unit_amount": "1"}]}`, "matrix_values[0].second_dimension_value"),
		Entry("with a number for a value", `{"first_dimension": "a", "second_dimension": "b", "default_unit_amount": "1", "matrix_values": [
			{"first_dimension_value": "x", "second_dimension_value": 1, "unit_amount": "1"}]}`, "matrix_values[0].second_dimension_value"),
		Entry("with groups that are no list", `{"first_dimension": "a", "default_unit_amount": "1", "threshold_discount_groups": {}, "matrix_values": [
			{"first_dimension_value": "x", "unit_amount": "1"}]}`, "threshold_discount_groups"),
		Entry("with an empty group", group(``),
			"threshold_discount_groups[1].cell_coordinates", "threshold_discount_groups[1].threshold_amount",
			"threshold_discount_groups[1].below_threshold_discount_percentage", "threshold_discount_groups[1].above_threshold_discount_percentage"),
		Entry("with a cell in two groups", group(`"cell_coordinates": "x,z; x ,y"`+rest), "threshold_discount_groups[1].cell_coordinates"),
		Entry("with a cell twice in a group", group(`"cell_coordinates": "x,z;x,z"`+rest), "threshold_discount_groups[1].cell_coordinates"),
		Entry("with a cell of one value in two dimensions", group(`"cell_coordinates": "x"`+rest), "threshold_discount_groups[1].cell_coordinates"),
		Entry("with an empty value", group(`"cell_coordinates": "x, "`+rest), "threshold_discount_groups[1].cell_coordinates"),
		Entry("with a percentage above 100", group(`"cell_coordinates": "x,z", "threshold_amount": "1",
			"below_threshold_discount_percentage": "100.01", "above_threshold_discount_percentage": "-1"`),
			"threshold_discount_groups[1].below_threshold_discount_percentage", "threshold_discount_groups[1].above_threshold_discount_percentage"),
		Entry("with a negative threshold and a number for a description", group(`"cell_coordinates": "x,z", "threshold_amount": "-1", "description": 1,
			"below_threshold_discount_percentage": "1", "above_threshold_discount_percentage": "1"`),
			"threshold_discount_groups[1].threshold_amount", "threshold_discount_groups[1].description"),
	)
})

var _ = propertyOf("matrix_with_threshold_discounts", func(t *rapid.T) string {
	value := rapid.SampledFrom([]string{"x", "X", "null"})
	coordinates := rapid.Custom(func(t *rapid.T) string { return value.Draw(t, "a") + "," + value.Draw(t, "b") })
	var groups []string // the cells of each
	for _, cell := range rapid.SliceOfNDistinct(coordinates, 0, 6, rapid.ID).Draw(t, "coordinates") {
		if len(groups) > 0 && rapid.Bool().Draw(t, "same group") {
			groups[len(groups)-1] += " ;" + strings.Replace(cell, ",", " , ", 1)
		} else {
			groups = append(groups, cell)
		}
	}
	percentage := rapid.StringMatching(`[0-9]{1,2}(\.[0-9]{1,3})?|100`)
	for i, cells := range groups {
		groups[i] = fmt.Sprintf(`{"cell_coordinates": %q, "threshold_amount": %q, "below_threshold_discount_percentage": %q, "above_threshold_discount_percentage": %q}`,
			cells, drawRate(t), percentage.Draw(t, "below"), percentage.Draw(t, "above"))
	}
	return fmt.Sprintf(`{%s, "default_unit_amount": %q, "threshold_discount_groups": [%s]}`,
		drawPairFields(t, "matrix_values", "unit_amount"), drawRate(t), strings.Join(groups, ","))
})
