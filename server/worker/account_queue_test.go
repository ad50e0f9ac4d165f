package worker_test

import (
	"context"
	"sync"
	"sync/atomic"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/server/worker"
)

var _ = Describe("The turns of accounts", func() {
	It("come in the order in which they began to wait, whatever an account has to do", func() {
		ctx, end := context.WithCancel(context.Background())
		defer end()
		q := worker.NewAccountQueue()
		for _, id := range []string{"busy", "a", "b", "a", "", "c"} {
			q.Add(id)
		}
		var turns []string
		q.Serve(ctx, 1, func(id string) {
			turns = append(turns, id)
			q.Release(id, id == "busy") // it never comes to an end
			if len(turns) == 5 {
				q.Add("late")
			}
			if len(turns) == 9 {
				end()
			}
		})
		Expect(turns).To(Equal([]string{"busy", "a", "b", "c", "busy", "busy", "late", "busy", "busy"}))
	})

	It("are one at a time for an account, and all are taken where many wait", func() {
		ctx, end := context.WithCancel(context.Background())
		defer end()
		q := worker.NewAccountQueue()
		var at [3]atomic.Int32
		var taken atomic.Int32
		var adding sync.WaitGroup
		ids := []string{"a", "b", "c"}
		adding.Go(func() {
			for range 1000 {
				for _, id := range ids {
					q.Add(id)
				}
			}
		})
		q.Serve(ctx, 4, func(id string) {
			defer GinkgoRecover()
			k := id[0] - 'a'
			Expect(at[k].Add(1)).To(Equal(int32(1)))
			at[k].Add(-1)
			more := taken.Add(1) < 500
			if !more {
				end()
			}
			q.Release(id, more)
		})
		adding.Wait()
		Expect(taken.Load()).To(BeNumerically(">=", 500))
	})
})
