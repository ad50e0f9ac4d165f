package store_test

import (
	"context"
	"io/fs"
	"strings"
	"testing/fstest"

	"github.com/jackc/pgx/v5"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/store"
	"tollkeeper/store/storetest"
)

// filesBefore are the migrations below a number, with all functions.
func filesBefore(number string) fstest.MapFS {
	GinkgoHelper()
	files := fstest.MapFS{}
	Expect(fs.WalkDir(store.SchemaFiles(), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.HasPrefix(name, "migrations/") && strings.TrimPrefix(name, "migrations/") >= number {
			return err
		}
		text, err := fs.ReadFile(store.SchemaFiles(), name)
		files[name] = &fstest.MapFile{Data: text}
		return err
	})).To(Succeed())
	return files
}

// databaseBefore is an empty database with the migrations below a number.
func databaseBefore(number string) (url string, owner *pgx.Conn) {
	GinkgoHelper()
	ctx := context.Background()
	beside, err := pgx.Connect(ctx, storetest.URL(storetest.New()))
	Expect(err).NotTo(HaveOccurred())
	name := beside.Config().Database
	_, err = beside.Exec(ctx, "CREATE DATABASE "+name+"_before")
	Expect(err).NotTo(HaveOccurred())
	url = strings.Replace(beside.Config().ConnString(), "/"+name+"?", "/"+name+"_before?", 1)
	DeferCleanup(func() {
		_, err := beside.Exec(ctx, "DROP DATABASE "+name+"_before WITH (FORCE)")
		Expect(err).NotTo(HaveOccurred())
		Expect(beside.Close(ctx)).To(Succeed())
	})
	_, err = store.MigrateWith(ctx, url, filesBefore(number))
	Expect(err).NotTo(HaveOccurred())
	owner, err = pgx.Connect(ctx, url)
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(owner.Close, ctx)
	return url, owner
}

var _ = DescribeTable("Migrating the numbers of events of a database with data",
	func(statement string, sameEra bool) {
		ctx := context.Background()
		url, owner := databaseBefore("0020")
		_, err := owner.Exec(ctx, "INSERT INTO accounts (id, name, mode, number_prefix) VALUES ('a', 'A', 'test', 'ABCDEF')")
		Expect(err).NotTo(HaveOccurred())
		_, err = owner.Exec(ctx, "SELECT ensure_event_partition('2025-05-01Z')")
		Expect(err).NotTo(HaveOccurred())
		_, err = owner.Exec(ctx, statement)
		Expect(err).NotTo(HaveOccurred())
		_, err = store.Migrate(ctx, url)
		Expect(err).NotTo(HaveOccurred())

		var era, stored, number, horizon int64
		Expect(owner.QueryRow(ctx, `SELECT era, greatest(
			(SELECT max(mark) FROM usage_progress), (SELECT max(seq) FROM events), (SELECT max(mark) FROM unmatched_marks),
			(SELECT max(pg_snapshot_xmax(seen)::text::bigint) << 20 FROM alert_progress)) FROM event_numbering`).Scan(&era, &stored)).To(Succeed())
		Expect(owner.QueryRow(ctx, "SELECT event_number()").Scan(&number)).To(Succeed())
		Expect(owner.QueryRow(ctx, "SELECT event_horizon()").Scan(&horizon)).To(Succeed())
		if sameEra {
			Expect(era).To(BeZero())
		} else {
			Expect(era).NotTo(BeZero())
		}
		Expect(number).To(BeNumerically(">", stored))
		Expect(horizon).To(BeNumerically(">", stored))
		var copied bool
		Expect(owner.QueryRow(ctx, "SELECT settle_event_numbering()").Scan(&copied)).To(Succeed())
		Expect(copied).To(BeFalse())
	},
	Entry("that was filled here", "INSERT INTO usage_progress VALUES ('a', 12 << 20)", true),
	Entry("whose buckets are of another cluster", "INSERT INTO usage_progress VALUES ('a', (5::bigint << 32 | 7) << 20)", false),
	Entry("whose alerts are", "INSERT INTO alert_progress VALUES ('a', '21474836487:21474836490:')", false),
	Entry("whose unmatched events are", "INSERT INTO unmatched_marks VALUES ('a', (5::bigint << 32 | 7) << 20)", false),
	Entry("whose events are", `INSERT INTO events (account_id, idempotency_key, event_name, subject, "timestamp", properties, ingested_at, seq)
		VALUES ('a', 'k', 'call', 'e:x', '2025-05-10Z', '{}', '2025-05-10Z', (5::bigint << 32 | 7) << 20)`, false),
)
