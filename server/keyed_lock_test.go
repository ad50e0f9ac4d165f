package server_test

import (
	"context"
	"encoding/json"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/server"
)

var _ = Describe("A keyed lock", func() {
	It("is held by one after the other, also after those that gave up", func(ctx SpecContext) {
		lock := server.KeyedLock()
		first, err := lock(ctx)
		Expect(err).NotTo(HaveOccurred())

		gone, cancel := context.WithCancel(ctx)
		cancel()
		_, err = lock(gone)
		Expect(err).To(MatchError(context.Canceled))

		second := make(chan func())
		go func() {
			defer GinkgoRecover()
			unlock, err := lock(ctx)
			Expect(err).NotTo(HaveOccurred())
			second <- unlock
		}()
		Consistently(second).ShouldNot(Receive())
		first()
		var unlock func()
		Eventually(second).Should(Receive(&unlock))
		unlock()

		unlock, err = lock(gone) // none is left to wait for
		Expect(err).NotTo(HaveOccurred())
		unlock()
	})

	It("numbers the entries that many make of one ledger at once", func() {
		s := newFixture("2025-03-10T09:00:00Z")
		buyer := s.buyer(object{"currency": "USD"})
		s.credits(buyer, object{"amount": 100})
		const writers = 12
		left := make([]json.Number, writers)
		var all sync.WaitGroup
		for k := range writers {
			all.Go(func() {
				defer GinkgoRecover()
				left[k] = s.entry(buyer, object{"entry_type": "decrement", "amount": 1}).at("ending_balance").(json.Number)
			})
		}
		all.Wait()
		Expect(left).To(ConsistOf([]json.Number{"99", "98", "97", "96", "95", "94", "93", "92", "91", "90", "89", "88"}))
	})
})
