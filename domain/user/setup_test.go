package user_test

import (
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/account"
	"tollkeeper/domain/user"
	"tollkeeper/store"
	"tollkeeper/store/fault"
	"tollkeeper/store/storetest"
)

var mira = user.New{Email: "mira@ours.example", Name: "Mira", Password: sentence}

// empty is a server that nobody has set up.
func empty() house {
	GinkgoHelper()
	h := house{store: storetest.New(), ctx: GinkgoT().Context()}
	h.ours, h.their = h.account("Ours"), h.account("Theirs")
	return h
}

func (h house) openSetup() string {
	GinkgoHelper()
	token, err := user.OpenSetup(h.ctx, h.store)
	Expect(err).NotTo(HaveOccurred())
	return token
}

var _ = Describe("Setting up", func() {
	// The rule: semantics 21.1.5.
	It("makes the owner of all accounts that there are, once", func() {
		h := empty()
		first, second := h.openSetup(), h.openSetup()
		s := h.open(user.SetUp(h.ctx, h.store, first, mira, here))
		Expect(user.Accounts(h.ctx, h.store, s.Person.ID)).To(HaveLen(2))
		Expect(s.Role).To(Equal(user.RoleOwner))
		for _, a := range []string{h.ours.ID, h.their.ID} {
			Expect(s.Choose(h.ctx, h.store, a)).To(Succeed())
		}
		for _, a := range []account.Account{h.ours, h.their} {
			Expect(h.logged(a)[0].Actor.ID).To(Equal(s.Person.ID))
		}
		for _, token := range []string{first, second, "", "another"} {
			_, err := user.SetUp(h.ctx, h.store, token, user.New{Email: "eve@ours.example", Name: "Eve", Password: sentence}, here)
			Expect(err).To(MatchError(user.ErrLinkEnded))
			Expect(user.SetupOpen(h.ctx, h.store, token)).To(BeFalse())
		}
		Expect(h.openSetup()).To(BeEmpty())
	})

	It("has one winner of several who come at once", func() {
		h := empty()
		token := h.openSetup()
		var all sync.WaitGroup
		done := make(chan error, 4)
		for k := range 4 {
			all.Go(func() {
				in := mira
				in.Email = string(rune('a'+k)) + in.Email
				_, err := user.SetUp(h.ctx, h.store, token, in, here)
				done <- err
			})
		}
		all.Wait()
		close(done)
		won := 0
		for err := range done {
			if err == nil {
				won++
			} else {
				Expect(err).To(Or(MatchError(user.ErrLinkEnded), MatchError(user.ErrBusy)))
			}
		}
		Expect(won).To(Equal(1))
		Expect(h.number("people")).To(Equal(1))
	})

	It("is possible for a day", func() {
		h := empty()
		token := h.openSetup()
		h.pass(24 * time.Hour)
		_, err := user.SetUp(h.ctx, h.store, token, mira, here)
		Expect(err).To(MatchError(user.ErrLinkEnded))
	})

	DescribeTable("is not done by",
		func(change func(in *user.New), field string) {
			h := empty()
			in := mira
			change(&in)
			_, err := user.SetUp(h.ctx, h.store, h.openSetup(), in, here)
			Expect(fault.Is(err, fault.KindInvalid)).To(BeTrue())
			Expect(err).To(MatchError(HavePrefix(field + ": ")))
			Expect(h.number("people")).To(Equal(0))
		},
		Entry("nobody", func(in *user.New) { in.Name = " " }, "name"),
		Entry("a name of two lines", func(in *user.New) { in.Name = "Mira\nKovač" }, "name"),
		Entry("no address", func(in *user.New) { in.Email = "mira" }, "email"),
		Entry("an address with a name", func(in *user.New) { in.Email = "Mira <mira@ours.example>" }, "email"),
		Entry("a short password", func(in *user.New) { in.Password = "short" }, "password"),
	)
})

