package rating_test

import (
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"tollkeeper/domain/rating"
)

const daily = `{"daily_allowance": "5", "event_day_property": "day", "dimensions": ["size"], "default_unit_amount": "0.10", "matrix_values": [
	{"dimension_values": ["large"], "unit_amount": "1"}]}`

var _ = golden("daily_credit_allowance",
	costs("what each day's usage costs beyond its allowance, of which nothing is kept", daily,
		cells("7 mon large", "20 mon small", "3 tue large"), "4",
		`matrix "large": 10 for 10`,
		`matrix "small": 20 for 2`,
		`'null' "Daily allowance": 0 for -8`),
	costs("all of the usage that has no day", daily, cells("3 - large"), "3", `matrix "large": 3 for 3`),
	costs("usage without a day beside a day whose allowance it cannot use", daily, cells("3 - large", "1 mon large"), "3",
		`matrix "large": 4 for 4`,
		`'null' "Daily allowance": 0 for -1`),
	atBound("nothing for a day's whole allowance", daily, cells("5 mon large"), "0",
		`matrix "large": 5 for 5`,
		`'null' "Daily allowance": 0 for -5`),
	costs("a fraction of a unit beyond it", daily, cells("5.25 mon large"), "0.25",
		`matrix "large": 5.25 for 5.25`,
		`'null' "Daily allowance": 0 for -5`),
	costs("missing values at the default", daily, cells("60 mon -"), "1",
		`matrix "none": 60 for 6`,
		`'null' "Daily allowance": 0 for -5`),
	costs("nothing for a quantity below zero, which takes nothing from its day", daily, cells("-10 mon large", "60 mon small"), "1",
		`matrix "large": 0 for 0`,
		`matrix "small": 60 for 6`,
		`'null' "Daily allowance": 0 for -5`),
	costs("full allowances in part of a period", daily, within(1, 30, cells("6 mon large")), "1",
		`matrix "large": 6 for 6`,
		`'null' "Daily allowance": 0 for -5`),
	costs("nothing without usage", daily, cells(), "0"),
)

var _ = Describe("a daily_credit_allowance price", func() {
	It("is split by its days and dimensions, and its line is of all cells", func() {
		m := model("daily_credit_allowance", daily)
		Expect(m.Needs()).To(Equal(rating.Needs{Split: []string{"day", "size"}}))
		Expect(rating.Rate(m, cells("7 mon large", "20 mon small", "3 tue large")).Quantity.String()).To(Equal("30"))
	})

	DescribeTable("is refused",
		func(config string, fields ...string) {
			Expect(refused("daily_credit_allowance", config)).To(Equal(fields))
		},
		Entry("with nothing", `{}`, "dimensions", "default_unit_amount", "matrix_values", "daily_allowance", "event_day_property"),
		Entry("without a day, rows or dimensions", `{"daily_allowance": "1", "event_day_property": "", "dimensions": [], "default_unit_amount": "1",
			"matrix_values": []}`, "dimensions", "matrix_values", "event_day_property"),
		Entry("with a negative allowance", `{"daily_allowance": "-1", "event_day_property": "d", "dimensions": ["a"], "default_unit_amount": "1",
			"matrix_values": [{"dimension_values": ["x"], "unit_amount": "1"}]}`, "daily_allowance"),
		Entry("with a row of too many values", `{"daily_allowance": "1", "event_day_property": "d", "dimensions": ["a"], "default_unit_amount": "1",
			"matrix_values": [{"dimension_values": ["x", "y"], "unit_amount": "1"}]}`, "matrix_values[0].dimension_values"),
	)
})

var _ = propertyOf("daily_credit_allowance", func(t *rapid.T) string {
	return fmt.Sprintf(`{"daily_allowance": %q, "event_day_property": "day", %s}`, drawRate(t), drawMatrixFields(t))
})
