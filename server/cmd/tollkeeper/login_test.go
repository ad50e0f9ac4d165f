package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/store"
	"tollkeeper/store/cluster"
	"tollkeeper/store/storetest"
)

// command runs a command of an operator, which is to succeed, and decodes the JSON it prints.
func commandJSON(args ...string) (printed map[string]any) {
	GinkgoHelper()
	out := new(bytes.Buffer)
	Expect(run(context.Background(), append(args, "--json"), out)).To(Succeed())
	Expect(json.Unmarshal(out.Bytes(), &printed)).To(Succeed(), out.String())
	return printed
}

// loginsOf are the users that servers in this process are logged in as.
func loginsOf(administrator string) []string {
	GinkgoHelper()
	conn, err := pgx.Connect(context.Background(), administrator)
	Expect(err).NotTo(HaveOccurred())
	defer func() { _ = conn.Close(context.Background()) }()
	rows, err := conn.Query(context.Background(), "SELECT DISTINCT usename::text FROM pg_stat_activity WHERE application_name = 'tollkeeper' AND datname = current_database()")
	Expect(err).NotTo(HaveOccurred())
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	Expect(err).NotTo(HaveOccurred())
	return found
}

// confined expects that a connection of the server, with any statement slipped into it, reads
// and changes nothing but the account that it is set to, where suffix is that of the roles.
func confined(login, suffix, ours, theirs string) {
	GinkgoHelper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, login)
	Expect(err).NotTo(HaveOccurred())
	defer func() { _ = conn.Close(ctx) }()
	rows := func(statement string) int64 {
		GinkgoHelper()
		done, err := conn.Exec(ctx, statement)
		Expect(err).NotTo(HaveOccurred(), statement)
		return done.RowsAffected()
	}
	refused := func(statements ...string) {
		GinkgoHelper()
		for _, statement := range statements {
			_, err := conn.Exec(ctx, statement)
			var refusal *pgconn.PgError
			Expect(err).To(BeAssignableToTypeOf(refusal), statement)
			Expect(err.(*pgconn.PgError).Code).To(BeElementOf("42501", "42704"), statement+": "+err.Error())
		}
	}
	asServer := func() {
		rows("SELECT set_config('role', 'tollkeeper_app" + suffix + "', false), set_config('tollkeeper.own_rows', '', false), set_config('tollkeeper.account', '" + ours + "', false)")
	}
	asServer()
	for _, table := range []string{"accounts WHERE id", "api_keys WHERE account_id"} {
		name, _, _ := strings.Cut(table, " ")
		Expect(rows("SELECT FROM "+table+" = '"+ours+"' FOR UPDATE")).To(BeNumerically(">", 0), table)
		Expect(rows("SELECT FROM "+table+" <> '"+ours+"'")).To(BeZero(), table)
		Expect(rows("UPDATE "+name+" SET name = 'mine'")).To(Equal(rows("SELECT FROM "+name)), name)
		refused("DELETE FROM " + name)
	}
	Expect(rows("UPDATE api_keys SET revoked_at = now() WHERE account_id = '" + theirs + "'")).To(BeZero())
	Expect(rows("UPDATE accounts SET smallest_charge = 0 WHERE id = '" + theirs + "'")).To(BeZero())
	refused(
		"INSERT INTO api_keys (id, account_id, name, hash, hint) VALUES ('key_new', '"+theirs+"', 'theirs', sha256('new'), 'tk')",
		"UPDATE api_keys SET account_id = '"+theirs+"'",
		"INSERT INTO accounts (id, name, mode, number_prefix) VALUES ('acct_new', 'New', 'live', 'ABCDEF')",
		"UPDATE accounts SET id = 'acct_new'",
		"UPDATE audit_entries SET actor_name = 'nobody'", "DELETE FROM audit_entries", "TRUNCATE audit_entries CASCADE",
		"UPDATE audit_changes SET after = NULL", "DELETE FROM audit_changes",
		"INSERT INTO audit_changes (account_id, entry_id, resource, before) VALUES ('"+ours+"', 'none', 'items', '{}')",
	)
	for range 2 {
		refused(
			"CREATE TABLE mine ()", "CREATE FUNCTION mine() RETURNS int LANGUAGE sql RETURN 1", "CREATE SCHEMA mine", "CREATE ROLE mine",
			"ALTER TABLE accounts DISABLE ROW LEVEL SECURITY", "ALTER TABLE api_keys ADD COLUMN mine int", "DROP TABLE audit_changes",
			"DROP POLICY account ON api_keys", "CREATE POLICY mine ON accounts USING (true)", "ALTER FUNCTION find_api_key(bytea) RENAME TO mine",
			"CREATE OR REPLACE FUNCTION begin_account(account text) RETURNS timestamptz LANGUAGE sql AS 'SELECT now()'",
			"SET ROLE postgres", "SET SESSION AUTHORIZATION postgres",
		)
		_, _ = conn.Exec(ctx, "GRANT ALL ON accounts TO PUBLIC") // some versions only warn
		Expect(rows("SELECT WHERE has_table_privilege('public', 'accounts', 'SELECT')")).To(BeZero())
		rows("RESET ROLE") // and the same again
		refused("SELECT FROM accounts", "SELECT FROM api_keys", "SELECT FROM events", "SELECT * FROM list_accounts()", "SELECT * FROM find_api_key('x')")
	}
}

