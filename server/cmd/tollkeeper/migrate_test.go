package main

import (
	"context"

	"github.com/jackc/pgx/v5"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/store/storetest"
)

var _ = Describe("migrate", func() {
	It("ends when another session is in its way for too long, and says what to do", func() {
		url := storetest.URL(storetest.New())
		conn, err := pgx.Connect(context.Background(), url)
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(conn.Close, context.Background())
		_, err = conn.Exec(context.Background(), "BEGIN; LOCK TABLE role_names; DROP TABLE role_names") // what the first step reads
		Expect(err).NotTo(HaveOccurred())
		set("TOLLKEEPER_DATABASE_URL", url)
		set("TOLLKEEPER_MIGRATE_WAIT", "1s")
		Expect(run(context.Background(), []string{"migrate"}, GinkgoWriter)).To(MatchError(And(
			ContainSubstring("making the roles of the server tried for 1s"), ContainSubstring("SELECT pg_terminate_backend(%d)", conn.PgConn().PID()),
			ContainSubstring("TOLLKEEPER_MIGRATE_WAIT sets how long"))))
		_, err = conn.Exec(context.Background(), "ROLLBACK")
		Expect(err).NotTo(HaveOccurred())
		Expect(run(context.Background(), []string{"migrate"}, GinkgoWriter)).To(Succeed())
	})
})
