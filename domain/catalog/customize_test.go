package catalog_test

import (
	"encoding/json"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/money"
	"tollkeeper/store"
)

var _ = Describe("What is made for one subscription", func() {
	var s *fixture
	var plan catalog.Plan
	var version catalog.PlanVersion
	BeforeEach(func() {
		s = open()
		s.update(func(tx *store.Tx) (err error) {
			on := half()
			on.PriceIDs = []string{"one"}
			plan, err = catalog.CreatePlan(tx, catalog.NewPlan{
				Name: "Pro", Currency: "USD", Status: catalog.PlanActive,
				Phases: []catalog.NewPhase{{Order: 1, Duration: ref(1)}, {Order: 2}},
				Prices: []catalog.PlanPrice{
					{Price: s.named("one"), ReferenceID: ref("one"), PhaseOrder: ref(1)},
					{Price: s.named("two"), PhaseOrder: ref(2)},
				},
				Adjustments: []catalog.PlanAdjustment{{Adjustment: on, PhaseOrder: ref(1)}},
			})
			if err != nil {
				return err
			}
			// Subscriptions are no business of the catalog, so this one is only a row.
			err = tx.Exec(`INSERT INTO customers (account_id, id, created_at, name, email, timezone, auto_collection, email_delivery, invoice_prefix)
				VALUES (?, 'cus_1', now(), 'Acme', 'a@acme.test', 'UTC', false, false, 'ACMEAC')`, tx.AccountID).Error
			if err != nil {
				return err
			}
			return tx.Exec(`INSERT INTO subscriptions (account_id, id, created_at, customer_id, plan_id, plan_version, name, currency, start_at, anchor_day, current_plan_interval_id)
				VALUES (?, 'sub_1', now(), 'cus_1', ?, 1, 'Pro', 'USD', now(), 1, 'plan_interval_1')`, tx.AccountID, plan.ID).Error
		})
		version = s.version(plan, 1)
	})

	customize := func(in catalog.Difference) (made catalog.PlanVersion, err error) {
		err = s.try(func(tx *store.Tx) (err error) {
			made, err = catalog.Customize(tx, plan, version, "sub_1", in)
			return err
		})
		return made, err
	}
	listed := func() (found []string) {
		s.update(func(tx *store.Tx) error {
			prices, _, err := catalog.ListPrices(tx, store.Page{Limit: 100})
			for _, p := range prices {
				found = append(found, p.ID)
			}
			return err
		})
		return found
	}

	It("is the plan's where nothing is changed", func() {
		made, err := customize(catalog.Difference{})
		Expect(err).NotTo(HaveOccurred())
		Expect(made).To(Equal(version))
	})

	It("belongs to the subscription, and not to the catalog", func() {
		before := listed()
		made, err := customize(catalog.Difference{
			RemovePrices:  []catalog.Removal{{ID: version.Prices[1].ID}},
			ReplacePrices: []catalog.PlanPrice{{Price: s.named("mine"), ReplacesPriceID: version.Prices[0].ID}},
			AddPrices:     placed(s.named("more")),
		})
		Expect(err).NotTo(HaveOccurred())
		Expect(names(made.Prices)).To(Equal([]string{"mine", "more"}))
		mine, more := made.Prices[0], made.Prices[1]
		Expect(mine.SubscriptionID).To(Equal(ref("sub_1")))
		Expect(mine.PlanID).To(BeNil())
		Expect(mine.PhaseOrder).To(Equal(ref(1)))
		Expect(mine.ReplacesPriceID).To(Equal(&version.Prices[0].ID))
		Expect(more.PhaseOrder).To(BeNil())
		Expect(listed()).To(Equal(before))
		s.update(func(tx *store.Tx) error {
			found, err := catalog.FindPrice(tx, more.ID)
			Expect(found.Name).To(Equal("more"))
			return err
		})
		Expect(s.version(plan, 1)).To(Equal(version))
	})

	It("has the plan's adjustments of the prices it replaces", func() {
		made, err := customize(catalog.Difference{
			ReplacePrices: []catalog.PlanPrice{{Price: s.named("mine"), ReplacesPriceID: version.Prices[0].ID}},
		})
		Expect(err).NotTo(HaveOccurred())
		Expect(made.Adjustments).To(HaveLen(1))
		Expect(made.Adjustments[0].Filters[0].Values).To(Equal([]string{made.Prices[0].ID}))
		Expect(made.Adjustments[0].SubscriptionID).To(Equal(ref("sub_1")))
		Expect(made.Adjustments[0].PhaseOrder).To(Equal(ref(1)))
		s.update(func(tx *store.Tx) error {
			found, err := catalog.FindAdjustments(tx, []string{made.Adjustments[0].ID})
			Expect(found).To(HaveLen(1))
			return err
		})
	})

	It("may be a copy of a price with other numbers", func() {
		s.update(func(tx *store.Tx) error {
			copied := version.Prices[0].Copy(tx)
			copied.Quantity, copied.Config = ref(money.FromInt(7)), json.RawMessage(`{"unit_amount": "3.00"}`)
			made, err := catalog.Customize(tx, plan, version, "sub_1", catalog.Difference{
				ReplacePrices: []catalog.PlanPrice{{Given: &copied, ReplacesPriceID: version.Prices[0].ID}},
			})
			Expect(err).NotTo(HaveOccurred())
			found, err := catalog.FindPrice(tx, made.Prices[0].ID)
			Expect(found.ID).NotTo(Equal(version.Prices[0].ID))
			Expect(found.Quantity.String()).To(Equal("7"))
			Expect(found.Name).To(Equal("one"))
			return err
		})
	})

	It("may be an add-on price, which stays what it is", func() {
		var addOn catalog.Price
		s.update(func(tx *store.Tx) (err error) {
			if addOn, err = catalog.CreatePrice(tx, s.fee(nil)); err != nil {
				return err
			}
			addOn, err = catalog.FindPrice(tx, addOn.ID)
			return err
		})
		made, err := customize(catalog.Difference{AddPrices: []catalog.PlanPrice{{Given: &addOn}}})
		Expect(err).NotTo(HaveOccurred())
		Expect(made.Prices[2]).To(Equal(addOn))
	})

	DescribeTable("is refused",
		func(change func(*catalog.Difference), fields ...string) {
			in := catalog.Difference{AddPrices: placed(s.named("more"))}
			change(&in)
			_, err := customize(in)
			Expect(fieldsOf(err)).To(Equal(fields))
		},
		Entry("in a phase that is not there", func(in *catalog.Difference) { in.AddPrices[0].PhaseOrder = ref(3) }, "add_prices[0].plan_phase_order"),
		Entry("in another currency", func(in *catalog.Difference) { in.AddPrices[0].Price.Currency = "EUR" }, "add_prices[0].price.currency"),
		Entry("as a copy of a negative quantity", func(in *catalog.Difference) {
			copied := version.Prices[0]
			copied.Quantity = ref(money.FromInt(-1))
			in.AddPrices[0].Given = &copied
		}, "add_prices[0].price.fixed_price_quantity"),
		Entry("as a copy with a configuration that is none", func(in *catalog.Difference) {
			copied := version.Prices[0]
			copied.Config = json.RawMessage(`{"unit_amount": 3}`)
			in.AddPrices[0].Given = &copied
		}, "add_prices[0].price.unit_config.unit_amount"),
		Entry("for a price that the plan does not have", func(in *catalog.Difference) {
			in.ReplacePrices = []catalog.PlanPrice{{Price: s.named("mine"), ReplacesPriceID: "nope"}}
		}, "replace_prices[0].replaces_price_id"),
	)
})
