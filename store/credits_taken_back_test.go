package store_test

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/store"
)

var _ = It("Migrating what was taken back of credits leaves what is not known of a database with data null", func() {
	ctx := context.Background()
	url, owner := databaseBefore("0026")
	_, err := owner.Exec(ctx, `
		SET session_replication_role = replica; -- rows alone, without all that they refer to
		INSERT INTO accounts (id, name, mode, number_prefix) VALUES ('a', 'A', 'test', 'ABCDEF');
		INSERT INTO price_intervals (account_id, id, created_at, subscription_id, price_id, position, start_at)
			VALUES ('a', 'i', '2025-06-01Z', 's', 'p', 0, '2025-06-16Z');
		INSERT INTO allocation_reductions (account_id, id, created_at, grant_id, reduced_at, amount)
			VALUES ('a', 'r', '2025-06-16Z', 'g', '2025-06-16Z', 100);
		SET session_replication_role = origin`)
	Expect(err).NotTo(HaveOccurred())
	_, err = store.Migrate(ctx, url)
	Expect(err).NotTo(HaveOccurred())
	var unknown bool
	Expect(owner.QueryRow(ctx, `SELECT i.credits_taken_back IS NULL AND r.interval_id IS NULL AND r.amount = 100
		FROM price_intervals i JOIN allocation_reductions r USING (account_id)`).Scan(&unknown)).To(Succeed())
	Expect(unknown).To(BeTrue())
	_, err = owner.Exec(ctx, "UPDATE price_intervals SET credits_taken_back = -1")
	Expect(err).To(MatchError(ContainSubstring("price_intervals_credits_taken_back_check")))
})
