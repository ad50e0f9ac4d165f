package store_test

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/store"
)

var _ = Describe("The migrations of key rights and of the audit log", func() {
	It("leave keys all their rights, and record from then on", func() {
		ctx := context.Background()
		url, owner := databaseBefore("0024")
		for _, statement := range []string{
			"INSERT INTO accounts (id, name, mode, number_prefix) VALUES ('acct_1', 'Ours', 'test', 'ABCDEF')",
			"INSERT INTO api_keys (id, account_id, name, hash, hint) VALUES ('key_1', 'acct_1', 'script', sha256('k'), 'tk_test_k')",
			"INSERT INTO items (account_id, id, created_at, name) VALUES ('acct_1', 'item_1', '2025-03-31Z', 'Widget')",
		} {
			_, err := owner.Exec(ctx, statement)
			Expect(err).NotTo(HaveOccurred())
		}
		Expect(store.Migrate(ctx, url)).To(BeNumerically(">=", 2))
		var scopes, networks string
		Expect(owner.QueryRow(ctx, "SELECT scopes, networks FROM api_keys").Scan(&scopes, &networks)).To(Succeed())
		Expect(scopes).To(Equal("all"))
		Expect(networks).To(BeEmpty())

		_, err := owner.Exec(ctx, "UPDATE items SET name = 'Gadget'")
		Expect(err).NotTo(HaveOccurred(), "nothing is audited that no request does")
		_, err = owner.Exec(ctx, `WITH entry AS (INSERT INTO audit_entries (account_id, id, account_time, actor_type, actor_id, actor_name, action)
				VALUES ('acct_1', 'aud_1', now(), 'command', 'root', 'shell', 'rename') RETURNING id)
			SELECT set_config('tollkeeper.audit', id, false) FROM entry`)
		Expect(err).NotTo(HaveOccurred())
		_, err = owner.Exec(ctx, "UPDATE items SET name = 'Sprocket'")
		Expect(err).NotTo(HaveOccurred())
		var change string
		Expect(owner.QueryRow(ctx, "SELECT concat_ws(' ', entry_id, resource, row_id, before, after) FROM audit_changes").Scan(&change)).To(Succeed())
		Expect(change).To(Equal(`aud_1 items item_1 {"name": "Gadget"} {"name": "Sprocket"}`))
	})
})
