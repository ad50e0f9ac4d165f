package usage_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"gorm.io/gorm"

	"tollkeeper/domain/fault"
	"tollkeeper/domain/period"
	"tollkeeper/domain/usage"
	"tollkeeper/store"
	"tollkeeper/store/storetest"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// exec runs statements outside of accounts.
func (d desk) exec(statement string, args ...any) {
	GinkgoHelper()
	Expect(d.store.Shared(context.Background(), func(db *gorm.DB) error { return db.Exec(statement, args...).Error })).To(Succeed())
}

// value is the one value of a query in the account.
func (d desk) value(query string, args ...any) (value int64) {
	GinkgoHelper()
	Expect(d.store.View(d.ctx, func(tx *store.Tx) error { return tx.Raw(query, args...).Row().Scan(&value) })).To(Succeed())
	return value
}

var _ = Describe("The parts of the keys", func() {
	var d desk
	BeforeEach(func() { d = deskOn(storetest.New()) })

	It("are all searched for a key", func() {
		d.send(call("first"))
		d.exec("SELECT open_key_part(0)")
		d.send(call("second"))
		d.exec("SELECT open_key_part(0)")
		Expect(d.value("SELECT max(part) FROM event_key_parts")).To(BeEquivalentTo(3))
		outcome := d.send(call("first"), call("third"), call("second"))
		Expect(outcome).To(Equal(usage.Outcome{Ingested: []string{"third"}, Duplicate: []string{"first", "second"}}))
		Expect(d.count()).To(Equal("3"))
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
		ingested, known := make([]int, clients), make([]int, clients)
		for c := range clients {
			sending.Go(func() {
				defer GinkgoRecover()
				mine := d
				mine.recorder = usage.NewRecorder(d.store) // a server of its own
				for round := range rounds {
					events := make([]string, size)
					for i := range events {
						events[i] = call(fmt.Sprintf("k%03d", (round*size*(c%3+1)+i*(c+1))%keys))
					}
					slices.Sort(events)
					outcome := mine.send(slices.Compact(events)...)
					Expect(outcome.Failed).To(BeEmpty())
					ingested[c] += len(outcome.Ingested)
					known[c] += len(outcome.Duplicate)
				}
			})
		}
		sending.Wait()
		done.Store(true)
		opening.Wait()
		Expect(opened).To(BeNumerically(">", 3))

		total := 0
		for c := range clients {
			total += ingested[c]
			Expect(known[c]).To(BeNumerically(">", 0))
		}
		const distinct = "SELECT count(DISTINCT idempotency_key) FROM "
		Expect(d.value(distinct + "events")).To(BeEquivalentTo(total))
		Expect(d.value("SELECT count(*) FROM events")).To(BeEquivalentTo(total))
		Expect(d.value("SELECT count(*) FROM event_keys")).To(BeEquivalentTo(total))
		Expect(d.value("SELECT count(*) FROM event_keys AS k JOIN events AS e ON e.seq = k.seq AND e.idempotency_key = k.idempotency_key")).
			To(BeEquivalentTo(total), "each key leads to its event")
	})

	It("are begun when the last is full, and not before", func() {
		Expect(usage.MakeRoom(context.Background(), d.store)).To(Succeed())
		Expect(d.value("SELECT max(part) FROM event_key_parts")).To(BeEquivalentTo(1))
	})
})

