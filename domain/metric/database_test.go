package metric_test

import (
	"context"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/metric"
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

// query gives the one column of a statement that is made of a template, in which $
// stands for a fragment. It runs as metrics do.
func query(template string, f metric.Fragment) (texts []string) {
	GinkgoHelper()
	sql := strings.Replace(template, "$", f.SQL, 1)
	Expect(database.View(account, func(tx *store.Tx) error {
		if err := tx.Exec("SET LOCAL ROLE tollkeeper_metric").Error; err != nil {
			return err
		}
		return tx.Raw(sql, f.Args...).Scan(&texts).Error
	})).To(Succeed(), sql)
	return texts
}
