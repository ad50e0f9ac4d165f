package store_test

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/store"
)

var _ = It("Migrating to parked units leaves accounts with none, and keeps one for each kind and subject", func() {
	ctx := context.Background()
	url, owner := databaseBefore("0027")
	_, err := owner.Exec(ctx, "INSERT INTO accounts (id, name, mode, number_prefix) VALUES ('a', 'A', 'test', 'ABCDEF')")
	Expect(err).NotTo(HaveOccurred())
	_, err = store.Migrate(ctx, url)
	Expect(err).NotTo(HaveOccurred())
	var kinds int
	Expect(owner.QueryRow(ctx, "SELECT count(*) FROM parked_units_by_kind()").Scan(&kinds)).To(Succeed())
	Expect(kinds).To(BeZero())
	park := func(id, customer, attempts string) error {
		_, err := owner.Exec(ctx, `INSERT INTO parked_units (account_id, id, kind, lane, customer_id, due_at, attempts, error, first_failed_at, last_failed_at, next_try_at)
			VALUES ('a', '`+id+`', 'open invoices', 'billing', `+customer+`, now(), `+attempts+`, 'no', now(), now(), now())`)
		return err
	}
	Expect(park("p", "NULL", "1")).To(Succeed())
	Expect(park("q", "'c'", "1")).To(Succeed())
	Expect(park("r", "NULL", "1")).To(MatchError(ContainSubstring("parked_units_once")))
	Expect(park("s", "'c'", "1")).To(MatchError(ContainSubstring("parked_units_once")))
	Expect(park("t", "'d'", "0")).To(MatchError(ContainSubstring("parked_units_attempts_check")))
})
