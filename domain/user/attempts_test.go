package user_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/user"
)

var _ = Describe("Attempts that fail", func() {
	var h house
	BeforeEach(func() { h = newHouse() })

	// from is an attempt with a password, and what it is refused with.
	from := func(request user.Request, email, password string) (refused user.Refusal, ok bool) {
		GinkgoHelper()
		_, _, err := user.SignIn(h.ctx, h.store, email, password, request)
		if err != nil {
			Expect(errors.As(err, &refused)).To(BeTrue(), "%v", err)
		}
		return refused, err == nil
	}
	try := func(email, password, address string) (refused user.Refusal, ok bool) {
		GinkgoHelper()
		return from(user.Request{Address: address}, email, password)
	}
	tried := func(seconds int) user.Refusal {
		return user.Refusal{Tried: true, Wait: time.Duration(seconds) * time.Second}
	}

	It("say of an unknown address what they say of a wrong password", func() {
		for k := range 5 {
			unknown, _ := try("unknown@ours.example", sentence, "192.0.2.1")
			wrong, _ := try("mira@ours.example", another, "192.0.2.1")
			Expect(unknown).To(Equal(wrong), fmt.Sprint(k))
			Expect(unknown.Tried).To(BeTrue())
		}
		h.hold()
		for _, email := range []string{"unknown@ours.example", "mira@ours.example"} {
			refused, _ := try(email, sentence, "192.0.2.1")
			Expect(refused.Tried).To(BeFalse())
			Expect(refused.Wait).To(And(BeNumerically(">", 0), BeNumerically("<=", 20*time.Second)))
		}
	})

	It("make the next one wait, from the fifth on, longer each time, at most 20 seconds", func() {
		for k, seconds := range []int{0, 0, 0, 0, 1, 2, 4, 8, 16, 20, 20} {
			refused, _ := try("mira@ours.example", another, "192.0.2.1")
			Expect(refused).To(Equal(tried(seconds)), fmt.Sprint(k))
			h.pass(20 * time.Second)
		}
		_, ok := try("mira@ours.example", sentence, "192.0.2.1")
		Expect(ok).To(BeTrue(), "nothing is refused for good")
		refused, _ := try("mira@ours.example", another, "192.0.2.1")
		Expect(refused).To(Equal(tried(0)), "it begins again")
	})

	It("hold up the person in that network, and not elsewhere, and no other person", func() {
		h.member(h.ours, "jon@ours.example", user.RoleReader)
		for range 5 {
			_, _ = try("mira@ours.example", another, "192.0.2.1")
		}
		h.hold()
		refused, ok := try("mira@ours.example", sentence, "192.0.2.200")
		Expect(ok).To(BeFalse(), "with the right password, too")
		Expect(refused.Tried).To(BeFalse())
		_, ok = try("mira@ours.example", sentence, "192.0.3.1")
		Expect(ok).To(BeTrue())
		_, ok = try("jon@ours.example", sentence, "192.0.2.1")
		Expect(ok).To(BeTrue())
	})

	DescribeTable("count by the network that one customer of a provider has",
		func(address, same, other string) {
			_, _ = try("jon@ours.example", another, address)
			h.exec("UPDATE sign_in_failures SET failures = 29") // of other people, from there
			refused, _ := try("eve@ours.example", another, address)
			Expect(refused).To(Equal(tried(1)))
			h.hold()
			refused, _ = try("mira@ours.example", sentence, same)
			Expect(refused.Tried).To(BeFalse())
			Expect(refused.Wait).To(BeNumerically(">", 0))
			_, ok := try("mira@ours.example", sentence, other)
			Expect(ok).To(BeTrue())
		},
		Entry("of version 6, with 48 bits", "2001:db8::1", "2001:db8:0:ffff::2", "2001:db8:1::1"),
		Entry("of version 4, with 24 bits", "192.0.2.1", "::ffff:192.0.2.99", "192.0.3.1"),
	)

	It("do not lock a person out, from however many networks they come", func() {
		h.member(h.ours, "jon@ours.example", user.RoleReader)
		for k := range 52 {
			refused, _ := try("mira@ours.example", another, fmt.Sprintf("2001:db8:%x::1", k%13))
			Expect(refused.Tried).To(BeTrue())
			Expect(refused.Seconds()).To(Equal(map[bool]int{true: 20}[k >= 50]), "beyond 50 the network waits longest, at %d", k)
		}
		refused, _ := try("mira@ours.example", another, "2001:db8:ff::1")
		Expect(refused).To(Equal(tried(20)), "so does a new one after its first")
		_, ok := try("mira@ours.example", sentence, "203.0.113.1")
		Expect(ok).To(BeTrue(), "Mira elsewhere, at once")
		_, ok = try("jon@ours.example", sentence, "2001:db8:1::1")
		Expect(ok).To(BeTrue(), "another person, in a network of strangers")
	})

	It("of others do not hold up a browser in which the person signed in before", func() {
		jon := h.member(h.ours, "jon@ours.example", user.RoleReader)
		known := h.known(h.mira.Person.ID, "")
		both := h.known(jon.Person.ID, known)
		_, _ = try("mira@ours.example", another, "192.0.2.1")
		h.exec("UPDATE sign_in_failures SET failures = 99") // of Mira here and elsewhere, and of the network
		_, _ = try("mira@ours.example", another, "192.0.2.1")
		h.hold()
		attempt := func(tokens, email string) bool {
			GinkgoHelper()
			_, ok := from(user.Request{Address: "192.0.2.1", Known: tokens}, email, sentence)
			return ok
		}
		Expect(attempt("", "mira@ours.example")).To(BeFalse())
		Expect(attempt(known, "mira@ours.example")).To(BeTrue())
		Expect(attempt(both, "mira@ours.example")).To(BeTrue(), "two people share the browser")
		Expect(attempt(both, "jon@ours.example")).To(BeTrue())
		Expect(attempt(known, "jon@ours.example")).To(BeFalse(), "it is Mira's")
		Expect(attempt(strings.Replace(known, h.mira.Person.ID, jon.Person.ID, 1), "jon@ours.example")).To(BeFalse(), "it is signed")
		Expect(attempt(user.KnownAt(h.store, h.mira.Person.ID, 399*24*time.Hour), "mira@ours.example")).To(BeTrue())
		Expect(attempt(user.KnownAt(h.store, h.mira.Person.ID, 401*24*time.Hour), "mira@ours.example")).To(BeFalse(), "it is too old")
		for _, token := range []string{known, strings.Split(known, ".")[1]} {
			Expect(h.works(token)).To(BeFalse(), "it opens nothing")
		}
	})

	It("hold up a browser of before, once the person has another password", func() {
		jon := h.member(h.ours, "jon@ours.example", user.RoleReader)
		known := h.known(jon.Person.ID, h.known(h.mira.Person.ID, ""))
		link, err := user.StartReset(h.ctx, h.store, h.mira.Person.ID, false)
		Expect(err).NotTo(HaveOccurred())
		Expect(user.Reset(h.ctx, h.store, link, another, here)).To(Succeed())
		for _, email := range []string{"mira@ours.example", "jon@ours.example"} {
			_, _ = try(email, "no password of theirs", "192.0.2.1")
		}
		h.exec("UPDATE sign_in_failures SET failures = 99")
		for _, email := range []string{"mira@ours.example", "jon@ours.example"} {
			_, _ = try(email, "no password of theirs", "192.0.2.1")
		}
		h.hold()
		refused, ok := from(user.Request{Address: "192.0.2.1", Known: known}, "mira@ours.example", another)
		Expect(ok).To(BeFalse())
		Expect(refused.Tried).To(BeFalse(), "it is a stranger's")
		_, ok = from(user.Request{Address: "192.0.2.1", Known: known}, "jon@ours.example", sentence)
		Expect(ok).To(BeTrue(), "Jon has the password of before")
	})

	It("in a browser that is known slow that browser down, and no other", func() {
		known, other := h.known(h.mira.Person.ID, ""), h.known(h.mira.Person.ID, "")
		for k, seconds := range []int{0, 0, 0, 0, 1, 2} {
			refused, _ := from(user.Request{Address: fmt.Sprintf("198.51.%d.1", k), Known: known}, "mira@ours.example", another)
			Expect(refused).To(Equal(tried(seconds)))
			known = h.known(h.mira.Person.ID, known) // another sign-in does not give it new attempts
			h.pass(time.Duration(min(seconds, 1)) * time.Second)
		}
		h.hold()
		refused, _ := from(user.Request{Address: "192.0.2.1", Known: known}, "mira@ours.example", sentence)
		Expect(refused.Tried).To(BeFalse())
		_, ok := from(user.Request{Address: "192.0.2.1", Known: other}, "mira@ours.example", sentence)
		Expect(ok).To(BeTrue())
		_, ok = try("mira@ours.example", sentence, "192.0.2.1")
		Expect(ok).To(BeTrue())
	})

	It("are not what succeeds", func() {
		for range 40 {
			_, ok := try("mira@ours.example", sentence, "192.0.2.1")
			Expect(ok).To(BeTrue())
		}
		Expect(h.number("sign_in_failures WHERE failures > 0")).To(Equal(0))
	})

	It("are counted at once: of many in a wait none is compared, and of those after it one", func() {
		for range 10 {
			_, _ = try("mira@ours.example", another, "192.0.2.1")
			h.pass(20 * time.Second)
		}
		before := user.Computed()
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() { _, _, _ = user.SignIn(h.ctx, h.store, "mira@ours.example", another, here) })
		}
		all.Wait()
		Expect(user.Computed() - before).To(Equal(int64(1)))
	})

	It("are forgotten", func() {
		for k := range 5 {
			_, _ = try(fmt.Sprintf("person%d@ours.example", k), another, fmt.Sprintf("198.51.100.%d", k))
		}
		Expect(h.number("sign_in_failures")).To(Equal(11), "two of each person, one of the network")
		h.pass(time.Hour)
		_, _ = try("mira@ours.example", another, "192.0.2.1")
		_, _ = try("mira@ours.example", another, "192.0.2.1")
		Expect(h.number("sign_in_failures")).To(Equal(3))
	})
})
