package user_test

import (
	"context"
	"runtime"
	"strconv"
	"strings"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/user"
)

var _ = Describe("The queue of passwords to hash", func() {
	// queue adds a named waiter. Its answer is sent to answers, and a waiter with a place releases it.
	type answer struct {
		name string
		err  error
	}
	queue := func(ctx context.Context, l *user.Queue, name, who string, answers chan<- answer) {
		GinkgoHelper()
		before := l.Waiting()
		go func() {
			err := l.Enter(ctx, who)
			answers <- answer{name, err}
			if err == nil {
				l.Release()
			}
		}()
		Eventually(l.Waiting).Should(Equal(before + 1))
	}

	It("has half of the processors, at least one", func() {
		l := user.Hashes()
		for range max(1, runtime.GOMAXPROCS(0)/2) {
			Expect(l.Enter(context.Background(), "")).To(Succeed())
			DeferCleanup(l.Release)
		}
		ctx, cancel := context.WithCancel(context.Background())
		answers := make(chan answer, 1)
		queue(ctx, l, "one more", "mira", answers)
		cancel()
		Eventually(answers).Should(Receive(Equal(answer{"one more", context.Canceled})))
		Expect(l.Waiting()).To(BeZero())
	})

	It("goes on in the order in which they came, who is known first", func() {
		l := user.NewQueue(1, 20)
		Expect(l.Enter(context.Background(), "")).To(Succeed())
		answers := make(chan answer, 4)
		for _, name := range []string{"stranger 1", "stranger 2", "known 1", "known 2"} {
			who, _ := strings.CutPrefix(name, "known ")
			if who == name {
				who = ""
			}
			queue(context.Background(), l, name, who, answers)
		}
		l.Release()
		for _, name := range []string{"known 1", "known 2", "stranger 1", "stranger 2"} {
			Eventually(answers).Should(Receive(Equal(answer{name, nil})))
		}
	})

	It("gives strangers one of three places, and two of a person wait at most", func() {
		l := user.NewQueue(1, 20)
		Expect(l.Enter(context.Background(), "")).To(Succeed())
		answers := make(chan answer, 9)
		for _, name := range []string{"stranger 1", "stranger 2", "a", "a", "b", "b", "c"} {
			who := name
			if len(name) > 1 {
				who = ""
			}
			queue(context.Background(), l, name, who, answers)
		}
		Expect(l.Enter(context.Background(), "a")).To(MatchError(user.ErrBusy), "two of a wait")
		l.Release()
		for _, name := range []string{"a", "a", "stranger 1", "b", "b", "stranger 2", "c"} {
			Eventually(answers).Should(Receive(Equal(answer{name, nil})))
		}
		Expect(l.Enter(context.Background(), "a")).To(Succeed())
	})

	It("keeps five places for strangers, however many known people wait", func() {
		l := user.NewQueue(1, 20)
		Expect(l.Enter(context.Background(), "")).To(Succeed())
		answers := make(chan answer, 30)
		for k := range 20 {
			who := ""
			if k >= 5 {
				who = "person " + strconv.Itoa(k/2)
			}
			queue(context.Background(), l, "waiter "+strconv.Itoa(k), who, answers)
		}
		Expect(l.Enter(context.Background(), "mira")).To(MatchError(user.ErrBusy))
		Expect(l.Waiting()).To(Equal(20))
		Expect(answers).NotTo(Receive())
		l.Release()
		for range 20 {
			var one answer
			Eventually(answers).Should(Receive(&one))
			Expect(one.err).NotTo(HaveOccurred(), one.name)
		}
	})

	It("sends strangers away where 20 wait, and has room for who is known", func() {
		l := user.NewQueue(1, 20)
		Expect(l.Enter(context.Background(), "")).To(Succeed())
		answers := make(chan answer, 30)
		for k := range 20 {
			queue(context.Background(), l, "stranger "+strconv.Itoa(k), "", answers)
		}
		Expect(l.Enter(context.Background(), "")).To(MatchError(user.ErrBusy))
		known := make(chan answer, 1)
		go func() { known <- answer{"mira", l.Enter(context.Background(), "mira")} }()
		Eventually(answers).Should(Receive(Equal(answer{"stranger 19", user.ErrBusy})))
		Expect(l.Waiting()).To(Equal(20))
		l.Release()
		Eventually(known).Should(Receive(Equal(answer{"mira", nil})))
		l.Release()
		for k := range 19 {
			Eventually(answers).Should(Receive(Equal(answer{"stranger " + strconv.Itoa(k), nil})))
		}
	})

	It("loses no place where many give up at the moment of their answer", func() {
		l := user.NewQueue(2, 20)
		var all sync.WaitGroup
		for range 200 {
			all.Go(func() {
				ctx, cancel := context.WithCancel(context.Background())
				go cancel()
				if l.Enter(ctx, "") == nil {
					runtime.Gosched()
					l.Release()
				}
			})
		}
		all.Wait()
		Expect(l.Waiting()).To(BeZero())
		Expect(l.Free()).To(Equal(2))
	})

	It("is where each password is hashed or compared: while it is full nothing is, and nothing is counted as a failure", func() {
		h := newHouse()
		link, err := user.StartReset(h.ctx, h.store, h.mira.Person.ID, false)
		Expect(err).NotTo(HaveOccurred())
		invitation := h.invite(h.ours, "jon@ours.example", user.RoleReader)
		full := user.NewQueue(1, 0)
		Expect(full.Enter(h.ctx, "mira")).To(Succeed())
		before := user.Computed()
		user.WithHashes(full, func() {
			for range 6 {
				_, _, err = user.SignIn(h.ctx, h.store, "mira@ours.example", sentence, here)
				Expect(err).To(MatchError(user.ErrBusy))
				Expect(h.mira.ChangePassword(h.ctx, h.store, sentence, another, here)).To(MatchError(user.ErrBusy))
				Expect(h.mira.EndSecondFactor(h.ctx, h.store, sentence, here)).To(MatchError(user.ErrBusy))
			}
			Expect(user.Reset(h.ctx, h.store, link, another, here)).To(MatchError(user.ErrBusy))
			_, err = user.JoinAsNew(h.ctx, h.store, invitation, user.New{Name: "Jon", Password: sentence}, here)
			Expect(err).To(MatchError(user.ErrBusy))
		})
		Expect(user.Computed()).To(Equal(before))
		Expect(h.number("sign_in_failures WHERE failures > 0")).To(BeZero())
		h.signIn("mira@ours.example", here)
		Expect(user.Reset(h.ctx, h.store, link, another, here)).To(Succeed(), "the link was not used up")
	})
})
