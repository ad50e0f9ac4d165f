package catalog_test

import (
	"strconv"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"gorm.io/gorm"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/store"
)

var _ = Describe("A plan of many prices", func() {
	It("is made and read with as many questions as one of few", func() {
		s := open()
		vms := s.group("vms", "size")
		// sold is a plan with so many prices of every kind, and the number of statements
		// it took.
		sold := func(each int) (statements int) {
			var wanted []catalog.NewPrice
			for i := range each {
				size := strconv.Itoa(i)
				wanted = append(wanted,
					s.named("Fee "+size),
					s.fee(func(p *catalog.NewPrice) {
						p.Currency, p.Dimensions = "", &catalog.NewDimensions{GroupID: &vms.ID, Values: []string{size}}
					}),
					s.fee(func(p *catalog.NewPrice) {
						p.Currency, p.Dimensions = "", &catalog.NewDimensions{ExternalGroupID: ref("vms"), Values: []string{"a" + size}}
					}),
					catalog.NewPrice{Allocation: &catalog.NewAllocation{Amount: two, Currency: money.Credits, Cadence: period.CadenceMonthly}},
				)
			}
			s.update(func(tx *store.Tx) error {
				counted := *tx
				counted.DB = tx.Session(&gorm.Session{Logger: counter{tx.Logger, &statements}})
				plan, err := catalog.CreatePlan(&counted, catalog.NewPlan{
					Name: "Pro", Currency: "USD", Status: catalog.PlanActive, Prices: placed(wanted...),
				})
				if err != nil {
					return err
				}
				version, err := catalog.FindVersion(&counted, plan.ID, 1)
				Expect(version.Prices).To(HaveLen(4 * each))
				return err
			})
			return statements
		}
		sold(1) // and the item Credits
		few := sold(1)
		Expect(few).To(BeNumerically(">", 0))
		Expect(sold(50)).To(Equal(few))
	})
})
