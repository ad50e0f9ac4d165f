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

var _ = Describe("A price", func() {
	var s *fixture
	BeforeEach(func() { s = open() })

	create := func(wanted catalog.NewPrice) (price catalog.Price, err error) {
		err = s.try(func(tx *store.Tx) (err error) {
			price, err = catalog.CreatePrice(tx, wanted)
			return err
		})
		return price, err
	}
	usage := func(p *catalog.NewPrice) { p.MetricID = &s.metric.ID }

	It("is read back as it was made", func() {
		made, err := create(s.fee(func(p *catalog.NewPrice) { p.Quantity, p.ExternalPriceID = &two, ref("fee") }))
		Expect(err).NotTo(HaveOccurred())
		s.update(func(tx *store.Tx) error {
			found, err := catalog.FindPrice(tx, made.ID)
			Expect(err).NotTo(HaveOccurred())
			Expect(found.Config).To(MatchJSON(`{"unit_amount": "10.00"}`))
			Expect(found.Quantity.String()).To(Equal("2"))
			Expect(found.CreatedAt).To(BeTemporally("==", made.CreatedAt))
			Expect(found.Metadata).To(Equal(store.Metadata{}))
			Expect(rating.Rate(found.Model(), rating.Usage{Quantity: *found.Quantity, Fixed: true}).Subtotal.String()).To(Equal("20"))
			return nil
		})
	})

	DescribeTable("is a fixed fee or charges usage",
		func(change func(*catalog.NewPrice), kind catalog.PriceType, mode catalog.BillingMode, quantity string) {
			price, err := create(s.fee(change))
			Expect(err).NotTo(HaveOccurred())
			Expect(price.Type).To(Equal(kind))
			Expect(price.BillingMode).To(Equal(mode))
			if quantity == "" {
				Expect(price.Quantity).To(BeNil())
			} else {
				Expect(price.Quantity.String()).To(Equal(quantity))
			}
		},
		Entry("without metric or quantity, one in advance", nil, catalog.PriceFixed, catalog.InAdvance, "1"),
		Entry("with a quantity", func(p *catalog.NewPrice) { p.Quantity = &two }, catalog.PriceFixed, catalog.InAdvance, "2"),
		Entry("a quantity of none", func(p *catalog.NewPrice) { p.Quantity = &money.Decimal{} }, catalog.PriceFixed, catalog.InAdvance, "0"),
		Entry("in arrears when asked", func(p *catalog.NewPrice) { p.BilledInAdvance = ref(false) }, catalog.PriceFixed, catalog.InArrear, "1"),
		Entry("usage is in arrears", func(p *catalog.NewPrice) { usage(p) }, catalog.PriceUsage, catalog.InArrear, ""),
		Entry("usage is in arrears whatever is asked",
			func(p *catalog.NewPrice) { usage(p); p.BilledInAdvance = ref(true) }, catalog.PriceUsage, catalog.InArrear, ""),
	)

	DescribeTable("has a billing cycle",
		func(cadence period.Cadence, sent *period.Length, length period.Length) {
			price, err := create(s.fee(func(p *catalog.NewPrice) { p.Cadence, p.Cycle = cadence, sent }))
			Expect(err).NotTo(HaveOccurred())
			Expect(price.Length()).To(Equal(length))
		},
		Entry("of its cadence", period.CadenceQuarterly, nil, period.Length{Months: 3}),
		Entry("of its cadence, said twice", period.CadenceAnnual, &period.Length{Months: 12}, period.Length{Months: 12}),
		Entry("of its own", period.CadenceCustom, &period.Length{Days: 10}, period.Length{Days: 10}),
		Entry("none when billed once", period.CadenceOneTime, nil, period.Length{}),
		Entry("none when billed once, sent as it is shown", period.CadenceOneTime, &period.Length{Months: 1}, period.Length{}),
	)

	DescribeTable("is refused",
		func(change func(*catalog.NewPrice), fields ...string) {
			_, err := create(s.fee(change))
			Expect(fieldsOf(err)).To(Equal(fields))
		},
		Entry("with a negative quantity", func(p *catalog.NewPrice) { p.Quantity = ref(money.Must("-1")) }, "fixed_price_quantity"),
		Entry("with metric and quantity", func(p *catalog.NewPrice) { usage(p); p.Quantity = &two }, "fixed_price_quantity"),
		Entry("with a custom cadence of no length", func(p *catalog.NewPrice) { p.Cadence = period.CadenceCustom }, "billing_cycle_configuration"),
		Entry("with a cycle that is not its cadence's", func(p *catalog.NewPrice) { p.Cycle = &period.Length{Days: 30} }, "billing_cycle_configuration"),
		Entry("in a currency that is none", func(p *catalog.NewPrice) { p.Currency = "usd" }, "currency"),
		Entry("with an amount that is none", func(p *catalog.NewPrice) { p.Config = json.RawMessage(`{"unit_amount":"1e2"}`) }, "unit_config.unit_amount"),
		Entry("with an unknown model", func(p *catalog.NewPrice) { p.ModelType = "magic" }, "model_type"),
		Entry("as a fixed fee split by properties", func(p *catalog.NewPrice) {
			p.ModelType = "matrix"
			p.Config = json.RawMessage(`{"dimensions":["region"],"default_unit_amount":"1","matrix_values":[{"dimension_values":["eu"],"unit_amount":"2"}]}`)
		}, "model_type"),
		Entry("for every reason at once", func(p *catalog.NewPrice) {
			p.Cadence, p.Currency, p.Config = period.CadenceCustom, "X", json.RawMessage(`{"unit_amount":"-1"}`)
		}, "billing_cycle_configuration", "currency", "unit_config.unit_amount"),
	)

	It("names an item and a metric that exist", func() {
		_, err := create(s.fee(func(p *catalog.NewPrice) { p.ItemID = "item_nope" }))
		Expect(err).To(Equal(fault.Missing("Item", "item_nope")))
		_, err = create(s.fee(func(p *catalog.NewPrice) { p.MetricID = ref("metric_nope") }))
		Expect(err).To(Equal(fault.Missing("Metric", "metric_nope")))
	})

	It("changes in metadata only", func() {
		made, err := create(s.fee(nil))
		Expect(err).NotTo(HaveOccurred())
		s.update(func(tx *store.Tx) error {
			_, err := catalog.UpdatePrice(tx, made.ID, func(p *catalog.Price) error {
				p.Metadata, p.Name, p.Quantity = store.Metadata{"tier": "gold"}, "Other", &two
				return nil
			})
			return err
		})
		s.update(func(tx *store.Tx) error {
			after, err := catalog.FindPrice(tx, made.ID)
			Expect(after.Metadata).To(Equal(store.Metadata{"tier": "gold"}))
			Expect(after.Name).To(Equal("Fee"))
			Expect(after.Quantity.String()).To(Equal("1"))
			return err
		})
		Expect(s.try(func(tx *store.Tx) error {
			_, err := catalog.UpdatePrice(tx, "nope", func(*catalog.Price) error { return nil })
			return err
		})).To(Equal(fault.Missing("Price", "nope")))
	})

	Describe("with an alias", func() {
		aliased := func(p *catalog.NewPrice) { p.ExternalPriceID = ref("seat") }
		find := func(alias string) (price catalog.Price) {
			s.update(func(tx *store.Tx) (err error) {
				price, err = catalog.FindPriceByExternalID(tx, alias)
				return err
			})
			return price
		}

		It("is unique among add-on prices", func() {
			_, err := create(s.fee(aliased))
			Expect(err).NotTo(HaveOccurred())
			_, err = create(s.fee(aliased))
			Expect(fault.Is(err, fault.KindTaken)).To(BeTrue())
		})

		It("is found as the add-on price first, then as the newest of a plan", func() {
			s.plan("a", s.fee(aliased))
			newer := s.plan("b", s.fee(aliased))
			Expect(find("seat").PlanID).To(Equal(&newer.ID))
			addOn, err := create(s.fee(aliased))
			Expect(err).NotTo(HaveOccurred())
			s.plan("c", s.fee(aliased))
			Expect(find("seat").ID).To(Equal(addOn.ID))
		})
	})
})

// fieldsOf lists the wrong fields of an invalid request.
func fieldsOf(err error) (fields []string) {
	GinkgoHelper()
	var f *fault.Fault
	Expect(err).To(BeAssignableToTypeOf(f))
	for _, v := range err.(*fault.Fault).Violations {
		fields = append(fields, v.Field)
	}
	return fields
}
