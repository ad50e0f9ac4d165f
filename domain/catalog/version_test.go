package catalog_test

import (
	"encoding/json"
	"fmt"
	"math"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/money"
	"tollkeeper/domain/rating"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

var _ = Describe("A version", func() {
	var s *fixture
	BeforeEach(func() { s = open() })

	usage := func(amount string) catalog.NewPrice {
		return s.fee(func(p *catalog.NewPrice) {
			p.Name, p.MetricID = "Calls at "+amount, &s.metric.ID
			p.Config = json.RawMessage(fmt.Sprintf(`{"unit_amount": %q}`, amount))
		})
	}
	replacing := func(old catalog.Price, by catalog.NewPrice) catalog.PlanPrice {
		return catalog.PlanPrice{Price: by, ReplacesPriceID: old.ID}
	}
	reload := func(plan catalog.Plan) catalog.Plan {
		s.update(func(tx *store.Tx) (err error) {
			plan, err = catalog.FindPlan(tx, plan.ID)
			return err
		})
		return plan
	}

	It("PL-1: replaces a price, and is what new subscriptions get", func() {
		plan := s.plan("pro", usage("0.10"))
		old := s.version(plan, 1).Prices[0]
		made := s.change(plan, catalog.NewVersion{
			Version: 2, SetAsDefault: true,
			Difference: catalog.Difference{ReplacePrices: []catalog.PlanPrice{replacing(old, usage("0.08"))}},
		})
		Expect(made.Version).To(Equal(2))
		Expect(names(made.Prices)).To(Equal([]string{"Calls at 0.08"}))
		Expect(made.Prices[0].ReplacesPriceID).To(Equal(&old.ID))
		Expect(made.Prices[0].PlanID).To(Equal(&plan.ID))
		Expect(reload(plan).Version).To(Equal(2))
		Expect(s.version(plan, 2)).To(Equal(made))
		Expect(names(s.version(plan, 1).Prices)).To(Equal([]string{"Calls at 0.10"}))
	})

	It("PL-2: leaves the default as it is, until that is set", func() {
		plan := s.plan("pro", usage("0.10"))
		s.change(plan, catalog.NewVersion{Version: 2})
		Expect(reload(plan).Version).To(Equal(1))
		s.update(func(tx *store.Tx) error {
			changed, err := catalog.SetDefaultVersion(tx, plan.ID, 2)
			Expect(changed.Version).To(Equal(2))
			return err
		})
		Expect(reload(plan).Version).To(Equal(2))
		Expect(fault.Is(s.try(func(tx *store.Tx) error {
			_, err := catalog.SetDefaultVersion(tx, plan.ID, 3)
			return err
		}), fault.KindRefused)).To(BeTrue())
	})

	It("PL-3: has a number above all before it", func() {
		plan := s.plan("pro")
		s.change(plan, catalog.NewVersion{Version: 2})
		Expect(fault.Is(s.refuse(plan, catalog.NewVersion{Version: 2}), fault.KindRefused)).To(BeTrue())
		s.change(plan, catalog.NewVersion{Version: 5})
		Expect(s.version(plan, 5).Version).To(Equal(5))
		Expect(fault.Is(s.refuse(plan, catalog.NewVersion{Version: 4}), fault.KindRefused)).To(BeTrue())
		Expect(fieldsOf(s.refuse(plan, catalog.NewVersion{Version: math.MaxInt32 + 1}))).To(Equal([]string{"version"}))
		for _, number := range []int{-1, 0, 3, math.MaxInt64} {
			Expect(s.try(func(tx *store.Tx) error {
				_, err := catalog.FindVersion(tx, plan.ID, number)
				return err
			})).To(Equal(fault.Missing("PlanVersion", fmt.Sprint(number))))
		}
	})

	It("changes the highest one, not the default", func() {
		plan := s.plan("pro", usage("0.10"))
		s.change(plan, catalog.NewVersion{Version: 2, Difference: catalog.Difference{AddPrices: placed(usage("0.20"))}})
		third := s.change(plan, catalog.NewVersion{Version: 3, Difference: catalog.Difference{AddPrices: placed(usage("0.30"))}})
		Expect(names(third.Prices)).To(Equal([]string{"Calls at 0.10", "Calls at 0.20", "Calls at 0.30"}))
	})

	It("keeps the phase of what it replaces", func() {
		var plan catalog.Plan
		s.update(func(tx *store.Tx) (err error) {
			plan, err = catalog.CreatePlan(tx, catalog.NewPlan{
				Name: "Ramp", Currency: "USD", Status: catalog.PlanDraft,
				Phases:      []catalog.NewPhase{{Order: 1, Duration: ref(1)}, {Order: 2}},
				Prices:      []catalog.PlanPrice{{Price: usage("0.10"), PhaseOrder: ref(2)}},
				Adjustments: []catalog.PlanAdjustment{{Adjustment: half(), PhaseOrder: ref(2)}},
			})
			return err
		})
		first := s.version(plan, 1)
		price, adjustment := replacing(first.Prices[0], usage("0.08")), catalog.PlanAdjustment{Adjustment: half(), ReplacesAdjustmentID: first.Adjustments[0].ID}
		price.PhaseOrder, adjustment.PhaseOrder = ref(1), ref(1)
		in := catalog.NewVersion{Version: 2, Difference: catalog.Difference{
			ReplacePrices: []catalog.PlanPrice{price}, ReplaceAdjustments: []catalog.PlanAdjustment{adjustment},
		}}
		Expect(fieldsOf(s.refuse(plan, in))).To(Equal([]string{"replace_prices[0].plan_phase_order", "replace_adjustments[0].plan_phase_order"}))
		in.ReplacePrices[0].PhaseOrder, in.ReplaceAdjustments[0].PhaseOrder = nil, ref(2)
		second := s.change(plan, in)
		Expect(second.Prices[0].PhaseOrder).To(Equal(ref(2)))
		Expect(second.Adjustments[0].PhaseOrder).To(Equal(ref(2)))
		Expect(second.Adjustments[0].ReplacesAdjustmentID).To(Equal(&first.Adjustments[0].ID))
		Expect(second.Phases).To(Equal(first.Phases))
	})

	Describe("whose price is named by an adjustment", func() {
		var plan catalog.Plan
		var first catalog.PlanVersion
		names := func(v catalog.PlanVersion) []string { return v.Adjustments[0].Filters[0].Values }
		BeforeEach(func() {
			s.update(func(tx *store.Tx) (err error) {
				call := catalog.PlanPrice{Price: usage("0.10"), ReferenceID: ref("calls")}
				on := half()
				on.PriceIDs = []string{"calls"}
				plan, err = catalog.CreatePlan(tx, catalog.NewPlan{
					Name: "Pro", Currency: "USD", Status: catalog.PlanActive,
					Prices: []catalog.PlanPrice{call}, Adjustments: []catalog.PlanAdjustment{{Adjustment: on}},
				})
				return err
			})
			first = s.version(plan, 1)
		})

		It("names its replacement by a replacement of the adjustment", func() {
			Expect(names(first)).To(Equal([]string{first.Prices[0].ID}))
			second := s.change(plan, catalog.NewVersion{Version: 2, Difference: catalog.Difference{
				ReplacePrices: []catalog.PlanPrice{replacing(first.Prices[0], usage("0.08"))},
			}})
			Expect(names(second)).To(Equal([]string{second.Prices[0].ID}))
			Expect(second.Adjustments[0].ReplacesAdjustmentID).To(Equal(&first.Adjustments[0].ID))
			Expect(second.Adjustments[0].Value.String()).To(Equal("0.5"))
			Expect(s.version(plan, 1)).To(Equal(first))
		})

		It("keeps the adjustment where the price is kept", func() {
			second := s.change(plan, catalog.NewVersion{Version: 2, Difference: catalog.Difference{AddPrices: placed(usage("0.20"))}})
			Expect(second.Adjustments).To(Equal(first.Adjustments))
		})

		It("may be named in the same request by what it replaces", func() {
			on := half()
			on.PriceIDs = []string{first.Prices[0].ID}
			second := s.change(plan, catalog.NewVersion{Version: 2, Difference: catalog.Difference{
				ReplacePrices:     []catalog.PlanPrice{replacing(first.Prices[0], usage("0.08"))},
				RemoveAdjustments: []catalog.Removal{{ID: first.Adjustments[0].ID}},
				AddAdjustments:    []catalog.PlanAdjustment{{Adjustment: on}},
			}})
			Expect(second.Adjustments).To(HaveLen(1))
			Expect(names(second)).To(Equal([]string{second.Prices[0].ID}))
		})
	})

	Describe("is refused", func() {
		var plan catalog.Plan
		var first catalog.PlanVersion
		BeforeEach(func() {
			s.update(func(tx *store.Tx) (err error) {
				plan, err = catalog.CreatePlan(tx, catalog.NewPlan{
					Name: "Pro", Currency: "USD", Status: catalog.PlanActive,
					Prices: placed(usage("0.10"), usage("0.20")), Adjustments: []catalog.PlanAdjustment{{Adjustment: half()}},
				})
				return err
			})
			first = s.version(plan, 1)
		})

		DescribeTable("and nothing of it is made",
			func(change func(in *catalog.Difference, price, adjustment string), fields ...string) {
				in := catalog.NewVersion{Version: 2, SetAsDefault: true, Difference: catalog.Difference{AddPrices: placed(usage("0.30"))}}
				change(&in.Difference, first.Prices[0].ID, first.Adjustments[0].ID)
				Expect(fieldsOf(s.refuse(plan, in))).To(Equal(fields))
				Expect(reload(plan).Version).To(Equal(1))
				s.update(func(tx *store.Tx) error {
					prices, _, err := catalog.ListPrices(tx, store.Page{Limit: 10})
					Expect(prices).To(HaveLen(2))
					return err
				})
			},
			Entry("removing a price that is not there", func(in *catalog.Difference, _, _ string) {
				in.RemovePrices = []catalog.Removal{{ID: "nope"}}
			}, "remove_prices[0].price_id"),
			Entry("removing a price twice", func(in *catalog.Difference, price, _ string) {
				in.RemovePrices = []catalog.Removal{{ID: price}, {ID: price}}
			}, "remove_prices[1].price_id"),
			Entry("removing a price and replacing it", func(in *catalog.Difference, price, _ string) {
				in.RemovePrices = []catalog.Removal{{ID: price}}
				in.ReplacePrices = []catalog.PlanPrice{{Price: usage("1"), ReplacesPriceID: price}}
			}, "replace_prices[0].replaces_price_id"),
			Entry("removing a price from a phase it is not in", func(in *catalog.Difference, price, _ string) {
				in.RemovePrices = []catalog.Removal{{ID: price, PhaseOrder: ref(1)}}
			}, "remove_prices[0].plan_phase_order"),
			Entry("replacing by a price that is wrong", func(in *catalog.Difference, price, _ string) {
				in.ReplacePrices = []catalog.PlanPrice{{Price: usage("-1"), ReplacesPriceID: price}}
			}, "replace_prices[0].price.unit_config.unit_amount"),
			Entry("adding a price in another currency", func(in *catalog.Difference, _, _ string) {
				in.AddPrices[0].Price.Currency = "EUR"
			}, "add_prices[0].price.currency"),
			Entry("adding two prices of one reference", func(in *catalog.Difference, _, _ string) {
				in.AddPrices = append(in.AddPrices, in.AddPrices[0])
				in.AddPrices[0].ReferenceID, in.AddPrices[1].ReferenceID = ref("a"), ref("a")
			}, "add_prices[1].price.reference_id"),
			Entry("removing an adjustment that is not there", func(in *catalog.Difference, price, _ string) {
				in.RemoveAdjustments = []catalog.Removal{{ID: price}}
			}, "remove_adjustments[0].adjustment_id"),
			Entry("replacing an adjustment twice", func(in *catalog.Difference, _, adjustment string) {
				replacement := catalog.PlanAdjustment{Adjustment: half(), ReplacesAdjustmentID: adjustment}
				in.ReplaceAdjustments = []catalog.PlanAdjustment{replacement, replacement}
			}, "replace_adjustments[1].replaces_adjustment_id"),
			Entry("adding an adjustment of a price that is removed", func(in *catalog.Difference, price, _ string) {
				in.RemovePrices = []catalog.Removal{{ID: price}}
				on := half()
				on.PriceIDs = []string{price}
				in.AddAdjustments = []catalog.PlanAdjustment{{Adjustment: on}}
			}, "add_adjustments[0].adjustment.applies_to_price_ids[0]"),
			Entry("for every reason at once", func(in *catalog.Difference, _, _ string) {
				in.RemovePrices = []catalog.Removal{{ID: "nope"}} // told when nothing is wrong whatever the version has
				in.AddPrices[0].PhaseOrder = ref(1)
				in.AddAdjustments = []catalog.PlanAdjustment{{Adjustment: catalog.NewAdjustment{Kind: rating.PercentageDiscount, Value: money.FromInt(2)}}}
			}, "add_prices[0].plan_phase_order", "add_adjustments[0].adjustment.percentage_discount"),
		)
	})

	It("belongs to a plan that exists", func() {
		Expect(s.try(func(tx *store.Tx) error {
			_, err := catalog.CreateVersion(tx, "nope", catalog.NewVersion{Version: 2})
			return err
		})).To(Equal(fault.Missing("Plan", "nope")))
	})
})
