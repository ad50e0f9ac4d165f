package store_test

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/store"
)

var _ = It("Migrating to audited corrections keeps events, and shows what a request changes of them from then on", func() {
	ctx := context.Background()
	url, owner := databaseBefore("0046")
	execute := func(sql string) {
		GinkgoHelper()
		_, err := owner.Exec(ctx, sql)
		Expect(err).NotTo(HaveOccurred(), sql)
	}
	execute("INSERT INTO accounts (id, name, mode, number_prefix) VALUES ('a', 'A', 'test', 'ABCDEF')")
	execute("CREATE TABLE events_2025_03 PARTITION OF events FOR VALUES FROM ('2025-03-01') TO ('2025-04-01')")
	execute(`INSERT INTO events (account_id, idempotency_key, event_name, subject, "timestamp", properties, ingested_at, seq)
		VALUES ('a', 'k', 'call', 'e:acme', '2025-03-31T12:00:00Z', '{"n": 1}', '2025-03-31T12:00:00Z', 1)`)
	_, err := store.Migrate(ctx, url)
	Expect(err).NotTo(HaveOccurred())
	correct := func(audit, n string) {
		GinkgoHelper()
		execute(`DO $$ BEGIN
			PERFORM set_config('tollkeeper.audit', '` + audit + `', true);
			UPDATE events SET properties = jsonb_build_object('n', ` + n + `) WHERE idempotency_key = 'k';
			INSERT INTO audit_entries (account_id, id, account_time, actor_type, actor_id, actor_name, action)
				SELECT 'a', 'aud_1', now(), 'command', 'root', 'root', 'amend' WHERE '` + audit + `' <> '';
		END $$`)
	}
	correct("", "2")
	correct("aud_1", "3")
	var changes []string
	Expect(owner.QueryRow(ctx, "SELECT array_agg(concat_ws(' ', entry_id, resource, row_id, before, after)) FROM audit_changes").Scan(&changes)).To(Succeed())
	Expect(changes).To(Equal([]string{`aud_1 events k {"properties": {"n": 2}} {"properties": {"n": 3}}`}))
})
