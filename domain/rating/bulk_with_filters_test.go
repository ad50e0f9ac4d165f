package rating_test

import (
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"tollkeeper/domain/money"
	"tollkeeper/domain/rating"
)

const apiOnly = `{"filters": [{"property_key": "source", "property_value": "api"}], "tiers": [
	{"unit_amount": "0.50", "tier_lower_bound": null},
	{"unit_amount": "0.40", "tier_lower_bound": "200"}]}`

// matching is usage of which some is of events that match the filters.
func matching(some, all string) rating.Usage {
	u := total(all)
	u.Filtered = money.Must(some)
	return u
}

var _ = golden("bulk_with_filters",
	costs("what matches, at the rate of the tier that all events reach", apiOnly, matching("150", "240"), "60"),
	atBound("a bound is in the tier it begins", apiOnly, matching("150", "200"), "60"),
	costs("a unit below the bound", apiOnly, matching("150", "199"), "75"),
	costs("a fraction of a unit below the bound", apiOnly, matching("0.5", "199.999"), "0.25"),
	costs("nothing where nothing matches", apiOnly, matching("0", "240"), "0"),
	costs("nothing without usage", apiOnly, matching("0", "0"), "0"),
	costs("nothing where what matches is below zero", apiOnly, matching("-150", "240"), "0"),
	costs("the first rate where the sum of all events is below zero", apiOnly, matching("10", "-240"), "5"),
	costs("all of what was used in part of a period", apiOnly, within(15, 30, matching("150", "240")), "60"),
)

var _ = Describe("a bulk_with_filters price", func() {
	It("asks for events that match all filters, and its line is of those", func() {
		m := model("bulk_with_filters", `{"filters": [{"property_key": "source", "property_value": "api"}, {"property_key": "zone", "property_value": "eu"}],
			"tiers": [{"unit_amount": "0.50"}, {"unit_amount": "0.40", "tier_lower_bound": "200"}]}`)
		Expect(m.Needs()).To(Equal(rating.Needs{Filter: []rating.Property{{Key: "source", Value: "api"}, {Key: "zone", Value: "eu"}}}))
		c := rating.Rate(m, matching("150", "240"))
		Expect(c.Quantity.String()).To(Equal("150"))
		Expect(working(c)).To(Equal([]string{"all units, from 200: 150 at 0.40 for 60"}))
	})

	tiers := `[{"unit_amount": "0.50"}, {"unit_amount": "0.40", "tier_lower_bound": "200"}]`

	DescribeTable("is refused",
		func(config string, fields ...string) {
			Expect(refused("bulk_with_filters", config)).To(Equal(fields))
		},
		Entry("with nothing", `{}`, "filters", "tiers"),
		Entry("without filters", `{"filters": [], "tiers": `+tiers+`}`, "filters"),
		Entry("with an empty filter", `{"filters": [{}], "tiers": `+tiers+`}`, "filters[0].property_key", "filters[0].property_value"),
		Entry("with empty texts in a filter", `{"filters": [{"property_key": "", "property_value": ""}], "tiers": `+tiers+`}`,
			"filters[0].property_key", "filters[0].property_value"),
		Entry("with a number in a filter", `{"filters": [{"property_key": "size", "property_value": 5}], "tiers": `+tiers+`}`, "filters[0].property_value"),
		Entry("with one tier", `{"filters": [{"property_key": "a", "property_value": "b"}], "tiers": [{"unit_amount": "1"}]}`, "tiers"),
		Entry("with a lowest bound above 0",
			`{"filters": [{"property_key": "a", "property_value": "b"}], "tiers": [{"unit_amount": "1", "tier_lower_bound": "1"}, {"unit_amount": "1", "tier_lower_bound": "2"}]}`,
			"tiers[0].tier_lower_bound"),
	)
})

var _ = propertyOf("bulk_with_filters", func(t *rapid.T) string {
	return fmt.Sprintf(`{"filters": [{"property_key": "k", "property_value": "v"}], "tiers": %s}`, drawTierTable(t, 2, "1").bulk(t))
})
