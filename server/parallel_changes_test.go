package server_test

import (
	"encoding/json"
	"fmt"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("Changes of one subscription from many clients at once", func() {
	It("come one after the other: none is lost, nothing is charged or credited twice", func() {
		const clients = 8
		s := newFixture("2025-06-01T00:00:00Z")
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

var _ = Describe("Changes of one subscription from many clients, while its invoices are issued", func() {
	const clients, rounds = 16, 4

	It("all come about, and every day is charged once for what it was worth", func() {
		s := newFixture("2025-06-01T00:00:00Z")
		s.patient = true // 16 clients may wait longer for a connection than a request does
		prices := []object{s.calls("1.00")}
		for k := range clients {
			prices = append(prices, with(s.fee("93.00"), object{"name": fmt.Sprint("Seats ", k), "fixed_price_quantity": 1}))
		}
		buyer := s.buyer(object{"currency": "USD"})
		after := s.subscribe(buyer, nil, prices...)
		sub := after.text("id")
		price := func(k int) string { return after.entry("price_intervals", k+1).text("price.id") }

		var all sync.WaitGroup
		for k := range clients {
			all.Go(func() {
				defer GinkgoRecover()
				for n := range rounds {
					s.quantity(sub, price(k), k+n%2*3+n, nil).expect(200) // more, less, more
					s.moveBalance(buyer, "1")
					s.put("/v1/subscriptions/"+sub, object{"metadata": object{fmt.Sprint("client ", k): fmt.Sprint(n)}}).expect(200)
				}
			})
		}
		for _, day := range []string{"06-20", "07-01", "07-02", "08-01", "08-02"} {
			s.clock("2025-" + day + "T00:00:00Z")
		}
		all.Wait()
		s.clock("2025-08-31T00:00:00Z")

		now := s.get("/v1/subscriptions/" + sub).expect(200)
		worth, last := 0, map[any]any{}
		for k := range now.list("fixed_fee_quantity_schedule") {
			q := now.entry("fixed_fee_quantity_schedule", k)
			end := instant("2025-09-01T00:00:00Z")
			if q.at("end_date") != nil {
				end = midnight(q.text("end_date"))
			} else {
				last[q.at("price_id")] = q.at("quantity")
			}
			for day := midnight(q.text("start_date")); day.Before(end); day = day.AddDate(0, 0, 1) {
				worth += whole(q.at("quantity")) * 9300 / day.AddDate(0, 1, -day.Day()).Day()
			}
		}
		for k := range clients {
			Expect(last[price(k)]).To(Equal(json.Number(fmt.Sprint(k+6))), "client %d", k)
			Expect(now.at("metadata")).To(HaveKeyWithValue(fmt.Sprint("client ", k), fmt.Sprint(rounds-1)))
		}
		charged, credited := 0, 0
		invoices := s.invoices(sub)
		for k := range invoices.list("data") {
			if inv := invoices.entry("data", k); inv.at("status") != "draft" {
				charged += cents(inv.text("total"))
				for j := range inv.list("credit_notes") {
					credited += cents(inv.entry("credit_notes", j).text("total"))
				}
			}
		}
		Expect(credited).To(BeNumerically(">", 0))
		Expect(charged - credited).To(Equal(worth))
		adjusted := 0
		for path, cursor := "/v1/customers/"+buyer+"/balance_transactions?limit=100", ""; ; {
			page := s.get(path + cursor).expect(200)
			for _, action := range page.each("data", "action") {
				if action == "manual_adjustment" {
					adjusted++
				}
			}
			if page.at("pagination_metadata.has_more") == false {
				break
			}
			cursor = "&cursor=" + page.text("pagination_metadata.next_cursor")
		}
		Expect(adjusted).To(Equal(clients * rounds))
	})
})

// midnight is when the day of an instant began, in UTC: a change counts for all of its day.
func midnight(text string) time.Time { return instant(text).Truncate(24 * time.Hour) }

// whole reads a whole number.
func whole(number any) int {
	GinkgoHelper()
	n, err := number.(json.Number).Int64()
	Expect(err).NotTo(HaveOccurred())
	return int(n)
}
