package user_test

import (
	"errors"
	"fmt"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/user"
	"tollkeeper/store/fault"
)

var _ = Describe("Signing in", func() {
	var h house
	BeforeEach(func() { h = newHouse() })

	// try is an attempt with a password, and what it is refused with.
	try := func(email, password, address string) (refused user.Refusal, ok bool) {
		GinkgoHelper()
		_, _, err := user.SignIn(h.ctx, h.store, email, password, user.Request{Address: address})
		if err != nil {
			Expect(errors.As(err, &refused)).To(BeTrue(), "%v", err)
		}
		return refused, err == nil
	}

	DescribeTable("takes an address however its letters are written",
		func(email string) {
			_, ok := try(email, sentence, "192.0.2.1")
			Expect(ok).To(BeTrue())
		},
		Entry("as it was", "mira@ours.example"),
		Entry("in capitals", "MIRA@OURS.EXAMPLE"),
		Entry("with blanks around", " mira@ours.example "),
	)

	It("says of an unknown address what it says of a wrong password", func() {
		for k := range 6 {
			unknown, _ := try("nobody@ours.example", sentence, "192.0.2.1")
			wrong, _ := try("mira@ours.example", another, "192.0.2.1")
			Expect(unknown.Left).To(Equal(wrong.Left), fmt.Sprint(k))
			Expect(unknown.Wait).To(BeNumerically("~", wrong.Wait, 2*time.Second))
			Expect(unknown.Error()).To(Equal(wrong.Error()))
		}
	})

	It("computes for an unknown address, and for a person without a password, what it computes for a wrong one", func() {
		_, _, err := user.CreateMember(h.ctx, h.store, h.ours.ID, user.New{Email: "new@ours.example", Name: "New"}, user.RoleReader)
		Expect(err).NotTo(HaveOccurred())
		for _, email := range []string{"mira@ours.example", "nobody@ours.example", "new@ours.example"} {
			before := user.Computed()
			_, _ = try(email, another, "192.0.2.1")
			Expect(user.Computed()-before).To(Equal(int64(1)), email)
		}
	})

	It("pauses after five failures of a person from a network, and not for others", func() {
		for left := 4; left >= 0; left-- {
			refused, _ := try("mira@ours.example", another, "192.0.2.1")
			Expect(refused).To(Equal(user.Refusal{Left: left}))
		}
		refused, ok := try("mira@ours.example", sentence, "192.0.2.1")
		Expect(ok).To(BeFalse(), "with the right password, too")
		Expect(refused.Wait).To(BeNumerically("~", 15*time.Minute, time.Minute))
		_, ok = try("mira@ours.example", sentence, "198.51.100.1")
		Expect(ok).To(BeTrue(), "a stranger elsewhere does not lock a person out")
		h.pass(14 * time.Minute)
		_, ok = try("mira@ours.example", sentence, "192.0.2.1")
		Expect(ok).To(BeFalse())
		h.pass(2 * time.Minute)
		_, ok = try("mira@ours.example", sentence, "192.0.2.1")
		Expect(ok).To(BeTrue())
		refused, _ = try("mira@ours.example", another, "192.0.2.1")
		Expect(refused.Left).To(Equal(4), "it begins again")
	})

	It("pauses a network that tries many people", func() {
		for k := range 30 {
			refused, _ := try(fmt.Sprintf("person%d@ours.example", k), another, "2001:db8::1")
			Expect(refused.Wait).To(BeZero())
		}
		refused, _ := try("mira@ours.example", sentence, "2001:db8::2")
		Expect(refused.Wait).To(BeNumerically(">", 0), "of the same network")
		_, ok := try("mira@ours.example", sentence, "2001:db8:1::1")
		Expect(ok).To(BeTrue())
	})

	It("pauses a person whom many networks try", func() {
		for k := range 50 {
			refused, _ := try("mira@ours.example", another, fmt.Sprintf("198.51.%d.1", k))
			Expect(refused.Wait).To(BeZero())
		}
		refused, _ := try("mira@ours.example", another, "203.0.113.1")
		Expect(refused.Wait).To(BeNumerically(">", 0))
	})

	It("does not count what succeeds", func() {
		for range 40 {
			_, ok := try("mira@ours.example", sentence, "192.0.2.1")
			Expect(ok).To(BeTrue())
		}
		Expect(h.number("sign_in_failures WHERE failures > 0")).To(Equal(0))
	})

	It("counts attempts at once: no more than five are compared", func() {
		before := user.Computed()
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() { _, _, _ = user.SignIn(h.ctx, h.store, "mira@ours.example", another, here) })
		}
		all.Wait()
		Expect(user.Computed() - before).To(BeNumerically("<=", 5))
	})

	It("forgets old failures", func() {
		for k := range 5 {
			_, _ = try(fmt.Sprintf("person%d@ours.example", k), another, fmt.Sprintf("198.51.100.%d", k))
		}
		Expect(h.number("sign_in_failures")).To(Equal(15))
		h.pass(time.Hour)
		_, _ = try("mira@ours.example", another, "192.0.2.1")
		_, _ = try("mira@ours.example", another, "192.0.2.1")
		Expect(h.number("sign_in_failures")).To(Equal(3))
	})
})

