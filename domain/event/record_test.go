package event_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"tollkeeper/domain/event"
	"tollkeeper/store"
	"tollkeeper/store/storetest"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/types"
	"gorm.io/gorm"
)

func failedAs(key string, reasons ...string) types.GomegaMatcher {
	return ConsistOf(event.Failure{Key: key, Reasons: reasons})
}

var _ = Describe("Recording events", func() {
	var d fixture
	BeforeEach(func() { d = newFixture() })

	It("takes a customer by id and by alias (E-1)", func() {
		outcome := d.send(call("e1", `"customer_id": "cus_1"`), call("e2", `"external_customer_id": "acme"`))
		Expect(outcome).To(Equal(event.Outcome{Ingested: []string{"e1", "e2"}}))
		Expect(d.count()).To(Equal(2))
	})

	It("stores an event once, however often it is sent (E-2)", func() {
		Expect(d.send(call("e1"), call("e2")).Ingested).To(Equal([]string{"e1", "e2"}))
		again := d.send(call("e1"), call("e2"))
		Expect(again).To(Equal(event.Outcome{Duplicate: []string{"e1", "e2"}}))
		Expect(d.count()).To(Equal(2))
	})

	It("keeps the first body of a key", func() {
		d.send(call("e1", `"properties": {"n": 1}`))
		Expect(d.send(call("e1", `"properties": {"n": 2}`), call("e0")).Duplicate).To(Equal([]string{"e1"}))
		Expect(d.value("SELECT (properties->>'n')::bigint FROM events WHERE account_id = ? AND idempotency_key = 'e1'", store.AccountID(d.ctx))).To(BeEquivalentTo(1))
	})

	It("takes the same event twice in a request for one (E-3)", func() {
		outcome := d.send(
			call("e3", `"properties": {"n": 1, "s": "é"}`),
			call("e3", `"properties": {"s": "\u00e9", "n": 1.0}`, `"timestamp": "2025-05-10T12:00:00+00:00"`))
		Expect(outcome).To(Equal(event.Outcome{Ingested: []string{"e3"}, Duplicate: []string{"e3"}}))
		Expect(d.count()).To(Equal(1))
	})

	It("stores nothing of a request that uses a key for different events (E-4)", func() {
		outcome := d.send(call("e4", `"properties": {"n": 1}`), call("e4", `"properties": {"n": 2}`), call("e5"))
		Expect(outcome.Failed).To(failedAs("e4", "idempotency_key: used more than once in this request with different event bodies"))
		Expect(outcome.Ingested).To(BeEmpty())
		Expect(d.send(call("e5")).Ingested).To(Equal([]string{"e5"}))
		Expect(d.send(call("e4")).Ingested).To(Equal([]string{"e4"}))
	})

	It("stores the valid events beside a failed one, whose key stays free (E-5)", func() {
		outcome := d.send(call("e6"), call("e7", `"customer_id": "cus_1", "external_customer_id": "acme"`))
		Expect(outcome.Ingested).To(Equal([]string{"e6"}))
		Expect(outcome.Failed).To(failedAs("e7", "customer_id, external_customer_id: exactly one must be specified"))
		Expect(d.send(call("e7")).Ingested).To(Equal([]string{"e7"}))
	})

	It("is counted by what became of each event", func() {
		counts := func() event.Counts { return d.recorder.Counts() }
		d.send(call("e1"), call("e2"))
		d.send(call("e1"), call("e3"), call("e4", `"timestamp": "2020-01-01T00:00:00Z"`))
		Expect(counts()).To(Equal(event.Counts{Stored: 3, Duplicate: 1, Refused: 1}))
		d.send(call("e5", `"properties": {"n": 1}`), call("e5", `"properties": {"n": 2}`), call("e6"))
		Expect(counts()).To(Equal(event.Counts{Stored: 3, Duplicate: 1, Refused: 4}), "nothing of such a request is stored")
		requests, events := d.recorder.Waiting()
		Expect([]int{requests, events}).To(Equal([]int{0, 0}))
	})

	It("tells how many events wait while others are being stored", func() {
		d := newFixtureOn(storetest.New())
		var sent sync.WaitGroup
		waiting := func() []int {
			requests, events := d.recorder.Waiting()
			return []int{requests, events}
		}
		send := func(events ...string) {
			sent.Go(func() {
				defer GinkgoRecover()
				Expect(d.send(events...).Ingested).To(HaveLen(len(events)))
			})
		}
		Expect(d.store.AsOwner(context.Background(), func(db *gorm.DB) error {
			if err := db.Exec("LOCK TABLE event_key_parts").Error; err != nil {
				return err
			}
			send(call("e1"))
			Eventually(func() []int { return []int{d.store.ConnectionStates()[store.Ingest].Used} }).Should(Equal([]int{1}))
			send(call("e2"), call("e3"))
			Eventually(waiting).Should(Equal([]int{1, 2}))
			return nil
		})).To(Succeed())
		sent.Wait()
		Expect(waiting()).To(Equal([]int{0, 0}))
		Expect(d.recorder.Counts()).To(Equal(event.Counts{Stored: 3}))
	})

	DescribeTable("the age of an event (E-6, E-7)",
		func(timestamp, reason string) {
			outcome := d.send(call("e", `"timestamp": "`+timestamp+`"`))
			if reason == "" {
				Expect(outcome.Ingested).To(Equal([]string{"e"}))
			} else {
				Expect(outcome.Failed).To(failedAs("e", reason))
			}
		},
		Entry("may be the grace period", "2025-05-10T00:00:00Z", ""),
		Entry("may not be more, not by a microsecond", "2025-05-09T23:59:59.999999Z", "timestamp: is older than the grace period"),
		Entry("may not be the first there is", "0001-01-01T00:00:00Z", "timestamp: is older than the grace period"),
		Entry("may be an hour ahead", "2025-05-10T13:00:00Z", ""),
		Entry("may not be a second more ahead", "2025-05-10T13:00:01Z", "timestamp: is too far in the future"),
		Entry("may not be a day ahead", "2025-05-11T12:00:00Z", "timestamp: is too far in the future"),
		Entry("is the same without a designator", "2025-05-10T12:00:00", ""),
		Entry("has digits beyond the microsecond cut first", "2025-05-10T13:00:00.000000999Z", ""),
	)

	It("follows the bounds of the account", func() {
		Expect(d.store.Update(d.ctx, func(tx *store.Tx) error {
			return tx.Exec("UPDATE accounts SET grace_period_seconds = 60, future_bound_seconds = 0 WHERE id = ?", tx.AccountID).Error
		})).To(Succeed())
		Expect(d.send(call("a", `"timestamp": "2025-05-10T11:59:00Z"`)).Ingested).To(HaveLen(1))
		Expect(d.send(call("b", `"timestamp": "2025-05-10T11:58:59Z"`)).Failed).To(HaveLen(1))
		Expect(d.send(call("c", `"timestamp": "2025-05-10T12:00:00.000001Z"`)).Failed).To(HaveLen(1))
	})

	It("keeps events of an alias that nobody has yet (E-9)", func() {
		for i := range 7 {
			d.send(call(fmt.Sprint("later ", i), `"external_customer_id": "later"`))
		}
		Expect(d.value("SELECT count(*) FROM events WHERE account_id = ? AND subject = 'e:later'", store.AccountID(d.ctx))).To(BeEquivalentTo(7))
		Expect(d.store.View(d.ctx, func(tx *store.Tx) error {
			Expect(event.Any(tx)).To(BeTrue())
			return nil
		})).To(Succeed())
	})

	It("tells every failure of an event, in the order of the checks", func() {
		outcome := d.send(`{"properties": {"p": []}, "colour": 1, "timestamp": "2020-01-01T00:00:00Z", "customer_id": "nobody"}`)
		Expect(outcome.Failed).To(failedAs("",
			"idempotency_key: is required",
			"event_name: is required",
			"customer_id: no customer with this id",
			"timestamp: is older than the grace period",
			"properties.p: must be a string, number or boolean",
			"colour: is not a field of an event",
		))
	})

	It("keeps accounts apart", func() {
		d.send(call("e1"))
		other := d
		other.ctx = storetest.Account(d.store, "test")
		storetest.SetClock(d.store, other.ctx, noon)
		Expect(other.count()).To(Equal(0))
		Expect(d.store.View(other.ctx, func(tx *store.Tx) error {
			Expect(event.Any(tx)).To(BeFalse())
			return nil
		})).To(Succeed())
		Expect(other.send(call("e1")).Ingested).To(Equal([]string{"e1"}))
		Expect(d.count()).To(Equal(1))
	})

	It("makes partitions as months come, whatever the server knows of them", func() {
		storetest.SetClock(d.store, d.ctx, time.Date(2025, 6, 1, 0, 0, 0, 0, time.UTC))
		d.send(call("may", `"timestamp": "2025-05-31T23:59:59.999999Z"`), call("june", `"timestamp": "2025-06-01T00:00:00Z"`))
		d.recorder = event.NewRecorder(d.store)
		Expect(d.send(call("june again", `"timestamp": "2025-06-01T00:00:00Z"`)).Ingested).To(HaveLen(1))
		Expect(d.count()).To(Equal(3))
	})

	It("answers an empty request", func() {
		Expect(d.send()).To(Equal(event.Outcome{}))
	})

	It("counts an event once when many clients send it at once, in any order", func() {
		const clients, events = 8, 200
		second := event.NewRecorder(d.store) // another server
		var wait sync.WaitGroup
		ingested := make([]int, clients)
		for c := range clients {
			wait.Go(func() {
				defer GinkgoRecover()
				mine := d
				if c%2 == 0 {
					mine.recorder = second
				}
				for from := 0; from < events; from += 20 {
					var batch []string
					for i := range 20 {
						batch = append(batch, call(fmt.Sprintf("k%03d", (from+i)*(2*c+1)%events)))
					}
					ingested[c] += len(mine.send(batch...).Ingested)
				}
			})
		}
		wait.Wait()
		total := 0
		for _, n := range ingested {
			total += n
		}
		Expect(total).To(Equal(events))
		Expect(d.count()).To(Equal(events))
	})

	It("leaves a key to the next who sends it when the first fails, also in one group", func() {
		var wait sync.WaitGroup
		for i := range 20 {
			key := fmt.Sprint("wanted ", i/2)
			wait.Go(func() {
				defer GinkgoRecover()
				if i%2 == 0 {
					Expect(d.send(call(key, `"customer_id": "nobody"`)).Failed).To(failedAs(key, "customer_id: no customer with this id"))
					return
				}
				Expect(d.send(call(key)).Ingested).To(Equal([]string{key}))
			})
		}
		wait.Wait()
		Expect(d.count()).To(Equal(10))
	})

	It("stores a request of more events than one transaction takes", func() {
		const events = 10_000
		var all []string
		for i := range events + 1 {
			all = append(all, call(fmt.Sprint("e", i%events)))
		}
		outcome := d.send(all...)
		Expect(outcome.Ingested).To(HaveLen(events))
		Expect(outcome.Duplicate).To(Equal([]string{"e0"}))
		Expect(d.count()).To(Equal(events))
	})

	It("fails a request that cannot be stored, and no other of its group", func() {
		// Longer than an index entry may be: nothing that Decode lets through.
		poison := []event.Event{{Key: incompressible(9000), Name: "api_call", Subject: "e:acme", Timestamp: noon, Properties: "{}"}}
		var wait sync.WaitGroup
		for i := range 20 {
			wait.Go(func() {
				defer GinkgoRecover()
				if i%5 == 0 {
					_, err := d.recorder.Record(d.ctx, poison)
					Expect(err).To(HaveOccurred())
					return
				}
				Expect(d.send(call(fmt.Sprint("good ", i))).Ingested).To(HaveLen(1))
			})
		}
		wait.Wait()
		Expect(d.count()).To(Equal(16))
	})
})

// incompressible is a text of n letters that no compression makes short.
func incompressible(n int) string {
	var text strings.Builder
	state := uint32(1)
	for range n {
		state = state*1664525 + 1013904223
		text.WriteByte("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"[state>>26])
	}
	return text.String()
}
