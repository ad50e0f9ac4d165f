package user_test

import (
	"errors"
	"fmt"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/user"
)

var _ = Describe("A second factor", func() {
	var h house
	var secret string
	var recovery []string
	BeforeEach(func() {
		h = newHouse()
		secret, recovery = h.secured(h.mira)
	})

	// half signs in with the password alone.
	half := func() string {
		GinkgoHelper()
		token, waiting, err := user.SignIn(h.ctx, h.store, "mira@ours.example", sentence, here)
		Expect(err).NotTo(HaveOccurred())
		Expect(waiting).To(BeTrue())
		return token
	}
	complete := func(token, code string) error {
		_, err := user.CompleteSignIn(h.ctx, h.store, token, code, here)
		return err
	}
	refuse := func(err error) {
		GinkgoHelper()
		var refused user.Refusal
		Expect(errors.As(err, &refused)).To(BeTrue(), "%v", err)
	}

	It("is asked for before a session opens anything", func() {
		waiting := half()
		Expect(h.works(waiting)).To(BeFalse())
		_, err := user.FindWaiting(h.ctx, h.store, waiting)
		Expect(err).NotTo(HaveOccurred())
		token, err := user.CompleteSignIn(h.ctx, h.store, waiting, code(secret, 1), here)
		Expect(err).NotTo(HaveOccurred())
		Expect(token).NotTo(Equal(waiting))
		Expect(h.open(token, nil).SecondFactor).To(BeTrue())
		_, err = user.FindWaiting(h.ctx, h.store, waiting)
		Expect(err).To(MatchError(user.ErrNoSession))
	})

	It("takes a code once", func() {
		next := code(secret, 1)
		Expect(complete(half(), next)).To(Succeed())
		refuse(complete(half(), next))
	})

	It("takes no code of another time, and none that is not one", func() {
		for _, wrong := range []string{code(secret, 20), code(secret, -20), "", "abcdef"} {
			refuse(complete(half(), wrong))
		}
	})

	It("takes a recovery code, once, however it is typed", func() {
		Expect(recovery).To(HaveLen(10))
		Expect(recovery[0]).To(MatchRegexp(`^([a-z2-7]{4}-){3}[a-z2-7]{4}$`))
		Expect(complete(half(), strings.ToUpper(strings.ReplaceAll(recovery[0], "-", " ")))).To(Succeed())
		refuse(complete(half(), recovery[0]))
		Expect(complete(half(), recovery[1])).To(Succeed())
	})

	It("makes who gives five wrong codes wait, and no browser that the person knows", func() {
		known := here
		known.Known = h.known(h.mira.Person.ID, "")
		waiting := half()
		for range 5 {
			refuse(complete(waiting, "000000"))
		}
		h.hold()
		var refused user.Refusal
		Expect(errors.As(complete(half(), recovery[0]), &refused)).To(BeTrue())
		Expect(refused.Tried).To(BeFalse())
		Expect(refused.Wait).To(BeNumerically(">", 0))
		_, err := user.CompleteSignIn(h.ctx, h.store, half(), recovery[0], known)
		Expect(err).NotTo(HaveOccurred())
	})

	It("is guessed from many networks no faster than from one", func() {
		waiting := half()
		for k := range 50 {
			_, err := user.CompleteSignIn(h.ctx, h.store, waiting, "000000", user.Request{Address: fmt.Sprintf("198.51.%d.1", k)})
			refuse(err)
		}
		h.hold()
		_, err := user.CompleteSignIn(h.ctx, h.store, waiting, "000000", user.Request{Address: "203.0.113.1"})
		var refused user.Refusal
		Expect(errors.As(err, &refused)).To(BeTrue())
		Expect(refused.Tried).To(BeFalse())
		h.pass(20 * time.Second)
		_, err = user.CompleteSignIn(h.ctx, h.store, waiting, recovery[0], user.Request{Address: "203.0.113.1"})
		Expect(err).NotTo(HaveOccurred())
	})

	It("does not wait longer than ten minutes", func() {
		waiting := half()
		h.pass(10 * 60 * 1e9)
		Expect(complete(waiting, code(secret, 1))).To(MatchError(user.ErrNoSession))
	})

	It("is switched off by who knows the password, or by the operator", func() {
		refuse(h.mira.EndSecondFactor(h.ctx, h.store, another, here))
		Expect(h.mira.EndSecondFactor(h.ctx, h.store, sentence, here)).To(Succeed())
		h.signIn("mira@ours.example", here)
		Expect(h.number("recovery_codes")).To(Equal(0))

		h.secured(h.mira)
		token, err := user.StartReset(h.ctx, h.store, h.mira.Person.ID, false)
		Expect(err).NotTo(HaveOccurred())
		Expect(user.Reset(h.ctx, h.store, token, sentence, here)).To(Succeed())
		half() // a new password leaves it
		_, err = user.StartReset(h.ctx, h.store, h.mira.Person.ID, true)
		Expect(err).NotTo(HaveOccurred())
		h.signIn("mira@ours.example", here)
	})

	It("has other recovery codes for who knows the password, and those of before end", func() {
		jon := h.member(h.ours, "jon@ours.example", user.RoleReader)
		_, err := jon.RenewRecovery(h.ctx, h.store, sentence, here)
		Expect(err).To(MatchError(ContainSubstring("is off")))
		_, theirs := h.secured(jon)

		_, err = h.mira.RenewRecovery(h.ctx, h.store, another, here)
		refuse(err)
		Expect(complete(half(), recovery[0])).To(Succeed())
		renewed, err := h.mira.RenewRecovery(h.ctx, h.store, sentence, here)
		Expect(err).NotTo(HaveOccurred())
		Expect(renewed).To(HaveLen(10))
		refuse(complete(half(), recovery[1]))
		Expect(complete(half(), renewed[1])).To(Succeed())
		Expect(h.logged(h.ours)).To(ContainElement(HaveField("Action", "renewRecoveryCodes")))
		waiting, _, err := user.SignIn(h.ctx, h.store, "jon@ours.example", sentence, here)
		Expect(err).NotTo(HaveOccurred())
		Expect(complete(waiting, theirs[0])).To(Succeed())
	})

	It("is given before the sign-in is in the audit log of the person's account, and in no other's", func() {
		before, elsewhere := len(h.logged(h.ours)), len(h.logged(h.their))
		refuse(complete(half(), "000000"))
		Expect(h.logged(h.ours)).To(HaveLen(before))
		Expect(complete(half(), recovery[0])).To(Succeed())
		h.member(h.ours, "jon@ours.example", user.RoleReader)
		before = len(h.logged(h.ours))
		h.signIn("jon@ours.example", user.Request{Address: here.Address, ID: "req_1"})
		entries := h.logged(h.ours)
		Expect(entries).To(HaveLen(before + 1))
		Expect(entries[0].Action).To(Equal("signIn"))
		Expect(entries[0].Actor.Name).To(Equal("jon@ours.example"))
		Expect(entries[0].RequestID).To(HaveValue(Equal("req_1")))
		var mira []string
		for _, e := range entries {
			if e.Actor.ID == h.mira.Person.ID {
				mira = append(mira, e.Action)
			}
		}
		Expect(mira).To(ContainElement("signIn"))
		Expect(h.logged(h.their)).To(HaveLen(elsewhere))
	})

	Describe("that is begun", func() {
		var jon user.Session
		begin := func(s user.Session) string {
			GinkgoHelper()
			k, err := s.BeginSecondFactor(h.ctx, h.store)
			Expect(err).NotTo(HaveOccurred())
			return k.Secret
		}
		confirm := func(s user.Session, password, secret string) error {
			_, err := s.ConfirmSecondFactor(h.ctx, h.store, password, code(secret, 0), here)
			return err
		}
		BeforeEach(func() { jon = h.member(h.ours, "jon@ours.example", user.RoleReader) })

		It("is of its session: another one has another secret, and ends the first", func() {
			first := begin(jon)
			Expect(begin(jon)).To(Equal(first))
			other := h.open(h.signIn("jon@ours.example", here), nil)
			second := begin(other)
			Expect(second).NotTo(Equal(first))
			Expect(confirm(jon, sentence, first)).To(MatchError(ContainSubstring("was not begun in this session")))
			Expect(confirm(jon, sentence, second)).To(MatchError(ContainSubstring("was not begun in this session")))
			Expect(confirm(other, sentence, second)).To(Succeed())
		})

		It("wants the password", func() {
			secret := begin(jon)
			refuse(confirm(jon, another, secret))
			Expect(confirm(jon, sentence, secret)).To(Succeed())
		})

		It("lasts ten minutes", func() {
			secret := begin(jon)
			h.pass(10 * time.Minute)
			Expect(confirm(jon, sentence, secret)).To(MatchError(ContainSubstring("within ten minutes")))
			Expect(begin(jon)).NotTo(Equal(secret))
		})
	})

	It("ends the other sessions of its person once it is on, and of no other", func() {
		jon := h.member(h.ours, "jon@ours.example", user.RoleReader)
		h.member(h.ours, "kim@ours.example", user.RoleReader)
		other, strangers := h.signIn("jon@ours.example", here), h.signIn("kim@ours.example", here)
		k, err := jon.BeginSecondFactor(h.ctx, h.store)
		Expect(err).NotTo(HaveOccurred())
		_, err = jon.ConfirmSecondFactor(h.ctx, h.store, sentence, "000000", here)
		refuse(err)
		Expect(h.works(other)).To(BeTrue())
		_, err = jon.ConfirmSecondFactor(h.ctx, h.store, sentence, code(k.Secret, 0), here)
		Expect(err).NotTo(HaveOccurred())
		Expect(h.works(other)).To(BeFalse())
		Expect(h.works(strangers)).To(BeTrue())
		Expect(user.Sessions(h.ctx, h.store, jon.Person.ID)).To(HaveExactElements(HaveField("ID", jon.ID)))
	})

	It("counts once a code was given for it", func() {
		jon := h.member(h.ours, "jon@ours.example", user.RoleReader)
		k, err := jon.BeginSecondFactor(h.ctx, h.store)
		Expect(err).NotTo(HaveOccurred())
		Expect(k.URL).To(HavePrefix("otpauth://totp/Tollkeeper:jon@ours.example?"))
		Expect(k.URL).To(ContainSubstring(k.Secret))
		Expect(jon.BeginSecondFactor(h.ctx, h.store)).To(HaveField("Secret", k.Secret))
		h.signIn("jon@ours.example", here)
		_, err = jon.ConfirmSecondFactor(h.ctx, h.store, sentence, "000000", here)
		refuse(err)
		h.signIn("jon@ours.example", here)
		_, err = jon.ConfirmSecondFactor(h.ctx, h.store, sentence, code(k.Secret, 0), here)
		Expect(err).NotTo(HaveOccurred())
		_, err = jon.BeginSecondFactor(h.ctx, h.store)
		Expect(err).To(MatchError(ContainSubstring("on already")))
		Expect(h.logged(h.ours)[0].Action).To(Equal("switchOnSecondFactor"))
	})
})
