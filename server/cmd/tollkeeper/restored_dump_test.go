package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/gbytes"

	"tollkeeper/store/cluster"
)

// served is a server in this process, on a database of a cluster.
type served struct {
	database string // its URL
	address  string
	key      string
	stop     func()
}

// serveDatabase starts a server; it stops when the spec ends, or before.
func serveDatabase(database, key string) served {
	GinkgoHelper()
	set("TOLLKEEPER_DATABASE_URL", database)
	set("TOLLKEEPER_ADDR", "127.0.0.1:0")
	set("TOLLKEEPER_API_KEY", key)
	ctx, cancel := context.WithCancel(context.Background())
	out, ended := gbytes.NewBuffer(), make(chan error, 1)
	go func() { ended <- run(ctx, []string{"serve"}, out) }()
	s := served{database: database, key: key, stop: sync.OnceFunc(func() {
		cancel()
		Eventually(ended).WithTimeout(startWithin).Should(Receive(Succeed()))
	})}
	Eventually(func() string {
		select {
		case err := <-ended:
			Fail(fmt.Sprint("the server ended: ", err))
		default:
		}
		return string(out.Contents())
	}).WithTimeout(startWithin).Should(ContainSubstring("/v1/ping"))
	DeferCleanup(s.stop)
	s.address = regexp.MustCompile(`http://[^/\s]+/v1`).FindString(string(out.Contents()))
	return s
}

// call sends a request and reads the answer, which is to be a success.
func (s served) call(method, path, body string) (answer map[string]any) {
	GinkgoHelper()
	request, err := http.NewRequest(method, s.address+path, strings.NewReader(body))
	Expect(err).NotTo(HaveOccurred())
	request.Header.Set("Authorization", "Bearer "+s.key)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	Expect(err).NotTo(HaveOccurred())
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	Expect(err).NotTo(HaveOccurred())
	Expect(response.StatusCode).To(BeNumerically("<", 300), string(text[:min(len(text), 300)]))
	Expect(json.Unmarshal(text, &answer)).To(Succeed())
	return answer
}

// portion is a request of fifty calls; each has another key.
func portion(n int) string {
	events := make([]string, 50)
	for k := range events {
		events[k] = fmt.Sprintf(`{"event_name": "call", "external_customer_id": "acme", "idempotency_key": "call-%d-%d",
			"timestamp": "2025-03-02T%02d:00:00Z", "properties": {"n": %d}}`, n, k, 2+n%10, n)
	}
	return `{"events": [` + strings.Join(events, ",") + `]}`
}

// sell makes a metric, a plan, a customer, a subscription and an alert.
func (s served) sell() {
	GinkgoHelper()
	s.call("POST", "/test_clock/advance", `{"now": "2025-03-01T00:00:00Z"}`)
	item := s.call("POST", "/items", `{"name": "API"}`)["id"].(string)
	metric := s.call("POST", "/metrics", `{"name": "Calls", "description": null, "item_id": "`+item+`",
		"sql": "SELECT COUNT(*) FROM events WHERE event_name = 'call'"}`)["id"].(string)
	plan := s.call("POST", "/plans", `{"name": "Pro", "currency": "USD", "prices": [{"price": {"name": "Calls", "item_id": "`+item+`", "cadence": "monthly",
		"billable_metric_id": "`+metric+`", "model_type": "unit", "unit_config": {"unit_amount": "0.01"}}}]}`)["id"].(string)
	s.call("POST", "/customers", `{"name": "Acme", "email": "bills@acme.example", "external_customer_id": "acme"}`)
	sub := s.call("POST", "/subscriptions", `{"external_customer_id": "acme", "plan_id": "`+plan+`"}`)["id"].(string)
	s.call("POST", "/alerts/subscription_id/"+sub, `{"type": "usage_exceeded", "metric_id": "`+metric+`", "thresholds": [{"value": 100}]}`)
	s.call("POST", "/test_clock/advance", `{"now": "2025-03-02T13:00:00Z"}`)
}

// bills are the invoices: when, what, how much.
func (s served) bills() (found []string) {
	GinkgoHelper()
	for _, one := range s.call("GET", "/invoices?status[]=draft&status[]=issued&status[]=paid", "")["data"].([]any) {
		invoice := one.(map[string]any)
		lines := ""
		for _, l := range invoice["line_items"].([]any) {
			line := l.(map[string]any)
			lines += fmt.Sprint(" ", line["name"], " ", line["quantity"], " ", line["subtotal"])
		}
		found = append(found, fmt.Sprint(invoice["invoice_date"], " ", invoice["status"], " ", invoice["total"], lines))
	}
	return found
}

