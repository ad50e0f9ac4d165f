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

// used is an event of acme at noon of 10 May that the fixture counts n of.
func used(key, n string, changes object) object {
	return call(key, with(object{"event_name": "call", "properties": object{"n": json.Number(n)}}, changes))
}

// amended is what used would be amended to.
func amended(n string, changes object) object {
	return used("", n, with(object{"idempotency_key": nil}, changes))
}

// eventAt is the path of the event with that key.
func eventAt(key string) string { return "/v1/events/" + url.PathEscape(key) }

// counted is what a subscription's only metric comes to in the current period.
func (s fixture) counted(subscription string) string {
	GinkgoHelper()
	days := s.get("/v1/subscriptions/" + subscription + "/usage?view_mode=cumulative").expect(200).list("data[0].usage")
	return value{subscription, days[len(days)-1]}.at("quantity").(json.Number).String()
}

// keepBuckets adds up what a metric comes to, by the hour.
func (a *api) keepBuckets(sql string) {
	GinkgoHelper()
	query, err := metric.Parse(sql)
	Expect(err).NotTo(HaveOccurred())
	a.tx(func(tx *store.Tx) error { return usage.TrackMetrics(tx, []usage.Request{{Query: query}}) })
	a.settle()
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
	var s fixture
	var acme, subscription string
	BeforeEach(func() {
		s = newFixture("2025-05-10T12:00:00Z")
		acme = s.buyer(object{"external_customer_id": "acme"})
		subscription = s.subscribe(acme, object{"start_date": "2025-05-01"}, s.calls("1")).text("id")
	})

	Describe("PUT /v1/events/{event_id}", func() {
		It("is replaced, as often as need be, and what it was is kept (semantics 2.5.1)", func() {
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

		It("keeps its timestamp and its customer, who goes by either name (semantics 2.5.1)", func() {
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

		DescribeTable("has to be an event (semantics 2.1)",
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

		It("has to be there, in the account (semantics 2.5.4)", func() {
			s.put(eventAt("nope"), amended("1", nil)).refuse(404, "404-resource-not-found", "Event", "nope")
			s.ingest(used("mine", "1", nil)).expect(200)
			other := start()
			other.clock("2025-05-10T12:00:00Z")
			other.put(eventAt("mine"), amended("1", nil)).refuse(404, "404-resource-not-found", "Event", "mine")
		})

		It("is not deprecated (semantics 2.5.4)", func() {
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
		It("does not count any more, and is kept (semantics 2.5.2)", func() {
			s.ingest(used("e1", "1", nil), used("e2", "10", nil)).expect(200)
			Expect(s.put(eventAt("e1")+"/deprecate", nil).expect(200).json).To(Equal(object{"deprecated": "e1"}))
			Expect(s.counted(subscription)).To(Equal("10"))
			Expect(s.search("e1", "e2").each("data", "deprecated")).To(Equal(list{true, false}))
			Expect(s.corrections()).To(Equal([]string{`deprecated e1 call {"n": 1}`}))
		})

		It("stays so when it is deprecated again, at any time (semantics 2.5.4)", func() {
			s.ingest(used("e", "1", nil)).expect(200)
			s.put(eventAt("e")+"/deprecate", nil).expect(200)
			s.clock("2025-09-01T00:00:00Z")
			Expect(s.put(eventAt("e")+"/deprecate", nil).expect(200).json).To(Equal(object{"deprecated": "e"}))
			Expect(s.corrections()).To(HaveLen(1))
		})

		It("has to be there (semantics 2.5.4)", func() {
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

		It("gives its key back with the others of its backfill (semantics 3.1.11)", func() {
			d := newUsageFixture()
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

		It("is told beside whatever else is wrong with an event of its key (semantics 2.2)", func() {
			s.ingest(used("e8", "1", nil)).expect(200)
			s.put(eventAt("e8")+"/deprecate", nil).expect(200)
			s.ingest(used("e8", "1", object{"timestamp": "2025-05-01T00:00:00Z", "colour": "red"})).
				invalid("e8: timestamp: is older", "e8: colour: is not", "e8: idempotency_key: belongs to")
		})
	})
})
