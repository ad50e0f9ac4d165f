package worker_test

import (
	"log/slog"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"gorm.io/gorm"

	"tollkeeper/domain/due"
	"tollkeeper/server/worker"
	"tollkeeper/store"
	"tollkeeper/store/fault"
	"tollkeeper/store/storetest"
)

var _ = Describe("Due work", func() {
	It("that fails is parked, and is no refusal of the request that brought it about", func() {
		st := storetest.Shared()
		log := slog.New(slog.NewTextHandler(GinkgoWriter, nil))
		w := worker.New(worker.Config{Store: st, Workers: 1, Log: log})
		account := storetest.Account(st, "live")
		Expect(w.DoFailing(account, fault.Refused("A metric took too long"))).To(Succeed())
		Expect(st.Update(account, func(tx *store.Tx) error { // its next try comes in a second, which may pass
			return tx.Model(&due.Parked{}).Where("kind = 'fail'").Update("next_try_at", gorm.Expr("clock_timestamp() + interval '1 hour'")).Error
		})).To(Succeed())
		Expect(w.DoFailing(account, fault.Refused("It does so again"))).To(Succeed(), "it is not done yet")
		Expect(st.View(account, func(tx *store.Tx) error {
			parked, err := due.List(tx, 2)
			Expect(parked).To(HaveExactElements(And(
				HaveField("Kind", "fail"), HaveField("Attempts", 1), HaveField("Error", "A metric took too long"))))
			return err
		})).To(Succeed())
	})

	It("stays parked while the clock is before it, as where an advance parked it on its way", func() {
		st := storetest.Shared()
		log := slog.New(slog.NewTextHandler(GinkgoWriter, nil))
		w := worker.New(worker.Config{Store: st, Workers: 1, Log: log})
		account := storetest.Account(st, "test")
		dueAt := time.Date(2025, 1, 31, 0, 0, 0, 0, time.UTC)
		storetest.SetClock(st, account, dueAt)
		Expect(w.DoFailing(account, fault.Refused("A metric took too long"))).To(Succeed())
		// tried has the next try come, and returns how many units are parked after a pass that finds none.
		tried := func(clock time.Time) (parked []due.Parked) {
			GinkgoHelper()
			storetest.SetClock(st, account, clock)
			Expect(st.Update(account, due.RetryAll)).To(Succeed())
			Expect(w.DoNothing(account)).To(Succeed())
			Expect(st.View(account, func(tx *store.Tx) (err error) {
				parked, err = due.List(tx, 2)
				return err
			})).To(Succeed())
			return parked
		}
		Expect(tried(dueAt.Add(-time.Hour))).To(HaveLen(1))
		Expect(tried(dueAt)).To(BeEmpty())
	})

	It("stays parked while another unit holds up all of its lane, since nothing of that is looked for", func() {
		st := storetest.Shared()
		log := slog.New(slog.NewTextHandler(GinkgoWriter, nil))
		w := worker.New(worker.Config{Store: st, Workers: 1, Log: log})
		account := storetest.Account(st, "live")
		Expect(w.DoFailing(account, fault.Refused("A metric took too long"))).To(Succeed())
		Expect(st.Update(account, func(tx *store.Tx) error {
			if _, err := due.Park(tx, due.Failure{Kind: "other", Lane: due.Notices, DueAt: tx.Now, Err: fault.Refused("It is of no subject")}); err != nil {
				return err
			}
			return tx.Exec(`UPDATE parked_units SET next_try_at = clock_timestamp() + CASE kind WHEN 'other' THEN interval '1 hour' ELSE interval '0' END
				WHERE account_id = ?`, tx.AccountID).Error
		})).To(Succeed())
		kinds := func() (kinds []string) {
			GinkgoHelper()
			Expect(w.DoNothing(account)).To(Succeed())
			Expect(st.View(account, func(tx *store.Tx) error {
				parked, err := due.List(tx, 3)
				for _, p := range parked {
					kinds = append(kinds, p.Kind)
				}
				return err
			})).To(Succeed())
			return kinds
		}
		Expect(kinds()).To(ConsistOf("fail", "other"))
		Expect(st.Update(account, due.RetryAll)).To(Succeed())
		Expect(kinds()).To(Equal([]string{"other"}), "which is of no job of the pass")
	})

	It("that fails in an outage is not parked, and ends the pass", func() {
		st := storetest.Shared()
		w := worker.New(worker.Config{Store: st, Workers: 1})
		account := storetest.Account(st, "live")
		Expect(w.DoFailing(account, store.ErrBusy)).To(MatchError(And(HavePrefix("fail due at "), HaveSuffix(store.ErrBusy.Error()))))
		Expect(st.View(account, func(tx *store.Tx) error {
			parked, err := due.List(tx, 2)
			Expect(parked).To(BeEmpty())
			return err
		})).To(Succeed())
	})
})
