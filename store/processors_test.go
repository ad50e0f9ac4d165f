package store_test

import (
	"runtime"
	"sync"
	"sync/atomic"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/store"
	"tollkeeper/store/storetest"
)

var _ = Describe("Costly reads", func() {
	It("of an account take half of the processors, and leave the rest to another account and to its own other reads", func() {
		st := storetest.New()
		greedy, other := storetest.Account(st, "test"), storetest.Account(st, "test")
		processors := max(2, runtime.GOMAXPROCS(0))
		var began atomic.Int64
		var reads sync.WaitGroup
		done := make(chan struct{})
		DeferCleanup(func() {
			close(done)
			reads.Wait()
		})
		for range 4 {
			reads.Go(func() {
				defer GinkgoRecover()
				Expect(st.View(store.Costly(greedy), func(*store.Tx) error {
					began.Add(1)
					<-done
					return nil
				})).To(Or(Succeed(), MatchError(store.ErrBusy)))
			})
		}
		most := int64(min(4, (processors+1)/2))
		Eventually(began.Load).Should(Equal(most))
		nothing := func(*store.Tx) error { return nil }
		Expect(st.View(store.Costly(other), nothing)).To(Succeed())
		Expect(st.View(greedy, nothing)).To(Succeed())
		Expect(began.Load()).To(Equal(most))
	})
})
