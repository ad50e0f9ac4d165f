package catalog_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/catalog"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

var _ = Describe("A dimensional price group", func() {
	var s *fixture
	BeforeEach(func() { s = open() })

	update := func(id string, edit func(*catalog.DimensionalPriceGroup)) error {
		return s.try(func(tx *store.Tx) error {
			_, err := catalog.UpdateDimensionalPriceGroup(tx, id, func(g *catalog.DimensionalPriceGroup) error {
				edit(g)
				return nil
			})
			return err
		})
	}
	byAlias := func(alias string) (group catalog.DimensionalPriceGroup, err error) {
		err = s.try(func(tx *store.Tx) (err error) {
			group, err = catalog.FindDimensionalPriceGroupByExternalID(tx, alias)
			return err
		})
		return group, err
	}

	It("is read back as it was made, its dimensions in their order", func() {
		made := s.group("vms", "size", "region")
		s.update(func(tx *store.Tx) error {
			found, err := catalog.FindDimensionalPriceGroup(tx, made.ID)
			Expect(found.Dimensions).To(Equal([]string{"size", "region"}))
			Expect(found.MetricID).To(Equal(s.metric.ID))
			Expect(found.Metadata).To(Equal(store.Metadata{}))
			return err
		})
		found, err := byAlias("vms")
		Expect(err).NotTo(HaveOccurred())
		Expect(found.ID).To(Equal(made.ID))
	})

	It("measures by a metric that exists", func() {
		Expect(s.try(func(tx *store.Tx) error {
			_, err := catalog.CreateDimensionalPriceGroup(tx, catalog.NewDimensionalPriceGroup{Name: "G", MetricID: "nope", Dimensions: []string{"a"}})
			return err
		})).To(Equal(fault.Missing("Metric", "nope")))
	})

	It("is listed newest first", func() {
		older, newer := s.group("a", "x"), s.group("b", "x")
		s.update(func(tx *store.Tx) error {
			groups, _, err := catalog.ListDimensionalPriceGroups(tx, store.Page{Limit: 10})
			Expect(groups).To(HaveLen(2))
			Expect([]string{groups[0].ID, groups[1].ID}).To(Equal([]string{newer.ID, older.ID}))
			return err
		})
	})

	It("DP-4: changes in alias and metadata only", func() {
		group := s.group("vms", "region")
		Expect(update(group.ID, func(g *catalog.DimensionalPriceGroup) {
			g.ExternalDimensionalPriceGroupID, g.Metadata = ref("machines"), store.Metadata{"team": "infra"}
			g.Name, g.Dimensions = "Other", []string{"size"}
		})).To(Succeed())
		found, err := byAlias("machines")
		Expect(err).NotTo(HaveOccurred())
		Expect(found.Metadata).To(Equal(store.Metadata{"team": "infra"}))
		Expect(found.Name).To(Equal("vms"))
		Expect(found.Dimensions).To(Equal([]string{"region"}))
		_, err = byAlias("vms")
		Expect(err).To(Equal(fault.Missing("DimensionalPriceGroup", "vms")))
	})

	It("has an alias of its own, when it is made and later", func() {
		s.group("vms", "region")
		other := s.group("disks", "region")
		Expect(fault.Is(update(other.ID, func(g *catalog.DimensionalPriceGroup) {
			g.ExternalDimensionalPriceGroupID = ref("vms")
		}), fault.KindTaken)).To(BeTrue())
		err := s.try(func(tx *store.Tx) error {
			_, err := catalog.CreateDimensionalPriceGroup(tx, catalog.NewDimensionalPriceGroup{
				Name: "G", ExternalDimensionalPriceGroupID: ref("vms"), MetricID: s.metric.ID, Dimensions: []string{"a"},
			})
			return err
		})
		Expect(fault.Is(err, fault.KindTaken)).To(BeTrue())
	})

	Describe("with prices", func() {
		var vms catalog.DimensionalPriceGroup
		BeforeEach(func() { vms = s.group("vms", "region", "size") })

		of := func(values ...string) catalog.NewPrice {
			return s.fee(func(p *catalog.NewPrice) {
				p.Currency, p.Dimensions = "", &catalog.NewDimensions{GroupID: &vms.ID, Values: values}
			})
		}
		plan := func(phases []catalog.NewPhase, prices ...catalog.PlanPrice) error {
			return s.try(func(tx *store.Tx) error {
				_, err := catalog.CreatePlan(tx, catalog.NewPlan{
					Name: "Pro", Currency: "USD", Status: catalog.PlanActive, Phases: phases, Prices: prices,
				})
				return err
			})
		}

		It("charges each combination of values", func() {
			Expect(plan(nil, placed(of("eu", "small"), of("small", "eu"), of("eu", "large"))...)).To(Succeed())
		})

		It("DP-5: charges none of them twice", func() {
			err := plan(nil, placed(of("eu", "small"), of("us", "small"), of("eu", "small"))...)
			Expect(fieldsOf(err)).To(Equal([]string{"prices[2].price.dimensional_price_configuration.dimension_values"}))
		})

		It("charges the same in another phase, but not in one", func() {
			phases := []catalog.NewPhase{{Order: 1, Duration: ref(1)}, {Order: 2}}
			in := func(phase int) catalog.PlanPrice {
				return catalog.PlanPrice{Price: of("eu", "small"), PhaseOrder: &phase}
			}
			Expect(plan(phases, in(1), in(2))).To(Succeed())
			Expect(fieldsOf(plan(phases, in(2), in(1), in(2)))).To(Equal(
				[]string{"prices[2].price.dimensional_price_configuration.dimension_values"}))
		})
	})
})
