package store_test

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/store"
)

var _ = Describe("The migration of drawn logos", func() {
	It("leaves letterheads as they are, and hides both files in the audit log", func() {
		ctx := context.Background()
		url, owner := databaseBefore("0068")
		exec := func(statement string) {
			GinkgoHelper()
			_, err := owner.Exec(ctx, statement)
			Expect(err).NotTo(HaveOccurred())
		}
		exec("INSERT INTO accounts (id, name, mode, number_prefix) VALUES ('acct_1', 'Ours', 'live', 'ABCDEF')")
		exec("INSERT INTO letterheads (account_id, id, created_at, content, logo, logo_type) VALUES ('acct_1', 'head_1', now(), '{}', 'sent', 'image/png')")
		Expect(store.Migrate(ctx, url)).To(BeNumerically(">=", 1))
		var before, plain bool
		Expect(owner.QueryRow(ctx, "SELECT logo = 'sent' AND logo_drawn = '' FROM letterheads").Scan(&before)).To(Succeed())
		Expect(before).To(BeTrue())
		Expect(owner.QueryRow(ctx, `SELECT pg_get_triggerdef(oid) LIKE '%record_audit_change(''logo'', ''logo_drawn'')%'
			FROM pg_trigger WHERE tgrelid = 'letterheads'::regclass AND tgname = 'audit'`).Scan(&plain)).To(Succeed())
		Expect(plain).To(BeTrue())
		exec("INSERT INTO letterheads (account_id, id, created_at, content, logo, logo_type, logo_drawn) VALUES ('acct_1', 'head_2', now(), '{}', 'sent', 'image/png', 'drawn')")
		_, err := owner.Exec(ctx, "INSERT INTO letterheads (account_id, id, created_at, content, logo, logo_type, logo_drawn) VALUES ('acct_1', 'head_3', now(), '{}', 'sent', 'image/png', repeat('a', 2097153)::bytea)")
		Expect(err).To(HaveOccurred(), "it is bounded")
	})
})
