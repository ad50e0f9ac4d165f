package user_test

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"gorm.io/gorm"

	"tollkeeper/domain/audit"
	"tollkeeper/domain/user"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

var _ = Describe("A session", func() {
	var h house
	BeforeEach(func() { h = newHouse() })

	It("has its person, their account and role, and a token for forms", func() {
		Expect(h.mira.Person.Email).To(Equal("mira@ours.example"))
		Expect(h.mira.AccountID).To(Equal(h.ours.ID))
		Expect(h.mira.Role).To(Equal(user.RoleOwner))
		Expect(h.mira.CSRF).To(HaveLen(43))
		other := h.open(h.signIn("mira@ours.example", here), nil)
		Expect(other.CSRF).NotTo(Equal(h.mira.CSRF))
	})

	It("is known by its digest only", func() {
		token := h.signIn("mira@ours.example", here)
		Expect(token).To(HaveLen(43))
		var hashes [][]byte
		Expect(h.store.AsOwner(h.ctx, func(db *gorm.DB) error { return db.Raw("SELECT hash FROM sessions").Scan(&hashes).Error })).To(Succeed())
		Expect(hashes).To(HaveLen(2))
		for _, hash := range hashes {
			Expect(hash).To(HaveLen(32))
			Expect(string(hash)).NotTo(ContainSubstring(token[:8]))
		}
	})

	// The rule: semantics 21.1.6.
	DescribeTable("ends",
		func(keep bool, uses, apart time.Duration, works bool) {
			token := h.signIn("mira@ours.example", user.Request{Keep: keep})
			for used := time.Duration(0); used < uses; used += apart {
				h.pass(apart)
				if used+apart < uses {
					Expect(h.works(token)).To(BeTrue(), (used + apart).String())
				}
			}
			Expect(h.works(token)).To(Equal(works))
		},
		Entry("not within two hours without use", false, 119*time.Minute, 119*time.Minute, true),
		Entry("after two hours without use", false, 2*time.Hour, 2*time.Hour, false),
		Entry("not within twelve hours when it is used", false, 11*time.Hour, time.Hour, true),
		Entry("after twelve hours, even when it is used", false, 12*time.Hour, time.Hour, false),
		Entry("on a device of one's own, not within 13 days without use", true, 13*24*time.Hour, 13*24*time.Hour, true),
		Entry("on a device of one's own, after 14 days without use", true, 14*24*time.Hour, 14*24*time.Hour, false),
		Entry("on a device of one's own, after 30 days, even when it is used", true, 30*24*time.Hour, 5*24*time.Hour, false),
	)

	It("is listed and revoked by its person, and by nobody else", func() {
		token := h.signIn("mira@ours.example", user.Request{Address: "192.0.2.9", Browser: "Safari"})
		h.member(h.ours, "jon@ours.example", user.RoleReader)
		all, err := user.Sessions(h.ctx, h.store, h.mira.Person.ID)
		Expect(err).NotTo(HaveOccurred())
		Expect(all).To(HaveLen(2))
		Expect(all[0].Browser).To(Equal("Safari"))
		Expect(all[0].Address).To(Equal("192.0.2.9"))
		jon := h.open(h.signIn("jon@ours.example", here), nil)
		Expect(fault.Is(jon.Revoke(h.ctx, h.store, all[0].ID), fault.KindMissing)).To(BeTrue())
		Expect(h.works(token)).To(BeTrue())
		Expect(h.mira.Revoke(h.ctx, h.store, all[0].ID)).To(Succeed())
		Expect(h.works(token)).To(BeFalse())
		Expect(user.Sessions(h.ctx, h.store, h.mira.Person.ID)).To(HaveLen(1))
	})

	It("ends the others of its person", func() {
		first, second := h.signIn("mira@ours.example", here), h.signIn("mira@ours.example", here)
		Expect(h.open(second, nil).RevokeOthers(h.ctx, h.store)).To(Succeed())
		Expect(h.works(first)).To(BeFalse())
		Expect(h.works(second)).To(BeTrue())
	})

	It("looks at another account of its person, and at no other", func() {
		Expect(fault.Is(h.mira.Choose(h.ctx, h.store, h.their.ID), fault.KindMissing)).To(BeTrue())
		Expect(h.mira.Choose(h.ctx, h.store, h.ours.ID)).To(Succeed())

		Expect(h.mira.Join(h.ctx, h.store, h.invite(h.their, "MIRA@ours.example", user.RoleReader), here)).To(Succeed())
		again := h.open(h.signIn("mira@ours.example", here), nil)
		Expect(again.AccountID).To(Equal(h.their.ID), "the one that was chosen last")
		Expect(again.Role).To(Equal(user.RoleReader))
		Expect(user.Accounts(h.ctx, h.store, h.mira.Person.ID)).To(Equal([]user.Membership{
			{AccountID: h.ours.ID, AccountName: "Ours", Mode: "test", Role: user.RoleOwner},
			{AccountID: h.their.ID, AccountName: "Theirs", Mode: "test", Role: user.RoleReader},
		}))
	})

	It("has no account once its person is no member of it", func() {
		token := h.signIn("mira@ours.example", here)
		h.exec("DELETE FROM memberships")
		s := h.open(token, nil)
		Expect(s.AccountID).To(BeEmpty())
		Expect(s.Role).To(BeEmpty())
		Expect(s.Rights()).To(BeEmpty())
	})

	It("puts what its person changes into the audit log under that person", func() {
		ctx := h.mira.Begin(h.ctx, "inviteMember", "req_9")
		Expect(h.store.Update(ctx, func(tx *store.Tx) error {
			_, _, err := user.Invite(tx, "jon@ours.example", user.RoleReader)
			return err
		})).To(Succeed())
		entry := h.logged(h.ours)[0]
		Expect(entry.Actor).To(Equal(audit.Actor{Type: audit.Person, ID: h.mira.Person.ID, Name: "Mira"}))
		Expect(entry.Action).To(Equal("inviteMember"))
		Expect(entry.Changes).To(HaveLen(1))
		Expect(string(*entry.Changes[0].After)).To(ContainSubstring(`"hash": "hidden"`))
	})
})

