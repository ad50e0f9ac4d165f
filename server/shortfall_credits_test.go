package server_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// The shortfall of a minimum is charged with the last day of its period (price models 6.7.20). Where its prices end
// before the billing cycle does, that is their last day.
var _ = DescribeTable("The shortfall of a minimum is paid by credits where its price ends amid a cycle",
	func(zone, start, end, after string, phased bool, minimum string) {
		s := newFixture(start)
		customer := s.buyer(object{"timezone": zone, "currency": "USD"})
		least := object{"adjustment_type": "minimum", "minimum_amount": minimum, "item_id": s.item, "applies_to_all": true}
		terms := object{"name": "Base", "currency": "USD", "prices": list{object{"price": s.calls("1")}}, "adjustments": list{object{"adjustment": least}}}
		if phased {
			terms["plan_phases"] = list{object{"order": 1, "duration": 14, "duration_unit": "daily"}, object{"order": 2}}
			terms["prices"] = list{object{"price": s.calls("1"), "plan_phase_order": 1}, object{"price": with(s.fee("0"), object{"name": "Later"}), "plan_phase_order": 2}}
			terms["adjustments"] = list{object{"adjustment": least, "plan_phase_order": 1}}
		}
		plan := s.post("/v1/plans", terms).expect(201).text("id")
		made := s.post("/v1/subscriptions", object{"customer_id": customer, "plan_id": plan, "align_billing_with_subscription_start_date": true}).expect(201)
		sub := made.text("id")
		if !phased {
			s.intervals(sub, edit(made.text("price_intervals[0].id"), object{"end_date": end})).expect(200)
		}
		s.entry(customer, object{"entry_type": "increment", "amount": 50, "currency": "USD"})
		s.use(customer, start, "5")
		s.clock(after)
		Expect(s.invoices(sub).list("data")).To(ContainElement(HaveKeyWithValue("line_items", ContainElement(And(
			HaveKeyWithValue("adjusted_subtotal", "14.00"), HaveKeyWithValue("credits_applied", "14.00"), HaveKeyWithValue("amount", "0.00"),
		)))))
		Expect(s.blocks(customer, "USD")).To(Equal([]string{"36"}))
	},
	Entry("by a phase of 14 of 31 days", "UTC", "2025-01-01T00:00:00Z", "", "2025-01-16T00:00:00Z", true, "31.00"),
	Entry("by the end of the price after 14 of 31 days", "UTC", "2025-01-01T00:00:00Z", "2025-01-15", "2025-01-16T00:00:00Z", false, "31.00"),
	Entry("by a phase at the end of a month, over a change of the clock", "America/New_York", "2025-02-27T05:00:00Z", "", "2025-03-14T05:00:00Z", true, "28.00"),
)
