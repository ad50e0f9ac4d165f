package store_test

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/store"
)

var _ = Describe("The migrations of quotients of series and of changed resends", func() {
	It("take series that are there for those of 20 digits, and begin without resends", func() {
		ctx := context.Background()
		url, owner := databaseBefore("0056")
		for _, statement := range []string{
			"SET session_replication_role = replica", // the series alone, without its grain
			`INSERT INTO usage_series (account_id, grain, metric, digest, first, last, mark)
				VALUES ('a', 1, 'SELECT SUM(n / 60) FROM events', '\x01', 1, 2, 7)`,
		} {
			_, err := owner.Exec(ctx, statement)
			Expect(err).NotTo(HaveOccurred())
		}
		Expect(store.Migrate(ctx, url)).To(BeNumerically(">=", 2))
		var places, mark, resends int
		Expect(owner.QueryRow(ctx, `SELECT quotient_places, mark, (SELECT count(*) FROM changed_resends) FROM usage_series`).Scan(&places, &mark, &resends)).To(Succeed())
		Expect([]int{places, mark, resends}).To(Equal([]int{20, 7, 0}))
	})
})