var _ = DescribeTable("A password is refused that",
	func(password, reason string) {
		Expect(user.CheckPassword(password, "mira@ours.example", "Mira Kovač")).To(MatchError(ContainSubstring(reason)))
	},
	Entry("has eleven letters", "9fK2mQx7wLz", "at least 12 characters"),
	Entry("has many bytes and few letters", "éèêëéèêë", "at least 12 characters"),
	Entry("is endless", string(make([]byte, 129)), "at most 128 characters"),
	Entry("is guessed first", "password1234", "guessed first"),
	Entry("is one letter", "aaaaaaaaaaaaaaaa", "guessed first"),
	Entry("is a row of keys", "qwertyuiop123", "guessed first"),
	Entry("is the name of the product", "tollkeeper11", "guessed first"),
	Entry("is the address", "mira@ours.example", "guessed first"),
)

var _ = Describe("A password", func() {
	It("may be a sentence, of any letters", func() {
		for _, password := range []string{sentence, another, "naïve œuvres 駅前 42", "9fK2mQx7wLz4"} {
			Expect(user.CheckPassword(password, "mira@ours.example", "Mira")).To(Succeed())
		}
	})

	It("is the same however its accents are put together", func() {
		h := newHouse()
		token, err := user.StartReset(h.ctx, h.store, h.mira.Person.ID, false)
		Expect(err).NotTo(HaveOccurred())
		Expect(user.Reset(h.ctx, h.store, token, "un café près du ruisseau", here)).To(Succeed())
		_, _, err = user.SignIn(h.ctx, h.store, "mira@ours.example", "un cafe\u0301 pre\u0300s du ruisseau", here)
		Expect(err).NotTo(HaveOccurred())
	})

	It("is changed by who knows it, which ends the other sessions", func() {
		h := newHouse()
		token := h.signIn("mira@ours.example", here)
		kept := h.signIn("mira@ours.example", here)
		s := h.open(kept, nil)
		var refused user.Refusal
		Expect(errors.As(s.ChangePassword(h.ctx, h.store, another, another, here), &refused)).To(BeTrue())
		Expect(s.ChangePassword(h.ctx, h.store, sentence, "short", here)).To(MatchError(ContainSubstring("at least 12")))
		Expect(s.ChangePassword(h.ctx, h.store, sentence, another, here)).To(Succeed())
		Expect(h.works(token)).To(BeFalse())
		Expect(h.works(kept)).To(BeTrue())
		_, _, err := user.SignIn(h.ctx, h.store, "mira@ours.example", another, here)
		Expect(err).NotTo(HaveOccurred())
		Expect(h.logged(h.ours)[0].Action).To(Equal("changePassword"))
	})
})

