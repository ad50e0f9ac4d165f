package worker_test

import (
	"log/slog"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/domaintest"
	"tollkeeper/server/background"
	"tollkeeper/server/worker"
	"tollkeeper/store"
)

var _ = It("A turn does a unit also where it took the whole time to find one, so the work of the account comes to an end", func() {
	a := domaintest.Open("2025-01-01")
	log := slog.New(slog.NewTextHandler(GinkgoWriter, nil))
	w := worker.New(worker.Config{Store: a.Store, Workers: 1, Log: log, Runner: background.NewRunner(log, nil)})
	a.Subscribe(a.Customer(), "2025-01-01", a.Fee("10"))
	issued := func() (invoices int) {
		a.Do(func(tx *store.Tx) error {
			return tx.Raw("SELECT count(*) FROM invoices WHERE account_id = ? AND status <> 'draft'", tx.AccountID).Scan(&invoices).Error
		})
		return invoices
	}
	a.Clock("2025-04-02")
	turns, more := 0, true
	for ; more && turns < 100; turns++ {
		var err error
		more, err = w.DoLate(a.Ctx)
		Expect(err).NotTo(HaveOccurred())
	}
	Expect(more).To(BeFalse())
	Expect(turns).To(BeNumerically(">", 2), "a unit or a group of them in each")
	Expect(issued()).To(Equal(4))
})
