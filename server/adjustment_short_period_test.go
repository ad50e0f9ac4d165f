package server_test

import (
	"encoding/json"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/money"
)

// Adjustments whose period is shorter than the billing cycle of one of their prices (price models 6.7.1).
var _ = Describe("An adjustment of a period that is shorter than the cycle of a price", func() {
	weekly := object{"cadence": "custom", "billing_cycle_configuration": object{"duration": 7, "duration_unit": "day"}}
	quarterly := object{"cadence": "quarterly", "invoicing_cycle_configuration": object{"duration": 1, "duration_unit": "month"}}
	var s fixture
	var acme, sub string

	minimum := func(amount string) list {
		return list{object{"adjustment": object{"adjustment_type": "minimum", "minimum_amount": amount, "applies_to_all": true, "item_id": s.item}}}
	}
	keys := func() object {
		metric := s.api.metric("SELECT SUM(n) FROM events WHERE event_name = 'key'")
		return with(s.calls("1.00"), with(weekly, object{"name": "Keys", "billable_metric_id": metric}))
	}
	// sell subscribes the customer for a quarter.
	sell := func(change object, prices ...object) value {
		GinkgoHelper()
		made := s.subscribe(acme, with(object{"end_date": "2025-04-01"}, change), prices...)
		sub = made.text("id")
		return made
	}
	// used ingests so many calls of a day.
	used := func(day, calls string) {
		GinkgoHelper()
		s.clock(day + "T00:00:00Z")
		s.use(acme, day+"T00:00:00Z", calls)
	}
	// costs are those of the quarter, as the last day shows them.
	costs := func() string {
		GinkgoHelper()
		var sum money.Decimal
		days := s.get("/v1/subscriptions/" + sub + "/costs?view_mode=periodic&timeframe_start=2025-01-01&timeframe_end=2025-04-01").expect(200)
		for _, total := range days.each("data", "total") {
			sum = sum.Add(money.Must(total.(string)))
		}
		return sum.StringFixed(2)
	}
	// billed is the total of the invoices that are issued.
	billed := func() string {
		GinkgoHelper()
		var sum money.Decimal
		for k := range s.invoices(sub).list("data") {
			if bill := s.invoices(sub).entry("data", k); bill.at("status") != "draft" {
				sum = sum.Add(money.Must(bill.text("total")))
			}
		}
		return sum.StringFixed(2)
	}
	BeforeEach(func() {
		s = newFixture("2025-01-01T00:00:00Z")
		acme = s.buyer(object{"currency": "USD"})
	})

	// January is billed on the 1st of February, so it belongs to the week from the 29th of January on, and
	// February to the week from the 26th of February on.
	It("counts what the part of a longer cycle adds, not what earlier parts charged", func() {
		sell(object{"add_adjustments": minimum("50.00")}, with(s.calls("1.00"), quarterly), keys())
		used("2025-01-10", "40")
		used("2025-02-10", "10")
		s.clock("2025-03-06T00:00:00Z")
		Expect(s.linesOf(sub)).To(ContainElements(
			"Calls 2025-01-01 to 2025-02-01: 40.00", "Keys 2025-01-29 to 2025-02-05: 10.00",
			"Calls 2025-01-01 to 2025-03-01: 10.00", "Keys 2025-02-26 to 2025-03-05: 40.00"))
	})

	It("lets a composite price of a week have what the part adds in its base", func() {
		support := object{
			"name": "Support", "item_id": s.item, "model_type": "percent", "percent_config": object{"percent": json.Number("0.1")},
			"composite_price_filters": list{object{"field": "price_type", "operator": "includes", "values": list{"usage"}}},
		}
		sell(nil, with(s.calls("1.00"), quarterly), with(support, weekly))
		used("2025-01-10", "40")
		used("2025-02-10", "10")
		s.clock("2025-03-06T00:00:00Z")
		Expect(s.linesOf(sub)).To(ContainElements("Support 2025-01-29 to 2025-02-05: 4.00", "Support 2025-02-26 to 2025-03-05: 1.00"))
	})

	// The fee of the week opens with a minimum that the usage of a partial invoice makes up.
	It("gives back with a partial invoice what the opening charged of a minimum", func() {
		fee := with(s.fee("10.00"), with(weekly, object{"name": "Base"}))
		calls := with(s.calls("1.00"), object{"cadence": "quarterly"})
		sell(object{"add_adjustments": minimum("50.00"), "invoicing_threshold": "5.00"}, fee, calls)
		Expect(billed()).To(Equal("50.00"))
		used("2025-01-03", "30")
		s.clock("2025-01-04T00:00:00Z")
		Expect(billed()).To(Equal("50.00")) // 10.00 and 30.00 are below the minimum
		used("2025-01-05", "25")
		s.clock("2025-01-06T00:00:00Z")
		Expect(billed()).To(Equal("65.00")) // 10.00 and 55.00
	})

	// The month of the ended fee keeps its minimum, and the quarterly fee from the 16th on has that of 59 days.
	It("has a longer fee that begins in the last month in the period after it", func() {
		made := sell(object{"add_adjustments": minimum("90.00")}, s.fee("10.00"))
		s.intervals(sub, edit(made.text("price_intervals[0].id"), object{"end_date": "2025-01-16"})).expect(200)
		longer := with(s.fee("20.00"), object{"name": "Base", "cadence": "quarterly", "currency": "USD"})
		s.clock("2025-01-16T00:00:00Z")
		s.post("/v1/subscriptions/"+sub+"/price_intervals", adding(object{"start_date": "2025-01-16", "price": longer})).expect(200)
		s.clock("2025-03-02T00:00:00Z")
		Expect(s.linesOf(sub)).To(ContainElements("Fee 2025-01-01 to 2025-01-16: 90.00", "Base 2025-01-16 to 2025-04-01: 59.00"))
		Expect(costs()).To(Equal("149.00"))
	})

	It("has a minimum for the last month of the price that ends, and one for the quarter of the other", func() {
		made := sell(object{"add_adjustments": minimum("90.00")}, s.calls("1.00"), with(s.calls("1.00"), object{"name": "Keys", "cadence": "quarterly"}))
		for k := range made.list("price_intervals") {
			if i := made.entry("price_intervals", k); i.at("price.name") == "Calls" {
				s.intervals(sub, edit(i.text("id"), object{"end_date": "2025-02-01"})).expect(200)
			}
		}
		used("2025-01-10", "10")
		s.clock("2025-04-02T00:00:00Z")
		Expect(s.linesOf(sub)).To(ContainElement("Calls 2025-01-01 to 2025-02-01: 90.00"))
		Expect(s.linesOf(sub)).To(ContainElement("Keys 2025-01-01 to 2025-04-01: 59.00")) // 59 of 90 days
		Expect(billed()).To(Equal("149.00"))
		Expect(costs()).To(Equal("149.00"))
	})
})
