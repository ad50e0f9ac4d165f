package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os/user"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/audit"
	"tollkeeper/domain/due"
	"tollkeeper/store"
	"tollkeeper/store/storetest"
)

var _ = Describe("tollkeeper due", func() {
	var st *store.Store
	var account, other context.Context
	var id string
	var units []string // of an invoice, and of a notice

	run := func(args ...string) (string, error) {
		var out bytes.Buffer
		err := run(context.Background(), append([]string{"due"}, args...), &out)
		return out.String(), err
	}
	list := func(of context.Context) (all []due.Parked) {
		GinkgoHelper()
		Expect(st.View(of, func(tx *store.Tx) (err error) {
			all, err = due.List(tx, 10)
			return err
		})).To(Succeed())
		return all
	}
	park := func(of context.Context, kind string, lane due.Lane, subject due.Subject) {
		GinkgoHelper()
		Expect(st.Update(of, func(tx *store.Tx) error {
			_, err := due.Park(tx, due.Failure{Kind: kind, Lane: lane, Of: subject, DueAt: time.Date(2025, 3, 30, 1, 0, 0, 0, time.UTC), Err: errors.New("a metric is broken")})
			return err
		})).To(Succeed())
	}
	// logged are the changes of rows that the audit log has, as "action: resource".
	logged := func() (texts []string) {
		GinkgoHelper()
		var entries []audit.Entry
		Expect(st.View(account, func(tx *store.Tx) (err error) {
			entries, _, err = audit.List(tx, audit.Filter{}, store.Page{Limit: 100})
			return err
		})).To(Succeed())
		by, err := user.Current()
		Expect(err).NotTo(HaveOccurred())
		for _, e := range entries {
			Expect(e.Actor.ID).To(Equal(by.Username))
			for _, c := range e.Changes {
				texts = append(texts, e.Action+": "+c.Resource+" "+*c.RowID)
			}
		}
		return texts
	}

	BeforeEach(func() {
		st = storetest.New()
		set("TOLLKEEPER_DATABASE_URL", storetest.URL(st))
		account, other = storetest.Account(st, "live"), storetest.Account(st, "live")
		id = store.AccountID(account)
		park(account, "issue invoices", due.Billing, due.Subject{CustomerID: new("cus_1"), SubscriptionID: new("sub_1")})
		park(account, "collect payments", due.Payments, due.Subject{CustomerID: new("cus_1")})
		park(other, "issue invoices", due.Billing, due.Subject{})
		units = nil
		for _, p := range list(account) {
			units = append(units, p.ID)
		}
	})

	It("lists what is parked, of one account or of all", func() {
		Expect(run("list")).To(And(ContainSubstring(units[0]), ContainSubstring("a metric is broken"), ContainSubstring("sub_1"), ContainSubstring("the account")))
		text, err := run("list", "--account", id, "--json")
		Expect(err).NotTo(HaveOccurred())
		var shown []map[string]any
		Expect(json.Unmarshal([]byte(text), &shown)).To(Succeed())
		Expect(shown).To(HaveExactElements(
			And(HaveKeyWithValue("id", units[0]), HaveKeyWithValue("kind", "issue invoices"), HaveKeyWithValue("attempts", 1.0),
				HaveKeyWithValue("due_at", "2025-03-30T01:00:00Z"), HaveKeyWithValue("skip", BeNil())),
			And(HaveKeyWithValue("id", units[1]), HaveKeyWithValue("skip", ContainSubstring("is not charged by itself any more")))))
		_, err = run("list", "--account", "none")
		Expect(err).To(MatchError(ContainSubstring("Account")))
		Expect(logged()).To(BeEmpty())
	})

	It("makes a unit due now, which is in the audit log", func() {
		Expect(run("retry", "--account", id, units[0])).To(ContainSubstring("is tried again"))
		Expect(list(account)[0].NextTryAt).To(BeTemporally("<=", time.Now()))
		Expect(list(account)[1].NextTryAt).To(BeTemporally(">", list(account)[0].NextTryAt))
		Expect(logged()).To(HaveExactElements("due retry: parked_units " + units[0]))
		_, err := run("retry", "--account", store.AccountID(other), units[0])
		Expect(err).To(MatchError(ContainSubstring("type ParkedUnit with identifier: " + units[0])))
	})

	It("skips only what the books do not need, which is in the audit log", func() {
		_, err := run("skip", "--account", id, units[0])
		Expect(err).To(MatchError(And(ContainSubstring(`"issue invoices" cannot be skipped`), ContainSubstring("retry"))))
		Expect(list(account)).To(HaveLen(2))
		Expect(run("skip", "--account", id, units[1])).To(ContainSubstring("is skipped"))
		Expect(list(account)).To(HaveExactElements(HaveField("ID", units[0])))
		Expect(logged()).To(HaveExactElements("due skip: parked_units " + units[1]))
	})

	It("is reported by doctor", func() {
		var out bytes.Buffer
		Expect(doctor{}.Run(context.Background(), environment{DatabaseURL: storetest.URL(st)}, &out)).NotTo(Succeed())
		Expect(out.String()).To(MatchRegexp(`due work +WRONG: 3 units failed and are parked`))
		Expect(out.String()).To(ContainSubstring("tollkeeper due list"))
	})
})
