package server_test

import (
	"fmt"
	"slices"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/money"
)

// What was taken back of a grant as another price took its place stays taken back, also where its period is
// lost and comes back (semantics 11.2.5).
var _ = Describe("A grant that a replacement reduced, whose period is lost and comes back", func() {
	// outcome is what the customer has, and what it paid: blocks, and all invoices less credit notes.
	outcome := func(s fixture, customer, sub string) (texts []string) {
		GinkgoHelper()
		all := s.get("/v1/customers/" + customer + "/credits?limit=100").expect(200)
		for k := range all.list("data") {
			b := all.entry("data", k)
			texts = append(texts, fmt.Sprint(b.at("balance"), " ", b.text("effective_date")[:10], " to ", b.text("expiry_date")[:10]))
		}
		var sum money.Decimal
		of := s.invoices(sub)
		for k := range of.list("data") {
			v := of.entry("data", k)
			if v.text("status") == "draft" {
				continue
			}
			sum = sum.Add(money.Must(v.text("total")))
			for n := range v.list("credit_notes") {
				sum = sum.Sub(money.Must(v.entry("credit_notes", n).text("total")))
			}
		}
		slices.Sort(texts)
		return append(texts, "paid "+sum.String())
	}

	DescribeTable("has and costs what it did before",
		func(used, next string, change object, path ...string) {
			s := newFixture("2025-05-01T00:00:00Z")
			var customers, subs []string
			for k := range 2 {
				customers = append(customers, s.buyer(nil))
				subs = append(subs, s.subscribeTo(customers[k], nil, paidCredits("1000", change)))
				s.subscribeTo(customers[k], nil, s.callsInCredits())
			}
			s.clock("2025-06-05T12:00:00Z")
			for k := range 2 {
				if used != "" {
					s.use(customers[k], "2025-06-05T00:00:00Z", used)
				}
				s.post("/v1/subscriptions/"+subs[k]+"/price_intervals", object{
					"edit": list{object{"price_interval_id": s.openAllocations(subs[k])[0], "end_date": "2025-06-10"}},
					"add":  list{with(paidCredits(next, change), object{"start_date": "2025-06-10"})},
				}).expect(200)
			}
			s.clock("2025-06-12T12:00:00Z")
			Expect(outcome(s, customers[0], subs[0])).To(Equal(outcome(s, customers[1], subs[1])))
			first := s.allocationIntervals(subs[0])[0].text("id")
			for _, day := range path {
				s.intervals(subs[0], edit(first, object{"end_date": day})).expect(200)
			}
			at, _ := time.Parse(time.RFC3339, "2025-06-12T12:00:00Z")
			for days := range 3 {
				s.clock(at.AddDate(0, 0, 20*days).Format(time.RFC3339))
				Expect(outcome(s, customers[0], subs[0])).To(Equal(outcome(s, customers[1], subs[1])), fmt.Sprint(20*days))
			}
		},
		Entry("by one that grants less", "", "600", nil, "2025-06-01", "2025-06-10"),
		Entry("by one that grants less, twice", "", "600", nil, "2025-06-01", "2025-06-10", "2025-06-01", "2025-06-10"),
		Entry("by one that grants more", "", "1500", nil, "2025-06-01", "2025-06-10"),
		Entry("for nothing", "", "600", object{"per_unit_cost_basis": absent}, "2025-06-01", "2025-06-10"),
	)

	It("is reduced again as far as it was, where a third price granted what was taken back", func() {
		s := newFixture("2025-05-01T00:00:00Z")
		customer := s.buyer(nil)
		sub := s.subscribeTo(customer, nil, paidCredits("1000", nil))
		s.clock("2025-06-05T12:00:00Z")
		s.post("/v1/subscriptions/"+sub+"/price_intervals", object{
			"edit": list{object{"price_interval_id": s.openAllocations(sub)[0], "end_date": "2025-06-10"}},
			"add": list{with(paidCredits("600", nil), object{"start_date": "2025-06-10", "end_date": "2025-06-11"}),
				with(paidCredits("1000", nil), object{"start_date": "2025-06-11"})},
		}).expect(200)
		s.clock("2025-06-12T12:00:00Z")
		before := outcome(s, customer, sub)
		Expect(before[:2]).To(Equal([]string{"400 2025-06-11 to 2025-07-01", "600 2025-06-01 to 2025-07-01"}))
		first := s.allocationIntervals(sub)[0].text("id")
		for _, day := range []string{"2025-06-01", "2025-06-10"} {
			s.intervals(sub, edit(first, object{"end_date": day})).expect(200)
		}
		Expect(outcome(s, customer, sub)).To(Equal(before))
	})

	It("is not granted again where some was spent, nor is what the replacement granted alone", func() {
		s := newFixture("2025-05-01T00:00:00Z")
		customer := s.buyer(nil)
		sub := s.subscribeTo(customer, nil, paidCredits("1000", nil))
		s.subscribeTo(customer, nil, s.callsInCredits())
		s.clock("2025-06-05T12:00:00Z")
		s.use(customer, "2025-06-05T00:00:00Z", "100")
		s.post("/v1/subscriptions/"+sub+"/price_intervals", object{
			"edit": list{object{"price_interval_id": s.openAllocations(sub)[0], "end_date": "2025-06-10"}},
			"add":  list{with(paidCredits("600", nil), object{"start_date": "2025-06-10"})},
		}).expect(200)
		s.clock("2025-06-12T12:00:00Z")
		first := s.allocationIntervals(sub)[0].text("id")
		s.intervals(sub, edit(first, object{"end_date": "2025-06-01"})).expect(200)
		Expect(outcome(s, customer, sub)).To(Equal([]string{"600 2025-06-10 to 2025-07-01", "paid 85"}), "50.00, 5.00 and 30.00")
		s.intervals(sub, edit(first, object{"end_date": "2025-06-10"})).expect(200)
		Expect(outcome(s, customer, sub)).To(Equal([]string{"paid 55"}))
	})
})
