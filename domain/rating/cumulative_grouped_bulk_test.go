package rating_test

import (
	"fmt"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"tollkeeper/domain/rating"
)

const messages = `{"group": "channel", "dimension_values": [
	{"grouping_key": "sms", "tier_lower_bound": "1000", "unit_amount": "0.06"},
	{"grouping_key": "push", "tier_lower_bound": "0", "unit_amount": "0.01"},
	{"grouping_key": "sms", "tier_lower_bound": "0.0", "unit_amount": "0.08"},
	{"grouping_key": "push", "tier_lower_bound": "1000", "unit_amount": "0.008"}]}`

var _ = golden("cumulative_grouped_bulk",
	costs("each group at its own rate in the tier that all reach together", messages, cells("700 sms", "400 push"), "45.2",
		`'null' "push": 400 for 3.2 (channel=push)`,
		`'null' "sms": 700 for 42 (channel=sms)`),
	costs("the tier below where they do not reach it", messages, cells("700 sms", "299 push"), "58.99",
		`'null' "push": 299 for 2.99 (channel=push)`,
		`'null' "sms": 700 for 56 (channel=sms)`),
	atBound("the tier whose bound they just reach", messages, cells("700 sms", "300 push"), "44.4",
		`'null' "push": 300 for 2.4 (channel=push)`,
		`'null' "sms": 700 for 42 (channel=sms)`),
	costs("a fraction of a unit below a bound", messages, cells("999.5 sms"), "79.96",
		`'null' "sms": 999.5 for 79.96 (channel=sms)`),
	costs("unlisted and missing values at nothing, and towards no tier", messages, cells("700 sms", "300 fax", "300 -"), "56",
		`'null' "none": 300 for 0 (channel=-)`,
		`'null' "fax": 300 for 0 (channel=fax)`,
		`'null' "sms": 700 for 56 (channel=sms)`),
	costs("nothing for a group below zero, which takes nothing from others", messages, cells("1000 sms", "-500 push"), "60",
		`'null' "push": 0 for 0 (channel=push)`,
		`'null' "sms": 1000 for 60 (channel=sms)`),
	costs("all of it in part of a period", messages, within(10, 30, cells("100 push")), "1",
		`'null' "push": 100 for 1 (channel=push)`),
	costs("nothing without usage", messages, cells(), "0"),
)

var _ = Describe("a cumulative_grouped_bulk price", func() {
	It("is split by its group, and its line is of all groups it shows", func() {
		m := model("cumulative_grouped_bulk", messages)
		Expect(m.Needs()).To(Equal(rating.Needs{Split: []string{"channel"}}))
		Expect(rating.Rate(m, cells("700 sms", "300 fax")).Quantity.String()).To(Equal("1000"))
	})

	DescribeTable("is refused",
		func(config string, fields ...string) {
			Expect(refused("cumulative_grouped_bulk", config)).To(Equal(fields))
		},
		Entry("with nothing", `{}`, "group", "dimension_values"),
		Entry("without rows", `{"group": "a", "dimension_values": []}`, "dimension_values"),
		Entry("without a property", strings.Replace(messages, `"channel"`, `""`, 1), "group"),
		Entry("with an empty row", `{"group": "a", "dimension_values": [{}]}`,
			"dimension_values[0].tier_lower_bound", "dimension_values[0].grouping_key", "dimension_values[0].unit_amount"),
		Entry("with an empty value", `{"group": "a", "dimension_values": [{"grouping_key": "", "tier_lower_bound": "0", "unit_amount": "1"}]}`,
			"dimension_values[0].grouping_key"),
		Entry("with a value twice in a tier", strings.Replace(messages, `"push"`, `"sms"`, 1), "dimension_values[2].grouping_key"),
		Entry("with a value missing in a tier", strings.Replace(messages, `"push"`, `"fax"`, 1), "dimension_values"),
		Entry("with a tier of fewer values", `{"group": "a", "dimension_values": [{"grouping_key": "x", "tier_lower_bound": "0", "unit_amount": "1"},
			{"grouping_key": "y", "tier_lower_bound": "0", "unit_amount": "1"}, {"grouping_key": "x", "tier_lower_bound": "1", "unit_amount": "1"}]}`, "dimension_values"),
		Entry("with a lowest tier above 0", `{"group": "a", "dimension_values": [{"grouping_key": "x", "tier_lower_bound": "1", "unit_amount": "1"}]}`, "dimension_values"),
		Entry("below zero", `{"group": "a", "dimension_values": [{"grouping_key": "x", "tier_lower_bound": "-1", "unit_amount": "-1"}]}`,
			"dimension_values[0].tier_lower_bound", "dimension_values[0].unit_amount"),
	)
})

var _ = propertyOf("cumulative_grouped_bulk", func(t *rapid.T) string {
	values := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"x", "X", "null"}), 1, 3, rapid.ID).Draw(t, "values")
	var rows []string
	for _, bound := range append([]string{"0"}, drawBounds(t)...) {
		for _, value := range values {
			rows = append(rows, fmt.Sprintf(`{"grouping_key": %q, "tier_lower_bound": %q, "unit_amount": %q}`, value, bound, drawRate(t)))
		}
	}
	return fmt.Sprintf(`{"group": "k", "dimension_values": %s}`, inAnyOrder(t, rows))
})