// verified expects that the books of the database agree.
func (s served) verified() {
	GinkgoHelper()
	set("TOLLKEEPER_DATABASE_URL", s.database)
	out := new(bytes.Buffer)
	Expect(run(context.Background(), []string{"verify"}, out)).To(Succeed(), out.String())
	Expect(out.String()).To(HaveSuffix(": 0 findings\n"))
}

// digests are, for each table that has rows of its own, a digest of them in the order of
// their text.
func digests(ctx context.Context, tx pgx.Tx) (found map[string]string) {
	GinkgoHelper()
	rows, err := tx.Query(ctx, `SELECT relname::text FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'`)
	Expect(err).NotTo(HaveOccurred())
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	Expect(err).NotTo(HaveOccurred())
	found = map[string]string{}
	for _, name := range names {
		var digest string
		Expect(tx.QueryRow(ctx, `SELECT count(*) || ' ' || coalesce(md5(string_agg(t::text, E'\n' ORDER BY t::text COLLATE "C")), '')
			FROM `+pgx.Identifier{name}.Sanitize()+` AS t`).Scan(&digest)).To(Succeed())
		found[name] = digest
	}
	return found
}

// client finds a client program of PostgreSQL, or skips the spec.
func client(name string) string {
	GinkgoHelper()
	places, _ := filepath.Glob("/usr/lib/postgresql/*/bin/" + name)
	if path, err := exec.LookPath(name); err == nil {
		places = append(places, path)
	}
	if len(places) == 0 {
		Skip(name + " is not installed")
	}
	return places[0]
}

// owner makes a role that is no superuser, with a database of its own, and returns the URL.
func owner(c *cluster.Cluster, name, right string) string {
	GinkgoHelper()
	ctx := context.Background()
	admin, err := pgx.Connect(ctx, c.URL("postgres"))
	Expect(err).NotTo(HaveOccurred())
	defer func() { Expect(admin.Close(ctx)).To(Succeed()) }()
	for _, statement := range []string{"CREATE ROLE " + name + " LOGIN NOSUPERUSER " + right, "CREATE DATABASE " + name + " OWNER " + name} {
		_, err := admin.Exec(ctx, statement)
		Expect(err).NotTo(HaveOccurred(), statement)
	}
	parsed, err := url.Parse(c.URL(name))
	Expect(err).NotTo(HaveOccurred())
	parsed.User = url.User(name)
	return parsed.String()
}

const drillKey = "tk_test_drill000000000000000000000000000000"

