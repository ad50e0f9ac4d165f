package server_test

import (
	"fmt"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/money"
)

// A period that the terms lost is granted and charged again if it comes back, as long as nothing was spent
// of its credits (semantics 11.2.5).
var _ = Describe("An allocation whose price is ended before a period, and whose end is moved again", func() {
	var s fixture

	// ends moves the end of price intervals of a subscription, of all or of the first one; nil: never.
	ends := func(sub string, all bool, day any) {
		GinkgoHelper()
		edits := list{}
		of := s.get("/v1/subscriptions/" + sub).expect(200)
		for k := range of.list("price_intervals") {
			if i := of.entry("price_intervals", k); all || i.at("price.credit_allocation") != nil {
				edits = append(edits, object{"price_interval_id": i.at("id"), "end_date": day})
			}
		}
		s.post("/v1/subscriptions/"+sub+"/price_intervals", object{"edit": edits}).expect(200)
	}
	// charged is what all invoices of a subscription charge, less what was given back.
	charged := func(sub string) string {
		GinkgoHelper()
		var sum money.Decimal
		of := s.invoices(sub)
		for k := range of.list("data") {
			v := of.entry("data", k)
			if status := v.text("status"); status == "draft" || status == "void" {
				continue
			}
			sum = sum.Add(money.Must(fmt.Sprint(v.at("total"))))
			for n := range v.list("credit_notes") {
				if note := v.entry("credit_notes", n); note.at("voided_at") == nil {
					sum = sum.Sub(money.Must(fmt.Sprint(note.at("total"))))
				}
			}
		}
		return sum.String()
	}
	left := func(customer string) []string {
		GinkgoHelper()
		texts := []string{}
		all := s.get("/v1/customers/" + customer + "/credits?limit=100").expect(200)
		for k := range all.list("data") {
			b := all.entry("data", k)
			texts = append(texts, fmt.Sprint(b.at("balance"), " ", b.text("effective_date")[:10], " to ", b.text("expiry_date")[:10]))
		}
		return texts
	}
	seats := func() object { return object{"price": with(s.fee("20.00"), object{"name": "Seats"})} }
	calls := func() object { return object{"price": s.calls("1.00")} }
	none := func() object { return nil }

	DescribeTable("is granted and charged as if it had ended there at first",
		func(zone, start string, change object, beside func() object, all bool, now string, path ...any) {
			s = newFixture(start)
			entries := []object{paidCredits("1000", change)}
			if other := beside(); other != nil {
				entries = append(entries, other)
			}
			var customers, subs []string
			for range 2 {
				customers = append(customers, s.buyer(object{"timezone": zone}))
				subs = append(subs, s.subscribeTo(customers[len(subs)], nil, entries...))
			}
			s.clock(now)
			for _, day := range path {
				ends(subs[0], all, day)
			}
			if last := path[len(path)-1]; last != nil {
				ends(subs[1], all, last)
			}
			at, err := time.Parse(time.RFC3339, now)
			Expect(err).NotTo(HaveOccurred())
			for days := range 3 {
				s.clock(at.AddDate(0, 0, 20*days).Format(time.RFC3339))
				Expect(left(customers[0])).To(Equal(left(customers[1])))
				Expect(charged(subs[0])).To(Equal(charged(subs[1])))
			}
		},
		Entry("lifted, alone", "UTC", "2025-05-01T00:00:00Z", nil, none, true, "2025-06-10T12:00:00Z", "2025-06-01", nil),
		Entry("lifted, beside a fee that goes on", "UTC", "2025-05-01T00:00:00Z", nil, seats, false, "2025-06-10T12:00:00Z", "2025-06-01", nil),
		Entry("lifted, beside a fee that ends with it", "UTC", "2025-05-01T00:00:00Z", nil, seats, true, "2025-06-10T12:00:00Z", "2025-06-01", nil),
		Entry("lifted, beside usage", "UTC", "2025-05-01T00:00:00Z", nil, calls, false, "2025-06-10T12:00:00Z", "2025-06-01", nil),
		Entry("lifted, while its fee is on a draft", "UTC", "2025-05-01T00:00:00Z", nil, calls, false, "2025-06-01T06:00:00Z", "2025-06-01", nil),
		Entry("lifted, and it costs nothing", "UTC", "2025-05-01T00:00:00Z", object{"per_unit_cost_basis": absent}, seats, true, "2025-06-10T12:00:00Z", "2025-06-01", nil),
		Entry("lifted, ended and lifted", "UTC", "2025-05-01T00:00:00Z", nil, seats, true, "2025-06-10T12:00:00Z", "2025-06-01", nil, "2025-06-01", nil),
		Entry("lifted, and ended again", "UTC", "2025-05-01T00:00:00Z", nil, seats, true, "2025-06-10T12:00:00Z", "2025-06-01", nil, "2025-06-01"),
		Entry("into the period, past", "UTC", "2025-05-01T00:00:00Z", nil, seats, true, "2025-06-10T12:00:00Z", "2025-06-01", "2025-06-05"),
		Entry("into the period, ahead", "UTC", "2025-05-01T00:00:00Z", nil, seats, false, "2025-06-10T12:00:00Z", "2025-06-01", "2025-06-20"),
		Entry("behind the period", "UTC", "2025-05-01T00:00:00Z", nil, seats, true, "2025-06-10T12:00:00Z", "2025-06-01", "2025-07-10"),
		Entry("over the end of a month", "UTC", "2025-01-31T00:00:00Z", nil, seats, true, "2025-03-10T12:00:00Z", "2025-03-01", nil),
		Entry("over a change of the clock", "America/New_York", "2025-02-01T05:00:00Z", nil, seats, true, "2025-03-15T12:00:00Z", "2025-03-01", "2025-03-12"),
		Entry("after the period is over", "UTC", "2025-05-01T00:00:00Z", nil, seats, true, "2025-07-02T12:00:00Z", "2025-06-01", nil),
		Entry("after the period is over, alone", "UTC", "2025-05-01T00:00:00Z", nil, none, true, "2025-07-02T12:00:00Z", "2025-06-01", nil),
	)

	It("pays with the credits that came back", func() {
		s = newFixture("2025-05-01T00:00:00Z")
		customer := s.buyer(nil)
		sub := s.subscribeTo(customer, nil, paidCredits("1000", nil), seats())
		s.subscribeTo(customer, nil, s.callsInCredits())
		s.clock("2025-06-10T12:00:00Z")
		ends(sub, true, "2025-06-01")
		Expect(left(customer)).To(BeEmpty())
		ends(sub, true, nil)
		s.use(customer, "2025-06-10T08:00:00Z", "300")
		s.clock("2025-06-12T00:00:00Z")
		Expect(left(customer)).To(Equal([]string{"700 2025-06-01 to 2025-07-01"}))
		ends(sub, true, "2025-06-01") // what is spent stays paid now
		Expect(charged(sub)).To(Equal("85"), "70.00 of May, and 15.00")
		ends(sub, true, nil)
		Expect(charged(sub)).To(Equal("105"), "the seats again, and no credits")
		Expect(left(customer)).To(BeEmpty())
	})

	It("leaves no credits of the day on which its period began and was taken back, for which nothing is paid", func() {
		s = newFixture("2025-05-01T00:00:00Z")
		customer := s.buyer(nil)
		sub := s.subscribeTo(customer, nil, seats())
		s.subscribeTo(customer, nil, s.callsInCredits())
		s.clock("2025-05-10T15:00:00Z")
		plan := s.plan(object{"prices": list{paidCredits("1000", nil), seats()}}).text("id")
		s.post("/v1/subscriptions/"+sub+"/schedule_plan_change", object{"plan_id": plan, "change_option": "immediate"}).expect(200)
		s.post("/v1/subscriptions/"+sub+"/cancel", object{"cancel_option": "immediate"}).expect(200)
		s.use(customer, "2025-05-10T12:00:00Z", "300")
		s.clock("2025-05-12T00:00:00Z")
		Expect(s.ledger(customer, "credits")).To(Equal([]string{"increment 1000 committed: 1000", "credit_block_expiry 1000 committed: 0"}))
		Expect(charged(sub)).To(Equal("5.81"), "9 of 31 days of the seats")
	})
})
