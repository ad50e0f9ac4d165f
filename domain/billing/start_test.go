package billing_test

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/billing"
	"tollkeeper/domain/catalog"
	"tollkeeper/domain/customer"
	"tollkeeper/domain/domaintest"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
)

var _ = Describe("How far back a subscription starts", func() {
	// terms are those of a subscription from 31 January 2025 on, in New York, with a monthly fee
	// on the last day of each month. The first date that is not invoiced yet is 28 February.
	terms := func() (t subscription.Terms) {
		o := open("2025-01-31T12:00:00Z")
		zone := "America/New_York"
		o.Do(func(tx *store.Tx) error {
			buyer, err := customer.Create(tx, customer.NewCustomer{Name: "Acme", Email: "bills@acme.test", Timezone: &zone})
			if err != nil {
				return err
			}
			plan, err := catalog.CreatePlan(tx, catalog.NewPlan{Name: "Plan", Currency: "USD", Status: catalog.PlanActive, Prices: domaintest.Listed(o.Fee("1"))})
			if err != nil {
				return err
			}
			start := "2025-01-31"
			t, _, err = billing.Subscribe(tx, subscription.NewSubscription{CustomerID: &buyer.ID, PlanID: &plan.ID, StartDate: &start, AlignWithStart: true})
			return err
		})
		return t
	}

	DescribeTable("is bounded by the billing dates until now, which is one of them",
		func(now, violation string) {
			err := billing.CheckStart(terms(), domaintest.Instant(now))
			if violation == "" {
				Expect(err).NotTo(HaveOccurred())
			} else {
				Expect(err).To(MatchError(ContainSubstring(violation)))
			}
		},
		Entry("none", "2025-02-28T04:59:59.999999Z", ""),
		Entry("366, of which the last is in summer time", "2055-07-31T04:00:00Z", ""),
		Entry("still 366, just before the next", "2055-08-31T03:59:59.999999Z", ""),
		Entry("367", "2055-08-31T04:00:00Z", "start_date: must not lie more than 366 billing dates back"),
		Entry("far more", "9000-01-01T00:00:00Z", "start_date: must not lie more than 366 billing dates back"),
	)

	It("is bounded by the service periods on these dates", func() {
		t := terms()
		for len(t.Intervals) < 200 {
			t.Intervals = append(t.Intervals, t.Intervals[0])
		}
		fifty := time.Date(2029, 3, 31, 4, 0, 0, 0, time.UTC) // of 200 each
		Expect(billing.CheckStart(t, fifty)).To(Succeed())
		Expect(billing.CheckStart(t, fifty.AddDate(0, 1, 0))).To(MatchError(ContainSubstring("start_date: must not lie so far back that more than 10000 service periods")))
	})

	It("is none where nothing is billed", func() {
		Expect(billing.CheckStart(subscription.Terms{}, domaintest.Instant("9000-01-01T00:00:00Z"))).To(Succeed())
	})
})
