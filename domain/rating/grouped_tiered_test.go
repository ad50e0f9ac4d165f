package rating_test

import (
	"fmt"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"tollkeeper/domain/rating"
)

const clusters = `{"grouping_key": "cluster", "tiers": [
	{"tier_lower_bound": "100", "unit_amount": "0.07"}, {"tier_lower_bound": "0", "unit_amount": "0.10"}]}`

var _ = golden("grouped_tiered",
	costs("each group tier by tier, from the first", clusters, cells("60 c2", "150 c1"), "19.5",
		`tier "0 - 100": 100 for 10 (cluster=c1)`,
		`tier "100+": 50 for 3.5 (cluster=c1)`,
		`tier "0 - 100": 60 for 6 (cluster=c2)`),
	atBound("a group on a bound in the tier below", clusters, cells("100 c1"), "10", `tier "0 - 100": 100 for 10 (cluster=c1)`),
	costs("a fraction of a unit above a bound", clusters, cells("100.5 c1"), "10.035",
		`tier "0 - 100": 100 for 10 (cluster=c1)`,
		`tier "100+": 0.5 for 0.035 (cluster=c1)`),
	costs("events without the property as one group, the first", clusters, cells("1 c1", "101 -"), "10.17",
		`tier "0 - 100": 100 for 10 (cluster=-)`,
		`tier "100+": 1 for 0.07 (cluster=-)`,
		`tier "0 - 100": 1 for 0.1 (cluster=c1)`),
	costs("nothing for groups at or below zero, without parts", clusters, cells("0 c1", "-50 c2", "10 c3"), "1",
		`tier "0 - 100": 10 for 1 (cluster=c3)`),
	costs("all of it in part of a period", clusters, within(1, 2, cells("100 c1")), "10", `tier "0 - 100": 100 for 10 (cluster=c1)`),
	costs("nothing without usage", clusters, cells(), "0"),
)

var _ = Describe("a grouped_tiered price", func() {
	It("is split by its grouping key, and its line is of all groups", func() {
		m := model("grouped_tiered", clusters)
		Expect(m.Needs()).To(Equal(rating.Needs{Split: []string{"cluster"}}))
		Expect(rating.Rate(m, cells("150 c1", "60 c2")).Quantity.String()).To(Equal("210"))
	})

	DescribeTable("is refused",
		func(config string, fields ...string) {
			Expect(refused("grouped_tiered", config)).To(Equal(fields))
		},
		Entry("with nothing", `{}`, "grouping_key", "tiers"),
		Entry("without a property", strings.Replace(clusters, `"cluster"`, `""`, 1), "grouping_key"),
		Entry("with one tier", `{"grouping_key": "a", "tiers": [{"tier_lower_bound": "0", "unit_amount": "1"}]}`, "tiers"),
		Entry("with an empty tier", strings.Replace(clusters, `"tier_lower_bound": "100", "unit_amount": "0.07"`, ``, 1),
			"tiers[0].tier_lower_bound", "tiers[0].unit_amount"),
		Entry("with no tier from 0", strings.Replace(clusters, `"0",`, `"1",`, 1), "tiers[1].tier_lower_bound"),
		Entry("with two tiers from 0", strings.Replace(clusters, `"100",`, `"0.0",`, 1), "tiers[1].tier_lower_bound"),
		Entry("with a tier below 0", strings.Replace(clusters, `"100",`, `"-100",`, 1), "tiers[0].tier_lower_bound"),
		Entry("with a negative rate", strings.Replace(clusters, `"0.07"`, `"-0.07"`, 1), "tiers[0].unit_amount"),
	)
})

var _ = propertyOf("grouped_tiered", func(t *rapid.T) string {
	return fmt.Sprintf(`{"grouping_key": "k", "tiers": %s}`, drawTierTable(t, 2, "1").rated(t, "unit_amount"))
})
