package customer_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/customer"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

var _ = Describe("Names and addresses of customers", func() {
	var s *fixture
	BeforeEach(func() { s = open() })

	DescribeTable("are on one line each", func(field string, change func(c *customer.NewCustomer, text string)) {
		for _, bad := range []string{"a\nb", "a\r\nBcc: x@y.test", "a\u2028b", "a\u2029b", "a\u0085b", "a\tb", "a\x1bb"} {
			_, err := s.create(func(c *customer.NewCustomer) { change(c, bad) })
			Expect(fault.Is(err, fault.KindInvalid)).To(BeTrue(), "%q", bad)
			Expect(err.Error()).To(Equal(field + ": must be on one line, without control characters"))
		}
		_, err := s.create(func(c *customer.NewCustomer) { change(c, "Zoë \u00a0 & 株式会社, חברה בע״מ") })
		Expect(err).NotTo(HaveOccurred())
	},
		Entry("the name", "name", func(c *customer.NewCustomer, text string) { c.Name = text }),
		Entry("the tax number", "tax_id.value", func(c *customer.NewCustomer, text string) {
			c.TaxID = &customer.TaxID{Country: "DE", Type: "eu_vat", Value: text}
		}),
		Entry("a line", "billing_address.line2", func(c *customer.NewCustomer, text string) { c.BillingAddress = &customer.Address{Line2: &text} }),
		Entry("a city", "shipping_address.city", func(c *customer.NewCustomer, text string) { c.ShippingAddress = &customer.Address{City: &text} }),
	)

	It("stay as they were stored before, and cannot get worse", func() {
		old, innocent := s.made(nil), s.made(nil)
		s.update(func(tx *store.Tx) error { return tx.Model(&old).Update("name", "Ada\nLovelace").Error })
		edit := func(id string, change func(*customer.Customer)) error {
			return s.try(func(tx *store.Tx) error {
				_, err := customer.Update(tx, id, func(c *customer.Customer) error {
					change(c)
					return nil
				})
				return err
			})
		}
		Expect(edit(old.ID, func(c *customer.Customer) { c.Email = "new@example.com" })).To(Succeed())
		Expect(edit(old.ID, func(c *customer.Customer) { c.Name = "Ada\nL." })).NotTo(Succeed())
		Expect(edit(old.ID, func(c *customer.Customer) { c.Name = "Ada L." })).To(Succeed())
		Expect(edit(innocent.ID, func(c *customer.Customer) { c.Name = "Ada\nLovelace" })).NotTo(Succeed())
	})

	// The rule: semantics 19.2.4.
	It("of before are shown on one line", func() {
		Expect(customer.OneLine("Ada\r\nBcc: x\u2028y\u0085z")).To(Equal("Ada Bcc: x y z"))
		Expect(customer.OneLine("Ada  Lovelace\u00a0")).To(Equal("Ada  Lovelace\u00a0"))
	})
})