var _ = Describe("A server on a private PostgreSQL", func() {
	It("logs in as a role that owns nothing, also where the version before made the cluster", func() {
		ctx := context.Background()
		dir, err := os.MkdirTemp(storetest.Place(), "tkl-")
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(os.RemoveAll, dir)
		set("TOLLKEEPER_DATABASE_URL", "")
		set("TOLLKEEPER_DATA_DIR", dir)

		By("having a cluster that no server of this version has seen")
		before, err := cluster.Start(ctx, cluster.Options{Dir: dir, Log: GinkgoWriter})
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(before.Stop)
		Expect(before.CreateDatabase(ctx, privateDatabase)).To(Succeed())
		administrator := before.URL(privateDatabase)
		_, err = store.Migrate(ctx, administrator)
		Expect(err).NotTo(HaveOccurred())

		s := serveDatabase("", drillKey)
		s.sell()
		theirs := commandJSON("account", "create", "--name", "Theirs", "--mode", "live")
		Eventually(loginsOf).WithArguments(administrator).Should(Equal([]string{"tollkeeper_server"}))
		own := onlyTest(administrator)
		confined(before.URLAs("tollkeeper_server", privateDatabase), "", own, theirs["id"].(string))

		By("having commands of an operator beside it")
		made := commandJSON("key", "create", "--account", own, "--name", "second")
		turned := commandJSON("key", "rotate", made["id"].(string), "--overlap", "0s")
		Expect(commandJSON("key", "revoke", turned["id"].(string))["revoked_at"]).NotTo(BeNil())
		Expect(commandJSON("account", "set", own, "grace_period", "30m")["settings"]).To(HaveKeyWithValue("grace_period", "30m0s"))
		out := new(bytes.Buffer)
		Expect(run(ctx, []string{"doctor"}, out)).To(Succeed(), out.String())
		Expect(out.String()).To(MatchRegexp(`login\s+tollkeeper_server owns nothing; RESET ROLE gains nothing`))
		Expect(out.String()).To(MatchRegexp(`roles\s+complete`))
	})
})

// onlyTest is the id of the test account.
func onlyTest(administrator string) (id string) {
	GinkgoHelper()
	conn, err := pgx.Connect(context.Background(), administrator)
	Expect(err).NotTo(HaveOccurred())
	defer func() { _ = conn.Close(context.Background()) }()
	Expect(conn.QueryRow(context.Background(), "SELECT id FROM accounts WHERE mode = 'test'").Scan(&id)).To(Succeed())
	return id
}

