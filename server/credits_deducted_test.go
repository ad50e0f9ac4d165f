package server_test

import (
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// credits adds credits to a customer, and returns the id of their block.
func (s shop) credits(customer string, change object) string {
	GinkgoHelper()
	return s.entry(customer, with(object{"entry_type": "increment", "amount": 100}, change)).text("credit_block.id")
}

// entry adds an entry to the ledger of a customer.
func (s shop) entry(customer string, body object) value {
	GinkgoHelper()
	return s.post("/v1/customers/"+customer+"/credits/ledger_entry", body).expect(201)
}

// ledger writes the entries of a customer, oldest first, as "decrement 8 pending: 92".
func (s shop) ledger(customer, currency string) (texts []string) {
	GinkgoHelper()
	all := s.get("/v1/customers/" + customer + "/credits/ledger?limit=100&currency=" + currency).expect(200)
	for k := len(all.list("data")) - 1; k >= 0; k-- {
		e := all.entry("data", k)
		texts = append(texts, fmt.Sprintf("%s %s %s: %s", e.at("entry_type"), e.at("amount"), e.at("entry_status"), e.at("ending_balance")))
	}
	return texts
}

var _ = Describe("Credits that pay for usage", func() {
	var s shop
	var buyer string
	BeforeEach(func() {
		s = openShop("2025-03-10T09:00:00Z")
		buyer = s.buyer(object{"currency": "USD"})
	})
	// each is a price of one credit for each unit.
	each := func(change object) object {
		return with(with(s.calls("1"), object{"currency": "credits", "conversion_rate": 1}), change)
	}

	It("CR-6: are pending while usage may come", func() {
		s.credits(buyer, nil)
		s.subscribe(buyer, nil, each(nil))
		s.use(buyer, "2025-03-10T08:00:00Z", "8")
		Expect(s.ledger(buyer, "credits")).To(Equal([]string{"increment 100 committed: 100", "decrement 8 pending: 92"}))
		s.clock("2025-03-11T06:00:00Z")
		s.use(buyer, "2025-03-10T23:00:00Z", "2")
		Expect(s.ledger(buyer, "credits")).To(Equal([]string{"increment 100 committed: 100", "decrement 10 pending: 90"}))
		s.clock("2025-03-11T12:00:00Z")
		Expect(s.ledger(buyer, "credits")).To(Equal([]string{"increment 100 committed: 100", "decrement 10 committed: 90"}))
	})
})
