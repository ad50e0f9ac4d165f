package customer_test

import (
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/customer"
	"tollkeeper/domain/money"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

var _ = Describe("A customer", func() {
	var s *fixture
	BeforeEach(func() { s = open() })

	find := func(by func(*store.Tx, string) (customer.Customer, error), identifier string) (c customer.Customer, err error) {
		err = s.try(func(tx *store.Tx) (err error) {
			c, err = by(tx, identifier)
			return err
		})
		return c, err
	}

	It("is read back as it was made", func() {
		made := s.made(func(c *customer.NewCustomer) {
			c.ExternalCustomerID, c.Currency, c.Timezone = ref("ada"), ref(money.Currency("EUR")), ref("Europe/Berlin")
			c.AdditionalEmails = []string{"b@example.com"}
			c.BillingAddress = &customer.Address{City: ref("Berlin")}
			c.TaxID = &customer.TaxID{Country: "DE", Type: "eu_vat", Value: "DE1"}
		})
		found, err := find(customer.FindByExternalID, "ada")
		Expect(err).NotTo(HaveOccurred())
		Expect(found.ID).To(Equal(made.ID))
		Expect(found.AdditionalEmails).To(Equal([]string{"b@example.com"}))
		Expect(found.BillingAddress).To(Equal(made.BillingAddress))
		Expect(found.ShippingAddress).To(BeNil())
		Expect(found.TaxID).To(Equal(made.TaxID))
		Expect(found.Location().String()).To(Equal("Europe/Berlin"))
		Expect(found.Balance.IsZero()).To(BeTrue())
	})

	It("has defaults", func() {
		c := s.made(nil)
		Expect(c.Timezone).To(Equal("UTC"), "that of the account")
		Expect(c.Currency).To(BeNil())
		Expect(c.AutoCollection).To(BeFalse())
		Expect(c.EmailDelivery).To(BeTrue())
		Expect(c.InvoicePrefix).To(MatchRegexp(`^[A-Z]{6}$`))
		paying := s.made(func(c *customer.NewCustomer) { c.PaymentProvider = ref("stripe_charge") })
		Expect(paying.AutoCollection).To(BeTrue())
		Expect(paying.InvoicePrefix).NotTo(Equal(c.InvoicePrefix))
	})

	DescribeTable("is refused",
		func(change func(*customer.NewCustomer), violation string) {
			_, err := s.create(change)
			Expect(fault.Is(err, fault.KindInvalid)).To(BeTrue())
			Expect(err.Error()).To(HavePrefix(violation))
		},
		Entry("in a zone that is none", func(c *customer.NewCustomer) { c.Timezone = ref("Mars/Olympus") }, "timezone: "),
		Entry("in credits", func(c *customer.NewCustomer) { c.Currency = ref(money.Credits) }, "currency: "),
		Entry("without a name", func(c *customer.NewCustomer) { c.Name = "" }, "name: "),
		Entry("with a name too long", func(c *customer.NewCustomer) { c.Name = strings.Repeat("é", 501) }, "name: "),
		Entry("with an address that is none", func(c *customer.NewCustomer) { c.Email = "ada" }, "email: "),
		Entry("with another address that is none", func(c *customer.NewCustomer) { c.AdditionalEmails = []string{"b@c", "d e@f"} }, "additional_emails[1]: "),
		Entry("with more than 50 addresses", func(c *customer.NewCustomer) {
			c.AdditionalEmails = strings.Fields(strings.Repeat("b@example.com ", 50))
		}, "additional_emails: "),
	)

	It("bears an alias that no other does", func() {
		s.made(func(c *customer.NewCustomer) { c.ExternalCustomerID = ref("ada") })
		_, err := s.create(func(c *customer.NewCustomer) { c.ExternalCustomerID = ref("ada") })
		Expect(fault.Is(err, fault.KindTaken)).To(BeTrue())
		_, err = s.edit(s.made(nil), func(c *customer.Customer) { c.ExternalCustomerID = ref("ada") })
		Expect(fault.Is(err, fault.KindTaken)).To(BeTrue())
	})

	Describe("once something is set", func() {
		DescribeTable("keeps it",
			func(edit func(*customer.Customer), refused bool) {
				c := s.made(func(c *customer.NewCustomer) {
					c.ExternalCustomerID, c.Currency = ref("ada"), ref(money.Currency("USD"))
				})
				_, err := s.edit(c, edit)
				Expect(fault.Is(err, fault.KindRefused)).To(Equal(refused))
				found, err := find(customer.Find, c.ID)
				Expect(err).NotTo(HaveOccurred())
				Expect(found.ExternalCustomerID).To(Equal(ref("ada")))
				Expect(found.Currency).To(Equal(ref(money.Currency("USD"))))
				Expect(found.Timezone).To(Equal("UTC"))
			},
			Entry("an alias", func(c *customer.Customer) { c.ExternalCustomerID = ref("bob") }, true),
			Entry("an alias, from being cleared", func(c *customer.Customer) { c.ExternalCustomerID = nil }, true),
			Entry("a currency", func(c *customer.Customer) { c.Currency = ref(money.Currency("EUR")) }, true),
			Entry("a currency, from being cleared", func(c *customer.Customer) { c.Currency = nil }, true),
			Entry("what is set to the same", func(c *customer.Customer) {
				c.ExternalCustomerID, c.Currency = ref("ada"), ref(money.Currency("USD"))
			}, false),
			Entry("the time zone, whatever is asked", func(c *customer.Customer) { c.Timezone = "Europe/Berlin" }, false),
		)

		It("keeps it in the database too", func() {
			c := s.made(func(c *customer.NewCustomer) { c.Currency = ref(money.Currency("USD")) })
			Expect(s.try(func(tx *store.Tx) error {
				return tx.Exec("UPDATE customers SET currency = 'EUR' WHERE id = ?", c.ID).Error
			})).To(MatchError(ContainSubstring("what is fixed was changed")))
		})
	})

	It("can be given an alias and a currency later", func() {
		after, err := s.edit(s.made(nil), func(c *customer.Customer) {
			c.ExternalCustomerID, c.Currency = ref("ada"), ref(money.Currency("USD"))
		})
		Expect(err).NotTo(HaveOccurred())
		found, err := find(customer.FindByExternalID, "ada")
		Expect(err).NotTo(HaveOccurred())
		Expect(found.ID).To(Equal(after.ID))
		Expect(found.Currency).To(Equal(ref(money.Currency("USD"))))
	})

	It("takes the currency of its first subscription, and no other", func() {
		c := s.made(nil)
		take := func(currency money.Currency) error {
			return s.try(func(tx *store.Tx) error {
				c, err := customer.Lock(tx, c.ID)
				Expect(err).NotTo(HaveOccurred())
				return customer.TakeCurrency(tx, &c, currency)
			})
		}
		Expect(take("USD")).To(Succeed())
		Expect(take("USD")).To(Succeed())
		Expect(fault.Is(take("EUR"), fault.KindRefused)).To(BeTrue())
	})

	It("is gone once deleted, and its alias is free", func() {
		c := s.made(func(c *customer.NewCustomer) { c.ExternalCustomerID = ref("ada") })
		s.update(func(tx *store.Tx) error { return customer.Delete(tx, c.ID) })

		_, err := find(customer.Find, c.ID)
		Expect(err).To(Equal(fault.Missing("Customer", c.ID)))
		_, err = find(customer.FindByExternalID, "ada")
		Expect(err).To(Equal(fault.Missing("Customer", "ada")))
		_, err = s.edit(c, func(*customer.Customer) {})
		Expect(err).To(Equal(fault.Missing("Customer", c.ID)))
		next := s.made(func(c *customer.NewCustomer) { c.ExternalCustomerID = ref("ada") })

		s.update(func(tx *store.Tx) error {
			listed, _, err := customer.List(tx, store.Range{}, store.Page{Limit: 10})
			Expect(err).NotTo(HaveOccurred())
			Expect(listed).To(HaveLen(1))
			existing, err := customer.Existing(tx, []string{c.ID, next.ID, "nope"})
			Expect(err).NotTo(HaveOccurred())
			Expect(existing).To(Equal(map[string]bool{next.ID: true}))
			all, err := customer.FindAll(tx, []string{c.ID, next.ID})
			Expect(all).To(HaveLen(2), "what it bought still names it")
			return err
		})
	})

	It("is unknown to other accounts", func() {
		c := s.made(nil)
		other := &fixture{store: s.store, ctx: accountBeside(s)}
		Expect(other.try(func(tx *store.Tx) error {
			_, err := customer.Find(tx, c.ID)
			return err
		})).To(Equal(fault.Missing("Customer", c.ID)))
	})
})
