package server_test

import (
	"encoding/json"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// The sentences of price models 6.7 that have no worked example there, by their numbers.
var _ = Describe("An adjustment of a period", func() {
	quarterly := object{"cadence": "quarterly", "invoicing_cycle_configuration": object{"duration": 1, "duration_unit": "month"}}
	var s fixture
	var acme, sub string
	begin := func(now string) {
		GinkgoHelper()
		s = newFixture(now)
		acme = s.buyer(object{"currency": "USD"})
	}
	sell := func(change object, prices ...object) value {
		GinkgoHelper()
		made := s.subscribe(acme, change, prices...)
		sub = made.text("id")
		return made
	}
	of := func(kind, member string, value any, change object) object {
		body := object{"adjustment_type": kind, member: value, "applies_to_all": true}
		if kind == "minimum" {
			body["item_id"] = s.item
		}
		return object{"adjustment": with(body, change)}
	}
	minimum := func(amount string) object { return of("minimum", "minimum_amount", amount, nil) }
	maximum := func(amount string) object { return of("maximum", "maximum_amount", amount, nil) }
	discount := func(amount string) object { return of("amount_discount", "amount_discount", amount, nil) }
	half := func() object { return of("percentage_discount", "percentage_discount", json.Number("0.5"), nil) }
	adjusted := func(all ...any) object { return object{"add_adjustments": all} }
	// inBulk is a price of calls in quarters: to 15 at 10.00 each, above at 5.00.
	inBulk := func() object {
		price := with(s.calls("0"), with(quarterly, object{"model_type": "bulk", "bulk_config": object{"tiers": list{
			object{"maximum_units": 15, "unit_amount": "10.00"}, object{"maximum_units": nil, "unit_amount": "5.00"},
		}}}))
		delete(price, "unit_config")
		return price
	}
	// used goes to a day and uses so many calls on it.
	used := func(day, calls string) {
		GinkgoHelper()
		s.clock(day + "T00:00:00Z")
		s.use(acme, day+"T00:00:00Z", calls)
	}

	Describe("(3)", func() {
		// phased sells calls at 1.00 in a phase of 15 days of June, and at 2.00 after it.
		phased := func(ofPhase list, change object) {
			GinkgoHelper()
			plan := s.post("/v1/plans", object{
				"name": "Ramp", "currency": "USD", "adjustments": ofPhase,
				"plan_phases": list{object{"order": 1, "duration": 15, "duration_unit": "daily"}, object{"order": 2}},
				"prices":      list{object{"price": s.calls("1.00"), "plan_phase_order": 1}, object{"price": s.calls("2.00"), "plan_phase_order": 2}},
			}).expect(201).text("id")
			sub = s.post("/v1/subscriptions", with(object{"customer_id": acme, "plan_id": plan}, change)).expect(201).text("id")
			used("2025-06-10", "10")
			used("2025-06-20", "10")
			s.clock("2025-07-02T00:00:00Z")
		}
		It("has the days of its phase, if it is one of a phase", func() {
			begin("2025-06-01T00:00:00Z")
			phased(list{with(minimum("90.00"), object{"plan_phase_order": 1})}, nil)
			Expect(s.linesOf(sub)).To(ContainElements("Calls 2025-06-01 to 2025-06-16: 45.00", "Calls 2025-06-16 to 2025-07-01: 20.00"))
		})
		It("has the whole period, if it is one of the subscription", func() {
			begin("2025-06-01T00:00:00Z")
			phased(nil, adjusted(minimum("90.00")))
			Expect(s.linesOf(sub)).To(ContainElements("Calls 2025-06-01 to 2025-06-16: 10.00", "Calls 2025-06-16 to 2025-07-01: 80.00"))
		})
		It("has a period of each plan, if it is of a coupon", func() {
			begin("2025-06-01T00:00:00Z")
			s.coupon(amount("OFF", "30.00"), nil)
			sell(object{"coupon_redemption_code": "OFF"}, s.calls("1.00"))
			used("2025-06-10", "100")
			s.clock("2025-06-16T00:00:00Z")
			s.post("/v1/subscriptions/"+sub+"/schedule_plan_change", object{
				"plan_id": s.plan(object{}, s.calls("2.00")).text("id"), "change_option": "immediate",
				"billing_cycle_alignment": "unchanged", "coupon_redemption_code": "OFF",
			}).expect(200)
			used("2025-06-20", "100")
			s.clock("2025-07-02T00:00:00Z")
			Expect(s.linesOf(sub)).To(ContainElements("Calls 2025-06-01 to 2025-06-16: 85.00", "Calls 2025-06-16 to 2025-07-01: 185.00"))
		})
		It("has no amounts in a trial, and its f in the first paid period", func() {
			begin("2025-05-01T00:00:00Z")
			sell(with(object{"trial_duration_days": 14}, adjusted(minimum("100.00"))), s.calls("0.10"))
			used("2025-05-10", "500")
			used("2025-05-20", "10")
			s.clock("2025-06-02T00:00:00Z")
			Expect(s.linesOf(sub)).To(ContainElements("Calls 2025-05-01 to 2025-05-15: 0.00", "Calls 2025-05-15 to 2025-06-01: 54.84"))
		})
	})

	Describe("(4)", func() {
		It("leaves lines by hand", func() {
			begin("2025-06-01T00:00:00Z")
			sell(adjusted(half(), minimum("90.00")), s.calls("1.00"))
			used("2025-06-10", "100")
			s.post("/v1/invoice_line_items", object{
				"invoice_id": s.invoices(sub).at("data[0].id"), "name": "Help", "amount": "20.00", "quantity": 1,
				"start_date": "2025-06-01", "end_date": "2025-07-01",
			}).expect(201)
			s.clock("2025-07-02T00:00:00Z")
			Expect(s.linesOf(sub)).To(ContainElements("Calls 2025-06-01 to 2025-07-01: 90.00", HavePrefix("Help 2025-06-01 to 2025-07-01: 20.00")))
		})
		It("leaves lines in a custom unit, converted as they are", func() {
			begin("2025-06-01T00:00:00Z")
			tokens := with(s.calls("1"), object{"name": "Tokens", "currency": "credits", "conversion_rate": json.Number("0.5")})
			sell(adjusted(half(), minimum("90.00")), s.calls("1.00"), tokens)
			used("2025-06-10", "100")
			s.clock("2025-07-02T00:00:00Z")
			Expect(s.linesOf(sub)).To(ContainElements("Calls 2025-06-01 to 2025-07-01: 90.00", "Tokens 2025-06-01 to 2025-07-01: 50.00"))
		})
	})

	It("(5) counts no credit note by hand", func() {
		begin("2025-01-01T00:00:00Z")
		sell(adjusted(maximum("300.00")), with(s.calls("1.00"), quarterly))
		used("2025-01-10", "430")
		s.clock("2025-02-02T00:00:00Z")
		bill := s.invoices(sub).entry("data", 1)
		Expect(bill.at("total")).To(Equal("300.00"))
		s.post("/v1/credit_notes", object{"reason": "order_change", "line_items": list{credited(bill.at("line_items[0].id"), "100.00")}}).expect(201)
		used("2025-02-10", "50")
		s.clock("2025-03-02T00:00:00Z")
		Expect(s.bills(sub)).To(ContainElement("2025-03-01 paid 0.00"))
	})

	It("(6) counts a price with its usage now, which may have fallen", func() {
		begin("2025-01-01T00:00:00Z")
		sell(adjusted(maximum("160.00")), inBulk())
		used("2025-01-10", "15") // 150.00
		used("2025-02-10", "1")  // 80.00 to date
		used("2025-03-10", "24") // 200.00 to date, at most 160.00
		s.clock("2025-04-02T00:00:00Z")
		Expect(s.bills(sub)).To(ContainElements("2025-02-01 issued 150.00", "2025-03-01 paid -70.00", "2025-04-01 issued 80.00"))
	})

	It("(9) takes back of a fall no more than a percentage gave", func() {
		begin("2025-01-01T00:00:00Z")
		s.coupon(percent("HALF", "0.5"), object{"duration_in_months": 1})
		sell(nil, inBulk())
		used("2025-01-10", "15")
		s.clock("2025-02-02T00:00:00Z")
		s.redeem(sub, "HALF", nil).expect(200)
		used("2025-02-10", "1")
		s.clock("2025-03-02T00:00:00Z")
		Expect(s.bills(sub)).To(ContainElements("2025-02-01 issued 150.00", "2025-03-01 paid -70.00"))
	})

	It("(13) has what is below 0 in the shortfall", func() {
		begin("2025-06-01T00:00:00Z")
		sell(adjusted(minimum("90.00")), s.calls("1.00"), with(s.calls("1.00"), object{"name": "Again"}))
		used("2025-06-10", "-10")
		s.clock("2025-07-02T00:00:00Z")
		Expect(s.bills(sub)).To(ContainElement("2025-07-01 issued 90.00"))
	})

	It("(16) leaves what a cancellation gave back by days, and counts what is left", func() {
		begin("2025-06-01T00:00:00Z")
		sell(adjusted(minimum("120.00")), s.fee("90.00"), s.calls("1.00"))
		used("2025-06-10", "5")
		s.clock("2025-06-16T00:00:00Z")
		s.post("/v1/subscriptions/"+sub+"/cancel", object{"cancel_option": "immediate"}).expect(200)
		s.clock("2025-07-02T00:00:00Z")
		Expect(s.refunds(sub)).To(Equal([]string{"45.00"}))
		Expect(s.linesOf(sub)).To(ConsistOf("Fee 2025-06-01 to 2025-07-01: 90.00", "Calls 2025-06-01 to 2025-06-16: 15.00")) // 60.00 with 45.00
	})

	It("(21) shows credits to date, and the amounts of earlier parts after credits", func() {
		begin("2025-01-01T00:00:00Z")
		s.entry(acme, object{"entry_type": "increment", "amount": 50, "currency": "USD", "expiry_date": nil})
		sell(nil, with(s.calls("1.00"), quarterly))
		used("2025-01-10", "40")
		used("2025-02-10", "40")
		s.clock("2025-03-02T00:00:00Z")
		s.invoices(sub).entry("data", 1).shows(object{
			"line_items[0].subtotal": "80.00", "line_items[0].credits_applied": "50.00",
			"line_items[0].partially_invoiced_amount": "0.00", "line_items[0].amount": "30.00",
		})
		used("2025-03-10", "5")
		s.invoices(sub).entry("data", 0).shows(object{
			"line_items[0].subtotal": "85.00", "line_items[0].credits_applied": "50.00",
			"line_items[0].partially_invoiced_amount": "30.00", "line_items[0].amount": "5.00",
		})
	})

	It("(22) is shown before as it would be on the document's own date", func() {
		begin("2025-01-01T00:00:00Z")
		sell(adjusted(minimum("90.00"), discount("10.00")), with(s.calls("1.00"), quarterly))
		used("2025-01-10", "30")
		upcoming := func() any {
			GinkgoHelper()
			return s.get("/v1/invoices/upcoming?subscription_id=" + sub).expect(200).at("total")
		}
		Expect(upcoming()).To(Equal("20.00")) // the minimum is settled at the end of March
		s.post("/v1/subscriptions/"+sub+"/cancel", object{"cancel_option": "requested_date", "cancellation_date": "2025-01-31"}).expect(200)
		Expect(upcoming()).To(Equal("30.00")) // 30 of 90 days of the minimum
	})
})
