package server_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// A price that is invoiced several times in a cycle is charged to date, less what earlier
// invoices charged. A minimum, a maximum or a discount that it shares with other prices
// works once for each invoice, on what the lines add there.
var _ = Describe("A price that is charged to date beside others under a shared adjustment", func() {
	annual := object{"name": "Annual", "cadence": "annual", "invoicing_cycle_configuration": object{"duration": 1, "duration_unit": "month"}}
	monthly := object{"name": "Monthly"}
	// sold subscribes a customer to both prices, under an adjustment of all prices.
	sold := func(s fixture, kind object) (customer, sub string) {
		GinkgoHelper()
		kind = with(kind, object{"applies_to_all": true})
		if kind["adjustment_type"] == "minimum" {
			kind["item_id"] = s.item
		}
		customer = s.buyer(nil)
		terms := object{"end_date": "2025-05-01", "add_adjustments": list{object{"adjustment": kind}}}
		sub = s.subscribe(customer, terms, with(s.calls("1.00"), monthly), with(s.calls("1.00"), annual)).text("id")
		return customer, sub
	}
	It("is part of a minimum of each invoice with what it adds there", func() {
		s := newFixture("2025-01-01T00:00:00Z")
		customer, sub := sold(s, object{"adjustment_type": "minimum", "minimum_amount": "100.00"})
		s.clock("2025-01-20T00:00:00Z")
		s.use(customer, "2025-01-20T00:00:00Z", "80") // 80 of each: 160
		s.clock("2025-05-03T00:00:00Z")
		Expect(s.bills(sub)).To(Equal([]string{
			"2025-02-01 issued 160.00", "2025-03-01 issued 100.00", "2025-04-01 issued 100.00", "2025-05-01 issued 100.00",
		}))
	})

	It("does not give back its share of a minimum", func() {
		s := newFixture("2025-01-01T00:00:00Z")
		customer, sub := sold(s, object{"adjustment_type": "minimum", "minimum_amount": "100.00"})
		s.clock("2025-02-20T00:00:00Z")
		s.use(customer, "2025-02-20T00:00:00Z", "30") // 60
		s.clock("2025-03-20T00:00:00Z")
		s.use(customer, "2025-03-20T00:00:00Z", "70") // 140
		s.clock("2025-05-03T00:00:00Z")
		Expect(s.bills(sub)).To(Equal([]string{
			"2025-02-01 issued 100.00", "2025-03-01 issued 100.00", "2025-04-01 issued 140.00", "2025-05-01 issued 100.00",
		}))
	})

	It("shares a maximum of each invoice with what it adds there", func() {
		s := newFixture("2025-01-01T00:00:00Z")
		customer, sub := sold(s, object{"adjustment_type": "maximum", "maximum_amount": "60.00"})
		s.clock("2025-01-20T00:00:00Z")
		s.use(customer, "2025-01-20T00:00:00Z", "50") // 100
		s.clock("2025-02-20T00:00:00Z")
		s.use(customer, "2025-02-20T00:00:00Z", "20") // 40
		s.clock("2025-05-03T00:00:00Z")
		Expect(s.bills(sub)).To(Equal([]string{
			"2025-02-01 issued 60.00", "2025-03-01 issued 40.00", "2025-04-01 paid 0.00", "2025-05-01 paid 0.00",
		}))
	})

	It("shares a discount of each invoice with what it adds there", func() {
		s := newFixture("2025-01-01T00:00:00Z")
		customer, sub := sold(s, object{"adjustment_type": "amount_discount", "amount_discount": "30.00"})
		s.clock("2025-01-20T00:00:00Z")
		s.use(customer, "2025-01-20T00:00:00Z", "50") // 100
		s.clock("2025-02-20T00:00:00Z")
		s.use(customer, "2025-02-20T00:00:00Z", "10") // 20
		s.clock("2025-03-20T00:00:00Z")
		s.use(customer, "2025-03-20T00:00:00Z", "40") // 80
		s.clock("2025-05-03T00:00:00Z")
		Expect(s.bills(sub)).To(Equal([]string{
			"2025-02-01 issued 70.00", "2025-03-01 paid 0.00", "2025-04-01 issued 50.00", "2025-05-01 paid 0.00",
		}))
	})
})
