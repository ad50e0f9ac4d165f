package rating_test

import (
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"tollkeeper/domain/rating"
)

const shops = `{"grouping_key": "shop", "per_unit_rate": "2", "minimum_charge": "20", "maximum_charge": "200"}`

var _ = golden("grouped_with_min_max_thresholds",
	costs("each group's units, held between minimum and maximum", shops, cells("3 s1", "40 s2", "500 s3"), "300",
		`'null' "s1": 3 for 20 (shop=s1)`,
		`'null' "s2": 40 for 80 (shop=s2)`,
		`'null' "s3": 500 for 200 (shop=s3)`),
	atBound("the limits where units cost just those", shops, cells("10 s1", "100 s2"), "220",
		`'null' "s1": 10 for 20 (shop=s1)`,
		`'null' "s2": 100 for 200 (shop=s2)`),
	costs("fractions of a unit inside the limits", shops, cells("10.25 s1", "99.75 s2"), "220",
		`'null' "s1": 10.25 for 20.5 (shop=s1)`,
		`'null' "s2": 99.75 for 199.5 (shop=s2)`),
	costs("events without the property as one group, the first", shops, cells("40 s1", "1 -"), "100",
		`'null' "none": 1 for 20 (shop=-)`,
		`'null' "s1": 40 for 80 (shop=s1)`),
	costs("the minimum of a group whose events cost nothing", shops, cells("0 s1", "-7 s2"), "40",
		`'null' "s1": 0 for 20 (shop=s1)`,
		`'null' "s2": 0 for 20 (shop=s2)`),
	costs("full limits in part of a period", shops, within(10, 30, cells("3 s1", "500 s2")), "220",
		`'null' "s1": 3 for 20 (shop=s1)`,
		`'null' "s2": 500 for 200 (shop=s2)`),
	costs("one price for all where the limits are equal", `{"grouping_key": "shop", "per_unit_rate": "2", "minimum_charge": "30", "maximum_charge": "30"}`,
		cells("1 s1", "90 s2"), "60",
		`'null' "s1": 1 for 30 (shop=s1)`,
		`'null' "s2": 90 for 30 (shop=s2)`),
	costs("nothing without an event", shops, cells(), "0"),
)

var _ = Describe("a grouped_with_min_max_thresholds price", func() {
	It("is split by its grouping key", func() {
		Expect(model("grouped_with_min_max_thresholds", shops).Needs()).To(Equal(rating.Needs{Split: []string{"shop"}}))
	})

	DescribeTable("is refused",
		func(config string, fields ...string) {
			Expect(refused("grouped_with_min_max_thresholds", config)).To(Equal(fields))
		},
		Entry("with nothing", `{}`, "grouping_key", "per_unit_rate", "minimum_charge", "maximum_charge"),
		Entry("without a property", `{"grouping_key": "", "per_unit_rate": "2", "minimum_charge": "20", "maximum_charge": "200"}`, "grouping_key"),
		Entry("with a minimum above the maximum", `{"grouping_key": "a", "per_unit_rate": "2", "minimum_charge": "20.01", "maximum_charge": "20"}`, "minimum_charge"),
		Entry("below zero", `{"grouping_key": "a", "per_unit_rate": "-2", "minimum_charge": "0", "maximum_charge": "-1"}`, "per_unit_rate", "maximum_charge"),
	)
})

var _ = propertyOf("grouped_with_min_max_thresholds", func(t *rapid.T) string {
	least, most := drawRate(t), drawRate(t)
	if rat(least).Cmp(rat(most)) > 0 {
		least, most = most, least
	}
	return fmt.Sprintf(`{"grouping_key": "k", "per_unit_rate": %q, "minimum_charge": %q, "maximum_charge": %q}`, drawRate(t), least, most)
})
