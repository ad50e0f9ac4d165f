package server_test

import (
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/store"
)

var _ = Describe("POST /v1/ingest?backfill_id=", func() {
	const refused = "400-constraint-violation"
	var d usageFixture
	BeforeEach(func() { d = newUsageFixture() })

	It("knows only backfills that there are, and says so after the shape was checked", func() {
		d.post("/v1/ingest?backfill_id=bf_1", object{"events": list{}}).refuse(404, "404-resource-not-found", "Backfill", "bf_1")
		d.post("/v1/ingest?backfill_id=bf_1", `{}`).invalid("events: ")
		problem := d.send(d.closed(nil), d.event("2025-07-03 5")).refuse(400, refused, "takes no more events")
		Expect(problem.at("validation_failed")).To(Equal(list{}))
	})

	It("takes events of any age, none of the future, and counts what it took", func() {
		id := d.open(object{"timeframe_start": "2025-07-01T00:00:00Z", "timeframe_end": "2025-08-01T00:00:00Z"})
		one := d.event("2025-07-01T00:00:00Z 1")
		taken(d.send(id, one, one, d.eventUnder("second", "2025-07-20T01:00:00Z 1")).expect(200), list{"u0005", "second"}, list{"u0005"})
		problem := d.send(id, one, d.eventUnder("late", "2025-07-20T01:00:01Z 1")).invalid("late: timestamp: is too far in the future")
		taken(problem, list{}, list{"u0005"})
		Expect(d.fetch(id).at("events_ingested")).To(Equal(json.Number("2")))
	})

	It("fails events outside the timeframe or the scope, and takes the others", func() {
		d.buyer(object{"external_customer_id": "other"})
		id := d.open(object{"customer_id": d.acme})
		named := func(key, member, who, at string) string {
			return fmt.Sprintf(`{"idempotency_key":%q,"event_name":"call",%q:%q,"timestamp":%q,"properties":{"n":1}}`, key, member, who, at)
		}
		problem := d.send(id,
			named("alias", "external_customer_id", "acme", "2025-07-01T00:00:00Z"),
			named("id", "customer_id", d.acme, "2025-07-09T23:59:59.999999Z"),
			named("early", "customer_id", d.acme, "2025-06-30T23:59:59.999999Z"),
			named("late", "customer_id", d.acme, "2025-07-10T00:00:00Z"),
			named("other", "external_customer_id", "other", "2025-07-05T00:00:00Z"),
			named("nobody", "customer_id", "nobody", "2025-06-05T00:00:00Z"),
		).expect(400)
		taken(problem, list{"alias", "id"}, list{})
		Expect(failures(problem)).To(Equal([]string{
			"early: timestamp: outside the backfill timeframe",
			"late: timestamp: outside the backfill timeframe",
			"other: customer_id: outside the backfill scope",
			"nobody: customer_id: no customer with this id",
			"nobody: timestamp: outside the backfill timeframe",
			"nobody: customer_id: outside the backfill scope",
		}))
		d.close(id).expect(200)
		Expect(d.total("2025-07")).To(Equal("22.00"))
	})

	It("ignores events whose keys are known, whoever sent them", func() {
		d.send("", d.eventUnder("mine", "2025-07-20T00:00:00Z 1")).expect(200)
		id := d.open(object{"timeframe_end": "2025-07-30T00:00:00Z", "replace_existing_events": true})
		taken(d.send(id, d.eventUnder("mine", "2025-07-03 50"), d.eventUnder("its", "2025-07-03 5")).expect(200), list{"its"}, list{"mine"})
		taken(d.send("", d.eventUnder("its", "2025-07-20T00:00:00Z 7")).expect(200), list{}, list{"its"})
		d.close(id).expect(200)
		Expect(d.total("2025-07")).To(Equal("5.00"))
		taken(d.send("", d.eventUnder("its", "2025-07-20T00:00:00Z 7"), d.eventUnder("mine", "2025-07-20T00:00:00Z 7")).expect(200), list{}, list{"its", "mine"})
	})

	DescribeTable("finds the keys of a reverted backfill free, and the first who wants one has it",
		func(revert func(id string)) {
			id := d.open(object{"replace_existing_events": true})
			d.send(id, d.eventUnder("a", "2025-07-03 5"), d.eventUnder("b", "2025-07-04 5"), d.eventUnder("c", "2025-07-04 5")).expect(200)
			revert(id)
			taken(d.send("", d.eventUnder("a", "2025-07-20T00:00:00Z 100"), d.eventUnder("a", "2025-07-20T00:00:00Z 100"), d.event("2025-07-20T00:00:00Z 0")).expect(200),
				list{"a", "u0005"}, list{"a"})
			again := d.open(nil)
			taken(d.send(again, d.eventUnder("a", "2025-07-03 1000"), d.eventUnder("b", "2025-07-03 1000")).expect(200), list{"b"}, list{"a"})
			taken(d.send(again, d.eventUnder("b", "2025-07-03 1000")).expect(200), list{}, list{"b"})
			d.close(again).expect(200)
			Expect(d.total("2025-07")).To(Equal("1120.00"))
			d.reverted(again)
			taken(d.send("", d.eventUnder("b", "2025-07-20T00:00:00Z 7"), d.eventUnder("c", "2025-07-20T00:00:00Z 7")).expect(200), list{"b", "c"}, list{})
			Expect(d.total("2025-07")).To(Equal("134.00"))
		},
		Entry("while it was open", func(id string) { d.revert(id).expect(200) }),
		Entry("after it was closed", func(id string) { d.close(id).expect(200); d.reverted(id) }),
		Entry("and its keys lie in a part that is full", func(id string) {
			d.tx(func(tx *store.Tx) error { return tx.Exec("SELECT open_key_part(0)").Error })
			d.revert(id).expect(200)
		}),
	)

	It("lets events be found by their keys until they are reverted", func() {
		found := func(keys ...string) list {
			GinkgoHelper()
			return d.post("/v1/events/search", object{"event_ids": keys, "timeframe_start": "2025-07-01T00:00:00Z"}).expect(200).each("data", "id")
		}
		id := d.open(nil)
		d.send(id, d.eventUnder("a", "2025-07-03 5")).expect(200)
		Expect(found("a")).To(Equal(list{"a"}))
		d.close(id).expect(200)
		Expect(found("a")).To(Equal(list{"a"}))
		d.reverted(id)
		Expect(found("a")).To(Equal(list{}))
		d.put("/v1/events/a/deprecate", nil).refuse(404, "404-resource-not-found", "Event", "a")
		d.send("", d.eventUnder("a", "2025-07-20T00:00:00Z 5")).expect(200)
		Expect(found("a")).To(Equal(list{"a"}))
	})

	It("gives a freed key to one of many who send it at once", func() {
		id := d.open(nil)
		var keys []string
		for k := range 40 {
			keys = append(keys, fmt.Sprintf("freed%02d", k))
			d.send(id, d.eventUnder(keys[k], "2025-07-03 5")).expect(200)
		}
		d.revert(id).expect(200)
		var all sync.WaitGroup
		var ingested atomic.Int64
		for c := range 8 {
			all.Go(func() {
				defer GinkgoRecover()
				for k := range keys {
					event := d.eventUnder(keys[k*(2*c+1)%len(keys)], "2025-07-20T00:00:00Z 1")
					ingested.Add(int64(len(d.send("", event).expect(200).list("debug.ingested"))))
				}
			})
		}
		all.Wait()
		Expect(ingested.Load()).To(Equal(int64(len(keys))))
		Expect(d.total("2025-07")).To(Equal("60.00"))
	})

	It("loses nothing and takes nothing after the close, whoever sends at that moment", func() {
		for range 5 {
			before := d.total("2025-07")
			id := d.open(object{"replace_existing_events": true})
			var all sync.WaitGroup
			var took atomic.Int64
			started := make(chan struct{}, 6)
			for range 6 {
				all.Go(func() {
					defer GinkgoRecover()
					started <- struct{}{}
					for n := 0; ; n++ {
						events := make([]string, 100)
						for k := range events {
							events[k] = d.eventUnder(fmt.Sprintf("%s %p %d %d", id, &events, n, k), "2025-07-03 1")
						}
						answer := d.send(id, events...)
						if answer.status != 200 {
							answer.refuse(400, refused, "takes no more events")
							return
						}
						took.Add(int64(len(events)))
					}
				})
			}
			for range 6 {
				<-started
			}
			d.close(id).expect(200)
			closed := d.total("2025-07")
			all.Wait()
			Expect(d.fetch(id).at("events_ingested")).To(Equal(json.Number(fmt.Sprint(took.Load()))))
			Expect(closed).To(Equal(fmt.Sprintf("%d.00", took.Load())))
			Expect(d.total("2025-07")).To(Equal(closed))
			d.reaches(id, "reflected")
			d.reverted(id)
			Expect(d.total("2025-07")).To(Equal(before))
		}
	})

	It("does not mix events of different backfills", func() {
		april := d.open(object{"timeframe_start": "2025-04-01T00:00:00Z", "timeframe_end": "2025-05-01T00:00:00Z"})
		may := d.open(object{"timeframe_start": "2025-05-01T00:00:00Z", "timeframe_end": "2025-06-01T00:00:00Z"})
		var all sync.WaitGroup
		for k := range 30 {
			into, at := april, "2025-04-15"
			if k%3 == 0 {
				into, at = may, "2025-05-15"
			}
			event := d.event(at + " 1")
			all.Go(func() {
				defer GinkgoRecover()
				d.send(into, event).expect(200)
			})
		}
		all.Wait()
		Expect(d.fetch(april).at("events_ingested")).To(Equal(json.Number("20")))
		Expect(d.fetch(may).at("events_ingested")).To(Equal(json.Number("10")))
	})
})
