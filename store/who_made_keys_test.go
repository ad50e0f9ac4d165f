package store_test

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/store"
)

var _ = Describe("The migration of who made keys", func() {
	It("leaves those that are there without a maker", func() {
		ctx := context.Background()
		url, owner := databaseBefore("0060")
		for _, statement := range []string{
			"INSERT INTO accounts (id, name, mode, number_prefix) VALUES ('acct_1', 'Ours', 'test', 'ABCDEF')",
			"INSERT INTO api_keys (id, account_id, name, hash, hint) VALUES ('key_1', 'acct_1', 'script', sha256('k'), 'tk_test_k')",
		} {
			_, err := owner.Exec(ctx, statement)
			Expect(err).NotTo(HaveOccurred())
		}
		Expect(store.Migrate(ctx, url)).To(BeNumerically(">=", 1))
		var known bool
		Expect(owner.QueryRow(ctx, "SELECT created_by IS NOT NULL FROM api_keys WHERE id = 'key_1'").Scan(&known)).To(Succeed())
		Expect(known).To(BeFalse())
	})
})
