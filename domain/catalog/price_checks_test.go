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

var _ = Describe("A price that a client asks for", func() {
	var s *fixture
	var largest catalog.Metric
	var seats catalog.LicenseType
	var vms catalog.DimensionalPriceGroup
	BeforeEach(func() {
		s = open()
		largest = s.measure("SELECT MAX(size) FROM events")
		s.update(func(tx *store.Tx) (err error) {
			seats, err = catalog.CreateLicenseType(tx, catalog.NewLicenseType{Name: "Seat", GroupingKey: "seat"})
			return err
		})
		vms = s.group("vms", "region", "size")
	})

	type change = func(*catalog.NewPrice)
	usage := func(p *catalog.NewPrice) { p.MetricID = &s.metric.ID }
	matrix := func(p *catalog.NewPrice) {
		usage(p)
		p.ModelType = "matrix"
		p.Config = json.RawMessage(`{"dimensions":["region"],"default_unit_amount":"1","matrix_values":[{"dimension_values":["eu"],"unit_amount":"2"}]}`)
	}
	share := func(p *catalog.NewPrice) {
		p.ModelType, p.Config = "percent", json.RawMessage(`{"percent": 0.1}`)
	}
	rated := func(p *catalog.NewPrice) {
		usage(p)
		p.ModelType, p.Config = "event_output", json.RawMessage(`{"unit_rating_key": "rate"}`)
	}
	credits := func(p *catalog.NewPrice) {
		p.Currency, p.ConversionRate = money.Credits, ref(json.Number("0.10"))
	}
	dimensions := func(values ...string) change {
		return func(p *catalog.NewPrice) {
			p.Dimensions = &catalog.NewDimensions{GroupID: &vms.ID, Values: values}
		}
	}
	licensed := func(p *catalog.NewPrice) { p.LicenseTypeID = &seats.ID }
	granting := func(amount string, currency money.Currency) change {
		return func(p *catalog.NewPrice) {
			licensed(p)
			p.LicenseAllocations = append(p.LicenseAllocations, catalog.LicenseAllocation{Amount: money.Must(amount), Currency: currency})
		}
	}
	shown := func(p *catalog.NewPrice) { p.InvoiceGroupingKey = ref("region") }
	only := func(operator rating.FilterOperator, values ...string) change {
		return func(p *catalog.NewPrice) {
			p.CompositeFilters = []rating.Filter{{Field: rating.FilterItemID, Operator: operator, Values: values}}
		}
	}

	// create makes the price and reads it back.
	create := func(changes ...change) (price catalog.Price, err error) {
		wanted := s.fee(nil)
		for _, change := range changes {
			change(&wanted)
		}
		err = s.try(func(tx *store.Tx) error {
			made, err := catalog.CreatePrice(tx, wanted)
			if err != nil {
				return err
			}
			price, err = catalog.FindPrice(tx, made.ID)
			return err
		})
		return price, err
	}
	made := func(changes ...change) catalog.Price {
		GinkgoHelper()
		price, err := create(changes...)
		Expect(err).NotTo(HaveOccurred())
		return price
	}

	DescribeTable("is refused",
		func(fields []string, changes ...change) {
			_, err := create(changes...)
			Expect(fieldsOf(err)).To(Equal(fields))
		},
		Entry("in credits without a rate to money", at("conversion_rate"),
			func(p *catalog.NewPrice) { p.Currency = money.Credits }),
		Entry("with a rate to money below 0", at("conversion_rate"),
			credits, func(p *catalog.NewPrice) { p.ConversionRate = ref(json.Number("-1")) }),
		Entry("with a rate to money that is none, also in money", at("conversion_rate_config.unit_config.unit_amount"),
			func(p *catalog.NewPrice) {
				p.ConversionRateConfig = json.RawMessage(`{"conversion_rate_type":"unit","unit_config":{"unit_amount":"x"}}`)
			}),
		Entry("with two rates that disagree", at("conversion_rate"), credits, func(p *catalog.NewPrice) {
			p.ConversionRateConfig = json.RawMessage(`{"conversion_rate_type":"unit","unit_config":{"unit_amount":"0.2"}}`)
		}),
		Entry("with an invoicing cycle that does not divide its billing cycle", at("invoicing_cycle_configuration"),
			func(p *catalog.NewPrice) {
				p.Cadence, p.InvoicingCycle = period.CadenceAnnual, &period.Length{Months: 5}
			}),

		Entry("as a fixed fee shown by groups", at("invoice_grouping_key"), shown),
		Entry("shown by groups of a metric that does not add up", at("invoice_grouping_key"),
			shown, func(p *catalog.NewPrice) { p.MetricID = &largest.ID }),
		Entry("shown by groups with a model that splits usage itself", at("invoice_grouping_key"), matrix, shown),
		Entry("adding up events by a metric that does not", at("billable_metric_id"),
			rated, func(p *catalog.NewPrice) { p.MetricID = &largest.ID }),

		Entry("DP-2: with fewer values than dimensions", at("dimensional_price_configuration.dimension_values"),
			dimensions("us-east-1")),
		Entry("with more values than dimensions", at("dimensional_price_configuration.dimension_values"),
			dimensions("us-east-1", "small", "spot")),
		Entry("of another metric than its group", at("billable_metric_id"),
			dimensions("us-east-1", "small"), func(p *catalog.NewPrice) { p.MetricID = &largest.ID }),
		Entry("of a group and with a quantity", at("fixed_price_quantity"),
			dimensions("us-east-1", "small"), func(p *catalog.NewPrice) { p.Quantity = &two }),
		Entry("of a group that is not named", at("dimensional_price_configuration"),
			func(p *catalog.NewPrice) { p.Dimensions = &catalog.NewDimensions{Values: []string{"a", "b"}} }),
		Entry("of a group that is named twice", at("dimensional_price_configuration"),
			dimensions("us-east-1", "small"), func(p *catalog.NewPrice) { p.Dimensions.ExternalGroupID = ref("vms") }),

		Entry("of other prices and with a metric", at("billable_metric_id"), share, usage),
		Entry("of other prices and with a quantity", at("fixed_price_quantity"),
			share, func(p *catalog.NewPrice) { p.Quantity = &two }),
		Entry("of other prices and of a group", at("dimensional_price_configuration"),
			share, dimensions("us-east-1", "small")),
		Entry("of other prices and shown by groups", at("invoice_grouping_key"), share, shown),
		Entry("of other prices and for licenses", at("license_type_id"), share, licensed),
		Entry("of other prices, by a filter of nothing", at("composite_price_filters[0].values"),
			share, only(rating.FilterIncludes)),
		Entry("of other prices, by a share that is none", at("percent_config.percent"), only(rating.FilterIncludes, "any"), func(p *catalog.NewPrice) {
			p.ModelType, p.Config = "percent", json.RawMessage(`{"percent": 2}`)
		}),
		Entry("of its own, but filtering others", at("composite_price_filters"),
			only(rating.FilterIncludes, "item_1")),

		Entry("for licenses, charging usage by a model other than unit", at("license_type_id"), licensed, func(p *catalog.NewPrice) {
			p.MetricID = ref("any")
			p.ModelType, p.Config = "package", json.RawMessage(`{"package_amount":"1","package_size":5}`)
		}),
		Entry("for licenses, by a metric that cannot be told apart by them", at("license_type_id"), licensed, func(p *catalog.NewPrice) {
			p.MetricID = &largest.ID
		}),
		Entry("granting credits to licenses of no type", at("license_type_id"),
			granting("5", money.Credits), func(p *catalog.NewPrice) { p.LicenseTypeID = nil }),
		Entry("granting licenses nothing", at("license_allocations"),
			licensed, func(p *catalog.NewPrice) { p.LicenseAllocations = []catalog.LicenseAllocation{} }),
		Entry("granting credits to licenses and charging usage", at("billable_metric_id"),
			granting("5", money.Credits), usage),
		Entry("granting credits to licenses, with another model than unit", at("model_type"),
			granting("5", money.Credits), func(p *catalog.NewPrice) {
				p.ModelType, p.Config = "package", json.RawMessage(`{"package_amount":"1","package_size":5}`)
			}),
		Entry("granting licenses less than nothing, or in a unit that is none", at("license_allocations[0].amount", "license_allocations[1].currency"),
			granting("-1", money.Credits), granting("5", "points")),
	)

	It("names records that exist", func() {
		_, err := create(licensed, func(p *catalog.NewPrice) { p.LicenseTypeID = ref("lictype_nope") })
		Expect(err).To(Equal(fault.Missing("LicenseType", "lictype_nope")))
		_, err = create(func(p *catalog.NewPrice) {
			p.Dimensions = &catalog.NewDimensions{GroupID: ref("dpg_nope"), Values: []string{"a"}}
		})
		Expect(err).To(Equal(fault.Missing("DimensionalPriceGroup", "dpg_nope")))
		_, err = create(func(p *catalog.NewPrice) {
			p.Dimensions = &catalog.NewDimensions{ExternalGroupID: &vms.ID, Values: []string{"a"}}
		})
		Expect(err).To(Equal(fault.Missing("DimensionalPriceGroup", vms.ID)))
	})

	It("may be in credits, with a rate that is read back as it was sent", func() {
		tiers := `{"conversion_rate_type": "tiered", "tiered_config": {"tiers": [` +
			`{"first_unit": 0, "last_unit": 50, "unit_amount": "0.10"}, {"first_unit": 50, "unit_amount": "0.08"}]}}`
		price := made(func(p *catalog.NewPrice) { p.Currency, p.ConversionRateConfig = money.Credits, json.RawMessage(tiers) })
		Expect(price.ConversionRate).To(BeNil())
		Expect(*price.ConversionRateConfig).To(MatchJSON(tiers))
		Expect(price.Conversion().Convert(money.Must("75.5")).Subtotal.String()).To(Equal("7.04"))

		price = made(credits)
		Expect(price.ConversionRate.String()).To(Equal("0.1"))
		Expect(price.ConversionRateConfig).To(BeNil())
		Expect(price.Conversion().Convert(two).Subtotal.String()).To(Equal("0.2"))
	})

	It("in money converts at 1, whatever rate it names", func() {
		for _, price := range []catalog.Price{made(), made(credits, func(p *catalog.NewPrice) { p.Currency = "USD" })} {
			Expect(price.Conversion().Convert(two).Subtotal).To(Equal(two))
		}
	})

	It("may say that its billing cycle is its invoicing cycle", func() {
		month := &period.Length{Months: 1}
		Expect(made(func(p *catalog.NewPrice) { p.InvoicingCycle = month }).InvoicingCycle).To(Equal(month))
		Expect(made().InvoicingCycle).To(BeNil())
	})

	It("may be shown by the groups of a count", func() {
		Expect(made(usage, shown).InvoiceGroupingKey).To(Equal(ref("region")))
	})

	DescribeTable("belongs to a dimensional price group",
		func(name func(*catalog.NewDimensions), changes ...change) {
			price := made(append(changes, dimensions("us-east-1", "small"), func(p *catalog.NewPrice) {
				p.Dimensions.GroupID = nil
				name(p.Dimensions)
			})...)
			Expect(price.Type).To(Equal(catalog.PriceUsage))
			Expect(price.MetricID).To(Equal(&s.metric.ID))
			Expect(price.DimensionalPriceGroupID).To(Equal(&vms.ID))
			Expect(price.Dimensions).To(Equal([]rating.Property{{Key: "region", Value: "us-east-1"}, {Key: "size", Value: "small"}}))
		},
		Entry("by its id", func(d *catalog.NewDimensions) { d.GroupID = &vms.ID }, usage),
		Entry("by its alias", func(d *catalog.NewDimensions) { d.ExternalGroupID = ref("vms") }, usage),
		Entry("without naming its metric", func(d *catalog.NewDimensions) { d.GroupID = &vms.ID }),
	)

	It("may charge for other prices, in arrears and without a quantity", func() {
		price := made(share, only(rating.FilterExcludes, "item_1"), func(p *catalog.NewPrice) { p.BilledInAdvance = ref(true) })
		Expect(price.Type).To(Equal(catalog.PriceComposite))
		Expect(price.BillingMode).To(Equal(catalog.InArrear))
		Expect(price.Quantity).To(BeNil())
		Expect(price.MetricID).To(BeNil())
		Expect(price.CompositeFilters).To(Equal([]rating.Filter{{Field: rating.FilterItemID, Operator: rating.FilterExcludes, Values: []string{"item_1"}}}))
		Expect(price.Priced()).To(Equal(rating.Priced{PriceID: price.ID, ItemID: s.item.ID, Currency: "USD"}))
		Expect(made(share).CompositeFilters).To(BeEmpty())
	})

	It("may be one of licenses, and grant each some credits", func() {
		price := made(granting("100", money.Credits), granting("5", "EUR"), func(p *catalog.NewPrice) {
			p.Quantity, p.LicenseAllocations[0].WriteOffOverage = &two, true
		})
		Expect(price.LicenseTypeID).To(Equal(&seats.ID))
		Expect(price.Type).To(Equal(catalog.PriceFixed))
		Expect(price.Quantity.String()).To(Equal("2"))
		Expect(price.LicenseAllocations).To(HaveLen(2))
		Expect(price.LicenseAllocations[0].Amount.String()).To(Equal("100"))
		Expect(price.LicenseAllocations[0].WriteOffOverage).To(BeTrue())
		Expect(price.LicenseAllocations[1].Currency).To(Equal(money.Currency("EUR")))
	})

	It("may draw on the credits of licenses", func() {
		Expect(made(usage, licensed).LicenseTypeID).To(Equal(&seats.ID))
	})
})

func at(fields ...string) []string { return fields }
