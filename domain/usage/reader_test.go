package usage_test

import (
	"errors"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/usage"
	"tollkeeper/store"
	"tollkeeper/store/fault"
	"tollkeeper/store/storetest"
)

// code is the one of PostgreSQL's error.
func code(err error) string {
	var pg *pgconn.PgError
	if !errors.As(err, &pg) {
		return ""
	}
	return pg.Code
}

const refused = "42501" // insufficient_privilege

var _ = Describe("The role that metrics run as", func() {
	var d fixture
	BeforeEach(func() {
		d = newFixture()
		d.send(call("a"), call("b"))
	})

	// run executes a statement as the role, in a transaction that could write.
	run := func(ctx fixture, sql string) (rows int64, err error) {
		err = d.store.Update(ctx.ctx, func(tx *store.Tx) error {
			return tx.As("tollkeeper_metric", func() error {
				result := tx.Exec(sql)
				rows = result.RowsAffected
				return result.Error
			})
		})
		return rows, err
	}

	It("reads the events of the transaction's account only", func() {
		other := d
		other.ctx = storetest.Account(d.store, "test")
		Expect(run(d, "SELECT FROM events")).To(BeEquivalentTo(2))
		Expect(run(other, "SELECT FROM events")).To(BeEquivalentTo(0))
	})

	It("reads no other table, nor the parts of that one past their account", func() {
		var tables []string
		Expect(d.store.View(d.ctx, func(tx *store.Tx) error {
			return tx.Raw(`SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace
				AND relkind IN ('r', 'p', 'v', 'm')
				AND relname NOT IN ('events', 'usage_buckets', 'usage_buckets_6h', 'usage_values', 'usage_progress', 'usage_history')`).Scan(&tables).Error
		})).To(Succeed())
		Expect(tables).To(ContainElements("accounts", "api_keys", "event_keys", "customers", "events_2025_05"))
		for _, table := range tables {
			_, err := run(d, "SELECT FROM "+table)
			Expect(code(err)).To(Equal(refused), table)
		}
	})

	DescribeTable("changes nothing",
		func(sql string) {
			_, err := run(d, sql)
			Expect(code(err)).To(Equal(refused))
			Expect(d.count()).To(Equal("2"))
		},
		Entry("by deleting", "DELETE FROM events"),
		Entry("by updating", "UPDATE events SET properties = '{}'"),
		Entry("by inserting", "INSERT INTO events SELECT * FROM events"),
		Entry("by locking", "SELECT FROM events FOR UPDATE"),
		Entry("by emptying", "TRUNCATE events"),
		Entry("by dropping", "DROP TABLE events"),
		Entry("by creating", "CREATE TABLE mine ()"),
		Entry("by a new part of keys", "SELECT open_key_part(0)"),
		Entry("by a function of the server's", "SELECT ensure_event_partition('2031-01-01')"),
		Entry("by leaving row-level security", "ALTER TABLE events DISABLE ROW LEVEL SECURITY"),
	)

	It("is left behind when the answer is there", func() {
		ask := usage.Request{Query: query("SELECT COUNT(*) FROM events"), Subjects: []string{"e:acme"}, Cuts: []time.Time{noon, noon.Add(time.Hour)}}
		Expect(d.store.Update(d.ctx, func(tx *store.Tx) error {
			if _, err := usage.Measure(tx, ask); err != nil {
				return err
			}
			return tx.Exec("UPDATE customers SET name = 'Acme Ltd'").Error
		})).To(Succeed())
	})

	It("waits no longer than the statement timeout", func() {
		var events []string
		for range 2000 {
			events = append(events, call(store.NewID("key"), `"properties": {"n": 7}`))
		}
		d.send(events...)
		slow := usage.Request{
			Query:    query("SELECT PERCENTILE_CONT(n, 0.5) FROM (SELECT idempotency_key, SUM(n / 7 / 7 / 7) AS n FROM events GROUP BY idempotency_key) t"),
			Subjects: []string{"e:acme"},
		}
		for day := range 100 {
			slow.Cuts = append(slow.Cuts, noon.AddDate(0, 0, day))
		}
		err := d.store.View(d.ctx, func(tx *store.Tx) error {
			if err := tx.Exec("SET LOCAL statement_timeout = '20ms'").Error; err != nil {
				return err
			}
			_, err := usage.Measure(tx, slow)
			return err
		})
		Expect(err).To(MatchError(fault.Refused(
			"A metric took longer than 30 seconds over this timeframe; ask about less time, or simplify the metric")))
		Expect(d.count()).To(Equal("2002"))
	})
})
