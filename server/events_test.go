package server_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/metric"
	"tollkeeper/domain/usage"
	"tollkeeper/store"
)

// used is an event of acme at noon of 10 May that the shop counts n of.
func used(key, n string, changes object) object {
	return call(key, with(object{"event_name": "call", "properties": object{"n": json.Number(n)}}, changes))
}

// amended is what used would be amended to.
func amended(n string, changes object) object {
	return used("", n, with(object{"idempotency_key": nil}, changes))
}

// event is the path of the event with that key.
func eventAt(key string) string { return "/v1/events/" + url.PathEscape(key) }

// counted is what a subscription's only metric comes to in the current period.
func (s shop) counted(subscription string) string {
	GinkgoHelper()
	days := s.get("/v1/subscriptions/" + subscription + "/usage?view_mode=cumulative").expect(200).list("data[0].usage")
	return value{subscription, days[len(days)-1]}.at("quantity").(json.Number).String()
}

// keepBuckets adds up what a metric comes to, by the hour.
func (a *api) keepBuckets(sql string) {
	GinkgoHelper()
	query, err := metric.Parse(sql)
	Expect(err).NotTo(HaveOccurred())
	a.tx(func(tx *store.Tx) error { return usage.Watch(tx, []usage.Request{{Query: query}}) })
	more := false
	fold := func(tx *store.Tx) (err error) {
		more, err = usage.Fold(tx)
		return err
	}
	a.tx(fold) // makes the mark
	for a.tx(fold); more; {
		a.tx(fold)
	}
}

// search finds events by their keys, with the default timeframe.
func (a *api) search(keys ...string) value {
	GinkgoHelper()
	return a.post("/v1/events/search", object{"event_ids": keys}).expect(200)
}

// corrections writes what events were, oldest first, as "kind key name properties".
func (a *api) corrections() (all []string) {
	GinkgoHelper()
	a.tx(func(tx *store.Tx) error {
		return tx.Raw(`SELECT kind || ' ' || idempotency_key || ' ' || event_name || ' ' || properties
			FROM event_corrections WHERE account_id = ? ORDER BY seq`, tx.AccountID).Scan(&all).Error
	})
	return all
}

