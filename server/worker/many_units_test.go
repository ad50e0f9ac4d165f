package worker_test

import (
	"context"
	"log/slog"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"gorm.io/gorm"

	"tollkeeper/domain/domaintest"
	"tollkeeper/server/background"
	"tollkeeper/server/worker"
	"tollkeeper/store"
	"tollkeeper/store/storetest"
)

// transactions counts those that were begun, by account, from the first one of some account on: a busy machine
// begins the work of one account much before that of another.
type transactions struct {
	mu    sync.Mutex
	of    map[string]int
	since string // that account
}

func (t *transactions) TraceQueryStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	if strings.Contains(data.SQL, "begin_account") || strings.Contains(data.SQL, "begin_due") {
		t.mu.Lock()
		defer t.mu.Unlock()
		for _, arg := range data.Args { // of which the driver has some
			if account, ok := arg.(string); ok && (account == t.since || t.of[t.since] > 0) {
				t.of[account]++
			}
		}
	}
	return ctx
}

func (t *transactions) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

func (t *transactions) count(a domaintest.Account) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.of[store.AccountID(a.Ctx)]
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

		counted := &transactions{of: map[string]int{}, since: store.AccountID(innocent.Ctx)}
		traced, err := store.OpenWith(context.Background(), storetest.URL(st), store.Options{Tracer: counted})
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(traced.Close)
		log := slog.New(slog.DiscardHandler)
		w := worker.New(worker.Config{Store: traced, Workers: 1, Log: log, Runner: background.NewRunner(log, nil)})
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

		Eventually(issued, "2m").Should(BeNumerically(">=", 6))
		own, others := counted.count(innocent), counted.count(worst)
		AddReportEntry("transactions until then", []int{own, others})
		Expect(left()).To(BeNumerically(">", 1500), "most of them still wait")
		Expect(others).To(BeNumerically("<", 10*own), "as many transactions in the same time, but for the size of each")

		By("going on with the worst one: of those that are parked none is in the way of others")
		before := left()
		Eventually(left, "2m").Should(BeNumerically("<", before-50))
	})
})
