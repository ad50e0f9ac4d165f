package rating_test

import (
	"fmt"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"tollkeeper/domain/rating"
)

const languageModels = `{"dimension": "model", "unit_amounts": [
	{"dimension_value": "gpt-s", "display_name": "Small model", "unit_amount": "0.002"},
	{"dimension_value": "gpt-l", "display_name": "Large model", "unit_amount": "0.03"}]}`

var _ = golden("matrix_with_display_name",
	costs("each value at its own rate, in the order of the list and under its name", languageModels, cells("1000 gpt-l", "4000 gpt-s"), "38",
		`matrix "Small model": 4000 for 8`,
		`matrix "Large model": 1000 for 30`),
	costs("nothing for an unlisted value, which is shown as it is", languageModels, cells("50 gpt-x", "1 gpt-l"), "0.03",
		`matrix "Large model": 1 for 0.03`,
		`matrix "gpt-x": 50 for 0`),
	costs("nothing for a missing value, the first of those unlisted", languageModels, cells("2 GPT-S", "3 -"), "0",
		`matrix "none": 3 for 0`,
		`matrix "GPT-S": 2 for 0`),
	costs("a fraction of a unit", languageModels, cells("0.5 gpt-s"), "0.001", `matrix "Small model": 0.5 for 0.001`),
	costs("below zero, as a credit", languageModels, cells("-100 gpt-l", "50 gpt-s"), "-2.9",
		`matrix "Small model": 50 for 0.1`,
		`matrix "Large model": -100 for -3`),
	costs("all of what was used in part of a period", languageModels, within(1, 2, cells("1000 gpt-s")), "2",
		`matrix "Small model": 1000 for 2`),
	atBound("nothing for a value with a quantity of zero, which is shown", languageModels, cells("0 gpt-s"), "0",
		`matrix "Small model": 0 for 0`),
	costs("nothing without usage", languageModels, cells(), "0"),
)

var _ = Describe("a matrix_with_display_name price", func() {
	It("is split by its dimension, and its line is of all values", func() {
		m := model("matrix_with_display_name", languageModels)
		Expect(m.Needs()).To(Equal(rating.Needs{Split: []string{"model"}}))
		Expect(rating.Rate(m, cells("80 gpt-s", "20 gpt-x")).Quantity.String()).To(Equal("100"))
	})

	It("shows no rate where there is none", func() {
		c := rating.Rate(model("matrix_with_display_name", languageModels), cells("80 gpt-s", "20 gpt-x"))
		Expect(c.Parts[0].Rate).To(Equal("0.002"))
		Expect(c.Parts[1].Rate).To(BeEmpty())
	})

	DescribeTable("is refused",
		func(config string, fields ...string) {
			Expect(refused("matrix_with_display_name", config)).To(Equal(fields))
		},
		Entry("with nothing", `{}`, "dimension", "unit_amounts"),
		Entry("without a property or rows", `{"dimension": "", "unit_amounts": []}`, "dimension", "unit_amounts"),
		Entry("with an empty row", `{"dimension": "a", "unit_amounts": [{}]}`,
			"unit_amounts[0].dimension_value", "unit_amounts[0].display_name", "unit_amounts[0].unit_amount"),
		Entry("with a value twice", `{"dimension": "a", "unit_amounts": [
			{"dimension_value": "x", "display_name": "X", "unit_amount": "1"},
			{"dimension_value": "x", "display_name": "Y", "unit_amount": "1"}]}`, "unit_amounts[1].dimension_value"),
		Entry("with a negative rate", `{"dimension": "a", "unit_amounts": [
			{"dimension_value": "x", "display_name": "X", "unit_amount": "-1"}]}`, "unit_amounts[0].unit_amount"),
	)
})

var _ = propertyOf("matrix_with_display_name", func(t *rapid.T) string {
	var rows []string
	for _, value := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"x", "X", "", "null"}), 1, 4, rapid.ID).Draw(t, "values") {
		rows = append(rows, fmt.Sprintf(`{"dimension_value": %q, "display_name": "N", "unit_amount": %q}`, value, drawRate(t)))
	}
	return fmt.Sprintf(`{"dimension": "k", "unit_amounts": [%s]}`, strings.Join(rows, ","))
})
