package rating_test

import (
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"tollkeeper/domain/rating"
)

const sites = `{"grouping_key": "site", "minimum": "45", "unit_rate": "0.90"}`

var _ = golden("grouped_with_prorated_minimum",
	costs("each group's units, and at least the minimum", sites, cells("100 s1", "10 s2"), "135",
		`'null' "s1": 100 for 90 (site=s1)`,
		`'null' "s2": 10 for 45 (site=s2)`),
	costs("the minimum by days in part of a period, the units in full", sites, within(10, 30, cells("100 s1", "10 s2")), "105",
		`'null' "s1": 100 for 90 (site=s1)`,
		`'null' "s2": 10 for 15 (site=s2)`),
	atBound("the minimum where units cost just that", sites, cells("50 s1"), "45", `'null' "s1": 50 for 45 (site=s1)`),
	costs("a fraction of a unit above it", sites, cells("50.5 s1"), "45.45", `'null' "s1": 50.5 for 45.45 (site=s1)`),
	costs("a minimum cut at the last digit", sites, within(1, 7, cells("0 s1", "1 s2")), "12.85714285714285714285",
		`'null' "s1": 0 for 6.42857142857142857142 (site=s1)`,
		`'null' "s2": 1 for 6.42857142857142857143 (site=s2)`),
	costs("the minimum of events without the property too, first", sites, cells("100 s1", "1 -"), "135",
		`'null' "none": 1 for 45 (site=-)`,
		`'null' "s1": 100 for 90 (site=s1)`),
	costs("the minimum of a group below zero", sites, cells("-1000 s1"), "45", `'null' "s1": 0 for 45 (site=s1)`),
	costs("no minimum in no days", sites, within(0, 30, cells("10 s1")), "9", `'null' "s1": 10 for 9 (site=s1)`),
	costs("nothing without an event", sites, cells(), "0"),
)

var _ = Describe("a grouped_with_prorated_minimum price", func() {
	It("is split by its grouping key, and its line is of all groups", func() {
		m := model("grouped_with_prorated_minimum", sites)
		Expect(m.Needs()).To(Equal(rating.Needs{Split: []string{"site"}}))
		Expect(rating.Rate(m, cells("100 s1", "10 s2")).Quantity.String()).To(Equal("110"))
	})

	It("tells which groups paid their rate", func() {
		c := rating.Rate(model("grouped_with_prorated_minimum", sites), cells("100 s1", "10 s2"))
		Expect(c.Parts[0].Rate).To(Equal("0.90"))
		Expect(c.Parts[1].Rate).To(BeEmpty())
	})

	DescribeTable("is refused",
		func(config string, fields ...string) {
			Expect(refused("grouped_with_prorated_minimum", config)).To(Equal(fields))
		},
		Entry("with nothing", `{}`, "grouping_key", "minimum", "unit_rate"),
		Entry("without a property", `{"grouping_key": "", "minimum": "1", "unit_rate": "1"}`, "grouping_key"),
		Entry("below zero", `{"grouping_key": "a", "minimum": "-1", "unit_rate": "-1"}`, "minimum", "unit_rate"),
	)
})

var _ = propertyOf("grouped_with_prorated_minimum", func(t *rapid.T) string {
	return fmt.Sprintf(`{"grouping_key": "k", "minimum": %q, "unit_rate": %q}`, drawRate(t), drawRate(t))
})

var _ = Describe("a prorated minimum of several groups", func() {
	// 445.60 x 41/96 = 190.308333... of each group: 570.925 of three, which is 570.93.
	It("loses no cent to digits that are cut of each group", func() {
		m := model("grouped_with_prorated_minimum", `{"grouping_key": "k", "minimum": "445.6", "unit_rate": "1"}`)
		c := rating.Rate(m, within(41, 96, cells("1 a", "2 b", "3 c")))
		Expect(c.Subtotal.String()).To(Equal("570.925"))
		Expect(parts(c)).To(Equal([]string{
			`'null' "a": 1 for 190.30833333333333333333 (k=a)`,
			`'null' "b": 2 for 190.30833333333333333333 (k=b)`,
			`'null' "c": 3 for 190.30833333333333333334 (k=c)`,
		}))
	})
})
