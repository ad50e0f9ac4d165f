package user_test

import (
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/account"
	"tollkeeper/domain/user"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

var _ = Describe("Roles", func() {
	// may are the letters of the roles that have a right: Owner, Finance, Engineer, Support, Reader.
	// The rule: semantics 21.1.1.
	DescribeTable("decide by the rights of API keys",
		func(rights, may string) {
			for _, text := range strings.Fields(rights) {
				right, err := account.ParseRight(text)
				Expect(err).NotTo(HaveOccurred())
				has := ""
				for _, role := range user.Roles {
					if role.Rights().May(right) {
						has += role.Title()[:1]
					}
				}
				Expect(has).To(Equal(may), text)
			}
		},
		Entry("all see all but keys", `alerts:read audit_log:read backfills:read coupons:read credit_notes:read credits:read customers:read
			dimensional_price_groups:read events:read invoices:read items:read letterhead:read license_types:read licenses:read metrics:read plans:read prices:read
			subscriptions:read test_clock:read webhooks:read`, "OFESR"),
		Entry("customers, credits and their alerts", "customers:write credits:write alerts:write", "OFS"),
		Entry("invoices and what they come from", "invoices:write credit_notes:write coupons:write subscriptions:write licenses:write", "OF"),
		Entry("the catalog", "plans:write prices:write metrics:write items:write dimensional_price_groups:write license_types:write", "OE"),
		Entry("keys, webhooks, backfills, events and the clock",
			"api_keys:read api_keys:write webhooks:write backfills:write events:write events:ingest test_clock:write", "OE"),
		Entry("what the owner alone writes", "audit_log:write letterhead:write", "O"),
	)

	It("are decided for each resource of the contract", func() {
		for _, resource := range account.Resources {
			Expect(user.RoleOwner.Rights().May(account.Right{Resource: resource, Access: account.AccessWrite})).To(BeTrue())
			Expect(user.RoleReader.Rights().May(account.Right{Resource: resource, Access: account.AccessWrite})).To(BeFalse())
		}
		Expect(user.Role("").Rights()).To(BeEmpty())
		Expect(user.Role("admin").Rights()).To(BeEmpty())
		for _, role := range user.Roles {
			Expect(role.ManagesAccount()).To(Equal(role == user.RoleOwner))
		}
	})
})

var _ = Describe("Members of an account", func() {
	var h house
	var jon user.Session
	BeforeEach(func() {
		h = newHouse()
		jon = h.member(h.ours, "jon@ours.example", user.RoleEngineer)
	})

	It("get another role, which holds at once", func() {
		token := h.signIn("jon@ours.example", here)
		Expect(h.in(h.ours, func(tx *store.Tx) error { return user.ChangeRole(tx, jon.Person.ID, user.RoleFinance) })).To(Succeed())
		Expect(h.open(token, nil).Role).To(Equal(user.RoleFinance))
		Expect(h.in(h.ours, func(tx *store.Tx) error { return user.ChangeRole(tx, jon.Person.ID, "admin") })).To(MatchError(HavePrefix("role: must be one of owner")))
	})

	It("are removed at once", func() {
		token := h.signIn("jon@ours.example", here)
		Expect(h.in(h.ours, func(tx *store.Tx) error { return user.Remove(tx, jon.Person.ID) })).To(Succeed())
		Expect(h.open(token, nil).AccountID).To(BeEmpty())
		Expect(user.Accounts(h.ctx, h.store, jon.Person.ID)).To(BeEmpty())
	})

	// The rule: semantics 21.1.3.
	It("have an owner among them, also when two owners take it from each other at once", func() {
		owners := func(tx *store.Tx) (n int) {
			members, err := user.Members(tx)
			Expect(err).NotTo(HaveOccurred())
			for _, m := range members {
				if m.Role == user.RoleOwner {
					n++
				}
			}
			return n
		}
		for what, do := range map[string]func(tx *store.Tx) error{
			"role":   func(tx *store.Tx) error { return user.ChangeRole(tx, h.mira.Person.ID, user.RoleReader) },
			"remove": func(tx *store.Tx) error { return user.Remove(tx, h.mira.Person.ID) },
		} {
			Expect(fault.Is(h.in(h.ours, do), fault.KindRefused)).To(BeTrue(), what)
		}
		Expect(h.in(h.ours, func(tx *store.Tx) error { return user.ChangeRole(tx, jon.Person.ID, user.RoleOwner) })).To(Succeed())
		failed := make(chan error, 2)
		for _, id := range []string{jon.Person.ID, h.mira.Person.ID} {
			go func() { failed <- h.in(h.ours, func(tx *store.Tx) error { return user.Remove(tx, id) }) }()
		}
		refused := 0
		for range 2 {
			if err := <-failed; err != nil {
				Expect(fault.Is(err, fault.KindRefused)).To(BeTrue())
				refused++
			}
		}
		Expect(refused).To(Equal(1))
		Expect(h.in(h.ours, func(tx *store.Tx) error {
			Expect(owners(tx)).To(Equal(1))
			return nil
		})).To(Succeed())
	})
})
