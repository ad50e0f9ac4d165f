package rating_test

import (
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/rating"
)

var _ = Describe("Filter", func() {
	usage := rating.Priced{PriceID: "price_u", ItemID: "item_u", Currency: "USD", Usage: true}
	fee := rating.Priced{PriceID: "price_f", ItemID: "item_f", Currency: "USD", Fixed: true, InAdvance: true}
	late := rating.Priced{PriceID: "price_l", ItemID: "item_f", Currency: "EUR", Fixed: true}
	percent := rating.Priced{PriceID: "price_p", ItemID: "item_p", Currency: "USD"}
	tokens := rating.Priced{PriceID: "price_t", ItemID: "item_u", Currency: "tokens", Usage: true}

	DescribeTable("selects prices",
		func(field rating.FilterField, values []string, selected ...string) {
			for _, operator := range []rating.FilterOperator{rating.FilterIncludes, rating.FilterExcludes} {
				filter := rating.Filter{Field: field, Operator: operator, Values: values}
				for _, p := range []rating.Priced{usage, fee, late, percent, tokens} {
					wanted := slices.Contains(selected, p.PriceID) == (operator == rating.FilterIncludes)
					Expect(filter.Matches(p)).To(Equal(wanted), "%s %s", operator, p.PriceID)
				}
			}
		},
		Entry("by id", rating.FilterPriceID, []string{"price_f", "price_x"}, "price_f"),
		Entry("by item", rating.FilterItemID, []string{"item_f"}, "price_f", "price_l"),
		Entry("by one of several items", rating.FilterItemID, []string{"item_f", "item_p"}, "price_f", "price_l", "price_p"),
		Entry("of usage", rating.FilterPriceType, []string{"usage"}, "price_u", "price_t"),
		Entry("of fixed fees", rating.FilterPriceType, []string{"fixed"}, "price_f", "price_l"),
		Entry("of fixed fees in advance", rating.FilterPriceType, []string{"fixed_in_advance"}, "price_f"),
		Entry("of fixed fees in arrears", rating.FilterPriceType, []string{"fixed_in_arrears"}, "price_l"),
		Entry("of all that is billed in arrears", rating.FilterPriceType, []string{"in_arrears"}, "price_u", "price_l", "price_p", "price_t"),
		Entry("by currency", rating.FilterCurrency, []string{"USD"}, "price_u", "price_f", "price_p"),
		Entry("by a custom unit as currency", rating.FilterCurrency, []string{"tokens"}, "price_t"),
		Entry("by pricing unit", rating.FilterPricingUnitID, []string{"tokens"}, "price_t"),
		Entry("by pricing unit, which real money is not", rating.FilterPricingUnitID, []string{"USD"}),
	)

	It("must hold together with all others", func() {
		a := rating.Adjustment{Filters: []rating.Filter{
			{Field: rating.FilterItemID, Operator: rating.FilterIncludes, Values: []string{"item_u"}},
			{Field: rating.FilterCurrency, Operator: rating.FilterExcludes, Values: []string{"tokens"}},
		}}
		Expect(a.Matches(usage)).To(BeTrue())
		Expect(a.Matches(tokens)).To(BeFalse())
		Expect(a.Matches(fee)).To(BeFalse())
		Expect(rating.Adjustment{}.Matches(fee)).To(BeTrue(), "no filter")
	})
})
