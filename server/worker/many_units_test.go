package worker_test

import (
	"context"
	"log/slog"
	"slices"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"gorm.io/gorm"

	"tollkeeper/domain/domaintest"
	"tollkeeper/server/background"
	"tollkeeper/server/worker"
	"tollkeeper/store"
	"tollkeeper/store/storetest"
)

// turn is one turn of an account.
type turn struct {
	account string
	more    bool // it left work
}

// turns are those of all accounts, in their order.
type turns struct {
	mu  sync.Mutex
	all []turn
}

func (t *turns) add(account string, more bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.all = append(t.all, turn{account, more})
}

func (t *turns) list() []turn {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.all)
}

var _ = Describe("An account with thousands of due units, of which many fail and many are parked", func() {
	It("takes no more than its share from another, whose few units are done meanwhile", func() {
		st := storetest.New()
		worst, innocent := domaintest.OpenOn(st, "2025-01-01"), domaintest.OpenOn(st, "2025-01-01")
		owner := func(statement string) {
			GinkgoHelper()
			Expect(st.AsOwner(context.Background(), func(db *gorm.DB) error { return db.Exec(statement).Error })).To(Succeed())
		}

		By("making the units: changes that waited too long, of 3,000 customers")
		customer := worst.Customer()
		owner(`CREATE TEMP TABLE copies AS SELECT c.* FROM customers c WHERE id = '` + customer + `';
			ALTER TABLE copies DROP COLUMN seq;
			DO $$
			DECLARE columns text;
			BEGIN
				SELECT string_agg(quote_ident(attname), ', ') INTO columns FROM pg_attribute
				WHERE attrelid = 'copies'::regclass AND attnum > 0 AND NOT attisdropped AND attname NOT IN ('id', 'invoice_prefix');
				EXECUTE 'INSERT INTO customers (id, invoice_prefix, ' || columns || ')
					SELECT ''cus_'' || n, translate(lpad(n::text, 6, ''0''), ''0123456789'', ''ABCDEFGHIJ''), ' || columns || ' FROM copies, generate_series(1, 3000) AS n';
			END $$;
			INSERT INTO subscription_changes (account_id, id, created_at, customer_id, type, request, expires_at)
			SELECT account_id, 'change_' || n, created_at, 'cus_' || n, 'create_subscription', '{}', created_at + interval '1 day'
			FROM copies, generate_series(1, 3000) AS n;
			INSERT INTO parked_units (account_id, id, kind, lane, customer_id, due_at, attempts, error, first_failed_at, last_failed_at, next_try_at)
			SELECT account_id, 'park_' || n, 'issue invoices', 'billing', 'cus_' || n, created_at, 1, 'no', now(), now(), now() + n % 2 * interval '1 hour'
			FROM copies, generate_series(1, 2000) AS n;
			ALTER TABLE subscription_changes ADD CONSTRAINT fails CHECK (cancelled_at IS NULL OR right(id, 1) <> '7') NOT VALID`)
		left := func() (changes int) {
			worst.Do(func(tx *store.Tx) error {
				return tx.Raw("SELECT count(*) FROM subscription_changes WHERE account_id = ? AND cancelled_at IS NULL", tx.AccountID).Scan(&changes).Error
			})
			return changes
		}

		By("making those of the other: six invoices")
		for range 3 {
			id := innocent.Customer()
			sold := innocent.Subscribe(id, "2025-01-01", innocent.Fee("10"))
			innocent.Do(func(tx *store.Tx) error {
				return tx.Exec("UPDATE subscriptions SET end_at = '2025-03-01' WHERE account_id = ? AND id = ?", tx.AccountID, sold.ID).Error
			})
		}
		issued := func() (invoices int) {
			innocent.Do(func(tx *store.Tx) error {
				return tx.Raw("SELECT count(*) FROM invoices WHERE account_id = ? AND status <> 'draft'", tx.AccountID).Scan(&invoices).Error
			})
			return invoices
		}
		Expect(left()).To(Equal(3000))
		Expect(issued()).To(BeNumerically("<", 6))
		worst.Setting("clock_now", nil)
		innocent.Setting("clock_now", nil)

		log := slog.New(slog.DiscardHandler)
		w := worker.New(worker.Config{Store: st, Workers: 1, Log: log, Runner: background.NewRunner(log, nil)})
		var given turns
		w.InTurns(given.add)
		ctx, end := context.WithCancel(context.Background())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			_ = w.Run(ctx)
		}()
		DeferCleanup(func() {
			end()
			<-ended
		})

		Eventually(issued, "5m").Should(BeNumerically(">=", 6))
		of, other := store.AccountID(innocent.Ctx), store.AccountID(worst.Ctx)
		had := func(account string) func() bool {
			return func() bool {
				return slices.ContainsFunc(given.list(), func(one turn) bool { return one.account == account })
			}
		}
		Eventually(had(of), "5m").Should(BeTrue())
		Eventually(had(other), "5m").Should(BeTrue())
		list := given.list()
		AddReportEntry("turns", list)
		for k, one := range list {
			if one.account == other {
				Expect(one.more).To(BeTrue(), "a turn ends long before the work of the account")
			}
			if k > 1 && list[k-1].account == other && list[k-2].account == of {
				Expect(one.account).To(Equal(of), "after each turn of the one that has much to do comes one of the other, while that has work")
			}
			if one.account == of && !one.more {
				break // it has nothing to do until more falls due
			}
		}
		Expect(left()).To(BeNumerically(">", 0), "some still wait")

		By("going on with the worst one: of those that are parked none is in the way of others")
		before := left()
		Eventually(left, "5m").Should(BeNumerically("<", before-50))
	})
})
