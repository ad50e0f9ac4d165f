package rating_test

import (
	"fmt"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"tollkeeper/domain/rating"
)

const traffic = `{"grouping_key": "kind", "consumption_grouping_value": "download", "allowance_grouping_value": "storage", "unit_amount": "0.02"}`

const named = `{"grouping_key": "kind", "consumption_grouping_value": "download", "allowance_grouping_value": "storage", "unit_amount": "0.02",
	"consumption_display_name": "Egress", "allowance_display_name": "Free egress"}`

var _ = golden("metered_allowance",
	costs("the units of one group, less as many as another has", traffic, cells("600 storage", "900 download"), "6",
		`'null' "Consumption": 900 for 18 (kind=download)`,
		`'null' "Allowance credit": 0 scaled -600 for -12 (kind=storage)`),
	costs("never less than nothing", traffic, cells("500 download", "600 storage"), "0",
		`'null' "Consumption": 500 for 10 (kind=download)`,
		`'null' "Allowance credit": 0 scaled -500 for -10 (kind=storage)`),
	atBound("nothing where both are equal", traffic, cells("600 download", "600 storage"), "0",
		`'null' "Consumption": 600 for 12 (kind=download)`,
		`'null' "Allowance credit": 0 scaled -600 for -12 (kind=storage)`),
	costs("all of it without an allowance", traffic, cells("0.5 download"), "0.01",
		`'null' "Consumption": 0.5 for 0.01 (kind=download)`),
	costs("all of it where the allowance is below zero", traffic, cells("10 download", "-10 storage"), "0.2",
		`'null' "Consumption": 10 for 0.2 (kind=download)`),
	costs("nothing where only an allowance is there", traffic, cells("600 storage"), "0",
		`'null' "Consumption": 0 for 0 (kind=download)`),
	costs("no other groups", traffic, cells("10 download", "7 Download", "7 -"), "0.2",
		`'null' "Consumption": 10 for 0.2 (kind=download)`),
	costs("with a full allowance in part of a period, under names of its own", named, within(1, 30, cells("900 download", "600 storage")), "6",
		`'null' "Egress": 900 for 18 (kind=download)`,
		`'null' "Free egress": 0 scaled -600 for -12 (kind=storage)`),
	costs("nothing without usage", traffic, cells(), "0", `'null' "Consumption": 0 for 0 (kind=download)`),
)

var _ = Describe("a metered_allowance price", func() {
	It("is split by its grouping key, and its line is of what was consumed", func() {
		m := model("metered_allowance", traffic)
		Expect(m.Needs()).To(Equal(rating.Needs{Split: []string{"kind"}}))
		Expect(rating.Rate(m, cells("900 download", "600 storage", "5 upload")).Quantity.String()).To(Equal("900"))
	})

	DescribeTable("is refused",
		func(config string, fields ...string) {
			Expect(refused("metered_allowance", config)).To(Equal(fields))
		},
		Entry("with nothing", `{}`, "grouping_key", "consumption_grouping_value", "allowance_grouping_value", "unit_amount"),
		Entry("with empty texts",
			`{"grouping_key": "", "consumption_grouping_value": "", "allowance_grouping_value": "", "unit_amount": "1", "consumption_display_name": "", "allowance_display_name": ""}`,
			"grouping_key", "consumption_grouping_value", "allowance_grouping_value", "consumption_display_name", "allowance_display_name"),
		Entry("with a negative rate", strings.Replace(traffic, "0.02", "-0.02", 1), "unit_amount"),
		Entry("with a number for a name", strings.Replace(named, `"Egress"`, `1`, 1), "consumption_display_name"),
	)
})

var _ = propertyOf("metered_allowance", func(t *rapid.T) string {
	pair := rapid.Permutation([]string{"x", "X", "null"}).Draw(t, "values")
	return fmt.Sprintf(`{"grouping_key": "k", "consumption_grouping_value": %q, "allowance_grouping_value": %q, "unit_amount": %q}`, pair[0], pair[1], drawRate(t))
})
