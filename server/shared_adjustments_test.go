package server_test

import (
	"encoding/json"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("An adjustment that fees share on an invoice", func() {
	const refused = "400-constraint-violation"
	var s fixture
	var acme, sub, b string

	// begin has the customer pay 60 and 40 for March, under an adjustment of the invoice.
	begin := func(buyer, adjustment object, more ...string) {
		GinkgoHelper()
		s = newFixture("2025-03-01T08:00:00Z")
		acme = s.buyer(buyer)
		if adjustment["adjustment_type"] == "minimum" {
			adjustment["item_id"] = s.item
		}
		all := list{object{"adjustment": with(object{"applies_to_all": true}, adjustment)}}
		named := func(name, amount string) object { return with(s.fee(amount), object{"name": name}) }
		prices := []object{named("A", "60.00"), named("B", "40.00")}
		for _, amount := range more {
			prices = append(prices, s.calls(amount))
		}
		made := s.subscribe(acme, object{"add_adjustments": all}, prices...)
		sub, b = made.text("id"), made.entry("price_intervals", 1).text("id")
	}
	minimum := func(amount string) object {
		return object{"adjustment_type": "minimum", "minimum_amount": amount}
	}
	maximum := object{"adjustment_type": "maximum", "maximum_amount": "80.00"}
	removal := func() object { return edit(b, object{"end_date": "2025-03-01"}) }

	DescribeTable("works on those that are left, where one that is paid is removed:",
		func(adjustment object, before, after string, changes ...string) {
			begin(nil, adjustment)
			Expect(s.bills(sub)).To(HaveExactElements("2025-03-01 issued "+before, "2025-04-01 draft "+before))
			s.collect(sub)
			s.intervals(sub, with(removal(), object{"allow_invoice_credit_or_void": false})).refuse(400, refused, "allow_invoice_credit_or_void")
			Expect(changed(s.intervals(sub, removal()).expect(200))).To(Equal(changes))
			Expect(s.bills(sub)).To(ContainElement("2025-04-01 draft " + after))
			alone := s.subscribe(s.buyer(nil), object{"add_adjustments": list{object{"adjustment": with(object{"applies_to_all": true}, adjustment)}}}, s.fee("60.00")).text("id")
			Expect(s.bills(alone)).To(HaveExactElements("2025-03-01 issued "+after, "2025-04-01 draft "+after), "as if it had not been there")
		},
		Entry("a maximum", maximum, "80.00", "60.00", "2025-03-01 paid 60.00", "refund 80.00"),
		Entry("a maximum that is not reached", with(maximum, object{"maximum_amount": "100.00"}), "100.00", "60.00", "refund 40.00"),
		Entry("a discount of an amount", object{"adjustment_type": "amount_discount", "amount_discount": "50.00"}, "50.00", "10.00", "2025-03-01 paid 10.00", "refund 50.00"),
		Entry("a percentage", object{"adjustment_type": "percentage_discount", "percentage_discount": json.Number("0.5")}, "50.00", "30.00", "refund 20.00"),
		Entry("tiers", object{"adjustment_type": "tiered_percentage_discount", "tiers": list{
			object{"lower_bound": 0, "upper_bound": 50, "percentage": json.Number("0")},
			object{"lower_bound": 50, "upper_bound": nil, "percentage": json.Number("0.5")},
		}}, "75.00", "55.00", "2025-03-01 paid 55.00", "refund 75.00"),
	)

	Describe("that is a minimum", func() {
		It("is charged in full of those that are left", func() {
			begin(nil, minimum("150.00"))
			Expect(lines(s.invoices(sub).entry("data", 1))).To(Equal([]string{"A 2025-03-01 to 2025-04-01: 90.00", "B 2025-03-01 to 2025-04-01: 60.00"}))
			s.collect(sub)
			s.clock("2025-03-20T00:00:00Z")
			Expect(changed(s.intervals(sub, removal()).expect(200))).To(Equal([]string{"2025-03-01 paid 150.00", "refund 150.00"}))
			Expect(s.balance(acme)).To(Equal("0.00"))
		})

		It("is charged also where it was reached before", func() {
			begin(nil, minimum("80.00"))
			s.collect(sub)
			Expect(changed(s.intervals(sub, removal()).expect(200))).To(Equal([]string{"2025-03-01 paid 80.00", "refund 100.00"}))
		})

		It("is charged once, where the quantity of a fee was another from the start", func() {
			begin(nil, minimum("150.00"))
			s.collect(sub)
			more := edit(b, object{"fixed_fee_quantity_transitions": list{object{"effective_date": "2025-03-01", "quantity": 2}}})
			Expect(changed(s.intervals(sub, more).expect(200))).To(Equal([]string{"2025-03-01 paid 150.00", "refund 150.00"}))
			Expect(lines(s.invoices(sub).entry("data", 1))).To(ContainElement("A 2025-03-01 to 2025-04-01: 64.29"))
		})

		It("leaves the days of a fee that ends amid its time", func() {
			begin(nil, minimum("155.00"))
			s.collect(sub)
			s.clock("2025-03-11T00:00:00Z")
			Expect(changed(s.intervals(sub, edit(b, object{"end_date": "2025-03-11"})).expect(200))).To(Equal([]string{"refund 42.00"}))
		})

		It("is settled with usage, so the fees have none of it", func() {
			begin(nil, minimum("150.00"), "1.00")
			s.clock("2025-04-01T12:00:00Z")
			s.collect(sub)
			Expect(s.bills(sub)).To(ContainElement("2025-04-01 paid 150.00"))
			Expect(changed(s.intervals(sub, edit(b, object{"end_date": "2025-04-01"})).expect(200))).To(Equal([]string{"refund 40.00"}))
		})

		It("comes with the invoice that takes the place of one that is not paid", func() {
			begin(nil, minimum("150.00"))
			Expect(changed(s.intervals(sub, removal()).expect(200))).To(Equal([]string{"2025-03-01 issued 150.00", "2025-03-01 void 150.00"}))
		})

		It("is of local months, through a clock change", func() {
			begin(object{"timezone": "America/New_York"}, minimum("150.00"))
			s.collect(sub)
			s.clock("2025-04-01T03:59:59Z")
			Expect(changed(s.intervals(sub, removal()).expect(200))).To(Equal([]string{"2025-03-01 paid 150.00", "refund 150.00"}))
		})
	})

	It("charges a fee anew that it made 0, where it is gone", func() {
		begin(nil, object{"adjustment_type": "percentage_discount", "percentage_discount": json.Number("1"), "applies_to_all": nil, "applies_to_price_ids": nil, "filters": list{}})
		Expect(s.bills(sub)).To(HaveExactElements("2025-03-01 paid 0.00", "2025-04-01 draft 0.00"))
		discount := s.get("/v1/subscriptions/"+sub).expect(200).entry("adjustment_intervals", 0).at("id")
		begins := func(date string) []string {
			GinkgoHelper()
			return changed(s.intervals(sub, object{"edit_adjustments": list{object{"adjustment_interval_id": discount, "start_date": date}}}).expect(200))
		}
		Expect(begins("2025-04-01")).To(Equal([]string{"2025-03-01 issued 100.00"}))
		Expect(begins("2025-03-01")).To(Equal([]string{"2025-03-01 paid 0.00", "2025-03-01 void 100.00"}))
		Expect(begins("2025-03-02")).To(Equal([]string{"2025-03-01 issued 100.00"}))
	})
})
