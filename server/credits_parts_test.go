package server_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/billing"
	"tollkeeper/store"
)

// A cycle that is invoiced in parts may fall below what credits paid of earlier parts (semantics 10.2.5).
var _ = Describe("Credits that paid for a part of a cycle", func() {
	var s fixture
	var buyer, sub string
	quarterly := func(price object) object {
		return with(price, object{"cadence": "quarterly", "invoicing_cycle_configuration": object{"duration": 1, "duration_unit": "month"}})
	}
	bulk := func() object {
		return quarterly(modeled(s.calls("0"), "bulk", object{
			"tiers": list{object{"maximum_units": 15, "unit_amount": "10.00"}, object{"maximum_units": nil, "unit_amount": "5.00"}},
		}))
	}
	open := func(price func() object, amounts ...string) {
		GinkgoHelper()
		s = newFixture("2025-01-01T00:00:00Z")
		buyer = s.buyer(object{"currency": "USD"})
		for _, amount := range amounts {
			s.credits(buyer, object{"amount": number(amount), "currency": "USD"})
		}
		sub = s.subscribe(buyer, nil, price()).text("id")
	}
	ledger := func() []string { GinkgoHelper(); return s.ledger(buyer, "USD") }
	wrong := func() (ids []string) {
		GinkgoHelper()
		s.tx(func(tx *store.Tx) (err error) {
			ids, err = billing.WrongCredits(tx)
			return err
		})
		return ids
	}

	It("come back where the next part falls, and pay for a later rise", func() {
		open(bulk, "200")
		s.use(buyer, "2025-01-01T00:00:00Z", "15")
		s.clock("2025-02-01T12:00:00Z")
		s.use(buyer, "2025-02-01T12:00:00Z", "1")
		s.clock("2025-03-01T12:00:00Z")
		Expect(ledger()).To(Equal([]string{"increment 200 committed: 200", "decrement 150 committed: 50", "amendment 70 committed: 120"}))
		s.invoices(sub).entry("data", 1).shows(object{
			"line_items[0].subtotal": "80.00", "line_items[0].credits_applied": "80.00", "line_items[0].amount": "0.00",
		})
		s.use(buyer, "2025-03-01T12:00:00Z", "4")
		s.clock("2025-04-01T12:00:00Z")
		Expect(ledger()[3:]).To(Equal([]string{"decrement 20 committed: 100"}))
		Expect(s.bills(sub)).To(HaveExactElements("2025-02-01 paid 0.00", "2025-03-01 paid 0.00", "2025-04-01 paid 0.00", "2025-05-01 draft 0.00"))
		Expect(wrong()).To(BeEmpty())
	})

	It("come back to the block drawn last, as far as they paid", func() {
		open(bulk, "60", "50")
		s.use(buyer, "2025-01-01T00:00:00Z", "15")
		s.clock("2025-02-01T12:00:00Z")
		s.use(buyer, "2025-02-01T12:00:00Z", "1")
		s.clock("2025-03-01T12:00:00Z")
		Expect(ledger()[2:]).To(Equal([]string{"decrement 60 committed: 50", "decrement 50 committed: 0", "amendment 30 committed: 30"}))
		Expect(s.bills(sub)).To(ContainElements("2025-02-01 issued 40.00", "2025-03-01 paid -40.00"))
	})

	It("come back where usage of an earlier part falls by returns", func() {
		open(func() object { return quarterly(s.calls("10.00")) }, "200")
		s.use(buyer, "2025-01-01T00:00:00Z", "15")
		s.clock("2025-02-01T12:00:00Z")
		s.use(buyer, "2025-02-01T12:00:00Z", "-6")
		s.clock("2025-03-01T12:00:00Z")
		Expect(ledger()).To(Equal([]string{"increment 200 committed: 200", "decrement 150 committed: 50", "amendment 60 committed: 110"}))
	})

	It("are compared with the ledger, of each part", func() {
		open(bulk, "200")
		s.use(buyer, "2025-01-01T00:00:00Z", "15")
		s.clock("2025-02-01T12:00:00Z")
		s.use(buyer, "2025-02-01T12:00:00Z", "1")
		s.clock("2025-03-01T12:00:00Z")
		Expect(wrong()).To(BeEmpty())
		all := s.invoices(sub)
		for _, k := range []int{1, 2} { // of February, to date, and of January
			part := all.entry("data", k)
			for _, by := range []string{"+ 70", "- 70"} {
				plant := func(by string) {
					s.owner("SET session_replication_role = replica; UPDATE invoice_lines SET credits_applied = credits_applied " + by +
						" WHERE id = '" + part.text("line_items[0].id") + "'")
				}
				plant(by)
				Expect(wrong()).To(Equal([]string{part.text("id")}), by)
				plant(map[string]string{"+ 70": "- 70", "- 70": "+ 70"}[by])
			}
		}
		Expect(wrong()).To(BeEmpty())
	})
})
