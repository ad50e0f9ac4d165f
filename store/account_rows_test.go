package store_test

import (
	"context"

	"github.com/jackc/pgx/v5"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"gorm.io/gorm"

	"tollkeeper/store"
	"tollkeeper/store/storetest"
)

var _ = Describe("The migration of the rows of accounts and keys", func() {
	It("leaves a server each account's own rows, and a server of the version before what it needs", func() {
		ctx := context.Background()
		url, owner := databaseBefore("0028")
		for _, account := range []string{"acct_1", "acct_2"} {
			_, err := owner.Exec(ctx, "INSERT INTO accounts (id, name, mode, number_prefix) VALUES ('"+account+"', 'Name', 'test', 'ABCDEF')")
			Expect(err).NotTo(HaveOccurred())
			_, err = owner.Exec(ctx, "INSERT INTO api_keys (id, account_id, name, hash, hint) VALUES ('key of "+account+"', '"+account+"', 'script', sha256('"+account+"'), 'tk_test_k')")
			Expect(err).NotTo(HaveOccurred())
		}
		before, err := pgx.Connect(ctx, url)
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(before.Close, ctx)
		_, err = before.Exec(ctx, "SET ROLE tollkeeper_app") // as a connection of the version before
		Expect(err).NotTo(HaveOccurred())
		count := func(conn *pgx.Conn, query string) (n int) {
			GinkgoHelper()
			Expect(conn.QueryRow(ctx, "SELECT count(*) FROM "+query).Scan(&n)).To(Succeed())
			return n
		}
		const key = "api_keys WHERE hash = sha256('acct_2')"
		Expect(count(before, key)).To(Equal(1))

		Expect(store.Migrate(ctx, url)).To(BeNumerically(">=", 1))
		Expect(count(before, key)).To(Equal(1), "keys are looked up without an account")
		Expect(count(before, "accounts")).To(Equal(2))
		done, err := before.Exec(ctx, "UPDATE api_keys SET last_used_at = now()")
		Expect(err).NotTo(HaveOccurred())
		Expect(done.RowsAffected()).To(Equal(int64(2)))

		st, err := store.Open(ctx, url)
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(st.Close)
		Expect(st.CheckMigrated(ctx)).To(Succeed())
		Expect(st.View(store.WithAccount(ctx, "acct_1"), func(tx *store.Tx) error {
			var accounts, keys []string
			Expect(tx.Raw("SELECT id FROM accounts").Scan(&accounts).Error).To(Succeed())
			Expect(tx.Raw("SELECT id FROM api_keys").Scan(&keys).Error).To(Succeed())
			Expect(accounts).To(Equal([]string{"acct_1"}))
			Expect(keys).To(Equal([]string{"key of acct_1"}))
			return nil
		})).To(Succeed())
		Expect(st.Shared(ctx, func(db *gorm.DB) error {
			var keys, found []string
			Expect(db.Raw("SELECT id FROM api_keys").Scan(&keys).Error).To(Succeed())
			Expect(keys).To(BeEmpty())
			Expect(db.Raw("SELECT key_id || ' ' || account FROM find_api_key(digest => sha256('acct_2'))").Scan(&found).Error).To(Succeed())
			Expect(found).To(Equal([]string{"key of acct_2 acct_2"}))
			return nil
		})).To(Succeed())
	})
})

var _ = Describe("The login of a store", func() {
	It("does as the owner what only the owner may, and goes back", func() {
		st := storetest.New()
		ours := storetest.Account(st, "test")
		who := func(db *gorm.DB) (name string) {
			Expect(db.Raw("SELECT current_user").Row().Scan(&name)).To(Succeed())
			return name
		}
		Expect(st.AsOwner(ours, func(db *gorm.DB) error {
			Expect(who(db)).To(Equal("postgres"))
			return nil
		})).To(Succeed())
		for range 3 {
			Expect(st.Shared(ours, func(db *gorm.DB) error {
				Expect(who(db)).To(Equal("tollkeeper_app"))
				return nil
			})).To(Succeed())
		}
		Expect(store.ReadLogin(ours, storetest.URL(st))).To(And(HaveField("Name", "postgres"), HaveField("Owner", true), HaveField("Excess", ContainElement("is a superuser"))))
	})
})
