package worker_test

import (
	"context"
	"log/slog"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"gorm.io/gorm"

	"tollkeeper/domain/domaintest"
	"tollkeeper/domain/event"
	"tollkeeper/server/background"
	"tollkeeper/server/worker"
	"tollkeeper/store"
	"tollkeeper/store/storetest"
)

var _ = Describe("The lag of buckets of usage", func() {
	// aggregating is a worker that aggregates, on a new database, and an account whose clock is as asked.
	aggregating := func(realTime bool) (w *worker.Worker, d domaintest.Recording) {
		GinkgoHelper()
		d = domaintest.RecordingOn(storetest.New())
		if realTime {
			Expect(d.Store.Update(d.Ctx, func(tx *store.Tx) error {
				return tx.Exec("UPDATE accounts SET clock_now = NULL WHERE id = ?", tx.AccountID).Error
			})).To(Succeed())
		}
		log := slog.New(slog.NewTextHandler(GinkgoWriter, nil))
		w = worker.New(worker.Config{
			Store: d.Store, Log: log, Runner: background.NewRunner(log, func(string) {}), Recorder: d.Recorder, Workers: 1,
			Verified: func(worker.Verification) {},
		})
		ctx, end := context.WithCancel(context.Background())
		var running sync.WaitGroup
		running.Go(func() { w.AggregateUsage(ctx) })
		DeferCleanup(func() {
			end()
			running.Wait()
		})
		return w, d
	}
	send := func(d domaintest.Recording, key string, at time.Time) {
		GinkgoHelper()
		outcome, err := d.Recorder.Record(d.Ctx, []event.Event{{Key: key, Name: "api_call", Subject: "e:acme", Timestamp: at.UTC().Truncate(time.Microsecond), Properties: "{}"}})
		Expect(err).NotTo(HaveOccurred())
		Expect(outcome.Ingested).To(HaveLen(1))
	}
	lag := func(w *worker.Worker) func() time.Duration {
		return func() time.Duration { return w.UsageLag(time.Now()) }
	}
	// duringTransaction does something while a transaction is under way. The aggregator takes no event that is
	// newer than that.
	duringTransaction := func(d domaintest.Recording, do func()) {
		GinkgoHelper()
		Expect(d.Store.AsOwner(context.Background(), func(db *gorm.DB) error {
			err := db.Exec("SELECT pg_current_xact_id()").Error
			do()
			return err
		})).To(Succeed())
	}

	It("grows while the aggregator cannot go on, and ends when it can", func() {
		w, d := aggregating(true)
		send(d, "first", time.Now())
		Eventually(func() int64 { return marked(d) }, "60s").Should(BeNumerically(">", 0))
		Eventually(lag(w), "60s").Should(BeZero())
		duringTransaction(d, func() {
			send(d, "second", time.Now())
			Eventually(lag(w), "60s").Should(BeNumerically(">", 2*time.Second))
		})
		Eventually(lag(w), "60s").Should(BeZero())
	})

	It("is none where the clock is stopped", func() {
		w, d := aggregating(false)
		duringTransaction(d, func() {
			send(d, "first", domaintest.Noon)
			Consistently(lag(w), "3s").Should(BeZero())
		})
	})
})

// marked is the mark of the account's buckets, 0 before there is one.
func marked(d domaintest.Recording) (mark int64) {
	GinkgoHelper()
	Expect(d.Store.View(d.Ctx, func(tx *store.Tx) error {
		return tx.Raw("SELECT coalesce(max(mark), 0) FROM usage_progress WHERE account_id = ?", tx.AccountID).Scan(&mark).Error
	})).To(Succeed())
	return mark
}