var _ = Describe("Row-level security of people", func() {
	It("shows an account its members alone, and a person what is theirs", func() {
		h := newHouse()
		jon := h.member(h.their, "jon@theirs.example", user.RoleOwner)
		h.invite(h.their, "pia@theirs.example", user.RoleReader)
		Expect(user.Accounts(h.ctx, h.store, jon.Person.ID)).To(HaveLen(1))

		Expect(h.in(h.ours, func(tx *store.Tx) error {
			members, err := user.Members(tx)
			Expect(members).To(HaveLen(1))
			Expect(members[0].Email).To(Equal("mira@ours.example"))
			Expect(err).NotTo(HaveOccurred())
			Expect(user.Invitations(tx)).To(BeEmpty())
			// Not even without the conditions of queries.
			for table, rows := range map[string]int{
				"people": 1, "memberships": 1, "invitations": 0, "credentials": 0, "sessions": 0, "recovery_codes": 0, "password_resets": 0,
			} {
				var n int
				Expect(tx.Raw("SELECT count(*) FROM " + table).Scan(&n).Error).To(Succeed())
				Expect(n).To(Equal(rows), table)
			}
			for what, err := range map[string]error{
				"role":   user.ChangeRole(tx, jon.Person.ID, user.RoleReader),
				"remove": user.Remove(tx, jon.Person.ID),
			} {
				Expect(fault.Is(err, fault.KindMissing)).To(BeTrue(), what)
			}
			_, err = h.mira.StartReset(tx, jon.Person.ID)
			Expect(fault.Is(err, fault.KindMissing)).To(BeTrue())
			return nil
		})).To(Succeed())
		for _, table := range []string{"setup_links", "sign_in_failures", "browser_secret"} {
			err := h.in(h.ours, func(tx *store.Tx) error { return tx.Exec("SELECT FROM " + table).Error })
			Expect(err).To(MatchError(ContainSubstring("permission denied")), table)
		}
	})
})
