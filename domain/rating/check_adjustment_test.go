package rating_test

import (
	"errors"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/money"
	"tollkeeper/domain/rating"
	"tollkeeper/store/fault"
)

// wrongFields are the fields that an invalid request names.
func wrongFields(err error) []string {
	fields := []string{}
	var f *fault.Fault
	if errors.As(err, &f) {
		for _, v := range f.Violations {
			fields = append(fields, v.Field)
		}
	}
	return fields
}

var _ = Describe("CheckAdjustment", func() {
	tiered := func(list []rating.PercentageTier) rating.Adjustment {
		return rating.Adjustment{Kind: rating.TieredPercentageDiscount, Tiers: list}
	}
	filtered := func(filters ...rating.Filter) rating.Adjustment {
		return rating.Adjustment{Kind: rating.Maximum, Filters: filters}
	}
	signed := func(kind rating.AdjustmentKind, value string) rating.Adjustment {
		return rating.Adjustment{Kind: kind, Value: money.Must(value)}
	}
	gap := tiers("0.1 10 0.2 20 0.3")
	gap[1].LowerBound = money.Must("11")
	backwards := tiers("0.1 10 0.2 10")
	openEarly := tiers("0.1 10 0.2")
	openEarly[0].UpperBound = nil
	negative := tiers("0.1 10 0.2")
	negative[0].LowerBound = money.Must("-1")

	DescribeTable("names every wrong field by its path",
		func(a rating.Adjustment, fields ...string) {
			Expect(wrongFields(rating.CheckAdjustment(a))).To(HaveExactElements(fields))
		},
		Entry("an unknown kind", signed("trial", "1"), "adjustment_type"),
		Entry("a usage discount below 0", signed(rating.UsageDiscount, "-1"), "usage_discount"),
		Entry("an amount discount below 0", signed(rating.AmountDiscount, "-0.01"), "amount_discount"),
		Entry("a percentage below 0", signed(rating.PercentageDiscount, "-0.1"), "percentage_discount"),
		Entry("a percentage above 1", signed(rating.PercentageDiscount, "1.01"), "percentage_discount"),
		Entry("a minimum below 0", signed(rating.Minimum, "-1"), "minimum_amount"),
		Entry("a maximum below 0", signed(rating.Maximum, "-1"), "maximum_amount"),
		Entry("no tiers", tiered(nil), "tiers"),
		Entry("one tier", tiered(tiers("0.5")), "tiers"),
		Entry("a gap between tiers", tiered(gap), "tiers[1].lower_bound"),
		Entry("a tier that holds nothing", tiered(backwards), "tiers[1].upper_bound"),
		Entry("a first tier without end", tiered(openEarly), "tiers[0].upper_bound"),
		Entry("a bound below 0", tiered(negative), "tiers[0].lower_bound"),
		Entry("percentages above 1 in tiers", tiered(tiers("1.1 10 2")), "tiers[0].percentage", "tiers[1].percentage"),
		Entry("an unknown field and operator", filtered(rating.Filter{Field: "plan_id", Operator: "equals", Values: []string{"a"}}),
			"filters[0].field", "filters[0].operator"),
		Entry("a filter of nothing", filtered(rating.Filter{Field: rating.FilterItemID, Operator: rating.FilterIncludes}), "filters[0].values"),
		Entry("an unknown price type in the second filter", filtered(
			rating.Filter{Field: rating.FilterCurrency, Operator: rating.FilterIncludes, Values: []string{"USD"}},
			rating.Filter{Field: rating.FilterPriceType, Operator: rating.FilterExcludes, Values: []string{"usage", "in_arrear"}}),
			"filters[1].values[1]"),
		Entry("a value twice, and an empty one",
			filtered(rating.Filter{Field: rating.FilterItemID, Operator: rating.FilterIncludes, Values: []string{"a", "a", ""}}),
			"filters[0].values[1]", "filters[0].values[2]"),
		Entry("a value and a filter at once", rating.Adjustment{
			Kind: rating.PercentageDiscount, Value: money.Must("2"),
			Filters: []rating.Filter{{Field: rating.FilterItemID, Operator: rating.FilterExcludes}}},
			"percentage_discount", "filters[0].values"),
	)

	DescribeTable("accepts",
		func(a rating.Adjustment) { Expect(rating.CheckAdjustment(a)).To(Succeed()) },
		Entry("all of a percentage", signed(rating.PercentageDiscount, "1")),
		Entry("a maximum of 0", signed(rating.Maximum, "0")),
		Entry("tiers whose last has no end", tiered(tiers("0.1 10 0.2"))),
		Entry("tiers whose last ends", tiered(tiers("0.1 10 0.2 20"))),
		Entry("a filter of each field", filtered(
			rating.Filter{Field: rating.FilterPriceID, Operator: rating.FilterIncludes, Values: []string{"a", "b"}},
			rating.Filter{Field: rating.FilterPricingUnitID, Operator: rating.FilterExcludes, Values: []string{"a"}},
			rating.Filter{Field: rating.FilterPriceType, Operator: rating.FilterExcludes,
				Values: []string{"usage", "fixed", "fixed_in_advance", "fixed_in_arrears", "in_arrears"}})),
	)
})
