package customer_test

import (
	"context"
	"errors"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"gorm.io/gorm"

	"tollkeeper/domain/account"
	"tollkeeper/domain/customer"
	"tollkeeper/store"
	"tollkeeper/store/storetest"
)

var _ = Describe("Invoice numbers", func() {
	var s *fixture
	BeforeEach(func() { s = open() })

	next := func(c customer.Customer) (number string) {
		GinkgoHelper()
		s.update(func(tx *store.Tx) error {
			settings, err := account.Of(tx)
			Expect(err).NotTo(HaveOccurred())
			_, number, err = customer.NextInvoiceNumber(tx, settings, c.ID)
			return err
		})
		return number
	}
	draft := func(c customer.Customer) (number string) {
		s.update(func(tx *store.Tx) error {
			settings, err := account.Of(tx)
			number = customer.DraftNumber(c, settings)
			return err
		})
		return number
	}

	It("count from 1 for each customer, under its prefix", func() {
		a, b := s.made(nil), s.made(nil)
		Expect(draft(a)).To(Equal(a.InvoicePrefix + "-DRAFT"))
		Expect(next(a)).To(Equal(a.InvoicePrefix + "-00001"))
		Expect(next(a)).To(Equal(a.InvoicePrefix + "-00002"))
		Expect(next(b)).To(Equal(b.InvoicePrefix + "-00001"))
	})

	It("count for all customers together where the account says so", func() {
		Expect(s.store.AsOwner(context.Background(), func(db *gorm.DB) error {
			return db.Exec("UPDATE accounts SET number_prefix_scope = 'account'").Error
		})).To(Succeed())
		a, b := s.made(nil), s.made(nil)
		Expect(draft(a)).To(Equal("ABCDEF-DRAFT"))
		Expect(next(a)).To(Equal("ABCDEF-00001"))
		Expect(next(b)).To(Equal("ABCDEF-00002"))
	})

	It("go on from one another where the account takes the prefix of a customer, and gives it back", func() {
		set := func(name, value string) {
			GinkgoHelper()
			Expect(s.store.AsOwner(context.Background(), func(db *gorm.DB) error {
				return db.Exec("UPDATE accounts SET "+name+" = ?", value).Error
			})).To(Succeed())
		}
		a, b := s.made(nil), s.made(nil)
		next(a)
		set("number_prefix", a.InvoicePrefix)
		set("number_prefix_scope", "account")
		Expect(next(b)).To(Equal(a.InvoicePrefix + "-00002"))
		Expect(next(a)).To(Equal(a.InvoicePrefix + "-00003"))
		set("number_prefix_scope", "customer")
		Expect(next(a)).To(Equal(a.InvoicePrefix + "-00004"))
		Expect(next(b)).To(Equal(b.InvoicePrefix + "-00001"))
	})

	It("have no hole where an invoice was not issued after all", func() {
		c := s.made(nil)
		Expect(s.try(func(tx *store.Tx) error {
			settings, err := account.Of(tx)
			Expect(err).NotTo(HaveOccurred())
			_, _, err = customer.NextInvoiceNumber(tx, settings, c.ID)
			Expect(err).NotTo(HaveOccurred())
			return errors.New("no invoice")
		})).To(MatchError("no invoice"))
		Expect(next(c)).To(HaveSuffix("-00001"))
	})
})

// accountBeside makes another account on the same database.
func accountBeside(s *fixture) context.Context { return storetest.Account(s.store, "test") }
