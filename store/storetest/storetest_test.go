package storetest_test

import (
	"context"
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
		Expect(st.Shared(context.Background(), func(db *gorm.DB) error {
			return db.Table("accounts").Count(&n).Error
		})).To(Succeed())
		return n
	}

	It("is empty, whatever another one holds", func() {
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