var _ = Describe("Months of events", func() {
	var d desk
	ctx := context.Background()
	BeforeEach(func() { d = deskOn(storetest.New()) })

	It("are made ahead of time", func() {
		Expect(usage.MakeRoom(ctx, d.store)).To(Succeed())
		Expect(usage.MakeRoom(ctx, d.store)).To(Succeed())
		now := time.Now().UTC()
		for ahead := range 3 {
			month := time.Date(now.Year(), now.Month()+time.Month(ahead), 1, 0, 0, 0, 0, time.UTC)
			Expect(d.value("SELECT (to_regclass(?) IS NOT NULL)::int", month.Format("events_2006_01"))).To(BeEquivalentTo(1))
		}
	})

	Describe("that are old", func() {
		may := period.Period{Start: time.Date(2025, 5, 1, 0, 0, 0, 0, time.UTC), End: time.Date(2025, 6, 1, 0, 0, 0, 0, time.UTC)}
		asked := usage.Request{Query: query("SELECT SUM(n) FROM events"), Subjects: []string{"e:acme"}, Cuts: []time.Time{may.Start, may.End}}

		// drop drops what can be dropped, and gives the months.
		drop := func() (months []string) {
			GinkgoHelper()
			for {
				month, found, err := usage.DropMonth(ctx, d.store, 3)
				Expect(err).NotTo(HaveOccurred())
				if !found {
					return months
				}
				months = append(months, month.Format("2006-01"))
			}
		}
		BeforeEach(func() {
			Expect(d.store.Update(d.ctx, func(tx *store.Tx) error { return usage.Watch(tx, []usage.Request{asked}) })).To(Succeed())
			d.send(call("may", `"properties": {"n": 3}`))
			storetest.SetClock(d.store, d.ctx, time.Date(2025, 6, 1, 0, 0, 0, 0, time.UTC))
			d.send(call("june", `"timestamp": "2025-06-01T00:00:00Z"`, `"properties": {"n": 4}`))
			d.exec("UPDATE accounts SET clock_now = NULL WHERE id = ?", store.AccountID(d.ctx))
		})

		It("go when all of their events are in buckets, and are counted from those", func() {
			Expect(drop()).To(BeEmpty(), "no event is in a bucket yet")
			d.settle()
			Expect(drop()).To(Equal([]string{"2025-05", "2025-06"}))
			Expect(drop()).To(BeEmpty())
			Expect(d.value("SELECT count(*) FROM events")).To(BeZero())
			Expect(d.measure(asked)[0].Total.String()).To(Equal("3"))
		})

		It("stay as long as they are asked to", func() {
			d.settle()
			months := int(time.Since(may.End).Hours()/24/31) + 3
			_, found, err := usage.DropMonth(ctx, d.store, months)
			Expect(err).NotTo(HaveOccurred())
			Expect(found).To(BeFalse())
		})

		It("leave their keys behind", func() {
			d.settle()
			drop()
			storetest.SetClock(d.store, d.ctx, noon)
			Expect(d.send(call("may"), call("new")).Duplicate).To(Equal([]string{"may"}))
		})

		It("keep what counts in them from being changed when they are gone", func() {
			d.settle()
			drop()
			Expect(d.store.Update(d.ctx, func(tx *store.Tx) error {
				Expect(fault.Is(usage.Kept(tx, period.Period{Start: may.End.Add(-1), End: may.End}), fault.KindRefused)).To(BeTrue())
				Expect(usage.Kept(tx, period.Period{Start: may.Start.Add(-1), End: may.Start})).To(Succeed())
				Expect(fault.Is(usage.Revise(tx, usage.Revision{ID: "r", Period: may}), fault.KindRefused)).To(BeTrue())
				return nil
			})).To(Succeed())
		})

		DescribeTable("stay while",
			func(hinder, release string) {
				d.settle()
				in := func(statement string) {
					GinkgoHelper()
					Expect(d.store.Update(d.ctx, func(tx *store.Tx) error { return tx.Exec(statement, tx.AccountID).Error })).To(Succeed())
				}
				in(hinder)
				Expect(drop()).NotTo(ContainElement("2025-05"))
				in(release)
				Expect(drop()).To(ContainElement("2025-05"))
			},
			Entry("an account's clock is near", "UPDATE accounts SET clock_now = '2025-08-31T23:59:59Z' WHERE id = ?", "UPDATE accounts SET clock_now = '2025-09-01' WHERE id = ?"),
			Entry("buckets have to be made anew", `INSERT INTO usage_gaps (account_id, start_at, end_at) VALUES (?, '2025-05-31T23:00:00Z', '2025-06-01T00:00:00Z')`,
				"DELETE FROM usage_gaps WHERE account_id = ?"),
			Entry("a series is behind", "UPDATE usage_series SET mark = 0 WHERE account_id = ?", "UPDATE usage_series SET mark = 1::bigint << 60 WHERE account_id = ?"),
			Entry("a backfill is open", `INSERT INTO backfills (account_id, id, created_at, timeframe_start, timeframe_end, replaces, close_time, closed, status, events_ingested)
				VALUES (?, 'b', now(), '2025-05-31', '2025-06-02', false, '2100-01-01', false, 'pending', 0)`,
				"UPDATE backfills SET status = 'reverted', reverted_at = now() WHERE account_id = ?"),
		)
	})

	It("tell how much disk they take", func() {
		for i := range 200 {
			d.send(call(fmt.Sprint("k", i)))
		}
		s, err := usage.StorageOf(ctx, d.store)
		Expect(err).NotTo(HaveOccurred())
		Expect([]int64{s.Events, s.Months}).To(Equal([]int64{200, 1}))
		for _, bytes := range []int64{s.Table, s.Indexes, s.Keys, s.Buckets} {
			Expect(bytes).To(And(BeNumerically(">=", 16<<10), BeNumerically("<", 4<<20)))
		}
	})
})
