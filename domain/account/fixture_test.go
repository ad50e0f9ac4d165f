package account_test

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"gorm.io/gorm"

	"tollkeeper/domain/account"
	"tollkeeper/store"
	"tollkeeper/store/storetest"
)

// owner is a test account on a database of its own, whose keys are specified.
type owner struct {
	store   *store.Store
	ctx     context.Context // of no account
	account account.Account
}

func newOwner() owner {
	GinkgoHelper()
	o := owner{store: storetest.New(), ctx: context.Background()}
	var err error
	o.account, err = account.Create(o.ctx, o.store, account.New{Name: "Ours", Mode: account.ModeTest})
	Expect(err).NotTo(HaveOccurred())
	return o
}

// create makes a key, and returns it with its text.
func (o owner) create(in account.NewKey) (account.Key, string) {
	GinkgoHelper()
	in.Name = "script"
	k, text, err := account.CreateKey(o.ctx, o.store, o.account.ID, in)
	Expect(err).NotTo(HaveOccurred())
	return k, text
}

// exec runs a statement outside any account.
func (o owner) exec(sql string, args ...any) {
	GinkgoHelper()
	Expect(o.store.AsOwner(o.ctx, func(db *gorm.DB) error { return db.Exec(sql, args...).Error })).To(Succeed())
}

// update runs fn in a transaction of the account.
func (o owner) update(fn func(tx *store.Tx) error) error {
	return o.store.Update(store.WithAccount(o.ctx, o.account.ID), fn)
}
