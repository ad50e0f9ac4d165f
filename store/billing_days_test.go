package store_test

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/store"
)

var _ = Describe("The migration of billing days by time", func() {
	It("leaves intervals as they are: their day held all the time", func() {
		ctx := context.Background()
		url, owner := databaseBefore("0058")
		for _, statement := range []string{
			"SET session_replication_role = replica", // the interval alone, without its subscription and price
			`INSERT INTO price_intervals (account_id, id, created_at, subscription_id, price_id, position, start_at, billing_day)
				VALUES ('a', 'i', '2025-03-01Z', 's', 'p', 1, '2025-03-01Z', 15)`,
		} {
			_, err := owner.Exec(ctx, statement)
			Expect(err).NotTo(HaveOccurred())
		}
		Expect(store.Migrate(ctx, url)).To(BeNumerically(">=", 1))
		var kept string
		Expect(owner.QueryRow(ctx, `SELECT concat_ws(' ', billing_day, billing_days_before) FROM price_intervals`).Scan(&kept)).To(Succeed())
		Expect(kept).To(Equal(`15 []`))
	})
})
