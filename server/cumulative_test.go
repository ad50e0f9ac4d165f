package server_test

import (
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// modeled is a price of another model.
func modeled(price object, model string, config object) object {
	return with(price, object{"unit_config": absent, "model_type": model, model + "_config": config})
}

var _ = Describe("An invoicing cycle shorter than the billing cycle", func() {
	const month, quarter = 1, 3
	// every makes a price of an annual cycle that is invoiced every so many months.
	every := func(price object, months int) object {
		return with(price, object{
			"cadence": "annual", "invoicing_cycle_configuration": object{"duration": months, "duration_unit": "month"},
		})
	}
	// tiered is a usage price of 1.00 for each of the first hundred and 0.50 for the others.
	tiered := func(s fixture) object {
		return modeled(s.calls("0"), "tiered", object{
			"tiers": list{object{"first_unit": 0, "last_unit": 100, "unit_amount": "1.00"}, object{"first_unit": 100, "unit_amount": "0.50"}},
		})
	}

	It("charges usage to date less what was invoiced (price models 5.6)", func() {
		s := newFixture("2025-01-01T00:00:00Z")
		acme := s.buyer(object{})
		id := s.subscribe(acme, object{}, every(tiered(s), month)).text("id")
		s.use(acme, "2025-01-01T00:00:00Z", "60")
		s.clock("2025-02-01T00:00:00Z")
		s.use(acme, "2025-02-01T00:00:00Z", "90")

		By("having two drafts side by side in the grace period")
		Expect(s.bills(id)).To(HaveExactElements("2025-02-01 draft 60.00", "2025-03-01 draft 65.00"))
		s.get("/v1/invoices/upcoming?subscription_id=" + id).expect(200).shows(object{
			"line_items[0].subtotal": "125.00", "line_items[0].partially_invoiced_amount": "60.00", "line_items[0].amount": "65.00",
			"line_items[0].start_date": "2025-01-01T00:00:00+00:00", "line_items[0].end_date": "2025-03-01T00:00:00+00:00",
		})
		s.clock("2025-03-01T12:00:00Z")
		Expect(s.bills(id)).To(HaveExactElements("2025-02-01 issued 60.00", "2025-03-01 issued 65.00", "2025-04-01 draft 0.00"))
		Expect(s.get("/v1/subscriptions/"+id+"/costs?timeframe_start=2025-03-01T00:00:00Z&timeframe_end=2025-03-02T00:00:00Z").
			expect(200).at("data[0].total")).To(Equal("125.00"), "costs are of the billing cycle")

		By("beginning anew with the next cycle")
		s.clock("2026-01-01T12:00:00Z")
		s.use(acme, "2026-01-01T00:00:00Z", "10")
		s.clock("2026-02-01T12:00:00Z")
		Expect(s.bills(id)).To(ContainElements("2026-01-01 paid 0.00", "2026-02-01 issued 10.00"))
	})

	It("has an event that comes after the invoice of its time on the next", func() {
		s := newFixture("2025-01-01T00:00:00Z")
		acme := s.buyer(object{})
		id := s.subscribe(acme, object{}, every(s.calls("1.00"), month)).text("id")
		s.use(acme, "2025-01-01T00:00:00Z", "5")
		s.clock("2025-02-01T12:00:00Z")
		s.setting("grace_period_seconds", 90*24*3600)
		s.use(acme, "2025-01-10T00:00:00Z", "3")
		s.setting("grace_period_seconds", 12*3600)
		s.clock("2025-03-01T12:00:00Z")
		Expect(s.bills(id)).To(HaveExactElements("2025-02-01 issued 5.00", "2025-03-01 issued 3.00", "2025-04-01 draft 0.00"))
	})

	It("stays a negative line where a bulk tier makes the year cheaper", func() {
		s := newFixture("2025-01-01T00:00:00Z")
		acme := s.buyer(object{})
		bulk := modeled(s.calls("0"), "bulk", object{
			"tiers": list{object{"maximum_units": 100, "unit_amount": "1.00"}, object{"unit_amount": "0.50"}},
		})
		id := s.subscribe(acme, object{}, every(bulk, month)).text("id")
		s.use(acme, "2025-01-01T00:00:00Z", "100")
		s.clock("2025-02-01T00:00:00Z")
		s.use(acme, "2025-02-01T00:00:00Z", "20")
		s.clock("2025-03-01T12:00:00Z")
		Expect(s.bills(id)).To(ContainElements("2025-02-01 issued 100.00", "2025-03-01 paid -40.00"))
	})

	It("spreads a fee so that its instalments sum to it (price models 5.6)", func() {
		s := newFixture("2025-01-01T00:00:00Z")
		id := s.subscribe(s.buyer(object{}), object{}, every(s.fee("1000.00"), month)).text("id")
		s.clock("2025-12-31T00:00:00Z")
		bills := s.bills(id)
		Expect(bills).To(HaveLen(13))
		Expect(bills[:4]).To(HaveExactElements("2025-01-01 issued 83.33", "2025-02-01 issued 83.34", "2025-03-01 issued 83.33", "2025-04-01 issued 83.33"))
		costs := s.get("/v1/subscriptions/" + id + "/costs").expect(200).list("data")
		Expect(value{"costs", costs[len(costs)-1]}.at("total")).To(Equal("1000.00"))
		Expect(value{"costs", costs[0]}.at("total")).To(Equal("83.33"))
	})

	It("rounds what a change of the quantity costs in an instalment by itself (price models 5.4)", func() {
		s := newFixture("2025-01-01T00:00:00Z")
		after := s.subscribe(s.buyer(object{}), object{}, every(s.fee("100.00"), month))
		sub, price := after.text("id"), after.entry("price_intervals", 0).text("price.id")
		s.clock("2025-04-16T00:00:00Z")
		Expect(changed(s.quantity(sub, price, 2, nil).expect(200))).To(Equal([]string{"2025-04-16 issued 4.17"})) // 100.00 / 12 * 15/30
		s.clock("2025-04-30T00:00:00Z")
		Expect(changed(s.quantity(sub, price, 1, nil).expect(200))).To(Equal([]string{"adjustment 0.28"})) // 1/30, not 0.27
		costs := s.get("/v1/subscriptions/"+sub+"/costs").expect(200).each("data", "total")
		Expect(costs[len(costs)-1]).To(Equal("37.22")) // 33.33 + 4.17 - 0.28
		s.clock("2025-05-01T00:00:00Z")
		Expect(s.bills(sub)).To(ContainElement("2025-05-01 issued 8.34")) // 41.67 - 33.33
	})

	It("bills another quantity of a fee with its next invoice, where that is asked for (semantics 6.3.6)", func() {
		s := newFixture("2025-01-01T00:00:00Z")
		after := s.subscribe(s.buyer(object{}), object{}, every(s.fee("120.00"), month))
		sub, price := after.text("id"), after.entry("price_intervals", 0).text("price.id")
		s.clock("2025-01-31T09:00:00Z")
		s.quantity(sub, price, 2, object{"change_option": "upcoming_invoice"}).expect(200)
		s.clock("2025-02-01T00:00:00Z")
		Expect(s.bills(sub)).To(HaveExactElements("2025-01-01 issued 10.00", "2025-02-01 issued 20.00", "2025-03-01 draft 20.00"))
	})

	It("T-2: has its boundaries where the months end, in the customer's zone through clock changes", func() {
		s := newFixture("2025-01-31T12:00:00Z")
		acme := s.buyer(object{"timezone": "America/New_York"})
		id := s.subscribe(acme, object{"align_billing_with_subscription_start_date": true},
			every(with(s.fee("120.00"), object{"billed_in_advance": false}), month)).text("id")
		s.clock("2025-05-02T00:00:00Z")
		dates := []string{}
		for _, each := range s.invoices(id).list("data") {
			dates = append(dates, fmt.Sprint(value{"invoice", each}.at("invoice_date"), " ", value{"invoice", each}.at("total")))
		}
		Expect(dates).To(HaveExactElements("2025-05-31T04:00:00+00:00 10.00", "2025-04-30T04:00:00+00:00 10.00",
			"2025-03-31T04:00:00+00:00 10.00", "2025-02-28T05:00:00+00:00 10.00"))
	})

	It("prorates the instalment of a first part and gives back the rest of the last", func() {
		s := newFixture("2025-01-16T00:00:00Z")
		id := s.subscribe(s.buyer(object{}), object{}, every(s.fee("1240.00"), month)).text("id")
		s.clock("2025-03-11T00:00:00Z")
		Expect(s.bills(id)).To(HaveExactElements("2025-01-16 issued 53.33", "2025-02-01 issued 103.34", "2025-03-01 issued 103.33", "2025-04-01 draft 103.33"))
		canceled := s.post("/v1/subscriptions/"+id+"/cancel", object{"cancel_option": "immediate"}).expect(200)
		Expect(canceled.at("changed_resources.created_credit_notes[0].total")).To(Equal("70.00"), "103.33 x 21/31")
		Expect(s.bills(id)).To(HaveLen(3))
	})

	It("bills the rest of the usage when the subscription ends amid a part", func() {
		s := newFixture("2025-01-01T00:00:00Z")
		acme := s.buyer(object{})
		id := s.subscribe(acme, object{}, every(tiered(s), quarter)).text("id")
		s.use(acme, "2025-01-01T00:00:00Z", "80")
		s.clock("2025-04-20T00:00:00Z")
		s.use(acme, "2025-04-19T23:00:00Z", "40")
		s.post("/v1/subscriptions/"+id+"/cancel", object{"cancel_option": "immediate"}).expect(200)
		s.clock("2025-04-20T12:00:00Z")
		Expect(s.bills(id)).To(HaveExactElements("2025-04-01 issued 80.00", "2025-04-20 issued 30.00"))
	})

	It("has a minimum on its last invoice", func() {
		s := newFixture("2025-01-01T00:00:00Z")
		acme := s.buyer(object{})
		minimum := object{"adjustment": object{"adjustment_type": "minimum", "minimum_amount": "365.00", "item_id": s.item, "applies_to_all": true}}
		id := s.subscribe(acme, object{"add_adjustments": list{minimum}}, every(s.calls("1.00"), month)).text("id")
		s.clock("2025-03-01T12:00:00Z")
		Expect(s.bills(id)).To(HaveExactElements("2025-02-01 paid 0.00", "2025-03-01 paid 0.00", "2025-04-01 draft 0.00"))
		s.clock("2026-01-01T12:00:00Z")
		Expect(s.bills(id)).To(ContainElement("2026-01-01 issued 365.00"))
	})

	It("is paid by credits once, whatever invoice their days are on", func() {
		s := newFixture("2025-01-01T00:00:00Z")
		acme := s.buyer(object{"currency": "USD"})
		id := s.subscribe(acme, object{}, every(tiered(s), month)).text("id")
		s.post("/v1/customers/"+acme+"/credits/ledger_entry", object{"entry_type": "increment", "amount": 70, "currency": "USD"}).expect(201)
		s.use(acme, "2025-01-01T00:00:00Z", "60")
		s.clock("2025-02-01T00:00:00Z")
		s.use(acme, "2025-02-01T00:00:00Z", "90")
		Expect(s.bills(id)).To(HaveExactElements("2025-02-01 draft 0.00", "2025-03-01 draft 55.00"))
		s.clock("2025-03-01T12:00:00Z")
		Expect(s.bills(id)).To(HaveExactElements("2025-02-01 paid 0.00", "2025-03-01 issued 55.00", "2025-04-01 draft 0.00"))
		s.invoices(id).entry("data", 1).shows(object{
			"line_items[0].adjusted_subtotal": "125.00", "line_items[0].credits_applied": "70.00", "line_items[0].partially_invoiced_amount": "0.00",
		})
		Expect(s.get("/v1/customers/" + acme + "/credits?currency=USD").expect(200).list("data")).To(BeEmpty())
	})

	It("issues by hand in the order of the parts", func() {
		s := newFixture("2025-01-01T00:00:00Z")
		acme := s.buyer(object{"auto_issuance": false})
		id := s.subscribe(acme, object{}, every(s.calls("1.00"), month)).text("id")
		s.use(acme, "2025-01-01T00:00:00Z", "5")
		s.clock("2025-03-02T00:00:00Z")
		first, second := s.invoices(id).entry("data", 2).text("id"), s.invoices(id).entry("data", 1).text("id")
		s.post("/v1/invoices/"+second+"/issue", object{}).refuse(400, "400-constraint-violation", "must be issued first")
		s.post("/v1/invoices/"+first+"/issue", object{}).expect(200)
		s.post("/v1/invoices/"+second+"/issue", object{}).expect(200).shows(object{"total": "0.00"})
	})

	It("bills again what a void invoice had charged, since that is not owed", func() {
		s := newFixture("2025-01-01T00:00:00Z")
		acme := s.buyer(object{})
		id := s.subscribe(acme, object{}, every(s.calls("1.00"), month)).text("id")
		s.use(acme, "2025-01-01T00:00:00Z", "5")
		s.clock("2025-02-01T12:00:00Z")
		s.post("/v1/invoices/"+s.invoices(id).entry("data", 1).text("id")+"/void", nil).expect(200)
		Expect(s.get("/v1/invoices/upcoming?subscription_id=" + id).expect(200).at("total")).To(Equal("5.00"))
	})

	It("cannot be void once a later part is issued, which took it off", func() {
		s := newFixture("2025-01-01T00:00:00Z")
		acme := s.buyer(object{})
		id := s.subscribe(acme, object{}, every(s.calls("1.00"), month)).text("id")
		s.use(acme, "2025-01-01T00:00:00Z", "5")
		s.clock("2025-02-01T12:00:00Z")
		s.use(acme, "2025-02-01T00:00:00Z", "7")
		s.clock("2025-03-01T12:00:00Z")
		parts := s.invoices(id)
		first, second := parts.entry("data", 2), parts.entry("data", 1)
		s.post("/v1/invoices/"+first.text("id")+"/void", nil).
			refuse(400, "400-constraint-violation", second.text("invoice_number"), "was issued later; credit this invoice")
		s.post("/v1/invoices/"+second.text("id")+"/void", nil).expect(200)
		s.post("/v1/invoices/"+first.text("id")+"/void", nil).expect(200)
		s.clock("2025-04-01T12:00:00Z")
		Expect(s.bills(id)).To(ContainElement("2025-04-01 issued 12.00"))
	})

	DescribeTable("is refused where", func(price object, reason string) {
		s := newFixture("2025-01-01T00:00:00Z")
		s.post("/v1/plans", object{"name": "P", "currency": "USD", "prices": list{object{"price": with(s.fee("1.00"), price)}}}).
			invalid("prices[0].price.invoicing_cycle_configuration: " + reason)
	},
		Entry("it does not divide the billing cycle", object{"cadence": "annual", "invoicing_cycle_configuration": object{"duration": 5, "duration_unit": "month"}}, "must divide"),
		Entry("it is longer", object{"invoicing_cycle_configuration": object{"duration": 3, "duration_unit": "month"}}, "must divide"),
		Entry("it is in days and the other in months", object{"invoicing_cycle_configuration": object{"duration": 10, "duration_unit": "day"}}, "must divide"),
		Entry("the price is charged once", object{"cadence": "one_time", "invoicing_cycle_configuration": object{"duration": 3, "duration_unit": "month"}}, "must be the billing cycle"),
	)
})
