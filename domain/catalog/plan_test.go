package catalog_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/money"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

var _ = Describe("A plan", func() {
	var s *fixture
	BeforeEach(func() { s = open() })

	It("keeps the order of its prices, and gives them its currency", func() {
		plan := s.plan("pro", s.named("one"), s.named("two"), s.named("three"))
		other := s.plan("pro", s.named("four"))
		s.update(func(tx *store.Tx) error {
			versions, err := catalog.DefaultVersions(tx, []catalog.Plan{other, plan})
			Expect(err).NotTo(HaveOccurred())
			prices := versions[plan.ID].Prices
			Expect(names(prices)).To(Equal([]string{"one", "two", "three"}))
			Expect(names(versions[other.ID].Prices)).To(Equal([]string{"four"}))
			Expect(prices[0].Currency).To(Equal(money.Currency("USD")))
			Expect(prices[0].PlanID).To(Equal(&plan.ID))
			return nil
		})
	})

	It("may have no prices", func() {
		Expect(s.version(s.plan("empty"), 1).Prices).To(BeEmpty())
	})

	DescribeTable("is refused, and none of it is made",
		func(change func(*catalog.NewPlan), fields ...string) {
			err := s.try(func(tx *store.Tx) error {
				wanted := catalog.NewPlan{Name: "Pro", Currency: "USD", Status: catalog.PlanActive, Prices: placed(s.named("one"), s.named("two"))}
				change(&wanted)
				_, err := catalog.CreatePlan(tx, wanted)
				return err
			})
			Expect(fieldsOf(err)).To(Equal(fields))
			s.update(func(tx *store.Tx) error {
				prices, _, err := catalog.ListPrices(tx, store.Page{Limit: 10})
				Expect(prices).To(BeEmpty())
				return err
			})
		},
		Entry("in credits", func(p *catalog.NewPlan) { p.Currency = money.Credits }, "currency"),
		Entry("with a price in another currency", func(p *catalog.NewPlan) { p.Prices[1].Price.Currency = "EUR" }, "prices[1].price.currency"),
		Entry("with mistakes in two prices, told together", func(p *catalog.NewPlan) {
			p.Prices[0].Price.Quantity, p.Prices[1].Price.ModelType = ref(money.Must("-1")), "magic"
		}, "prices[0].price.fixed_price_quantity", "prices[1].price.model_type"),
	)

	Describe("by its alias", func() {
		found := func() (plan catalog.Plan) {
			s.update(func(tx *store.Tx) (err error) {
				plan, err = catalog.FindPlanByExternalID(tx, "pro")
				return err
			})
			return plan
		}
		archive := func(plan catalog.Plan) {
			s.update(func(tx *store.Tx) error {
				_, err := catalog.Archive(tx, plan.ID)
				return err
			})
		}

		It("PL-4: is the newest active one", func() {
			first, second := s.plan("pro"), s.plan("pro")
			Expect(found().ID).To(Equal(second.ID))
			archive(second)
			Expect(found().ID).To(Equal(first.ID))
			archive(first)
			Expect(found().ID).To(Equal(second.ID))
		})

		It("is a draft before an archived one", func() {
			var draft catalog.Plan
			s.update(func(tx *store.Tx) (err error) {
				draft, err = catalog.CreatePlan(tx, catalog.NewPlan{Name: "Draft", ExternalPlanID: ref("pro"), Currency: "USD", Status: catalog.PlanDraft})
				return err
			})
			active := s.plan("pro")
			Expect(found().ID).To(Equal(active.ID))
			archive(active)
			Expect(found().ID).To(Equal(draft.ID))
		})
	})

	It("goes from draft to active to archived, and not back", func() {
		var plan catalog.Plan
		s.update(func(tx *store.Tx) (err error) {
			plan, err = catalog.CreatePlan(tx, catalog.NewPlan{Name: "Draft", Currency: "USD", Status: catalog.PlanDraft})
			return err
		})
		move := func(to func(*store.Tx, string) (catalog.Plan, error)) error {
			return s.try(func(tx *store.Tx) (err error) {
				_, err = to(tx, plan.ID)
				return err
			})
		}
		Expect(fault.Is(move(catalog.Archive), fault.KindRefused)).To(BeTrue())
		Expect(move(catalog.Activate)).To(Succeed())
		Expect(fault.Is(move(catalog.Activate), fault.KindRefused)).To(BeTrue())
		Expect(move(catalog.Archive)).To(Succeed())
		Expect(fault.Is(move(catalog.Archive), fault.KindRefused)).To(BeTrue())
	})

	It("changes in alias, description and metadata only", func() {
		plan := s.plan("pro")
		s.update(func(tx *store.Tx) error {
			_, err := catalog.UpdatePlan(tx, plan.ID, func(p *catalog.Plan) error {
				p.ExternalPlanID, p.Description = nil, ref("Old")
				p.Name, p.Currency = "Other", "EUR"
				return nil
			})
			return err
		})
		s.update(func(tx *store.Tx) error {
			after, err := catalog.FindPlan(tx, plan.ID)
			Expect(after.ExternalPlanID).To(BeNil())
			Expect(after.Description).To(Equal(ref("Old")))
			Expect(after.Name).To(Equal("Pro"))
			Expect(after.Currency).To(Equal(money.Currency("USD")))
			return err
		})
	})
})

var _ = Describe("A metric", func() {
	It("is refused where its SQL is wrong, with the place", func() {
		s := open()
		err := s.try(func(tx *store.Tx) error {
			_, err := catalog.CreateMetric(tx, catalog.NewMetric{Name: "M", ItemID: s.item.ID, SQL: "SELECT COUNT(*)\nFROM nowhere"})
			return err
		})
		Expect(fieldsOf(err)).To(Equal([]string{"sql"}))
		Expect(err.Error()).To(HavePrefix("sql: line 2, column 6: "))
	})

	It("measures an item that exists", func() {
		s := open()
		Expect(s.try(func(tx *store.Tx) error {
			_, err := catalog.CreateMetric(tx, catalog.NewMetric{Name: "M", ItemID: "nope", SQL: "SELECT COUNT(*) FROM events"})
			return err
		})).To(Equal(fault.Missing("Item", "nope")))
	})

	It("has its query", func() {
		Expect(open().metric.Query()).NotTo(BeNil())
	})
})

func names(prices []catalog.Price) (names []string) {
	for _, p := range prices {
		names = append(names, p.Name)
	}
	return names
}
