package event_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"gorm.io/gorm"

	"tollkeeper/domain/event"
	"tollkeeper/store"
	"tollkeeper/store/storetest"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// exec runs statements outside of accounts.
func (d fixture) exec(statement string, args ...any) {
	GinkgoHelper()
	Expect(d.store.Shared(context.Background(), func(db *gorm.DB) error { return db.Exec(statement, args...).Error })).To(Succeed())
}

var _ = Describe("The parts of the keys", func() {
	var d fixture
	BeforeEach(func() { d = newFixtureOn(storetest.New()) })

	It("are all searched for a key", func() {
		d.send(call("first"))
		d.exec("SELECT open_key_part(0)")
		d.send(call("second"))
		d.exec("SELECT open_key_part(0)")
		Expect(d.value("SELECT max(part) FROM event_key_parts")).To(BeEquivalentTo(3))
		outcome := d.send(call("first"), call("third"), call("second"))
		Expect(outcome).To(Equal(event.Outcome{Ingested: []string{"third"}, Duplicate: []string{"first", "second"}}))
		Expect(d.count()).To(Equal(3))
	})

	It("take a key once while parts are begun and many send it", func() {
		const clients, rounds, size, keys = 16, 12, 25, 400
		var sending, opening sync.WaitGroup
		var done atomic.Bool
		opened := 0
		opening.Go(func() {
			defer GinkgoRecover()
			for !done.Load() {
				d.exec("SELECT open_key_part(0)")
				opened++
			}
		})
		begin := make(chan struct{}) // so that none is done before another begins
		sent, ingested, known := make([]int, clients), make([]int, clients), make([]int, clients)
		for c := range clients {
			mine := d // a server of its own, with connections of its own
			var err error
			mine.store, err = store.Open(d.ctx, storetest.URL(d.store))
			Expect(err).NotTo(HaveOccurred())
			DeferCleanup(mine.store.Close)
			mine.recorder = event.NewRecorder(mine.store)
			sending.Go(func() {
				defer GinkgoRecover()
				<-begin
				for round := range rounds {
					events := make([]string, size)
					for i := range events {
						events[i] = call(fmt.Sprintf("k%03d", (round*size*(c%3+1)+i*(c+1))%keys))
					}
					slices.Sort(events)
					events = slices.Compact(events)
					outcome := mine.send(events...)
					sent[c] += len(events)
					Expect(outcome.Failed).To(BeEmpty())
					if c%4 == 0 { // some servers learn which keys are new on the way
						_, err := mine.recorder.Learn(d.ctx, math.MaxInt64)
						Expect(err).NotTo(HaveOccurred())
					}
					ingested[c] += len(outcome.Ingested)
					known[c] += len(outcome.Duplicate)
				}
			})
		}
		close(begin)
		sending.Wait()
		done.Store(true)
		opening.Wait()
		Expect(opened).To(BeNumerically(">", 3))

		total := 0
		for c := range clients { // how many of them are known depends on the others
			total += ingested[c]
			Expect(ingested[c] + known[c]).To(Equal(sent[c]))
		}
		Expect(total).To(BeNumerically("<=", keys))
		const distinct = "SELECT count(DISTINCT idempotency_key) FROM "
		Expect(d.value(distinct + "events")).To(BeEquivalentTo(total))
		Expect(d.value("SELECT count(*) FROM events")).To(BeEquivalentTo(total))
		Expect(d.value("SELECT count(*) FROM event_keys")).To(BeEquivalentTo(total))
		Expect(d.value("SELECT count(*) FROM event_keys AS k JOIN events AS e ON e.seq = k.seq AND e.idempotency_key = k.idempotency_key")).
			To(BeEquivalentTo(total), "each key leads to its event")
	})

	It("are begun when the last is full, and not before", func() {
		Expect(event.EnsurePartitions(context.Background(), d.store)).To(Succeed())
		Expect(d.value("SELECT max(part) FROM event_key_parts")).To(BeEquivalentTo(1))
	})
})

var _ = Describe("Months of events", func() {
	var d fixture
	ctx := context.Background()
	BeforeEach(func() { d = newFixtureOn(storetest.New()) })

	It("are made ahead of time", func() {
		Expect(event.EnsurePartitions(ctx, d.store)).To(Succeed())
		Expect(event.EnsurePartitions(ctx, d.store)).To(Succeed())
		now := time.Now().UTC()
		for ahead := range 3 {
			month := time.Date(now.Year(), now.Month()+time.Month(ahead), 1, 0, 0, 0, 0, time.UTC)
			Expect(d.value("SELECT (to_regclass(?) IS NOT NULL)::int", month.Format("events_2006_01"))).To(BeEquivalentTo(1))
		}
	})

	It("tell how much disk they take", func() {
		for i := range 200 {
			d.send(call(fmt.Sprint("k", i)))
		}
		s, err := event.StorageOf(ctx, d.store)
		Expect(err).NotTo(HaveOccurred())
		Expect([]int64{s.Events, s.Months}).To(Equal([]int64{200, 1}))
		for _, bytes := range []int64{s.Table, s.Indexes, s.Keys, s.Buckets} {
			Expect(bytes).To(And(BeNumerically(">=", 16<<10), BeNumerically("<", 4<<20)))
		}
	})
})
