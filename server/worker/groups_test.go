package worker_test

import (
	"fmt"
	"log/slog"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"gorm.io/gorm"

	"tollkeeper/domain/billing"
	"tollkeeper/domain/catalog"
	"tollkeeper/domain/domaintest"
	"tollkeeper/domain/due"
	"tollkeeper/domain/subscription"
	"tollkeeper/server/background"
	"tollkeeper/server/worker"
	"tollkeeper/store"
)

var _ = Describe("Units that are billed in groups", func() {
	const customers = 18 // more than a group has

	type how struct {
		workers int
		alone   bool   // each unit in a transaction of its own
		broken  bool   // some subscriptions cannot be billed at first
		scope   string // of invoice numbers; "" for the customer
	}
	// play bills an account over a month end and a clock change, and returns its documents.
	play := func(h how) string {
		GinkgoHelper()
		a := domaintest.Open("2025-02-28")
		log := slog.New(slog.NewTextHandler(GinkgoWriter, nil))
		w := worker.New(worker.Config{Store: a.Store, Workers: h.workers, Log: log, Runner: background.NewRunner(log, nil)})
		if h.alone {
			w.Alone()
		}
		if h.scope != "" {
			a.Setting("number_prefix_scope", h.scope)
		}
		plan := a.Plan(catalog.NewPlan{Prices: domaintest.Listed(a.Fee("10"), a.Calls("unit", `{"unit_amount": "0.5"}`))})
		grants := a.Plan(catalog.NewPlan{Prices: domaintest.Listed(a.CallsInCredits(), a.Grants("30", "0.10"))})
		var broken []string
		for k := range customers {
			id := a.CustomerIn("America/New_York").ID
			sold := plan.ID
			if k == 4 {
				sold = grants.ID
			}
			for range 1 + k%2 { // some have two subscriptions, whose invoices are in order
				var t subscription.Terms
				a.Do(func(tx *store.Tx) (err error) {
					start := "2025-02-28"
					t, _, err = billing.Subscribe(tx, subscription.NewSubscription{CustomerID: &id, PlanID: &sold, StartDate: &start})
					return err
				})
				if k == 2 || k == 16 {
					broken = append(broken, t.ID)
				}
			}
			a.RecordLate(id, "2025-02-28T00:00:00", fmt.Sprint(10*k+1))
		}
		if h.broken {
			breakInvoices(a, broken...)
			Expect(w.Advance(a.Ctx, domaintest.Instant("2025-03-03"))).To(Succeed())
			a.Do(func(tx *store.Tx) error {
				parked, err := due.List(tx, 10)
				Expect(parked).To(HaveLen(len(broken)), "each by itself, and no other")
				return err
			})
			breakInvoices(a)
		}
		Expect(w.Advance(a.Ctx, domaintest.Instant("2025-04-02T12:00:00"))).To(Succeed())
		return documents(a)
	}

	It("have the documents that they have one by one, whatever the number of workers, and where some fail at first", func() {
		alone := play(how{workers: 1, alone: true})
		Expect(strings.Count(alone, "paid") + strings.Count(alone, "issued")).To(BeNumerically(">", 2*customers))
		Expect(play(how{workers: 2})).To(Equal(alone))
		Expect(play(how{workers: 4})).To(Equal(alone))
		Expect(play(how{workers: 2, broken: true})).To(Equal(alone))
	})

	It("are numbered in the order in which they are one by one", func() {
		alone := play(how{workers: 1, alone: true, scope: "account"})
		Expect(alone).To(ContainSubstring("|-00040|"))
		Expect(play(how{workers: 1, scope: "account"})).To(Equal(alone))
	})
})

// breakInvoices makes the database refuse invoices of some subscriptions dated after February, until
// it is called again without any.
func breakInvoices(a domaintest.Account, subscriptions ...string) {
	GinkgoHelper()
	change := "DROP CONSTRAINT broken"
	if len(subscriptions) > 0 {
		change = "ADD CONSTRAINT broken CHECK (subscription_id NOT IN ('" + strings.Join(subscriptions, "', '") + "') OR invoice_date <= '2025-02-28') NOT VALID"
	}
	Expect(a.Store.AsOwner(a.Ctx, func(db *gorm.DB) error { return db.Exec("ALTER TABLE invoices " + change).Error })).To(Succeed())
}

// documents writes the invoices and ledger entries of an account, line by line. Customers are told apart by their
// order.
func documents(a domaintest.Account) (text string) {
	GinkgoHelper()
	a.Do(func(tx *store.Tx) error {
		return tx.Raw(`
			WITH c AS (SELECT *, row_number() OVER (ORDER BY seq) AS nth FROM customers WHERE account_id = @account),
				s AS (SELECT *, row_number() OVER (PARTITION BY customer_id ORDER BY seq) AS nth FROM subscriptions WHERE account_id = @account)
			SELECT string_agg(line, E'\n' ORDER BY line COLLATE "C") FROM (
				SELECT concat_ws('|', c.nth, s.nth, substr(i.number, 7), i.invoice_date, i.created_at, i.issued_at, i.due_at, i.status, i.total, i.amount_due,
					l.position, l.name, l.start_at, l.end_at, l.quantity, l.subtotal, l.credits_applied, l.amount, l.exact, l.parts) AS line
				FROM invoices AS i JOIN c ON c.id = i.customer_id JOIN s ON s.id = i.subscription_id
					LEFT JOIN invoice_lines AS l ON (l.account_id, l.invoice_id) = (i.account_id, i.id)
				WHERE i.account_id = @account
				UNION ALL
				SELECT concat_ws('|', c.nth, e.currency, e.sequence, e.kind, e.status, e.amount, e.starting_balance, e.ending_balance, e.day, e.created_at, e.commit_at)
				FROM ledger_entries AS e JOIN c ON c.id = e.customer_id WHERE e.account_id = @account
				UNION ALL
				SELECT concat_ws('|', c.nth, s.nth, s.next_billing_at, s.next_grant_at, s.next_change_at) FROM s JOIN c ON c.id = s.customer_id) AS lines`,
			map[string]any{"account": tx.AccountID}).Scan(&text).Error
	})
	return text
}
