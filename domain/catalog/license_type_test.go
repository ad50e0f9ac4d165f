package catalog_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/catalog"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

var _ = Describe("A license type", func() {
	var s *fixture
	BeforeEach(func() { s = open() })

	create := func(name string) (made catalog.LicenseType) {
		s.update(func(tx *store.Tx) (err error) {
			made, err = catalog.CreateLicenseType(tx, catalog.NewLicenseType{Name: name, GroupingKey: "seat"})
			return err
		})
		return made
	}

	It("is read back as it was made", func() {
		made := create("Seat")
		s.update(func(tx *store.Tx) error {
			found, err := catalog.FindLicenseType(tx, made.ID)
			Expect(found.Name).To(Equal("Seat"))
			Expect(found.GroupingKey).To(Equal("seat"))
			return err
		})
		Expect(s.try(func(tx *store.Tx) error {
			_, err := catalog.FindLicenseType(tx, "nope")
			return err
		})).To(Equal(fault.Missing("LicenseType", "nope")))
	})

	It("is listed oldest first, page by page", func() {
		for _, name := range []string{"a", "b", "c", "d", "e"} {
			create(name)
		}
		s.update(func(tx *store.Tx) error {
			var names []string
			for page := (store.Page{Limit: 2}); ; {
				types, next, err := catalog.ListLicenseTypes(tx, page)
				Expect(err).NotTo(HaveOccurred())
				for _, t := range types {
					names = append(names, t.Name)
				}
				if page.Cursor = next; next == "" {
					break
				}
			}
			Expect(names).To(Equal([]string{"a", "b", "c", "d", "e"}))
			return nil
		})
	})

	It("is sold by one price of a plan, granting credits or not", func() {
		seats := create("Seat")
		license := func(p *catalog.NewPrice) { p.Currency, p.LicenseTypeID = "", &seats.ID }
		granting := func(p *catalog.NewPrice) {
			license(p)
			p.LicenseAllocations = []catalog.LicenseAllocation{{Amount: two, Currency: "USD"}}
		}
		usage := func(p *catalog.NewPrice) {
			license(p)
			p.MetricID = &s.metric.ID
		}
		err := s.try(func(tx *store.Tx) error {
			_, err := catalog.CreatePlan(tx, catalog.NewPlan{
				Name: "Pro", Currency: "USD", Status: catalog.PlanActive,
				Prices: placed(s.fee(usage), s.fee(license), s.fee(usage), s.fee(granting)),
			})
			return err
		})
		Expect(fieldsOf(err)).To(Equal([]string{"prices[3].license_allocation_price.license_type_id"}))
	})
})
