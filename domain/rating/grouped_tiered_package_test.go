package rating_test

import (
	"fmt"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"tollkeeper/domain/rating"
)

const crates = `{"grouping_key": "cluster", "package_size": "20", "tiers": [
	{"tier_lower_bound": "60", "per_unit": "2"}, {"tier_lower_bound": "0", "per_unit": "3"}]}`

var _ = golden("grouped_tiered_package",
	costs("the packages that each group has begun, tier by tier", crates, cells("21 c2", "65 c1"), "17",
		`tier "0 - 60": 60 for 9 (cluster=c1)`,
		`tier "60+": 20 for 2 (cluster=c1)`,
		`tier "0 - 60": 40 for 6 (cluster=c2)`),
	atBound("a group on a bound in the tier below", crates, cells("60 c1"), "9", `tier "0 - 60": 60 for 9 (cluster=c1)`),
	costs("a package for the smallest rest above a bound", crates, cells("60.00000000000000000001 c1"), "11",
		`tier "0 - 60": 60 for 9 (cluster=c1)`,
		`tier "60+": 20 for 2 (cluster=c1)`),
	costs("a fraction of a unit of each group, rounded up for each", crates, cells("0.5 c1", "0.5 -"), "6",
		`tier "0 - 60": 20 for 3 (cluster=-)`,
		`tier "0 - 60": 20 for 3 (cluster=c1)`),
	costs("packages of half a unit", `{"grouping_key": "cluster", "package_size": "0.5", "tiers": [
		{"tier_lower_bound": "0", "per_unit": "3"}, {"tier_lower_bound": "1.5", "per_unit": "2"}]}`, cells("1.6 c1"), "11",
		`tier "0 - 1.5": 1.5 for 9 (cluster=c1)`,
		`tier "1.5+": 0.5 for 2 (cluster=c1)`),
	costs("nothing for groups at or below zero, without parts", crates, cells("0 c1", "-50 c2", "1 c3"), "3",
		`tier "0 - 60": 20 for 3 (cluster=c3)`),
	costs("all of it in part of a period", crates, within(1, 2, cells("60 c1")), "9", `tier "0 - 60": 60 for 9 (cluster=c1)`),
	costs("nothing without usage", crates, cells(), "0"),
)

var _ = Describe("a grouped_tiered_package price", func() {
	It("is split by its grouping key, and its line is of what was used", func() {
		m := model("grouped_tiered_package", crates)
		Expect(m.Needs()).To(Equal(rating.Needs{Split: []string{"cluster"}}))
		Expect(rating.Rate(m, cells("65 c1", "21 c2")).Quantity.String()).To(Equal("86"))
	})

	DescribeTable("is refused",
		func(config string, fields ...string) {
			Expect(refused("grouped_tiered_package", config)).To(Equal(fields))
		},
		Entry("with nothing", `{}`, "package_size", "grouping_key", "tiers"),
		Entry("without a property", strings.Replace(crates, `"cluster"`, `""`, 1), "grouping_key"),
		Entry("with packages of nothing", strings.Replace(crates, `"20"`, `"0"`, 1), "package_size"),
		Entry("with a size that is no text", strings.Replace(crates, `"20"`, `20`, 1), "package_size"),
		Entry("with one tier", `{"grouping_key": "a", "package_size": "1", "tiers": [{"tier_lower_bound": "0", "per_unit": "1"}]}`, "tiers"),
		Entry("with a bound inside a package", strings.Replace(crates, `"60"`, `"50"`, 1), "tiers[0].tier_lower_bound"),
		Entry("with a negative rate", strings.Replace(crates, `"2"`, `"-2"`, 1), "tiers[0].per_unit"),
		Entry("with a rate for units", strings.Replace(crates, `"per_unit": "2"`, `"unit_amount": "2"`, 1), "tiers[0].per_unit", "tiers[0].unit_amount"),
	)
})

var _ = propertyOf("grouped_tiered_package", func(t *rapid.T) string {
	size := drawPackageSize(t)
	return fmt.Sprintf(`{"grouping_key": "k", "package_size": %q, "tiers": %s}`, size, drawTierTable(t, 2, size).rated(t, "per_unit"))
})
