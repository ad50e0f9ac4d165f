package main

import (
	"context"
	neturl "net/url"

	"github.com/jackc/pgx/v5"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/store/storetest"
)

var _ = Describe("A database that sorts text by other rules than those its indexes were built by", func() {
	It("is wrong for the doctor until the indexes are built again, as the doctor says", func() {
		ctx := context.Background()
		url := storetest.URL(storetest.New())
		execute := func(url, statement string) {
			GinkgoHelper()
			conn, err := pgx.Connect(ctx, url)
			Expect(err).NotTo(HaveOccurred())
			defer func() { Expect(conn.Close(ctx)).To(Succeed()) }()
			_, err = conn.Exec(ctx, statement)
			Expect(err).NotTo(HaveOccurred(), statement)
		}
		there, err := neturl.Parse(url)
		Expect(err).NotTo(HaveOccurred())
		there.Path = "/sorted"
		sorted := there.String()
		execute(url, `CREATE DATABASE sorted TEMPLATE template0 ENCODING 'UTF8' LOCALE_PROVIDER icu ICU_LOCALE 'en' LOCALE 'C'`)
		DeferCleanup(execute, url, "DROP DATABASE sorted WITH (FORCE)")
		set("TOLLKEEPER_DATABASE_URL", sorted)
		Expect(doctored()).NotTo(ContainSubstring("collation"))

		execute(url, "UPDATE pg_database SET datcollversion = '0.1' WHERE datname = 'sorted'")
		Expect(doctored()).To(MatchRegexp(`collation +WRONG: .* version 0\.1 .* has version [0-9.]+: .*run REINDEX DATABASE "sorted", then ALTER DATABASE "sorted" REFRESH COLLATION VERSION`))

		execute(sorted, `REINDEX DATABASE "sorted"`)
		execute(sorted, `ALTER DATABASE "sorted" REFRESH COLLATION VERSION`)
		Expect(doctored()).NotTo(ContainSubstring("collation"))
	})
})
