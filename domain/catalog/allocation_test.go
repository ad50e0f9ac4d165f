package catalog_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/rating"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

var _ = Describe("An allocation price", func() {
	var s *fixture
	BeforeEach(func() { s = open() })

	// granting is a thousand credits a month for the fixture's item; change makes it
	// another grant.
	granting := func(change func(*catalog.NewAllocation)) catalog.NewPrice {
		a := &catalog.NewAllocation{Amount: money.FromInt(1000), Currency: money.Credits, Cadence: period.CadenceMonthly, ItemID: &s.item.ID}
		if change != nil {
			change(a)
		}
		return catalog.NewPrice{Allocation: a}
	}
	create := func(wanted ...catalog.NewPrice) (prices []catalog.Price, err error) {
		err = s.try(func(tx *store.Tx) error {
			plan, err := catalog.CreatePlan(tx, catalog.NewPlan{Name: "Pro", Currency: "USD", Status: catalog.PlanActive, Prices: placed(wanted...)})
			if err != nil {
				return err
			}
			version, err := catalog.FindVersion(tx, plan.ID, 1)
			prices = version.Prices
			return err
		})
		return prices, err
	}
	made := func(wanted ...catalog.NewPrice) []catalog.Price {
		GinkgoHelper()
		prices, err := create(wanted...)
		Expect(err).NotTo(HaveOccurred())
		return prices
	}

	It("AL-3: is a fixed fee of its cost basis for each credit, in advance", func() {
		price := made(granting(func(a *catalog.NewAllocation) { a.PerUnitCostBasis = "0.02" }))[0]
		Expect(price.Type).To(Equal(catalog.PriceFixed))
		Expect(price.BillingMode).To(Equal(catalog.InAdvance))
		Expect(price.Currency).To(Equal(money.Currency("USD")))
		Expect(price.Name).To(Equal(s.item.Name))
		Expect(price.Length()).To(Equal(period.Length{Months: 1}))
		Expect(price.Config).To(MatchJSON(`{"unit_amount": "0.02"}`))
		fee := rating.Usage{Quantity: *price.Quantity, Fixed: true}
		Expect(rating.Rate(price.Model(), fee).Subtotal.String()).To(Equal("20"))
	})

	It("costs nothing unless it has a cost basis", func() {
		Expect(made(granting(nil))[0].Config).To(MatchJSON(`{"unit_amount": "0.00"}`))
	})

	It("keeps what it grants", func() {
		filters := []rating.Filter{{Field: rating.FilterItemID, Operator: rating.FilterIncludes, Values: []string{s.item.ID}}}
		price := made(granting(func(a *catalog.NewAllocation) {
			a.CustomExpiration, a.Filters = &period.Length{Days: 90}, filters
		}))[0]
		Expect(price.Allocation).To(Equal(&catalog.Allocation{
			Currency: money.Credits, CustomExpiration: &period.Length{Days: 90}, Filters: filters,
		}))
		Expect(made(s.fee(nil))[0].Allocation).To(BeNil())
	})

	DescribeTable("lets credits outlive a period",
		func(change func(*catalog.NewAllocation), rollover bool) {
			Expect(made(granting(change))[0].Allocation.AllowsRollover()).To(Equal(rollover))
		},
		Entry("unless it says otherwise", nil, true),
		Entry("when it says so", func(a *catalog.NewAllocation) { a.ExpiresAtEndOfCadence = ref(false) }, true),
		Entry("not when they expire with it", func(a *catalog.NewAllocation) { a.ExpiresAtEndOfCadence = ref(true) }, false),
		Entry("not when they expire on their own", func(a *catalog.NewAllocation) { a.CustomExpiration = &period.Length{Months: 2} }, false),
	)

	DescribeTable("is refused",
		func(change func(*catalog.NewAllocation), field string) {
			_, err := create(granting(change))
			Expect(fieldsOf(err)).To(Equal([]string{"prices[0].allocation_price." + field}))
		},
		Entry("when it grants nothing", func(a *catalog.NewAllocation) { a.Amount = money.Decimal{} }, "amount"),
		Entry("when it takes", func(a *catalog.NewAllocation) { a.Amount = money.Must("-1") }, "amount"),
		Entry("in a unit that is none", func(a *catalog.NewAllocation) { a.Currency = "points" }, "currency"),
		Entry("with a cost basis below 0", func(a *catalog.NewAllocation) { a.PerUnitCostBasis = "-0.1" }, "per_unit_cost_basis"),
		Entry("with a cost basis that is no number", func(a *catalog.NewAllocation) { a.PerUnitCostBasis = "free" }, "per_unit_cost_basis"),
		Entry("when it says twice how credits expire", func(a *catalog.NewAllocation) {
			a.CustomExpiration, a.ExpiresAtEndOfCadence = &period.Length{Months: 1}, ref(true)
		}, "custom_expiration"),
		Entry("for no items", func(a *catalog.NewAllocation) {
			a.Filters = []rating.Filter{{Field: rating.FilterItemID, Operator: rating.FilterExcludes}}
		}, "filters[0].values"),
	)

	It("names records that exist", func() {
		_, err := create(granting(func(a *catalog.NewAllocation) { a.ItemID = ref("item_nope") }))
		Expect(err).To(Equal(fault.Missing("Item", "item_nope")))
		_, err = create(granting(func(a *catalog.NewAllocation) {
			a.Filters = []rating.Filter{{Field: rating.FilterItemID, Operator: rating.FilterIncludes, Values: []string{"item_gone"}}}
		}))
		Expect(err).To(Equal(fault.Missing("Item", "item_gone")))
		_, err = create(granting(func(a *catalog.NewAllocation) { a.LicenseTypeID = ref("lictype_nope") }))
		Expect(err).To(Equal(fault.Missing("LicenseType", "lictype_nope")))
	})

	It("without an item has the one called Credits, made once", func() {
		anywhere := granting(func(a *catalog.NewAllocation) { a.ItemID = nil })
		first := made(anywhere, anywhere)
		Expect(first[0].Name).To(Equal("Credits"))
		Expect(first[1].ItemID).To(Equal(first[0].ItemID))
		Expect(made(anywhere)[0].ItemID).To(Equal(first[0].ItemID))
		s.update(func(tx *store.Tx) error {
			items, _, err := catalog.ListItems(tx, store.Page{Limit: 10})
			Expect(items).To(HaveLen(2)) // that and the fixture's
			return err
		})
	})
})
