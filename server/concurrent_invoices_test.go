package server_test

import (
	"fmt"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// atOnce sends as many requests together, and counts the answers by status.
func atOnce(clients int, send func(k int) *answer) map[int]int {
	GinkgoHelper()
	statuses := make([]int, clients)
	var all sync.WaitGroup
	for k := range clients {
		all.Add(1)
		go func() {
			defer GinkgoRecover()
			defer all.Done()
			statuses[k] = send(k).status
		}()
	}
	all.Wait()
	counted := map[int]int{}
	for _, status := range statuses {
		counted[status]++
	}
	return counted
}

var _ = Describe("An invoice that many change at once", func() {
	var s fixture
	var buyer string
	BeforeEach(func() {
		s = newFixture("2025-03-01T00:00:00Z")
		buyer = s.buyer(object{"currency": "USD"})
	})

	It("gives back no more than it charged, under numbers without holes", func() {
		bill := s.bill(buyer, "5")
		line := bill.at("line_items[0].id")
		Expect(atOnce(16, func(int) *answer {
			return s.post("/v1/credit_notes", object{"line_items": list{credited(line, "1")}})
		})).To(Equal(map[int]int{201: 5, 400: 11}))
		s.invoice(bill.text("id")).shows(object{"status": "paid", "amount_due": "0.00"})
		numbers := list{}
		for k := 5; k > 0; k-- {
			numbers = append(numbers, fmt.Sprintf("%s-CN-%d", bill.at("invoice_number"), k))
		}
		Expect(s.get("/v1/credit_notes").expect(200).each("data", "credit_note_number")).To(Equal(numbers))
	})

	It("is charged once", func() {
		s.setting("payment_gateway", "test")
		id := s.bill(buyer, "5").text("id")
		Expect(atOnce(16, func(int) *answer {
			return s.post("/v1/invoices/"+id+"/pay", object{"shared_payment_token_id": "card"})
		})).To(Equal(map[int]int{200: 1, 400: 15}))
		Expect(s.invoice(id).list("payment_attempts")).To(HaveLen(1))
	})

	It("is paid or void, never both", func() {
		for range 5 {
			s.moveBalance(buyer, "2")
			id := s.bill(buyer, "5").text("id")
			Expect(atOnce(8, func(k int) *answer {
				if k%2 == 0 {
					return s.post("/v1/invoices/"+id+"/void", nil)
				}
				return s.post("/v1/invoices/"+id+"/mark_paid", object{"payment_received_date": "2025-03-01"})
			})).To(Equal(map[int]int{200: 1, 400: 7}))
			if s.invoice(id).at("status") == "void" {
				Expect(s.balance(buyer)).To(Equal("2.00"))
				s.moveBalance(buyer, "-2")
			}
			Expect(s.balance(buyer)).To(Equal("0.00"))
		}
	})

	It("is issued once, beside moves of the balance that it uses", func() {
		drafts := []string{}
		for range 4 {
			drafts = append(drafts, s.post("/v1/invoices", s.oneOff(buyer, nil)).expect(201).text("id"))
		}
		Expect(atOnce(16, func(k int) *answer {
			if k%2 == 0 {
				return s.post("/v1/customers/"+buyer+"/balance_transactions", object{"type": "increment", "amount": "10"})
			}
			return s.post("/v1/invoices/"+drafts[k/2%4]+"/issue", nil)
		})).To(Equal(map[int]int{200: 12, 400: 4}))
		numbers := list{}
		for _, id := range drafts {
			bill := s.invoice(id)
			Expect(bill.at("issued_at")).NotTo(BeNil())
			numbers = append(numbers, bill.text("invoice_number")[7:])
		}
		Expect(numbers).To(ConsistOf("00001", "00002", "00003", "00004"))
	})
})
