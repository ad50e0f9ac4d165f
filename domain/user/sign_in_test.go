package user_test

import (
	"errors"
	"fmt"
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

	It("computes for an unknown address, and for a person without a password, what it computes for a wrong one", func() {
		_, _, err := user.CreateMember(h.ctx, h.store, h.ours.ID, user.New{Email: "new@ours.example", Name: "New"}, user.RoleReader)
		Expect(err).NotTo(HaveOccurred())
		for _, email := range []string{"mira@ours.example", "unknown@ours.example", "new@ours.example"} {
			before := user.Computed()
			_, _ = try(email, another, "192.0.2.1")
			Expect(user.Computed()-before).To(Equal(int64(1)), email)
		}
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
		Expect(h.logged(h.ours)).To(ContainElement(HaveField("Action", "changePassword")))
	})
})

var _ = Describe("Resetting a password", func() {
	var h house
	BeforeEach(func() { h = newHouse() })

	It("ends the sessions of the person, and all their links", func() {
		session := h.signIn("mira@ours.example", here)
		before, err := user.StartReset(h.ctx, h.store, h.mira.Person.ID, false)
		Expect(err).NotTo(HaveOccurred())
		token, err := user.StartReset(h.ctx, h.store, h.mira.Person.ID, false)
		Expect(err).NotTo(HaveOccurred())
		jon := h.member(h.ours, "jon@ours.example", user.RoleReader)
		others, err := user.StartReset(h.ctx, h.store, jon.Person.ID, false)
		Expect(err).NotTo(HaveOccurred())
		Expect(h.works(session)).To(BeTrue())
		Expect(user.Reset(h.ctx, h.store, before, another, here)).To(Succeed(), "the later link did not end it")
		Expect(h.works(session)).To(BeFalse())
		for _, used := range []string{before, token} {
			Expect(user.Reset(h.ctx, h.store, used, sentence, here)).To(MatchError(user.ErrLinkEnded))
		}
		Expect(user.FindReset(h.ctx, h.store, others)).To(HaveField("ID", jon.Person.ID))
		_, _, err = user.SignIn(h.ctx, h.store, "mira@ours.example", another, here)
		Expect(err).NotTo(HaveOccurred())
	})

	It("is possible for an hour by a link that is mailed", func() {
		session := h.signIn("mira@ours.example", here)
		p, token, err := user.StartForgotten(h.ctx, h.store, "MIRA@ours.example", here)
		Expect(err).NotTo(HaveOccurred())
		Expect(p.Email).To(Equal("mira@ours.example"))
		Expect(h.logged(h.ours)[0].Action).To(Equal("requestPasswordReset"))
		h.pass(59 * time.Minute)
		Expect(user.Reset(h.ctx, h.store, token, another, here)).To(Succeed())
		Expect(h.works(session)).To(BeFalse())

		_, late, err := user.StartForgotten(h.ctx, h.store, "mira@ours.example", here)
		Expect(err).NotTo(HaveOccurred())
		h.pass(time.Hour)
		Expect(user.Reset(h.ctx, h.store, late, sentence, here)).To(MatchError(user.ErrLinkEnded), "its time is over")
		_, _, err = user.StartForgotten(h.ctx, h.store, "unknown@ours.example", here)
		Expect(fault.Is(err, fault.KindMissing)).To(BeTrue())
	})

	It("is not kept from a person by strangers who ask for links", func() {
		jon := h.member(h.ours, "jon@ours.example", user.RoleReader)
		var links []string
		for range 3 {
			_, link, err := user.StartForgotten(h.ctx, h.store, "mira@ours.example", here)
			Expect(err).NotTo(HaveOccurred())
			links = append(links, link)
		}
		_, _, err := user.StartForgotten(h.ctx, h.store, "mira@ours.example", here)
		Expect(err).To(MatchError(user.ErrMailedEnough))
		_, _, err = user.StartForgotten(h.ctx, h.store, "jon@ours.example", here)
		Expect(err).NotTo(HaveOccurred(), "Jon is another")
		h.pass(15 * time.Minute)
		_, _, err = user.StartForgotten(h.ctx, h.store, "mira@ours.example", here)
		Expect(err).NotTo(HaveOccurred())
		Expect(user.Reset(h.ctx, h.store, links[0], another, here)).To(Succeed(), "the first link, after all others")
		_, err = user.FindReset(h.ctx, h.store, links[2])
		Expect(err).To(MatchError(user.ErrLinkEnded))
		h.signIn(jon.Person.Email, here)
	})

	It("is asked for at most ten times at once from a network, for all people, then after a wait", func() {
		known := h.known(h.mira.Person.ID, "")
		for k := range 10 {
			Expect(user.CountForgotten(h.ctx, h.store, fmt.Sprintf("person%d@ours.example", k), here)).To(Succeed())
		}
		h.hold()
		ask := func(from user.Request) error { return user.CountForgotten(h.ctx, h.store, "mira@ours.example", from) }
		var refused user.Refusal
		Expect(errors.As(ask(here), &refused)).To(BeTrue())
		Expect(refused.Wait).To(BeNumerically("<=", 20*time.Second))
		Expect(ask(user.Request{Address: "203.0.113.1"})).To(Succeed())
		Expect(ask(user.Request{Address: here.Address, Known: known})).To(Succeed(), "a browser that Mira knows")
		h.pass(20 * time.Second)
		Expect(ask(here)).To(Succeed())
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
