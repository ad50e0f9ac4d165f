package search_test

import (
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/customer"
	"tollkeeper/domain/domaintest"
	"tollkeeper/domain/search"
	"tollkeeper/store"
)

// found searches in a transaction of the account, and returns each as "kind title".
func found(a domaintest.Account, text string, most int) (names []string) {
	GinkgoHelper()
	a.Do(func(tx *store.Tx) error {
		all, err := search.Find(tx, text, most)
		for _, f := range all {
			names = append(names, string(f.Kind)+" "+f.Title)
		}
		return err
	})
	return names
}

var _ = Describe("The search", func() {
	var a domaintest.Account
	var buyer customer.Customer
	BeforeEach(func() {
		a = domaintest.Open("2025-03-04T09:00:00Z")
		a.Do(func(tx *store.Tx) (err error) {
			alias := "Blue-1"
			buyer, err = customer.Create(tx, customer.NewCustomer{Name: "Bluebird Radio", Email: "Money@Bluebird.example", ExternalCustomerID: &alias})
			return err
		})
	})

	DescribeTable("finds a customer by the beginning of what is known", func(text func() string) {
		Expect(found(a, text(), 5)).To(ContainElement("customer Bluebird Radio"))
	},
		Entry("the name", func() string { return "Bluebird R" }),
		Entry("the name in another case", func() string { return "bLUE" }),
		Entry("the address", func() string { return "money@" }),
		Entry("the alias", func() string { return "blue-" }),
		Entry("the id", func() string { return buyer.ID }),
		Entry("the beginning of the id", func() string { return buyer.ID[:12] }),
		Entry("with blanks around", func() string { return "  bluebird " }),
	)

	It("takes what SQL knows as wildcards as text, and nothing for an empty one", func() {
		for _, text := range []string{"", "  ", "%", "_luebird", "'", `\`, "\x00", "\xff", strings.Repeat("x", 256), "Radio"} {
			Expect(found(a, text, 5)).To(BeEmpty(), text)
		}
	})

	It("finds the catalog, and subscriptions with their customer", func() {
		a.Do(func(tx *store.Tx) error {
			_, err := catalog.CreatePlan(tx, catalog.NewPlan{Name: "Blue plan", Currency: "USD", Status: catalog.PlanActive, Prices: domaintest.Listed(a.Fee("5"))})
			return err
		})
		Expect(found(a, "blue", 5)).To(ConsistOf("customer Bluebird Radio", "plan Blue plan"))
		Expect(found(a, "fee", 5)).To(ConsistOf("price Fee"))
		Expect(found(a, "calls", 5)).To(ConsistOf("metric Calls"))
		terms := a.Subscribe(buyer.ID, "2025-03-01", a.Fee("7"))
		Expect(found(a, "money@", 5)).To(ConsistOf("customer Bluebird Radio", "subscription "+terms.Subscription.Name))
		Expect(found(a, terms.Subscription.ID, 5)).To(ConsistOf("subscription " + terms.Subscription.Name))
	})

	It("shows at most so many of a kind, and none that were deleted", func() {
		a.Do(func(tx *store.Tx) error {
			for range 4 {
				if _, err := customer.Create(tx, customer.NewCustomer{Name: "Acme", Email: "a@acme.test"}); err != nil {
					return err
				}
			}
			return nil
		})
		Expect(found(a, "acme", 3)).To(HaveLen(3))
		a.Do(func(tx *store.Tx) error { return customer.Delete(tx, buyer.ID) })
		Expect(found(a, "blue", 5)).To(BeEmpty())
	})

	It("shows nothing of another account", func() {
		other := domaintest.Open("2025-03-04T09:00:00Z")
		for _, text := range []string{"blue", "money@", buyer.ID} {
			Expect(found(other, text, 5)).To(BeEmpty(), text)
		}
	})
})
