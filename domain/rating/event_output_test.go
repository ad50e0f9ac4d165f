package rating_test

import (
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"tollkeeper/domain/rating"
)

const (
	orders   = `{"unit_rating_key": "price", "default_unit_rate": "0.5", "grouping_key": "order"}`
	priced   = `{"unit_rating_key": "price", "default_unit_rate": null, "grouping_key": "order"}`
	together = `{"unit_rating_key": "price"}`
)

var _ = golden("event_output",
	costs("each event at its own rate, or the default", orders, cells("6 o2 -", "1 o1 3", "4 o1 2.25"), "15",
		`'null' "o1": 4 for 9 (order=o1)`,
		`'null' "o1": 1 for 3 (order=o1)`,
		`'null' "o2": 6 for 3 (order=o2)`),
	costs("nothing for an event without a rate where there is no default", priced, cells("6 o2 -"), "0"),
	costs("rates in the order of numbers, groups of their values, missing first", priced, cells("1 a 10", "1 a 9", "1 - 11"), "30",
		`'null' "none": 1 for 11 (order=-)`,
		`'null' "a": 1 for 9 (order=a)`,
		`'null' "a": 1 for 10 (order=a)`),
	costs("equal rates as one, however they are spelt", together, cells("1 1.5", "2 1.50", "4 01.5", "8 15e-1"), "22.5",
		`'null' "1.5": 15 for 22.5`),
	costs("a rate that equals the default together with it", orders, cells("1 o1 0.50", "2 o1 none"), "1.5",
		`'null' "o1": 3 for 1.5 (order=o1)`),
	costs("no rates that are no numbers", together, cells("1 NaN", "1 Infinity", "1 true", "1 0x10", "1 1_000", "1 1e400000", "2 3"), "6",
		`'null' "3": 2 for 6`),
	costs("zero and negative rates as rates", together, cells("5 0", "2 -3"), "-6",
		`'null' "-3": 2 for -6`,
		`'null' "0": 5 for 0`),
	costs("quantities below zero as credits, fractions as they are", together, cells("-2 3", "0.25 2"), "-5.5",
		`'null' "2": 0.25 for 0.5`,
		`'null' "3": -2 for -6`),
	costs("all of it in part of a period", together, within(1, 30, cells("2 3")), "6", `'null' "3": 2 for 6`),
	atBound("a rate as fine as numbers can be, of all that there can be", together, cells("999999999999999999999999999999 0.00000000000000000001"),
		"9999999999.99999999999999999999",
		`'null' "0.00000000000000000001": 999999999999999999999999999999 for 9999999999.99999999999999999999`),
	costs("nothing without usage", orders, cells(), "0"),
)

var _ = Describe("an event_output price", func() {
	It("needs a metric that adds up events, split by rate, and by group if there is one", func() {
		Expect(model("event_output", orders).Needs()).To(Equal(rating.Needs{Split: []string{"order", "price"}, Additive: true}))
		Expect(model("event_output", together).Needs()).To(Equal(rating.Needs{Split: []string{"price"}, Additive: true}))
	})

	It("has a line of the units that were charged", func() {
		c := rating.Rate(model("event_output", priced), cells("6 o2 -", "1 o1 3", "4 o1 2.25"))
		Expect(c.Quantity.String()).To(Equal("5"))
		Expect(c.Parts[0].Rate).To(Equal("2.25"))
	})

	It("leaves the usage it is given as it was", func() {
		u := cells("1 o2 3", "2 o1 1.5", "3 o1 1.50")
		rating.Rate(model("event_output", orders), u)
		Expect(u).To(Equal(cells("1 o2 3", "2 o1 1.5", "3 o1 1.50")))
	})

	DescribeTable("is refused",
		func(config string, fields ...string) {
			Expect(refused("event_output", config)).To(Equal(fields))
		},
		Entry("with nothing", `{}`, "unit_rating_key"),
		Entry("with empty names", `{"unit_rating_key": "", "grouping_key": ""}`, "unit_rating_key", "grouping_key"),
		Entry("with a negative default", `{"unit_rating_key": "a", "default_unit_rate": "-1"}`, "default_unit_rate"),
		Entry("with a number for the default", `{"unit_rating_key": "a", "default_unit_rate": 1}`, "default_unit_rate"),
		Entry("with numbers for names", `{"unit_rating_key": 1, "grouping_key": 1}`, "unit_rating_key", "grouping_key"),
	)
})

var _ = propertyOf("event_output", func(t *rapid.T) string {
	keys := `"unit_rating_key": "r"`
	if rapid.Bool().Draw(t, "default") {
		keys += fmt.Sprintf(`, "default_unit_rate": %q`, drawRate(t))
	}
	if rapid.Bool().Draw(t, "grouped") {
		keys += `, "grouping_key": "k"`
	}
	return "{" + keys + "}"
})
