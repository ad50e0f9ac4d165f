package store_test

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/store"
)

var _ = Describe("The migration of known browsers", func() {
	It("makes one secret, and leaves people and their links", func() {
		ctx := context.Background()
		url, owner := databaseBefore("0061")
		for _, statement := range []string{
			"INSERT INTO people (id, email, email_key, name) VALUES ('person_1', 'mira@ours.example', 'mira@ours.example', 'Mira')",
			"INSERT INTO password_resets (hash, person_id, expires_at) VALUES (sha256('a'), 'person_1', clock_timestamp() + interval '1 hour')",
			"INSERT INTO sign_in_failures (key, failures, last_at) VALUES (repeat('a', 64), 3, clock_timestamp())",
		} {
			_, err := owner.Exec(ctx, statement)
			Expect(err).NotTo(HaveOccurred())
		}
		Expect(store.Migrate(ctx, url)).To(BeNumerically(">=", 1))
		var first []byte
		var people int
		Expect(owner.QueryRow(ctx, "SELECT secret FROM browser_secret_now()").Scan(&first)).To(Succeed())
		Expect(first).To(HaveLen(32))
		Expect(owner.QueryRow(ctx, "SELECT count(*) FROM people JOIN password_resets ON person_id = id").Scan(&people)).To(Succeed())
		Expect(people).To(Equal(1))
		_, err := owner.Exec(ctx, "INSERT INTO browser_secret (secret) VALUES (sha256('b'))")
		Expect(err).To(HaveOccurred(), "there is one")
		var granted bool
		Expect(owner.QueryRow(ctx, "SELECT has_table_privilege('tollkeeper_app', 'browser_secret', 'SELECT')").Scan(&granted)).To(Succeed())
		Expect(granted).To(BeFalse())
	})
})
