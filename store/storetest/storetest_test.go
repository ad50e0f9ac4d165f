package storetest_test

import (
	"context"
	"os"
	"time"

	"github.com/jackc/pgx/v5"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"gorm.io/gorm"

	"tollkeeper/store"
	"tollkeeper/store/storetest"
)

var _ = Describe("A database for a spec", func() {
	count := func(st *store.Store) (n int64) {
		Expect(st.AsOwner(context.Background(), func(db *gorm.DB) error {
			return db.Table("accounts").Count(&n).Error
		})).To(Succeed())
		return n
	}

	It("is empty, even if another one holds rows", func() {
		first := storetest.New()
		storetest.Account(first, "test")
		Expect(count(first)).To(BeEquivalentTo(1))
		Expect(count(storetest.New())).To(BeZero())
	})

	It("has a test account's clock stand where it is set", func() {
		st := storetest.New()
		ctx := storetest.Account(st, "test")
		at := time.Date(2024, 2, 29, 23, 59, 59, 999999000, time.UTC)
		storetest.SetClock(st, ctx, at)
		Expect(st.View(ctx, func(tx *store.Tx) error {
			Expect(tx.Now).To(Equal(at))
			return nil
		})).To(Succeed())
	})

	It("can be reached by its URL", func(ctx SpecContext) {
		st := storetest.New()
		storetest.Account(st, "live")
		conn, err := pgx.Connect(ctx, storetest.URL(st))
		Expect(err).NotTo(HaveOccurred())
		defer func() { _ = conn.Close(ctx) }()
		var n int
		Expect(conn.QueryRow(ctx, "SELECT count(*) FROM accounts").Scan(&n)).To(Succeed())
		Expect(n).To(Equal(1))
	})
})

var _ = Describe("A flaky way to a database", func() {
	var f *storetest.FlakyConn
	var ctx context.Context
	BeforeEach(func() {
		st := storetest.New()
		f, ctx = storetest.NewFlakyConn(st), storetest.Account(st, "test")
		storetest.SetClock(st, ctx, time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC))
	})
	count := func() (n int64) {
		Expect(f.Store.AsOwner(ctx, func(db *gorm.DB) error {
			return db.Table("accounts").Where("clock_now = '2025-02-01Z'").Count(&n).Error
		})).To(Succeed())
		return n
	}
	change := func() error {
		return f.Store.Shared(ctx, func(db *gorm.DB) error { // BEGIN, one that changes a row, COMMIT
			return db.Exec("SELECT begin_due(?, '2025-02-01Z')", store.AccountID(ctx)).Error
		})
	}

	DescribeTable("breaks at what it is told",
		func(n int, at storetest.Break, done int) {
			f.Break(n, at)
			Expect(change()).NotTo(Succeed())
			Expect(f.Broke()).To(BeTrue())
			Expect(count()).To(BeEquivalentTo(done))
		},
		Entry("at the change", 2, storetest.AtStatement, 0),
		Entry("at COMMIT, which is not done then", 3, storetest.AtStatement, 0),
		Entry("after COMMIT, which is", 1, storetest.AfterCommit, 1),
	)

	It("does not break at one that does not come", func() {
		f.Break(4, storetest.AtStatement)
		Expect(change()).To(Succeed())
		Expect(f.Broke()).To(BeFalse())
		Expect(change()).To(Succeed())
		Expect(count()).To(BeEquivalentTo(1))
	})

	It("is gone round where nothing can have been done yet", func() {
		f.Break(1, storetest.AtStatement)
		Expect(change()).To(Succeed())
		Expect(f.Broke()).To(BeTrue())
	})
})

var _ = Describe("The environment of specs", func() {
	It("chooses the version of PostgreSQL and the rights of the owner", func(ctx SpecContext) {
		conn, err := pgx.Connect(ctx, storetest.URL(storetest.New()))
		Expect(err).NotTo(HaveOccurred())
		defer func() { _ = conn.Close(ctx) }()
		var major, right string
		Expect(conn.QueryRow(ctx, `
			SELECT current_setting('server_version_num')::int / 10000 || '', CASE WHEN rolsuper THEN '' WHEN rolcreaterole THEN 'CREATEROLE' ELSE 'NOCREATEROLE' END
			FROM pg_roles WHERE rolname = current_user`).Scan(&major, &right)).To(Succeed())
		Expect(right).To(Equal(os.Getenv("SPEC_OWNER")))
		if asked := os.Getenv("SPEC_POSTGRES"); asked != "" {
			Expect(major).To(Equal(asked))
		}
	})
})
