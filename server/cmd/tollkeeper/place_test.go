package main

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("A database whose search path begins with another schema", func() {
	for _, major := range matrix() {
		It(fmt.Sprintf("has everything in the schema public, and bills, on PostgreSQL %d", major), func() {
			c := roleCluster(major)
			ctx := context.Background()
			for _, right := range []string{"CREATEROLE", "NOCREATEROLE"} {
				name := "tolls_" + strings.ToLower(right)
				database := owner(c, name, right)
				conn, err := pgx.Connect(ctx, database)
				Expect(err).NotTo(HaveOccurred())
				DeferCleanup(conn.Close, ctx)
				for _, statement := range []string{
					"CREATE SCHEMA " + name, // which "$user" names
					"CREATE SCHEMA first",
					"ALTER ROLE " + name + " IN DATABASE " + name + ` SET search_path = "$user", first, public`,
				} {
					_, err := conn.Exec(ctx, statement)
					Expect(err).NotTo(HaveOccurred(), statement)
				}
				set("TOLLKEEPER_DATABASE_URL", database)
				if right == "NOCREATEROLE" {
					printed := new(bytes.Buffer)
					Expect(run(ctx, []string{"migrate", "--print-roles"}, printed)).To(Succeed())
					administer(c, printed.String())
				}
				s := serveDatabase(database, drillKey)
				s.sell()
				s.call("POST", "/ingest", portion(1))
				s.call("POST", "/test_clock/advance", `{"now": "2025-04-02T00:00:00Z"}`)
				Expect(s.bills()).NotTo(BeEmpty())
				s.verified()
				s.stop()
				s = serveDatabase(database, drillKey) // nothing is migrated this time
				Expect(s.bills()).NotTo(BeEmpty())
				s.stop()
				var elsewhere int
				Expect(conn.QueryRow(ctx, `SELECT (SELECT count(*) FROM pg_class WHERE relnamespace IN ($1::regnamespace, 'first'::regnamespace))
					+ (SELECT count(*) FROM pg_proc WHERE pronamespace IN ($1::regnamespace, 'first'::regnamespace))`, name).Scan(&elsewhere)).To(Succeed())
				Expect(elsewhere).To(BeZero())
				Expect(doctored()).NotTo(ContainSubstring("WRONG"))
			}
		})
	}
})

var _ = Describe("A database that the server cannot work in", func() {
	for _, major := range matrix() {
		It(fmt.Sprintf("is refused before a table is made, on PostgreSQL %d", major), func() {
			c := roleCluster(major)
			ctx := context.Background()
			refused := func(database, subject string, words ...string) {
				GinkgoHelper()
				set("TOLLKEEPER_DATABASE_URL", database)
				set("TOLLKEEPER_ADDR", "127.0.0.1:0")
				for _, command := range [][]string{{"serve"}, {"migrate"}, {"account", "list"}} {
					err := run(ctx, command, GinkgoWriter)
					for _, word := range words {
						Expect(err).To(MatchError(ContainSubstring(word)), command[0])
					}
				}
				Expect(doctored()).To(MatchRegexp(subject + `\s+WRONG: `))
				conn, err := pgx.Connect(ctx, database)
				Expect(err).NotTo(HaveOccurred())
				defer func() { Expect(conn.Close(ctx)).To(Succeed()) }()
				var tables int
				Expect(conn.QueryRow(ctx, "SELECT count(*) FROM pg_class WHERE relkind = 'r' AND relnamespace::regnamespace::text !~ '^(pg_|information_)'").Scan(&tables)).To(Succeed())
				Expect(tables).To(BeZero())
			}
			for _, encoding := range []string{"SQL_ASCII", "LATIN1"} {
				name := "bills_" + strings.ToLower(encoding)
				database := owner(c, name, "NOCREATEROLE")
				administer(c, "DROP DATABASE "+name)
				administer(c, "CREATE DATABASE "+name+" OWNER "+name+" ENCODING '"+encoding+"' LOCALE 'C' TEMPLATE template0")
				refused(database, "encoding", "has the encoding "+encoding+" and must have UTF8", `CREATE DATABASE "`+name+`_utf8" ENCODING 'UTF8' TEMPLATE template0`)
			}

			By("the schema public being gone, or another's")
			database := owner(c, "placeless", "CREATEROLE")
			conn, err := pgx.Connect(ctx, database)
			Expect(err).NotTo(HaveOccurred())
			DeferCleanup(conn.Close, ctx)
			_, err = conn.Exec(ctx, "DROP SCHEMA public")
			Expect(err).NotTo(HaveOccurred())
			refused(database, "schema", `CREATE SCHEMA public AUTHORIZATION "placeless"`)
			_, err = conn.Exec(ctx, "CREATE SCHEMA public; REVOKE CREATE ON SCHEMA public FROM placeless")
			Expect(err).NotTo(HaveOccurred())
			refused(database, "schema", `GRANT USAGE, CREATE ON SCHEMA public TO "placeless"`)
		})
	}
})
