package server_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/webhook"
)

var _ = Describe("The periods in which licenses have credits of their own", func() {
	var o licenseFixture
	BeforeEach(func() { o = newLicenseFixture("2025-10-10T15:00:00Z") })
	resets := func() (messages []value) {
		GinkgoHelper()
		for _, m := range o.news() {
			if m.at("type") == string(webhook.SubscriptionLicenseAllocationReset) {
				messages = append(messages, m)
			}
		}
		return messages
	}
	newYorker := object{"timezone": "America/New_York"}

	It("are told when the next one begins, by local days, all units in one message", func() {
		o.listens()
		seats := o.seats(3, "100", nil)
		seats["license_allocation_price"].(object)["license_allocations"] = list{
			object{"amount": "100", "currency": "credits"}, object{"amount": "5.50", "currency": "USD"},
		}
		_, sub := o.rent(newYorker, nil, seats)
		o.give(sub, "a", nil)
		o.clock("2025-11-01T03:59:59Z")
		Expect(resets()).To(BeEmpty(), "the first is there from the start")
		o.clock("2025-11-30T12:00:00Z") // the clock changed on the second
		messages := resets()
		Expect(messages).To(HaveLen(1))
		messages[0].shows(object{"created_at": "2025-11-01T04:00:00+00:00", "subscription.id": sub, "subscription.status": "active"})
		Expect(messages[0].at("properties")).To(Equal(object{
			"timeframe_start": "2025-11-01T04:00:00+00:00", "timeframe_end": "2025-12-01T05:00:00+00:00",
			"reset_allocations": list{
				object{"license_type_id": o.kind, "pricing_unit_id": "credits", "allocation_amount": "100"},
				object{"license_type_id": o.kind, "pricing_unit_id": "USD", "allocation_amount": "5.5"},
			},
		}))
		o.clock("2026-01-31T12:00:00Z")
		Expect(resets()).To(HaveLen(2))
	})

	It("are no news where nobody has a license by then", func() {
		o.listens()
		_, sub := o.rent(nil, nil, o.seats(3, "100", nil))
		o.give(sub, "a", object{"end_date": "2025-10-31"})
		o.clock("2025-11-05T00:00:00Z")
		Expect(resets()).To(BeEmpty())
		o.give(sub, "a", nil)
		Expect(resets()).To(BeEmpty())
		o.clock("2025-12-05T00:00:00Z")
		Expect(resets()).To(HaveLen(1))
	})

	It("are not told of the past of a subscription, nor beyond its end or its plan", func() {
		o.listens()
		_, sub := o.rent(nil, object{"start_date": "2025-07-01"}, o.seats(3, "100", nil))
		o.give(sub, "a", nil)
		o.clock("2025-10-31T00:00:00Z")
		Expect(resets()).To(BeEmpty())
		other := o.plan(object{"prices": list{o.seats(3, "70", nil)}}).text("id")
		o.post("/v1/subscriptions/"+sub+"/schedule_plan_change", object{"plan_id": other, "change_option": "requested_date", "change_date": "2025-11-15"}).expect(200)
		o.clock("2025-11-20T00:00:00Z")
		messages := resets()
		Expect(messages).To(HaveLen(1), "the other plan has its first on the fifteenth")
		messages[0].shows(object{"properties.timeframe_end": "2025-11-15T00:00:00+00:00", "properties.reset_allocations[0].allocation_amount": "100"})
		o.clock("2025-12-20T00:00:00Z")
		messages = resets()
		Expect(messages).To(HaveLen(1))
		messages[0].shows(object{"properties.reset_allocations[0].allocation_amount": "70"})
		o.post("/v1/subscriptions/"+sub+"/cancel", object{"cancel_option": "immediate"}).expect(200)
		o.clock("2026-02-20T00:00:00Z")
		Expect(resets()).To(BeEmpty())
	})
})