var _ = Describe("Resetting a password", func() {
	var h house
	BeforeEach(func() { h = newHouse() })

	It("ends the sessions of the person, and the link", func() {
		session := h.signIn("mira@ours.example", here)
		before, err := user.StartReset(h.ctx, h.store, h.mira.Person.ID, false)
		Expect(err).NotTo(HaveOccurred())
		token, err := user.StartReset(h.ctx, h.store, h.mira.Person.ID, false)
		Expect(err).NotTo(HaveOccurred())
		Expect(user.Reset(h.ctx, h.store, before, another, here)).To(MatchError(user.ErrLinkEnded), "it was replaced")
		Expect(h.works(session)).To(BeTrue())
		Expect(user.Reset(h.ctx, h.store, token, another, here)).To(Succeed())
		Expect(h.works(session)).To(BeFalse())
		Expect(user.Reset(h.ctx, h.store, token, sentence, here)).To(MatchError(user.ErrLinkEnded))
		_, _, err = user.SignIn(h.ctx, h.store, "mira@ours.example", another, here)
		Expect(err).NotTo(HaveOccurred())
	})

	It("is possible for an hour by a link that is mailed, which is counted whether the address is known or not", func() {
		session := h.signIn("mira@ours.example", here)
		p, token, err := user.StartForgotten(h.ctx, h.store, "MIRA@ours.example", here)
		Expect(err).NotTo(HaveOccurred())
		Expect(p.Email).To(Equal("mira@ours.example"))
		Expect(h.logged(h.ours)[0].Action).To(Equal("requestPasswordReset"))
		_, again, err := user.StartForgotten(h.ctx, h.store, "mira@ours.example", here)
		Expect(err).NotTo(HaveOccurred())
		Expect(user.Reset(h.ctx, h.store, token, another, here)).To(MatchError(user.ErrLinkEnded), "it was replaced")
		h.pass(59 * time.Minute)
		Expect(user.Reset(h.ctx, h.store, again, another, here)).To(Succeed())
		Expect(h.works(session)).To(BeFalse())
		Expect(user.Reset(h.ctx, h.store, again, sentence, here)).To(MatchError(user.ErrLinkEnded), "it was used")

		_, late, err := user.StartForgotten(h.ctx, h.store, "mira@ours.example", here)
		Expect(err).NotTo(HaveOccurred())
		h.pass(time.Hour)
		Expect(user.Reset(h.ctx, h.store, late, sentence, here)).To(MatchError(user.ErrLinkEnded), "its time is over")
		_, _, err = user.StartForgotten(h.ctx, h.store, "nobody@ours.example", here)
		Expect(fault.Is(err, fault.KindMissing)).To(BeTrue())

		for _, email := range []string{"mira@ours.example", "nobody@ours.example"} {
			for k := range 4 {
				err := user.CountForgotten(h.ctx, h.store, email, here)
				var refused user.Refusal
				Expect(errors.As(err, &refused)).To(Equal(k == 3), "%s, %d", email, k)
			}
		}
		h.pass(15 * time.Minute)
		Expect(user.CountForgotten(h.ctx, h.store, "mira@ours.example", here)).To(Succeed())
	})

	It("is possible for a day", func() {
		token, err := user.StartReset(h.ctx, h.store, h.mira.Person.ID, false)
		Expect(err).NotTo(HaveOccurred())
		h.pass(24 * time.Hour)
		Expect(user.Reset(h.ctx, h.store, token, another, here)).To(MatchError(user.ErrLinkEnded))
	})

	It("is done by an owner for who belongs to no account of others", func() {
		jon := h.member(h.ours, "jon@ours.example", user.RoleReader)
		Expect(h.mira.StartResetIn(h.store, h.ctx, jon.Person.ID)).NotTo(BeEmpty())
		_, err := jon.StartResetIn(h.store, h.ctx, h.mira.Person.ID)
		Expect(err).To(MatchError(ContainSubstring("only an owner")))
		Expect(jon.Join(h.ctx, h.store, h.invite(h.their, "jon@ours.example", user.RoleReader), here)).To(Succeed())
		_, err = h.mira.StartResetIn(h.store, h.ctx, jon.Person.ID)
		Expect(err).To(MatchError(ContainSubstring("of which you are no owner")))
	})
})
