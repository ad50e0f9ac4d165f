package server_test

import (
	"encoding/json"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("Adjustments of a subscription's intervals", func() {
	const refused = "400-constraint-violation"

	// off is an adjustment that takes a fraction off all prices.
	off := func(fraction json.Number) object {
		return object{"adjustment_type": "percentage_discount", "percentage_discount": fraction, "applies_to_all": true}
	}
	add := func(start string, change object) object {
		return object{"add_adjustments": list{with(object{"adjustment": off("0.5"), "start_date": start}, change)}}
	}
	change := func(interval string, change object) object {
		return object{"edit_adjustments": list{with(object{"adjustment_interval_id": interval}, change)}}
	}

	It("work on drafts from a date on, to the invoice dated at their end", func() {
		s := newFixture("2025-03-01T00:00:00Z")
		sub, buyer, _ := s.based(nil, s.calls("1.00"))
		s.use(buyer, "2025-03-01T00:00:00Z", "10")
		after := s.intervals(sub, add("end_of_term", object{"end_date": "2025-05-01"})).expect(200)
		after.entry("adjustment_intervals", 0).shows(object{"start_date": "2025-04-01T00:00:00+00:00", "end_date": "2025-05-01T00:00:00+00:00"})
		s.clock("2025-04-10T00:00:00Z")
		s.use(buyer, "2025-04-10T00:00:00Z", "20")
		s.clock("2025-05-02T00:00:00Z")
		// in arrears the start is exclusive and the end inclusive, in advance the other way round
		Expect(s.bills(sub)).To(Equal([]string{
			"2025-03-01 issued 31.00", "2025-04-01 issued 25.50", "2025-05-01 issued 41.00", "2025-06-01 draft 31.00",
		}))
	})

	It("replace what was issued for a time that is past, and credit a fee that is paid and charge it anew", func() {
		s := newFixture("2025-03-01T00:00:00Z")
		sub, buyer, _ := s.based(nil)
		s.clock("2025-03-10T00:00:00Z")
		s.intervals(sub, with(add("2025-03-01", nil), object{"allow_invoice_credit_or_void": false})).refuse(400, refused, "allow_invoice_credit_or_void")
		after := s.intervals(sub, add("2025-03-01", nil)).expect(200)
		Expect(changed(after)).To(Equal([]string{"2025-03-01 issued 15.50", "2025-03-01 void 31.00"}))
		s.collect(sub)
		interval := after.entry("adjustment_intervals", 0).text("id")
		Expect(changed(s.intervals(sub, change(interval, object{"start_date": "2025-03-02"})).expect(200))).To(Equal([]string{"2025-03-01 issued 31.00", "refund 15.50"}))
		Expect(s.balance(buyer)).To(Equal("0.00"))
		Expect(changed(s.intervals(sub, change(interval, object{"end_date": "2025-03-02"})).expect(200))).To(BeEmpty())
		Expect(s.get("/v1/subscriptions/" + sub).expect(200).list("adjustment_intervals")).To(BeEmpty())
	})

	It("are refused where an invoice with usage that is paid would have got them", func() {
		s := newFixture("2025-03-01T00:00:00Z")
		sub, _, _ := s.based(nil, s.calls("1.00"))
		s.clock("2025-04-02T00:00:00Z")
		s.collect(sub)
		s.intervals(sub, add("2025-03-02", nil)).refuse(400, refused, "is paid")
		s.intervals(sub, add("2025-04-02", nil)).expect(200)
	})

	It("end on other dates, or on none", func() {
		s := newFixture("2025-03-01T00:00:00Z")
		sub, _, _ := s.based(nil)
		after := s.intervals(sub, add("2025-04-01", object{"end_date": "2025-05-01"})).expect(200)
		interval := after.entry("adjustment_intervals", 0).text("id")
		Expect(s.intervals(sub, change(interval, object{"end_date": nil})).expect(200).each("adjustment_intervals", "end_date")).To(Equal(list{nil}))
		s.clock("2025-05-02T00:00:00Z")
		Expect(s.bills(sub)).To(Equal([]string{"2025-03-01 issued 31.00", "2025-04-01 issued 15.50", "2025-05-01 issued 15.50", "2025-06-01 draft 15.50"}))
	})

	It("may be ones that exist, but for those of coupons", func() {
		s := newFixture("2025-03-01T00:00:00Z")
		sub, _, _ := s.based(nil)
		other, _, _ := s.based(nil)
		adjustment := s.intervals(other, add("2025-03-01", nil)).expect(200).entry("adjustment_intervals", 0).text("adjustment.id")
		after := s.intervals(sub, add("2025-04-01", object{"adjustment": absent, "adjustment_id": adjustment})).expect(200)
		Expect(after.each("adjustment_intervals", "adjustment.id")).To(Equal(list{adjustment}))
		Expect(s.bills(sub)).To(Equal([]string{"2025-03-01 issued 31.00", "2025-04-01 draft 15.50"}))
		s.coupon(percent("A", "0.5"), nil)
		coupon := s.subscribe(s.buyer(nil), object{"coupon_redemption_code": "A"}, s.fee("1.00")).entry("adjustment_intervals", 0).text("adjustment.id")
		s.intervals(sub, add("2025-04-01", object{"adjustment": absent, "adjustment_id": coupon})).refuse(400, refused, "add_adjustments[0].adjustment_id: must be an adjustment")
		s.intervals(sub, add("2025-04-01", object{"adjustment": absent, "adjustment_id": "adj_x"})).refuse(404, "404-resource-not-found", "adj_x")
	})

	It("may name prices of the subscription, or such as are added with them", func() {
		s := newFixture("2025-03-01T00:00:00Z")
		sub, _, _ := s.based(nil)
		price := s.get("/v1/subscriptions/"+sub).expect(200).entry("price_intervals", 0).text("price.id")
		added := s.post("/v1/prices", floating(s.fee("10.00"))).expect(201).text("id")
		one := func(price, at string) object {
			return object{"adjustment": with(off("0.5"), object{"applies_to_all": absent, "applies_to_price_ids": list{price}}), "start_date": at}
		}
		s.intervals(sub, object{
			"add":             list{object{"price_id": added, "start_date": "2025-04-01"}},
			"add_adjustments": list{one(added, "2025-04-01"), one(price, "2025-05-01")},
		}).expect(200)
		s.clock("2025-05-02T00:00:00Z")
		Expect(s.bills(sub)).To(Equal([]string{"2025-03-01 issued 31.00", "2025-04-01 issued 36.00", "2025-05-01 issued 20.50", "2025-06-01 draft 20.50"}))
		s.intervals(sub, object{"add_adjustments": list{one("old", "2025-04-01")}}).invalid("add_adjustments[0].adjustment.applies_to_price_ids[0]: ")
	})

	DescribeTable("are refused with",
		func(asked object, beginning string) {
			s := newFixture("2025-03-10T00:00:00Z")
			sub, _, _ := s.based(object{"end_date": "2025-09-01"})
			s.intervals(sub, asked).invalid(beginning)
		},
		Entry("no adjustment", add("2025-04-01", object{"adjustment": absent}), "add_adjustments[0].adjustment, adjustment_id: exactly one"),
		Entry("two of them", add("2025-04-01", object{"adjustment_id": "x"}), "add_adjustments[0].adjustment, adjustment_id: exactly one"),
		Entry("a start before the subscription", add("2025-03-01", nil), "add_adjustments[0].start_date: must not be before"),
		Entry("an end after it", add("2025-04-01", object{"end_date": "2026-01-01"}), "add_adjustments[0].end_date: must not be after"),
		Entry("a fraction above 1", add("2025-04-01", object{"adjustment": off("2")}), "add_adjustments[0].adjustment.percentage_discount: "),
	)

	It("are refused of an interval that the subscription does not have", func() {
		s := newFixture("2025-03-10T00:00:00Z")
		sub, _, _ := s.based(nil)
		s.intervals(sub, change("aint_x", nil)).refuse(400, refused, "edit_adjustments[0].adjustment_interval_id: must be an adjustment interval")
	})
})
