package store_test

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/store"
)

var _ = Describe("The migration of the rules of adjustments", func() {
	It("knows invoices of before as those of the rule before", func() {
		ctx := context.Background()
		url, owner := databaseBefore("0059")
		for _, statement := range []string{
			"SET session_replication_role = replica", // the invoice alone, without its customer
			`INSERT INTO invoices (account_id, id, created_at, customer_id, source, status, currency, invoice_date, has_usage, metadata, subscription_id, plan_id, number, issued_at, due_at,
					auto_collection, auto_issued, subtotal, total, amount_due)
				VALUES ('a', 'i', '2025-03-01Z', 'c', 'subscription', 'issued', 'USD', '2025-03-01Z', false, '{}', 's', 'p', 'A-1', '2025-03-01Z', '2025-03-01Z',
					false, true, 0, 0, 0)`,
		} {
			_, err := owner.Exec(ctx, statement)
			Expect(err).NotTo(HaveOccurred())
		}
		Expect(store.Migrate(ctx, url)).To(BeNumerically(">=", 1))
		var rule int
		Expect(owner.QueryRow(ctx, `SELECT adjustment_rule FROM invoices`).Scan(&rule)).To(Succeed())
		Expect(rule).To(Equal(0))
	})
})
