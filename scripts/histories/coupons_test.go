package main

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// date is local midnight in UTC.
func date(text string) time.Time { return when(newZone("UTC"), text) }

// monthly is a subscription in UTC of one price with months that begin on the first.
func monthly(from string, p priceSpec) (*subscription, *interval) {
	p.Cycle = cycle{Months: 1}
	i := &interval{spec: p, price: "price_1", from: date(from), anchor: anchor{2025, time.January, 1, parseDay(from)}, counted: []counting{{}}, plan: "plan1"}
	c := &customer{name: "customer1", zone: newZone("UTC"), ledgers: map[string]*ledger{}}
	return &subscription{name: "sub1", id: "sub_1", customer: c, plan: "plan1", from: date(from), intervals: []*interval{i}}, i
}

var _ = Describe("coupons of the model", func() {
	texts := func(s *subscription, i *interval, until string, amount string) (all []string) {
		for _, p := range s.pieces(i, date(until)) {
			all = append(all, show(p.discount(rat(amount))))
		}
		return all
	}

	It("take 20% off a fee in advance for three months", func() { // semantics CP-1
		s, i := monthly("2025-01-01", priceSpec{Name: "Fee", Model: "unit", Amount: "50", Quantity: "1", Advance: true})
		s.coupons = []redemption{{part: rat("0.2"), from: date("2025-01-01"), to: date("2025-04-01"), prices: []string{"price_1"}}}
		Expect(texts(s, i, "2025-04-01", "50")).To(Equal([]string{"40", "40", "40", "50"}))
	})

	It("take it off in arrears where the period ends in their time, or at its end", func() { // semantics 6.3.7
		s, i := monthly("2025-01-01", priceSpec{Name: "Fee", Model: "unit", Amount: "50", Quantity: "1"})
		s.coupons = []redemption{{part: rat("0.2"), from: date("2025-02-01"), to: date("2025-04-01"), prices: []string{"price_1"}}}
		Expect(texts(s, i, "2025-04-01", "50")).To(Equal([]string{"50", "40", "40", "50"}))
	})

	It("multiply one after the other, each rounded, and leave other prices alone", func() { // semantics 15.1.8
		s, i := monthly("2025-01-01", priceSpec{Name: "Fee", Model: "unit", Amount: "50", Quantity: "1", Advance: true})
		half := redemption{part: rat("0.5"), from: date("2025-01-01"), prices: []string{"price_1"}}
		tenth := redemption{part: rat("0.1"), from: date("2025-01-01"), prices: []string{"price_1"}}
		s.coupons = []redemption{half, tenth}
		Expect(texts(s, i, "2025-01-01", "100")).To(Equal([]string{"45"}))
		Expect(texts(s, i, "2025-01-01", "0.05")).To(Equal([]string{"0.02"})) // 0.03 off, then nothing
		i.price = "price_2"
		Expect(texts(s, i, "2025-01-01", "100")).To(Equal([]string{"100"}))
	})
})
