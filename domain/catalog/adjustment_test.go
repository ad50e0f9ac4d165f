package catalog_test

import (
	"encoding/json"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/rating"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

var _ = Describe("An adjustment", func() {
	var s *fixture
	BeforeEach(func() { s = open() })

	// mixed is a plan with a price of each kind, which adjustments may name: two fees,
	// a yearly fee, a fee in arrears, usage, one in credits, and one composite price.
	mixed := func() catalog.NewPlan {
		in := catalog.NewPlan{Name: "Mixed", Currency: "USD", Status: catalog.PlanActive}
		for _, each := range []struct {
			reference string
			change    func(*catalog.NewPrice)
		}{
			{"fee", nil},
			{"fee too", nil},
			{"yearly", func(p *catalog.NewPrice) { p.Cadence = period.CadenceAnnual }},
			{"late", func(p *catalog.NewPrice) { p.BilledInAdvance = ref(false) }},
			{"calls", func(p *catalog.NewPrice) { p.MetricID = &s.metric.ID }},
			{"in credits", func(p *catalog.NewPrice) {
				p.MetricID, p.Currency, p.ConversionRate = &s.metric.ID, money.Credits, ref(json.Number("0.1"))
			}},
			{"percent", func(p *catalog.NewPrice) {
				p.ModelType, p.Config = "percent", json.RawMessage(`{"percent": 0.1}`)
			}},
		} {
			in.Prices = append(in.Prices, catalog.PlanPrice{Price: s.fee(each.change), ReferenceID: &each.reference})
		}
		return in
	}
	create := func(adjustments ...catalog.NewAdjustment) (version catalog.PlanVersion, err error) {
		in := mixed()
		for _, a := range adjustments {
			in.Adjustments = append(in.Adjustments, catalog.PlanAdjustment{Adjustment: a})
		}
		err = s.try(func(tx *store.Tx) error {
			plan, err := catalog.CreatePlan(tx, in)
			if err != nil {
				return err
			}
			version, err = catalog.FindVersion(tx, plan.ID, plan.Version)
			return err
		})
		return version, err
	}

	It("is read back as it was made, in the order of the request", func() {
		minimum := catalog.NewAdjustment{Kind: rating.Minimum, Value: money.Must("25.5"), AsSent: ref("25.50"), ItemID: &s.item.ID}
		bands := catalog.NewAdjustment{Kind: rating.TieredPercentageDiscount, InvoiceLevel: true, Tiers: []rating.PercentageTier{
			{UpperBound: ref(money.Must("100")), Percentage: money.Must("0.1")},
			{LowerBound: money.Must("100"), Percentage: money.Must("0.2")},
		}}
		version, err := create(minimum, bands, half())
		Expect(err).NotTo(HaveOccurred())
		Expect(version.Adjustments).To(HaveLen(3))
		first, second, third := version.Adjustments[0], version.Adjustments[1], version.Adjustments[2]
		Expect(first.Rating()).To(Equal(rating.Adjustment{
			ID: first.ID, Kind: rating.Minimum, Value: money.Must("25.5"), Tiers: []rating.PercentageTier{}, Filters: []rating.Filter{},
		}))
		Expect(first.ID).To(HavePrefix("adj_"))
		Expect(first.AsSent).To(Equal(ref("25.50")))
		Expect(first.ItemID).To(Equal(&s.item.ID))
		Expect(first.PlanID).To(Equal(&version.PlanID))
		Expect(first.Reason).To(BeNil())
		Expect(second.Rating()).To(Equal(rating.Adjustment{
			ID: second.ID, Kind: bands.Kind, Tiers: bands.Tiers, Filters: []rating.Filter{}, InvoiceLevel: true,
		}))
		Expect(third.Kind).To(Equal(rating.PercentageDiscount))
	})

	DescribeTable("is for the prices that its target names",
		func(change func(*catalog.NewAdjustment), expected ...rating.Filter) {
			a := half()
			change(&a)
			version, err := create(a)
			Expect(err).NotTo(HaveOccurred())
			Expect(version.Adjustments[0].Filters).To(HaveExactElements(expected))
		},
		Entry("all, said or not", func(a *catalog.NewAdjustment) { a.AppliesToAll = true }),
		Entry("all, when lists are empty", func(a *catalog.NewAdjustment) {
			a.ItemIDs, a.PriceIDs, a.Filters = []string{}, []string{}, []rating.Filter{}
		}),
		Entry("filters as they are", func(a *catalog.NewAdjustment) {
			a.Filters = []rating.Filter{{Field: rating.FilterPriceType, Operator: rating.FilterExcludes, Values: []string{"usage"}}}
		}, rating.Filter{Field: rating.FilterPriceType, Operator: rating.FilterExcludes, Values: []string{"usage"}}),
		Entry("narrowed by currency and price type", func(a *catalog.NewAdjustment) {
			a.AppliesToAll, a.Currencies, a.PriceType = true, []money.Currency{"USD", money.Credits}, ref("fixed_in_arrears")
		},
			rating.Filter{Field: rating.FilterCurrency, Operator: rating.FilterIncludes, Values: []string{"USD", "credits"}},
			rating.Filter{Field: rating.FilterPriceType, Operator: rating.FilterIncludes, Values: []string{"fixed_in_arrears"}}),
	)

	It("is for prices of certain items", func() {
		a := half()
		a.ItemIDs = []string{s.item.ID}
		version, err := create(a)
		Expect(err).NotTo(HaveOccurred())
		Expect(version.Adjustments[0].Filters).To(Equal([]rating.Filter{{Field: rating.FilterItemID, Operator: rating.FilterIncludes, Values: []string{s.item.ID}}}))
	})

	DescribeTable("may name prices of the request together",
		func(kind rating.AdjustmentKind, value string, references ...string) {
			a := catalog.NewAdjustment{Kind: kind, Value: money.Must(value), PriceIDs: references, InvoiceLevel: len(references) > 1}
			version, err := create(a)
			Expect(err).NotTo(HaveOccurred())
			ids := make([]string, len(references))
			for i, reference := range references {
				for k, entry := range mixed().Prices {
					if *entry.ReferenceID == reference {
						ids[i] = version.Prices[k].ID
					}
				}
			}
			Expect(version.Adjustments[0].Filters).To(Equal([]rating.Filter{{Field: rating.FilterPriceID, Operator: rating.FilterIncludes, Values: ids}}))
		},
		Entry("one, by an adjustment of its own", rating.AmountDiscount, "5", "fee"),
		Entry("two of one cadence and billing mode", rating.Maximum, "5", "fee too", "fee"),
		Entry("two in arrears, one of them usage", rating.AmountDiscount, "5", "late", "calls"),
		Entry("any two, by a percentage", rating.PercentageDiscount, "0.1", "yearly", "calls"),
		Entry("usage, by a discount of units", rating.UsageDiscount, "5", "calls"),
	)

	DescribeTable("is refused",
		func(change func(*catalog.NewAdjustment), fields ...string) {
			a := half()
			change(&a)
			_, err := create(half(), a)
			Expect(fieldsOf(err)).To(Equal(fields))
		},
		Entry("of a percentage above 1", func(a *catalog.NewAdjustment) { a.Value = money.Must("1.01") }, "adjustments[1].adjustment.percentage_discount"),
		Entry("a minimum without an item", func(a *catalog.NewAdjustment) { a.Kind = rating.Minimum }, "adjustments[1].adjustment.item_id"),
		Entry("with two targets", func(a *catalog.NewAdjustment) { a.AppliesToAll, a.PriceIDs = true, []string{"fee"} },
			"adjustments[1].adjustment.applies_to_all, applies_to_item_ids, applies_to_price_ids, filters"),
		Entry("with a filter of no values", func(a *catalog.NewAdjustment) {
			a.Filters = []rating.Filter{{Field: rating.FilterItemID, Operator: rating.FilterIncludes}}
		}, "adjustments[1].adjustment.filters[0].values"),
		Entry("narrowed to a currency that is none", func(a *catalog.NewAdjustment) { a.Currencies = []money.Currency{"usd"} }, "adjustments[1].adjustment.currency"),
		Entry("narrowed to a price type that is none", func(a *catalog.NewAdjustment) { a.PriceType = ref("usage_price") }, "adjustments[1].adjustment.price_type"),
		Entry("of a price that is not there", func(a *catalog.NewAdjustment) { a.PriceIDs = []string{"fee", "nope"} },
			"adjustments[1].adjustment.applies_to_price_ids[1]"),
		Entry("of a price named twice", func(a *catalog.NewAdjustment) { a.PriceIDs = []string{"fee", "fee"} },
			"adjustments[1].adjustment.applies_to_price_ids[1]"),
		Entry("of a price in credits", func(a *catalog.NewAdjustment) { a.PriceIDs = []string{"in credits"} },
			"adjustments[1].adjustment.applies_to_price_ids[0]"),
		Entry("of two prices, below invoice level", func(a *catalog.NewAdjustment) {
			a.InvoiceLevel, a.PriceIDs = false, []string{"fee", "fee too"}
		}, "adjustments[1].adjustment.applies_to_price_ids"),
		Entry("of amounts over two cadences", func(a *catalog.NewAdjustment) {
			a.Kind, a.PriceIDs = rating.AmountDiscount, []string{"fee", "fee too", "yearly"}
		}, "adjustments[1].adjustment.applies_to_price_ids[2]"),
		Entry("of amounts over two billing modes", func(a *catalog.NewAdjustment) {
			a.Kind, a.PriceIDs = rating.Maximum, []string{"fee", "late"}
		}, "adjustments[1].adjustment.applies_to_price_ids[1]"),
		Entry("of bands over two cadences", func(a *catalog.NewAdjustment) {
			a.Kind, a.PriceIDs = rating.TieredPercentageDiscount, []string{"fee", "yearly"}
			a.Tiers = []rating.PercentageTier{{UpperBound: ref(money.FromInt(1))}, {LowerBound: money.FromInt(1)}}
		}, "adjustments[1].adjustment.applies_to_price_ids[1]"),
		Entry("of units of a composite price", func(a *catalog.NewAdjustment) {
			a.Kind, a.PriceIDs = rating.UsageDiscount, []string{"percent"}
		}, "adjustments[1].adjustment.applies_to_price_ids[0]"),
	)

	It("is not judged by a price that is wrong itself", func() {
		in := mixed()
		in.Prices[0].Price.Config = json.RawMessage(`{}`)
		on := half()
		on.Kind, on.PriceIDs = rating.AmountDiscount, []string{"fee too", "fee"}
		in.Adjustments = []catalog.PlanAdjustment{{Adjustment: on}}
		err := s.try(func(tx *store.Tx) error {
			_, err := catalog.CreatePlan(tx, in)
			return err
		})
		Expect(fieldsOf(err)).To(Equal([]string{"prices[0].price.unit_config.unit_amount"}))
	})

	DescribeTable("names items that exist",
		func(change func(*catalog.NewAdjustment)) {
			a := half()
			change(&a)
			_, err := create(a)
			Expect(err).To(Equal(fault.Missing("Item", "nope")))
		},
		Entry("where a minimum goes", func(a *catalog.NewAdjustment) { a.Kind, a.ItemID = rating.Minimum, ref("nope") }),
		Entry("as a target", func(a *catalog.NewAdjustment) { a.ItemIDs = []string{"nope"} }),
	)
})
