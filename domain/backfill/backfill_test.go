package backfill_test

import (
	"sync"
	"sync/atomic"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/types"

	"tollkeeper/domain/backfill"
	"tollkeeper/domain/event"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// beRefused matches what the present state forbids.
func beRefused() types.GomegaMatcher {
	return WithTransform(func(err error) bool { return fault.Is(err, fault.KindRefused) }, BeTrue())
}

// due asks when one of the jobs has something to do, by an instant.
func (d fixture) due(next func(*store.Tx, time.Time) (time.Time, bool, error), by time.Time) any {
	GinkgoHelper()
	var at time.Time
	var found bool
	Expect(d.store.View(d.ctx, func(tx *store.Tx) (err error) {
		at, found, err = next(tx, by)
		return err
	})).To(Succeed())
	if !found {
		return nil
	}
	return at
}

var _ = Describe("A backfill on its way", func() {
	var d fixture
	BeforeEach(func() {
		d = newFixture()
		Expect(d.store.Update(d.ctx, func(tx *store.Tx) error {
			return tx.Exec("UPDATE accounts SET grace_period_seconds = 8640000 WHERE id = ?", tx.AccountID).Error
		})).To(Succeed())
		d.send(d.recorder, "old 1", "old 2")
	})

	It("counts from the close on, and says so one transaction later", func() {
		b := d.opened("new 1", "new 2", "new 3")
		Expect(d.due(backfill.NextClosing, noon)).To(BeNil())
		Expect(must(d, backfill.CloseNext)).To(BeFalse())
		Expect(d.count()).To(Equal("2"))
		closed, err := d.close(b.ID)
		Expect(err).NotTo(HaveOccurred())
		Expect(closed.Status).To(Equal(backfill.StatusPending))
		Expect(d.count()).To(Equal("3"))
		Expect(d.due(backfill.NextClosing, noon)).To(Equal(noon))
		Expect(d.due(backfill.NextClosing, noon.Add(-time.Microsecond))).To(BeNil())
		Expect(must(d, backfill.CloseNext)).To(BeTrue())
		Expect(d.status(b.ID)).To(Equal(backfill.StatusReflected))
		Expect(must(d, backfill.CloseNext)).To(BeFalse())
	})

	It("is reverted as one that is reflected when it was closed only just now", func() {
		b := d.opened("new")
		_, err := d.close(b.ID)
		Expect(err).NotTo(HaveOccurred())
		reverting, err := d.revert(b.ID)
		Expect(err).NotTo(HaveOccurred())
		Expect(reverting.Status).To(Equal(backfill.StatusPendingRevert))
		Expect(must(d, backfill.CloseNext)).To(BeFalse())
		for _, again := range []func(string) (backfill.Backfill, error){d.close, d.revert} {
			_, err := again(b.ID)
			Expect(err).To(beRefused())
		}
		_, err = d.july(nil) // the other is still at work
		Expect(err).To(beRefused())
		Expect(d.count()).To(Equal("1"))
		Expect(d.due(backfill.NextRevert, noon)).To(Equal(noon))
		Expect(must(d, backfill.RevertNext)).To(BeTrue())
		Expect(d.status(b.ID)).To(Equal(backfill.StatusReverted))
		Expect(must(d, backfill.RevertNext)).To(BeFalse())
		Expect(d.count()).To(Equal("2"))
		Expect(d.opened("new").EventsIngested).To(BeZero())
	})

	It("is no longer open when its time is over, closed or not", func() {
		b := d.opened("new")
		into := d.recorder.Into(must(d, func(tx *store.Tx) (event.Backfill, error) { return backfill.Open(tx, b.ID) }))
		d.clock(b.CloseTime)
		_, err := into.Record(d.ctx, []event.Event{{Key: "late", Name: "call", Subject: "e:acme", Timestamp: b.TimeframeStart, Properties: "{}"}})
		Expect(err).To(beRefused())
		_, err = try(d, func(tx *store.Tx) (event.Backfill, error) { return backfill.Open(tx, b.ID) })
		Expect(err).To(beRefused())
		_, err = d.close(b.ID)
		Expect(err).To(beRefused())
		Expect(d.due(backfill.NextClosing, b.CloseTime)).To(Equal(b.CloseTime))
		reverting, err := d.revert(b.ID)
		Expect(err).NotTo(HaveOccurred())
		Expect(reverting.Status).To(Equal(backfill.StatusPendingRevert))
		Expect(must(d, backfill.RevertNext)).To(BeTrue())
		Expect(d.count()).To(Equal("2"))
	})

	It("leaves alone what another transaction is at", func() {
		b := d.opened("new")
		_, err := d.close(b.ID)
		Expect(err).NotTo(HaveOccurred())
		Expect(d.store.Update(d.ctx, func(tx *store.Tx) error {
			if more, err := backfill.CloseNext(tx); err != nil || !more {
				return err
			}
			Expect(must(d, backfill.CloseNext)).To(BeFalse())
			return nil
		})).To(Succeed())
		Expect(d.status(b.ID)).To(Equal(backfill.StatusReflected))
	})

	It("is closed once, and reverted once, by requests at once", func() {
		for _, move := range []func(string) (backfill.Backfill, error){d.close, d.revert} {
			b := d.opened(store.NewID("new"))
			var moved atomic.Int64
			var all sync.WaitGroup
			for range 6 {
				all.Go(func() {
					defer GinkgoRecover()
					if _, err := move(b.ID); err == nil {
						moved.Add(1)
					} else {
						Expect(err).To(beRefused())
					}
				})
			}
			all.Wait()
			Expect(moved.Load()).To(Equal(int64(1)))
			must(d, backfill.CloseNext)
		}
	})

	It("is the only one of its time, with requests at once", func() {
		for range 5 {
			var opened atomic.Pointer[backfill.Backfill]
			var all sync.WaitGroup
			for range 6 {
				all.Go(func() {
					defer GinkgoRecover()
					b, err := d.july(nil)
					if err != nil {
						Expect(err).To(beRefused())
						return
					}
					Expect(opened.Swap(&b)).To(BeNil())
				})
			}
			all.Wait()
			_, err := d.revert(opened.Load().ID)
			Expect(err).NotTo(HaveOccurred())
		}
	})
})
