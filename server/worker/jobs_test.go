package worker_test

import (
	"log/slog"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

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
		Expect(w.DoFailing(account, fault.Refused("It does so again"))).To(Succeed(), "it is not done yet")
		Expect(st.View(account, func(tx *store.Tx) error {
			parked, err := due.List(tx, 2)
			Expect(parked).To(HaveExactElements(And(
				HaveField("Kind", "fail"), HaveField("Attempts", 1), HaveField("Error", "A metric took too long"))))
			return err
		})).To(Succeed())
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
