package server_test

import (
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// What could not be taken back of credits, because it was spent, counts as granted: a price
// that grants more again grants only what exceeds it (semantics 11.2.5).
var _ = Describe("An allocation price that is replaced by one that grants less and then more", func() {
	var s fixture
	BeforeEach(func() { s = newFixture("2025-06-01T09:00:00Z") })

	rent := func(buyer object, entries ...object) (customer, sub string) {
		GinkgoHelper()
		customer = s.buyer(buyer)
		return customer, s.subscribeTo(customer, nil, append([]object{s.callsInCredits()}, entries...)...)
	}
	// replace lets other allocation prices follow, each on its day, in one request.
	type following struct {
		day   string
		price object
	}
	replace := func(sub string, all ...following) {
		GinkgoHelper()
		add := list{}
		for k, next := range all {
			until := any(nil)
			if k+1 < len(all) {
				until = all[k+1].day
			}
			add = append(add, with(next.price, object{"start_date": next.day, "end_date": until}))
		}
		s.post("/v1/subscriptions/"+sub+"/price_intervals", object{
			"edit": list{object{"price_interval_id": s.openAllocations(sub)[0], "end_date": all[0].day}}, "add": add,
		}).expect(200)
	}
	granted := func(customer string) (texts []string) {
		GinkgoHelper()
		for _, entry := range s.ledger(customer, "credits") {
			if n := len("increment "); entry[:n] == "increment " {
				texts = append(texts, entry[n:])
			}
		}
		return texts
	}
	of := func(bills []string) (fees []string) { // without drafts
		for _, bill := range bills {
			if len(bill) > 17 && bill[11:17] == "issued" {
				fees = append(fees, bill)
			}
		}
		return fees
	}

	DescribeTable("grants again only what was taken back",
		func(used string, change object, left []string, bills []string) {
			customer, sub := rent(nil, paidCredits("1000", change))
			s.clock("2025-06-05T12:00:00Z")
			s.use(customer, "2025-06-05T00:00:00Z", used)
			replace(sub, following{"2025-06-10", paidCredits("600", change)})
			s.clock("2025-06-10T12:00:00Z")
			replace(sub, following{"2025-06-16", paidCredits("1000", change)})
			s.clock("2025-06-16T12:00:00Z")
			Expect(s.blocks(customer, "credits")).To(Equal(left))
			Expect(of(s.bills(sub))).To(Equal(bills))
			replace(sub, following{"2025-06-20", paidCredits("600", change)})
			s.clock("2025-06-20T12:00:00Z")
			replace(sub, following{"2025-06-22", paidCredits("1000", change)})
			s.clock("2025-06-22T12:00:00Z")
			Expect(granted(customer)).To(HaveLen(map[bool]int{true: 1, false: 3}[used == "1000"]), "it is not repeated")
			s.clock("2025-07-01T12:00:00Z")
			Expect(s.blocks(customer, "credits")).To(ContainElement("1000"))
		},
		Entry("nothing where all was spent", "1000", nil, []string{"0"}, []string{"2025-06-01 issued 50.00"}),
		Entry("nothing for nothing either", "1000", object{"per_unit_cost_basis": absent}, []string{"0"}, nil),
		Entry("the 100 that were left", "900", nil, []string{"0", "100"}, []string{"2025-06-01 issued 50.00", "2025-06-16 issued 5.00"}),
	)

	It("grants only what exceeds all that was granted where it grants more than ever", func() {
		customer, sub := rent(nil, paidCredits("1000", nil))
		s.clock("2025-06-05T12:00:00Z")
		s.use(customer, "2025-06-05T00:00:00Z", "1000")
		replace(sub, following{"2025-06-10", paidCredits("600", nil)})
		s.clock("2025-06-10T12:00:00Z")
		replace(sub, following{"2025-06-12", paidCredits("500", nil)})
		s.clock("2025-06-12T12:00:00Z")
		replace(sub, following{"2025-06-16", paidCredits("1500", nil)})
		s.clock("2025-06-16T12:00:00Z")
		Expect(s.blocks(customer, "credits")).To(Equal([]string{"0", "500"}))
		Expect(of(s.bills(sub))).To(Equal([]string{"2025-06-01 issued 50.00", "2025-06-16 issued 25.00"}))
	})

	DescribeTable("does so where both come in one request, also of days past",
		func(now string, used string, left []string, bills []string) {
			customer, sub := rent(nil, paidCredits("1000", nil))
			s.clock("2025-06-05T12:00:00Z")
			s.use(customer, "2025-06-05T00:00:00Z", used)
			s.clock(now)
			replace(sub, following{"2025-06-10", paidCredits("600", nil)}, following{"2025-06-16", paidCredits("1000", nil)})
			s.clock("2025-06-20T12:00:00Z")
			Expect(s.blocks(customer, "credits")).To(Equal(left))
			Expect(of(s.bills(sub))).To(Equal(bills))
		},
		Entry("ahead", "2025-06-08T12:00:00Z", "1000", []string{"0"}, []string{"2025-06-01 issued 50.00"}),
		Entry("past", "2025-06-18T12:00:00Z", "1000", []string{"0"}, []string{"2025-06-01 issued 50.00"}),
		Entry("past, and 100 were left", "2025-06-18T12:00:00Z", "900", []string{"0", "100"}, []string{"2025-06-01 issued 50.00", "2025-06-16 issued 5.00"}),
		Entry("past, and all was left", "2025-06-18T12:00:00Z", "0", []string{"600", "400"}, []string{"2025-06-01 issued 50.00", "2025-06-16 issued 20.00"}),
	)

	It("keeps apart several prices for the same credits", func() {
		customer, sub := rent(nil, paidCredits("1000", nil), paidCredits("200", nil))
		s.clock("2025-06-05T12:00:00Z")
		s.use(customer, "2025-06-05T00:00:00Z", "1200")
		ids := s.openAllocations(sub)
		s.post("/v1/subscriptions/"+sub+"/price_intervals", object{
			"edit": list{object{"price_interval_id": ids[0], "end_date": "2025-06-10"}, object{"price_interval_id": ids[1], "end_date": "2025-06-10"}},
			"add": list{
				with(paidCredits("600", nil), object{"start_date": "2025-06-10", "end_date": "2025-06-16"}),
				with(paidCredits("100", nil), object{"start_date": "2025-06-10", "end_date": "2025-06-16"}),
				with(paidCredits("1100", nil), object{"start_date": "2025-06-16"}),
				with(paidCredits("200", nil), object{"start_date": "2025-06-16"}),
			},
		}).expect(200)
		s.clock("2025-06-16T12:00:00Z")
		Expect(s.blocks(customer, "credits")).To(Equal([]string{"0", "0", "100"}))
		Expect(of(s.bills(sub))).To(Equal([]string{"2025-06-01 issued 60.00", "2025-06-16 issued 5.00"}))
	})

	It("begins afresh with the next period, across a change of the clock and the end of a month", func() {
		s = newFixture("2025-03-01T05:00:00Z")
		customer, sub := rent(object{"timezone": "America/New_York"}, paidCredits("1000", nil))
		s.clock("2025-03-05T12:00:00Z")
		s.use(customer, "2025-03-05T06:00:00Z", "1000")
		replace(sub, following{"2025-03-09", paidCredits("600", nil)}, following{"2025-03-31", paidCredits("1000", nil)})
		s.clock("2025-04-01T03:59:59Z")
		Expect(s.blocks(customer, "credits")).To(Equal([]string{"0"}))
		s.clock("2025-04-01T04:00:00Z")
		Expect(s.blocks(customer, "credits")).To(Equal([]string{"0", "1000"}))
		Expect(fmt.Sprint(of(s.bills(sub)))).NotTo(ContainSubstring("20.00"))
	})

	It("does so by changes of the plan", func() {
		customer, sub := rent(nil, paidCredits("1000", nil))
		s.clock("2025-06-05T12:00:00Z")
		s.use(customer, "2025-06-05T00:00:00Z", "1000")
		for k, amount := range []string{"600", "1200"} {
			next := s.plan(object{"prices": list{paidCredits(amount, nil), s.callsInCredits()}}).text("id")
			s.clock(fmt.Sprintf("2025-06-%dT00:00:00Z", 10+k))
			s.post("/v1/subscriptions/"+sub+"/schedule_plan_change", object{
				"plan_id": next, "change_option": "immediate", "billing_cycle_alignment": "unchanged",
			}).expect(200)
		}
		Expect(s.blocks(customer, "credits")).To(Equal([]string{"0", "200"}))
	})

	It("does so where the price that granted less is removed, and another begins as it did", func() {
		customer, sub := rent(nil, paidCredits("1000", nil))
		s.clock("2025-06-05T12:00:00Z")
		s.use(customer, "2025-06-05T00:00:00Z", "1000")
		replace(sub, following{"2025-06-10", paidCredits("600", nil)})
		s.clock("2025-06-10T12:00:00Z")
		replace(sub, following{"2025-06-10", paidCredits("600", nil)}) // which ends the one before as it begins
		s.clock("2025-06-11T12:00:00Z")
		replace(sub, following{"2025-06-16", paidCredits("1000", nil)})
		s.clock("2025-06-16T12:00:00Z")
		Expect(s.blocks(customer, "credits")).To(Equal([]string{"0"}))
		Expect(of(s.bills(sub))).To(Equal([]string{"2025-06-01 issued 50.00"}))
	})

	// insert lets a price that grants less stand between the first one and the one after it.
	insert := func(sub, from, to string, price object) {
		GinkgoHelper()
		all := s.get("/v1/subscriptions/" + sub).expect(200)
		for k := range all.list("price_intervals") {
			if i := all.entry("price_intervals", k); i.at("price.credit_allocation") != nil && i.at("end_date") != nil {
				s.post("/v1/subscriptions/"+sub+"/price_intervals", object{
					"edit": list{object{"price_interval_id": i.text("id"), "end_date": from}},
					"add":  list{with(price, object{"start_date": from, "end_date": to})},
				}).expect(200)
				return
			}
		}
		Fail("no allocation price has ended")
	}

	DescribeTable("takes nothing back for a decrease that is inserted before an increase that was granted",
		func(used string, left []string) {
			customer, sub := rent(nil, paidCredits("1000", nil))
			s.clock("2025-06-05T12:00:00Z")
			s.use(customer, "2025-06-05T00:00:00Z", used)
			replace(sub, following{"2025-06-16", paidCredits("1500", nil)})
			s.clock("2025-06-20T12:00:00Z")
			insert(sub, "2025-06-10", "2025-06-16", paidCredits("600", nil))
			Expect(s.blocks(customer, "credits")).To(Equal(left))
			s.clock("2025-06-25T12:00:00Z")
			Expect(s.blocks(customer, "credits")).To(Equal(left))
			Expect(of(s.bills(sub))).To(Equal([]string{"2025-06-01 issued 50.00", "2025-06-16 issued 25.00"}))
			Expect(s.get("/v1/credit_notes").expect(200).list("data")).To(BeEmpty())
			s.clock("2025-07-01T12:00:00Z")
			Expect(s.blocks(customer, "credits")).To(ContainElement("1500"))
		},
		Entry("where nothing is spent", "0", []string{"1000", "500"}),
		Entry("where some is spent", "700", []string{"300", "500"}),
		Entry("where all that was granted first is spent", "1000", []string{"0", "500"}),
	)

	It("leaves alone what was taken back before, where a decrease is inserted before it", func() {
		customer, sub := rent(nil, paidCredits("1000", nil))
		replace(sub, following{"2025-06-10", paidCredits("800", nil)}, following{"2025-06-16", paidCredits("1500", nil)})
		s.clock("2025-06-20T12:00:00Z")
		Expect(s.blocks(customer, "credits")).To(Equal([]string{"800", "700"}))
		insert(sub, "2025-06-05", "2025-06-10", paidCredits("600", nil))
		Expect(s.blocks(customer, "credits")).To(Equal([]string{"800", "700"}))
		s.clock("2025-06-25T12:00:00Z")
		Expect(s.blocks(customer, "credits")).To(Equal([]string{"800", "700"}))
	})
})
