package server_test

import (
	"fmt"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("An event that is corrected too late, or too often (semantics 2.5.3)", func() {
	var s fixture
	var acme, subscription string
	BeforeEach(func() {
		s = newFixture("2025-05-10T12:00:00Z")
		acme = s.buyer(object{"external_customer_id": "acme"})
		subscription = s.subscribe(acme, object{"start_date": "2025-05-01"}, s.calls("1")).text("id")
	})
	// correct amends the event with that key, which is at that instant, and deprecates it.
	correct := func(key, at string) {
		GinkgoHelper()
		s.put(eventAt(key), amended("2", object{"timestamp": at})).expect(200)
		s.put(eventAt(key)+"/deprecate", nil).expect(200)
	}
	refused := func(key, at string, words ...string) {
		GinkgoHelper()
		s.put(eventAt(key), amended("2", object{"timestamp": at})).refuse(400, "400-constraint-violation", words...)
		s.put(eventAt(key)+"/deprecate", nil).refuse(400, "400-constraint-violation", words...)
	}
	const late = "neither in the current billing period"

	It("has until the grace period of its billing period is over, to the microsecond", func() {
		const last = "2025-05-31T23:59:59.999999Z"
		s.clock(last)
		s.ingest(used("a", "1", object{"timestamp": last}), used("b", "1", object{"timestamp": last})).expect(200)
		s.clock("2025-06-01T11:59:59.999999Z")
		correct("a", last)
		s.clock("2025-06-01T12:00:00Z")
		refused("b", last, late)
	})

	It("follows the account's grace period", func() {
		const evening = "2025-05-31T23:30:00Z"
		s.setting("grace_period_seconds", 3600)
		s.clock(evening)
		s.ingest(used("a", "1", object{"timestamp": evening}), used("b", "1", object{"timestamp": evening})).expect(200)
		s.clock("2025-06-01T00:59:59Z")
		correct("a", evening)
		s.clock("2025-06-01T01:00:00Z")
		refused("b", evening, late)
	})

	It("waits for its billing period to begin", func() {
		const ahead = "2025-06-01T00:15:00Z"
		s.clock("2025-05-31T23:30:00Z")
		s.ingest(used("e", "1", object{"timestamp": ahead})).expect(200)
		refused("e", ahead, late)
		s.clock("2025-06-01T00:00:00Z")
		correct("e", ahead)
	})

	DescribeTable("goes by the customer's local months, also when clocks change in them",
		func(zone, anchor, stamped, lastMoment, tooLate string) {
			begin := instant(stamped).AddDate(0, 0, -3).Format("2006-01-02T15:04:05Z")
			s = newFixture(begin)
			buyer := s.buyer(object{"external_customer_id": "acme", "timezone": zone})
			s.subscribe(buyer, object{"start_date": anchor, "align_billing_with_subscription_start_date": true}, s.calls("1"))
			s.clock(stamped)
			s.ingest(used("a", "1", object{"timestamp": stamped}), used("b", "1", object{"timestamp": stamped})).expect(200)
			s.clock(lastMoment)
			correct("a", stamped)
			s.clock(tooLate)
			refused("b", stamped, late)
		},
		Entry("March in Los Angeles ends in summer time", "America/Los_Angeles", "2025-03-01",
			"2025-04-01T06:59:59Z", "2025-04-01T18:59:59Z", "2025-04-01T19:00:00Z"),
		Entry("the next instant is April already", "America/Los_Angeles", "2025-03-01",
			"2025-04-01T07:00:00Z", "2025-05-01T18:59:59Z", "2025-05-01T19:00:00Z"),
		Entry("November in New York ends in winter time", "America/New_York", "2025-11-01",
			"2025-12-01T04:59:59Z", "2025-12-01T16:59:59Z", "2025-12-01T17:00:00Z"),
		Entry("a cycle of the 31st ends on 28 February", "UTC", "2025-01-31",
			"2025-02-27T23:59:59Z", "2025-02-28T11:59:59Z", "2025-02-28T12:00:00Z"),
		Entry("and the next on 31 March", "UTC", "2025-01-31",
			"2025-03-30T23:59:59Z", "2025-03-31T11:59:59Z", "2025-03-31T12:00:00Z"),
		Entry("a period that ends at a midnight that is missing", "Africa/Cairo", "2025-03-25",
			"2025-04-24T21:59:59Z", "2025-04-25T09:59:59Z", "2025-04-25T10:00:00Z"),
	)

	It("goes by the end of a subscription that has ended", func() {
		const noon, end = "2025-05-10T12:00:00Z", "2025-05-11T00:00:00Z"
		s = newFixture(noon)
		buyer := s.buyer(object{"external_customer_id": "acme"})
		s.subscribe(buyer, object{"start_date": "2025-05-01", "end_date": end}, s.calls("1"))
		s.ingest(used("a", "1", nil), used("b", "1", nil)).expect(200)
		s.clock("2025-05-11T11:59:59Z")
		s.ingest(used("after", "1", object{"timestamp": end})).expect(200)
		correct("a", noon)
		refused("after", end, late)
		s.clock("2025-05-11T12:00:00Z")
		refused("b", noon, late)
	})

	It("needs one subscription of several, and no other than its customer's", func() {
		s.ingest(used("mine", "1", nil), used("theirs", "1", object{"external_customer_id": "other"})).expect(200)
		s.buyer(object{"external_customer_id": "other"})
		s.put(eventAt("theirs")+"/deprecate", nil).refuse(400, "400-constraint-violation", late)
		s.subscribe(acme, object{"start_date": "2025-08-01"}, s.calls("1"))
		correct("mine", "2025-05-10T12:00:00Z")
	})

	It("needs its customer to exist", func() {
		gone := s.buyer(nil)
		s.ingest(
			used("nobody's", "1", object{"external_customer_id": "nobody"}),
			used("orphan", "1", object{"external_customer_id": nil, "customer_id": gone}),
		).expect(200)
		s.delete("/v1/customers/" + gone).expect(204)
		s.put(eventAt("nobody's"), amended("2", object{"external_customer_id": "nobody"})).
			refuse(400, "400-constraint-violation", "customer of the event does not exist")
		for _, key := range []string{"nobody's", "orphan"} {
			s.put(eventAt(key)+"/deprecate", nil).refuse(400, "400-constraint-violation", "customer of the event does not exist")
		}
	})

	It("is one of a hundred by default", func() {
		events := make([]object, 101)
		for n := range events {
			events[n] = used(fmt.Sprint("e", n), "1", nil)
		}
		s.ingest(events...).expect(200)
		for n := range 100 {
			s.put(eventAt(fmt.Sprint("e", n))+"/deprecate", nil).expect(200)
		}
		s.put(eventAt("e100")+"/deprecate", nil).refuse(400, "400-constraint-violation", "at most 100 events", "backfill")
		s.put(eventAt("e100"), amended("2", nil)).expect(200)
		Expect(s.counted(subscription)).To(Equal("2"))
	})

	It("is one of as many as the account says, of its kind and customer, in 100 days", func() {
		s.setting("corrections_per_customer", 2)
		s.ingest(used("a", "1", nil), used("b", "1", nil)).expect(200)
		s.put(eventAt("a"), amended("2", nil)).expect(200)
		s.put(eventAt("a"), amended("3", nil)).expect(200)
		s.put(eventAt("b"), amended("2", nil)).refuse(400, "400-constraint-violation", "at most 2 events", "amended")
		s.put(eventAt("b")+"/deprecate", nil).expect(200)
		other := s.buyer(object{"external_customer_id": "other"})
		s.subscribe(other, nil, s.calls("1"))
		theirs := object{"external_customer_id": "other"}
		s.ingest(used("theirs", "1", theirs)).expect(200)
		s.put(eventAt("theirs"), amended("2", theirs)).expect(200)

		s.clock("2025-08-18T11:59:59Z")
		now := object{"timestamp": "2025-08-18T11:00:00Z"}
		s.ingest(used("c", "1", now)).expect(200)
		s.put(eventAt("c"), amended("2", now)).refuse(400, "400-constraint-violation", "at most 2 events")
		s.clock("2025-08-18T12:00:00Z")
		s.put(eventAt("c"), amended("2", now)).expect(200)
	})

	It("is not one too many when many are corrected at once", func() {
		const most = 16
		s.setting("corrections_per_customer", most)
		events := make([]object, 2*most)
		for n := range events {
			events[n] = used(fmt.Sprint("e", n), "1", nil)
		}
		s.ingest(events...).expect(200)
		var wait sync.WaitGroup
		for n := range events {
			wait.Go(func() {
				defer GinkgoRecover()
				Expect(s.put(eventAt(fmt.Sprint("e", n))+"/deprecate", nil).status).To(BeElementOf(200, 400))
			})
		}
		wait.Wait()
		Expect(s.corrections()).To(HaveLen(most))
		Expect(s.counted(subscription)).To(Equal(fmt.Sprint(most)))
	})
})
