package rating_test

import (
	"fmt"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"tollkeeper/domain/rating"
)

const tenants = `{"grouping_key": "tenant", "pricing_key": "operation", "scaling_key": "speed", "minimum_unit_amount": "0.05",
	"unit_amounts": [{"pricing_value": "write", "unit_amount": "0.20"}, {"pricing_value": "read", "unit_amount": "0.01"}],
	"scaling_factors": [{"scaling_value": "fast", "scaling_factor": "1.5"}]}`

var _ = golden("grouped_with_metered_minimum",
	costs("scaled rates, and for each group at least the minimum of all its units", tenants,
		cells("300 t2 read fast", "200 t1 read -", "100 t1 write fast"), "47",
		`'null' "t1": 300 for 32 (tenant=t1)`,
		`'null' "t2": 300 for 15 (tenant=t2)`),
	costs("units of an unlisted value at the minimum, which is not scaled", tenants, cells("40 t1 list fast"), "2",
		`'null' "t1": 40 for 2 (tenant=t1)`),
	costs("units of a missing value at the minimum too", tenants, cells("40 t1 - fast", "10 t1 write slow"), "4",
		`'null' "t1": 50 for 4 (tenant=t1)`),
	atBound("the rates where they equal the minimum", tenants, cells("4 t1 write -", "15 t1 read -"), "0.95",
		`'null' "t1": 19 for 0.95 (tenant=t1)`),
	costs("fractions of a unit", tenants, cells("0.5 t1 write fast", "0.25 t1 write -"), "0.2",
		`'null' "t1": 0.75 for 0.2 (tenant=t1)`),
	costs("events without a group as one group, the first", tenants, cells("1 t1 write -", "1 - write -"), "0.4",
		`'null' "none": 1 for 0.2 (tenant=-)`,
		`'null' "t1": 1 for 0.2 (tenant=t1)`),
	costs("nothing for what is below zero, and no minimum of it", tenants, cells("-100 t1 write fast", "10 t1 read -"), "0.5",
		`'null' "t1": 10 for 0.5 (tenant=t1)`),
	costs("all of it in part of a period", tenants, within(1, 2, cells("300 t2 read fast")), "15",
		`'null' "t2": 300 for 15 (tenant=t2)`),
	costs("nothing without an event", tenants, cells(), "0"),
)

var _ = Describe("a grouped_with_metered_minimum price", func() {
	It("is split by group, then by what is priced and what scales it", func() {
		m := model("grouped_with_metered_minimum", tenants)
		Expect(m.Needs()).To(Equal(rating.Needs{Split: []string{"tenant", "operation", "speed"}}))
		Expect(rating.Rate(m, cells("300 t2 read fast", "200 t1 read -")).Quantity.String()).To(Equal("500"))
	})

	It("tells which groups paid the minimum", func() {
		c := rating.Rate(model("grouped_with_metered_minimum", tenants), cells("100 t1 write fast", "300 t2 read fast"))
		Expect(c.Parts[0].Rate).To(BeEmpty())
		Expect(c.Parts[1].Rate).To(Equal("0.05"))
	})

	DescribeTable("is refused",
		func(config string, fields ...string) {
			Expect(refused("grouped_with_metered_minimum", config)).To(Equal(fields))
		},
		Entry("with nothing", `{}`,
			"grouping_key", "pricing_key", "scaling_key", "minimum_unit_amount", "unit_amounts", "scaling_factors"),
		Entry("with empty names and lists", `{"grouping_key": "", "pricing_key": "", "scaling_key": "", "minimum_unit_amount": "1", "unit_amounts": [], "scaling_factors": []}`,
			"grouping_key", "pricing_key", "scaling_key", "unit_amounts", "scaling_factors"),
		Entry("with empty rows", strings.NewReplacer(`{"pricing_value": "read", "unit_amount": "0.01"}`, `{}`, `"scaling_factor": "1.5"`, ``, `"fast",`, `"fast"`).Replace(tenants),
			"unit_amounts[1].pricing_value", "unit_amounts[1].unit_amount", "scaling_factors[0].scaling_factor"),
		Entry("with a value twice", strings.Replace(tenants, `"read"`, `"write"`, 1), "unit_amounts[1].pricing_value"),
		Entry("with a negative rate", strings.Replace(tenants, `"0.01"`, `"-0.01"`, 1), "unit_amounts[1].unit_amount"),
		Entry("with a negative factor", strings.Replace(tenants, `"1.5"`, `"-1.5"`, 1), "scaling_factors[0].scaling_factor"),
		Entry("with an unknown key in a row", strings.Replace(tenants, `"pricing_value"`, `"scaling_value": "x", "pricing_value"`, 1), "unit_amounts[0].scaling_value"),
	)
})

var _ = propertyOf("grouped_with_metered_minimum", func(t *rapid.T) string {
	return fmt.Sprintf(`{"grouping_key": "k", "pricing_key": "p", "scaling_key": "s", "minimum_unit_amount": %q, "unit_amounts": %s, "scaling_factors": %s}`,
		drawRate(t), drawRates(t, "pricing_value", "unit_amount"), drawRates(t, "scaling_value", "scaling_factor"))
})

// drawRates draws rows of a configuration: rates of some of the values that cells are drawn with.
func drawRates(t *rapid.T, valueKey, rateKey string) string {
	var rows []string
	for _, value := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"x", "X", "", "null", `x""x`}), 1, 4, rapid.ID).Draw(t, valueKey) {
		rows = append(rows, fmt.Sprintf(`{%q: %q, %q: %q}`, valueKey, value, rateKey, drawRate(t)))
	}
	return "[" + strings.Join(rows, ",") + "]"
}
