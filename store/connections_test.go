package store_test

import (
	"context"
	"fmt"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/store"
)

var _ = Describe("The shares of connections", func() {
	ctx := context.Background()
	const never = time.Hour
	take := func(s *store.Shares, account string) (free func(), got bool) {
		ended, end := context.WithCancel(ctx)
		end()
		free, err := s.Take(ended, account, never)
		return free, err == nil
	}
	takeAll := func(s *store.Shares, account string) (frees []func()) {
		for free, got := take(s, account); got; free, got = take(s, account) {
			frees = append(frees, free)
		}
		return frees
	}

	It("are half for one account, and leave some for each that comes after", func() {
		s := store.NewShares(16)
		taken := []int{}
		for k := range 6 {
			taken = append(taken, len(takeAll(s, fmt.Sprint("account", k))))
		}
		Expect(taken).To(Equal([]int{8, 4, 2, 1, 1, 0}))
	})

	It("let what belongs to no account take all that are free", func() {
		s := store.NewShares(4)
		Expect(takeAll(s, "a")).To(HaveLen(2))
		Expect(takeAll(s, "")).To(HaveLen(2))
	})

	It("serve another account at once while 64 wait of one that has its share", func() {
		s := store.NewShares(16)
		frees := takeAll(s, "a")
		var waiting sync.WaitGroup
		order := make(chan int, 64)
		for k := range 64 {
			waiting.Go(func() {
				free, err := s.Take(ctx, "a", never)
				if err == nil {
					order <- k
					free()
				}
			})
		}
		Eventually(s.Waiting).Should(Equal(64))
		for range 100 {
			free, got := take(s, "b")
			Expect(got).To(BeTrue())
			free()
		}
		for _, free := range frees {
			free()
		}
		waiting.Wait()
		Expect(order).To(HaveLen(64))
		Expect(takeAll(s, "a")).To(HaveLen(8), "none is lost")
	})

	It("tell how many are used, who waits, and who waited in vain", func() {
		s := store.NewShares(4)
		first, _ := take(s, "a")
		_, got := take(s, "a")
		Expect(got).To(BeTrue())
		Expect(s.State()).To(Equal(store.ConnectionState{Used: 2}))
		_, err := s.Take(ctx, "a", time.Millisecond)
		Expect(err).To(MatchError(store.ErrBusy))
		served := make(chan error, 1)
		go func() {
			free, err := s.Take(ctx, "a", never)
			free()
			served <- err
		}()
		Eventually(s.Waiting).Should(Equal(1))
		Expect(s.State().Waits).To(Equal(int64(1)), "the other one still waits")
		first()
		Expect(<-served).To(Succeed())
		state := s.State()
		Expect(state.Waited).To(BeNumerically(">=", time.Millisecond))
		state.Waited = 0
		Expect(state).To(Equal(store.ConnectionState{Used: 1, Waits: 2, Refused: 1}))
	})

	It("are waited for in the order of arrival, and for so long at most", func() {
		s := store.NewShares(2)
		first, got := take(s, "a")
		Expect(got).To(BeTrue())
		_, err := s.Take(ctx, "a", time.Millisecond)
		Expect(err).To(MatchError(store.ErrBusy))
		Expect(s.Waiting()).To(BeZero())
		served := make(chan string, 2)
		for k, name := range []string{"one", "two"} {
			go func() {
				free, err := s.Take(ctx, "a", never)
				if err == nil {
					served <- name
					free()
				}
			}()
			Eventually(s.Waiting).Should(Equal(k + 1))
		}
		_, got = take(s, "a")
		Expect(got).To(BeFalse())
		first()
		Expect(<-served).To(Equal("one"))
		Expect(<-served).To(Equal("two"))
	})
})
