package customer_test

import (
	"context"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/customer"
	"tollkeeper/store"
	"tollkeeper/store/storetest"
)

func TestCustomer(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "customer")
}

// fixture is an account on a database of its own.
type fixture struct {
	store *store.Store
	ctx   context.Context
}

func open() *fixture {
	GinkgoHelper()
	st := storetest.Shared()
	return &fixture{store: st, ctx: storetest.Account(st, "test")}
}

// try runs fn in a transaction and returns its error.
func (s *fixture) try(fn func(tx *store.Tx) error) error { return s.store.Update(s.ctx, fn) }

// update is try for what must succeed.
func (s *fixture) update(fn func(tx *store.Tx) error) {
	GinkgoHelper()
	Expect(s.try(fn)).To(Succeed())
}

// create makes a customer; change makes it another one.
func (s *fixture) create(change func(*customer.NewCustomer)) (c customer.Customer, err error) {
	wanted := customer.NewCustomer{Name: "Ada", Email: "ada@example.com"}
	if change != nil {
		change(&wanted)
	}
	err = s.try(func(tx *store.Tx) (err error) {
		c, err = customer.Create(tx, wanted)
		return err
	})
	return c, err
}

// made is create for what must succeed.
func (s *fixture) made(change func(*customer.NewCustomer)) customer.Customer {
	GinkgoHelper()
	c, err := s.create(change)
	Expect(err).NotTo(HaveOccurred())
	return c
}

// edit updates a customer.
func (s *fixture) edit(c customer.Customer, edit func(*customer.Customer)) (after customer.Customer, err error) {
	err = s.try(func(tx *store.Tx) (err error) {
		after, err = customer.Update(tx, c.ID, func(c *customer.Customer) error {
			edit(c)
			return nil
		})
		return err
	})
	return after, err
}

func ref[T any](v T) *T { return &v }
