package worker_test

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/server/worker"
)

var _ = Describe("The lag of due work", func() {
	now := time.Date(2025, 3, 31, 12, 0, 0, 0, time.UTC)
	lag := func(w *worker.Worker) map[string]time.Duration {
		lags := map[string]time.Duration{}
		for _, s := range w.DueStates(now) {
			if s.Lag != 0 {
				lags[s.Kind] = s.Lag
			}
		}
		return lags
	}

	It("is that of the account that waits longest, by kind, until nothing is due", func() {
		w := worker.New(worker.Config{})
		w.Saw("a", map[string]time.Time{"issue invoices": now.Add(-time.Minute), "open invoices": now})
		w.Saw("b", map[string]time.Time{"issue invoices": now.Add(-time.Hour)})
		Expect(lag(w)).To(Equal(map[string]time.Duration{"issue invoices": time.Hour}))
		w.Saw("b", nil)
		Expect(lag(w)).To(Equal(map[string]time.Duration{"issue invoices": time.Minute}))
		w.Saw("a", nil)
		Expect(lag(w)).To(BeEmpty())
	})
})
