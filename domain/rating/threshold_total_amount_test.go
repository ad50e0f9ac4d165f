package rating_test

import (
	"fmt"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"tollkeeper/domain/rating"
)

const (
	steps       = `{"consumption_table": [{"threshold": "500", "total_amount": "90"}, {"threshold": "0", "total_amount": "25"}]}`
	stepsByDays = `{"prorate": true, "consumption_table": [{"threshold": "0", "total_amount": "25"}, {"threshold": "500", "total_amount": "90"}]}`
)

var _ = golden("threshold_total_amount",
	costs("the amount of the highest threshold exceeded", steps, total("501"), "90"),
	atBound("a threshold is not exceeded by itself", steps, total("500"), "25"),
	costs("a fraction of a unit exceeds it", steps, total("500.00000000000000000001"), "90"),
	costs("the first amount for the least usage", steps, total("0.1"), "25"),
	costs("nothing without usage, though a threshold is 0", steps, total("0"), "0"),
	costs("nothing below zero", steps, total("-501"), "0"),
	costs("nothing before a first threshold above 0",
		`{"prorate": null, "consumption_table": [{"threshold": "10", "total_amount": "25"}, {"threshold": "500", "total_amount": "90"}]}`, total("10"), "0"),
	costs("less again above a threshold that says so",
		`{"consumption_table": [{"threshold": "10", "total_amount": "25"}, {"threshold": "500", "total_amount": "0"}]}`, total("501"), "0"),
	costs("all of it in part of a period", steps, over("501", 20, 30), "90"),
	costs("the amount by days, if prorated", stepsByDays, over("501", 20, 30), "60"),
	costs("a fixed fee by days only once, though prorated", stepsByDays, fixed("501", 20, 30), "60"),
)

var _ = Describe("a threshold_total_amount price", func() {
	It("names the threshold, and shows the quantity as measured", func() {
		c := rating.Rate(model("threshold_total_amount", steps), total("620"))
		Expect(c.Quantity.String()).To(Equal("620"))
		Expect(working(c)).To(Equal([]string{"total above 500: 1 at 90 for 90"}))
	})

	DescribeTable("is refused",
		func(config string, fields ...string) {
			Expect(refused("threshold_total_amount", config)).To(Equal(fields))
		},
		Entry("with nothing", `{}`, "consumption_table"),
		Entry("with one row", `{"consumption_table": [{"threshold": "0", "total_amount": "1"}]}`, "consumption_table"),
		Entry("with empty rows", `{"consumption_table": [{}, {}]}`,
			"consumption_table[0].threshold", "consumption_table[0].total_amount", "consumption_table[1].threshold", "consumption_table[1].total_amount"),
		Entry("with a threshold twice",
			`{"consumption_table": [{"threshold": "5", "total_amount": "1"}, {"threshold": "5.0", "total_amount": "1"}]}`, "consumption_table[1].threshold"),
		Entry("with a threshold below 0",
			`{"consumption_table": [{"threshold": "-5", "total_amount": "1"}, {"threshold": "5", "total_amount": "1"}]}`, "consumption_table[0].threshold"),
		Entry("with a negative amount",
			`{"consumption_table": [{"threshold": "0", "total_amount": "-1"}, {"threshold": "5", "total_amount": "1"}]}`, "consumption_table[0].total_amount"),
		Entry("with numbers",
			`{"consumption_table": [{"threshold": 0, "total_amount": 1}, {"threshold": "0", "total_amount": "1"}]}`,
			"consumption_table[0].threshold", "consumption_table[0].total_amount"),
		Entry("with the flag of another model",
			`{"prorated": true, "consumption_table": [{"threshold": "0", "total_amount": "1"}, {"threshold": "5", "total_amount": "1"}]}`, "prorated"),
	)
})

var _ = propertyOf("threshold_total_amount", func(t *rapid.T) string {
	var rows []string
	for _, threshold := range rapid.SliceOfNDistinct(rapid.IntRange(0, 999), 2, 6, rapid.ID).Draw(t, "thresholds") { // in any order
		rows = append(rows, fmt.Sprintf(`{"threshold": "%d", "total_amount": %q}`, threshold, drawRate(t)))
	}
	return fmt.Sprintf(`{"prorate": %v, "consumption_table": [%s]}`, rapid.Bool().Draw(t, "prorate"), strings.Join(rows, ","))
})
