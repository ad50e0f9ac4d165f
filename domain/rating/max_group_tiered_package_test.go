package rating_test

import (
	"fmt"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"tollkeeper/domain/rating"
)

const peaks = `{"grouping_key": "hour", "package_size": "5", "tiers": [
	{"tier_lower_bound": "0", "unit_amount": "8"}, {"tier_lower_bound": "25", "unit_amount": "6"}]}`

var _ = golden("max_group_tiered_package",
	costs("the packages of the group that used most, tier by tier", peaks, cells("12 h1", "31 h2", "27 h3"), "52",
		`tier "0 - 25": 25 for 40 (hour=h2)`,
		`tier "25+": 10 for 12 (hour=h2)`),
	atBound("a group on a bound in the tier below", peaks, cells("25 h1", "3 h2"), "40", `tier "0 - 25": 25 for 40 (hour=h1)`),
	costs("a fraction of a unit above a bound", peaks, cells("25.5 h1"), "46",
		`tier "0 - 25": 25 for 40 (hour=h1)`,
		`tier "25+": 5 for 6 (hour=h1)`),
	costs("the smallest value of equal groups", peaks, cells("4 h2", "4 h10", "4 h1"), "8", `tier "0 - 25": 5 for 8 (hour=h1)`),
	costs("events without the property where they are most, or as many", peaks, cells("4 h2", "4 -"), "8", `tier "0 - 25": 5 for 8 (hour=-)`),
	costs("the largest number, not the longest text", peaks, cells("9 h1", "10 h2"), "16", `tier "0 - 25": 10 for 16 (hour=h2)`),
	costs("nothing where all are at or below zero", peaks, cells("0 h1", "-12 h2"), "0"),
	costs("all of it in part of a period", peaks, within(1, 2, cells("25 h1")), "40", `tier "0 - 25": 25 for 40 (hour=h1)`),
	costs("nothing without usage", peaks, cells(), "0"),
)

var _ = Describe("a max_group_tiered_package price", func() {
	It("is split by its grouping key, and its line is of the group that is charged", func() {
		m := model("max_group_tiered_package", peaks)
		Expect(m.Needs()).To(Equal(rating.Needs{Split: []string{"hour"}}))
		Expect(rating.Rate(m, cells("12 h1", "31 h2")).Quantity.String()).To(Equal("31"))
		Expect(rating.Rate(m, cells()).Quantity.String()).To(Equal("0"))
	})

	DescribeTable("is refused",
		func(config string, fields ...string) {
			Expect(refused("max_group_tiered_package", config)).To(Equal(fields))
		},
		Entry("with nothing", `{}`, "package_size", "grouping_key", "tiers"),
		Entry("without a property", strings.Replace(peaks, `"hour"`, `""`, 1), "grouping_key"),
		Entry("with packages below nothing", strings.Replace(peaks, `"5"`, `"-5"`, 1), "package_size"),
		Entry("with one tier", `{"grouping_key": "a", "package_size": "1", "tiers": [{"tier_lower_bound": "0", "unit_amount": "1"}]}`, "tiers"),
		Entry("with a bound inside a package", strings.Replace(peaks, `"25"`, `"26"`, 1), "tiers[1].tier_lower_bound"),
		Entry("with a rate of another model", strings.Replace(peaks, `"unit_amount": "6"`, `"per_unit": "6"`, 1), "tiers[1].unit_amount", "tiers[1].per_unit"),
	)
})

var _ = propertyOf("max_group_tiered_package", func(t *rapid.T) string {
	size := drawPackageSize(t)
	return fmt.Sprintf(`{"grouping_key": "k", "package_size": %q, "tiers": %s}`, size, drawTierTable(t, 2, size).rated(t, "unit_amount"))
})
