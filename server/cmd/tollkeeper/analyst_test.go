package main

import (
	"bytes"
	"context"
	"fmt"
	"net/url"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/customer"
	"tollkeeper/store"
)

// analyst is a connection of a login that reads reports.
type analyst struct{ conn *pgx.Conn }

// signIn connects to a database as a login.
func signIn(database, login, password string) (analyst, error) {
	GinkgoHelper()
	parsed, err := url.Parse(database)
	Expect(err).NotTo(HaveOccurred())
	parsed.User = url.UserPassword(login, password)
	conn, err := pgx.Connect(context.Background(), parsed.String())
	if err != nil {
		return analyst{}, err
	}
	DeferCleanup(conn.Close, context.Background())
	return analyst{conn}, nil
}

// refused expects that statements fail for want of a right, or as the session reads only.
func (a analyst) refused(codes []string, statements ...string) {
	GinkgoHelper()
	for _, statement := range statements {
		_, err := a.conn.Exec(context.Background(), statement)
		Expect(err).To(HaveOccurred(), statement)
		Expect(err).To(BeAssignableToTypeOf(&pgconn.PgError{}), statement)
		Expect(err.(*pgconn.PgError).Code).To(BeElementOf(codes), statement+": "+err.Error())
	}
}

func (a analyst) texts(query string) []string {
	GinkgoHelper()
	rows, err := a.conn.Query(context.Background(), query)
	Expect(err).NotTo(HaveOccurred(), query)
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	Expect(err).NotTo(HaveOccurred(), query)
	return found
}