var _ = DescribeTable("A dump taken under load is restored in a cluster of another major version",
	func(dumped []string, strict string, foreign bool) {
		ctx := context.Background()
		if dumped == nil && !foreign && len(matrix()) < 4 {
			Skip("make long runs it: the next one says nearly as much")
		}
		dump, psql := client("pg_dump"), client("psql")
		from, to := roleCluster(15), roleCluster(18)
		source := serveDatabase(owner(from, "billing", "CREATEROLE"), drillKey)
		source.sell()

		By("sending events while the dump is taken")
		const portions = 60
		sent := make(chan int, portions)
		var sending sync.WaitGroup
		sending.Go(func() {
			defer GinkgoRecover()
			for n := range portions {
				source.call("POST", "/ingest", portion(n))
				sent <- n
			}
		})
		for range portions / 3 {
			Eventually(sent).WithTimeout(startWithin).Should(Receive())
		}
		conn, err := pgx.Connect(ctx, source.database)
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(conn.Close, ctx)
		tx, err := conn.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead})
		Expect(err).NotTo(HaveOccurred())
		var snapshot string
		Expect(tx.QueryRow(ctx, "SELECT pg_export_snapshot()").Scan(&snapshot)).To(Succeed())
		file := filepath.Join(GinkgoT().TempDir(), "dump.sql")
		out, err := exec.Command(dump, append(dumped, "--snapshot="+snapshot, "--file="+file, source.database)...).CombinedOutput()
		Expect(err).NotTo(HaveOccurred(), string(out))
		before := digests(ctx, tx)
		Expect(tx.Rollback(ctx)).To(Succeed())
		Expect(before).To(HaveKeyWithValue("events_2025_03", Not(HavePrefix("0 "))))
		sending.Wait()

		if foreign {
			By("serving another owner's database in that cluster first")
			serveDatabase(owner(to, "neighbour", "CREATEROLE"), "").stop()
		}
		By("restoring it as an owner that is no superuser")
		target := owner(to, "restored", "CREATEROLE")
		out, err = exec.Command(psql, "--quiet", "--no-psqlrc", "--set=ON_ERROR_STOP="+strict, "--file="+file, target).CombinedOutput()
		Expect(err).NotTo(HaveOccurred(), string(out))
		copied, err := pgx.Connect(ctx, target)
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(copied.Close, ctx)
		tx, err = copied.Begin(ctx)
		Expect(err).NotTo(HaveOccurred())
		Expect(digests(ctx, tx)).To(Equal(before))
		Expect(tx.Rollback(ctx)).To(Succeed())

		By("going on there, with no step by hand")
		restored := serveDatabase(target, "")
		restored.key = drillKey
		for _, s := range []served{source, restored} {
			for n := range portions + 10 { // what was taken in is known by its key
				s.call("POST", "/ingest", portion(n))
			}
		}
		for _, s := range []served{source, restored} {
			s.call("POST", "/test_clock/advance", `{"now": "2025-04-02T00:00:00Z"}`)
			Expect(s.bills()).To(ContainElement(ContainSubstring(fmt.Sprintf("Calls %d %d.00", 50*(portions+10), 50*(portions+10)/100))))
		}
		Expect(restored.bills()).To(Equal(source.bills()))
		source.verified()
		restored.verified()

		By("having the same rights as the source, of roles of its own")
		rights := func(s served) (held []string) {
			GinkgoHelper()
			conn, err := pgx.Connect(ctx, s.database)
			Expect(err).NotTo(HaveOccurred())
			defer func() { Expect(conn.Close(ctx)).To(Succeed()) }()
			rows, err := conn.Query(ctx, `
				SELECT CASE WHEN grantee = 0 THEN 'PUBLIC' ELSE replace(grantee::regrole::text, (SELECT suffix FROM role_names), '') END
					|| ' ' || privilege_type || ' ' || name
				FROM (SELECT relname::text AS name, coalesce(relacl, acldefault('r', relowner)) AS acl, relowner AS owner FROM pg_class
						WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'v')
					UNION ALL SELECT oid::regprocedure::text, coalesce(proacl, acldefault('f', proowner)), proowner FROM pg_proc WHERE pronamespace = 'public'::regnamespace) AS o,
					aclexplode(acl) WHERE grantee <> owner ORDER BY 1`)
			Expect(err).NotTo(HaveOccurred())
			held, err = pgx.CollectRows(rows, pgx.RowTo[string])
			Expect(err).NotTo(HaveOccurred())
			return held
		}
		Expect(rights(restored)).To(Equal(rights(source)))
		if foreign {
			var reached int
			Expect(copied.QueryRow(ctx, `SELECT count(*) FROM pg_class, aclexplode(relacl) WHERE grantee = 'tollkeeper_app'::regrole`).Scan(&reached)).To(Succeed())
			Expect(reached).To(BeZero(), "the roles of the neighbour have no rights here")
		}
	},
	Entry("without owners and rights", []string{"--no-owner", "--no-privileges"}, "1", false),
	Entry("as it is", []string(nil), "0", false),
	Entry("as it is, where another owner has the roles", []string(nil), "0", true),
)

// dumping are the commands of a document that dump and restore.
var dumping = regexp.MustCompile(`(?m)^    pg_dump .*\n    psql .*\n`)

var _ = DescribeTable("A dump is restored by the commands of",
	func(ctx SpecContext, document string) {
		client("pg_dump")
		text, err := os.ReadFile(filepath.Join("../../..", document))
		Expect(err).NotTo(HaveOccurred())
		commands := dumping.Find(text)
		Expect(commands).NotTo(BeEmpty())
		from, to := roleCluster(15), roleCluster(18)
		source := serveDatabase(owner(from, "billing", "CREATEROLE"), drillKey)
		source.sell()
		source.call("POST", "/ingest", portion(1))
		target := owner(to, "restored", "CREATEROLE")
		bash := exec.CommandContext(ctx, "bash", "-euc", string(commands))
		bash.Dir = GinkgoT().TempDir()
		bash.Env = append(os.Environ(), "OLD="+source.database, "NEW="+target)
		out, err := bash.CombinedOutput()
		Expect(err).NotTo(HaveOccurred(), string(out))

		restored := serveDatabase(target, "")
		restored.key = drillKey
		for _, s := range []served{source, restored} {
			s.call("POST", "/test_clock/advance", `{"now": "2025-04-02T00:00:00Z"}`)
		}
		Expect(restored.bills()).To(And(Equal(source.bills()), ContainElement(ContainSubstring("Calls 50 0.50"))))
		restored.verified()
	},
	Entry("the guide to production", NodeTimeout(5*time.Minute), "docs/production.md"),
	Entry("the guide to configuration", NodeTimeout(5*time.Minute), "docs/configuration.md"),
)
