package metric_test

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/store"
	"tollkeeper/store/storetest"
)

// The specs share a database, since none of them writes to it.
var (
	database *store.Store
	account  context.Context
)

var _ = BeforeSuite(func() {
	database = storetest.New()
	account = storetest.Account(database, "test")
})

// query gives the one column of a statement, as the server's role reads it.
func query(sql string, args []any) (texts []string) {
	GinkgoHelper()
	Expect(database.View(account, func(tx *store.Tx) error {
		return tx.Raw(sql, args...).Scan(&texts).Error
	})).To(Succeed(), sql)
	return texts
}