var _ = Describe("An invitation", func() {
	var h house
	BeforeEach(func() { h = newHouse() })

	It("makes somebody new a member, once", func() {
		token := h.invite(h.ours, "jon@ours.example", user.RoleFinance)
		Expect(user.FindInvitation(h.ctx, h.store, token)).To(Equal(user.Invited{
			AccountID: h.ours.ID, AccountName: "Ours", Email: "jon@ours.example", Role: user.RoleFinance,
		}))
		s := h.open(user.JoinAsNew(h.ctx, h.store, token, user.New{Name: "Jon", Password: sentence}, here))
		Expect(s.AccountID).To(Equal(h.ours.ID))
		Expect(s.Role).To(Equal(user.RoleFinance))
		Expect(user.Accounts(h.ctx, h.store, s.Person.ID)).To(HaveLen(1))
		_, err := user.FindInvitation(h.ctx, h.store, token)
		Expect(err).To(MatchError(user.ErrLinkEnded))
		_, err = user.JoinAsNew(h.ctx, h.store, token, user.New{Name: "Eve", Password: sentence}, here)
		Expect(err).To(MatchError(user.ErrLinkEnded))
		entry := h.logged(h.ours)[0]
		Expect(entry.Action).To(Equal("joinAccount"))
		Expect(entry.Actor.ID).To(Equal(s.Person.ID))
	})

	It("does not let who has the link of somebody else's be that person", func() {
		token := h.invite(h.their, "mira@ours.example", user.RoleReader)
		Expect(user.FindInvitation(h.ctx, h.store, token)).To(HaveField("Known", true))
		_, err := user.JoinAsNew(h.ctx, h.store, token, user.New{Name: "Eve", Password: another}, here)
		Expect(err).To(MatchError(ContainSubstring("sign in to join")))
		eve := h.member(h.their, "eve@theirs.example", user.RoleReader)
		Expect(eve.Join(h.ctx, h.store, token, here)).To(MatchError(ContainSubstring("for another person")))
		Expect(h.mira.Join(h.ctx, h.store, token, here)).To(Succeed())
	})

	// The rule: semantics 21.1.4.
	It("ends when it is withdrawn, replaced or three days old", func() {
		ended := func(token string) {
			GinkgoHelper()
			_, err := user.JoinAsNew(h.ctx, h.store, token, user.New{Name: "Jon", Password: sentence}, here)
			Expect(err).To(MatchError(user.ErrLinkEnded))
		}
		replaced := h.invite(h.ours, "jon@ours.example", user.RoleReader)
		withdrawn := h.invite(h.ours, "Jon@ours.example", user.RoleReader)
		ended(replaced)
		Expect(h.in(h.ours, func(tx *store.Tx) error {
			all, err := user.Invitations(tx)
			Expect(all).To(HaveLen(1))
			Expect(err).NotTo(HaveOccurred())
			return user.Withdraw(tx, all[0].ID)
		})).To(Succeed())
		ended(withdrawn)
		old := h.invite(h.ours, "jon@ours.example", user.RoleReader)
		h.pass(3 * 24 * time.Hour)
		ended(old)
		Expect(h.number("people")).To(Equal(1))
	})

	It("is not made for a member, for no role, or for no address", func() {
		for field, do := range map[string]func(tx *store.Tx) error{
			"email: belongs": func(tx *store.Tx) error {
				_, _, err := user.Invite(tx, "Mira@ours.example", user.RoleReader)
				return err
			},
			"email: must": func(tx *store.Tx) error { _, _, err := user.Invite(tx, "mira", user.RoleReader); return err },
			"role: must":  func(tx *store.Tx) error { _, _, err := user.Invite(tx, "jon@ours.example", "admin"); return err },
		} {
			Expect(h.in(h.ours, do)).To(MatchError(HavePrefix(field)))
		}
	})

	It("is used by one of several who come at once", func() {
		token := h.invite(h.ours, "jon@ours.example", user.RoleReader)
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() { _, _ = user.JoinAsNew(h.ctx, h.store, token, user.New{Name: "Jon", Password: sentence}, here) })
		}
		all.Wait()
		Expect(h.number("people")).To(Equal(2))
		Expect(h.number("memberships")).To(Equal(2))
	})
})

var _ = Describe("What is done by a link", func() {
	// attempt is something that is done once, on a database of its own.
	type attempt struct {
		house
		do              func(st *store.Store) error
		untouched, done func()
	}
	// Each statement of it fails once. One before anything was sent is repeated, so it is done then.
	broken := func(begin func() attempt) {
		GinkgoHelper()
		failed, at := 0, begin()
		flaky := storetest.NewFlakyConn(at.store)
		for n := 1; ; n++ {
			Expect(n).To(BeNumerically("<", 60))
			flaky.Break(n, storetest.AtStatement)
			err := at.do(flaky.Store)
			broke := flaky.Broke()
			if err != nil {
				Expect(broke).To(BeTrue(), "%v", err)
				failed++
				at.untouched()
				continue
			}
			at.done()
			if !broke {
				break
			}
			at = begin()
			flaky = storetest.NewFlakyConn(at.store)
		}
		Expect(failed).To(BeNumerically(">", 8), "statements that failed")
	}

	It("is done as a whole or not at all when a statement of setting up fails", func() {
		broken(func() attempt {
			h := empty()
			token := h.openSetup()
			return attempt{h, func(st *store.Store) error { _, err := user.SetUp(h.ctx, st, token, mira, here); return err },
				func() {
					for _, table := range []string{"people", "credentials", "memberships", "sessions", "audit_entries"} {
						Expect(h.number(table)).To(Equal(0), table)
					}
					Expect(user.SetupOpen(h.ctx, h.store, token)).To(BeTrue())
				}, func() {
					Expect(h.number("people")).To(Equal(1))
					Expect(h.number("memberships")).To(Equal(2))
					Expect(h.number("audit_entries")).To(Equal(2))
				}}
		})
	})

	It("is done as a whole or not at all when a statement of joining fails", func() {
		broken(func() attempt {
			h := newHouse()
			token := h.invite(h.ours, "jon@ours.example", user.RoleReader)
			entries := h.number("audit_entries")
			join := func(st *store.Store) error {
				_, err := user.JoinAsNew(h.ctx, st, token, user.New{Name: "Jon", Password: sentence}, here)
				return err
			}
			return attempt{h, join, func() {
				Expect(h.number("people")).To(Equal(1))
				Expect(h.number("memberships")).To(Equal(1))
				Expect(h.number("audit_entries")).To(Equal(entries))
				_, err := user.FindInvitation(h.ctx, h.store, token)
				Expect(err).NotTo(HaveOccurred())
			}, func() {
				Expect(h.number("people")).To(Equal(2))
				Expect(h.number("memberships")).To(Equal(2))
				Expect(h.number("audit_entries")).To(Equal(entries + 1))
			}}
		})
	})
})
