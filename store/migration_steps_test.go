package store_test

import (
	"context"
	"errors"
	"sync"
	"testing/fstest"
	"time"

	"github.com/jackc/pgx/v5"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/store"
	"tollkeeper/store/storetest"
)

var _ = Describe("A step of a migration that other sessions are in the way of", func() {
	var st *store.Store
	var url string
	var other *pgx.Conn
	ctx := context.Background()
	BeforeEach(func() {
		st = storetest.New()
		url = storetest.URL(st)
		config, err := pgx.ParseConfig(url)
		Expect(err).NotTo(HaveOccurred())
		config.RuntimeParams["application_name"] = "month-end report"
		other, err = pgx.ConnectConfig(ctx, config)
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(other.Close, ctx)
	})
	execute := func(statement string) {
		GinkgoHelper()
		_, err := other.Exec(ctx, statement)
		Expect(err).NotTo(HaveOccurred())
	}
	read := func(query string) (value string) {
		GinkgoHelper()
		Expect(other.QueryRow(ctx, query).Scan(&value)).To(Succeed())
		return value
	}
	planted := func(text string) fstest.MapFS {
		files := schemaFiles()
		files["migrations/9999_planted.sql"] = &fstest.MapFile{Data: []byte(text)}
		return files
	}
	const column = "-- +goose Up\nCREATE TABLE left_behind ();\nALTER TABLE accounts ADD COLUMN planted text;"

	It("changes nothing when its time is over, and names the session", func() {
		execute("BEGIN; SELECT count(*) FROM accounts")
		var waits []store.LockWait
		migration := store.Migration{Files: planted(column), Wait: time.Second, Waiting: func(w store.LockWait) { waits = append(waits, w) }}
		_, err := migration.Apply(ctx, url)
		var locked *store.LockedError
		Expect(errors.As(err, &locked)).To(BeTrue(), "%v", err)
		Expect(locked.Step).To(Equal("migration 9999_planted.sql"))
		pid := other.PgConn().PID()
		Expect(err).To(MatchError(And(
			ContainSubstring("tried for 1s"), ContainSubstring("session %d of ", pid), ContainSubstring("(month-end report), query begun at 2"),
			ContainSubstring("SELECT pg_terminate_backend(%d)", pid))))
		Expect(waits).To(HaveLen(1), "it is said once in half a minute")
		Expect(waits[0].Sessions).To(ContainElement(HaveField("PID", int(pid))))
		execute("COMMIT")
		Expect(read("SELECT coalesce(to_regclass('left_behind')::text, 'none')")).To(Equal("none"))

		Expect(migration.Apply(ctx, url)).To(Equal(1))
		Expect(read("SELECT to_regclass('left_behind')::text")).To(Equal("left_behind"))
	})

	It("waits for a server that migrates the database, and names it", func() {
		execute("SELECT pg_advisory_lock(4097083626)")
		_, err := store.Migration{Wait: time.Second}.Apply(ctx, url)
		Expect(err).To(MatchError(And(ContainSubstring("another server migrates the database"), ContainSubstring("session %d of", other.PgConn().PID()))))
		execute("SELECT pg_advisory_unlock(4097083626)")
		Expect(store.Migration{Files: planted(column)}.Apply(ctx, url)).To(Equal(1))
	})

	// Every transaction of an account reads the account first. A step that has locked the accounts finds none under way.
	It("locks several tables while requests lock them in another order", func() {
		account := storetest.Account(st, "test")
		stop := make(chan struct{})
		var clients sync.WaitGroup
		for range 5 {
			clients.Go(func() {
				defer GinkgoRecover()
				for {
					select {
					case <-stop:
						return
					default:
					}
					Expect(st.Update(account, func(tx *store.Tx) error {
						if err := tx.Exec("SELECT FROM customers FOR UPDATE").Error; err != nil {
							return err
						}
						return tx.Exec("UPDATE accounts SET name = name WHERE id = ?", tx.AccountID).Error
					})).To(Succeed())
				}
			})
		}
		Expect(store.Migration{Files: planted(`-- +goose Up
			LOCK TABLE accounts, customers IN ACCESS EXCLUSIVE MODE;
			ALTER TABLE customers ADD COLUMN planted text;
			SELECT pg_sleep(0.2);
			ALTER TABLE accounts ADD COLUMN planted text;`)}.Apply(ctx, url)).To(Equal(1))
		close(stop)
		clients.Wait()
	})

	It("goes on waiting where its locks stop no one", func() {
		execute("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM customers")
		var mu sync.Mutex
		var waits []store.LockWait
		migrated := make(chan error, 1)
		go func() {
			_, err := store.Migration{Files: planted(`-- +goose NO TRANSACTION
-- Waits: the index is built beside writers, which waits for statements that began before.
-- +goose Up
DROP INDEX CONCURRENTLY IF EXISTS customers_planted;
CREATE INDEX CONCURRENTLY customers_planted ON customers (created_at);`), Waiting: func(w store.LockWait) {
				mu.Lock()
				defer mu.Unlock()
				waits = append(waits, w)
			}}.Apply(ctx, url)
			migrated <- err
		}()
		Eventually(func() []store.LockWait {
			mu.Lock()
			defer mu.Unlock()
			return waits
		}).WithTimeout(time.Minute).ShouldNot(BeEmpty())
		Consistently(migrated).WithTimeout(2 * time.Second).ShouldNot(Receive())
		execute("COMMIT")
		Eventually(migrated).WithTimeout(time.Minute).Should(Receive(BeNil()))
		Expect(read("SELECT indisvalid::text FROM pg_index WHERE indexrelid = 'customers_planted'::regclass")).To(Equal("true"))
	})

	It("ends an autovacuum that holds the table", func() {
		if read("SELECT usesuper::text FROM pg_user WHERE usename = session_user") != "true" {
			Skip("only a superuser has tables vacuumed at once")
		}
		execute("ALTER SYSTEM SET autovacuum_naptime = 1")
		execute("SELECT pg_reload_conf()")
		DeferCleanup(func() {
			execute("ALTER SYSTEM RESET autovacuum_naptime")
			execute("SELECT pg_reload_conf()")
		})
		execute(`CREATE TABLE large WITH (autovacuum_vacuum_threshold = 1, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_cost_delay = 100,
			autovacuum_vacuum_cost_limit = 1, autovacuum_analyze_threshold = 1000000000) AS SELECT n, repeat('x', 500) AS text FROM generate_series(1, 20000) AS n`)
		execute("DELETE FROM large")
		Eventually(func() string {
			return read("SELECT count(*)::text FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE relation = 'large'::regclass AND backend_type = 'autovacuum worker'")
		}).WithTimeout(time.Minute).ShouldNot(Equal("0"))
		var waits []store.LockWait
		Expect(store.Migration{Files: planted("-- +goose Up\nALTER TABLE large ADD COLUMN planted text;"), Wait: 20 * time.Second, Waiting: func(w store.LockWait) {
			waits = append(waits, w)
		}}.Apply(ctx, url)).To(Equal(1))
		Expect(waits).To(HaveLen(1), "the first try is too short")
		Expect(waits[0].Sessions[0].String()).To(ContainSubstring("autovacuum"))
	})
})