var _ = Describe("An analyst", func() {
	const (
		noRight  = "42501"
		noTable  = "42P01"
		readOnly = "25006"
		noView   = "55000" // that can be written
	)
	ctx := context.Background()
	for _, major := range matrix() {
		It(fmt.Sprintf("reads the reports of one account, and nothing else, on PostgreSQL %d", major), func() {
			c := roleCluster(major)
			database := owner(c, "reported", "CREATEROLE")
			set("TOLLKEEPER_DATABASE_URL", database)
			Expect(run(ctx, []string{"migrate"}, GinkgoWriter)).To(Succeed())
			var accounts []string
			for _, name := range []string{"Ours", "Theirs"} {
				id := commandJSON("account", "create", "--name", name, "--mode", "test")["id"].(string)
				accounts = append(accounts, id)
				Expect(withStore(ctx, environment{DatabaseURL: database}, func(st *store.Store) error {
					return st.Update(store.WithAccount(ctx, id), func(tx *store.Tx) error {
						_, err := customer.Create(tx, customer.NewCustomer{Name: "Customer of " + name, Email: "bills@acme.test"})
						return err
					})
				})).To(Succeed())
			}
			password := func(args ...string) string {
				GinkgoHelper()
				var out bytes.Buffer
				Expect(run(ctx, append([]string{"analyst", "add"}, args...), &out)).To(Succeed())
				if found := regexp.MustCompile(`password (\S+)`).FindStringSubmatch(out.String()); found != nil {
					return found[1]
				}
				return ""
			}
			secret := password("ann", "--account", accounts[0])
			Expect(secret).To(HaveLen(32))
			ann, err := signIn(database, "ann", secret)
			Expect(err).NotTo(HaveOccurred())

			By("seeing the rows of its account in every view")
			Expect(ann.texts("SELECT name FROM customers")).To(Equal([]string{"Customer of Ours"}))
			views := ann.texts("SELECT viewname::text FROM pg_views WHERE schemaname = 'reporting' ORDER BY 1")
			Expect(len(views)).To(BeNumerically(">=", 12))
			for _, view := range views {
				ann.texts("SELECT count(*)::text FROM reporting." + view)
				Expect(ann.texts("SELECT definition FROM pg_views WHERE schemaname = 'reporting' AND viewname = '" + view + "'")[0]).
					To(MatchRegexp(`account_id = \( SELECT (public\.)?reporting_account\(\)`), view)
			}
			Expect(ann.texts("SELECT reloptions::text FROM pg_class WHERE relnamespace = 'reporting'::regnamespace")).To(HaveEach(ContainSubstring("security_barrier")))

			By("seeing no other row, whatever it sets")
			_, err = ann.conn.Exec(ctx, "SELECT set_config('tollkeeper.account', '"+accounts[1]+"', false), set_config('search_path', 'reporting, public', false)")
			Expect(err).NotTo(HaveOccurred())
			Expect(ann.texts("SELECT name FROM customers")).To(Equal([]string{"Customer of Ours"}))
			Expect(ann.texts("SELECT name FROM customers WHERE 1 / CASE WHEN name LIKE '%Theirs' THEN 0 ELSE 1 END = 1")).To(HaveLen(1), "its functions see no other row either")
			ann.refused([]string{noRight, noTable}, "SELECT * FROM public.customers", "SELECT * FROM public.exported_customers", "SELECT * FROM public.reporting_logins",
				"SELECT * FROM public.api_keys", "SELECT * FROM public.webhook_endpoints", "SET ROLE tollkeeper_app", "SET SESSION AUTHORIZATION reported")

			By("changing nothing, also where it lifts its limits")
			ann.refused([]string{readOnly, noView}, "CREATE TEMPORARY TABLE t (x integer)", "DELETE FROM customers")
			_, err = ann.conn.Exec(ctx, "SET default_transaction_read_only = off")
			Expect(err).NotTo(HaveOccurred())
			ann.refused([]string{noRight, noView}, "DELETE FROM customers", "UPDATE customers SET name = 'x'", "INSERT INTO events (event_name) VALUES ('x')",
				"TRUNCATE public.customers", "DROP VIEW reporting.customers", "CREATE TABLE reporting.t (x integer)", "CREATE TABLE public.t (x integer)",
				"CREATE OR REPLACE FUNCTION public.reporting_account() RETURNS text LANGUAGE sql AS 'SELECT NULL'")

			By("being refused where it is no plain login, or another account's")
			for word, args := range map[string][]string{
				"another account":  {"ann", "--account", accounts[1]},
				"other rights":     {"reported", "--account", accounts[0]},
				"must begin with":  {"Ann; --", "--account", accounts[0]},
				"type Account":     {"bob", "--account", "acct_none"},
				"identifier: nina": nil,
			} {
				if args == nil {
					Expect(run(ctx, []string{"analyst", "remove", "nina"}, GinkgoWriter)).To(MatchError(ContainSubstring(word)))
					continue
				}
				Expect(run(ctx, append([]string{"analyst", "add"}, args...), GinkgoWriter)).To(MatchError(ContainSubstring(word)))
			}
			Expect(password("ann", "--account", accounts[0])).To(BeEmpty(), "a second time grants what is missing")

			By("coming back after the dump is restored, once it is added again")
			dump, psql := client("pg_dump"), client("psql")
			file := filepath.Join(GinkgoT().TempDir(), "dump.sql")
			out, err := exec.Command(dump, "--no-owner", "--no-privileges", "--file="+file, database).CombinedOutput()
			if err != nil && strings.Contains(string(out), "server version mismatch") {
				Skip("pg_dump is older than the server")
			}
			Expect(err).NotTo(HaveOccurred(), string(out))
			restored := owner(c, "restored", "CREATEROLE")
			out, err = exec.Command(psql, "--quiet", "--no-psqlrc", "--set=ON_ERROR_STOP=1", "--file="+file, restored).CombinedOutput()
			Expect(err).NotTo(HaveOccurred(), string(out))
			set("TOLLKEEPER_DATABASE_URL", restored)
			Expect(run(ctx, []string{"migrate"}, GinkgoWriter)).To(Succeed())
			again, err := signIn(restored, "ann", secret)
			Expect(err).NotTo(HaveOccurred())
			again.refused([]string{noRight}, "SELECT * FROM reporting.customers")
			password("ann", "--account", accounts[0])
			Expect(again.texts("SELECT name FROM reporting.customers")).To(Equal([]string{"Customer of Ours"}))

			By("losing its rights")
			Expect(run(ctx, []string{"analyst", "remove", "ann"}, GinkgoWriter)).To(Succeed())
			again.refused([]string{noRight}, "SELECT * FROM reporting.customers")
		})
	}

	It("is made by an administrator where the owner of the database may make no logins", func() {
		c := roleCluster(matrix()[0])
		database := owner(c, "plain", "NOCREATEROLE")
		set("TOLLKEEPER_DATABASE_URL", database)
		var printed bytes.Buffer
		Expect(run(ctx, []string{"migrate", "--print-roles"}, &printed)).To(Succeed())
		administer(c, printed.String())
		Expect(run(ctx, []string{"migrate"}, GinkgoWriter)).To(Succeed())
		id := commandJSON("account", "create", "--name", "Ours", "--mode", "test")["id"].(string)
		add := func() error { return run(ctx, []string{"analyst", "add", "bea", "--account", id}, GinkgoWriter) }
		Expect(add()).To(MatchError(ContainSubstring("CREATE ROLE bea LOGIN")))
		administer(c, "CREATE ROLE bea LOGIN PASSWORD 'x'")
		Expect(add()).To(Succeed())
		bea, err := signIn(database, "bea", "x")
		Expect(err).NotTo(HaveOccurred())
		Expect(bea.texts("SELECT count(*)::text FROM reporting.customers")).To(Equal([]string{"0"}))
	})
})
