package server_test

import (
	"fmt"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("Changes of one subscription from many clients at once", func() {
	It("come one after the other: none is lost, nothing is charged or credited twice", func() {
		const clients = 8
		s := openShop("2025-06-01T00:00:00Z")
		buyer := s.buyer(nil)
		sub, price := "", ""
		after := s.subscribe(buyer, nil, with(s.fee("30.00"), object{"name": "Seats", "fixed_price_quantity": 1}), s.calls("1.00"))
		sub, price = after.text("id"), after.entry("price_intervals", 0).text("price.id")
		plan := s.plan(nil, s.fee("60.00")).text("id")
		s.clock("2025-06-16T00:00:00Z")
		var all sync.WaitGroup
		for k := range clients {
			all.Go(func() {
				defer GinkgoRecover()
				s.quantity(sub, price, k+2, nil).expect(200)
				if k%2 == 0 {
					s.move(sub, plan, onDate(fmt.Sprintf("2025-07-%02d", k+2))).expect(200)
				} else {
					s.cancel(sub, asOf(fmt.Sprintf("2025-08-%02d", k+2))).expect(200) // after every move, whoever comes first
				}
			})
		}
		all.Wait()
		s.quantity(sub, price, 3, nil).expect(200)

		// One seat for the whole month, and on balance two more for half of it.
		charged, credited := 0, 0
		invoices := s.invoices(sub)
		for k := range invoices.list("data") {
			inv := invoices.entry("data", k)
			if inv.text("invoice_date")[:7] != "2025-06" {
				continue
			}
			charged += cents(inv.text("total"))
			for j := range inv.list("credit_notes") {
				credited += cents(inv.entry("credit_notes", j).text("total"))
			}
		}
		Expect(charged - credited).To(Equal(6000))

		s.clock("2025-06-30T00:00:00Z")
		s.cancel(sub, nil).expect(200)
		s.clock("2025-09-01T00:00:00Z")
		Expect(s.bills(sub)).To(HaveEach(HavePrefix("2025-06-")))
	})
})

// cents reads an amount of dollars.
func cents(amount string) (n int) {
	GinkgoHelper()
	var dollars, rest int
	_, err := fmt.Sscanf(amount, "%d.%02d", &dollars, &rest)
	Expect(err).NotTo(HaveOccurred())
	return dollars*100 + rest
}
