package server_test

import (
	"context"
	"encoding/json"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/server"
)

var _ = Describe("Turns", func() {
	It("come one after the other, also after those who gave up", func(ctx SpecContext) {
		take := server.Turns()
		first, err := take(ctx)
		Expect(err).NotTo(HaveOccurred())

		gone, cancel := context.WithCancel(ctx)
		cancel()
		_, err = take(gone)
		Expect(err).To(MatchError(context.Canceled))

		second := make(chan func())
		go func() {
			defer GinkgoRecover()
			end, err := take(ctx)
			Expect(err).NotTo(HaveOccurred())
			second <- end
		}()
		Consistently(second).ShouldNot(Receive())
		first()
		var end func()
		Eventually(second).Should(Receive(&end))
		end()

		end, err = take(gone) // nobody is left to wait for
		Expect(err).NotTo(HaveOccurred())
		end()
	})

	It("number the entries that many make of one ledger at once", func() {
		s := openShop("2025-03-10T09:00:00Z")
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