var _ = Describe("A server whose login is another one than the owner's", func() {
	for _, major := range matrix() {
		It(fmt.Sprintf("is confined on PostgreSQL %d, with and without an owner who makes roles, two in one cluster", major), func() {
			ctx := context.Background()
			c := roleCluster(major)
			for _, right := range []string{"CREATEROLE", "NOCREATEROLE"} {
				name := "apart_" + strings.ToLower(right)
				owned := owner(c, name, right)
				login := "server_" + strings.ToLower(right)
				database := c.URLAs(login, name)
				set("TOLLKEEPER_DATABASE_URL", database)
				set("TOLLKEEPER_MIGRATE_URL", owned)

				By("naming what an administrator runs")
				printed := new(bytes.Buffer)
				Expect(run(ctx, []string{"migrate", "--print-roles"}, printed)).To(Succeed())
				Expect(printed.String()).To(ContainSubstring(`CREATE ROLE "` + login + `" LOGIN NOINHERIT;`))
				Expect(run(ctx, []string{"migrate"}, GinkgoWriter)).To(MatchError(ContainSubstring("migrate --print-roles")))
				if right == "NOCREATEROLE" {
					administer(c, printed.String())
				} else {
					administer(c, "CREATE ROLE "+login+" LOGIN NOINHERIT") // the owner grants the rest
				}

				s := serveDatabase(database, drillKey)
				s.sell()
				Eventually(loginsOf).WithArguments(owned).Should(Equal([]string{login}))
				theirs := commandJSON("account", "create", "--name", "Theirs", "--mode", "live")
				suffix := map[string]string{"CREATEROLE": "", "NOCREATEROLE": "_" + name}[right]
				confined(database, suffix, onlyTest(owned), theirs["id"].(string))
				if right == "NOCREATEROLE" {
					first, err := pgx.Connect(ctx, database)
					Expect(err).NotTo(HaveOccurred())
					_, err = first.Exec(ctx, "SET ROLE tollkeeper_app")
					Expect(err).To(MatchError(ContainSubstring("permission denied")), "the roles of another owner's database")
					Expect(first.Close(ctx)).To(Succeed())
				}
				s.call("POST", "/ingest", portion(1))
				s.call("POST", "/test_clock/advance", `{"now": "2025-04-02T00:00:00Z"}`)
				Expect(s.bills()).To(ContainElement(ContainSubstring("Calls 50 0.50")))
				s.verified()
				printed.Reset()
				Expect(run(ctx, []string{"migrate", "--print-roles"}, printed)).To(Succeed())
				Expect(printed.String()).To(Equal("-- no role or right is missing\n"))
				Expect(doctored()).To(MatchRegexp(`login\s+` + login + ` owns nothing`))
				s.stop()

				By("refusing the owner's login in another database")
				set("TOLLKEEPER_MIGRATE_URL", strings.Replace(owned, "/"+name+"?", "/postgres?", 1))
				Expect(run(ctx, []string{"migrate"}, GinkgoWriter)).To(MatchError(store.ErrOtherDatabase))

				By("serving without the owner's login, once it is migrated")
				set("TOLLKEEPER_MIGRATE_URL", "")
				alone := serveDatabase(database, "")
				alone.key = drillKey
				Expect(alone.bills()).To(ContainElement(ContainSubstring("Calls 50 0.50")))
				alone.verified()
				Expect(doctored()).To(MatchRegexp(`login\s+` + login + ` owns nothing`))
				for _, operators := range [][]string{{"account", "list"}, {"key", "list", "--account", onlyTest(owned)}, {"migrate"}} {
					Expect(run(ctx, operators, GinkgoWriter)).To(MatchError(ContainSubstring("set TOLLKEEPER_MIGRATE_URL to the owner's")))
				}
				alone.stop()
				behind, err := pgx.Connect(ctx, owned)
				Expect(err).NotTo(HaveOccurred())
				_, err = behind.Exec(ctx, "DELETE FROM applied_functions WHERE file = 'functions/webhooks.sql'")
				Expect(err).NotTo(HaveOccurred())
				Expect(behind.Close(ctx)).To(Succeed())
				Expect(run(ctx, []string{"serve"}, GinkgoWriter)).To(MatchError(And(
					ContainSubstring("functions/webhooks.sql"), ContainSubstring("run `tollkeeper migrate` with TOLLKEEPER_MIGRATE_URL"))))

				By("telling of logins that have too many rights")
				set("TOLLKEEPER_DATABASE_URL", owned)
				Expect(doctored()).To(MatchRegexp(`login\s+` + name + ` owns the database, so a statement .* RESET ROLE`))
				administrator, err := url.Parse(c.URL(name))
				Expect(err).NotTo(HaveOccurred())
				set("TOLLKEEPER_MIGRATE_URL", administrator.String())
				Expect(doctored()).To(MatchRegexp(`login\s+WRONG: ` + name + ` has the rights of the owner of the database.* owns objects`))
				set("TOLLKEEPER_DATABASE_URL", database)
				administer(c, "ALTER ROLE "+login+" BYPASSRLS")
				Expect(doctored()).To(MatchRegexp(`login\s+WRONG: ` + login + ` bypasses row-level security, which`))
			}
		})
	}
})

// doctored is what the doctor tells.
func doctored() string {
	GinkgoHelper()
	out := new(bytes.Buffer)
	_ = run(context.Background(), []string{"doctor"}, out)
	return out.String()
}