var _ = Describe("An event that is stored", func() {
	var s shop
	var acme, subscription string
	BeforeEach(func() {
		s = openShop("2025-05-10T12:00:00Z")
		acme = s.buyer(object{"external_customer_id": "acme"})
		subscription = s.subscribe(acme, object{"start_date": "2025-05-01"}, s.calls("1")).text("id")
	})

	Describe("PUT /v1/events/{event_id}", func() {
		It("is replaced, as often as need be, and what it was is kept (2.5.1)", func() {
			s.ingest(used("e1", "1", nil), used("e2", "10", nil)).expect(200)
			for _, n := range []string{"2", "3.50"} {
				Expect(s.put(eventAt("e1"), amended(n, nil)).expect(200).json).To(Equal(object{"amended": "e1"}))
			}
			Expect(s.counted(subscription)).To(Equal("13.5"))
			Expect(s.search("e1").at("data[0].properties.n")).To(Equal(json.Number("3.5")))
			s.put(eventAt("e1"), amended("1", object{"event_name": "something else", "properties": object{"nothing": nil}})).expect(200)
			Expect(s.counted(subscription)).To(Equal("10"))
			s.search("e1").shows(object{"data[0].event_name": "something else", "data[0].properties": object{}})
			Expect(s.corrections()).To(Equal([]string{`amended e1 call {"n": 1}`, `amended e1 call {"n": 2}`, `amended e1 call {"n": 3.5}`}))
		})

		It("keeps its timestamp and its customer, who goes by either name (2.5.1)", func() {
			s.ingest(used("e", "1", nil)).expect(200)
			other := s.buyer(object{"external_customer_id": "other"})
			s.put(eventAt("e"), amended("2", object{"timestamp": "2025-05-10T12:00:01Z"})).invalid("timestamp: must be that")
			s.put(eventAt("e"), amended("2", object{"external_customer_id": "other"})).invalid("external_customer_id: must name")
			s.put(eventAt("e"), amended("2", object{"external_customer_id": nil, "customer_id": other, "timestamp": "2025-05-10T11:00:00Z"})).
				invalid("customer_id: must name", "timestamp: must be that")
			s.put(eventAt("e"), amended("2", object{"external_customer_id": nil, "customer_id": acme, "timestamp": "2025-05-10T12:00"})).expect(200)
			Expect(s.counted(subscription)).To(Equal("2"))
			s.search("e").shows(object{"data[0].customer_id": nil, "data[0].external_customer_id": "acme"})
		})

		DescribeTable("has to be an event (2.1)",
			func(changes object, beginnings ...string) {
				s.ingest(used("e", "1", nil)).expect(200)
				s.put(eventAt("e"), amended("2", changes)).invalid(beginnings...)
				Expect(s.counted(subscription)).To(Equal("1"))
				Expect(s.corrections()).To(BeEmpty())
			},
			Entry("without a key", object{"idempotency_key": "e"}, "idempotency_key: "),
			Entry("with a name", object{"event_name": nil}, "event_name: is required"),
			Entry("that is not empty", object{"event_name": ""}, "event_name: "),
			Entry("nor too long", object{"event_name": strings.Repeat("x", 256)}, "event_name: "),
			Entry("with properties", object{"properties": nil}, "properties: is required"),
			Entry("that are flat", object{"properties": object{"a": list{}, "b": object{}}}, "properties.a: must be a string", "properties.b: must be a string"),
			Entry("and bounded", object{"properties": object{"a": json.Number("1e30")}}, "properties.a: must be a number below"),
			Entry("at a time", object{"timestamp": nil}, "timestamp: is required"),
			Entry("in UTC", object{"timestamp": "2025-05-10T14:00:00+02:00"}, "timestamp: must be an ISO 8601"),
			Entry("of somebody", object{"external_customer_id": nil}, "customer_id: must be given"),
			Entry("and of nobody else", object{"customer_id": "cus"}, "customer_id: must be given"),
		)

		It("has to be there, in the account (2.5.4)", func() {
			s.put(eventAt("nope"), amended("1", nil)).refuse(404, "404-resource-not-found", "Event", "nope")
			s.ingest(used("mine", "1", nil)).expect(200)
			other := start()
			other.clock("2025-05-10T12:00:00Z")
			other.put(eventAt("mine"), amended("1", nil)).refuse(404, "404-resource-not-found", "Event", "mine")
		})

		It("is not deprecated (2.5.4)", func() {
			s.ingest(used("e", "1", nil)).expect(200)
			s.put(eventAt("e")+"/deprecate", nil).expect(200)
			s.put(eventAt("e"), amended("2", nil)).refuse(400, "400-constraint-violation", "deprecated")
		})

		DescribeTable("goes by its key, percent-encoded",
			func(key string) {
				s.ingest(used(key, "1", nil)).expect(200)
				Expect(s.put(eventAt(key), amended("2", nil)).expect(200).at("amended")).To(Equal(key))
				Expect(s.put(eventAt(key)+"/deprecate", nil).expect(200).at("deprecated")).To(Equal(key))
				Expect(s.search(key).each("data", "id")).To(Equal(list{key}))
			},
			Entry("with a slash", "a/b"),
			Entry("that ends like an operation", "a/deprecate"),
			Entry("that is the name of one", "search"),
			Entry("or of another", "volume"),
			Entry("or of a resource", "backfills"),
			Entry("of another script", "事件 1%2F"),
		)

		It("is what counts at once, also of an hour that is added up already", func() {
			s.ingest(used("e1", "1", nil), used("e2", "10", nil)).expect(200)
			s.keepBuckets("SELECT SUM(n) FROM events WHERE event_name = 'call'")
			s.put(eventAt("e1"), amended("2", nil)).expect(200)
			Expect(s.counted(subscription)).To(Equal("12"))
			s.put(eventAt("e2")+"/deprecate", nil).expect(200)
			Expect(s.counted(subscription)).To(Equal("2"))
		})

		It("is one version after the other when many amend it at once", func() {
			s.ingest(used("e", "0", nil)).expect(200)
			var wait sync.WaitGroup
			for n := range 8 {
				wait.Go(func() {
					defer GinkgoRecover()
					s.put(eventAt("e"), amended(fmt.Sprint(n+1), nil)).expect(200)
				})
			}
			wait.Wait()
			versions := append(s.corrections(), fmt.Sprintf(`amended e call {"n": %s}`, s.counted(subscription)))
			var all []string
			for n := range 9 {
				all = append(all, fmt.Sprintf(`amended e call {"n": %d}`, n))
			}
			Expect(versions).To(ConsistOf(all))
			Expect(versions[0]).To(Equal(all[0]))
		})
	})

	Describe("PUT /v1/events/{event_id}/deprecate", func() {
		It("does not count any more, and is kept (2.5.2)", func() {
			s.ingest(used("e1", "1", nil), used("e2", "10", nil)).expect(200)
			Expect(s.put(eventAt("e1")+"/deprecate", nil).expect(200).json).To(Equal(object{"deprecated": "e1"}))
			Expect(s.counted(subscription)).To(Equal("10"))
			Expect(s.search("e1", "e2").each("data", "deprecated")).To(Equal(list{true, false}))
			Expect(s.corrections()).To(Equal([]string{`deprecated e1 call {"n": 1}`}))
		})

		It("stays so when it is deprecated again, at any time (2.5.4)", func() {
			s.ingest(used("e", "1", nil)).expect(200)
			s.put(eventAt("e")+"/deprecate", nil).expect(200)
			s.clock("2025-09-01T00:00:00Z")
			Expect(s.put(eventAt("e")+"/deprecate", nil).expect(200).json).To(Equal(object{"deprecated": "e"}))
			Expect(s.corrections()).To(HaveLen(1))
		})

		It("has to be there (2.5.4)", func() {
			s.put(eventAt("nope")+"/deprecate", nil).refuse(404, "404-resource-not-found", "Event", "nope")
		})

		It("happens once when many ask for it at once", func() {
			s.ingest(used("e", "1", nil)).expect(200)
			var wait sync.WaitGroup
			for range 8 {
				wait.Go(func() {
					defer GinkgoRecover()
					s.put(eventAt("e")+"/deprecate", nil).expect(200)
				})
			}
			wait.Wait()
			Expect(s.corrections()).To(HaveLen(1))
		})

		It("keeps its key from others (E-10)", func() {
			reason := "e8: idempotency_key: belongs to a deprecated event"
			s.ingest(used("e8", "1", nil), used("e9", "10", nil)).expect(200)
			s.put(eventAt("e8")+"/deprecate", nil).expect(200)
			s.ingest(used("e8", "1", nil)).invalid(reason)
			problem := s.ingest(used("e8", "2", nil), used("e9", "10", nil), used("e10", "100", nil), used("e8", "2", nil)).invalid(reason, reason)
			taken(problem, list{"e10"}, list{"e9"})
			Expect(failures(problem)).To(Equal([]string{reason, reason}))
			Expect(s.counted(subscription)).To(Equal("110"))
		})

		It("gives its key back with the others of its backfill (3.1.11)", func() {
			d := openDepot()
			id := d.open(nil)
			d.send(id, d.eventUnder("k", "2025-07-05 5"), d.eventUnder("other", "2025-07-05 6")).expect(200)
			d.close(id).expect(200)
			d.reaches(id, "reflected")
			d.put(eventAt("k")+"/deprecate", nil).expect(200)
			Expect(d.total("2025-07")).To(Equal("26.00"))
			now := d.eventUnder("k", "2025-07-20T00:00:00Z 7")
			d.send("", now).invalid("k: idempotency_key: belongs to a deprecated event")

			d.reverted(id)
			d.put(eventAt("k")+"/deprecate", nil).refuse(404, "404-resource-not-found", "Event", "k")
			d.send("", d.eventUnder("k", "2025-07-05 5")).invalid("k: timestamp: is older than the grace period")
			taken(d.send("", now).expect(200), list{"k"}, list{})
			taken(d.send("", now).expect(200), list{}, list{"k"})
			Expect(d.total("2025-07")).To(Equal("27.00"))
		})

		It("is told beside whatever else is wrong with an event of its key (2.2)", func() {
			s.ingest(used("e8", "1", nil)).expect(200)
			s.put(eventAt("e8")+"/deprecate", nil).expect(200)
			s.ingest(used("e8", "1", object{"timestamp": "2025-05-01T00:00:00Z", "colour": "red"})).
				invalid("e8: timestamp: is older", "e8: colour: is not", "e8: idempotency_key: belongs to")
		})
	})

	Describe("that is corrected too late, or too often (2.5.3)", func() {
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
				s = openShop(begin)
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
			s = openShop(noon)
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
})
